"""What a query may cost: words it stands for, and time; a partial answer is right for what was looked at."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from indexer.search import searcher
from indexer.search.deadline import Deadline
from indexer.search.query import Fuzzy, Wildcard, parse_query
from indexer.search.running import Carried
from indexer.search.searcher import Ranked, search
from indexer.search.vocabulary import expand
from indexer.store.bm25f import Ranking
from indexer.store.snapshot import Snapshot
from tests.indexer.making import BODY, DirectIndex
from tests.indexer.plain import PlainVersion


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """40 pages: page n holds heron and gull, and word0 to word<n>."""
    with DirectIndex(tmp_path_factory.mktemp("limits")) as index:
        for batch in range(2):
            index.add(
                str(batch),
                [
                    PlainVersion(
                        f"http://a.example/{n}",
                        running=((BODY, "heron and gull " + " ".join(f"word{i}" for i in range(n + 1))),),
                    )
                    for n in range(batch * 20, batch * 20 + 20)
                ],
            )
        snapshot = index.snapshot()
        yield snapshot
        snapshot.catalogue.close()


def ask(snapshot: Snapshot, text: str, budget_s: float | None = None) -> Ranked:
    return search(snapshot, parse_query(text), Ranking(), offset=0, limit=100, budget_s=budget_s)


class Looks(Deadline):
    """A budget that is a number of looks at the clock."""

    def __init__(self, budget_s: float | None = None) -> None:
        super().__init__(None)
        self.looks = None if budget_s is None else int(budget_s)
        self._done = 0

    def is_over(self) -> bool:
        self._done += 1
        return self.looks is not None and self._done > self.looks

    def part(self, share: float) -> Looks:
        return Looks(None if self.looks is None else self.looks * share)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searcher, "Deadline", Looks)


def segments(snapshot: Snapshot) -> list[object]:
    return [live.segment for live in snapshot.segments]


def test_a_wildcard_stands_for_its_most_frequent_words(snapshot: Snapshot) -> None:
    leaf = Wildcard("word*")
    found = expand(leaf, segments(snapshot), Deadline(), limit=3)  # type: ignore[arg-type]
    assert set(found.words[leaf]) == {"word0", "word1", "word2"}
    assert found.notices == ("word* stands for more than 3 words; the most frequent are looked for",)
    assert len(expand(leaf, segments(snapshot), Deadline()).words[leaf]) == 40  # type: ignore[arg-type]


def test_a_fuzzy_word_stands_for_the_nearest(snapshot: Snapshot) -> None:
    leaf = Fuzzy("word7", 2)
    found = expand(leaf, segments(snapshot), Deadline(), limit=4)  # type: ignore[arg-type]
    assert found.words[leaf] == {"word7": 1.0, "word0": 0.5, "word1": 0.5, "word2": 0.5}


def test_the_words_of_a_query_share_the_limit(snapshot: Snapshot) -> None:
    tree = parse_query("word1* word2* title:word2*").tree
    assert tree is not None
    found = expand(tree, segments(snapshot), Deadline(), limit=4)  # type: ignore[arg-type]
    assert [len(words) for words in found.words.values()] == [2, 2, 2]


@pytest.mark.parametrize(
    "text",
    [
        "heron",
        "heron NEAR gull",
        '"heron gull"~3',
        '"word1 word2 word3"~2',
        "word1* OR NOT heron",
        "h* gul~1",
    ],
)
def test_a_partial_answer_is_part_of_the_whole_one_and_says_so(
    snapshot: Snapshot, text: str, looks: None
) -> None:
    whole = ask(snapshot, text)
    assert not whole.timed_out
    every = {page.document for page in whole.found}
    totals = set()
    for budget in range(0, 900, 6):
        part = ask(snapshot, text, budget_s=budget)
        assert {page.document for page in part.found} <= every
        is_ranked = not any("were ranked" in notice for notice in part.query.notices)
        assert part.total == len(part.found) if is_ranked else part.total > len(part.found) > 0
        assert part.timed_out == any("the time was up" in notice for notice in part.query.notices)
        if not part.timed_out:
            assert part.total == whole.total
        totals.add(part.total)
    assert {0, whole.total} <= totals


def test_the_answer_grows_with_the_time(snapshot: Snapshot, looks: None) -> None:
    totals = [ask(snapshot, "heron NEAR gull", budget_s=budget).total for budget in range(0, 200, 4)]
    assert totals == sorted(totals)
    assert len(set(totals)) > 4  # not all or nothing


@pytest.mark.parametrize(
    "text",
    [
        '"heron gull"~3',
        '"heron and gull"',
        '"word1 word2 word3"~2',
        "(h* OR g*) NEAR/9 w*",
        "w* heron~2 gull~1",
        "*o* *e* *u*",
        "task:(*o* *e*)",
    ],
)
def test_a_query_ends_one_step_after_its_time(
    snapshot: Snapshot, text: str, looks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The core looks at the clock at each version whose positions it reads; when the time is up, once for each leaf."""
    carried: list[Carried] = []
    made = Carried.__init__

    def kept(self: Carried, *arguments: Any, **named: Any) -> None:
        made(self, *arguments, **named)
        carried.append(self)

    monkeypatch.setattr(Carried, "__init__", kept)
    spent = set[tuple[int, int]]()
    for budget in range(0, 3000, 4):
        carried.clear()
        part = ask(snapshot, text, budget_s=budget)
        for each in carried:
            leaves = (len(each.leaves) + 2) * len(snapshot.segments)
            assert each.told.looks <= budget + leaves, budget
        spent.add((carried[-1].told.looks, part.total))
        if not part.timed_out:
            break
    assert not part.timed_out
    assert len(spent) > 1  # the time makes a difference


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_page_may_have_very_many_versions_that_are_equally_good(count: int) -> None:
    """Of a page that was captured 100,000 times, each time another, the same search took five minutes."""
    number = 150_000
    numbered = SimpleNamespace(_plan=SimpleNamespace(numbers=[7]))
    rows = [(2.0, 0, n, 5) for n in range(number)]
    rows += [(2.0, 0, number, 6), (1.0, 0, number + 1, 5), (1.0, 0, number + 2, 4)]
    found = searcher._Run._pages_of(numbered, rows, count)  # type: ignore[arg-type]
    first = searcher.Found(5, 2.0, tuple((7, n) for n in range(number)))
    others = [searcher.Found(6, 2.0, ((7, number),)), searcher.Found(4, 1.0, ((7, number + 2),))]
    assert found == [first, *others][:count]
