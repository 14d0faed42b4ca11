"""Large bodies are read in processes of their own.

To parse a megabyte can hold the lock of the interpreter for a second and more, and nobody else would be answered
meanwhile. A process has its own lock, and it can be stopped wherever it is.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO, cast

from pydantic import ValidationError

from entvec.errors import EntvecError
from entvec.explore import limits, schemas
from entvec.explore.http_errors import HttpError, from_entvec_error, from_validation_error
from entvec.explore.threads import checkpoint
from entvec.graphs import Edge, Taxonomy, from_text, left_out, to_text
from entvec.graphs.formats import FORMATS
from entvec.graphs.taxonomy_files import recognised_format
from entvec.runtime import shared_environment
from entvec.taxonomy.review import apply
from entvec.taxonomy.review_files import review_text
from entvec.taxonomy.review_rows import Row
from entvec.taxonomy.sssom import as_mappings

LARGE_BYTES = 1 << 15
"""To parse so many bytes takes less than 50 milliseconds, whatever they are."""
POLL_SECONDS = 0.05
PIPE_BYTES = getattr(select, "PIPE_BUF", 512)
"""A pipe that is ready takes so many bytes without blocking."""
MEDIA_TYPES = {
    "tsv": "text/tab-separated-values",
    "csv": "text/csv",
    "skos": "text/turtle",
    "owl": "application/rdf+xml",
    "graphml": "application/xml",
    "json": "application/json",
}
START = "from entvec.explore.reading import main; main()"


def prepared(asked: Any) -> Any:
    """Do what a request needs no space for: read its taxonomy, and convert it. What is prepared already stays so."""
    if isinstance(asked, schemas.AuditQuery):
        asked = schemas.AuditRequest(taxonomy=asked.taxonomy, missing=asked.missing)
    if isinstance(asked, schemas.AuditRequest) and not isinstance(asked.taxonomy, Taxonomy):
        found = replace(_taxonomy(asked.taxonomy), about={}, rest=None)  # an audit needs only terms and edges
        return asked.model_copy(update={"taxonomy": found})
    if isinstance(asked, schemas.ConvertRequest | schemas.ConvertQuery):
        found = _taxonomy(asked.taxonomy)
        return {
            "text": to_text(found, asked.format),
            "file_name": "taxonomy" + FORMATS[asked.format].suffixes[0],
            "media_type": MEDIA_TYPES.get(asked.format, "text/plain"),
            "left_out": left_out(found, asked.format),
        }
    if isinstance(asked, schemas.ReviewRequest):
        return _reviewed(asked)
    return asked


def _reviewed(asked: schemas.ReviewRequest) -> dict[str, Any]:
    """Return a taxonomy after a review, and the review as texts."""
    before = _taxonomy(asked.taxonomy)
    given = asked.taxonomy
    own = (given.format or recognised_format(given.text)) if isinstance(given, schemas.TaxonomyText) else "tsv"
    rows = [Row(term_label=before.labels.get(row.term, ""), **row.model_dump()) for row in asked.rows]
    applied = apply(rows, before)
    after, name = applied.taxonomy, asked.format or own
    return {
        "text": to_text(after, name),
        "file_name": "taxonomy" + FORMATS[name].suffixes[0],
        "media_type": MEDIA_TYPES.get(name, "text/plain"),
        "left_out": left_out(after, name),
        "terms": list(after.terms),
        "edges": [edge._asdict() for edge in after.edges()],
        "labels": dict(after.labels),
        "changes": [str(change) for change in applied.changes],
        "table": review_text(rows, "csv"),
        "mappings": review_text(as_mappings(rows), "sssom"),
    }


def _taxonomy(given: schemas.TaxonomyEdges | schemas.TaxonomyText) -> Taxonomy:
    """Return the taxonomy of a request; refuse one that is too large."""
    if isinstance(given, schemas.TaxonomyText):
        found = from_text(given.text, given.format)
    else:
        edges = [Edge(**edge.model_dump(exclude_none=True)) for edge in given.edges]
        found = Taxonomy.from_edges(edges, terms=given.terms, negations=given.denied)
    n_edges = len(found.hypo) + len(found.duplicates) + len(found.self_loops)
    if len(found) > limits.TAXONOMY_TERMS or n_edges > limits.TAXONOMY_EDGES:
        raise HttpError(
            422,
            "invalid",
            f"the taxonomy has {len(found):,} terms and {n_edges:,} edges, expected at most "
            f"{limits.TAXONOMY_TERMS:,} and {limits.TAXONOMY_EDGES:,} here; `entvec taxonomy` takes a million",
        )
    return found


class Readers:
    """Processes that read bodies; each is started when it is needed, and again if it was stopped."""

    def __init__(self) -> None:
        self._all: list[_Reader] = []
        self._idle: list[_Reader] = []

    def read(self, model: type[schemas.RequestModel], body: bytes) -> Any:
        """Return the request of a body, as `prepared` leaves it; raise HttpError."""
        if not model.__module__.startswith(f"{schemas.__name__}."):  # a process may not find it
            return _read(model, body)
        try:
            reader = self._idle.pop()
        except IndexError:
            reader = _Reader()
            self._all.append(reader)
        try:
            answer = reader.read(model, body)
        finally:
            self._idle.append(reader)
        if isinstance(answer, HttpError):
            raise answer
        return answer

    def close(self) -> None:
        """End the processes."""
        for reader in self._all:
            reader.close()


class _Reader:
    """One process. One thread at a time has it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, model: type[schemas.RequestModel], body: bytes) -> Any:
        if self._process is None:
            path = os.pathsep.join(filter(None, sys.path))  # where this process has found its packages
            self._process = subprocess.Popen(  # noqa: S603  # the command is ours
                [sys.executable, "-P", "-c", START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": path, **shared_environment(1)},
            )
        source, answers = cast("BinaryIO", self._process.stdin), cast("BinaryIO", self._process.stdout)
        try:
            unsent = memoryview(pickle.dumps((model, body)))
            while unsent:
                _wait(to_write=source)
                unsent = unsent[os.write(source.fileno(), unsent[:PIPE_BYTES]) :]
            _wait(to_read=answers)
            return pickle.load(answers)  # noqa: S301  # both ends of the pipe are ours
        except (EOFError, OSError, pickle.UnpicklingError):
            self.close()
            return HttpError(413, "too_large", "the process that read the body has ended; send the body in parts")
        except BaseException:  # it is stopped, and what it reads is of no use any more
            self.close()
            raise

    def close(self) -> None:
        """End the process at once."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with process:  # closes the pipes, and waits
                pass


def _wait(to_read: BinaryIO | None = None, to_write: BinaryIO | None = None) -> None:
    """Wait until a pipe is ready; the work may be stopped meanwhile."""
    while os.name == "posix":  # elsewhere, pipes cannot be waited for
        ready = select.select(filter(None, [to_read]), filter(None, [to_write]), [], POLL_SECONDS)
        if any(ready):
            return
        checkpoint()


def main() -> None:
    """Read bodies until the input ends, which it also does when the server is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this process
    if os.name == "posix":
        os.nice(5)  # other clients come first
    source = sys.stdin.buffer
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what a library prints must not get between
        os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
        with suppress(EOFError):
            while True:
                try:
                    answer = _read(*pickle.load(source))  # noqa: S301  # both ends of the pipe are ours
                except HttpError as error:
                    answer = error
                pickle.dump(answer, answers)
                answers.flush()


def _read(model: type[schemas.RequestModel], body: bytes) -> Any:
    try:
        return prepared(model.model_validate_json(body))
    except ValidationError as error:
        raise from_validation_error(error) from None
    except EntvecError as error:
        raise from_entvec_error(error) from None
