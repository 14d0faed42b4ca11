"""What tests of graphs share."""

import pytest

from entvec.graphs.structure import Reachability


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the blocks of nodes that were followed through all edges at once, one for each walk."""
    sizes: list[int] = []
    masks = Reachability._masks

    def counted(self: Reachability, block: list[int]) -> tuple[list[int], list[int]]:
        sizes.append(len(block))
        return masks(self, block)

    monkeypatch.setattr(Reachability, "_masks", counted)
    return sizes
