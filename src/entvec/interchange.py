"""Words and tables of other libraries: lists, NumPy arrays, pandas and Arrow columns as input, DataFrames as output.

pandas is optional: input is recognised by its methods, and only `data_frame` imports pandas.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from entvec.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    import pandas as pd

NULLS = ("NoneType", "NAType", "NaTType")
"""The types of empty cells of a table; NaN is one, too."""


def word_list(words: Any, name: str = "words", *, nulls: bool = False) -> list[str]:
    """Return words as a list of strings, wherever they come from: any iterable, or a column of a table.

    >>> import numpy as np
    >>> word_list(np.array(["dog", "cat"])), word_list(("dog", "cat"))
    (['dog', 'cat'], ['dog', 'cat'])
    >>> word_list(["dog", None])
    Traceback (most recent call last):
    ...
    entvec.errors.InvalidInput: words[1] is None, expected a string; drop empty cells, or fill them, first
    >>> word_list(["dog", None], nulls=True)
    ['dog', '']

    Parameters
    ----------
    words
        Strings: a list, a tuple or another iterable, a NumPy array, a Series or Index of pandas, an array of Arrow.
    name
        What error messages call them.
    nulls
        Whether empty cells become empty words.
    """
    if isinstance(words, str | bytes) or not isinstance(words, Iterable):
        raise InvalidInput(f"{name} is {words!r:.60}, expected a list of words")
    if (dimensions := getattr(words, "ndim", 1)) != 1:
        raise InvalidInput(f"{name} has {dimensions} dimensions, expected one column of words, such as table['word']")
    as_list = getattr(words, "to_pylist", None) or getattr(words, "tolist", None) or words.__iter__
    listed = list(as_list())
    if not all(issubclass(kind, str) for kind in set(map(type, listed))):  # few types, however many words
        listed = ["" if nulls and _is_null(word) else word for word in listed]
        at = next((at for at, word in enumerate(listed) if not isinstance(word, str)), None)
        if at is not None:
            raise InvalidInput(f"{name}[{at:,}] is {listed[at]!r:.40}, expected a string{_hint(listed[at])}")
    return listed


def _is_null(value: Any) -> bool:
    return type(value).__name__ in NULLS or (isinstance(value, float) and np.isnan(value))


def _hint(value: Any) -> str:
    if _is_null(value):
        return "; drop empty cells, or fill them, first"
    return "; decode bytes first" if isinstance(value, bytes) else ""


def row_list(rows: Iterable[Any]) -> Iterable[Any]:
    """Return rows as sequences of cells: those of a DataFrame or of an array with two dimensions, else as they are.

    >>> import pandas as pd
    >>> row_list(pd.DataFrame({"hypo": ["dog"], "hyper": ["animal"], "probability": [0.9]}))
    [['dog', 'animal', 0.9]]
    """
    if getattr(rows, "ndim", 1) != 2:
        return rows
    listed: list[list[Any]] = np.asarray(rows).tolist()
    return listed


def data_frame(columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return columns as a DataFrame; raise MissingExtra if pandas is not installed.

    >>> data_frame({"word": ["dog"], "score": [0.5]}).columns.tolist()
    ['word', 'score']
    """
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtra("a DataFrame", needs="pandas", extra="pandas") from None
    return pd.DataFrame(columns)
