"""From text alone, end to end, as docs/text-walkthrough.md describes it, on a part of that text."""

import lzma
from pathlib import Path

import pytest

from entvec import bulk
from entvec.errors import WordNotFound
from entvec.learn import EntailmentMap
from entvec.learn.weak_labels import weak_pairs
from entvec.space import EntailmentSpace
from entvec.text import TextEvidence
from entvec.vectors import read

pytestmark = pytest.mark.slow
SIZE = 3 << 20
"""Bytes of the text."""


@pytest.fixture(scope="module")
def text(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    packed = shared_data / "britannica-7-part.txt.xz"
    if not packed.exists():
        pytest.skip("needs a copy of the encyclopaedia; ENTVEC_DATA names the folder that has it")
    path = tmp_path_factory.mktemp("text") / "encyclopaedia.txt"
    with lzma.open(packed) as file:
        path.write_bytes(file.read(SIZE))
    return path


@pytest.mark.filterwarnings("ignore:the optimiser did not converge")
def test_a_text_becomes_answers_without_anything_else(text: Path) -> None:
    gensim = pytest.importorskip("gensim")
    from gensim.utils import simple_preprocess

    with text.open(encoding="utf-8", errors="replace") as lines:
        sentences = [words for line in lines if (words := simple_preprocess(line))]
    model = gensim.models.Word2Vec(sentences, vector_size=30, min_count=5, epochs=3, workers=1, seed=1)
    model.wv.save_word2vec_format(str(text.with_name("words.bin")), binary=True)
    evidence = text.with_name("evidence.parquet")
    assert bulk.extract(text, evidence, processes=1).rows > 300

    vectors = read(text.with_name("words.bin"))
    hypo, hyper, labels = weak_pairs(TextEvidence.of(evidence), vectors)
    rows = [list(pair) for pair in zip(vectors.rows(list(hypo)), vectors.rows(list(hyper)), strict=True)]
    learned = EntailmentMap(random_state=0).fit_rows(vectors.matrix, rows, labels)
    space = EntailmentSpace.from_vectors(vectors, map=learned).with_evidence(evidence)
    text_terms = TextEvidence.of(evidence)
    named = int(text_terms.count.argmax())
    word, answer = (text_terms.terms[side[named]] for side in (text_terms.hypo, text_terms.hyper))
    by_vectors, by_text = (space.hypernyms(word, k=len(space), evidence=used).words for used in ("vectors", "all"))
    assert by_text.index(answer) < by_vectors.index(answer)
    reasoning = space.explain(word, answer, k=0).reasoning
    assert reasoning is not None
    assert ("text", "for") in [reason[:2] for reason in reasoning.reasons]
    with pytest.raises(WordNotFound):
        space.hypernyms("smartphone")
