"""Measure how good the hits are, by settings and by judged collection, and tune the settings.

    python benchmarks/quality.py --collections DIR
    python benchmarks/quality.py --collections DIR --tune --write docs/ranking.md

DIR holds a folder for each collection: queries.tsv and qrels.txt, and pages.warc.gz, or docs.jsonl that to_warc.py
beside the folders makes into one (it needs warcio). Each collection is indexed as a web archive like any other.

Tuning is by two-fold cross-validation over the topics: settings are chosen on one half of the topics of all
collections together and measured on the other, then the other way round. Seeds are fixed.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from indexer import ELEMENTS, Index, IndexOptions, Ranking, build_index, open_index  # noqa: E402
from indexer.evaluation import (  # noqa: E402
    Evaluation,
    Topic,
    evaluate,
    read_qrels,
    read_topics,
    topic_query,
)
from indexer.search.matching import match_leaf  # noqa: E402
from indexer.search.query import leaves  # noqa: E402
from indexer.search.searcher import without_stop_words  # noqa: E402
from indexer.store.bm25f import idf, norms, saturate, weights  # noqa: E402

SEED = 1994
FOLDS = 2

# "Plain" weighs all elements alike: what a search without elements would do.
SETTINGS: dict[str, Ranking] = {
    "default": Ranking(),
    "plain": Ranking(k1=1.2, boost=dict.fromkeys(ELEMENTS, 1.0), b=dict.fromkeys(ELEMENTS, 0.75)),
}


@dataclass
class Collection:
    """A judged collection, indexed."""

    name: str
    index: Index
    topics: list[Topic]
    judgements: dict[str, dict[str, int]]
    id_prefix: str
    judged_only: bool  # where the judgements name few pages of each topic, the others are left out of the lists

    def evaluate(self, ranking: Ranking) -> Evaluation:
        return evaluate(
            self.index, self.topics, self.judgements, ranking=ranking, id_prefix=self.id_prefix, judged_only=self.judged_only,
        )  # fmt: skip


def open_collections(folder: Path, data: Path) -> list[Collection]:
    """Index what is not indexed yet, and return the collections by name."""
    data.mkdir(parents=True, exist_ok=True)
    found = []
    for place in sorted(path.parent for path in folder.glob("*/qrels.txt")):
        archive, is_web = place / "pages.warc.gz", True
        if not archive.exists():
            archive, is_web = data / f"{place.name}.warc.gz", False
            if not archive.exists():
                subprocess.run([sys.executable, str(folder / "to_warc.py"), str(place), str(archive)], check=True, stdout=sys.stderr)
        index = data / f"{place.name}-index"
        build_index([str(archive)], str(index), options=IndexOptions(workers=1))
        found.append(
            Collection(
                place.name, open_index(str(index)), read_topics(str(place / "queries.tsv")), read_qrels(str(place / "qrels.txt")),
                "" if is_web else f"http://collection.example/{place.name}/", is_web,
            )
        )  # fmt: skip
    return found


# Tuning --------------------------------------------------------------------------------


class Table:
    """A collection as columns, so that a setting is measured in some milliseconds: the same numbers as the engine's.

    A row for each word of a topic in each version that holds it: topic, version, counts by element, and idf times
    how often the topic has the word.
    """

    def __init__(self, collection: Collection) -> None:
        self.name, self.judged_only = collection.name, collection.judged_only
        snapshot = collection.index._current()
        (live,) = snapshot.segments  # a small collection lies in one segment
        segment = live.segment
        ranking = Ranking()
        slack = snapshot.slack(live, ranking)
        connection = snapshot.catalogue.connection()
        urls = dict(connection.execute("SELECT id, url FROM urls").fetchall())
        ids = [urls[int(document)].removeprefix(collection.id_prefix) for document in segment.document]
        order = np.argsort(segment.key)  # versions of equal score are ordered by key: number them so
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.arange(len(order))
        place_of = {ids[old]: int(number[old]) for old in range(len(ids))}
        self.lengths, self.means = segment.lengths[order].astype(np.int64), snapshot.means
        ones = np.zeros((len(segment), len(ELEMENTS)))
        self.topics = [topic for topic in collection.topics if topic.id in collection.judgements]
        rows: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]] = []
        self.grades = np.zeros((len(self.topics), len(segment)), dtype=np.int64)
        self.judged = np.zeros((len(self.topics), len(segment)), dtype=bool)
        self.ideal: list[list[int]] = []
        for row, topic in enumerate(self.topics):
            for page, grade in collection.judgements[topic.id].items():
                if page in place_of:
                    self.grades[row, place_of[page]] = max(grade, 0)
                    self.judged[row, place_of[page]] = True
            self.ideal.append(sorted((g for g in collection.judgements[topic.id].values() if g > 0), reverse=True))
            query = without_stop_words(topic_query(topic.text), snapshot)
            for leaf, times in Counter(leaves(query.tree)).items():
                match, _ = match_leaf(leaf, live, ranking, snapshot.means, slack)
                there = match.ordinals
                if not len(there):
                    continue
                factor = idf(ranking, snapshot.versions, len(there)) * times
                counts = np.zeros((len(there), len(ELEMENTS)), dtype=np.int64)
                for element in range(len(ELEMENTS)):
                    one = ones[: len(there)].copy()
                    one[:, element] = 1
                    counts[:, element] = match.exact(there, one)
                versions = number[there]
                if self.judged_only:
                    keep = self.judged[row, versions]
                    versions, counts = versions[keep], counts[keep]
                rows.append((np.full(len(versions), row), versions, np.full(len(versions), factor), counts))
        self.topic = np.concatenate([row[0] for row in rows])
        self.version = np.concatenate([row[1] for row in rows])
        self.factor = np.concatenate([row[2] for row in rows])
        self.counts = np.concatenate([row[3] for row in rows])

    def measure(self, ranking: Ranking, means: NDArray[np.float64] | None = None) -> dict[str, NDArray[np.float64]]:
        """Return nDCG@10, nDCG@3 and average precision of each topic."""
        norm = norms(ranking, self.lengths, self.means if means is None else means)
        score = self.factor * saturate(ranking, weights(self.counts, norm[self.version]))
        shape = self.grades.shape
        total = np.bincount(self.topic * shape[1] + self.version, score, minlength=shape[0] * shape[1]).reshape(shape)
        result = {name: np.zeros(shape[0]) for name in ("ndcg@10", "ndcg@3", "map")}
        for row, ideal in enumerate(self.ideal):
            if not ideal:
                continue
            held = np.flatnonzero(total[row])
            gains = self.grades[row, held[np.argsort(-total[row, held], kind="stable")]]
            for k in (10, 3):
                result[f"ndcg@{k}"][row] = _dcg(gains[:k]) / _dcg(np.array(ideal[:k]))
            at = np.flatnonzero(gains[:1000] > 0)
            result["map"][row] = (np.arange(1, len(at) + 1) / (at + 1)).sum() / len(ideal)
        return result


def _dcg(gains: NDArray[np.int64]) -> float:
    return float((gains / np.log2(np.arange(2, len(gains) + 2))).sum())


