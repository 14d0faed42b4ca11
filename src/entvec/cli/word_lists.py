"""Lists of words: files with a word on each line, or what is piped in."""

import sys
from pathlib import Path

from entvec.cli.options import PIPE, standard_input
from entvec.cli.trouble import note
from entvec.errors import InvalidInput
from entvec.files import open_to_read
from entvec.graphs.formats.edge_table import columns_of
from entvec.graphs.formats.headers import ALONE, named


def words_of(file: Path) -> list[str]:
    """Return the words of a file, one a line, or for - those of the standard input."""
    if str(file) == PIPE and not file.exists():
        standard_input()
        return _words_in(sys.stdin.buffer.read(), "the standard input")
    try:
        with open_to_read(file) as lines:
            return _words_in(lines.read(), str(file))
    except OSError as error:
        raise InvalidInput(error.strerror or str(error), where=str(file)) from None


def _words_in(content: bytes, name: str) -> list[str]:
    """Return the words of a list; what is no list of words is refused, and what is left out of it is said."""
    found = []
    content = content.removeprefix(b"\xef\xbb\xbf")
    first = content.split(b"\n", 1)[0].decode(errors="replace")
    if columns := columns_of(content):
        raise InvalidInput(
            f"{name}, line 1: expected one word a line, found columns ({', '.join(columns)}); "
            "leave one of them, or read the table with --edges or --taxonomy"
        )
    if any(line[:1].isspace() for line in content.decode(errors="replace").splitlines() if line.strip()):
        note(f"entvec: lines of {name} are indented: that is not used; --edges takes an indented list as a taxonomy")
    titled = named(first) in ALONE and content.count(b"\n") > 1
    if titled:
        note(f"entvec: {name}, line 1: {first.strip()!r} is taken for the title of the column, since it is no term")
    for number, line in enumerate(content.split(b"\n"), start=1):
        if number == 1 and titled:
            continue
        try:
            word = line.decode().strip()
        except UnicodeDecodeError as error:
            raise InvalidInput(
                f"{name}, line {number:,}: expected text in UTF-8, found {line[:40]!r} ({error.reason}); "
                "save it as UTF-8"
            ) from None
        if "\t" in word:
            raise InvalidInput(
                f"{name}, line {number:,}: expected one word, found several columns; `cut -f 1` picks one"
            )
        if word:
            found.append(word)
    return found
