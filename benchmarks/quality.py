"""Measure how good the hits are, by settings and by judged collection, and tune the settings.

    python benchmarks/quality.py --collections DIR
    python benchmarks/quality.py --collections DIR --tune --write docs/ranking.md

DIR holds a folder for each collection: queries.tsv and qrels.txt, and pages.warc.gz, or docs.jsonl that to_warc.py
beside the folders makes into one (it needs warcio). Each collection is indexed as a web archive like any other.

Tuning is by two-fold cross-validation over the topics: settings are chosen on one half of the topics of all
collections together and measured on the other, then the other way round. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from indexer import ELEMENTS, Index, IndexOptions, Ranking, build_index, open_index  # noqa: E402
from indexer.evaluation import (  # noqa: E402
    Evaluation,
    Topic,
    compare,
    evaluate,
    read_qrels,
    read_topics,
    topic_query,
)
from indexer.search.matching import match_leaf  # noqa: E402
from indexer.search.models import MODELS  # noqa: E402
from indexer.search.query import leaves  # noqa: E402
from indexer.search.searcher import without_stop_words  # noqa: E402
from indexer.store.bm25f import idf, norms, saturate, weights  # noqa: E402

SEED = 1994
MARKS = ("<!-- made by benchmarks/quality.py -->", "<!-- end -->")

DEFAULT = Ranking()
# "alike" weighs all elements alike: what a search that knows no elements would do.
ALIKE = Ranking(k1=1.2, boost=dict.fromkeys(ELEMENTS, 1.0), b=dict.fromkeys(ELEMENTS, 0.75))


def changed(ranking: Ranking, **values: float) -> Ranking:
    """Return a ranking with other values, named k1, boost_title, b_body and so on."""
    for key, value in values.items():
        part, _, element = key.partition("_")
        ranking = replace(ranking, **{part: {**getattr(ranking, part), element: value} if element else value})
    return ranking


SETTINGS: dict[str, Ranking] = {
    "default": DEFAULT,
    "all elements alike, k1 1.2, b 0.75": replace(ALIKE, near=0.0, depth=0.0, linked=0.0),
    "k1 2.5": changed(DEFAULT, k1=2.5),
    "k1 10": changed(DEFAULT, k1=10.0),
    "title 5": changed(DEFAULT, boost_title=5.0),
    "heading 2": changed(DEFAULT, boost_heading=2.0),
    "url 3": changed(DEFAULT, boost_url=3.0),
    "inlink 3": changed(DEFAULT, boost_inlink=3.0),
    "inlink 0": changed(DEFAULT, boost_inlink=0.0),
    "b of the body 0.4": changed(DEFAULT, b_body=0.4),
    "other forms 1": replace(DEFAULT, other_forms=1.0),
    "other forms 0.7": replace(DEFAULT, other_forms=0.7),
    "near 0": replace(DEFAULT, near=0.0),
    "near 0.5": replace(DEFAULT, near=0.5),
    "depth 0, linked 0": replace(DEFAULT, depth=0.0, linked=0.0),
    "classic idf": replace(DEFAULT, idf="classic"),
    **{f"model {name}": replace(DEFAULT, model=name) for name in MODELS if name != "bm25f"},
}
EXPANSIONS = ("rocchio", "cooccur", "wordnet", "lsi")
# What is tried for each value while tuning. Elements that no collection has keep their defaults.
TRIED: dict[str, Sequence[float]] = {
    "k1": (0.8, 1.2, 1.6, 2, 2.5, 3, 4, 5, 6, 8, 10, 14, 20),
    **{
        f"boost_{name}": (0, 0.5, 1, 1.5, 2, 3, 4, 5, 7, 10, 15)
        for name in ("title", "heading", "url", "keywords", "inlink")
    },
    **{
        f"b_{name}": (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.75, 0.9)
        for name in ("title", "heading", "url", "keywords", "inlink")
    },
    "b_body": (0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 1),
}


@dataclass
class Collection:
    """A judged collection, indexed."""

    name: str
    index: Index
    topics: list[Topic]
    judgements: dict[str, dict[str, int]]
    id_prefix: str
    judged_only: (
        bool  # where the judgements name few pages of each topic, the others are left out of the lists
    )

    def evaluate(self, ranking: Ranking, expand: Sequence[str] = ()) -> Evaluation:
        return evaluate(
            self.index, self.topics, self.judgements, ranking=ranking, id_prefix=self.id_prefix,
            judged_only=self.judged_only, expand=expand,
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
                subprocess.run(
                    [sys.executable, str(folder / "to_warc.py"), str(place), str(archive)],
                    check=True,
                    stdout=sys.stderr,
                )
        index = data / f"{place.name}-index"
        build_index([str(archive)], str(index), options=IndexOptions(workers=1))
        found.append(
            Collection(
                place.name, open_index(str(index)), read_topics(str(place / "queries.tsv")),
                read_qrels(str(place / "qrels.txt")),
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
        self.lengths, self.means = live.lengths(order).astype(np.int64), snapshot.means
        ones = np.zeros((len(segment), len(ELEMENTS)))
        self.topics = [topic for topic in collection.topics if topic.id in collection.judgements]
        rows: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]] = []
        self.grades = np.zeros((len(self.topics), len(segment)), dtype=np.int64)
        self.judged = np.zeros((len(self.topics), len(segment)), dtype=bool)
        self.ideal: list[list[int]] = []
        for row, topic in enumerate(self.topics):
            for page, grade in collection.judgements[topic.id].items():
                if page in place_of:
                    self.grades[row, place_of[page]] = max(grade, 0)
                    self.judged[row, place_of[page]] = True
            self.ideal.append(
                sorted((g for g in collection.judgements[topic.id].values() if g > 0), reverse=True)
            )
            query = without_stop_words(topic_query(topic.text), snapshot)
            for leaf, times in Counter(leaves(query.tree)).items():
                match, _ = match_leaf(leaf, live, ranking, snapshot.means, slack)
                there = match.ordinals
                if not len(there):
                    continue
                factor = idf(ranking, snapshot.versions, len(there)) * times
                counts = np.zeros((len(there), len(ELEMENTS)))
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

    def measure(self, ranking: Ranking) -> dict[str, NDArray[np.float64]]:
        """Return nDCG@10, nDCG@3 and average precision of each topic."""
        norm = norms(ranking, self.lengths, self.means)
        score = self.factor * saturate(ranking, weights(self.counts, norm[self.version]))
        shape = self.grades.shape
        total = np.bincount(
            self.topic * shape[1] + self.version, score, minlength=shape[0] * shape[1]
        ).reshape(shape)
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


Rows = list[NDArray[np.int64]]  # for each collection the topics looked at


def goal(tables: list[Table], ranking: Ranking, rows: Rows) -> float:
    """Return what tuning makes as great as it can: the mean of nDCG@10 and MAP (nDCG@3 if judged thinly)."""
    values = []
    for table, chosen in zip(tables, rows, strict=True):
        measured = table.measure(ranking)
        other = measured["ndcg@3" if table.judged_only else "map"]
        values.append((measured["ndcg@10"][chosen].mean() + other[chosen].mean()) / 2)
    return float(np.mean(values))


def tune(tables: list[Table], rows: Rows) -> Ranking:
    """Return the best setting found on some topics: one value after the other is moved, until nothing gets better."""
    ranking, best = ALIKE, goal(tables, ALIKE, rows)
    while True:
        before = best
        for key, values in TRIED.items():
            for value in values:
                candidate = changed(ranking, **{key: value})
                reached = goal(tables, candidate, rows)
                if reached > best + 1e-6:
                    ranking, best = candidate, reached
        if best < before + 1e-4:
            return ranking


@dataclass
class Tuned:
    """What cross-validation gave: the settings of both halves, the measures of each topic with those of the other."""

    halves: list[Ranking]
    held_out: list[dict[str, float]]


def cross_validate(tables: list[Table]) -> Tuned:
    random = np.random.default_rng(SEED)
    first = [np.sort(random.permutation(len(table.topics))[: len(table.topics) // 2]) for table in tables]
    second = [
        np.setdiff1d(np.arange(len(table.topics)), half) for table, half in zip(tables, first, strict=True)
    ]
    halves = [tune(tables, first), tune(tables, second)]
    held_out = []
    for number, table in enumerate(tables):
        with_first, with_second = (table.measure(ranking) for ranking in halves)
        together = {
            name: np.concatenate([with_first[name][second[number]], with_second[name][first[number]]])
            for name in with_first
        }
        held_out.append({name: float(values.mean()) for name, values in together.items()})
    return Tuned(halves, held_out)


# The table -----------------------------------------------------------------------------


def numbers_of(evaluation: Evaluation) -> dict[str, float]:
    mean = evaluation.mean
    return {"ndcg@10": mean.ndcg_at[10], "ndcg@3": mean.ndcg_at[3], "map": mean.average_precision}


def measure_all(collections: list[Collection], tables: list[Table], *, tuning: bool) -> dict[str, object]:
    """Return all figures, ready for JSON."""
    rows: dict[str, dict[str, dict[str, float]]] = {}
    base: dict[str, Evaluation] = {}
    tried: list[tuple[str, Ranking, Sequence[str]]] = [
        *((name, ranking, ()) for name, ranking in SETTINGS.items()),
        *((f"default, widened by {name}", DEFAULT, (name,)) for name in EXPANSIONS),
    ]
    for name, ranking, expand in tried:
        rows[name] = {}
        for collection in collections:
            found = collection.evaluate(ranking, expand)
            base.setdefault(collection.name, found)
            rows[name][collection.name] = numbers_of(found)
            rows[name][collection.name]["p"] = compare(base[collection.name], found)["ndcg@10"].p_value
    result: dict[str, object] = {
        "collections": {c.name: [c.index.statistics().documents, len(base[c.name].topics)] for c in collections},
        "rows": rows,
    }  # fmt: skip
    if tuning:
        tuned = cross_validate(tables)
        rows["tuned on the other half of the topics"] = {
            table.name: held_out for table, held_out in zip(tables, tuned.held_out, strict=True)
        }
        result["halves"] = [
            {
                key: getattr(half, key)
                if key == "k1"
                else getattr(half, key.partition("_")[0])[key.partition("_")[2]]
                for key in TRIED
            }
            for half in tuned.halves
        ]
    return result


def as_markdown(result: dict[str, object]) -> str:
    """Return the figures as tables."""
    collections, rows = result["collections"], result["rows"]
    assert isinstance(collections, dict) and isinstance(rows, dict)
    lines = [
        f"Measured on {time.strftime('%Y-%m-%d')}. nDCG@10 / MAP / nDCG@3; `*` where nDCG@10 differs from the"
        " default with p < 0.05.",
        "",
        "| settings | "
        + " | ".join(f"{name} ({size[0]:,} pages, {size[1]} topics)" for name, size in collections.items())
        + " |",
        "|---" * (len(collections) + 1) + "|",
    ]
    for row, values in rows.items():
        cells = []
        for name in collections:
            value = values[name]
            star = " *" if value.get("p", 1) < 0.05 else ""
            cells.append(f"{value['ndcg@10']:.4f} / {value['map']:.4f} / {value['ndcg@3']:.4f}{star}")
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    halves = result.get("halves")
    if isinstance(halves, list):
        lines += [
            "",
            "What tuning chose:",
            "",
            "| value | first half | second half | default |",
            "|---|---|---|---|",
        ]
        for key in TRIED:
            part, _, element = key.partition("_")
            default = getattr(DEFAULT, part)
            default = default[element] if element else default
            lines.append(
                f"| {part} {element} | ".replace("  ", " ")
                + " | ".join(f"{h[key]:g}" for h in halves)
                + f" | {default:g} |"
            )
    return "\n".join(lines) + "\n"


def write_into(path: Path, text: str) -> None:
    """Put the tables between the two marks of a page."""
    page = path.read_text(encoding="utf-8")
    before, _, rest = page.partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    path.write_text(f"{before}{MARKS[0]}\n\n{text}\n{MARKS[1]}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--collections", type=Path, required=True, help="the folder with the judged collections"
    )
    parser.add_argument(
        "--data", type=Path, default=HERE / "data" / "quality", help="where archives and indexes go"
    )
    parser.add_argument("--tune", action="store_true", help="tune by cross-validation, too (some minutes)")
    parser.add_argument("--write", type=Path, help="put the tables into this page, between its marks")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    arguments = parser.parse_args()
    collections = open_collections(arguments.collections, arguments.data)
    if not collections:
        sys.exit(f"quality.py: {arguments.collections}: no folder in it has a qrels.txt")
    tables = [Table(collection) for collection in collections]
    result = measure_all(collections, tables, tuning=arguments.tune)
    if arguments.write:
        write_into(arguments.write, as_markdown(result))
    print(json.dumps(result) if arguments.json else as_markdown(result), end="\n" if arguments.json else "")


if __name__ == "__main__":
    main()
