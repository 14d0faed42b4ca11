"""Pictures without global state: a matplotlib figure that belongs to nobody else."""

from pathlib import Path
from typing import TYPE_CHECKING

from entvec.errors import InvalidInput, MissingExtra
from entvec.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure of this size in inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("drawing figures", extra="plot") from None
    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: "Figure", path: str | Path) -> None:
    """Write the figure in the format that the file name ends in (.png, .svg, .pdf)."""
    if Path(path).suffix.lower() not in FORMATS:
        raise InvalidInput(f"cannot draw {path}: expected a file name that ends in {', '.join(FORMATS)}")
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=150, bbox_inches="tight")
