"""What is known of a version of a space in Milvus, as pieces of text that its collection `about` can hold."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from entvec.errors import StoreError
from entvec.stores.contract import FLAT, HNSW, IVF, VERSION, Damaged, Manifest, in_blocks

GRAPH_OPTIONS = {"M": 32, "efConstruction": 40}
"""As in engines/faiss.py, for the same reasons."""
EXPANSIONS = (32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096)
WIDEST_EXPANSION = 1 << 15
PIECE = 48_000
"""So many bytes are 64,000 letters, and a text may have 65,535."""
COLUMNS: dict[str, type] = {kind.__name__: kind for kind in (bool, int, float, str)}


class Index(NamedTuple):
    """An index of Milvus."""

    kind: str
    clusters: int = 0

    @property
    def options(self) -> dict[str, int]:
        """What it is built with."""
        return {IVF: {"nlist": self.clusters}, HNSW: GRAPH_OPTIONS, FLAT: {}}[self.kind]

    @property
    def efforts(self) -> Sequence[int]:
        """Clusters that are looked at, or nodes of the graph that are kept while searching."""
        if self.kind == IVF:
            return [*(1 << i for i in range(self.clusters.bit_length() - 1)), self.clusters]
        return EXPANSIONS if self.kind == HNSW else (1,)

    def search(self, n: int, effort: int) -> dict[str, int]:
        """How n rows are looked for."""
        if self.kind == IVF:
            return {"nprobe": min(effort, self.clusters)}
        return {"ef": min(WIDEST_EXPANSION, max(n, effort))} if self.kind == HNSW else {}


def pieces_of(manifest: Manifest, index: Index) -> Iterator[tuple[str, str]]:
    """The manifest as named pieces of text that Milvus can hold."""
    told = {
        "version": manifest.version,
        "n_words": manifest.n_words,
        "dimension": manifest.dimension,
        "widths": dict(manifest.widths),
        "columns": {name: kind.__name__ for name, kind in manifest.columns.items()},
        "description": manifest.description,
        "index": list(index),
        "parts": {name: len(content) for name, content in manifest.parts.items()},
    }
    yield "layout", VERSION
    for name, content in {"manifest": json.dumps(told).encode(), **_prefixed(manifest.parts)}.items():
        for i, some in enumerate(in_blocks(len(content), PIECE)):
            yield f"{name}/{i:06}", base64.b64encode(content[some]).decode()


def _prefixed(parts: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f"part/{name}": content for name, content in parts.items()}


def manifest_of(where: str, pieces: Mapping[str, str]) -> tuple[Manifest, Index]:
    """What is known of a version, and how its keys are indexed, read from its pieces."""
    if (layout := pieces.get("layout")) != VERSION:
        raise StoreError(
            where,
            f"expected the layout {VERSION!r}, found {str(layout)[:40]!r}; another version of entvec exported it: "
            "use that one, or export under another name",
        )

    def joined(name: str) -> bytes:
        chosen = sorted(each for each in pieces if re.fullmatch(rf"{re.escape(name)}/\d{{6}}", each))
        return b"".join(base64.b64decode(pieces[each]) for each in chosen)

    try:
        told = json.loads(joined("manifest"))
        parts = {name: joined(f"part/{name}") for name in told["parts"]}
        if {name: len(content) for name, content in parts.items()} != told["parts"]:
            raise ValueError("parts of another length")
        columns = {name: COLUMNS[kind] for name, kind in told["columns"].items()}
        manifest = Manifest(
            told["version"], told["n_words"], told["dimension"], told["widths"], told["description"], parts, columns
        )
        return manifest, Index(*told["index"])
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(where, "what is known of the space there is damaged; export it again") from error
