"""The capture nearest to a moment: the same as a look at all of them gives, however many there are."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from faults import run_in_one_process
from shelf import page, record

from archiver.warc import capture_key, urlkey
from indexer import Capture, Index, IndexOptions, build_index, ledger, open_index
from indexer.captures import _seconds
from indexer.listing import KeyRange
from indexer.store.compact import sort_key
from indexer.store.snapshot import Snapshot

ONE = IndexOptions(workers=1)
URL, OTHER = "http://news.example/", "https://news.example/"
BEFORE = "1999"
SHOWN: list[int] = []


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Three runs of many captures: all years, one second, and one of which only revisits are held."""
    folder = tmp_path_factory.mktemp("captures")
    some = random.Random(7)
    dates = [
        f"{some.randint(2000, 2009)}-0{some.randint(1, 9)}-1{some.randint(0, 9)}T00:00:00Z"
        for _ in range(150)
    ]
    dates += ["2011-01-01T00:00:00Z"] * 40
    records = [record(some.choice([URL, URL, OTHER]), page(some.randint(1, 9)), date=date) for date in dates]
    # nothing is held that these repeat
    records += [
        record(URL, f"nowhere {year}", kind="revisit", date=f"20{year}-06-01T00:00:00Z")
        for year in range(12, 60)
    ]
    one, other = records[::2], records[1::2]
    SHOWN.append(
        (Counter(one) | Counter(other)).total()
    )  # each as often as the file that holds most of it does
    (folder / "a.warc").write_bytes(b"".join(one))
    (folder / "b.warc").write_bytes(b"".join(other))
    with pytest.MonkeyPatch.context() as monkeypatch:
        run_in_one_process(monkeypatch, batch_pages=100)
        build_index([str(folder / "a.warc"), str(folder / "b.warc")], str(folder / "index"), options=ONE)
    with open_index(str(folder / "index")) as opened:
        yield opened


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    run_in_one_process(monkeypatch)


def plain_closest(found: list[Capture], url: str, timestamp: str | None, digest: str = "") -> Capture | None:
    """Return what Index.closest promises, from all captures."""
    usable = [c for c in found if c.type != "revisit" or c.original is not None] or found
    if timestamp is None:
        return ([c for c in usable if c.url == url] or usable)[-1] if found else None
    wanted = _seconds(timestamp)

    def far(c: Capture) -> tuple[float, bool, bool]:
        has_digest = bool(digest) and digest in c.digest
        return abs(_seconds(c.timestamp) - wanted), not has_digest, c.url != url

    return min(usable, key=far, default=None)


@pytest.mark.parametrize("url", [URL, OTHER])
def test_the_nearest_capture_is_that_of_a_look_at_all(index: Index, url: str) -> None:
    found = index.captures(url)
    assert len(found) == SHOWN[0] and 200 < SHOWN[0] < 150 + 40 + 48
    assert index.closest(url) == plain_closest(found, url, None)
    some = random.Random(11)
    asked = [capture.timestamp for capture in some.sample(found, 40)]
    asked += [BEFORE, "2", "2005", "200506", "20110101000000", "2013", "2059", "99991231235959"]
    for timestamp in asked:
        assert index.closest(url, timestamp) == plain_closest(found, url, timestamp), timestamp
    for capture in found[150:190:7]:
        named = index.closest(url, capture.timestamp, capture.digest)
        assert named == plain_closest(found, url, capture.timestamp, capture.digest)


def test_an_address_of_which_nothing_is_held_gives_its_revisits(tmp_path: Path, one_process: None) -> None:
    records = [
        record(URL, "nowhere", kind="revisit", date=f"20{year}-06-01T00:00:00Z") for year in range(10, 60)
    ]
    (tmp_path / "a.warc").write_bytes(b"".join(records))
    build_index([str(tmp_path / "a.warc")], str(tmp_path / "index"), options=ONE)
    with open_index(str(tmp_path / "index")) as index:
        newest, nearest = index.closest(URL), index.closest(URL, "2031")
        assert newest is not None and newest.timestamp.startswith("2059") and newest.original is None
        assert nearest is not None and nearest.timestamp.startswith("203106")
        assert index.closest("http://elsewhere.example/", "2031") is None


def test_around_a_capture_stand_the_first_the_last_and_the_next_ones(index: Index) -> None:
    times = sorted({capture.timestamp for capture in index.captures(URL)})
    for at in (0, 1, len(times) // 2, len(times) - 1):
        found = index.around(URL, times[at])
        assert (found.first, found.last) == (times[0], times[-1])
        assert found.previous == (times[at - 1] if at else "")
        assert found.following == (times[at + 1] if at + 1 < len(times) else "")
    nowhere = index.around("http://elsewhere.example/", times[0])
    assert (nowhere.first, nowhere.previous, nowhere.following, nowhere.last) == ("", "", "", "")


def test_a_capture_is_found_by_its_place(index: Index) -> None:
    found = index.captures(URL)
    for capture in found[::9] + found[-3:]:
        assert index.capture_at(OTHER, capture.timestamp, capture.location) == capture
    elsewhere = found[0].location._replace(offset=found[0].location.offset + 1)
    assert index.capture_at(URL, found[0].timestamp, elsewhere) is None


def test_revisits_show_the_page_of_their_own_address_whichever_comes_first(
    tmp_path: Path, one_process: None
) -> None:
    other = "http://b.example/"
    files = {
        "a.warc": [record(URL, page(1), kind="revisit", date="2021-01-01T00:00:00Z")],
        "b.warc": [
            record(other, page(1), date="2020-01-01T00:00:00Z"),
            record(other, page(1), kind="revisit", date="2020-02-01T00:00:00Z"),
        ],
        "c.warc": [record(URL, page(1), date="2020-01-01T00:00:00Z")],
        "d.warc": [record(URL, page(1), kind="revisit", date="2022-01-01T00:00:00Z")],
    }
    for name, records in files.items():
        (tmp_path / name).write_bytes(b"".join(records))
        build_index([str(tmp_path / name)], str(tmp_path / "index"), options=ONE)
    with open_index(str(tmp_path / "index")) as index:
        hits = {hit.url: hit for hit in index.search("unique1").hits}
        assert (hits[URL].captures, hits[other].captures) == (3, 2)
        assert index.check() == []
        originals = {capture.timestamp[:4]: capture.original for capture in index.captures(URL)}
        assert originals["2021"] == originals["2022"] is not None
        assert originals["2021"] is not None and originals["2021"].path.endswith("c.warc")


# ---------------------------------------------------------------- spellings

HOSTS = ("http://a.example", "https://a.example", "http://www.a.example", "http://A.example:80", "ftp://a.example",
         "http://stra\u00dfe.example", "http://xn--strae-oqa.example", "http://192.0.2.7", "http://[::1]")  # fmt: skip
PATHS = ("", "/", "/x", "/X", "/x/", "//x", "/%78", "/x?", "/x?a=1&b=2", "/x?b=2&a=1", "/x\\y", "/x/y", "/é", "/%C3%A9",
         "/%c3%a9/", "/x#y", "/a%2Cb", "/a,b", "/.", "/x/../x")  # fmt: skip


def test_captures_are_of_the_address_itself_else_of_those_with_its_key(
    tmp_path: Path, one_process: None
) -> None:
    """Against a look at all addresses, for each of 180, whether it is held or not; and closest, lists and removal."""
    every = [host + path for host in HOSTS for path in PATHS]
    some = random.Random(3)
    held = some.sample(every, 60)
    held += some.choices(held, k=30)
    (tmp_path / "a.warc").write_bytes(
        b"".join(
            record(url, page(number), date=f"20{number:02}-01-01T00:00:00Z")
            for number, url in enumerate(held)
        )
    )
    build_index([str(tmp_path / "a.warc")], str(tmp_path / "index"), options=ONE)
    with open_index(str(tmp_path / "index")) as index:
        for asked in [*every, "http://nowhere.example/"]:
            exact = [url for url in held if sort_key(url) == sort_key(asked)]
            alike = [url for url in held if urlkey(url) in (urlkey(asked), urlkey(capture_key(asked)))]
            found = index.captures(asked)
            assert [capture.url for capture in found] == (exact or alike), asked
            assert [capture.url for capture in index.captures(asked, exact=True)] == exact
            for timestamp in (None, "1999", "2031", "20990101000000"):
                assert index.closest(asked, timestamp) == plain_closest(found, asked, timestamp), asked
            listed = index.list_captures(index.range_of(asked))
            of_one_key = [url for url in held if urlkey(url) == urlkey(asked)]
            assert Counter(c.url for c in listed) == Counter(exact or of_one_key)
            of_key = index.list_captures(KeyRange.of(asked))
            assert sorted(c.url for c in of_key) == sorted(
                url for url in held if urlkey(url) == urlkey(asked)
            )
            assert {c.key for c in of_key} <= {urlkey(asked)}
        whole = index.list_captures(KeyRange.everything())
        assert [c.key for c in whole] == sorted(urlkey(url) for url in held)


def test_an_address_with_many_spellings_is_found_as_with_few(tmp_path: Path, one_process: None) -> None:
    """Eighteen ports written with zeros in front are one address; forty letter cases have one key."""
    one = [f"http://a.example:{'0' * zeros}80/" for zeros in range(18)]
    other = [
        "http://b.example/" + f"{number:06b}".replace("0", "x").replace("1", "X") for number in range(40)
    ]
    (tmp_path / "a.warc").write_bytes(
        b"".join(
            record(url, page(number), date=f"20{number % 50:02}-0{1 + number % 7}-01T00:00:00Z")
            for number, url in enumerate([*one, *other])
        )
    )
    build_index([str(tmp_path / "a.warc")], str(tmp_path / "index"), options=ONE)
    with open_index(str(tmp_path / "index")) as index:
        for asked in (
            one[0],
            one[17],
            "https://a.example:80/",
            "http://b.example/xxXXXX/",
            "http://a.example",
        ):
            found = index.captures(asked)
            assert len(found) == (0 if asked.startswith("https") else 40 if "b.example" in asked else 18)
            for timestamp in (None, "2001", "2020", "20240301000000", "2049"):
                assert index.closest(asked, timestamp) == plain_closest(found, asked, timestamp)
                assert index.around(one[0], "20200101000000") == index.around(one[9], "20200101000000")


def test_totals_are_counted_once_however_many_ask_at_the_same_time(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    count, counted = ledger._statistics_of, []
    all_ask = threading.Barrier(8)

    def slowly(snapshot: Snapshot) -> ledger.Statistics:
        counted.append(1)
        time.sleep(0.05)
        return count(snapshot)

    def ask(_: int) -> ledger.Statistics:
        all_ask.wait()
        return index.statistics()

    monkeypatch.setattr(ledger, "_statistics_of", slowly)
    index.derived().pop("statistics", None)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(ask, range(8)))
    assert counted == [1] and all(totals is found[0] for totals in found)
    catalogue = index._current().catalogue.connection()
    [[pages]] = catalogue.execute("SELECT COUNT(DISTINCT url) FROM versions")
    assert found[0].documents == pages
