"""`entvec score`, run as a person runs it: as a process; and how it reads and writes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from entvec.bundled import toy_world
from entvec.cli import app
from entvec.cli.pairs import arriving, whole_writes
from entvec.learn.calibration import Calibration
from entvec.pairs.lines import BYTES_AT_ONCE
from entvec.space import EntailmentSpace
from entvec.vectors import Vectors

WORLD = toy_world()
TOYS = EntailmentSpace.from_vectors(Vectors(WORLD.words, WORLD.log_odds()), interpretation="log_odds")
COMMAND = [sys.executable, "-m", "entvec", "score"]


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A saved space without probabilities."""
    path = tmp_path_factory.mktemp("toys") / "space"
    TOYS.save(path)
    return str(path)


@pytest.fixture(scope="module")
def sure_toys(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A saved space with probabilities."""
    path = tmp_path_factory.mktemp("toys") / "space"
    TOYS.with_calibration(Calibration.platt(1.0, 2.0)).save(path)
    return str(path)


def ask(*arguments: str) -> Result:
    """In this process, which is faster."""
    return CliRunner().invoke(app, ["score", *arguments], env={"COLUMNS": "200", "TERM": "dumb"})


def run(text: bytes | str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """As a process, with lines on the standard input."""
    content = text.encode() if isinstance(text, str) else text
    done = subprocess.run([*COMMAND, "-", *arguments], input=content, capture_output=True, check=False)  # noqa: S603
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


# One pair


def test_a_pair_is_answered_in_words(sure_toys: str) -> None:
    told = ask("dog", "animal", "--space", sure_toys).output
    assert "does dog entail animal?" in told
    assert "verdict      yes (a probability of 0.7 or more)" in told
    assert "relation     narrower" in told
    assert f"score        {TOYS.score('dog', 'animal'):.2f}" in told
    assert f"direction    dog → animal; the reverse has the score {TOYS.score('animal', 'dog'):.2f}" in told
    assert "score: the vectors alone; probability: all evidence, if a quarter of the pairs asked are" in told


@pytest.mark.parametrize(
    ("pair", "direction"),
    [
        (("animal", "dog"), "rather the reverse: dog → animal has the score"),
        (("stone", "idea"), "neither; the reverse has the score"),
    ],
)
def test_the_relation_decides_about_the_direction(pair: tuple[str, str], direction: str) -> None:
    told = ask(*pair).output
    assert "verdict      no" in told
    assert f"direction    {direction}" in told


def test_without_evidence_there_is_a_score_and_no_verdict() -> None:
    told = ask("hot", "cold").output
    assert "verdict      unknown (there is no evidence besides the score)" in told
    assert "direction    unknown; the reverse has the score" in told
    assert "nan" not in told
    assert json.loads(ask("hot", "cold", "--format", "json").output)["probability"] is None


def test_a_space_that_knows_nothing_answers_by_its_vectors_alone(sure_toys: str) -> None:
    told = ask("dog", "animal", "--space", sure_toys, "--knowledge", "none").output
    assert "probability  0.867" in told
    assert "relation" not in told
    assert "score and probability: the vectors alone, if half of the pairs asked are entailments" in told


def test_the_verdict_can_be_yes_or_no(tmp_path: Path) -> None:
    for name, intercept in {"yes": 9.0, "no": -9.0}.items():
        TOYS.with_calibration(Calibration.platt(1.0, intercept)).save(tmp_path / name)
        told = ask("dog", "animal", "--space", str(tmp_path / name), "--knowledge", "none").output
        assert f"verdict      {name} (a probability of " in told


def test_the_reverse_may_be_the_better(toys: str) -> None:
    told = ask("animal", "dog", "--space", toys, "--knowledge", "none").output
    assert f"rather the reverse: dog → animal has the score {TOYS.score('dog', 'animal'):.2f}" in told
    assert "neither: the reverse has the same score" in ask("dog", "dog", "--space", toys, "--knowledge", "none").output


def test_a_space_without_probabilities_says_so(toys: str) -> None:
    told = ask("dog", "animal", "--space", toys, "--knowledge", "none").output
    assert "not calibrated" in told
    assert "probability  " not in told


def test_a_pair_for_programs(sure_toys: str, toys: str) -> None:
    told = json.loads(ask("dog", "animal", "--space", sure_toys, "--format", "json").output)
    assert told["score"] == pytest.approx(TOYS.score("dog", "animal"))
    assert told["reversed_score"] == pytest.approx(TOYS.score("animal", "dog"))
    assert 0 < told["probability"] < 1
    assert (told["verdict"], told["relation"]) == ("yes", "narrower")
    options = ["--space", toys, "--knowledge", "none", "--format", "tsv"]
    header, row = ask("dog", "animal", *options).output.splitlines()
    assert header.split("\t") == list(told)
    assert row.split("\t") == ["dog", "animal", "-0.1261", "", "", f"{TOYS.score('animal', 'dog'):.4f}", ""]


def test_words_are_shown_as_the_vocabulary_has_them() -> None:
    told = json.loads(ask("Ice cream", "FOOD", "--operator", "dot", "--format", "json").stdout)
    assert (told["hypo"], told["hyper"]) == ("ice_cream", "food")


def test_the_default_space_knows_what_a_dog_is() -> None:
    told = json.loads(ask("dog", "animal", "--format", "json").output)
    assert told["score"] > told["reversed_score"]


def test_vectors_of_a_file_and_how_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "toys.txt"
    rows = zip(WORLD.words, WORLD.log_odds(), strict=True)
    path.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows))
    options = ["--vectors", str(path), "--interpretation", "log_odds", "--operator", "forward", "--format", "json"]
    told = json.loads(ask("dog", "animal", *options).output)
    forward = EntailmentSpace.from_vectors(TOYS.vectors, interpretation="log_odds", operator="forward")
    assert told["score"] == pytest.approx(forward.score("dog", "animal"), rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["dgo", "animal"], 1, "no word 'dgo' among 6; did you mean 'dog'?"),
        (["dog", "qqqqqq"], 1, "no word 'qqqqqq' among 6, and none that looks like it"),
        (["dog"], 2, "expected two words, or - for lines of the standard input, got 1: dog"),
        (["ice", "cream", "food"], 2, 'a name of several words is one argument, "ice cream"'),
        (["dog", "-"], 2, "expected two words"),
        (["", "dog"], 2, "an empty word"),
        (["dog", " "], 2, "an empty word"),
        (["dog", "animal", "--header"], 2, "--on-error and --header are for lines"),
        (["dog", "animal", "--on-error", "skip"], 2, "--on-error and --header are for lines"),
        (["-", "--format", "json"], 2, "json is for one pair; lines are answered with lines, tsv"),
        (["dog", "animal", "--operator", "dot"], 2, "a saved space has its own; leave --operator out"),
        (["dog", "animal", "--map", "x", "--vectors", "y"], 2, "leave --vectors and --map out"),
    ],
)
def test_what_makes_no_sense_is_told(arguments: list[str], code: int, message: str, toys: str) -> None:
    done = ask(*arguments, "--space", toys)
    assert done.exit_code == code
    assert message in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--map", "x", "--operator", "dot"], 2, "a map has its own; leave --interpretation and --operator out"),
        (["--map", "{folder}/none"], 1, "{folder}/none: there is no such file"),
        (["--space", "{folder}/none"], 1, "there is no space"),
        (["--vectors", "{folder}/none"], 1, "{folder}/none"),
        (["--vectors", "{folder}/broken"], 1, "line 2"),
    ],
)
def test_files_that_cannot_be_used_are_named(arguments: list[str], code: int, message: str, tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("dog 1 2\nanimal 1 x\n")
    done = ask("dog", "animal", *(argument.format(folder=tmp_path) for argument in arguments))
    assert done.exit_code == code
    assert message.format(folder=tmp_path) in " ".join(done.stderr.replace("│", " ").split())


def test_a_map_for_other_vectors_is_refused(tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text("dog 1 2\nanimal 1 -2\n")
    import numpy as np

    from entvec.learn import FittedMap

    FittedMap("backward", np.eye(3), np.zeros(3)).save(tmp_path / "map.safetensors")
    done = ask("dog", "animal", "--vectors", f"{tmp_path}/small.txt", "--map", f"{tmp_path}/map.safetensors")
    assert (done.exit_code, done.stderr) == (1, "entvec: the map takes vectors of 3 numbers, these have 2\n")


# Lines


def test_lines_in_and_lines_out(sure_toys: str) -> None:
    done = run("dog\tanimal\nDog\tQQQ\tmore\ncat\tanimal", "--space", sure_toys)
    assert done.returncode == 0
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert lines[0] == ["dog", "animal", "-0.1261", "0.8669"]
    assert lines[1] == ["Dog", "QQQ", "more", "", ""]
    assert lines[2][:3] == ["cat", "animal", "-0.1261"]
    assert done.stderr == "entvec: 1 of 3 pairs have a word without a vector (QQQ); their scores are empty\n"


def test_titles_are_kept_and_bad_lines_left_out_on_request(toys: str) -> None:
    done = run("hypo\thyper\n\ndog\tanimal\nno tab\n", "--space", toys, "--header", "--on-error", "skip")
    assert (done.returncode, done.stdout) == (0, "hypo\thyper\tscore\ndog\tanimal\t-0.1261\n")
    assert done.stderr == "entvec: 2 of 4 lines are not two words, and were left out\n"


def test_a_bad_line_ends_it_after_the_lines_before(toys: str) -> None:
    done = run(b"dog\tanimal\ncaf\xe9\tdog\ncat\tdog\n", "--space", toys)
    assert (done.returncode, done.stdout) == (1, "dog\tanimal\t-0.1261\n")
    assert done.stderr == (
        "entvec: standard input, line 2: expected UTF-8, found 'caf\ufffd\\tdog'; "
        "`--on-error skip` leaves such lines out\n"
    )


def test_a_line_without_end_cannot_be_left_out(toys: str) -> None:
    done = run(b"dog\tanimal\n" + bytes(5 << 20), "--space", toys, "--on-error", "skip")
    assert (done.returncode, done.stdout) == (1, "dog\tanimal\t-0.1261\n")
    assert done.stderr == (
        "entvec: standard input, line 2: expected two words with a tab between, found more than 1,048,576 bytes\n"
    )


def test_no_lines_are_no_error(toys: str) -> None:
    done = run("", "--space", toys)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def accept_interrupts() -> None:
    """A job of a shell's background ignores Ctrl-C, and so would a process that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def started(toys: str) -> "subprocess.Popen[bytes]":
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([*COMMAND, "-", "--space", toys], **pipes, preexec_fn=accept_interrupts)  # type: ignore[call-overload,no-any-return] # noqa: S603


def test_a_line_is_answered_before_the_next_one_comes(toys: str) -> None:
    with started(toys) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(2):
            process.stdin.write(b"dog\tanimal\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"dog\tanimal\t-0.1261\n"
        process.stdin.close()
        assert process.wait() == 0


def test_ctrl_c_leaves_whole_lines_and_no_traceback(toys: str) -> None:
    with started(toys) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"dog\tanimal\ncat\tan")
        process.stdin.flush()
        assert process.stdout.readline() == b"dog\tanimal\t-0.1261\n"
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stdout.read() == b""
        assert process.stderr is not None
        assert process.stderr.read().decode() == "entvec: stopped; what is written is whole up to its last line\n"


def test_a_reader_that_leaves_early_is_no_error_to_tell_of(toys: str) -> None:
    with started(toys) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        feeder = threading.Thread(target=_feed, args=(process.stdin,))
        feeder.start()
        assert process.wait() == 1
        feeder.join()
        assert process.stderr is not None
        assert process.stderr.read() == b""


def _feed(pipe: Any) -> None:
    try:
        for _ in range(100):
            pipe.write(b"dog\tanimal\n" * 1000)
        pipe.close()
    except BrokenPipeError:
        pass


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_one_line(toys: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(  # noqa: S603
            [*COMMAND, "-", "--space", toys], input=b"dog\tanimal\n", stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode != 0
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


def test_what_comes_fast_is_read_in_large_blocks() -> None:
    reading, writing = os.pipe()
    blocks = arriving(reading, BYTES_AT_ONCE)
    os.write(writing, b"dog\t")
    os.write(writing, b"animal\n")
    assert next(blocks) == b"dog\tanimal\n"  # and it does not wait for more
    os.write(writing, b"cat\tanimal\n")
    os.close(writing)
    assert list(blocks) == [b"cat\tanimal\n"]
    os.close(reading)


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"dog\tanimal\n" * 500_000)
    with path.open("rb") as file:
        blocks = list(arriving(file.fileno(), BYTES_AT_ONCE))
    assert b"".join(blocks) == path.read_bytes()
    assert 1 < len(blocks) < 5


def test_a_text_is_written_whole_or_not_at_all_if_ctrl_c_is_pressed() -> None:
    written = []

    def slow(text: bytes) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        written.append(text)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), whole_writes(slow, lambda: None) as write:  # noqa: PT012
        write(b"first")
        write(b"second")
    assert written == [b"first"]
    assert signal.getsignal(signal.SIGINT) is before


def test_help_has_examples() -> None:
    assert "entvec score - < pairs.tsv > scored.tsv" in ask("--help").output.split("Examples:")[1]
