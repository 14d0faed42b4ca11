"""Search: the best words of a vocabulary for some vectors, by the largest inner products.

request      `Request` and `Hits`: what a backend is asked and answers; `Backend`: the contract of all of them
keys, key_table
             `KeyTable`: the vocabulary as a matrix of keys for each side
exact        the k largest products of each query, at the speed of the matrix product
scan         every word by the operator itself
local        `LocalBackend`: words in memory, searched exactly or by a searcher of the table `SEARCHERS`
approximate  what indexes share: coordinates, tuning, exact scores of what they find
coordinates  coordinates in which an index finds what it is asked for
faiss, usearch, device
             searchers: two libraries of indexes, and exact search on a GPU
"""

from entvec.search.key_table import KeyTable
from entvec.search.keys import Keys
from entvec.search.local import SEARCHERS, LocalBackend, Searcher
from entvec.search.request import Backend, Hits, Request

__all__ = ["SEARCHERS", "Backend", "Hits", "KeyTable", "Keys", "LocalBackend", "Request", "Searcher"]
