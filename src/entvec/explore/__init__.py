"""The explorer: a page on which entailment can be seen, and an HTTP API for programs.

app         `application`: an ASGI application of a space
endpoints   every address of the API, one row each
schemas     the forms of requests and answers; openapi describes them
answers     what the space says to each request
coalescing  questions of many clients, answered by one matrix product
completion  words that begin with some letters
limits      how much may be asked; refusals, what is said to what is not answered
headers     what every answer says to browsers
server      `serve`: listen, answer, stop without losing a request
connection  what is said to bytes that are no request
page        the files of the page
"""
