"""Spaces in Milvus.

A version of a space NAME has collections of its own, whose names have a random TOKEN in them:

NAME_TOKEN_words       row, word, vector, and hubness_hyper, hubness_hypo
NAME_TOKEN_spellings   spelling, row: words by primary key, since the embedded engine reads all rows to find another
NAME_TOKEN_hyper       row, word, further columns, coordinates: what searches for hypernyms look at
NAME_TOKEN_hypo        likewise, for hyponyms
NAME_TOKEN_about       the manifest, in pieces of text

The alias NAME is that of the collection `about` of the version that serves, so that one change of the alias, after
everything else, makes another version serve. The alias _NAME_loading is that of a version that is being loaded.
Collections that neither the alias nor a running load needs are left from a load that was killed; the next one drops
them.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from entvec.errors import StoreError
from entvec.model.model import OTHER
from entvec.stores.contract import FLAT, HNSW, IVF, Manifest
from entvec.stores.milvus_connection import Connection
from entvec.stores.milvus_loading import MilvusLoading, overtaken
from entvec.stores.milvus_manifest import manifest_of
from entvec.stores.milvus_tables import MilvusTables

TABLES = ("about", "words", "spellings", *OTHER)
TOKEN = "[0-9a-f]{16}"  # noqa: S105 - no secret

_turns: dict[tuple[str, str], threading.Lock] = {}
"""Of loads in this process, one for each space."""


def open(url: str, name: str) -> MilvusStore:  # noqa: A001 - as all stores have it
    """The store of a URL."""
    return MilvusStore(Connection(url), name)


class MilvusStore:
    """Milvus, and the name of a space in it."""

    kinds = (IVF, HNSW, FLAT)
    widest = 32_768

    def __init__(self, connection: Connection, name: str) -> None:
        self.connection = connection
        self.name = name
        self.where = connection.where
        self.embedded = connection.path is not None

    def __repr__(self) -> str:
        return f"MilvusStore({self.where!r}, {self.name!r})"

    # Aliases

    @property
    def _claim(self) -> str:
        return f"_{self.name}_loading"  # no space can be called so

    def _aliased(self, alias: str) -> str | None:
        """The collection that has this alias."""
        if alias not in self.connection.ask("list_aliases")["aliases"]:
            return None
        return str(self.connection.ask("describe_alias", alias)["collection_name"])

    def _point(self, alias: str, collection: str) -> None:
        verb = "create_alias" if self._aliased(alias) is None else "alter_alias"
        try:
            self.connection.ask(verb, collection, alias)
        except StoreError:  # of a call that was made again, or whose answer was lost, it may have been done
            if self._aliased(alias) != collection:
                raise

    def serving(self) -> str | None:
        """The token of the version that serves."""
        collection = self._aliased(self.name)
        if collection is None:
            return None
        if match := re.fullmatch(rf"{self.name}_({TOKEN})_about", collection):
            return match[1]
        raise StoreError(
            self.where, f"{self.name!r} is the alias of {collection!r}, which is none of entvec; choose another name"
        )

    def claim(self, collection: str) -> None:
        """Begin to load: what another load has made, and does not serve, is dropped."""
        self._point(self._claim, collection)
        self._drop_all_but(self.serving(), _token(collection))

    def claimed(self, collection: str) -> bool:
        """Whether no other load has begun since."""
        return self._aliased(self._claim) == collection

    def hand_over(self, collection: str) -> None:
        """Let another version serve, and drop the one before."""
        if not self.claimed(collection):
            raise overtaken(self)
        self._point(self.name, collection)
        with suppress(StoreError):  # it serves; the next load drops what is left here
            self.connection.ask("drop_alias", self._claim)
            self._drop_all_but(_token(collection))

    def give_up(self, collection: str) -> None:
        """Drop what a load has made, unless it serves: a load may be stopped, or cut off, right after it took over."""
        with suppress(StoreError):  # if Milvus is gone, the next load does it
            if self.serving() == _token(collection):
                return
            if self.claimed(collection):
                self.connection.ask("drop_alias", self._claim)
            for each in self._collections():
                if _token(each) == _token(collection):
                    self.connection.ask("drop_collection", each)

    def _drop_all_but(self, *tokens: str | None) -> None:
        for collection in self._collections():
            if _token(collection) not in tokens:
                self.connection.ask("drop_collection", collection)

    def _collections(self) -> list[str]:
        pattern = re.compile(rf"{self.name}_{TOKEN}_({'|'.join(TABLES)})")
        return [each for each in self.connection.ask("list_collections") if pattern.fullmatch(each)]

    # What all stores do

    def names(self) -> list[str]:
        """The names of the spaces that are there."""
        if not self.connection.anything:
            return []
        aliases = self.connection.ask("list_aliases")["aliases"]
        targets = {alias: self.connection.ask("describe_alias", alias)["collection_name"] for alias in aliases}
        return sorted(alias for alias, each in targets.items() if re.fullmatch(rf"{alias}_{TOKEN}_about", each))

    def current(self) -> MilvusTables | None:
        """The version that serves; None if there is none."""
        while self.connection.anything and (token := self.serving()) is not None:
            try:
                return self._tables(token)
            except StoreError:
                if self.serving() == token:
                    raise
                # Another one has taken its place meanwhile, and it was dropped.
        return None

    def _tables(self, token: str) -> MilvusTables:
        about = f"{self.name}_{token}_about"
        self._load(about)
        found = self.connection.ask(
            "query", about, filter='piece >= ""', output_fields=["piece", "content"], consistency_level="Strong"
        )
        if not found:
            raise StoreError(self.where, "Milvus has not loaded what it keeps yet; try again in a minute")
        manifest, index = manifest_of(self.where, {each["piece"]: each["content"] for each in found})
        tables = MilvusTables(self, token, manifest, index)
        for table in ("words", "spellings", *manifest.widths):
            self._load(tables.collection(table))
        return tables

    def _load(self, collection: str) -> None:
        """Into the memory of Milvus, if it is not there."""
        if self.connection.ask("get_load_state", collection)["state"].name != "Loaded":
            self.connection.ask("load_collection", collection)

    @contextmanager
    def loading(self, manifest: Manifest) -> Iterator[MilvusLoading]:
        """Load another version: whole, or not at all if the block fails or ends without `serve`.

        Loads of this process wait for each other. Milvus has no locks, so of loads of several processes the one that
        begins last is done, and the others end with an error.
        """
        with _turn(str(self.connection.path or self.where), self.name):
            self._check_free()
            loading = MilvusLoading(self, manifest)
            try:
                loading.begin()
                yield loading
            finally:
                if not loading.serves:
                    loading.undo()

    def _check_free(self) -> None:
        if self._aliased(self.name) is None and self.connection.ask("has_collection", self.name):
            raise StoreError(
                self.where, f"there is a collection {self.name!r}, which is none of entvec; choose another name"
            )

    def size(self) -> int:
        """How many bytes the version that serves takes; a server does not tell, so 0."""
        path, token = self.connection.path, self.serving() if self.connection.anything else None
        if path is None or token is None:
            return 0
        folders = path.glob(f"collections/{self.name}_{token}_*")
        return sum(file.stat().st_size for folder in folders for file in folder.rglob("*") if file.is_file())

    def remove(self) -> None:
        """Remove the space, all versions."""
        if not self.connection.anything:
            return
        for alias in (self.name, self._claim):
            if self._aliased(alias) is not None:
                self.connection.ask("drop_alias", alias)
        self._drop_all_but()

    def close(self) -> None:
        """Let the connection go."""
        self.connection.close()


def _turn(where: str, name: str) -> threading.Lock:
    return _turns.setdefault((where, name), threading.Lock())


def _token(collection: str) -> str:
    return collection.rsplit("_", 2)[1]
