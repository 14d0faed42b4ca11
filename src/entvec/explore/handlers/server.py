"""What the server says of itself."""

from __future__ import annotations

from entvec import __version__
from entvec.explore.service import Json, Service
from entvec.graphs.formats import FORMATS


async def health(service: Service) -> Json:
    """Whether the server is well, and which space it serves."""
    space = service.space
    return {
        "status": "stopping" if service.stopping else "ok",
        "version": __version__,
        "words": len(space),
        "dimension": space.vocabulary.dimension,
        "operator": space.operator,
        "reading": space.model.interpretation or "mapped",
        "calibrated": space.calibration is not None,
        "specificity": space.specificity._asdict(),
        "knowledge": None if space.knowledge is None else space.knowledge.summary(),
        "formats": {name: row.title for name, row in FORMATS.items()},
        "answered": service.answered,
        "products": service.n_batches,
    }
