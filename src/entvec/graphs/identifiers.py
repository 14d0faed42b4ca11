"""Identifiers of terms: URIs for terms that are only names."""

from __future__ import annotations

import re
from urllib.parse import quote

from entvec.errors import InvalidInput
from entvec.graphs.taxonomy import Taxonomy

URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]*")


def with_uris(taxonomy: Taxonomy, base: str) -> Taxonomy:
    """Return the taxonomy with a URI for each term that has none; the name of the term becomes its label.

    >>> shop = with_uris(Taxonomy.from_edges([("running shoe", "shoe")]), "https://example.org/shop/")
    >>> shop.terms[0], shop.label(shop.terms[0])
    ('https://example.org/shop/running%20shoe', 'running shoe')

    Parameters
    ----------
    taxonomy
        The taxonomy.
    base
        How the new URIs begin, such as `https://example.org/shop/` or `https://example.org/shop#`.
    """
    if not URI.fullmatch(base) or base[-1] not in "/#:":
        raise InvalidInput(f"the base is {base!r}, expected the beginning of a URI that ends with / # or :")
    named = [term for term in taxonomy.terms if not URI.fullmatch(term)]
    if not named:
        return taxonomy
    if taxonomy.rest is not None and taxonomy.rest.format == "skos" and taxonomy.rest.n:
        raise InvalidInput(
            f"{len(named):,} terms have no URI, such as {named[0]!r}, in a file with notes or schemes of its own, "
            "which would be lost; give these terms URIs in that file"
        )
    uris = {term: base + quote(term, safe="") for term in named}
    if taken := sorted(set(uris.values()).intersection(taxonomy.terms)):
        raise InvalidInput(f"there is a term {taken[0]!r} already, which is what another one would become")

    def new(term: str) -> str:
        return uris.get(term, term)

    labels = {term: term for term in named} | dict(taxonomy.labels)
    return taxonomy.replaced(
        terms=tuple(map(new, taxonomy.terms)),
        labels={new(term): label for term, label in labels.items()},
        about={new(term): fields for term, fields in taxonomy.about.items()},
        duplicates=tuple((new(hypo), new(hyper)) for hypo, hyper in taxonomy.duplicates),
        self_loops=tuple(map(new, taxonomy.self_loops)),
    )
