"""The links of pages: collected, written, merged."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archiver.warc import canonical_url, surt_key
from indexer.core.links import BatchLinks, LinkRows, LinkTable
from indexer.store.compact import page_number, sort_key
from indexer.store.errors import IndexCorruptError
from indexer.store.links import LinkCollector, Links, Ranges, merge_links
from indexer.text.elements import PageText
from tests.indexer.page_structs import page_with_links


def key(url: str) -> int:
    return page_number(sort_key(url))


def add(
    collector: LinkCollector,
    ordinal: int,
    url: str,
    links: list[tuple[str, str]],
    base: str | None = None,
    charset: str = "utf-8",
) -> None:
    collector.add(ordinal, url, PageText(base=base, charset=charset), page_with_links(links))


def written(path: Path, pages: list[tuple[str, list[tuple[str, str]]]]) -> Links:
    collector = LinkCollector()
    for ordinal, (url, links) in enumerate(pages):
        add(collector, ordinal, url, links)
    collector.write(str(path))
    return Links(str(path), len(pages))


def contents(links: Links) -> set[tuple[int, str, int]]:
    """Return (target, text, ordinal) of all links."""
    edges = links.edges_to(links.targets)
    return {
        (key, links.text_at(number), ordinal)
        for key, number, ordinal in zip(
            links.targets[edges.target].tolist(), edges.text.tolist(), edges.source.tolist(), strict=True
        )
    }


@pytest.mark.parametrize(
    "href",
    ["http://b.example/x/y", "HTTPS://B.example:443/x/./y#part", "//b.example/x/y", "/x/y", "y", "./y", "?q"],
)
def test_addresses_are_met_in_every_spelling(tmp_path: Path, href: str) -> None:
    links = written(tmp_path / "a.links", [("http://b.example/x/z", [(href, "text")])])
    expected = "http://b.example/x/z?q" if href == "?q" else "http://b.example/x/y"
    assert contents(links) == {(key(expected), "text", 0)}


@pytest.mark.parametrize(
    "href", ["#top", "z", "mailto:a@b.example", "javascript:go()", "http://", "urn:x", "", " "]
)
def test_what_leads_to_no_other_page_is_left_out(tmp_path: Path, href: str) -> None:
    assert contents(written(tmp_path / "a.links", [("http://b.example/x/z", [(href, "text")])])) == set()


def test_queries_lead_where_the_charset_of_the_page_says(tmp_path: Path) -> None:
    collector = LinkCollector()
    for ordinal, charset in enumerate(("windows-1251", "koi8-r", "utf-8", "windows-1252")):
        add(collector, ordinal, "http://a.example/x/", [("y?я", "text")], charset=charset)
    collector.write(str(tmp_path / "a.links"))
    queries = ("%FF", "%D1", "%D1%8F", "%26%231103%3B")
    assert contents(Links(str(tmp_path / "a.links"), 4)) == {
        (key(f"http://a.example/x/y?{query}"), "text", ordinal) for ordinal, query in enumerate(queries)
    }


def test_a_base_moves_relative_addresses(tmp_path: Path) -> None:
    collector = LinkCollector()
    add(collector, 0, "http://a.example/x/", [("y", "one")], base="/deep/z")
    add(collector, 1, "http://a.example/x/", [("y", "two")], base="mailto:nobody")
    collector.write(str(tmp_path / "a.links"))
    assert contents(Links(str(tmp_path / "a.links"), 2)) == {
        (key("http://a.example/deep/y"), "one", 0),
        (key("http://a.example/x/y"), "two", 1),
    }


def test_links_of_a_merged_segment_are_those_of_its_live_versions(tmp_path: Path) -> None:
    first = written(
        tmp_path / "1.links",
        [
            ("http://a.example/", [("/b", "B"), ("/b", "B"), ("/c", "C")]),
            ("http://a.example/d", [("/b", "B")]),
        ],
    )
    second = written(
        tmp_path / "2.links", [("http://b.example/", [("http://a.example/b", "B"), ("/e", "é")])]
    )
    merge_links(str(tmp_path / "3.links"), [first, second], [np.array([-1, 0]), np.array([1])])
    assert contents(Links(str(tmp_path / "3.links"), 2)) == {
        (key("http://a.example/b"), "B", 0),
        (key("http://a.example/b"), "B", 1),
        (key("http://b.example/e"), "é", 1),
    }


@given(
    st.lists(st.integers(0, 255) | st.just(0), max_size=70), st.sampled_from([np.uint8, np.uint16, np.uint32])
)
def test_ranges_are_those_of_their_sums(counts: list[int], kind: type[np.unsignedinteger]) -> None:
    ranges = Ranges(np.asarray(counts, dtype=kind))
    sums = np.append(0, np.cumsum(counts, dtype=np.int64))
    assert (len(ranges), ranges.total) == (len(counts), sums[-1])
    rows = np.arange(len(counts) + 1 if counts else 0)
    assert ranges.begins(rows).tolist() == sums[rows].tolist()
    places = np.arange(ranges.total)
    assert ranges.that_hold(places).tolist() == np.repeat(np.arange(len(counts)), counts).tolist()


def test_more_rows_than_are_looked_at_at_once() -> None:
    counts = np.random.default_rng(1).integers(0, 5, 20_001).astype(np.uint8)
    ranges, sums = Ranges(counts), np.append(0, np.cumsum(counts, dtype=np.int64))
    assert (ranges.begins(np.arange(20_002)) == sums).all()
    assert (ranges.that_hold(np.arange(sums[-1])) == np.repeat(np.arange(20_001), counts)).all()


Row = tuple[int, int, int]  # target, text, page
some_rows = st.lists(
    st.tuples(st.sampled_from([0, 1, 7, 1 << 63, (1 << 64) - 1]), st.integers(0, 2), st.integers(0, 9))
)


class _Collected:
    """Stands where the links of a batch do."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows

    def columns(self) -> tuple[np.ndarray, ...]:
        kinds = (np.uint64, np.uint32, np.uint32)
        return tuple(np.array([row[n] for row in self.rows], dtype=kind) for n, kind in enumerate(kinds))


def rows_of(table: LinkTable) -> list[Row]:
    """Return all rows of a table as they lie in it."""
    edge = np.repeat(np.arange(len(table.texts)), table.links)
    target = np.repeat(table.targets, table.edges)[edge]
    return list(zip(target.tolist(), table.texts[edge].tolist(), table.sources.tolist(), strict=True))


def table_of(rows: list[Row]) -> tuple[LinkRows, LinkTable]:
    made = LinkRows()
    return made, made.sorted(_Collected(rows))  # type: ignore[arg-type]


@pytest.mark.parametrize("many", [30, 1500])
def test_many_links_of_one_target(many: int) -> None:
    numbers = np.random.default_rng(many).permutation(many).tolist()
    rows = [(5, number % 40, number) for number in numbers]
    _made, table = table_of(rows + rows)
    assert rows_of(table) == sorted(rows)


@given(some_rows)
def test_links_of_a_batch_are_put_in_order_each_once(rows: list[Row]) -> None:
    _made, table = table_of(rows)
    assert rows_of(table) == sorted(set(rows))
    assert table.targets.tolist() == sorted({row[0] for row in rows})


@given(
    st.lists(some_rows, max_size=4), st.lists(st.integers(0, 9), min_size=12, max_size=12), st.integers(0, 1023),
    st.sampled_from([np.uint8, np.uint16, np.uint32]),
)  # fmt: skip
def test_files_are_joined_as_their_rows_are(
    files: list[list[Row]], numbers: list[int], dead: int, kind: type[np.unsignedinteger]
) -> None:
    held = [table_of(rows) for rows in files]
    tables = [
        table._replace(edges=table.edges.astype(kind), texts=table.texts.astype(kind), links=table.links.astype(kind))
        for _, table in held
    ]  # fmt: skip
    own = [np.array(numbers[3 * place : 3 * place + 3], dtype=np.uint32) for place in range(len(files))]
    places = [
        np.array([-1 if dead >> page & 1 else 10 * place + page for page in range(10)], dtype=np.int32)
        for place in range(len(files))
    ]
    made = LinkRows()
    joined = made.joined(tables, places, own)
    assert rows_of(joined) == sorted(
        {
            (target, int(own[place][text]), int(places[place][page]))
            for place, rows in enumerate(files)
            for target, text, page in rows
            if places[place][page] >= 0
        }
    )


@given(st.data())
def test_columns_that_do_not_fit_are_refused_or_joined(data: st.DataObject) -> None:
    """Files are a stranger's: whatever lies in them, nothing beyond them is read."""
    _made, table = table_of(
        [(target, text, page) for target in (1, 2, 3) for text in (0, 1) for page in (4, 5)]
    )
    columns = [column.copy() for column in table]
    changed = data.draw(st.integers(0, 4))
    if data.draw(st.booleans()):
        columns[changed] = columns[changed][: data.draw(st.integers(0, len(columns[changed])))].copy()
    elif len(columns[changed]):
        place = data.draw(st.integers(0, len(columns[changed]) - 1))
        columns[changed][place] = data.draw(st.sampled_from([0, 1, 2, 3, 65535]))
    versions, texts = data.draw(st.integers(0, 6)), data.draw(st.integers(0, 2))
    made = LinkRows()
    with suppress(ValueError):
        joined = made.joined(
            [LinkTable(*columns)], [np.arange(versions, dtype=np.int32)], [np.arange(texts, dtype=np.uint32)]
        )
        assert all(text < texts and page < versions for _, text, page in rows_of(joined))


@pytest.mark.parametrize("page", [65536, 1 << 31])
def test_an_ordinal_that_no_file_can_hold_is_refused(page: int) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        table_of([(1, 0, page)])


def test_no_links_at_all(tmp_path: Path) -> None:
    links = written(tmp_path / "a.links", [("http://a.example/", [])])
    assert len(links) == 0 and contents(links) == set()
    assert links.counts_to(np.array([1, 2], dtype=np.uint64)).tolist() == [0, 0]


def test_links_of_another_segment_are_refused(tmp_path: Path) -> None:
    written(tmp_path / "a.links", [("http://a.example/", []), ("http://a.example/x", [("/y", "text")])])
    with pytest.raises(IndexCorruptError, match=r"a\.links: the lists of links do not fit"):
        Links(str(tmp_path / "a.links"), 1)


scraps = st.lists(
    st.sampled_from(
        "../ / ./ a b.html C ~d .. . e-f/ ?q=1 ;p %41 // : é %2e %2E%2e %2f %zz % %5 %25 %7e ? # #f/.. @ \\ & + ' ( \""
        " < [ ^ \x7f * ! $ , = | h http: https: HTTP: mailto: data:, j+s.x-1: 1: -: www.c.example".split(" ")
        + ["g h", " ", "\t", "\n", "\x01"]
    ),
    max_size=6,
).map("".join)
absolute = st.sampled_from(
    "http://b.example/ http://B..example https://b.example http://b-1._c.example? //b.example/ //b.example // /// http://"
    " http:/// http://b.example:80/ http://u@b.example/ http://1.2.3.4/ http://b.e/ http://b.example./ http://.b.example/"
    " http://b..example/ http://localhost/ http://b.ex1/ http://b.example\\ https:b.example http:/b.example"
    " http://a.example/x/y http://a.example http://%62.example/".split(" ")
    + [f"http://{'b.' * 123}example/", f"http://{'b.' * 124}example/"]
)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(
        ["http://a.example/", "http://a.example:81/x.y/z/", "https://WWW.a.example/p/q.html?r#s", "http://u@[::1]/t//u/v/",
         "http://a.example/w;x/y", "http://a.example", "http://1.2.3.4/k/", "http://-/l/",
         "http://a.example/m\\n/o\\p.html", "http://a.example\\r\\s", "http://a.example/v?w\\x/y"]
    ),
    st.lists(st.one_of(scraps, st.tuples(absolute, scraps).map("".join)), max_size=5),
)  # fmt: skip
def test_links_lead_to_where_their_canonical_addresses_say(url: str, hrefs: list[str]) -> None:
    collector = LinkCollector()
    expected = []
    for ordinal, href in enumerate(hrefs):
        add(collector, ordinal, url, [(href, "")])
        page = href.partition("#")[0]
        try:
            key = page_number(surt_key(canonical_url(page, url)))
        except ValueError:
            continue
        if page and key != page_number(sort_key(url)):
            expected.append((ordinal, key))
    targets, _, sources = collector.links.columns()
    assert list(zip(sources.tolist(), targets.tolist(), strict=True)) == expected


@pytest.mark.parametrize(
    "href",
    "y /y ./y ../../y y?q http://b.example https://b.example/%7ey //b.example/y mailto:a y#t http://b.example/<a>".split(
        " "
    ),
)
def test_addresses_as_most_are_written_are_not_asked_for(href: str) -> None:
    assert BatchLinks().ask(page_with_links([(href, "")]), 0, 0, b"example,a)/x/") == []


hrefs = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "y",
                "y",
                "/y",
                "?q",
                "?q=я",
                "#t",
                "//b.example/y",
                "http://b.example/я",
                "é",
                " y",
                "y#t",
                "mailto:a",
                "http:",
                "HTTP:?q",
                "http:y",
                "http://b.example/a/../z",
                "%7ey",
            ]
        ),
        st.sampled_from(["", "one", "zwei", "é"]),
    ),
    max_size=6,
)
pages = st.tuples(
    st.sampled_from(
        ["http://a.example/x/", "http://a.example/x/z?p", "http://a.example/y", "https://b.example/"]
    ),
    hrefs,
    st.sampled_from([None, "/x/", "?b"]),
    st.sampled_from(["utf-8", "windows-1251"]),
)


@given(st.lists(pages, max_size=6))
def test_what_a_link_means_does_not_depend_on_the_pages_before(
    batch: list[tuple[str, list[tuple[str, str]], str | None, str]],
) -> None:
    """Addresses met before in a folder are not asked for again."""
    together, expected = LinkCollector(), []
    for ordinal, (url, links, base, charset) in enumerate(batch):
        add(together, ordinal, url, links, base, charset)
        alone = LinkCollector()
        add(alone, ordinal, url, links, base, charset)
        expected += rows(alone)
    assert rows(together) == expected


def rows(collector: LinkCollector) -> list[tuple[int, str, int]]:
    target, text, source = (column.tolist() for column in collector.links.columns())
    texts = collector.links.texts()
    return [
        (key, texts[number].decode(), ordinal)
        for key, number, ordinal in zip(target, text, source, strict=True)
    ]


def test_an_address_of_a_folder_is_asked_for_once() -> None:
    links = BatchLinks()
    first, second = (
        page_with_links([("y", "a"), ("y", "b"), ("?q", "c"), ("#t", "d")]),
        page_with_links([("y", "a"), ("?q", "c")]),
    )
    assert links.ask(first, 0, 0) == ["y", "?q"]
    links.add(first, 0, None, [7, None])
    assert links.ask(second, 0, 1) == ["?q"], "what follows a question mark belongs to the page"
    links.add(second, 1, None, [8])
    assert links.ask(second, 1, 2) == ["y", "?q"], "another folder"
    links.add(second, 2, 9, [9, 8])
    assert [column.tolist() for column in links.columns()] == [
        [7, 7, 7, 8, 8],
        [0, 1, 0, 2, 2],
        [0, 0, 1, 1, 2],
    ]
    assert links.texts() == [b"a", b"b", b"c"]


def test_as_many_meanings_are_given_as_were_asked_for() -> None:
    links = BatchLinks()
    page = page_with_links([("y", "a"), ("z\0z", "b")])
    assert links.ask(page, 0, 0) == ["y", "z z"]
    with pytest.raises(ValueError, match="do not fit"):
        links.add(page, 0, None, [7])
