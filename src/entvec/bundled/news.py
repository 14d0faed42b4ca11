"""Real word vectors in the package: a sample of the Google News vectors that word2vec was published with."""

from pathlib import Path

from entvec.vectors import Vectors

GOOGLE_NEWS = Path(__file__).parent / "data" / "google-news.safetensors"
SHA256 = "0d1b0175e93584bc6b0b91fcce6701db68a62e3ecafaff4bac4979e8be7f7563"
"""Of the file: what is made from it can be cached under this name."""


def google_news() -> Vectors:
    """Return 31,530 word vectors of 300 dimensions from Google News, with their original lengths, memory-mapped.

    >>> vectors = google_news()
    >>> vectors
    Vectors(31,530 words x 300, bfloat16, memory-mapped)
    >>> [similar.word for similar in vectors.similar("guitar", k=4)]
    ['guitars', 'acoustic_guitar', 'electric_guitar', 'mandolin']

    The words are those of two public subsets; names of several words are written with `_`. The vectors of 13,013 words
    are Google's to the last bit. For the others, `tools/build_google_news.py` restored the length; it finds the right
    power of two for 99.9% of held-out words.
    """
    return Vectors.load(GOOGLE_NEWS)
