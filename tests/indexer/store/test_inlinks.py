"""Texts of links, folded into the pages they point to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.search.query import parse_query
from indexer.search.searcher import search
from indexer.store import inlinks, merging, plans
from indexer.store.bm25f import Ranking
from indexer.store.checking import check_generation
from indexer.store.inlinks import _spelled
from indexer.text.analysis import analyze_pages
from indexer.text.elements import INLINK, PageText
from tests.indexer.making import DirectIndex, addresses
from tests.indexer.plain import PlainSearch, PlainVersion
from tests.store_batches import contents


def page(url: str, *links: tuple[str, str], title: str = "page", text: str = "") -> PlainVersion:
    return PlainVersion(url, title=title, links=links, running=((6, text + "\n"),) if text else ())


def found(index: DirectIndex, query: str) -> set[str]:
    snapshot = index.snapshot()
    ranked = search(snapshot, parse_query(query), Ranking(), offset=0, limit=100)
    names = addresses(snapshot)
    return {names[item.document] for item in ranked.found}


def texts_by_page(index: DirectIndex) -> dict[tuple[str, str], list[tuple[str, int]]]:
    """Return (word, position) of the link texts of each version, by its address and digest."""
    index.writer.fold_links()
    snapshot = index.snapshot()
    names: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for live in snapshot.segments:
        assert live.inlinks is not None
        rows = snapshot.catalogue.connection().execute(
            "SELECT v.place & 65535, u.url, hex(v.digest) FROM versions v JOIN urls u ON u.id = v.url"
            " WHERE v.place >> 16 = ?",
            (live.number,),
        )
        name = {ordinal: (url, digest) for ordinal, url, digest in rows}
        for (word, ordinal, element), positions in contents(live.inlinks).items():
            assert element == INLINK
            if ordinal in name:
                names.setdefault(name[ordinal], []).extend((word, position) for position in positions)
    return {name: sorted(words) for name, words in names.items()}


def words_of(index: DirectIndex) -> dict[str, Counter[str]]:
    return {url: Counter(word for word, _ in words) for (url, _), words in texts_by_page(index).items()}


def test_a_page_is_found_by_what_others_call_it(tmp_path: Path) -> None:
    with DirectIndex(tmp_path) as index:
        index.add("1", [page("http://a.example/"), page("http://c.example/", text="cellar door")])
        index.add("2", [page("http://b.example/", ("HTTPS://A.example", "The grand  Hotel"))])
        index.writer.merge()
        assert found(index, "inlink:hotel") == {"http://a.example/"}
        assert found(index, "hotels page") == {"http://a.example/"}
        assert found(index, '"grand hotel"') == {"http://a.example/"}
        assert found(index, "title:hotel") == set()
        assert check_generation(index.folder) == []


def test_no_phrase_reaches_from_one_text_into_the_next(tmp_path: Path) -> None:
    with DirectIndex(tmp_path) as index:
        index.add("1", [page("http://a.example/")])
        index.add(
            "2", [page("http://b.example/", ("http://a.example", "alpha"), ("http://a.example", "beta"))]
        )
        index.writer.merge()
        assert found(index, "alpha beta") == {"http://a.example/"}
        assert found(index, '"alpha beta"') == set()


def test_words_go_with_the_page_that_links(tmp_path: Path) -> None:
    with DirectIndex(tmp_path) as index:
        index.add("1", [page("http://a.example/")])
        index.add("2", [page("http://b.example/", ("http://a.example", "hotel"))])
        index.writer.merge()
        index.forget("2")
        index.writer.merge()
        assert found(index, "hotel") == set()
        assert texts_by_page(index) == {}


def test_a_menu_counts_little_more_than_a_link(tmp_path: Path) -> None:
    """Own pages: once. Another site: once, and once more for each doubling. Several sites: once each."""
    own = [page(f"http://www.a.example/{n}", ("/", "own")) for n in range(9)]
    other = [page(f"http://b.example/{n}", ("http://a.example/", "menu")) for n in range(8)]
    sites = [page(f"http://{name}.example/", ("http://a.example/", "many")) for name in ("c", "d", "e")]
    with DirectIndex(tmp_path) as index:
        index.add("1", [page("http://a.example/"), *own, *other, *sites])
        # the front page's own site is a.example, with or without www
        assert words_of(index) == {"http://a.example/": Counter(menu=4, many=3)}
        [live] = index.snapshot().segments
        assert live.inlinks is not None
        assert live.inlinks.file.array("linking_sites")[0] == 4


def test_versions_of_a_linking_page_count_once(tmp_path: Path) -> None:
    with DirectIndex(tmp_path) as index:
        link = ("http://a.example/", "hotel")
        index.add("1", [page("http://a.example/", title=f"edition {n}") for n in range(2)])
        index.add("2", [page("http://b.example/", link, title=f"edition {n}") for n in range(5)])
        words = texts_by_page(index)
        assert [name[0] for name in words] == ["http://a.example/"] * 2
        assert list(words.values()) == [[("hotel", 0)]] * 2


@pytest.mark.parametrize(("address", "depth"), [
    ("com,a)/", 0), ("com,a)/x", 1), ("com,a)/x/", 1), ("com,a)/x/y", 2), ("com,a)/?q=1", 1), ("com,a)/x/y?q=/z", 3),
])  # fmt: skip
def test_depth_of_an_address(address: str, depth: int) -> None:
    assert inlinks.depth_of(address) == depth


def take_out(index: DirectIndex, name: str) -> None:
    """Remove what a file holds, with its links, as `findingaid remove` does."""
    file = index.writer.files.find(name)
    assert file is not None
    with index.writer.catalogue.transaction() as connection:
        index.writer.drop_captures(connection, "file = ?", [file.number])


def test_only_pages_to_which_links_come_or_go_are_folded_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plans, "MERGE_VERSIONS", 1)  # a segment a page

    def editions() -> list[int]:
        return [entry["inlinks"] for entry in index.writer.segments()]

    with DirectIndex(tmp_path) as index:
        index.add("1", [page("http://a.example/")])
        index.add("2", [page("http://b.example/")])
        index.add("3", [page("http://c.example/", ("http://b.example/", "hotel"))])
        index.writer.merge()
        assert editions() == [1, 1, 1]
        index.add("4", [page("http://d.example/", ("http://a.example/", "cellar"))])
        index.writer.merge()
        assert editions() == [2, 1, 1, 1]
        assert found(index, "cellar") == {"http://a.example/"}
        take_out(index, "3")
        assert editions() == [2, 2, 2, 1]
        assert found(index, "hotel") == set() and check_generation(index.folder) == []


URLS = [f"http://{host}.example/{path}" for host in ("a", "www.a", "b", "c") for path in ("", "x", "y")]
versions = st.builds(
    lambda url, links, title: page(url, *links, title=title),
    st.sampled_from(URLS),
    st.lists(
        st.tuples(st.sampled_from(URLS), st.sampled_from(["", "hotel", "grand hotel", "see"])), max_size=4
    ),
    st.sampled_from(["one", "two"]),
)
files = st.lists(st.lists(versions, min_size=1, max_size=5), min_size=1, max_size=5)
steps = st.lists(st.sampled_from(["merge", "fold", "forget", "remove", ""]), min_size=5, max_size=5)


@settings(max_examples=40, deadline=None)
@given(files, steps, st.randoms())
def test_many_runs_in_any_order_are_as_good_as_one(
    tmp_path_factory: pytest.TempPathFactory,
    files: Sequence[list[PlainVersion]],
    steps: list[str],
    random: object,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("index")
        with DirectIndex(folder / "many") as index:
            order = list(range(len(files)))
            random.shuffle(order)  # type: ignore[attr-defined]
            for number, step in zip(order, steps, strict=False):
                # ever other amounts at once: they must not matter
                patch.setattr(inlinks, "_LINKS_AT_ONCE", 1 + number)
                patch.setattr(merging, "_BYTES_AT_ONCE", 100)
                patch.setattr(plans, "MERGE_VERSIONS", 4)  # there are several segments
                index.add(str(number), files[number])
                if step == "merge":
                    index.writer.merge()
                elif step == "fold":
                    index.writer.fold_links()
                elif step == "forget":
                    index.forget(str(number))
                    index.add(str(number), files[number])
                elif step == "remove":
                    take_out(index, str(number))
                    index.add(str(number), files[number])
            index.writer.merge()
            many = texts_by_page(index)
            assert check_generation(index.folder) == []
    with DirectIndex(folder / "one") as index:
        index.add("all", [version for file in files for version in file])
        assert texts_by_page(index) == many


def oracle(index: DirectIndex, **limits: int) -> dict[str, Counter[str]]:
    """Return the words that the plain search gives to each page from links to it."""
    plain = PlainSearch(index.live(), Ranking(), folded=True, **limits)
    words = {
        version.url: Counter(token.word for token in version.tokens if token.element == INLINK)
        for version in plain.versions
    }
    return {url: counted for url, counted in words.items() if counted}


@pytest.mark.parametrize("texts", [999, 1000, 1001, 1203])
def test_a_page_with_more_texts_than_it_gets(tmp_path: Path, texts: int) -> None:
    """Four pages name one page, each link by a word of its own: the texts beyond the limit leave nothing behind."""
    with DirectIndex(tmp_path) as index:
        names = [f"word{number:04}" for number in range(texts)]
        index.add("target", [page("http://a.example/"), page("http://a.example/x", ("/", "own"))])
        for number in range(4):
            links = [("http://a.example/", name) for name in names[number::4]]
            index.add(f"{number}", [page(f"http://from{number}.example/", *links)])
        index.writer.merge()
        assert words_of(index) == oracle(index)
        assert len(words_of(index)["http://a.example/"]) == min(texts + 1, 1000)
        # of equal weight, the first by spelling; another site goes before the own
        assert found(index, "inlink:word0998") == {"http://a.example/"}
        assert found(index, "inlink:word1000") == set()
        assert found(index, "inlink:own") == ({"http://a.example/"} if texts < 1000 else set())
        assert check_generation(index.folder) == []
        # what was dropped comes back when there is room, and a merge changes nothing
        take_out(index, "0")
        del index.files["0"]
        assert words_of(index) == oracle(index)
        index.writer.merge(all_of_it=True)
        assert words_of(index) == oracle(index)
        assert check_generation(index.folder) == []


GRAPH_URLS = [f"http://{host}.example/{path}" for host in ("a", "www.a", "b", "c", "d") for path in ("", "x")]
graph_versions = st.builds(
    lambda url, links, title: page(url, *links, title=title),
    st.sampled_from(GRAPH_URLS),
    st.lists(
        st.tuples(st.sampled_from(GRAPH_URLS), st.sampled_from(["", "-", *"abcdefgh", "a b", "h a"])),
        max_size=12,
    ),
    st.sampled_from(["one", "two"]),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(graph_versions, min_size=1, max_size=6), min_size=1, max_size=4),
    st.integers(1, 5),
    st.integers(1, 3),
    st.integers(0, 4),
)
def test_random_graphs_give_each_page_the_texts_of_the_plain_search(
    tmp_path_factory: pytest.TempPathFactory,
    files: Sequence[list[PlainVersion]],
    most_texts: int,
    most_times: int,
    taken_out: int,
) -> None:
    with pytest.MonkeyPatch.context() as patch, DirectIndex(tmp_path_factory.mktemp("graph")) as index:
        patch.setattr(inlinks, "MAX_TEXTS", most_texts)
        patch.setattr(inlinks, "MAX_TIMES", most_times)
        patch.setattr(inlinks, "_LINKS_AT_ONCE", 1 + most_texts)
        limits = {"most_texts": most_texts, "most_times": most_times}
        for number, versions in enumerate(files):
            index.add(str(number), versions)
        index.writer.merge()
        assert words_of_pages(index) == oracle(index, **limits)
        if taken_out < len(files):
            take_out(index, str(taken_out))
            del index.files[str(taken_out)]
            assert words_of_pages(index) == oracle(index, **limits)
            index.writer.merge(all_of_it=True)
            assert words_of_pages(index) == oracle(index, **limits)
        assert check_generation(index.folder) == []


def words_of_pages(index: DirectIndex) -> dict[str, Counter[str]]:
    """Return the words of links to each page that has some, the same for all of its versions."""
    found: dict[str, Counter[str]] = {}
    for (url, _), words in texts_by_page(index).items():
        counted = Counter(word for word, _ in words)
        assert found.setdefault(url, counted) == counted
    return {url: words for url, words in found.items() if words}


@given(
    st.lists(
        st.text(st.sampled_from("aß\u0301\u3099か日本c+#1'\u200d\u1100\u1161\u00adI\u0307😀 ."), max_size=12)
    )
)
def test_texts_are_worded_together_as_each_is_alone(texts: list[str]) -> None:
    """All texts of a range go to the core as the lines of one."""
    words, word, counts, inside = _spelled([text.encode() for text in texts])
    found = [words[number] for number in word.tolist()]
    alone = [analyze_pages([("", PageText(marked=text))]) for text in texts]
    assert found == [one.words[number] for one in alone for number in one.word.tolist()]
    assert counts.tolist() == [len(one.word) for one in alone]
    places = [one.position.astype(int) - int(one.position[0]) for one in alone if len(one.word)]
    assert inside.tolist() == [place for one in places for place in one.tolist()]
