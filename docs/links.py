"""Links of the API page to other documentation, without a network: the few names that signatures use.

`write_inventories` makes the files that intersphinx reads. `resolve` is asked about names that it does not find: short
names of array types, and classes without an entry on the page or in an inventory, which are shown without a link. A
name that does not exist is an error of the build.
"""

import re
import zlib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

COLLECTIONS = ("Awaitable", "Callable", "Collection", "Iterable", "Iterator", "Mapping", "Sequence")
PYTHON = {
    **{f"collections.abc.{name}": "library/collections.abc.html" for name in COLLECTIONS},
    "contextlib.AbstractContextManager": "library/contextlib.html",
    "contextvars.ContextVar": "library/contextvars.html",
    "pathlib.Path": "library/pathlib.html",
    "socket.socket": "library/socket.html",
}
SCALARS = ("bool", "float32", "float64", "floating", "int32", "int64", "integer", "str_", "uint8")
NUMPY = {
    "numpy.ndarray": "reference/generated/numpy.ndarray.html",
    "numpy.dtype": "reference/generated/numpy.dtype.html",
    "numpy.typing.ArrayLike": "reference/typing.html",
    "numpy.typing.NDArray": "reference/typing.html",
    **{f"numpy.{name}": "reference/arrays.scalars.html" for name in SCALARS},
}
OTHERS = {
    "pandas": ("https://pandas.pydata.org/docs/", {"pandas.DataFrame": "reference/api/pandas.DataFrame.html"}),
    "networkx": ("https://networkx.org/documentation/stable/", {"networkx.DiGraph": "reference/classes/digraph.html"}),
    "matplotlib": ("https://matplotlib.org/stable/", {"matplotlib.figure.Figure": "api/figure_api.html"}),
    "starlette": ("https://www.starlette.io/", {"starlette.applications.Starlette": "applications/"}),
}
SITES: dict[str, tuple[str, dict[str, str]]] = {
    "python": ("https://docs.python.org/3/", PYTHON),
    "numpy": ("https://numpy.org/doc/stable/", NUMPY),
    **OTHERS,
}
SHORT = {
    "ArrayLike": "numpy.typing.ArrayLike",
    "NDArray": "numpy.typing.NDArray",
    "Path": "pathlib.Path",
    "pd.DataFrame": "pandas.DataFrame",
    "nx.DiGraph": "networkx.DiGraph",
    "Figure": "matplotlib.figure.Figure",
    "np.int32": "numpy.int32",
    "np.int64": "numpy.int64",
    "np.float64": "numpy.float64",
}
"""Names as they stand in annotations that are not evaluated."""
PRIVATE = "numpy._typing."
"""What `ArrayLike` is made of."""
ALIASES = {
    "Array": "entvec.theory.arrays",
    "Bits": "entvec.theory.binary",
    "Nodes": "entvec.theory.priors",
    "Schedule": "entvec.theory.fixedpoint",
    "Prior": "entvec.theory.priors",
    **dict.fromkeys(
        ("AnyFloats", "Float32s", "Floats", "Indices", "Ints", "Mask", "Matrix", "Rows"), "entvec.array_types"
    ),
}
"""Aliases of types, and the module that defines each; signatures show the alias."""


def write_inventories(folder: Path) -> dict[str, tuple[str, str]]:
    """Write an inventory of each site, and return the mapping that intersphinx wants."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for name, (address, pages) in SITES.items():
        head = f"# Sphinx inventory version 2\n# Project: {name}\n# Version: \n# The rest is compressed with zlib.\n"
        anchored = name in ("python", "numpy")
        lines = "".join(f"{each} py:class 1 {page}{f'#{each}' if anchored else ''} -\n" for each, page in pages.items())
        (folder / f"{name}.inv").write_bytes(head.encode() + zlib.compress(lines.encode()))
        found[name] = (address, str(folder / f"{name}.inv"))
    return found


def resolve(app: Any, env: Any, node: Any, text: Any) -> Any:
    """Return the node for a name that Sphinx does not find by itself; None if there is no such thing."""
    from sphinx.ext.intersphinx import resolve_reference_any_inventory

    target = node.get("reftarget", "")
    if node.get("refdomain") != "py":
        return None
    if target in SHORT:
        node["reftarget"] = SHORT[target]
        return resolve_reference_any_inventory(env, honor_disabled_refs=False, node=node, contnode=text)
    if target in ALIASES:
        full = f"{ALIASES[target]}.{target}"
        return env.domains["py"].resolve_xref(env, node["refdoc"], app.builder, "class", full, node, text) or text
    known = target.startswith(PRIVATE) or _exists(target) or target in _identifiers()
    return text if known else None


def _exists(name: str) -> bool:
    """Return whether a name can be imported, from entvec or another library."""
    module, _, attribute = name.rpartition(".")
    try:
        return bool(module) and hasattr(import_module(module), attribute)
    except ImportError:
        return False


@cache
def _identifiers() -> frozenset[str]:
    """Return all names in the source of entvec, which the type checker has resolved."""
    source = Path(import_module("entvec").__file__ or "").parent
    return frozenset(name for path in source.rglob("*.py") for name in re.findall(r"[A-Za-z_]\w*", path.read_text()))
