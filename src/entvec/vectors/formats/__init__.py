"""All formats of vector files: one module per format, and one row of the table for each.

Formats are tried in the order of the table when a file is opened: first those with a signature, then text formats.
"""

from typing import TypeAlias

from entvec.vectors.dtypes import DtypeName
from entvec.vectors.formats import fasttext, gensim, native, npz, parquet, text, word2vec
from entvec.vectors.formats.base import Block, Format, Wanted

FormatName: TypeAlias = str
"""A key of `FORMATS`."""

NUMPY_FLOATS: tuple[DtypeName, ...] = ("float64", "float32", "float16")

FORMATS: dict[FormatName, Format] = {
    "native": Format(
        "entvec's own (safetensors)", (".safetensors",), native.matches, None, native.write, keeps_metadata=True
    ),
    "npz": Format("NumPy archives", (".npz",), npz.matches, npz.blocks, npz.write, dtypes=NUMPY_FLOATS),
    "parquet": Format(
        "Parquet",
        (".parquet",),
        parquet.matches,
        parquet.blocks,
        parquet.write,
        dtypes=NUMPY_FLOATS,
        keeps_metadata=True,
        library=parquet.library,
    ),
    "gensim": Format("pickles of gensim's KeyedVectors", (".kv", ".model"), gensim.matches, gensim.blocks, None),
    "fasttext": Format("fastText models", (), fasttext.matches, fasttext.blocks, None, library=fasttext.library),
    "word2vec": Format(
        "word2vec binary", (".bin",), word2vec.matches, word2vec.blocks, word2vec.write, "byte", dtypes=("float32",)
    ),
    "word2vec-text": Format(
        "word2vec text, fastText .vec",
        (".vec",),
        text.matches_word2vec,
        text.word2vec_blocks,
        text.write_word2vec,
        "line",
    ),
    "glove": Format("GloVe text", (".txt",), text.matches_glove, text.glove_blocks, text.write_glove, "line"),
}

__all__ = ["FORMATS", "Block", "Format", "FormatName", "Wanted"]
