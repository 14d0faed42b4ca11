"""Saves a space to a folder and loads it, without pickle, in the layout of `model_folders`.

config.json            operator, interpretation, specificity, calibration, the name and fingerprint of an encoder, which
                       of the other files there are, and a hash of each of them; space.json before version 3
README.md              the model card, which has no hash: people may change it
vectors.safetensors    the vectors, as `Vectors.save` writes them
map.safetensors        the learned map, as `FittedMap.save` writes it
knowledge.safetensors  what the space knows; the bundled WordNet is only named in config.json
evidence-0.parquet ... what texts say, the files that were added
keys-hyper.safetensors, keys-hypo.safetensors
                       the keys of the words, if they were computed; like the vectors they are opened by memory map
engine-hyper, engine-hypo
                       folders of approximate indexes

Every file is read and compared with its hash when the space is opened, before anything is used: a library may crash on
a damaged index. A folder that is replaced meanwhile is opened again.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from entvec.bundled.encoders import named_encoder
from entvec.bundled.knowledge import BUNDLED_SHA256, bundled_knowledge
from entvec.errors import EntvecError, KnowledgeWarning, SpaceFileError, SpaceFileNotFound
from entvec.evidence.reader import Reader
from entvec.files import file_digest, replacing_folder, restore_folder
from entvec.knowledge import Knowledge
from entvec.knowledge import storage as knowledge_files
from entvec.learn.fitted import FittedMap
from entvec.model.description import Unfit, describe, model_of
from entvec.model.model import Side
from entvec.model_folders import CONFIG, Card, is_ours, local_path, write_card
from entvec.search.key_table import KeyTable
from entvec.search.keys import Keys
from entvec.search.local import Searcher, load_searcher
from entvec.space.saved_config import IDENTITY, VECTORS, VERSION, config_file, digest_of, read_config, verify_files
from entvec.space.versions import Known, ReaderOf
from entvec.stores.urls import check_folder
from entvec.text import Encoder, StoredEncoder
from entvec.vectors import Vectors

if TYPE_CHECKING:
    from entvec.text import TextEvidence

MAP = "map.safetensors"
KNOWLEDGE = "knowledge.safetensors"
EVIDENCE = "evidence-{}.parquet"
KEYS = "keys-{}.safetensors"
SEARCHER = "engine-{}"
ATTEMPTS = 100
"""How often a folder is opened again because it was replaced meanwhile."""


def save(
    table: KeyTable,
    searchers: Mapping[Side, Searcher],
    path: str | Path,
    knowledge: Knowledge | None = None,
    encoder: Encoder | None = None,
    text: TextEvidence | None = None,
    reader: ReaderOf | None = None,
) -> None:
    """Write a space to a folder; an older space there stays until the new one is complete.

    Parameters
    ----------
    table
        The words, their keys and the model.
    searchers
        The searcher of each side that is not searched exactly.
    path
        The folder; one with other content is not replaced.
    knowledge
        What the space knows.
    encoder
        What reads texts; its name and its fingerprint are saved.
    text
        What texts say.
    reader
        What reads them where the vectors are no encoder's; only that there is one is saved.
    """
    model, words = table.model, table.vocabulary.words
    description: dict[str, Any] = {
        "entvec": VERSION,
        **describe(model, table.dtype),
        "keys": {side: keys.longest for side, keys in table.computed.items()},
        "engines": {side: {"name": each.name, **each.options} for side, each in searchers.items()},
    }
    if encoder is not None:
        description["encoder"] = {name: getattr(encoder, name) for name in IDENTITY}
    if text is not None:
        description["evidence"] = len(text.files)
    if reader is not None:
        description["reads"] = True
    bundled = knowledge is not None and knowledge is bundled_knowledge()
    if knowledge is not None:
        sha256 = {"sha256": BUNDLED_SHA256} if bundled else {}
        description["knowledge"] = {"sources": list(knowledge.sources), **sha256}
    with replacing_folder(path, ours=is_ours) as folder:
        table.vocabulary.save(folder / VECTORS)
        if model.map is not None:
            model.map.save(folder / MAP)
        if knowledge is not None and not bundled:
            knowledge_files.save(knowledge, folder / KNOWLEDGE)
        for number, file in enumerate(() if text is None else text.files):
            file.copy(folder / EVIDENCE.format(number))
        for side, keys in table.computed.items():
            Vectors.of_stored(words, keys.stored, keys.dtype).save(folder / KEYS.format(side))
        for side, searcher in searchers.items():
            searcher.save(folder / SEARCHER.format(side))
        names = sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())
        description["files"] = {name: [(folder / name).stat().st_size, file_digest(folder / name)] for name in names}
        description["digest"] = digest_of(description)
        (folder / CONFIG).write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")
        write_card(folder, _card(table, description), Path(path))


def _card(table: KeyTable, description: Mapping[str, Any]) -> Card:
    """Return the model card of a space."""
    known, encoder = description.get("knowledge"), description.get("encoder")
    facts = {
        "words": f"{len(table):,}",
        "numbers in a vector": table.vocabulary.dimension,
        "operator": description["operator"],
        "vectors are read by": description["interpretation"] or "a learned map",
        "knows": " and ".join(known["sources"]) if known else "nothing besides its vectors",
        "encoder": encoder["name"] if encoder else "none",
        "format": VERSION,
    }
    about = (
        "It says for words and phrases whether one is a kind of another, and finds broader and narrower ones. Say here "
        "where its vectors come from and under which licence."
    )
    return Card("An entailment space of entvec", about, facts, 'space = entvec.load("hub:OWNER/NAME")')


Loaded: TypeAlias = "tuple[KeyTable, dict[Side, Searcher], Known, Encoder | None, TextEvidence | None, ReaderOf | None]"


def load(path: str | Path, *, verify: bool = True) -> Loaded:
    """Return what a space in a folder is made of, after comparing its files with their hashes."""
    check_folder(path)
    folder = local_path(path)
    for _ in range(ATTEMPTS):
        with _held(folder) as held:
            try:
                found = _load(folder, verify=verify)
            except SpaceFileError as error:
                missing = isinstance(error, SpaceFileNotFound)
                if _at(folder, held) and not (missing and restore_folder(folder)):
                    raise
            else:
                if _at(folder, held):
                    return found
    raise SpaceFileError(folder, "it is replaced again and again while it is opened; try again when nobody writes it")


@contextmanager
def _held(folder: Path) -> Iterator[os.stat_result | None]:
    """Yield what identifies the folder, None if there is none; no other folder gets the same while this one is held."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    except (OSError, ValueError):  # ValueError: a name with a zero byte
        yield None
        return
    try:
        yield os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _at(folder: Path, held: os.stat_result | None) -> bool:
    """Return whether the folder that was held is still the one at this path."""
    with _held(folder) as now:
        return held == now if held is None or now is None else os.path.samestat(held, now)


def _load(folder: Path, *, verify: bool) -> Loaded:
    description = read_config(folder)
    if verify:
        verify_files(folder, description.get("files", {}))
    vectors: Vectors = _part(folder, VECTORS, Vectors.load)
    learned = None if description["interpretation"] is not None else _part(folder, MAP, FittedMap.load)
    try:
        model = model_of(description, learned, vectors.dimension)
    except Unfit as problem:
        raise SpaceFileError(folder / MAP, str(problem)) from None
    except EntvecError as error:
        raise SpaceFileError(config_file(folder), str(error)) from error
    table = KeyTable(model, vectors.with_lookup(case=True, space=True), description["dtype"])
    table.computed |= {side: _keys(folder, side, table, longest) for side, longest in description["keys"].items()}
    searchers = {}
    for side, options in description["engines"].items():
        name = options.pop("name")
        searchers[side] = load_searcher(name, table, side, folder / SEARCHER.format(side), options)
    identity = description.get("encoder")
    encoder = None if identity is None else StoredEncoder(**identity, opener=named_encoder)
    text = _text(folder, description.get("evidence", 0))
    reader = Reader if description.get("reads") else None
    return table, searchers, _knowledge(folder, description.get("knowledge")), encoder, text, reader


def _text(folder: Path, files: int) -> TextEvidence | None:
    """Return what texts say, out of so many files."""
    if not files:
        return None
    from entvec.text.extraction.evidence_file import EvidenceFile, TextEvidence

    return TextEvidence.of(*(_part(folder, EVIDENCE.format(number), EvidenceFile) for number in range(files)))


def _knowledge(folder: Path, entry: Mapping[str, Any] | None) -> Known:
    """Return what the space knows: the bundled WordNet if it has only its hash, else what its file says."""
    if entry is None:
        return None
    if "sha256" not in entry:
        found: Knowledge = _part(folder, KNOWLEDGE, knowledge_files.load)
        return found
    if entry["sha256"] != BUNDLED_SHA256:
        text = (
            f"{folder}: this space was saved with another edition of {' + '.join(entry['sources'])} than the one here"
        )
        warnings.warn(KnowledgeWarning(f"{text}, which is used now"), stacklevel=5)
    return bundled_knowledge


def _keys(folder: Path, side: Side, table: KeyTable, longest: float) -> Keys:
    name = KEYS.format(side)
    stored: Vectors = _part(folder, name, Vectors.load)
    try:
        expected = (len(table), table.width(side), table.dtype)
    except EntvecError as error:  # low-rank maps for another range
        raise SpaceFileError(config_file(folder), str(error)) from error
    if (len(stored), stored.dimension, stored.dtype) != expected:
        found = (len(stored), stored.dimension, stored.dtype)
        raise SpaceFileError(folder / name, f"expected keys of {expected}, found {found}; save the space again")
    if not np.array_equal(stored.words.text, table.vocabulary.words.text):
        raise SpaceFileError(folder / name, "the keys are of other words than the vectors; save the space again")
    return Keys(stored.stored, stored.dtype, longest)


def _part(folder: Path, name: str, load: Any) -> Any:
    try:
        return load(folder / name)
    except FileNotFoundError:
        raise SpaceFileError(folder / name, "the file is missing, expected it beside config.json") from None
    except EntvecError as error:
        problem, byte = getattr(error, "what", str(error)), getattr(error, "byte", None)
        raise SpaceFileError(folder / name, problem, byte=byte) from error
