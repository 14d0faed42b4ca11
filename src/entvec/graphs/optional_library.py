"""Libraries that come with an extra of the package: imported when they are first used."""

from importlib import import_module
from typing import Any

from entvec.errors import MissingExtra


def optional_library(feature: str, name: str, extra: str) -> Any:
    """Import a library, or raise MissingExtra.

    >>> optional_library("JSON", "json", "none").__name__
    'json'

    Parameters
    ----------
    feature
        What needs the library, for the message.
    name
        The name of the library, for `import` and for `pip install`.
    extra
        The extra of entvec that installs it.
    """
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra(feature, needs=name, extra=extra) from None
