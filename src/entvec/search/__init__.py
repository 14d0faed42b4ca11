"""Search: find the best words of a vocabulary for some vectors, by the largest inner products.

request      `Request` and `Hits`: the input and the result of a search; `Backend`: the contract of all backends
keys, key_table
             `KeyTable`: the vocabulary as a matrix of keys for each side
key_cache    keys in the user's cache folder
exact        finds the k largest products of each query, at the speed of the matrix product
scan         scores every word by the operator itself
local        `LocalBackend`: words in memory, searched exactly or by a searcher of the table `SEARCHERS`
approximate  what all indexes share: coordinates, tuning to a recall, exact scores of the candidates
coordinates  changes the coordinates of keys and queries so that an index reaches a high recall
faiss, usearch, device
             searchers: two libraries of indexes, and exact search on a GPU
"""

from entvec.search.key_table import KeyTable
from entvec.search.keys import Keys
from entvec.search.local import SEARCHERS, LocalBackend, Searcher
from entvec.search.request import Backend, Hits, Request

__all__ = ["SEARCHERS", "Backend", "Hits", "KeyTable", "Keys", "LocalBackend", "Request", "Searcher"]
