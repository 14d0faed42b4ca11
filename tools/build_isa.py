"""Build the bundled table of noun relations, `entvec/bundled/data/isa.npz`, from WordNet 3.0.

    python tools/build_isa.py [--wordnet DIR] [--words FILE] [-o FILE]

WordNet's plain noun files come with Debian's package wordnet-base. A lemma counts if it is in the vocabulary
exactly as data.noun writes it, case and `_` included. One row is one relation of two senses of two words:

is-a        the hyper's synset is reached from the hypo's by `@` steps; distance = the fewest of them
instance    the same, but the first step is `@i`: Paris -> city -> ...
co-hyponym  the synsets share a direct `@` hypernym; distance 2, both directions, first senses only, and never two
            words that are is-a, instances or synonyms of each other in any sense
part-whole  the hypo's synset is a part, a member or a substance of the hyper's, by a direct pointer; distance 1

All senses and all combinations of senses that hold are kept, because they fit. A sense is WordNet's number for
it, 1 being the most frequent. index.noun ignores case, so a number is shared by the spellings: `china` has no
sense 1, `China` has. A depth is the fewest `@` or `@i` steps from a synset up to the root, `entity`.
Rows are sorted by relation, hypo, hypo_sense, distance, hyper_sense, hyper; two runs give the same bytes.
The licence, which the header of data.noun holds, is written beside the table.
"""

import argparse
import hashlib
import io
import re
import sys
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from wordnet_files import licence, lines

from entvec.bundled import google_news
from entvec.bundled.wordnet import COLUMNS, RELATIONS
from entvec.files import replacing

TARGET = Path(__file__).parents[1] / "src/entvec/bundled/data/isa.npz"
IS_A, INSTANCE, CO_HYPONYM, PART_WHOLE = range(len(RELATIONS))
Depths = dict[int, int]
Members = dict[int, dict[str, int]]  # synset -> its words of the vocabulary -> the number of that sense


class Synset(NamedTuple):
    """A meaning: the words for it, and the synsets it points to, by the pointer's symbol."""

    lemmas: tuple[str, ...]
    pointers: dict[str, list[int]]


class Row(NamedTuple):
    """A row of the table with the words spelled out."""

    hypo: str
    hyper: str
    relation: int
    distance: int
    hypo_sense: int
    hyper_sense: int
    hypo_depth: int
    hyper_depth: int


def read_synsets(folder: Path) -> dict[int, Synset]:
    """The noun synsets by their offset in data.noun, which is their name there."""
    synsets = {}
    for line in lines(folder, "data.noun"):
        # offset, file, type, number of lemmas (hexadecimal), (lemma, id)..., number of pointers, pointers | gloss
        fields = line.split("|")[0].split()
        end = 4 + 2 * int(fields[3], 16)
        lemmas = tuple(re.sub(r"\((a|p|ip)\)$", "", lemma) for lemma in fields[4:end:2])
        pointers = defaultdict(list)
        for at in range(end + 1, end + 1 + 4 * int(fields[end]), 4):
            symbol, offset, part_of_speech, _ = fields[at : at + 4]
            if part_of_speech == "n":
                pointers[symbol].append(int(offset))
        synsets[int(fields[0])] = Synset(lemmas, dict(pointers))
    return synsets


def read_senses(folder: Path) -> dict[tuple[str, int], int]:
    """The number of the sense that a lower-cased lemma has in a synset; the most frequent is 1."""
    senses: dict[tuple[str, int], int] = {}
    for line in lines(folder, "index.noun"):
        lemma, _, count, *fields = line.split()
        senses |= {(lemma, int(offset)): rank for rank, offset in enumerate(fields[-int(count) :], 1)}
    return senses


def find_members(synsets: dict[int, Synset], senses: dict[tuple[str, int], int], vocabulary: set[str]) -> Members:
    """The synsets that have words of the vocabulary, with these words and their senses."""
    members: Members = defaultdict(dict)
    for offset, synset in synsets.items():
        for word in vocabulary.intersection(synset.lemmas):
            if (word.lower(), offset) not in senses:
                sys.exit(
                    f"index.noun does not name synset {offset:08} of data.noun as a sense of {word.lower()!r}: "
                    "expected two files of the same WordNet; install wordnet-base again"
                )
            members[offset][word] = senses[word.lower(), offset]
    return dict(members)


def follow(synsets: dict[int, Synset], offsets: Iterable[int], *symbols: str) -> list[int]:
    """The synsets that these pointers of some synsets lead to."""
    return [target for offset in offsets for symbol in symbols for target in synsets[offset].pointers.get(symbol, [])]


def find_depths(synsets: dict[int, Synset]) -> Depths:
    """The fewest steps from each synset up to one without hypernyms."""
    children = defaultdict(list)
    for offset in synsets:
        for parent in follow(synsets, [offset], "@", "@i"):
            children[parent].append(offset)
    level = [offset for offset in synsets if not follow(synsets, [offset], "@", "@i")]
    depths = dict.fromkeys(level, 0)
    while level:
        below = {child: depths[offset] + 1 for offset in level for child in children[offset] if child not in depths}
        depths |= below
        level = list(below)
    if lost := synsets.keys() - depths.keys():
        sys.exit(f"no way up from synset {min(lost):08} to a root: data.noun has a cycle, expected WordNet 3.0's file")
    return depths


def distances(synsets: dict[int, Synset], offset: int, first: str) -> dict[int, int]:
    """The synsets above this one, by one step of the kind `first` and any number of `@`, with the fewest steps."""
    level = follow(synsets, [offset], first)
    found: dict[int, int] = {}
    steps = 1
    while level:
        found |= dict.fromkeys(level, steps)
        # Only what is new is followed, so that a cycle ends.
        level = [above for above in follow(synsets, level, "@") if above not in found]
        steps += 1
    return found


def relations(synsets: dict[int, Synset], members: Members) -> Iterator[tuple[int, int, int, int]]:
    """The related synsets that have words: (hypo's synset, hyper's synset, relation, distance), some twice."""
    siblings = defaultdict(list)
    for offset in members:
        for relation, first in ((IS_A, "@"), (INSTANCE, "@i")):
            for above, steps in distances(synsets, offset, first).items():
                yield offset, above, relation, steps
        for whole in follow(synsets, [offset], "#p", "#m", "#s"):
            yield offset, whole, PART_WHOLE, 1
        for parent in follow(synsets, [offset], "@"):
            siblings[parent].append(offset)
    for group in siblings.values():
        for hypo in group:
            yield from ((hypo, hyper, CO_HYPONYM, 2) for hyper in group if hyper != hypo)


def build(synsets: dict[int, Synset], members: Members) -> set[Row]:
    """All rows of the table, in no order."""
    depths = find_depths(synsets)
    # Two words whose one sense means what the other's does, or more than it, are no examples of being merely alike.
    close = {(word, other) for words in members.values() for word in words for other in words}
    rows = set()
    for below, above, relation, steps in relations(synsets, members):
        for hypo, hypo_sense in members[below].items():
            for hyper, hyper_sense in members.get(above, {}).items():
                if hypo == hyper or (relation == CO_HYPONYM and not hypo_sense == hyper_sense == 1):
                    continue
                rows.add(Row(hypo, hyper, relation, steps, hypo_sense, hyper_sense, depths[below], depths[above]))
                if relation in (IS_A, INSTANCE):
                    close |= {(hypo, hyper), (hyper, hypo)}
    return {row for row in rows if row.relation != CO_HYPONYM or (row.hypo, row.hyper) not in close}


def to_arrays(rows: set[Row], vocabulary: Sequence[str]) -> dict[str, NDArray[Any]]:
    """The sorted columns, and the words that take part in the order of the vocabulary."""
    used = {word for row in rows for word in row[:2]}
    words = [word for word in dict.fromkeys(vocabulary) if word in used]
    index = {word: at for at, word in enumerate(words)}
    table = [(index[row.hypo], index[row.hyper], *row[2:]) for row in rows]
    named = dict(zip(Row._fields, np.array(table, dtype=np.int64).reshape(-1, len(COLUMNS)).T, strict=True))
    order = np.lexsort([named[key] for key in ("hyper", "hyper_sense", "distance", "hypo_sense", "hypo", "relation")])
    for name, dtype in COLUMNS.items():
        if len(rows) and named[name].max() > np.iinfo(dtype).max:
            sys.exit(f"{name} reaches {named[name].max()}, expected it to fit {dtype}: give COLUMNS a wider type")
    # A fixed byte order, for the same file on every machine.
    return {"words": np.array(words, dtype="<U")} | {
        name: named[name][order].astype(np.dtype(dtype).newbyteorder("<")) for name, dtype in COLUMNS.items()
    }


def to_npz(arrays: dict[str, NDArray[Any]]) -> bytes:
    """What np.savez_compressed would write, but without the time of writing and the system's name."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy")  # dated 1980 unless told otherwise
            info.create_system = 3
            archive.writestr(info, member.getvalue(), zipfile.ZIP_DEFLATED, compresslevel=9)
    return file.getvalue()


def report(arrays: dict[str, NDArray[Any]], vocabulary: Sequence[str], members: Members) -> None:
    """Print the counts."""
    matched = {word for words in members.values() for word in words}
    firsts = {word for words in members.values() for word, sense in words.items() if sense == 1}
    print(f"{len(set(vocabulary)):,} words in the vocabulary, {len(arrays['words']):,} in the table")
    print(f"{len(matched):,} are WordNet nouns as they are written, {len(matched - firsts):,} without a first sense")
    print(f"{len(members):,} synsets, {sum(map(len, members.values())):,} senses of these words")
    print(f"{len(arrays['relation']):,} rows")
    for number, name in enumerate(RELATIONS):
        chosen = {key: column[arrays["relation"] == number] for key, column in arrays.items() if key != "words"}
        pairs = set(zip(chosen["hypo"].tolist(), chosen["hyper"].tolist(), strict=True))
        first = np.sum(np.maximum(chosen["hypo_sense"], chosen["hyper_sense"]) == 1)
        mutual = sum(pair[::-1] in pairs for pair in pairs)
        print(f"\n{name}: {len(chosen['hypo']):,} rows, {len(pairs):,} pairs of words, {mutual:,} hold both ways;")
        print(
            f"    {len({hypo for hypo, _ in pairs}):,} hypos, {len({hyper for _, hyper in pairs}):,} hypers, ", end=""
        )
        print(f"{first:,} rows of two first senses")
        for key in ("distance", "hypo_sense", "hyper_sense", "hyper_depth"):
            counts = sorted(Counter(chosen[key].tolist()).items())
            print(f"    by {key}:", " ".join(f"{value}:{count}" for value, count in counts))


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the table, write it and its licence, and print what is in it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), metavar="DIR")
    parser.add_argument("--words", type=Path, metavar="FILE", help="one word a line; else the bundled vectors' words")
    parser.add_argument("-o", dest="output", type=Path, default=TARGET, metavar="FILE")
    options = parser.parse_args(arguments)
    if options.words and not options.words.is_file():
        parser.error(
            f"no file {options.words}, expected one word a line; without --words the bundled vectors' are taken"
        )
    given = options.words.read_text(encoding="utf-8").rstrip().split("\n") if options.words else None
    vocabulary: Sequence[str] = given or google_news().words
    synsets = read_synsets(options.wordnet)
    members = find_members(synsets, read_senses(options.wordnet), set(vocabulary))
    arrays = to_arrays(build(synsets, members), vocabulary)
    content = to_npz(arrays)
    with replacing(options.output) as temporary:
        temporary.write_bytes(content)
    with replacing(options.output.with_suffix(".LICENSE.txt")) as temporary:
        temporary.write_text(licence(options.wordnet), encoding="utf-8", newline="\n")
    report(arrays, vocabulary, members)
    print(f"\n{options.output}: {len(content):,} bytes, sha256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
