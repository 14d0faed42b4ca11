"""Spaces in Milvus.

A version of a space NAME has collections of its own, whose names contain a random TOKEN:

NAME_TOKEN_words       row, word, vector, and hubness_hyper, hubness_hypo
NAME_TOKEN_spellings   spelling, row: words by primary key, since the embedded engine reads all rows to find another
NAME_TOKEN_hyper       row, word, further columns, coordinates: the keys of a search for hypernyms
NAME_TOKEN_hypo        the same for hyponyms
NAME_TOKEN_about       the manifest, in pieces of text

The alias NAME points to the collection `about` of the version that serves. Changing it, after everything else, makes
another version serve. The alias _NAME_loading points to a version that is being loaded. Collections that belong to
neither are left from a load that was killed; the next load drops them.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial

from entvec.errors import StoreError, VersionGone
from entvec.model.model import OTHER
from entvec.stores.contract import FLAT, HNSW, IVF, Manifest, dropped
from entvec.stores.milvus.connection import Connection
from entvec.stores.milvus.loading import MilvusLoading, manifest_of
from entvec.stores.milvus.tables import Index, MilvusTables

TABLES = ("about", "words", "spellings", *OTHER)
TOKEN = "[0-9a-f]{16}"  # noqa: S105 - no secret

_load_locks: dict[tuple[str, str], threading.Lock] = {}
"""One lock for each space that this process has loaded."""


def open(url: str, name: str) -> MilvusStore:  # noqa: A001 - every store has this function
    """Return the store of a URL."""
    return MilvusStore(Connection(url), name)


class MilvusStore:
    """A Milvus database, and the name of a space in it."""

    kinds = (IVF, HNSW, FLAT)
    widest = 32_768

    def __init__(self, connection: Connection, name: str) -> None:
        self.connection = connection
        self.name = name
        self.where = connection.where

    # Aliases

    @property
    def _claim(self) -> str:
        return f"_{self.name}_loading"  # no space can have this name

    def _version_at(self, alias: str) -> str | None:
        """Return the token of the version that an alias points to."""
        if alias not in self.connection.call("list_aliases")["aliases"]:
            return None
        collection = str(self.connection.call("describe_alias", alias)["collection_name"])
        if match := re.fullmatch(rf"{self.name}_({TOKEN})_about", collection):
            return match[1]
        raise StoreError(
            self.where, f"{alias!r} is the alias of {collection!r}, which is none of entvec; choose another name"
        )

    def serving(self) -> str | None:
        """Return the token of the version that serves."""
        return self._version_at(self.name)

    def _point(self, alias: str, token: str) -> None:
        method = "create_alias" if self._version_at(alias) is None else "alter_alias"
        try:
            self.connection.call(method, f"{self.name}_{token}_about", alias)
        except StoreError:  # it may have been done, if the call was repeated or its answer was lost
            if self._version_at(alias) != token:
                raise

    def _hand_over(self, token: str) -> None:
        """Make a loaded version serve, and drop the previous one."""
        if error := self._overtaken(token):
            raise error
        self._point(self.name, token)
        with suppress(StoreError):  # the version serves; the next load drops what is left here
            self.connection.call("drop_alias", self._claim)
            self._drop_all_but(token)

    def _overtaken(self, token: str) -> StoreError | None:
        """Return the error of a load if another one has begun since, which drops the collections of this one."""
        if self._version_at(self._claim) == token:
            return None
        return StoreError(
            self.where, f"another export of {self.name!r} has begun, and this one is given up; wait for that one"
        )

    def _replaced(self, token: str) -> StoreError | None:
        """Return the error of a request if another version serves now."""
        if self.serving() == token:
            return None
        return VersionGone(self.where, "another version serves now; open the space again")

    def _give_up(self, token: str) -> None:
        """Drop the collections of a load, unless they serve: it may have been stopped just after it took over."""
        with suppress(StoreError):  # if Milvus cannot be reached, the next load drops them
            if self.serving() == token:
                return
            if self._version_at(self._claim) == token:
                self.connection.call("drop_alias", self._claim)
            for collection, owner in self._collections().items():
                if owner == token:
                    self.connection.call("drop_collection", collection)

    def _drop_all_but(self, *tokens: str | None) -> None:
        for collection, token in self._collections().items():
            if token not in tokens:
                self.connection.call("drop_collection", collection)

    def _collections(self) -> dict[str, str]:
        """Return all collections of the space, with the tokens of their versions."""
        pattern = re.compile(rf"{self.name}_({TOKEN})_(?:{'|'.join(TABLES)})")
        found = map(pattern.fullmatch, self.connection.call("list_collections"))
        return {match[0]: match[1] for match in found if match}

    # The contract

    def names(self) -> list[str]:
        """Return the names of the spaces in the database."""
        if not self.connection.exists:
            return []
        aliases = self.connection.call("list_aliases")["aliases"]
        targets = {alias: self.connection.call("describe_alias", alias)["collection_name"] for alias in aliases}
        return sorted(alias for alias, each in targets.items() if re.fullmatch(rf"{alias}_{TOKEN}_about", each))

    def current(self) -> MilvusTables | None:
        """Return the version that serves; None if there is none."""
        while self.connection.exists and (token := self.serving()) is not None:
            try:
                return self._tables(token)
            except StoreError:
                if self.serving() == token:
                    raise
                # Another version has replaced this one in between.
        return None

    def _tables(self, token: str) -> MilvusTables:
        prefix = f"{self.name}_{token}_"
        about = f"{prefix}about"
        self._load(about)
        found = self.connection.call(
            "query", about, filter='piece >= ""', output_fields=["piece", "content"], consistency_level="Strong"
        )
        if not found:
            raise StoreError(self.where, "Milvus has not loaded its collections yet; try again in a minute")
        manifest, index = manifest_of(self.where, {each["piece"]: each["content"] for each in found})
        tables = MilvusTables(self.connection, prefix, manifest, index, partial(self._replaced, token))
        expected = {tables.collection(table) for table in ("words", "spellings", *manifest.widths)}
        if missing := expected - self._collections().keys():
            raise dropped(self.where, missing)
        for collection in sorted(expected):
            self._load(collection)
        return tables

    def _load(self, collection: str) -> None:
        """Load a collection into the memory of Milvus, unless it is loaded."""
        if self.connection.call("get_load_state", collection)["state"].name != "Loaded":
            self.connection.call("load_collection", collection)

    @contextmanager
    def loading(self, manifest: Manifest) -> Iterator[MilvusLoading]:
        """Load another version: completely, or not at all if the block fails or ends without `serve`.

        Loads of one process wait for each other. Milvus has no locks between processes: the load that begins last
        succeeds, and the others end with an error.
        """
        place = (str(self.connection.path or self.where), self.name)
        with _load_locks.setdefault(place, threading.Lock()):
            if self.serving() is None and self.connection.call("has_collection", self.name):
                raise StoreError(
                    self.where, f"there is a collection {self.name!r}, which is none of entvec; choose another name"
                )
            token = secrets.token_hex(8)
            gone, take_over = partial(self._overtaken, token), partial(self._hand_over, token)
            parts = (self.connection, f"{self.name}_{token}_", manifest, Index(FLAT), gone)
            loading = MilvusLoading(*parts, take_over=take_over)
            try:
                loading.create()
                self._point(self._claim, token)
                self._drop_all_but(self.serving(), token)
                yield loading
            finally:
                if not loading.serves:
                    self._give_up(token)

    def size(self) -> int:
        """Return the number of bytes of the version that serves; 0 for a server, which does not report it."""
        path, token = self.connection.path, self.serving() if self.connection.exists else None
        if path is None or token is None:
            return 0
        folders = path.glob(f"collections/{self.name}_{token}_*")
        return sum(file.stat().st_size for folder in folders for file in folder.rglob("*") if file.is_file())

    def remove(self) -> None:
        """Remove all versions of the space."""
        if not self.connection.exists:
            return
        for alias in (self.name, self._claim):
            if self._version_at(alias) is not None:
                self.connection.call("drop_alias", alias)
        self._drop_all_but()

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()
