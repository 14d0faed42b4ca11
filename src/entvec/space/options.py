"""Which space is meant: one object for all that choose one, from the library, the command line or a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entvec.bundled import default_map, google_news
from entvec.errors import InvalidInput
from entvec.progress import Progress
from entvec.space.default import default_space
from entvec.space.space import EntailmentSpace
from entvec.stores.urls import is_url, url_and_name
from entvec.vectors import Vectors, read
from entvec.vectors.dtypes import DtypeLike

if TYPE_CHECKING:
    from entvec.knowledge.sources import KnowledgeSource
    from entvec.learn import EntailmentMap
    from entvec.learn.fitted import FittedMap
    from entvec.text.extraction.evidence_file import EvidenceSource


@dataclass(frozen=True)
class SpaceOptions:
    """What chooses a space: the place of one, or what one is made of; the default space if nothing is given.

    `entvec.load(**options)` opens it; so do commands, with options of the same names.

    >>> SpaceOptions().open()
    EntailmentSpace(31,530 words x 300, mapped backward)
    >>> SpaceOptions(interpretation="dup").open()
    EntailmentSpace(31,530 words x 300, dup backward)

    Parameters
    ----------
    space
        The folder of a saved space, `hub:OWNER/NAME` for one of the Hugging Face Hub, or the URL of a database, perhaps
        with # and the name of a space in it.
    vectors
        Vectors, or a file of them; the bundled ones if none.
    map
        A learned map, or the file or folder of one, also `hub:OWNER/NAME`.
    interpretation
        How vectors are read as log-odds, if there is no map.
    operator
        The score of a pair; a map has its own.
    specificity, dtype
        As for `EntailmentSpace.from_vectors`.
    knowledge
        Taxonomies, or files of them, for the space to know besides what it knows; as for `with_knowledge`.
    evidence
        What texts say, as for `with_evidence`.
    """

    space: str | Path | None = None
    vectors: Vectors | str | Path | None = None
    map: FittedMap | EntailmentMap | str | Path | None = None
    interpretation: str | None = None
    operator: str | None = None
    specificity: float | Sequence[float] | None = None
    dtype: DtypeLike | None = None
    knowledge: Sequence[KnowledgeSource] = ()
    evidence: Sequence[EvidenceSource] = ()

    def open(self, progress: Progress | None = None) -> EntailmentSpace:
        """Return the space; close one that is in a database.

        Parameters
        ----------
        progress
            Called with the bytes of the file of vectors read so far and in all.
        """
        found = self._found(progress)
        if self.knowledge:
            found = found.with_knowledge(*self.knowledge)
        return found.with_evidence(*self.evidence) if self.evidence else found

    def _found(self, progress: Progress | None) -> EntailmentSpace:
        parts: dict[str, Any] = {name: getattr(self, name) for name in ("map", "interpretation", "operator")}
        settings = {name: getattr(self, name) for name in ("specificity", "dtype")}
        settings = {name: value for name, value in settings.items() if value is not None}
        given = [name for name, value in {"vectors": self.vectors, **parts, **settings}.items() if value is not None]
        if self.space is not None:
            if given:
                raise InvalidInput(f"a saved space has its own {' and '.join(given)}; leave these out")
            place = str(self.space)
            return EntailmentSpace.open(*url_and_name(place)) if is_url(place) else EntailmentSpace.load(self.space)
        if not given:
            return default_space()
        if self.vectors is None and not any(value is not None for value in parts.values()):
            parts["map"] = default_map()
        table = self.vectors
        if table is None:
            table = google_news()
        elif not isinstance(table, Vectors):
            table = read(table, progress=progress)
        return EntailmentSpace.from_vectors(table, **parts, **settings)
