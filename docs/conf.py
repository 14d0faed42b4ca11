"""Sphinx configuration."""

import entvec

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
autodoc_type_aliases = {
    name: name for name in ("Array", "ArrayLike", "Matrix", "Floats", "Bits", "Prior", "Rows", "Nodes", "Schedule")
}
default_role = "code"

# Literal["hypo", "hyper"] in a signature is taken for names, of which there are several.
suppress_warnings = ["ref.python"]
