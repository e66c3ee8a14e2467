"""How good the hits are: topics and judgements in, precision, recall, MAP, nDCG and the like out.

    from indexer import open_index
    from indexer.evaluation import evaluate, read_qrels, read_topics

    with open_index("MyIndex") as index:
        found = evaluate(index, read_topics("topics.txt"), read_qrels("qrels.txt"))
        print(found.mean.average_precision)

A *topic* is a test question, a *judgement* says how well a page answers it. Every measure is defined as
in trec_eval (tests/indexer/test_evaluation.py holds them against it); fall-out, which trec_eval lacks, is in the
tests by hand. The measures are our own code because ir-measures, the library for them, needs scipy, which no
other part of the project does.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from typing import TextIO

import numpy as np

from archiver.errors import FindingAidError
from archiver.warc import canonical_url
from indexer.index import Index
from indexer.search.query import Or, Query, Word
from indexer.search.widening import Widening
from indexer.store.bm25f import Ranking
from indexer.text.analysis import words_of

RUN_LENGTH = 1000  # pages kept of each topic, as is the custom of TREC
CUTOFFS = (5, 10, 20)  # of P@k
NDCG_CUTOFFS = (3, 10)

Grades = Mapping[str, int]
Judgements = Mapping[str, Grades]
Run = dict[str, list[tuple[str, float]]]  # by topic: (page id, score), best first


class TopicsError(FindingAidError):
    """A file of topics, judgements or a run cannot be read; the message says where and what was expected."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One test question: text, not a query."""

    id: str
    text: str


@dataclass(frozen=True)
class Measures:
    """The measures of one ranked list, or their means over topics (average_precision is then MAP).

    precision, recall, fall_out, f_beta look at the whole list, the others at its order.
    fall_out: share of the pages that are not relevant which the list holds. All lie between 0 and 1.
    """

    precision: float
    recall: float
    fall_out: float
    f_beta: float
    average_precision: float
    precision_at: dict[int, float]
    ndcg_at: dict[int, float]

    def named(self) -> dict[str, float]:
        """Return all of them by name: "precision", ..., "p@10", "ndcg@10"."""
        return {
            "precision": self.precision, "recall": self.recall, "fall_out": self.fall_out, "f_beta": self.f_beta,
            "average_precision": self.average_precision,
            **{f"p@{k}": value for k, value in self.precision_at.items()},
            **{f"ndcg@{k}": value for k, value in self.ndcg_at.items()},
        }  # fmt: skip


@dataclass(frozen=True)
class Evaluation:
    """The measures of a ranking on some topics.

    topics: by id, in the order of the topics file, those with judgements. mean: over these.
    run: the ranked lists behind them, also of topics without judgements.
    without_judgements: ids of topics that could not be measured. finds_judged_pages: False when no page found has
    a judgement for its topic, which tells that ids are spelled otherwise than the judgements have them.
    """

    topics: dict[str, Measures]
    mean: Measures
    run: Run
    without_judgements: tuple[str, ...]
    finds_judged_pages: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """How one measure differs between two evaluations of the same topics.

    difference: mean of second minus mean of first. better, worse: topics in which the second is better or worse.
    p_value: the chance of such a difference, or a greater one, if the two did not differ.
    """

    first: float
    second: float
    difference: float
    better: int
    worse: int
    p_value: float


# Files ---------------------------------------------------------------------------------


def read_topics(path: str) -> list[Topic]:
    """Return the topics of a file in TREC form or of lines `id TAB text`.

    TREC has written its topics in several ways: <top> with <num> and <title>, <topic number="1"> with <query>, names
    with a language before them (<EN-title>), end tags or none. Of a topic the title or query is the text, or the
    description when there is neither. Raises TopicsError, OSError.
    """
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        text = file.read()
    starts = list(_TOPIC.finditer(text)) if _TREC.search(text) else []
    if starts:
        ends = [start.start() for start in starts[1:]] + [len(text)]
        topics = [
            _trec_topic(path, start[1], text[start.end() : end])
            for start, end in zip(starts, ends, strict=True)
        ]
    else:
        topics = []
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                id_, tab, question = line.partition("\t")
                if not tab or not id_.strip():
                    raise TopicsError(
                        f"{path}: line {number}: expected the number of a topic, TAB, its text, or TREC's <top>"
                    )
                topics.append(Topic(id_.strip(), question.strip()))
    if not topics:
        raise TopicsError(f"{path}: there is no topic in it")
    twice = [id_ for id_, times in Counter(topic.id for topic in topics).items() if times > 1]
    if twice:
        raise TopicsError(f"{path}: topic {twice[0]} stands there more than once")
    return topics


_TREC = re.compile(r"\A\s*<|^[ \t]*<top(?:ic)?\b", re.MULTILINE | re.IGNORECASE)
_TOPIC = re.compile(r"<top(?:ic)?\b([^>]*)>", re.IGNORECASE)
_TOPIC_END = re.compile(r"</top(?:ic)?>", re.IGNORECASE)
_NUMBER_INSIDE = re.compile(r"\b(?:number|num|id)\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)
_FIELD = re.compile(
    r"<(?:[a-z]{2}-)?(num|number|id|identifier|title|query|desc|description|narr|narrative)\b[^>]*>",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?:Number|Topic|Description)\s*:\s*", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)


def _trec_topic(path: str, attributes: str, part: str) -> Topic:
    part = _TOPIC_END.split(part)[0]
    fields: dict[str, str] = {}
    places = list(_FIELD.finditer(part))
    for place, end in zip(places, [place.start() for place in places[1:]] + [len(part)], strict=True):
        text = re.split(r"\n[ \t]*<", part[place.end() : end], maxsplit=1)[
            0
        ]  # a field of a name we do not know
        value = " ".join(unescape(_TAG.sub(" ", text)).split())
        label = _LABEL.match(value)
        fields.setdefault(place[1].lower(), value[label.end() :] if label else value)
    number = _NUMBER_INSIDE.search(attributes)
    id_ = next(
        filter(None, map(fields.get, ("num", "number", "identifier", "id"))), number[1] if number else ""
    )
    question = next(filter(None, map(fields.get, ("title", "query", "desc", "description"))), "")
    if not id_ or not question:
        missing = "<num>" if not id_ else "<title> or <desc>"
        raise TopicsError(f"{path}: topic {id_ or 'without a number'}: expected {missing}")
    return Topic(id_, question)


def read_qrels(path: str) -> dict[str, dict[str, int]]:
    """Return grades by topic and page id of a file in TREC form: `topic 0 page grade`, or all `topic page grade`.

    Columns are parted by blanks or tabs; between tabs an id may hold blanks, and of other lines the page id may. A
    first line that names the columns is passed over. Raises TopicsError, OSError.
    """
    columns = 0
    judgements: dict[str, dict[str, int]] = {}
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            parts = _columns(line)
            if not parts or (number == 1 and parts[-1].lower() in _GRADE_NAMES):
                continue
            columns = columns or min(len(parts), 4)
            if columns == 4 and len(parts) > 4:
                parts[2:-1] = [" ".join(parts[2:-1])]
            if len(parts) != columns or columns < 3 or not re.fullmatch(r"[-+]?\d{1,9}(?:\.0+)?", parts[-1]):
                raise TopicsError(
                    f"{path}: line {number}: expected four columns, topic 0 page grade; found {line.strip()[:80]!r}"
                )
            judgements.setdefault(parts[0], {})[parts[-2]] = int(float(parts[-1]))
    if not judgements:
        raise TopicsError(f"{path}: there is no judgement in it")
    return judgements


_GRADE_NAMES = frozenset(
    {"score", "grade", "rel", "relevance", "relevancy", "label", "judgment", "judgement"}
)


def _columns(line: str) -> list[str]:
    parts = [part.strip() for part in line.split("\t")]
    return parts if len(parts) in (3, 4) and all(parts) else line.split()


def write_run(file: TextIO, run: Run, tag: str = "findingaid") -> None:
    """Write ranked lists in TREC form.

    trec_eval reads scores in single precision and orders equal ones by id: where two would become equal there,
    the lower one is made smaller by the least amount, so that it sees our order.
    """
    for topic, ranked in run.items():
        last = np.float32(np.inf)
        for rank, (page, score) in enumerate(ranked, start=1):
            last = min(np.float32(score), np.nextafter(last, np.float32(-np.inf)))
            file.write(f"{topic} Q0 {page} {rank} {last:.9g} {tag}\n")


# Measures ------------------------------------------------------------------------------


def measure(ranked: Sequence[str], grades: Grades, *, pages: int, beta: float = 1.0) -> Measures:
    """Return the measures of one ranked list of page ids, best first.

    grades: of the judged pages; 1 and more is relevant, all others are not. pages: how many there are in all.
    Sources: van Rijsbergen, "Information Retrieval" (1979), chapter 7 (F-beta, fall-out); Jarvelin and Kekalainen,
    "Cumulated gain-based evaluation of IR techniques" (2002), with log2(rank + 1) as discount.
    """
    gains = [max(0, grades.get(page, 0)) for page in ranked]
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    found = sum(gain > 0 for gain in gains)
    precision, recall = _share(found, len(ranked)), _share(found, len(ideal))
    hits, precisions = 0, 0.0
    for rank, gain in enumerate(gains, start=1):
        if gain > 0:
            hits += 1
            precisions += hits / rank
    return Measures(
        precision=precision,
        recall=recall,
        fall_out=_share(len(ranked) - found, pages - len(ideal)),
        f_beta=f_beta(precision, recall, beta),
        average_precision=_share(precisions, len(ideal)),
        precision_at={k: sum(gain > 0 for gain in gains[:k]) / k for k in CUTOFFS},
        ndcg_at={k: _share(_dcg(gains[:k]), _dcg(ideal[:k])) for k in NDCG_CUTOFFS},
    )


def f_beta(precision: float, recall: float, beta: float = 1.0) -> float:
    """Return the weighted harmonic mean of both; recall counts beta times as much as precision.

    Source: van Rijsbergen (1979). What trec_eval takes as parameter of set_F is the square of beta.
    """
    return _share((1 + beta**2) * precision * recall, beta**2 * precision + recall)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def _dcg(gains: Iterable[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def mean_of(measures: Sequence[Measures]) -> Measures:
    """Return the mean of each measure; 0 when there is nothing to average."""

    def mean(values: Iterable[float]) -> float:
        return _share(math.fsum(values), len(measures))

    return Measures(
        precision=mean(m.precision for m in measures),
        recall=mean(m.recall for m in measures),
        fall_out=mean(m.fall_out for m in measures),
        f_beta=mean(m.f_beta for m in measures),
        average_precision=mean(m.average_precision for m in measures),
        precision_at={k: mean(m.precision_at[k] for m in measures) for k in CUTOFFS},
        ndcg_at={k: mean(m.ndcg_at[k] for m in measures) for k in NDCG_CUTOFFS},
    )


def measure_run(
    run: Run, judgements: Judgements, *, pages: int, judged_only: bool = False, beta: float = 1.0
) -> dict[str, Measures]:
    """Return the measures of each topic that has judgements and stands in the run.

    judged_only: leave pages without a judgement for the topic out of its list first.
    """
    measured = {}
    for topic, ranked in run.items():
        if topic in judgements:
            grades = judgements[topic]
            ids = [page for page, _ in ranked if not judged_only or page in grades]
            measured[topic] = measure(ids, grades, pages=pages, beta=beta)
    return measured


# An index on topics --------------------------------------------------------------------


def evaluate(
    index: Index,
    topics: Sequence[Topic],
    judgements: Judgements,
    *,
    ranking: Ranking | None = None,
    id_prefix: str = "",
    judged_only: bool = False,
    beta: float = 1.0,
    expand: Sequence[str] = (),
    widening: Widening | None = None,
) -> Evaluation:
    """Return how well an index answers topics.

    ranking: the settings to try; None for those of the index. id_prefix: what stands before a judged id to make it
    an address; addresses outside it are their own ids. judged_only: leave pages without a judgement for the topic
    out of its list; its 1,000 pages are then those with one. expand, widening: ways to widen each topic, and other
    settings for them.
    """
    names = _Names(judgements, id_prefix)
    run: Run = {}
    for topic in topics:
        grades = judgements.get(topic.id, {})
        found = index.ranked_pages(
            topic_query(topic.text), None if judged_only else RUN_LENGTH, ranking=ranking, expand=expand,
            widening=widening,
        )  # fmt: skip
        best: dict[str, float] = {}
        for url, score in found:  # two spellings of one address are one page: its better place counts
            best.setdefault(names.of(url), score)
        ranked = [(page, score) for page, score in best.items() if not judged_only or page in grades]
        run[topic.id] = ranked[:RUN_LENGTH]
    pages = index.statistics().documents
    measured = measure_run(run, judgements, pages=pages, beta=beta)
    without = tuple(topic.id for topic in topics if topic.id not in judgements)
    found_judged = any(page in judgements[topic] for topic in measured for page, _ in run[topic])
    return Evaluation(measured, mean_of(list(measured.values())), run, without, found_judged)


def topic_query(text: str) -> Query:
    """Return the query for a topic: pages with any of its words; a word that stands there twice counts twice."""
    words = tuple(Word(word) for word in words_of(text))
    return Query(text, Or(words, implied=True) if len(words) > 1 else words[0] if words else None)


class _Names:
    """Tells the id of a page from its address: that of the judgements, whatever the spelling there."""

    def __init__(self, judgements: Judgements, prefix: str) -> None:
        self._prefix = prefix
        self._judged: dict[str, str] = {}
        judged = {page for grades in judgements.values() for page in grades}
        for page in sorted(judged):
            self._judged.setdefault(_canonical(prefix + page), page)
        for page in judged:
            self._judged[prefix + page] = page

    def of(self, url: str) -> str:
        known = self._judged.get(url) or self._judged.get(_canonical(url))
        if known is not None:
            return known
        return re.sub(r"\s", "%20", url.removeprefix(self._prefix)) or url  # a run file has columns


def _canonical(url: str) -> str:
    try:
        return canonical_url(url)
    except ValueError:
        return url


# Two settings --------------------------------------------------------------------------


def compare(
    first: Evaluation, second: Evaluation, *, rounds: int = 20_000, seed: int = 1
) -> dict[str, Comparison]:
    """Return by name of the measure how `second` differs from `first`, over the topics that both have measured.

    The test is Fisher's randomisation test on the differences by topic: if the two settings did not differ, each
    difference might as well have the other sign. Two-sided, `rounds` random choices of signs, the same for a seed.
    Source: Smucker, Allan and Carterette, "A comparison of statistical significance tests for information
    retrieval evaluation" (2007).
    """
    both = [topic for topic in first.topics if topic in second.topics]
    before = [first.topics[topic].named() for topic in both]
    after = [second.topics[topic].named() for topic in both]
    compared = {}
    for name in first.mean.named():
        old = np.array([values[name] for values in before])
        new = np.array([values[name] for values in after])
        difference = new - old
        compared[name] = Comparison(
            first=float(old.mean()) if both else 0.0,
            second=float(new.mean()) if both else 0.0,
            difference=float(difference.mean()) if both else 0.0,
            better=int((difference > 0).sum()),
            worse=int((difference < 0).sum()),
            p_value=randomisation_test(difference.tolist(), rounds=rounds, seed=seed),
        )
    return compared


def randomisation_test(differences: Sequence[float], *, rounds: int = 20_000, seed: int = 1) -> float:
    """Return how likely it is that differences with random signs have a sum as far from 0 as these have, or farther."""
    values = np.array([difference for difference in differences if difference])
    if not len(values):
        return 1.0
    observed = abs(float(values.sum())) * (
        1 - 1e-12
    )  # sums of the same numbers in another order count as equal
    random = np.random.default_rng(seed)
    as_far = 0
    for done in range(0, rounds, 1000):
        signs = random.integers(0, 2, size=(min(1000, rounds - done), len(values)), dtype=np.int8) * 2 - 1
        as_far += int((np.abs(signs @ values) >= observed).sum())
    return (as_far + 1) / (rounds + 1)
