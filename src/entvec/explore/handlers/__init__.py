"""Handlers: one function for each endpoint, from a validated request to the JSON of its response.

Short handlers are coroutines. Long ones are plain functions; a few threads run them. The first line of a docstring is
the summary of the endpoint in the OpenAPI document.

words        what is above and below a word, its senses, completion, the map
pairs        scores, relations, and why
taxonomies   build, audit, review, convert, place, common, group
theory       operators and inference on two things, and the toy world
server       what the server says of itself
"""
