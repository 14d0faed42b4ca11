"""PyTorch for tests that take several array libraries; where it is absent, those that need it are skipped."""

import os
from typing import Any

import pytest


class _Absent:
    """Stands for anything of PyTorch while tests are collected; a test that calls it is skipped."""

    __name__ = "torch"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: Any, **__: Any) -> Any:
        if "PYTEST_CURRENT_TEST" in os.environ:
            pytest.skip("needs PyTorch: pip install 'entvec[gpu]'")
        return self


torch: Any
try:
    import torch
except ImportError:
    torch = _Absent()
THERE = not isinstance(torch, _Absent)
