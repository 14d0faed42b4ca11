"""An encoder that asks a service: POST {"model": ..., "input": [texts]} to an address, as the API of OpenAI has it.

Texts travel in batches. A refusal that may pass (429 and 5xx, a broken connection) is tried again, after a pause that
doubles each time, or after as long as the service asks for. Vectors that were received are kept in a folder, if one is
given, so that nothing is paid for twice. The key comes from an environment variable and appears in no message.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import numpy as np

from entvec.array_types import Float32s
from entvec.errors import EncoderError, InvalidInput
from entvec.files import replacing
from entvec.text.encoder import PROBES, checked, checked_vectors, fingerprint

KEY = "OPENAI_API_KEY"
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
"""Answers after which another try may succeed."""
LONGEST_PAUSE = 60.0
LARGEST_ANSWER = 1 << 28
SHOWN = 200
"""How many letters of a refusal are shown."""


class _NoRedirects(HTTPRedirectHandler):
    """A redirect would carry the key to another address."""

    def redirect_request(self, *_: Any) -> None:
        """Refuse."""


class HttpEncoder:
    """An encoder behind an OpenAI-style HTTP interface.

    >>> HttpEncoder("https://api.example.com/v1/embeddings", "text-embedding-3-small")
    HttpEncoder('https://api.example.com/v1/embeddings', 'text-embedding-3-small')

    Parameters
    ----------
    address
        Where to post: the full URL, as in https://api.openai.com/v1/embeddings.
    model
        The name of the model, as the service knows it.
    key_variable
        The environment variable that has the key; without it, none is sent.
    batch_size
        The most texts of a request.
    tries
        How often a request is made before the error is raised.
    pause
        Seconds before the second try.
    timeout
        Seconds to wait for an answer.
    cache
        A folder for the vectors that were received; it is made if it is not there.
    """

    def __init__(
        self,
        address: str,
        model: str,
        *,
        key_variable: str = KEY,
        batch_size: int = 256,
        tries: int = 5,
        pause: float = 1.0,
        timeout: float = 60.0,
        cache: str | Path | None = None,
    ) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput(f"the address is {address!r}, expected one that begins with https:// or http://")
        if parts.username or parts.password:
            raise InvalidInput(f"the address of {parts.hostname} has a password in it; put the key into {key_variable}")
        if batch_size < 1 or tries < 1:
            raise InvalidInput(f"batch_size is {batch_size} and tries {tries}, expected 1 or more")
        self.address, self.model, self.key_variable = address, model, key_variable
        self.batch_size, self.tries, self.pause, self.timeout = batch_size, tries, pause, timeout
        self.cache = None if cache is None else Path(cache)
        self._sleep: Callable[[float], None] = time.sleep

    def __repr__(self) -> str:
        return f"HttpEncoder({self.address!r}, {self.model!r})"

    @property
    def name(self) -> str:
        """The address and the model."""
        return f"{self.address} {self.model}"

    @cached_property
    def dimension(self) -> int:
        """The length of a vector."""
        return int(self(PROBES[:1]).shape[1])

    @cached_property
    def fingerprint(self) -> str:
        """Numbers that tell this encoder from others."""
        return fingerprint(self)

    def __call__(self, texts: Sequence[str]) -> Float32s:
        """Return an array with a row for each text; each distinct text is asked for once."""
        wanted = checked(texts)
        if not wanted:
            return np.empty((0, self.dimension), np.float32)
        known = {text: vector for text in dict.fromkeys(wanted) if (vector := self._cached(text)) is not None}
        missing = [text for text in dict.fromkeys(wanted) if text not in known]
        for first in range(0, len(missing), self.batch_size):
            some = missing[first : first + self.batch_size]
            for text, vector in zip(some, self._asked(some), strict=True):
                known[text] = vector
                self._keep(text, vector)
        return np.array([known[text] for text in wanted], np.float32)

    # The service

    def _asked(self, texts: list[str]) -> Float32s:
        """Return the vectors of one request, tried several times."""
        body = json.dumps({"model": self.model, "input": texts, "encoding_format": "float"}).encode()
        for tried in range(1, self.tries + 1):
            try:
                return self._vectors(self._posted(body), len(texts))
            except HTTPError as error:
                told, asked = self._refusal(error), error.headers.get("Retry-After", "")
                if error.code not in PASSING or tried == self.tries:
                    raise EncoderError(told, where=self.address) from None
            except (URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
                asked, reason = "", getattr(error, "reason", None) or error
                if tried == self.tries:
                    what = f"no answer after {tried} tries ({reason})"
                    raise EncoderError(what, where=self.address, remedy="is the service running?") from None
            doubled = self.pause * 2 ** (tried - 1)
            self._sleep(min(LONGEST_PAUSE, max(doubled, float(asked) if asked.isdecimal() else 0.0)))
        raise AssertionError  # the last try returns or raises

    def _key(self) -> str:
        """Return the key without the white space around it, which files leave; refuse one that no header can hold."""
        key = os.environ.get(self.key_variable, "").strip()
        if not (key.isascii() and key.isprintable()):  # the error of http.client would show it
            raise EncoderError(
                f"the key in {self.key_variable} has a line break or a letter that is not ASCII", where=self.address
            )
        return key

    def _posted(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json"}
        if key := self._key():
            headers["Authorization"] = f"Bearer {key}"
        request = Request(self.address, body, headers)  # noqa: S310 - the scheme was checked
        with build_opener(_NoRedirects).open(request, timeout=self.timeout) as answer:
            content: bytes = answer.read(LARGEST_ANSWER + 1)
        if len(content) > LARGEST_ANSWER:
            raise EncoderError(f"an answer of more than {LARGEST_ANSWER:,} bytes", where=self.address)
        return content

    def _refusal(self, error: HTTPError) -> str:
        """Return what a service says, without the key that it may repeat."""
        with error:
            text = error.read(1 << 16).decode(errors="replace")
        if key := self._key():
            text = text.replace(key, "***")
        hint = f" (the key is read from {self.key_variable})" if error.code in (401, 403) else ""
        return f"the service refused with {error.code}: {text[:SHOWN].strip() or error.reason}{hint}"

    def _vectors(self, content: bytes, n: int) -> Float32s:
        try:
            rows = json.loads(content)["data"]
            rows = sorted(rows, key=lambda row: row["index"])
            if [row["index"] for row in rows] != list(range(n)):
                raise ValueError(f"{len(rows)} vectors for {n} texts")
            return checked_vectors([row["embedding"] for row in rows], n, self.name)
        except (ValueError, KeyError, TypeError) as error:
            what = f'expected {{"data": [{{"index": 0, "embedding": [...]}}]}} for {n} texts, found another answer'
            raise EncoderError(f"{what} ({error})", where=self.address) from None

    # The folder of vectors

    def _path(self, text: str) -> Path | None:
        if self.cache is None:
            return None
        digest = hashlib.sha256("\n".join([self.address, self.model, text]).encode()).hexdigest()
        return self.cache / digest[:2] / f"{digest[2:]}.f4"

    def _cached(self, text: str) -> Float32s | None:
        path = self._path(text)
        if path is None or not path.is_file():
            return None
        content = path.read_bytes()
        if not content or len(content) % 4:  # damaged: ask again
            return None
        return np.frombuffer(content, "<f4").astype(np.float32)

    def _keep(self, text: str, vector: Float32s) -> None:
        if (path := self._path(text)) is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as temporary:
                temporary.write_bytes(vector.astype("<f4").tobytes())
