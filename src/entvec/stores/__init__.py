"""Spaces in databases: PostgreSQL with pgvector, and Milvus.

store      what a database must be able to do
urls       which database a URL names
postgres   PostgreSQL
milvus     Milvus
exporting  a space, loaded into a store
served     one version of a space, asked where it is stored
stored     whichever version serves
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from entvec.errors import InvalidInput, StoreError
from entvec.stores.contract import NAME, Store
from entvec.stores.urls import EXPECTED, STORES, check_local, is_url, shown_url

NAMES_SHOWN = 10


def check_place(url: str, name: str) -> None:
    """Refuse what names no space in any database."""
    if not is_url(url):
        raise InvalidInput(f"{shown_url(url)!r:.80} is no URL of a database, expected {EXPECTED}")
    check_local(url)
    if not NAME.fullmatch(name):
        raise InvalidInput(
            f"the name of a space is {name!r:.60}, expected small letters, digits and _, a letter first, 40 at most"
        )


def nothing_there(store: Store, name: str) -> StoreError:
    """What to say where no space has this name."""
    others = store.names()
    shown = ", ".join(others[:NAMES_SHOWN]) + (", ..." if len(others) > NAMES_SHOWN else "")
    there = f"there are {shown}" if others else "`entvec export` loads one"
    return StoreError(store.where, f"no space was exported under the name {name!r}; {there}")


def open_store(url: str, name: str) -> Store:
    """The store that a URL names, and the space of this name in it; whether there is one is not looked at."""
    check_place(url, name)
    module = import_module(f"entvec.stores.{STORES[url.partition(':')[0]]}")
    return cast("Store", module.open(url, name))
