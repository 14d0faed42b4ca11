"""Sphinx configuration: `sphinx-build -W docs site` makes a static site that opens from its folder."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from sphinx.util.inspect import TypeAliasForwardRef

import entvec

sys.path.insert(0, str(Path(__file__).parent))
import links

project = "entvec"
author = "the entvec contributors"
project_copyright = f"2026, {author}"
release = version = entvec.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
intersphinx_mapping = links.write_inventories(Path(tempfile.mkdtemp()))
myst_heading_anchors = 3
html_theme = "furo"
html_title = "entvec"
html_static_path = ["_static"]
html_js_files = ["copy.js"]
html_css_files = ["copy.css"]
exclude_patterns = ["_build", "conftest.py"]
nitpicky = True
# Pieces of nested annotations, which Sphinx takes for names of classes.
nitpick_ignore_regex = [("py:class", r"True|False|.*[\[\]'].*")]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {name: f"{module}.{name}" for name, module in links.ALIASES.items()}
python_use_unqualified_type_names = True
# Inside of Callable[[...]] Sphinx prints the object that stands for an alias.
TypeAliasForwardRef.__repr__ = lambda alias: alias.name  # type: ignore[method-assign]
default_role = "code"

# Literal["hypo", "hyper"] in a signature is taken for names, of which there are several.
suppress_warnings = ["ref.python"]

NAPOLEON = 500
"""The priority of napoleon among those who rewrite docstrings."""


def setup(app: Any) -> None:
    """Draw the gallery before pages are read; leave docstrings of data to themselves."""
    app.connect("builder-inited", _draw_gallery)
    app.connect("missing-reference", links.resolve)
    kept: dict[str, list[str]] = {}

    def keep(_app: Any, what: str, name: str, _object: object, _options: object, lines: list[str]) -> None:
        if what in ("data", "attribute", "property"):
            kept[name] = list(lines)

    def restore(_app: Any, _what: str, name: str, _object: object, _options: object, lines: list[str]) -> None:
        if name in kept:  # napoleon takes the words before a colon for a type
            lines[:] = kept.pop(name)

    app.connect("autodoc-process-docstring", keep, NAPOLEON - 1)
    app.connect("autodoc-process-docstring", restore, NAPOLEON + 1)


def _draw_gallery(app: Any) -> None:
    from pictures import draw

    draw(Path(app.srcdir) / "figures" / "made")
