"""Scores of given pairs: a few, or millions of lines of text."""
