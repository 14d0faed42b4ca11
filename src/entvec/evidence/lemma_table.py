"""The vectors of all known nouns by the static table, made at first use and kept in the user's cache folder."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from entvec.array_types import Float32s, Ints
from entvec.bundled.knowledge import BUNDLED_SHA256, bundled_knowledge
from entvec.errors import EntvecError
from entvec.files import replacing
from entvec.knowledge import Knowledge
from entvec.knowledge.sense_names import NOUN, PARTS_OF_SPEECH, TERM
from entvec.progress import tell_once
from entvec.runtime import blocks
from entvec.search.key_cache import cache_folder
from entvec.text import EntailmentEncoder

KEPT = 96
"""How many numbers of each vector are kept: the table has its main axes first, and what is found is read again."""
LARGEST = 127
ROWS_AT_ONCE = 1 << 13
NAME = "nouns"


class Lemmas:
    """Finds the known nouns whose vectors are nearest to some.

    Only the table of the bundled knowledge is kept; the vectors of other terms, those of a user, are made each time.

    Parameters
    ----------
    known
        The knowledge.
    encoder
        A static table, fast enough to read all nouns within a second or two.
    """

    def __init__(self, known: Knowledge, encoder: EntailmentEncoder) -> None:
        self._known, self._encoder = known, encoder

    @cached_property
    def terms(self) -> Ints:
        """The terms that are nouns, or of a user's taxonomy."""
        return nouns_of(self._known)

    def nearest(self, vectors: Float32s, k: int) -> list[Ints]:
        """Return about the k nearest terms for each vector, in any order."""
        terms, (stored, scales) = self.terms, self._stored
        k = min(k, len(terms))
        if not len(vectors) or not k:
            return [np.empty(0, np.int64) for _ in vectors]
        queries = np.ascontiguousarray(vectors[:, :KEPT].T)
        cosines = np.empty((len(terms), len(vectors)), np.float32)
        for some in blocks(len(terms), ROWS_AT_ONCE):
            cosines[some] = (stored[some].astype(np.float32) @ queries) * scales[some, None]
        best = np.argpartition(-cosines.T, k - 1, axis=1)[:, :k]
        return [terms[row] for row in best]

    @cached_property
    def _stored(self) -> tuple[NDArray[np.int8], Float32s]:
        """The first numbers of each vector in 8 bits, and the scale of each row."""
        base = bundled_knowledge()
        stored = self._of_bundled(base)
        if self._known is not base:
            place = np.full(len(base.terms), -1)
            place[nouns_of(base)] = np.arange(len(stored))
            rows = base.terms.rows(self._known.terms.take(self.terms))
            at = np.where(rows >= 0, place[rows], -1)
            found = np.empty((len(at), 4 + KEPT), np.uint8)
            found[at >= 0] = stored[at[at >= 0]]
            found[at < 0] = self._packed(self._known, self.terms[at < 0])
            stored = found
        return stored[:, 4:].view(np.int8), np.ascontiguousarray(stored[:, :4]).view(np.float32)[:, 0]

    def _of_bundled(self, base: Knowledge) -> NDArray[np.uint8]:
        folder = cache_folder()
        path = None if folder is None else Path(folder) / f"{NAME}.npy"
        stored = None if path is None else self._load(path)
        if stored is None:
            kept = "" if path is None else f", which are kept in {path}"
            tell_once.get()(f"reading {len(nouns_of(base)):,} nouns for their vectors{kept}")
            stored = self._packed(base, nouns_of(base))
            if path is not None:
                self._save(path, stored)
        return stored

    def _packed(self, known: Knowledge, terms: Ints) -> NDArray[np.uint8]:
        found = np.empty((len(terms), 4 + KEPT), np.uint8)
        for some in blocks(len(terms), ROWS_AT_ONCE):
            texts = [known.terms[term].replace("_", " ") for term in terms[some].tolist()]
            vectors = self._encoder(texts)[:, :KEPT]
            scales = np.abs(vectors).max(axis=1, keepdims=True) / LARGEST
            scales[scales == 0] = 1.0
            found[some, :4] = scales.astype(np.float32).view(np.uint8)
            found[some, 4:] = np.round(vectors / scales).astype(np.int8).view(np.uint8)
        return found

    def _description(self, stored: NDArray[np.uint8]) -> dict[str, str]:
        digest = hashlib.sha256(np.ascontiguousarray(stored).data).hexdigest()
        return {"fingerprint": self._fingerprint, "layout": f"{stored.shape}", "sha256": digest}

    @cached_property
    def _fingerprint(self) -> str:
        return f"{self._encoder.fingerprint} {KEPT} {BUNDLED_SHA256}"

    def _load(self, path: Path) -> NDArray[np.uint8] | None:
        try:
            description = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            stored: NDArray[np.uint8] = np.load(path, mmap_mode="r", allow_pickle=False)
            return stored if description == self._description(stored) else None
        except (OSError, ValueError):
            return None

    def _save(self, path: Path, stored: NDArray[np.uint8]) -> None:
        with suppress(OSError, EntvecError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as temporary, temporary.open("wb") as file:
                np.save(file, stored)
            with replacing(path.with_suffix(".json")) as temporary:
                temporary.write_text(json.dumps(self._description(stored)), encoding="utf-8")


def nouns_of(known: Knowledge) -> Ints:
    """Return the terms that are nouns, or of a user's taxonomy."""
    nouns = [PARTS_OF_SPEECH.index(kind) for kind in (NOUN, TERM)]
    counts = np.asarray(known.senses_of.counts, np.int64)
    term = np.repeat(np.arange(len(counts)), counts)
    is_noun = np.isin(np.asarray(known.kinds)[np.asarray(known.senses_of.targets)], nouns)
    return np.flatnonzero(np.bincount(term[is_noun], minlength=len(counts)) > 0)
