"""Choose settings of the ranking by cross-validation over the topics of judged collections; quality.py runs it.

The topics of each collection are dealt into five folds. Settings are chosen on four folds of all collections together
and measured on the fifth, for each fold in turn, so that no topic is measured with a setting that it took part in
choosing. One setting is chosen for all collections. Nearness and priors are left out of this: they are worked out for
the best pages only, after the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from indexer import ELEMENTS, Index, Ranking
from indexer.core.queries import handle
from indexer.evaluation import Judgements, Topic, topic_query
from indexer.search.deadline import Deadline
from indexer.search.programs import program_of
from indexer.search.query import leaves
from indexer.search.running import Carried
from indexer.search.searcher import without_stop_words
from indexer.search.vocabulary import NOT_WIDE
from indexer.store.bm25f import idf, norms, saturate, weights

SEED, FOLDS = 1994, 5
START = Ranking(
    k1=6.0, slope=1.0, boost={**Ranking().boost, "title": 2.0}
)  # plain BM25F, as it was shipped before
# A value is moved only for more than this: what is less is chance.
_WORTH = 3e-4

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# What is tried for each value; other names of `changed` can be added.
TRIED: dict[str, Sequence[float]] = {
    "slope": (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1),
    "k1": (1.2, 2, 3, 4, 6, 8, 10, 15, 20, 25, 30, 40, 60, 80, 100, 150, 250),
    "boost_title": (0, 0.5, 1, 1.5, 2, 3, 4, 5, 7, 8, 10, 15),
}
# What is chosen, the rest being as in START.
CHOICES: dict[str, Sequence[str]] = {
    "k1": ("k1",),
    "k1 and slope": ("slope", "k1"),
    "k1, slope and title": ("slope", "k1", "boost_title"),
}


def changed(ranking: Ranking, **values: float) -> Ranking:
    """Return a ranking with other values, named k1, boost_title, b_body and so on."""
    for key, value in values.items():
        part, _, element = key.partition("_")
        ranking = replace(ranking, **{part: {**getattr(ranking, part), element: value} if element else value})
    return ranking


def value_of(ranking: Ranking, key: str) -> float:
    """Return the value of this name."""
    part, _, element = key.partition("_")
    value = getattr(ranking, part)
    return float(value[element] if element else value)


@dataclass
class Table:
    """A collection as columns, so that a setting is measured in some milliseconds: the same numbers as the engine's.

    A row for each word of a topic in each version that holds it, ordered by topic and version: where the rows of its
    version begin (`starts`, `topic`, `version` and `grade` have a place for each of these), counts and lengths by
    element, and idf times how often the topic has the word. ideal: grades of the relevant pages of each topic.
    """

    name: str
    judged_only: bool
    starts: Ints
    topic: Ints
    version: Ints
    grade: Ints
    factor: Floats
    counts: Floats
    lengths: Ints
    means: Floats
    ideal: list[list[int]]
    _known: dict[str, dict[str, Floats]] = field(default_factory=dict)

    def measure(self, ranking: Ranking) -> dict[str, Floats]:
        """Return nDCG@10, nDCG@3 and average precision of each topic; remembered, as every fold tries the same."""
        key = repr(ranking)
        if key not in self._known:
            self._known[key] = self._measure(ranking)
        return self._known[key]

    def _measure(self, ranking: Ranking) -> dict[str, Floats]:
        weight = weights(self.counts, norms(ranking, self.lengths, self.means))
        total = np.add.reduceat(self.factor * saturate(ranking, weight), self.starts)
        order = np.lexsort((self.version, -total, self.topic))
        gain, topic, topics = self.grade[order], self.topic[order], len(self.ideal)
        rank = np.arange(len(order)) - np.searchsorted(topic, np.arange(topics))[topic]
        result = {}
        for k in (10, 3):
            ideal = np.array([_dcg(grades[:k]) for grades in self.ideal])
            held = np.flatnonzero(rank < k)
            gained = np.bincount(topic[held], gain[held] / np.log2(rank[held] + 2), minlength=topics)
            result[f"ndcg@{k}"] = np.divide(gained, ideal, out=np.zeros(topics), where=ideal > 0)
        relevant = np.flatnonzero((gain > 0) & (rank < 1000))
        there = topic[relevant]
        place = np.arange(len(there)) - np.searchsorted(there, np.arange(topics))[there] + 1
        precision = np.bincount(there, place / (rank[relevant] + 1), minlength=topics)
        result["map"] = precision / np.maximum([len(grades) for grades in self.ideal], 1)
        return result


def _dcg(grades: Sequence[int]) -> float:
    return float((np.array(grades) / np.log2(np.arange(2, len(grades) + 2))).sum())


def table_of(
    name: str,
    index: Index,
    topics: Sequence[Topic],
    judgements: Judgements,
    id_prefix: str,
    *,
    judged_only: bool,
) -> Table:
    """Return a collection, which has to lie in one segment, as columns."""
    snapshot = index._current()
    (live,) = snapshot.segments
    ranking = Ranking()
    urls = dict(snapshot.catalogue.connection().execute("SELECT id, url FROM urls").fetchall())
    order = np.argsort(live.segment.key)  # versions of equal score are ordered by key: number them so
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    pages = live.segment.document.tolist()
    place_of = {urls[page].removeprefix(id_prefix): int(number[old]) for old, page in enumerate(pages)}
    columns: list[tuple[Ints, Ints, Floats, Floats]] = []
    asked = [topic for topic in topics if topic.id in judgements]
    grades = np.zeros((len(asked), len(order)), dtype=np.int64)
    judged = np.zeros((len(asked), len(order)), dtype=bool)
    for row, topic in enumerate(asked):
        for page, grade in judgements[topic.id].items():
            if page in place_of:
                grades[row, place_of[page]], judged[row, place_of[page]] = max(grade, 0), True
        query = without_stop_words(topic_query(topic.text), snapshot)
        for leaf, times in Counter(leaves(query.tree)).items():
            with handle() as query:
                match = Carried(
                    query, snapshot, program_of(snapshot, leaf, ranking, ranking.fold, NOT_WIDE), Deadline()
                )
                there = match.matched[0]
                factor = idf(ranking, snapshot.versions, len(there)) * times
                counts = np.zeros((len(there), len(ELEMENTS)))
                for element in range(len(ELEMENTS)):
                    one = np.zeros((len(there), len(ELEMENTS)))
                    one[:, element] = 1
                    counts[:, element] = match.weights(leaf, 0, there, one)
            keep = judged[row, number[there]] if judged_only else np.ones(len(there), dtype=bool)
            versions = number[there][keep]
            columns.append(
                (np.full(len(versions), row), versions, np.full(len(versions), factor), counts[keep])
            )
    topic_of, version, factors, counted = (np.concatenate(column) for column in zip(*columns, strict=True))
    pairs = topic_of * len(order) + version
    by_pair = np.argsort(pairs, kind="stable")
    starts = np.flatnonzero(np.diff(pairs[by_pair], prepend=-1))
    first = by_pair[starts]
    return Table(
        name, judged_only, starts, topic_of[first], version[first], grades[topic_of[first], version[first]],
        factors[by_pair], counted[by_pair], live.lengths(order).astype(np.int64)[version[by_pair]], snapshot.means,
        [sorted((g for g in judgements[topic.id].values() if g > 0), reverse=True) for topic in asked],
    )  # fmt: skip


# ---------------------------------------------------------------- choosing


def goal(tables: Sequence[Table], ranking: Ranking, rows: Sequence[Ints]) -> float:
    """Return what is made as great as it can: the mean of nDCG@10 and MAP (nDCG@3 if judged thinly) of some topics."""
    values = []
    for table, chosen in zip(tables, rows, strict=True):
        measured = table.measure(ranking)
        other = measured["ndcg@3" if table.judged_only else "map"]
        values.append((measured["ndcg@10"][chosen].mean() + other[chosen].mean()) / 2)
    return float(np.mean(values))


def tune(tables: Sequence[Table], rows: Sequence[Ints], keys: Sequence[str]) -> Ranking:
    """Return the best setting found on some topics: k1 and slope together first, for one means little without the
    other, then one value after the other, until nothing gets better."""
    ranking, best = START, goal(tables, START, rows)
    if {"k1", "slope"} <= set(keys):
        grid = [changed(START, slope=slope, k1=k1) for slope in TRIED["slope"] for k1 in TRIED["k1"]]
        reached = [goal(tables, candidate, rows) for candidate in grid]
        ranking, best = grid[int(np.argmax(reached))], max(reached)
    single = [key for key in keys if not {"k1", "slope"} <= set(keys) or key not in ("k1", "slope")]
    for _ in range(2):
        before = best
        for key in single:
            for value in TRIED[key]:
                candidate = changed(ranking, **{key: value})
                if (reached_now := goal(tables, candidate, rows)) > best + _WORTH:
                    ranking, best = candidate, reached_now
        if best == before:
            break
    return ranking


@dataclass
class Chosen:
    """What cross-validation gave: the setting of each fold, and the mean measures of the topics held out."""

    keys: Sequence[str]
    rankings: list[Ranking]
    held_out: list[dict[str, float]]

    def as_json(self) -> dict[str, object]:
        """Return it ready for JSON."""
        chosen = [{key: value_of(ranking, key) for key in self.keys} for ranking in self.rankings]
        return {"chosen": chosen, "held_out": self.held_out}


def cross_validate(tables: Sequence[Table], keys: Sequence[str]) -> Chosen:
    """Return what choosing these values gives on topics that took no part in choosing."""
    random = np.random.default_rng(SEED)
    fold_of = [random.permutation(len(table.ideal)) % FOLDS for table in tables]
    rankings = []
    held_out = [
        {name: np.zeros(len(table.ideal)) for name in ("ndcg@10", "map", "ndcg@3")} for table in tables
    ]
    for fold in range(FOLDS):
        ranking = tune(tables, [np.flatnonzero(folds != fold) for folds in fold_of], keys)
        rankings.append(ranking)
        for table, folds, held in zip(tables, fold_of, held_out, strict=True):
            measured = table.measure(ranking)
            for name, values in held.items():
                values[folds == fold] = measured[name][folds == fold]
    means = [{name: float(values.mean()) for name, values in held.items()} for held in held_out]
    return Chosen(keys, rankings, means)


def as_markdown(tables: Sequence[Table], tried: Mapping[str, Chosen]) -> str:
    """Return the figures of topics held out as a table, and what was chosen in each fold."""
    lines = [
        f"Topics held out ({FOLDS} folds), the values named chosen on the others, no nearness, no priors:",
        "",
        "| chosen | " + " | ".join(table.name for table in tables) + " | chosen values, by fold |",
        "|---" * (len(tables) + 2) + "|",
    ]
    for name, found in tried.items():
        cells = [
            f"{held['ndcg@10']:.4f} / {held['map']:.4f} / {held['ndcg@3']:.4f}" for held in found.held_out
        ]
        moved = [
            key for key in found.keys if any(value_of(r, key) != value_of(START, key) for r in found.rankings)
        ]
        values = [
            f"{key.replace('boost_', '')} " + ", ".join(f"{value_of(r, key):g}" for r in found.rankings)
            for key in moved
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {'; '.join(values)} |")
    return "\n".join(lines) + "\n"
