"""Matplotlib figures without global state: made, checked and written here."""

from pathlib import Path
from typing import TYPE_CHECKING

from entvec.errors import CannotWrite, MissingExtra
from entvec.files import check_writable, replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of this size in inches; raise MissingExtra if matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra("drawing figures", needs="matplotlib", extra="plot") from None
    return Figure(figsize=(width, height), layout="constrained")


def check_drawable(path: str | Path) -> None:
    """Raise an error if a figure cannot be drawn or written to `path`; called before the figure is computed."""
    new_figure(1, 1)
    if Path(path).suffix.lower() not in FORMATS:
        raise CannotWrite(path, f"expected a file name that ends in {', '.join(FORMATS)}")
    check_writable(path)


def save_figure(figure: "Figure", path: str | Path) -> None:
    """Write the figure in the format that the file name ends in (.png, .svg, .pdf)."""
    check_drawable(path)
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=120, bbox_inches="tight")
