"""Text to vectors: tokenizers and encoders; text to counted evidence: patterns and definitions.

encoder             what an encoder is; `CallableEncoder` makes one of any function
entailment_encoder  `EntailmentEncoder`: encoders trained for entailment, NumPy only; two are bundled
wordpiece           the tokenizer of BERT
transformer         the forward pass of BERT in NumPy
static_table        a vector for each piece, and their weighted sum
storage             the file of an entailment encoder
named               encoders by name: `named_encoder("model2vec:...")`
libraries           adapters for sentence-transformers, model2vec and ONNX files
http_api            an adapter for services with an OpenAI-style interface
extraction          `extract`: is-a pairs that a text names, and how often
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from entvec.text.encoder import CallableEncoder, Encoder, agree, encoded, fingerprint
from entvec.text.entailment_encoder import EntailmentEncoder
from entvec.text.libraries import model2vec_encoder, onnx_encoder, sentence_transformers_encoder
from entvec.text.named import StoredEncoder, check_same, named_encoder
from entvec.text.storage import load_encoder, save_encoder

if TYPE_CHECKING:
    from entvec.text.extraction import (
        PATTERNS,
        Definition,
        Evidence,
        Example,
        Extractor,
        Lexicon,
        Pattern,
        TextEvidence,
        extract,
        read_definitions,
        read_patterns,
    )
    from entvec.text.http_api import HttpEncoder

__all__ = [
    "PATTERNS",
    "CallableEncoder",
    "Definition",
    "Encoder",
    "EntailmentEncoder",
    "Evidence",
    "Example",
    "Extractor",
    "HttpEncoder",
    "Lexicon",
    "Pattern",
    "StoredEncoder",
    "TextEvidence",
    "agree",
    "check_same",
    "encoded",
    "extract",
    "fingerprint",
    "load_encoder",
    "model2vec_encoder",
    "named_encoder",
    "onnx_encoder",
    "read_definitions",
    "read_patterns",
    "save_encoder",
    "sentence_transformers_encoder",
]

EXTRACTION = ["PATTERNS", "Definition", "Evidence", "Example", "Extractor", "Lexicon", "Pattern", "TextEvidence"]
EXTRACTION += ["extract", "read_definitions", "read_patterns"]
MODULES = {"HttpEncoder": "http_api", **dict.fromkeys(EXTRACTION, "extraction")}


def __getattr__(name: str) -> Any:
    """Import on first use what takes longer to import than to encode a phrase: HTTP, and the patterns of extraction."""
    if name not in MODULES:
        raise AttributeError(f"module 'entvec.text' has no attribute {name!r}")
    return getattr(import_module(f"entvec.text.{MODULES[name]}"), name)
