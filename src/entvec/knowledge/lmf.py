"""Wordnets of any language, from files in WN-LMF or from the database of the `wn` package, as a Knowledge.

A file with relations of its own, such as the Open English WordNet or the German OdeNet, becomes a Knowledge: nouns and
verbs with their senses, is-a, instances, parts and entailments. A file that has none, as those of the Open Multilingual
Wordnet for most languages, adds its words to the concepts of WordNet 3.0, whose offsets end its identifiers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from xml.parsers.expat import ExpatError

import numpy as np

from entvec.errors import InvalidInput, KnowledgeFileError, KnowledgeFileNotFound
from entvec.graphs.optional_library import optional_library
from entvec.knowledge.knowledge import Connections, Knowledge
from entvec.knowledge.sense_names import LETTERS, PARTS_OF_SPEECH, TERM, VERB
from entvec.knowledge.statements import empty, merged_names
from entvec.vectors.forms import key
from entvec.vectors.source import Source
from entvec.vectors.words import Words

SUFFIXES = (".xml", ".xml.gz", ".xml.xz", ".xml.bz2")
"""How the names of files in WN-LMF end."""
INSTALLED = "wn:"
"""What precedes the name of a lexicon that `wn download` or `wn.add` has installed, as in `wn:odenet:1.4`."""
UPWARDS = {
    "is_a": ("hypernym",),
    "instance_of": ("instance_hypernym",),
    "part_of": ("holonym", "holo_part", "holo_member", "holo_substance", "holo_location", "holo_portion"),
    "implies": ("entails",),
}
"""The relations of synsets that each field of a Knowledge holds."""
DOWNWARDS = {
    "is_a": ("hyponym",),
    "instance_of": ("instance_hyponym",),
    "part_of": ("meronym", "mero_part", "mero_member", "mero_substance", "mero_location", "mero_portion"),
    "implies": ("is_entailed_by",),
}
"""Their reverses: files may state either or both."""
FLAT = ("a", "s", "r")
"""Adjectives and adverbs."""
OFFSET = re.compile(r"\d{8}-[nv]$")
LEAST_LINKED = 0.5
"""The share of the synsets of a file without relations that WordNet must have."""


class _Word(NamedTuple):
    """What a lexical entry calls one synset."""

    term: str
    synset: str
    frequency: int
    forms: tuple[str, ...]
    letter: str


def is_wordnet(source: str | Path) -> bool:
    """Return whether a source of knowledge is a file in WN-LMF or an installed lexicon, by its name.

    >>> is_wordnet("odenet.xml.gz"), is_wordnet("wn:odenet:1.4"), is_wordnet("shop.tsv")
    (True, True, False)
    """
    return str(source).startswith(INSTALLED) or Path(source).name.lower().endswith(SUFFIXES)


def with_wordnet(known: Knowledge | None, source: str | Path, name: str | None = None) -> Knowledge:
    """Return what a wordnet knows; or what was known, with its words, if it has no relations of its own.

    Parameters
    ----------
    known
        What was known before.
    source
        A file in WN-LMF, perhaps compressed; or `wn:` and the name of an installed lexicon.
    name
        How reasons name it; by default by its label and version.
    """
    lexicons = _installed(str(source)) if str(source).startswith(INSTALLED) else _of_file(Path(source))
    title = name or " + ".join(f"{each['label']} {each['version']}" for each in lexicons)
    synsets = {synset["id"]: synset for each in lexicons for synset in each.get("synsets", ()) if "ili" in synset}
    words = list(_words(lexicons))
    relations = {field: set(_pairs(synsets, field)) for field in UPWARDS}
    if not relations["is_a"]:
        return _linked(known or empty(), words, title, source)
    english = all(each["language"].partition("-")[0] == "en" for each in lexicons)
    return _knowledge(synsets, words, relations, title, english=english)


# Reading


def _wn() -> Any:
    return optional_library("reading a wordnet", "wn", "wn")


def _of_file(path: Path) -> list[Any]:
    """Return the lexicons of a file."""
    if path.name.lower().endswith(SUFFIXES[0]):
        return _parsed(path, path)
    with Source(path) as packed, TemporaryDirectory() as folder:
        plain = Path(folder) / "wordnet.xml"
        plain.write_bytes(packed.rest())
        return _parsed(plain, path)


def _installed(name: str) -> list[Any]:
    """Return the lexicons of the database of `wn` that a name stands for."""
    wn = _wn()
    try:
        found = wn.lexicons(lexicon=name.removeprefix(INSTALLED))
    except wn.Error:
        found = []
    if not found:
        raise InvalidInput(f"{name!r} is no installed lexicon; `python -m wn download NAME` installs one")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "wordnet.xml"
        wn.export(found, path)
        return _parsed(path, Path(name))


def _parsed(path: Path, shown: Path) -> list[Any]:
    """Return the lexicons of a plain file, which errors call by another name."""
    wn = _wn()
    from wn import lmf

    if not path.exists():
        raise KnowledgeFileNotFound(shown, "there is no such file")
    try:
        if not lmf.is_lmf(path):
            raise KnowledgeFileError(shown, "expected a wordnet in WN-LMF, found something else")
        return list(lmf.load(path, progress_handler=None)["lexicons"])
    except (wn.Error, ExpatError, OSError, AssertionError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, KnowledgeFileError):
            raise
        raise KnowledgeFileError(shown, f"it is no sound WN-LMF: {error!r:.200}") from error


def _words(lexicons: Iterable[Any]) -> Iterator[_Word]:
    """Yield each sense of each entry, in the order of the file."""
    for lexicon in lexicons:
        for entry in lexicon.get("entries", ()):
            lemma = entry.get("lemma")
            if not lemma or "writtenForm" not in lemma:  # of another lexicon, which this one extends
                continue
            term = "_".join(lemma["writtenForm"].split())
            forms = tuple(
                " ".join(form["writtenForm"].split()) for form in entry.get("forms", ()) if "writtenForm" in form
            )
            senses = [sense for sense in entry.get("senses", ()) if "synset" in sense]
            for sense in sorted(senses, key=lambda each: each.get("n") or 0):
                count = sum(each["value"] for each in sense.get("counts", ()))
                if term:
                    yield _Word(term, sense["synset"], count, forms, lemma["partOfSpeech"])


def _pairs(synsets: dict[str, Any], field: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of synsets that a relation connects, from whichever side it is stated."""
    for here, synset in synsets.items():
        for relation in synset.get("relations", ()):
            there = relation["target"]
            if there in synsets and there != here:
                if relation["relType"] in UPWARDS[field]:
                    yield here, there
                elif relation["relType"] in DOWNWARDS[field]:
                    yield there, here


# A wordnet with relations


def _knowledge(
    synsets: dict[str, Any], words: Sequence[_Word], relations: dict[str, Any], title: str, *, english: bool
) -> Knowledge:
    ordered = [name for name, synset in synsets.items() if synset.get("partOfSpeech") not in FLAT]
    concept = {name: at for at, name in enumerate(ordered)}
    named = [word for word in words if word.synset in concept]
    terms = sorted({word.term for word in named}, key=lambda term: (key(term), term))
    row = {term: at for at, term in enumerate(terms)}
    senses: list[list[tuple[int, int, int]]] = [[] for _ in terms]
    members: list[list[int]] = [[] for _ in ordered]
    numbers: Counter[tuple[str, str]] = Counter()
    for word in named:
        numbers[word.term, word.letter] += 1
        senses[row[word.term]].append((-word.frequency, numbers[word.term, word.letter], concept[word.synset]))
        members[concept[word.synset]].append(row[word.term])
    flat = [sense for group in senses for sense in sorted(group)]
    flat_words = {word.term for word in words if word.letter in FLAT} - row.keys()
    irregular = {
        f"{form.casefold()} {LETTERS[word.letter]} {word.term.replace('_', ' ')}"
        for word in named
        if word.letter in LETTERS
        for form in word.forms
        if form.casefold() != word.term.casefold().replace("_", " ")
    }
    fields: dict[str, Any] = {name: _connections(len(ordered), concept, pairs) for name, pairs in relations.items()}
    return Knowledge(
        sources=(" ".join(title.split()),),
        terms=Words.of(terms),
        senses_of=_grouped([[sense[2] for sense in sorted(group)] for group in senses]),
        numbers=np.array([number for _, number, _ in flat], np.int32),
        frequencies=np.array([-frequency for frequency, _, _ in flat], np.int32),
        members=_grouped([list(dict.fromkeys(group)) for group in members]),
        **fields,
        marks=np.empty((0, 3), np.int32),
        kinds=np.array([_kind(synsets[name], english=english) for name in ordered], np.int32),
        identifiers=ordered,
        glosses=[_gloss(synsets[name]) for name in ordered],
        flat=Words.of(sorted(flat_words, key=lambda term: (key(term), term))),
        irregular=sorted(irregular),
    )


def _kind(synset: Any, *, english: bool) -> int:
    kind = LETTERS.get(synset.get("partOfSpeech"), TERM)
    # Rankings of English nouns rest on vectors, too. In another language the wordnet may be all there is, so its nouns
    # are terms, which are answers without a vector, as those of a taxonomy are.
    return PARTS_OF_SPEECH.index(kind if english or kind == VERB else TERM)


def _gloss(synset: Any) -> str:
    return " ".join(" ".join(each["text"] for each in synset.get("definitions", ())[:1]).split())


def _grouped(groups: Sequence[Sequence[int]]) -> Connections:
    flat = [target for group in groups for target in group]
    return Connections(np.array([len(group) for group in groups], np.int32), np.array(flat, np.int32))


def _connections(n: int, concept: dict[str, int], pairs: Iterable[tuple[str, str]]) -> Connections:
    found = sorted((concept[here], concept[there]) for here, there in pairs if here in concept and there in concept)
    here, there = np.array(found, np.int32).reshape(-1, 2).T
    return Connections.of_pairs(n, here, there)


# A wordnet without relations


def _linked(known: Knowledge, words: Sequence[_Word], title: str, source: str | Path) -> Knowledge:
    """Return what is known with more names: those that a wordnet has for the concepts of WordNet."""
    place = {identifier: at for at, identifier in enumerate(known.identifiers) if OFFSET.fullmatch(identifier)}
    wanted: dict[str, list[str]] = defaultdict(list)
    for word in words:
        if found := OFFSET.search(word.synset):
            wanted[found[0]].append(word.term)
    linked = {offset: terms for offset, terms in wanted.items() if offset in place}
    if not linked or len(linked) < LEAST_LINKED * len(wanted):
        raise KnowledgeFileError(
            source,
            "it has no hypernyms, and its identifiers do not end with the offsets of WordNet 3.0 either, so nothing "
            "is known to be a kind of anything",
            remedy="add it to a space that knows WordNet, or name a wordnet with relations of its own",
        )
    names = [(term, place[offset]) for offset, terms in linked.items() for term in dict.fromkeys(terms)]
    lines = Words.of([term for term, _ in names])
    merged = merged_names(known, len(known), lines, np.array([at for _, at in names], np.int32))
    fields: dict[str, Any] = {**merged, "sources": (*known.sources, " ".join(title.split()))}
    if not len(known.origins):
        fields["origins"] = np.zeros(len(known.is_a.targets), np.int32)
    return replace(known, **fields)
