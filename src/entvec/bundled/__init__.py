"""Data that comes with the package.

toy    a world of six things, small enough to check by eye
"""

from entvec.bundled.toy import ToyWorld, toy_world

__all__ = ["ToyWorld", "toy_world"]
