"""Folders of saved spaces, maps and encoders, in the layout of the Hugging Face Hub, and folders of the hub by name.

config.json     the kind of folder and the version of its format, under `entvec`, and what describes it
*.safetensors   the tensors
README.md       the model card: a page for people, with the front matter that the hub reads

`hub:OWNER/NAME` and `hub:OWNER/NAME@REVISION` name a folder of the hub wherever the path of a space, a map or an
encoder is expected. `huggingface_hub` downloads it once, and pushes a folder: `hf upload OWNER/NAME FOLDER`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from entvec.errors import CannotFetch, MissingExtra, shown
from entvec.files import read_whole, replacing_folder
from entvec.tensors import MARK, Unsound

CONFIG, CARD = "config.json", "README.md"
OLDER_CONFIG = "space.json"
"""What the configuration of a space was called before."""
LARGEST = 1 << 24
"""The most bytes of a configuration or a card."""
OURS = (
    "<!-- entvec wrote this card, and replaces it when the folder is saved again. To keep yours, remove this line. -->"
)
FRONT_MATTER = """---
library_name: entvec
tags:
- entvec
- entailment
- hypernymy
---
"""


class Card(NamedTuple):
    r"""What a model card says.

    >>> print(Card("A map", "It maps vectors.", {"operator": "backward"}, "load()").text.partition("vectors.\n\n")[2])
    | | |
    |---|---|
    | operator | backward |
    <BLANKLINE>
    ```python
    import entvec
    <BLANKLINE>
    load()
    ```
    <BLANKLINE>

    Parameters
    ----------
    title, about
        The title, and the paragraph below it.
    facts
        The rows of a table.
    code
        The lines of Python that load the folder.
    """

    title: str
    about: str
    facts: Mapping[str, object]
    code: str

    @property
    def text(self) -> str:
        """The card as Markdown, with front matter."""
        rows = (f"| {name} | {shown(str(value)).replace('|', '/')} |" for name, value in self.facts.items())
        table = "\n".join(["| | |", "|---|---|", *rows])
        code = f"```python\nimport entvec\n\n{self.code}\n```"
        return f"{FRONT_MATTER}\n{OURS}\n\n# {self.title}\n\n{self.about}\n\n{table}\n\n{code}\n"


def write_card(folder: Path, card: Card, older: Path) -> None:
    """Write the model card of a new folder, or copy the card of the folder that it replaces if a person wrote that one.

    Parameters
    ----------
    folder
        The new folder.
    card
        What its card says.
    older
        The folder that it replaces, if there is one.
    """
    there = older / CARD
    text = read_whole(there, LARGEST).decode(errors="replace") if there.is_file() else OURS
    (folder / CARD).write_text(card.text if OURS in text else text, encoding="utf-8")


def write_folder(
    path: str | Path, name: str, write: Callable[[Path], None], config: Mapping[str, Any], card: Card
) -> None:
    """Write a folder with one file of tensors, its configuration and its card, atomically.

    Parameters
    ----------
    path
        The folder; one that entvec did not write is not replaced.
    name
        The name of the file of tensors.
    write
        Writes this file.
    config
        What describes it; `entvec` names the kind and the version.
    card
        What its card says.
    """
    with replacing_folder(path, ours=is_ours) as folder:
        write(folder / name)
        write_card(folder, card, Path(path))
        (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def is_ours(folder: Path) -> bool:
    """Return whether entvec wrote a folder: other libraries have a config.json, too."""
    return (folder / OLDER_CONFIG).is_file() or bool(kind_of(folder))


def kind_of(folder: Path) -> str:
    """Return the kind and version of a folder, such as "space 3"; an empty text if entvec did not write it."""
    try:
        config = json.loads(read_whole(folder / CONFIG, LARGEST))
    except (OSError, ValueError, RecursionError):
        return ""
    return str(config.get(MARK, "")) if isinstance(config, dict) else ""


def file_of(path: Path, kind: str, name: str) -> Path:
    """Return the file of tensors that a path means: the path itself, or a file in the folder.

    Raise Unsound for a folder that entvec wrote for something else.

    Parameters
    ----------
    path
        A file or a folder.
    kind
        The kind of folder: "map" or "encoder".
    name
        The name of the file in it.
    """
    there = kind_of(path)
    if not there:
        return path
    if there.partition(" ")[0] != kind:
        article = "an" if kind[0] in "aeiou" else "a"
        raise Unsound(f"it is the folder of another thing: expected {article} {kind}, found {there[:40]!r}")
    return path / name


# Folders that are elsewhere


def local_path(path: str | Path) -> Path:
    """Return the path itself, or the local copy of the folder that it names elsewhere.

    >>> local_path("models/space").as_posix()
    'models/space'
    """
    place, colon, name = str(path).partition(":")
    return PLACES[place](name) if colon and place in PLACES else Path(path)


def _from_hub(name: str) -> Path:
    """Return the local copy of a repository of the Hugging Face Hub, after downloading what is new of it."""
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, HTTPError  # type: ignore[attr-defined]  # of httpx
    except ImportError:
        raise MissingExtra("the Hugging Face Hub", needs="huggingface_hub", extra="hub") from None
    repository, _, revision = name.partition("@")
    try:
        return Path(snapshot_download(repository, revision=revision or None, library_name="entvec"))
    except (HFValidationError, HTTPError, OSError) as error:
        why = " ".join(str(error).split()).partition(" Please make sure")[0]
        raise CannotFetch(f"hub:{name:.100} cannot be fetched from the Hugging Face Hub: {why:.300}") from error


PLACES: dict[str, Callable[[str], Path]] = {"hub": _from_hub}
"""What returns a local copy of the folder that is named after `PLACE:`; another place is another row."""
