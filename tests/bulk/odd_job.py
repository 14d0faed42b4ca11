"""A job that makes trouble, in a module that other processes can import."""

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from entvec.bulk.jobs import Part, Partition
from entvec.errors import InvalidInput
from entvec.runtime import available_threads


@dataclass(frozen=True)
class Odd:
    """A job whose blocks say what is to be done: a number is made a piece, and a word makes trouble."""

    folder: str

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.folder,)

    def open(self) -> Callable[[Partition], Part]:
        (Path(self.folder) / f"opened by {os.getpid()}").touch()
        return self.made

    def made(self, block: Partition) -> Part:
        died = Path(self.folder) / "died"
        if block == "die" or (block == "die once" and not died.exists()):
            died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if block == "err":
            raise InvalidInput("this block makes no sense")
        if block == "bug":
            raise ZeroDivisionError("a slip of ours")
        if block == "print":
            print("a library that is talkative")  # noqa: T201
            os.write(1, b"in more than one way\n")
        if block == "threads":
            return Part(b"", available_threads())
        return Part(f"{block} by {os.getpid()}".encode(), 1)
