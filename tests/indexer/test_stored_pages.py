"""What a page begins with is the same by the short way, for pages in UTF-8 as they stand, and by the long one."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from archiver.warc import Location
from indexer import stored_pages
from indexer.core.passages import Snippet
from indexer.core.stored_pages import PageStart
from indexer.search.query import parse_query
from indexer.search.searcher import Ranked
from indexer.search.snippets import START_CHARS, looked_for, start_snippet
from indexer.store.recent import Recent
from indexer.store.snapshot import Snapshot
from tests.shelf import page, record

PAGES = {
    "short": page(1),
    "empty": "",
    "other letters": "<html><meta charset=utf-8><p>Grüße, 検索, \U0001f600</p>",
    "no end": "<p>cut &am",
    "not from the start": "words first, then <b>markup</b>",
    "just below": "<p>" + "w " * (START_CHARS // 2 - 2),
    "as long as is looked at": "<p>" + "w " * (START_CHARS // 2 - 2) + "w",
    "one longer": "<p>" + "w " * (START_CHARS // 2 - 1),
    "fewer characters than bytes": "<p>" + "ü " * (START_CHARS // 2 - 2),
    "more characters": "<p>" + "ü " * START_CHARS,
    "as many bytes as are read": "<p>" + "w" * (4 * START_CHARS - 3),
    "one byte more": "<p>" + "w" * (4 * START_CHARS - 2),
    "cut inside a character": "<p>" + "\U0001f600" * START_CHARS,
    "larger than is unpacked": "<p>" + "w " * (1 << 19),
    **{
        f"{letter} cut at byte {shift}": "<p>" + "w" * shift + letter * 300_000
        for letter, size in (("ü", 2), ("検", 3), ("\U0001f600", 4))
        for shift in range(size)
    },
    "with an escape behind what is looked at": "<p>" + "w " * (2 * START_CHARS) + "\x1b",
}


def _written(folder: Path, records: list[bytes]) -> list[Location]:
    path, places = folder / "a.warc.gz", []
    with path.open("wb") as file:
        for one in records:
            packed = gzip.compress(one)
            places.append(Location(str(path), file.tell(), len(packed), "", 0))
            file.write(packed)
    return places


def read_plain(
    place: Location, words: Iterable[str] = (), sought: int = 0
) -> tuple[PageStart, Snippet] | None:
    [found] = stored_pages._read_plain([place], [None], looked_for(frozenset(words), ()), sought)
    return found


def slow_snippet(place: Location | None, start: PageStart, words: frozenset[str], sought: int) -> Snippet:
    """Return the passages of a page as they are found without the core's way through its record."""
    snippet = start_snippet(start, words, (), sought)
    if place and not snippet and not start.is_whole:
        snippet = stored_pages._deep_snippet(place, words, (), start)
    return snippet


@pytest.mark.parametrize("name", PAGES)
def test_the_short_way_says_what_the_long_one_says(tmp_path: Path, name: str) -> None:
    [place] = _written(tmp_path, [record("http://a.example/", PAGES[name])])
    quick, slow = read_plain(place), stored_pages._read_any(place)
    assert quick is None or quick[0] == slow
    assert (quick is None) == (name in {"empty", "not from the start"})


WORDED = {
    "in the text": "<p>a grey heron, and a gull " + "w " * 9_000 + "with a heron and a swan",
    "behind a soft hyphen": "<p>a \u00ad grey he\u00adron\u00ad \u00ad and \xad",
    "in the description": "<html><meta charset=utf-8><meta name=description content='one he\u00adron'><p>a g\u00adull",
    "in the title alone": "<title>a heron</title><p>a gull",
    "nowhere": "<p>a gull",
    "without text": "<p><b></b>",
    "without text but a description": "<meta name=description content='a gull'><p>",
    "cut": "<p>a gull " + "\u00fc" * START_CHARS + " heron",
    "further on": "<p>a gull " + "w " * START_CHARS + "heron",
}


@pytest.mark.parametrize("words", [set(), {"heron"}, {"heron", "gull"}, {"a"}])
@pytest.mark.parametrize("name", WORDED)
def test_passages_are_those_of_the_start_whichever_way_it_is_read(
    tmp_path: Path, name: str, words: set[str]
) -> None:
    """What is unpacked of a page in one go, or kept of it, says the same; also where a word stands behind the start."""
    [place] = _written(tmp_path, [record("http://a.example/", WORDED[name])])
    start = stored_pages._read_any(place)
    for sought in (0, 1, 2):
        quick = read_plain(place, words, sought)
        assert quick == (start, slow_snippet(place, start, frozenset(words), sought))


@pytest.mark.parametrize("seed", range(6))
def test_pages_say_the_same_in_whatever_order_they_are_asked_for(tmp_path: Path, seed: int) -> None:
    """Many at once, some of them long, no plain pages or not there at all; with little of them kept, or all."""
    chance = random.Random(seed)
    texts = [chance.choice([*PAGES.values(), *WORDED.values()]) for _ in range(25)]
    records = [record("http://a.example/", text) for text in texts]
    records[chance.randrange(25)] = b"no record"
    places: list[Location | None] = [*_written(tmp_path, records)]
    places[chance.randrange(25)] = None
    places[chance.randrange(25)] = Location(str(tmp_path / "none"), 0, 99, "", 0)
    words = frozenset({"heron", "w"})
    ranked = Ranked(parse_query("heron w"), 25, (), words, ())
    expected = []
    for place in places:
        start = stored_pages._read_any(place) if place else PageStart(b"", b"", True)
        expected.append((start.text, slow_snippet(place, start, words, 2)))
    kept = SimpleNamespace(
        derived={"starts of pages": Recent(chance.choice([1, 4_000_000]), lambda _: 300_000)}
    )
    for order in (range(25), chance.sample(range(25), 25)):
        pages = stored_pages.StoredPages(cast("Snapshot", kept), places, ranked)
        for number in order:
            if chance.randrange(2):
                assert pages.text(number) == expected[number][0]
            assert pages.snippet(number) == expected[number][1]
            if chance.randrange(2):
                assert pages.text(number) == expected[number][0]


@pytest.mark.parametrize("at_once", [0, 1, 9_000, 1 << 20])
def test_pages_say_the_same_however_many_the_core_takes_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """By few bytes as they lie there, and by more text than is told at once; some known, looked further or not."""
    long = "<p>a gull " + "\u691c " * START_CHARS
    texts = [*WORDED.values(), *[long] * 5, PAGES["larger than is unpacked"], *WORDED.values()]
    places = _written(tmp_path, [record("http://a.example/", text) for text in texts])
    places.insert(3, Location(str(tmp_path / "none"), 0, 99, "", 0))
    wanted = looked_for(frozenset({"heron"}), ())
    starts = [one and one[0] for one in stored_pages._read_plain(places, [None] * len(places), wanted)]
    assert starts.count(None) == 1
    monkeypatch.setattr("indexer.core.stored_pages._PACKED_AT_ONCE", at_once)
    for known in ([None] * len(places), [start if k % 3 else None for k, start in enumerate(starts)]):
        for deep in (False, True):
            alone = [
                stored_pages._read_plain([place], [start], wanted, further=deep)[0]
                for place, start in zip(places, known, strict=True)
            ]
            assert stored_pages._read_plain(places, known, wanted, further=deep) == alone


def further(place: Location, start: PageStart, words: Iterable[str]) -> Snippet:
    """Return what the core finds behind the start of a page that is known; () where it leaves that to others."""
    [found] = stored_pages._read_plain([place], [start], looked_for(frozenset(words), ()), further=True)
    return found[1] if found else ()


@pytest.mark.parametrize("name", PAGES)
def test_what_is_looked_at_further_on_is_the_same_by_both_ways(tmp_path: Path, name: str) -> None:
    repeated = PAGES[name] * (1 + (1 << 21) // max(1, len(PAGES[name])) if PAGES[name] else 1)
    for place in _written(tmp_path, [record("http://a.example/", text) for text in (PAGES[name], repeated)]):
        start = stored_pages._read_any(place)
        if start.is_whole or not (quick := further(place, start, {"swan"})):
            continue
        assert quick == stored_pages._deep_snippet(place, frozenset({"swan"}), (), start)


def large_page(chance: random.Random) -> str:
    """Return a page in whose start stand none of the words heron, grüße, éa and 検."""
    said = ["Heron", "GRÜSSE", "Grüße", "grüße", "Éa", "éa", "検", "検索", "herons", "her<b>on", "hero&#110;"]
    hidden = [
        "<a href='heron'>x</a>",
        "<!-- heron -->",
        "<script>grüße</script>",
        "<p title='検 >'>",
        "<b class=éa>",
    ]
    filler = [
        "<p>w ",
        "ü",
        "w",
        "<table><tr>",
        "\U0001f600 ",
        ">",
        "<meta name=description content='a grey heron'>",
    ]
    end = chance.choice(["", "<p>heron", "<meta name=description content='grüße'>"])
    start = "<meta charset=utf-8><p>" + chance.choice(filler[:3]) * START_CHARS
    parts = []
    for _ in range(chance.randrange(12)):
        gap = chance.choice(filler) * chance.choice([0, 1, 100, 4095, 4096, 8191, 8192, 30_000, 150_000])
        parts.append(gap + chance.choice(hidden if chance.random() < 0.8 else said))
    return start + "".join(parts) + "w " * chance.choice([0, 10, 9_000, 400_000]) + end


@pytest.mark.parametrize("seed", range(30))
def test_words_further_on_are_found_as_by_looking_at_the_text(tmp_path: Path, seed: int) -> None:
    """Around places where they only stand in the markup, too, whatever is unpacked at first."""
    chance = random.Random(seed)
    [place] = _written(tmp_path, [record("http://a.example/", large_page(chance))])
    words = frozenset(chance.sample(["heron", "grüße", "éa", "検", "ru"], chance.randrange(5)))
    start = stored_pages._read_any(place)
    expected = slow_snippet(place, start, words, 0)
    assert read_plain(place, words) == (start, expected)
    if not start_snippet(start, words, ()) and not start.is_whole:
        assert further(place, start, words) == expected


@pytest.mark.parametrize("behind", ["", "<p>heron", "<p>her<!-- -->on gull", "<b title=heron>"])
def test_a_page_that_says_nothing_at_its_start_is_looked_at_further_on(tmp_path: Path, behind: str) -> None:
    text = "<!--" + "w " * START_CHARS + "-->" + behind
    [place] = _written(tmp_path, [record("http://a.example/", text)])
    start = stored_pages._read_any(place)
    assert (start.text, start.description) == (b"", b"")
    found = read_plain(place, {"heron"})
    assert found == (start, slow_snippet(place, start, frozenset({"heron"}), 0))
    assert any(part.hit for part in found[1]) == (behind == "<p>heron")


def test_a_page_that_is_no_utf_8_further_on_goes_the_long_way(tmp_path: Path) -> None:
    text = "<p>" + "w " * START_CHARS + "one __ heron"
    [place] = _written(tmp_path, [record("http://a.example/", text).replace(b"__", b"\xe9\xe9")])
    start = stored_pages._read_any(place)
    assert read_plain(place, {"heron"}) == (start, ())
    assert further(place, start, {"heron"}) == ()
    kept = SimpleNamespace(derived={})
    ranked = Ranked(parse_query("heron"), 1, (), frozenset({"heron"}), ())
    pages = stored_pages.StoredPages(cast("Snapshot", kept), [place], ranked)
    assert pages.snippet(0) == slow_snippet(place, start, frozenset({"heron"}), 1)
    assert any(part.hit for part in pages.snippet(0))


def test_what_is_no_plain_page_goes_the_long_way(tmp_path: Path) -> None:
    plain = record("http://a.example/", page(1))
    others = [
        record("http://a.example/", page(1), kind="revisit"),
        record("http://a.example/", page(1), status=404),
        plain.replace(b"charset=utf-8", b"charset=koi8-r"),
        plain.replace(b"text/html", b"image/png"),
        plain.replace(b"Content-Length: ", b"Content-Length: 1"),
        plain + plain,
        b"no record",
        b"",
    ]
    for place in _written(tmp_path, others):
        assert read_plain(place) is None


def test_a_record_of_which_only_the_start_is_unpacked_must_end_where_its_member_does(tmp_path: Path) -> None:
    large = record("http://a.example/", PAGES["larger than is unpacked"])
    places = _written(tmp_path, [large, large[:-2], large + b"\r\n", large + b"WARC/1.0", large[:-9]])
    assert [read_plain(place) is None for place in places] == [False, True, True, True, True]
    long_header = large.replace(b"Content-Type: text", b"X: " + b"x" * 40_000 + b"\r\nContent-Type: text")
    length = b"Content-Length: %d\r\n"
    body = len(large.split(b"\r\n\r\n", 1)[1]) - 4
    long_header = long_header.replace(length % body, length % (body + 40_005))
    for place in _written(tmp_path, [long_header]):
        quick = read_plain(place)
        assert quick is None or quick[0] == stored_pages._read_any(place)


def test_a_record_without_line_ends_behind_it_is_read_alike(tmp_path: Path) -> None:
    plain = record("http://a.example/", page(1))
    for place in _written(tmp_path, [plain[:-4], plain[:-2], plain + b"\r\n"]):
        quick = read_plain(place)
        assert quick is None or quick[0] == stored_pages._read_any(place)


def test_only_a_sound_member_alone_is_unpacked_at_once(tmp_path: Path) -> None:
    data = record("http://a.example/", page(1))
    first, second = _written(tmp_path, [data, data])
    path, size = first.path, first.length
    found = read_plain(first)
    assert found is not None and found == read_plain(second) and found[0] == stored_pages._read_any(first)
    for place in (
        Location(path, 0, size - 1, "", 0),
        Location(path, 0, size + 1, "", 0),
        Location(path, 1, size, "", 0),
        Location(path, -1, size, "", 0),
        Location(path, 0, 0, "", 0),
        Location(path, 0, -1, "", 0),
        Location(path, 0, 1 << 62, "", 0),
        Location(path, 1 << 62, size, "", 0),
        Location(path, 0, size, "", 1),
        Location(path, 0, size, "a.warc", 0),
    ):
        assert read_plain(place) is None
    spoiled = bytearray(Path(path).read_bytes())
    spoiled[size - 8] ^= 1  # its checksum
    Path(path).write_bytes(spoiled)
    assert read_plain(first) is None
    assert read_plain(Location(str(tmp_path / "none"), 0, size, "", 0)) is None
