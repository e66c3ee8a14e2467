"""Words from the pages that a query finds: Rocchio's feedback, and words that go together with the query's.

Sources: Rocchio, "Relevance feedback in information retrieval" (1971); Dunning, "Accurate methods for the statistics
of surprise and coincidence" (1993).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indexer.search.vectors import Terms, unit
from indexer.search.widening import AddedWord, Widening
from indexer.text.languages import is_stemmable, stem_words

Floats = NDArray[np.float64]
_LEAST_HOLDING = 2  # a word that one version alone holds finds nothing further


def rocchio(
    query: Floats, relevant: Floats, nonrelevant: Floats, *, alpha: float, beta: float, gamma: float
) -> Floats:
    """Return alpha * query + beta * mean of relevant - gamma * mean of nonrelevant rows; no weight is below 0."""
    moved = alpha * query
    if len(relevant):
        moved = moved + beta * relevant.mean(axis=0)
    if len(nonrelevant):
        moved = moved - gamma * nonrelevant.mean(axis=0)
    return np.maximum(moved, 0.0)


def feedback_words(
    asked: list[str],
    terms: Terms,
    relevant: list[int],
    nonrelevant: list[int],
    versions: int,
    options: Widening,
) -> tuple[list[AddedWord], dict[str, float]]:
    """Return the words that Rocchio adds, heaviest first, and the new factors of the query's own words.

    asked: the words of the query, with repetitions. relevant, nonrelevant: rows of the pages in `terms`.
    A factor says what a word counts for besides its idf, which the search multiplies by itself.
    """
    rarity = np.log(1 + versions / terms.held)
    if not options.rocchio_tfidf:
        rarity = np.ones(len(terms))
    columns = columns_of(asked, terms)
    times = np.zeros(len(terms))
    for word in asked:
        if (column := columns[word]) is not None:
            times[column] += 1
    query = times * rarity
    length = float(np.sqrt((query * query).sum()))
    documents = unit(terms.weights * rarity)
    moved = rocchio(
        unit(query), documents[relevant], documents[nonrelevant],
        alpha=options.rocchio_alpha, beta=options.rocchio_beta, gamma=options.rocchio_gamma,
    )  # fmt: skip
    factors = moved / rarity * (length or 1.0)
    own = {
        word: options.rocchio_alpha if column is None else float(factors[column] / times[column])
        for word, column in columns.items()
    }
    scale = max(own.values(), default=0.0) or float(factors.max(initial=0.0)) or 1.0
    moved[list({column for column in columns.values() if column is not None})] = 0
    moved[terms.held < min(_LEAST_HOLDING, versions)] = 0
    best = np.argsort(-moved, kind="stable")[: options.rocchio_words]
    added = [
        AddedWord(terms.words[column], round(float(factors[column]) / scale, 4), "rocchio")
        for column in best.tolist()
        if factors[column] > 0.0005 * scale and moved[column] > 0
    ]
    return added, {word: max(factor, 0.0) / scale for word, factor in own.items()}


def telling_words(terms: Terms, versions: int, *, most: int = 25) -> list[AddedWord]:
    """Return the words that tell most about some pages together, the most telling first; the heaviest weighs 1."""
    rarity = np.log(1 + versions / terms.held)
    weight = unit(terms.weights * rarity).sum(axis=0)
    weight[terms.held < min(_LEAST_HOLDING, versions)] = 0
    best = [column for column in np.argsort(-weight, kind="stable")[:most].tolist() if weight[column] > 0]
    factors = weight / rarity
    top = max((float(factors[column]) for column in best), default=1.0)
    return [
        AddedWord(terms.words[column], round(float(factors[column]) / top, 4) or 0.0001, "similar")
        for column in best
    ]


def words_that_go_together(
    asked: list[str], terms: Terms, versions: int, options: Widening
) -> list[AddedWord]:
    """Return words that the pages found hold far more often than the whole index does, the strongest first.

    The measure is Dunning's log-likelihood ratio of "holds the word" inside and outside of the pages found.
    """
    pages = len(terms.weights)
    if not pages or not len(terms):
        return []
    inside = (terms.weights > 0).sum(axis=0).astype(np.float64)
    held = np.maximum(terms.held, inside)
    ratio = log_likelihood(inside, pages, held - inside, max(versions - pages, 1))
    ratio[inside / pages <= held / max(versions, 1)] = 0
    ratio[inside < min(2, pages)] = 0
    ratio[[column for column in columns_of(asked, terms).values() if column is not None]] = 0
    best = [
        column
        for column in np.argsort(-ratio, kind="stable")[: options.cooccur_words].tolist()
        if ratio[column] > 0
    ]
    if not best:
        return []
    top = ratio[best[0]]
    return [
        AddedWord(
            terms.words[column], round(options.cooccur_weight * float(ratio[column] / top), 4), "cooccur"
        )
        for column in best
    ]


def log_likelihood(inside: Floats, pages: int, outside: Floats, others: int) -> Floats:
    """Return Dunning's log-likelihood ratio (G2) for words that `inside` of `pages` and `outside` of `others` hold."""

    def part(observed: Floats, expected: Floats) -> Floats:
        found: Floats = np.where(
            observed > 0, observed * np.log(np.maximum(observed, 1e-12) / np.maximum(expected, 1e-12)), 0.0
        )
        return found

    share = (inside + outside) / (pages + others)
    cells = (
        (inside, pages * share),
        (pages - inside, pages * (1 - share)),
        (outside, others * share),
        (np.maximum(others - outside, 0.0), others * (1 - share)),
    )
    total: Floats = 2 * sum((part(observed, expected) for observed, expected in cells), np.zeros(len(inside)))
    return total


def columns_of(asked: list[str], terms: Terms) -> dict[str, int | None]:
    """Return for each word of the query the column of its term, None when no page holds it."""
    place = {stem: column for column, stem in enumerate(terms.stems)}
    language = max(terms.languages, key=terms.languages.count) if terms.languages else ""
    return {
        word: place.get(stem_words(language, [word])[0] if is_stemmable(word) else word)
        for word in dict.fromkeys(asked)
    }
