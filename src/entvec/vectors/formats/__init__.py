"""Every format of vector files that entvec knows: one module a format, one row of the table each.

The order is the order of sniffing: formats with a mark of their own come first, then those made of text.
"""

from typing import Literal

from entvec.vectors.formats import fasttext, gensim, native, npz, parquet, text, word2vec
from entvec.vectors.formats.base import Block, Format, Wanted

FormatName = Literal["native", "npz", "parquet", "gensim", "fasttext", "word2vec", "word2vec-text", "glove"]

FORMATS: dict[FormatName, Format] = {
    "native": Format("entvec's own (safetensors)", (".safetensors",), native.matches, None, native.write),
    "npz": Format("NumPy archive", (".npz",), npz.matches, npz.blocks, npz.write),
    "parquet": Format("Parquet", (".parquet",), parquet.matches, parquet.blocks, parquet.write),
    "gensim": Format("gensim KeyedVectors (pickle)", (".kv", ".model"), gensim.matches, gensim.blocks, None),
    "fasttext": Format("fastText model", (), fasttext.matches, fasttext.blocks, None),
    "word2vec": Format("word2vec binary", (".bin",), word2vec.matches, word2vec.blocks, word2vec.write, "byte"),
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
