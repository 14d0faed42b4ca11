"""Public data that is not in the package: downloaded on request, checked, and stored in a cache folder.

Only `fetch` downloads anything. On a machine without network, put the files into a folder and set the environment
variable ENTVEC_DATA to its path.
"""

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

from entvec.errors import CannotFetch, InvalidInput

FOLDER = "ENTVEC_DATA"
"""The environment variable that names the folder of public data."""


class Public(NamedTuple):
    """A public file that can be downloaded.

    >>> Public("pairs.tsv", "https://example.org/pairs.tsv", "9f86d081", "CC-BY-4.0", "Doe 2020").licence
    'CC-BY-4.0'

    Parameters
    ----------
    file
        The name of the file.
    address
        Its URL.
    sha256
        The hash of its content.
    licence, citation
        Its licence, and the publication to cite.
    """

    file: str
    address: str
    sha256: str
    licence: str
    citation: str


PUBLIC = {
    "weeds-bless": Public(
        "weeds-bless.json",
        "https://raw.githubusercontent.com/aaronlolo326/TCSfromDMRS/442d6dd6618909f73b8da1183589cbf4b56c56ae/"
        "eval_data_sets/Weeds2014/BLESS_ent-pairs.json",
        "c191ee020d6fdb7bac811ef851623cc6f6c216d3e03a067807a56b0d1ed92a83",
        "none stated by its authors; made from BLESS, which is CC BY-SA 3.0",
        "Weeds, Clarke, Reffin, Weir & Keller (2014), Learning to Distinguish Hypernyms and Co-Hyponyms, COLING",
    ),
    "baroni2012": Public(
        "baroni2012.tsv",
        "https://raw.githubusercontent.com/stephenroller/emnlp2016/117b06f267a143f43cafbefdbbe256ed3b38fbb2/"
        "data/binary/baroni2012.tsv",
        "7db47ffe7152898003f9c982853da4a3868d4ee384ca29d62b58321b0cc9d820",
        "none stated by its authors",
        "Baroni, Bernardi, Do & Shan (2012), Entailment above the word level in distributional semantics, EACL",
    ),
}
"""The files that `fetch` knows, by name."""


def fetch(name: str) -> Path:
    """Return the path of a public file, downloaded if needed; raise CannotFetch if its content has another hash."""
    import pooch

    if name not in PUBLIC:
        raise InvalidInput(f"no public data {name!r}, expected one of {', '.join(PUBLIC)}")
    row = PUBLIC[name]
    folder = Path(os.environ.get(FOLDER) or pooch.os_cache("entvec"))
    path = folder / row.file
    if path.is_file():
        _check(path, row)
        return path
    try:
        pooch.retrieve(row.address, known_hash=f"sha256:{row.sha256}", fname=row.file, path=folder, progressbar=False)
    except Exception as error:
        # requests, urllib3 and the system each have their own errors for a missing network
        raise CannotFetch(
            f"cannot fetch {row.file} from {row.address} ({type(error).__name__}); "
            f"get it by other means and save it as {path}, or set {FOLDER} to the folder that has {row.file} "
            f"(its sha256 is {row.sha256})"
        ) from error
    return path


def _check(path: Path, row: Public) -> None:
    """Raise CannotFetch if the file does not have the expected hash."""
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != row.sha256:
        raise CannotFetch(
            f"{path} is not the file that was chosen: expected sha256 {row.sha256}, found {found}; "
            f"delete it, or set {FOLDER} to a folder that has the right one"
        )
