"""Sphinx configuration. The figures are drawn anew by every build."""

from pathlib import Path

import entvec
from entvec.evaluate import gradients, meanfield
from entvec.evaluate.figure import save_figure

project = "entvec"
author = "the entvec contributors"
project_copyright = f"2026, {author}"
release = version = entvec.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "entvec"
exclude_patterns = ["_build"]
nitpicky = False

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {"Array": "Array", "ArrayLike": "ArrayLike"}
default_role = "code"


def draw_figures(app) -> None:
    folder = Path(app.srcdir) / "_build" / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    save_figure(gradients.draw(gradients.gradients()), folder / "gradients.svg")
    save_figure(meanfield.draw([meanfield.distance(case) for case in meanfield.CASES]), folder / "meanfield.png")


def setup(app) -> None:
    app.connect("builder-inited", draw_figures)
