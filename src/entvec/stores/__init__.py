"""Spaces in databases: PostgreSQL with pgvector, and Milvus.

contract     what a database must do to hold a space
conditions   conditions on the words of a search
urls         the table of databases, by the schemes of their URLs
postgres     PostgreSQL
milvus       Milvus
export       loads a space into a store
vocabulary   the words and vectors of one version
backend      searches one version
remote       opens the version that serves
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from entvec.errors import InvalidInput, MissingExtra, StoreError
from entvec.stores.contract import NAME, Exported, Store
from entvec.stores.urls import STORES, check_local, expected_urls, is_url, shown_url

__all__ = ["Exported", "Store", "check_place", "nothing_there", "open_store"]

NAMES_SHOWN = 10


def check_place(url: str, name: str) -> None:
    """Raise InvalidInput unless this is the URL of a database and a name that a space can have."""
    if not is_url(url):
        raise InvalidInput(f"{shown_url(url)!r:.80} is no URL of a database, expected {expected_urls()}")
    check_local(url)
    if not NAME.fullmatch(name):
        raise InvalidInput(
            f"the name of a space is {name!r:.60}, expected small letters, digits and _, a letter first, 40 at most"
        )


def nothing_there(store: Store, name: str) -> StoreError:
    """Return the error that no space has this name; its text has the names that exist."""
    others = store.names()
    shown = ", ".join(others[:NAMES_SHOWN]) + (", ..." if len(others) > NAMES_SHOWN else "")
    there = f"there are {shown}" if others else "`entvec export` loads one"
    return StoreError(store.where, f"no space was exported under the name {name!r}; {there}")


def open_store(url: str, name: str) -> Store:
    """Open the database of a URL, for the space of this name, which need not exist yet."""
    check_place(url, name)
    kind = STORES[url.partition(":")[0]]
    try:
        module = import_module(kind.module)
    except ImportError:
        raise MissingExtra(f"a space in {kind.title}", needs=kind.needs, extra=kind.extra) from None
    return cast("Store", module.open(url, name))
