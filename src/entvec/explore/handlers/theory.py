"""Handlers of the theory: what operators and inference say of two things."""

from __future__ import annotations

import numpy as np

from entvec.bundled import toy_world
from entvec.explore import schemas
from entvec.explore.http_errors import check_same_length
from entvec.explore.service import Json, Service
from entvec.theory import OPERATORS, EntailmentGraph, binary
from entvec.theory.elementwise import known

THEORY_TOLERANCE = 1e-4
"""Of log-odds: finer than a picture shows, and coarse enough that inference converges quickly."""


async def theory(_: Service, request: schemas.TheoryRequest) -> Json:
    """What the operators say of two things, and how mean-field inference compares with the exact model."""
    check_same_length("features", hypo=request.hypo, hyper=request.hyper)
    y, x = np.array(request.hypo, dtype=np.float64), np.array(request.hyper, dtype=np.float64)
    prior_y, prior_x = binary.independent(y), binary.independent(x)
    exact_y, exact_x = binary.posterior(prior_y, prior_x)
    graph = EntailmentGraph(len(y))
    graph.add_nodes(["hypo", "hyper"], np.stack([y, x]))
    graph.add_entailments("hypo", "hyper")
    inferred = graph.infer(tol=THEORY_TOLERANCE)
    return {
        "operators": [
            {
                "operator": name,
                "symbol": row.symbol,
                "score": float(row.score(y, x)),
                "reversed_score": float(row.score(x, y)),
                "by_feature": row.by_feature(y, x).tolist() if row.parts == "sum" else None,
            }
            for name, row in OPERATORS.items()
        ],
        "probability": binary.probability(prior_y, prior_x),
        "reversed_probability": binary.probability(prior_x, prior_y),
        "prior": {"hypo": known(y).tolist(), "hyper": known(x).tolist()},
        "exact": {"hypo": exact_y.tolist(), "hyper": exact_x.tolist()},
        "mean_field": {name: known(row).tolist() for name, row in zip(graph, inferred.log_odds, strict=True)},
        "steps": inferred.n_iter,
    }


async def world(_: Service) -> Json:
    """The toy world of the theory: six things and their features."""
    toys = toy_world()
    return {"words": list(toys.words), "features": list(toys.features), "known": toys.bits.tolist()}
