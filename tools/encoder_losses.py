"""The heads of an encoder and the five losses that train it.

hypernyms  all candidates compete to be the hypernyms of each text, by the score less generality
hyponyms   the texts of the batch compete to be a hyponym of each hypernym, by the score less its mean over candidates
detection  cross entropy of pairs: entailments against pairs reversed, co-hyponyms, parts and wholes, and random ones
same       all candidates compete by cosine to be the synonym of each text, or the same word in another form
news       words of the bundled Google News vectors, held-out ones too, compete by a linear function of their vectors to
           be the word of each of these vectors; what they are kinds of is not told

The heads, the offsets and the first three losses are those of `train_default_map.py`.
"""

from typing import NamedTuple

import torch
from encoder_examples import Examples
from encoder_models import Recipe
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - its usual name

Parameters = dict[str, Tensor]

OF_ALL_PAIRS = {"entailment": 0.5, "reversed": 0.08, "co-hyponym": 0.09, "part": 0.03, "random": 0.3}
FIRST_SCALE, JITTER = 1 / 8, 0.01
COMPONENTS, SAME_COMPONENTS = 384, 128
REVERSED = 4096


def initial(width: int, components: int, device: str) -> Parameters:
    """Both heads begin as the interpretation "unk", with a little noise, and the offsets with nothing."""
    weights = torch.eye(width, components) + JITTER / width**0.5 * torch.randn(width, components)
    start = {"decision": torch.zeros(2)}
    for side in ("hypo", "hyper"):
        start |= {f"{side}_weights": weights.clone(), f"{side}_bias": -torch.ones(components)}
    start |= {name: torch.zeros(width + 1) for name in ("hypo_offset", "hyper_offset", "generality")}
    start["same_weights"] = torch.randn(width, SAME_COMPONENTS) / width**0.5
    return {name: value.to(device).requires_grad_() for name, value in start.items()}


def log_odds(p: Parameters, side: str, vectors: Tensor) -> Tensor:
    """What a head makes of vectors."""
    return torch.addmm(p[f"{side}_bias"], vectors, p[f"{side}_weights"])


def offset(p: Parameters, name: str, vectors: Tensor) -> Tensor:
    """An affine function of each vector."""
    return vectors @ p[name][:-1] + p[name][-1]


def chosen(rows: Tensor, size: int) -> Tensor:
    """Some of the rows, by chance."""
    return rows[torch.randperm(len(rows), device=rows.device)[:size]]


class Batch(NamedTuple):
    """Texts of a step: queries, partners that are the same, and candidates."""

    units: Tensor
    nodes: Tensor
    candidates: Tensor
    n_always: int
    partner_of: Tensor
    forms: Tensor
    concepts: Tensor
    alone: Tensor


def drawn(data: Examples, recipe: Recipe) -> Batch:
    """The texts of a step."""
    device = data.device
    nodes = chosen(data.queries, recipe.queries)
    candidates = torch.cat([data.always, chosen(data.others, recipe.others), chosen(data.verbs, recipe.verbs)])
    forms = data.base[nodes]
    chance = torch.rand(len(nodes), device=device)
    told = chance < recipe.glosses
    concept, there = data.senses.one(nodes)
    first = torch.rand(len(nodes), device=device) < 0.5
    concept = torch.where(first, data.first_sense[nodes], concept)
    told &= there & (data.hypernyms.starts[data.n + concept + 1] > data.hypernyms.starts[data.n + concept])
    for lists, low, share in (
        (data.plural, recipe.glosses, recipe.plurals),
        (data.spelling, recipe.glosses + recipe.plurals, recipe.spellings),
        (data.split, recipe.glosses + recipe.plurals + recipe.spellings, recipe.splits),
    ):
        other, there = lists.one(nodes)
        forms = torch.where(there & (chance >= low) & (chance < low + share), other, forms)
    units = torch.where(told, data.n + concept, nodes)
    # Partners: a synonym, or another form of the word itself
    plain = torch.nonzero(~told)[: recipe.partners, 0]
    synonym, is_synonym = data.synonyms.one(nodes[plain])
    plural, is_plural = data.plural.one(nodes[plain])
    spelling, is_spelling = data.spelling.one(nodes[plain])
    chance = torch.rand(len(plain), device=device)
    partner = torch.where(is_synonym & (chance < 0.6), data.base[synonym], torch.where(
        is_spelling & (chance > 0.8), spelling, torch.where(is_plural, plural, -1)))  # fmt: skip
    partner_of = plain[partner >= 0]
    partner = partner[partner >= 0]
    all_forms = torch.cat([forms, partner, data.base[candidates]])
    concepts = torch.full_like(all_forms, -1)
    concepts[: len(nodes)] = torch.where(told, concept, -1)
    alone = torch.rand(len(all_forms), device=device) < recipe.alone
    return Batch(units, nodes, candidates, len(data.always), partner_of, all_forms, concepts, alone)


def losses(data: Examples, batch: Batch, vectors: Tensor, p: Parameters, recipe: Recipe) -> Tensor:
    """The sum of the four losses."""
    device, n_queries, n_partners = data.device, len(batch.units), len(batch.partner_of)
    dropped = F.dropout(vectors * vectors.shape[1] ** 0.5, recipe.vector_dropout)
    query, candidate = dropped[:n_queries], dropped[n_queries + n_partners :]
    place = torch.full((data.n,), -1, device=device)
    place[batch.candidates] = torch.arange(len(batch.candidates), device=device)
    q, k = torch.sigmoid(-log_odds(p, "hypo", query)), -F.softplus(log_odds(p, "hyper", candidate))
    hyper_offset, hypo_offset = offset(p, "hyper_offset", candidate), offset(p, "hypo_offset", query)
    # Those of the others that were drawn stand for all of them.
    stand_for = torch.ones(len(batch.candidates), device=device)
    last = batch.n_always + min(recipe.others, len(data.others))
    stand_for[batch.n_always : last] = max(1.0, len(data.others) / recipe.others)
    stand_for[last:] = max(1.0, len(data.verbs) / recipe.verbs)
    less = offset(p, "generality", candidate) - stand_for.log()
    scores = torch.addmm(hyper_offset - less, q, k.T)

    owner, hyper, share = data.hypernyms.of(batch.units)
    there = place[hyper] >= 0
    owner, right, share = owner[there], place[hyper[there]], share[there]
    share = share / torch.zeros(n_queries, device=device).index_add(0, owner, share)[owner]
    pairs = {"right": (owner, right), **labelled_pairs(data, batch, place)}
    rows, columns = (torch.cat([pair[side] for pair in pairs.values()]) for side in (0, 1))
    # index_select, unlike indexing, adds up gradients of repeated places in parallel.
    at_pairs = scores.view(-1).index_select(0, rows * scores.shape[1] + columns)
    found = dict(zip(pairs, torch.split(at_pairs, [len(pair[0]) for pair in pairs.values()]), strict=True))
    own = place[batch.nodes]
    asked = torch.nonzero(own >= 0)[:, 0]
    competing = scores.index_put((asked, own[asked]), torch.tensor(-torch.inf, device=device))
    log_total = torch.logsumexp(competing, dim=1)
    hypernyms = torch.sum(share * (log_total.index_select(0, owner) - found.pop("right"))) / n_queries

    judged = {
        kind: value + less.index_select(0, pairs[kind][1]) + hypo_offset.index_select(0, pairs[kind][0])
        for kind, value in found.items()
    }
    judged["reversed"] = backward_scores(data, batch, *pairs["entailment"], query, candidate, p)
    entropy = detection(judged, p)

    asked, column = torch.unique(right, return_inverse=True)
    below = q @ (k.index_select(0, asked) - k.mean(0)).T
    # No infinity here: a hypernym of all texts of a batch has no rival, and its gradient would be NaN.
    rest = torch.logsumexp(below.index_put((owner, column), torch.tensor(-1e4, device=device)), dim=0)
    share = share / torch.zeros(len(asked), device=device).index_add(0, column, share)[column]
    scored = below.view(-1).index_select(0, owner * below.shape[1] + column)
    hyponyms = torch.sum(share * F.softplus(rest.index_select(0, column) - scored)) / len(asked)

    loss = hypernyms + recipe.detection * entropy + recipe.hyponyms * hyponyms
    return loss + recipe.same * same(data, batch, place, vectors, p, recipe) if n_partners else loss


def same(data: Examples, batch: Batch, place: Tensor, vectors: Tensor, p: Parameters, recipe: Recipe) -> Tensor:
    """Which of all partners and candidates is the same as a text: a softmax of cosines."""
    n_queries, n_partners = len(batch.units), len(batch.partner_of)
    turned = F.normalize(vectors @ p["same_weights"], dim=1)
    texts, partners = turned.index_select(0, batch.partner_of), turned[n_queries : n_queries + n_partners]
    nodes = batch.nodes[batch.partner_of]
    logits = texts @ torch.cat([partners, turned[n_queries + n_partners :]]).T / recipe.temperature
    owner, synonym = data.same.of(nodes)
    own = torch.arange(n_partners, device=data.device)
    rows, at = torch.cat([owner, own]), torch.cat([place[synonym], place[nodes]])
    hidden = rows[at >= 0], n_partners + at[at >= 0]
    return F.cross_entropy(logits.index_put(hidden, torch.tensor(-torch.inf, device=data.device)), own)


def newspaper(vectors: Tensor, weights: Tensor, wanted: Tensor, temperature: float) -> Tensor:
    """Which of some words each of their Google News vectors is of: a softmax of cosines."""
    logits = F.normalize(vectors @ weights, dim=1) @ wanted.T / temperature
    return F.cross_entropy(logits, torch.arange(len(wanted), device=wanted.device))


def labelled_pairs(data: Examples, batch: Batch, place: Tensor) -> dict[str, tuple[Tensor, Tensor]]:
    """Rows and columns of the scores that have a label, by kind; those of entailments first."""
    device = data.device
    owner, hyper = data.positive.of(batch.units)
    owner, right = owner[place[hyper] >= 0], place[hyper[place[hyper] >= 0]]
    mixed = torch.randperm(len(owner), device=device)
    stranger, strange = owner.repeat(2), torch.cat([right[mixed], torch.roll(right[mixed], 7)])
    apart = ~data.entails(batch.units[stranger], batch.candidates[strange])
    apart &= ~data.entails(batch.candidates[strange], batch.nodes[stranger])
    apart &= batch.nodes[stranger] != batch.candidates[strange]
    kinds = {"entailment": (owner, right), "random": (stranger[apart], strange[apart])}
    words = torch.nonzero(batch.units < data.n)[:, 0].repeat(4)
    nodes = batch.nodes[words]
    for kind, ways in (("co-hyponym", (data.above, data.below)), ("part", (data.parts,))):
        at, fine = data.first_sense[nodes], torch.ones_like(words, dtype=torch.bool)
        for way in ways:
            at, there = way.one(at)
            fine &= there
        other, there = data.members.one(at)
        fine &= there & (place[other] >= 0) & (other != nodes) & ~data.entails(nodes, other)
        kinds[kind] = words[fine], place[other[fine]]
    return kinds


def backward_scores(
    data: Examples, batch: Batch, rows: Tensor, columns: Tensor, query: Tensor, candidate: Tensor, p: Parameters
) -> Tensor:
    """Scores of entailments reversed."""
    plain = batch.units[rows] < data.n
    rows, columns = rows[plain], columns[plain]
    some = torch.randperm(len(rows), device=data.device)[:REVERSED]
    rows, columns = rows[some], columns[some]
    fine = ~data.entails(batch.candidates[columns], batch.nodes[rows])
    y, x = candidate.index_select(0, columns[fine]), query.index_select(0, rows[fine])
    product = torch.sum(torch.sigmoid(-log_odds(p, "hypo", y)) * -F.softplus(log_odds(p, "hyper", x)), dim=1)
    return product + offset(p, "hypo_offset", y) + offset(p, "hyper_offset", x)


def detection(judged: dict[str, Tensor], p: Parameters) -> Tensor:
    """The cross entropy of labelled pairs; each kind of pairs has its share of the weight."""
    scale = FIRST_SCALE * torch.exp(p["decision"][0])
    if not p["decision"][1]:  # begin in the middle
        with torch.no_grad():
            p["decision"][1] = -(scale * torch.cat(list(judged.values()))).mean()
    entropy = torch.zeros_like(scale)
    for kind, weight in OF_ALL_PAIRS.items():
        if len(judged[kind]):
            logits = scale * judged[kind] + p["decision"][1]
            entropy = entropy + weight * F.softplus(-logits if kind == "entailment" else logits).mean()
    return entropy
