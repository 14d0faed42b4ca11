"""Entailment in a vector space."""

__version__ = "0.1.0"
