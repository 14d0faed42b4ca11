"""Encoders that were trained for entailment: their vectors come with heads that turn them into log-odds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from entvec.array_types import Float32s
from entvec.errors import InvalidInput
from entvec.text.encoder import checked, fingerprint
from entvec.text.piece_table import Parts, width
from entvec.text.static_table import StaticTable
from entvec.text.transformer import Transformer, unit, unpacked
from entvec.text.wordpiece import WordPiece

HEAD = "map."
TOWERS: dict[str, Callable[[Parts], Transformer | StaticTable]] = {"transformer": Transformer, "static": StaticTable}
"""What turns pieces into vectors, by kind; a new kind is a row here and in `storage`."""


@dataclass(frozen=True, eq=False, repr=False)
class EntailmentEncoder:
    """Maps text to vectors of unit length, with heads that map these to the log-odds of the `backward` operator.

    >>> from entvec.bundled import encoder
    >>> static = encoder("static")
    >>> static(["running shoes", "labradoodle: a cross between a Labrador and a poodle"]).shape
    (2, 192)

    Parameters
    ----------
    name
        The name of the encoder.
    kind
        The kind of network, a key of TOWERS.
    pieces
        The tokenizer.
    parts
        The tensors of its file.
    metadata
        How it was made: from which weights and knowledge, without which words, with which seed.
    """

    name: str
    kind: str
    pieces: WordPiece
    parts: Parts
    metadata: Mapping[str, str]

    def __repr__(self) -> str:
        return (
            f"EntailmentEncoder({self.name!r}, {self.kind}, {len(self.pieces.vocabulary):,} pieces x {self.dimension})"
        )

    def __getstate__(self) -> dict[str, Any]:  # another process unpacks the weights itself
        return {name: getattr(self, name) for name in ("name", "kind", "pieces", "parts", "metadata")}

    @cached_property
    def _tower(self) -> Transformer | StaticTable:
        return TOWERS[self.kind](self.parts)

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return width(self.parts)

    @cached_property
    def fingerprint(self) -> str:
        """Numbers that tell this encoder from others; `agree` compares them."""
        return fingerprint(self)

    def __call__(self, texts: Sequence[str]) -> Float32s:
        """Return an array with a row for each text: a word, a phrase, a verb as `to walk`, or `word: definition`.

        >>> from entvec.bundled import encoder
        >>> encoder("static")(["dog"]) @ encoder("static")(["dogs", "stapler"]).T > 0.6
        array([[ True, False]])
        """
        found = checked(texts)
        split = self.pieces if self.kind == "transformer" else self.pieces.bare
        return self._tower([split(text.replace("_", " ")) for text in found])

    def unknown(self, texts: Sequence[str]) -> Float32s:
        """Return the share of each text's pieces that are unknown: at 1, its vector says nothing.

        >>> from entvec.bundled import encoder
        >>> encoder("static").unknown(["labradoodle", "東京", "東京 tower"]).round(2)
        array([0.  , 1.  , 0.67], dtype=float32)
        """
        split = [np.array(self.pieces.bare(text)) for text in checked(texts)]
        shares = (np.mean(pieces == self.pieces.unknown) if len(pieces) else 1.0 for pieces in split)
        return np.fromiter(shares, np.float32, len(split))

    def head(self, name: str) -> Float32s:
        """Return the weights of a head: hypo_weights, hypo_bias, hyper_weights, hyper_bias, hypo_offset and so on."""
        if HEAD + name not in self.parts:
            names = (part.removeprefix(HEAD) for part in self.parts if part.startswith(HEAD) and "scales" not in part)
            raise InvalidInput(f"no head {name!r}, expected one of {', '.join(sorted(names))}")
        part = self.parts[HEAD + name]
        return unpacked(self.parts, HEAD + name) if part.ndim == 2 else part

    @cached_property
    def _same(self) -> Float32s:
        return self.head("same_weights")

    def sameness(self, first: Float32s, second: Float32s) -> Float32s:
        """Return how far vectors mean the same, row by row: cosines after a head that was trained with synonyms.

        >>> from entvec.bundled import encoder
        >>> small = encoder("small")
        >>> car, other = small(["car", "car"]), small(["automobile", "bus"])
        >>> automobile, bus = small.sameness(car, other)
        >>> bool(automobile > bus)
        True

        Parameters
        ----------
        first, second
            Vectors of this encoder, as many of each.
        """
        return np.asarray(np.sum(unit(first @ self._same) * unit(second @ self._same), axis=1))
