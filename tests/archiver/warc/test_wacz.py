"""Archives inside ZIP files, honest and otherwise."""

from __future__ import annotations

import io
import warnings
import zipfile
from pathlib import Path

import pytest
from archive_bytes import PACKERS, Seen, gzip_members, page, read, zip_file

from archiver.warc import (
    Location,
    NotAnArchiveError,
    RecordError,
    find_record,
    parse_response,
    read_record_at,
)
from archiver.warc.reader import stored_at

PACKED = gzip_members([page("one"), page("two")])


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("container", PACKERS)
def test_archives_are_read_in_place(container: str, method: int, tmp_path: Path) -> None:
    inner = PACKERS[container]([page("one"), page("two")])
    data = zip_file(
        {"datapackage.json": b"{}", "archive/data.bin": inner, "pages/pages.jsonl": b'{"a":1}\n'}, method
    )
    seen = read(tmp_path / "a.zip", data)
    assert (seen.words, seen.damages, seen.format) == (["one", "two"], [], "WARC/1.0")
    assert seen.compression.startswith("zip: ")
    assert seen.position <= len(data)
    for location in seen.locations:
        assert location.member == "archive/data.bin"
        with read_record_at(location) as record:
            assert record.url == f"http://a.example/{'one' if location == seen.locations[0] else 'two'}"


def test_several_archives_and_files_that_are_none(tmp_path: Path) -> None:
    files = {
        "a.warc.gz": PACKED,
        "index.cdx.gz": gzip_members([b"com,example)/ 1 {}\n"]),
        "x/b": page("three"),
        "e": b"",
    }
    seen = read(tmp_path / "a.wacz", zip_file(files))
    assert (seen.words, seen.damages) == (["one", "two", "three"], [])
    assert seen.compression == "zip: gzip, none"
    assert {location.member for location in seen.locations} == {"a.warc.gz", "x/b"}


def test_a_record_is_found_without_naming_the_file_inside(tmp_path: Path) -> None:
    path = tmp_path / "a.wacz"
    second = len(gzip_members([page("one")]))
    path.write_bytes(zip_file({"x.json": b"{}", "a.warc": page("zero"), "b.warc.gz": PACKED}))
    response = parse_response(find_record(str(path), second))
    assert response and response.body == b"<p>two</p>"
    assert find_record(str(path), 0, "b.warc.gz").url == "http://a.example/one"
    for offset, member in ((second + 1, ""), (0, "x.json"), (0, "none"), (10**9, "a.warc")):
        with pytest.raises(RecordError):
            find_record(str(path), offset, member)


@pytest.mark.parametrize(
    "name",
    [
        "../a.warc",
        "/etc/a.warc",
        "x/../../a.warc",
        "c:\\a.warc",
        "c:/a.warc",
        "a\x01.warc",
        "..\\a.warc",
        "\\a.warc",
    ],
)
def test_names_that_lead_elsewhere_are_not_read(name: str, tmp_path: Path) -> None:
    seen = read(tmp_path / "a.zip", zip_file({name: page("bad"), "ok.warc": page("one")}))
    assert seen.words == ["one"]
    assert "leads elsewhere" in seen.damages[0].problem
    with pytest.raises(RecordError, match="leads elsewhere"):
        read_record_at(Location(str(tmp_path / "a.zip"), 0, 0, seen.damages[0].member))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_names_with_backslashes_between_folders(method: int, tmp_path: Path) -> None:
    """Some writers on Windows leave them, also for the folders themselves; `zipfile` writes no such names."""
    files = {
        "archive/": b"",
        "archive/a.warc.gz": PACKED,
        "sub/inner.wacz": zip_file({"archive/c.warc": page("four")}),
        "b.warc": page("three"),
    }
    data = zip_file(files, method)
    for name in (b"archive/a.warc.gz", b"archive/", b"sub/inner.wacz", b"archive/c.warc"):
        data = data.replace(name, name.replace(b"/", b"\\"))
    seen = read(tmp_path / "a.wacz", data)
    assert (seen.words, seen.damages) == (["one", "two", "four", "three"], [])
    assert [place.member for place in seen.locations] == [
        *["archive/a.warc.gz"] * 2,
        "sub/inner.wacz/archive/c.warc",
        "b.warc",
    ]
    for place, url in zip(seen.locations, seen.urls, strict=True):
        with read_record_at(place) as record:
            assert record.url == url


def test_two_names_that_differ_in_the_slash_alone(tmp_path: Path) -> None:
    data = zip_file({"x/a.warc": page("one"), "x|a.warc": page("two")}).replace(b"x|a", b"x\\a")
    seen = read(tmp_path / "a.zip", data)
    assert seen.words == ["one", "two"]
    assert [read_record_at(place).url for place in seen.locations] == seen.urls


APPLE_DOUBLE = b"\0\5\x16\7\0\2\0\0Mac OS X        " + b"\0\2\0\0\0\x09" + bytes(100)


@pytest.mark.parametrize("note", [APPLE_DOUBLE, b"", bytes(163), b"\x1f\x8b\x08\0not"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_what_macos_puts_beside_the_files_is_no_damage(method: int, note: bytes, tmp_path: Path) -> None:
    files = {
        "archive/a.warc.gz": PACKED,
        "__MACOSX/archive/._a.warc.gz": note,
        "archive/._b.warc": note,
        "._inner.wacz": note,
        "__MACOSX/._datapackage.json": note,
        ".DS_Store": b"\0\0\0\1Bud1",
    }
    seen = read(tmp_path / "a.wacz", zip_file(files, method))
    assert (seen.words, seen.damages) == (["one", "two"], [])


def test_an_archive_under_a_name_as_of_macos_is_read(tmp_path: Path) -> None:
    seen = read(tmp_path / "a.wacz", zip_file({"._a.warc": page("one"), "__MACOSX/b.warc.gz": PACKED[:-9]}))
    assert (seen.words, len(seen.damages)) == (["one", "one", "two"], 1)


def _change_entry(data: bytes, at: int, new: bytes) -> bytes:
    """Change bytes of the first entry in the table of contents."""
    place = data.find(b"PK\x01\x02") + at
    return data[:place] + new + data[place + len(new) :]


FILES = zip_file({"a.warc.gz": PACKED, "b.warc": page("three")})


def test_a_table_that_breaks_off_gives_each_record_once(tmp_path: Path) -> None:
    files = zip_file({f"{word}.warc.gz": gzip_members([page(word)]) for word in ("one", "two", "three")})
    place = files.rindex(b"PK\1\2")
    seen = read(tmp_path / "a.zip", files[:place] + b"XX" + files[place + 2 :])
    assert seen.words == ["one", "two", "three"]
    assert [read_record_at(location).url for location in seen.locations] == seen.urls


@pytest.mark.parametrize(
    ("data", "words", "problem"),
    [
        (_change_entry(FILES, 8, b"\1\0"), ["three"], "encrypted"),
        (_change_entry(FILES, 10, b"\x63\0"), ["three"], "packed by method 99"),
        (_change_entry(FILES, 42, b"\xff\xff\0\0"), ["three"], "where its table says"),
        (_change_entry(FILES, 20, b"\xf0\xff\xff\x7f" * 2), ["one", "two", "three"], "no gzip member"),
        (FILES[:-60], ["one", "two", "three"], "no table of contents"),
        (FILES[: len(PACKED) - 30], ["one"], "no table of contents"),
        (
            _change_entry(FILES, 0, b"XX"),
            ["one", "two", "three"],
            "table of contents of the ZIP file is broken",
        ),
        (
            zip_file({"a.warc": b"WARC-but-not-really" * 9, "b.warc": page("three")}),
            ["three"],
            "named like an archive",
        ),
    ],
)
def test_zip_files_that_lie(data: bytes, words: list[str], problem: str, tmp_path: Path) -> None:
    seen = read(tmp_path / "a.zip", data)
    assert [word for word in seen.words if word] == words
    assert any(problem in damage.problem for damage in seen.damages)


def test_a_size_that_is_too_small_is_not_exceeded(tmp_path: Path) -> None:
    data = zip_file({"a.warc": page("one") + page("two")}, zipfile.ZIP_DEFLATED)
    size = len(page("one"))
    seen = read(tmp_path / "a.zip", _change_entry(data, 24, size.to_bytes(4, "little")))
    assert seen.words == ["one"]
    assert "more than" in seen.damages[-1].problem


def test_a_deflated_archive_that_is_broken_or_short_is_damage(tmp_path: Path) -> None:
    text = b"".join(page(f"word {number * 7919}") for number in range(3000))
    data = zip_file({"a.warc": text}, zipfile.ZIP_DEFLATED)
    longer = (len(text) + 5).to_bytes(4, "little")
    assert "promises" in read(tmp_path / "a.zip", _change_entry(data, 24, longer)).damages[-1].problem
    broken = data[:20_000] + b"\xff" * 9 + data[20_009:]
    seen = read(tmp_path / "a.zip", broken)
    assert seen.words[0] == "word 0"
    assert any(
        word in seen.damages[-1].problem for word in ("deflated data is broken", "promises", "checksum")
    )


def test_bytes_in_front_of_the_zip_file_shift_its_places(tmp_path: Path) -> None:
    assert read(tmp_path / "a", b"PK\x03\x04 a stub" + FILES).words == ["one", "two", "three"]


def test_zip64(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive, archive.open("a.warc", "w", force_zip64=True) as file:
        file.write(page("one"))
    data = path.read_bytes()
    place = data.find(b"PK\x01\x02")
    entry = data[place:]
    name_end = 46 + len("a.warc")
    sizes = len(page("one")).to_bytes(8, "little")
    extra = b"\1\0\x10\0" + sizes * 2
    entry = (
        entry[:20]
        + b"\xff" * 8
        + entry[28:30]
        + len(extra).to_bytes(2, "little")
        + entry[32:name_end]
        + extra
    )
    entry += data[data.find(b"PK\x05\x06") :]
    end = entry.find(b"PK\x05\x06")
    entry = entry[: end + 12] + end.to_bytes(4, "little") + entry[end + 16 :]
    path.write_bytes(data[:place] + entry)
    assert Seen(path).words == ["one"]


def test_a_zip_file_without_archives(tmp_path: Path) -> None:
    for files in ({}, {"a.txt": b"hello"}):
        with pytest.raises(NotAnArchiveError, match="ZIP file without an archive"):
            read(tmp_path / "a.zip", zip_file(files))


@pytest.mark.parametrize("outer", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wacz_of_several_wacz_files(method: int, outer: int, tmp_path: Path) -> None:
    inner = [zip_file({"archive/a.warc.gz": gzip_members([page(word)])}, method) for word in ("one", "two")]
    names = ("first.wacz", "parts/second.wacz")
    data = zip_file({**dict(zip(names, inner, strict=True)), "archive/b.warc": page("three")}, outer)
    seen = read(tmp_path / "a", data)
    assert (seen.words, seen.damages) == (["one", "two", "three"], [])
    assert [place.member for place in seen.locations] == [
        "first.wacz/archive/a.warc.gz",
        "parts/second.wacz/archive/a.warc.gz",
        "archive/b.warc",
    ]
    for place, url in zip(seen.locations, seen.urls, strict=True):
        with read_record_at(place) as record:
            assert record.url == url
        begin = stored_at(place)
        if outer == method == zipfile.ZIP_STORED:
            assert begin is not None
            assert data[begin:].startswith((b"\x1f\x8b", b"WARC/1.0"))
        elif outer == zipfile.ZIP_DEFLATED:
            assert begin is None


def test_a_broken_wacz_inside_a_wacz_is_damage_and_the_others_are_read(tmp_path: Path) -> None:
    sound = zip_file({"archive/a.warc.gz": gzip_members([page("one")])})
    seen = read(tmp_path / "a", zip_file({"bad.wacz": sound[:-40], "good.wacz": sound}))
    assert seen.words == ["one"]
    assert [damage.member for damage in seen.damages] == ["bad.wacz"]
    assert "inside bad.wacz" in seen.damages[0].problem


def test_two_files_inside_with_the_same_name(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w") as archive:
        warnings.simplefilter("ignore")
        for word in ("one", "two"):
            archive.writestr("archive/a.warc.gz", gzip_members([page(word)]))
    seen = read(tmp_path / "a", packed.getvalue())
    assert seen.words == ["one", "two"]
    assert [read_record_at(place).url for place in seen.locations] == seen.urls


@pytest.mark.parametrize("field", ["place of the file", "place of the table", "size of the file"])
@pytest.mark.parametrize("container", ["plain", "gzip"])
def test_a_table_that_leads_astray_is_read_without(container: str, field: str, tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(9)]
    data = bytearray(zip_file({"archive/a.warc": PACKERS[container]([page(word) for word in words])}))
    entry, end = data.index(b"PK\1\2"), data.rindex(b"PK\5\6")
    if field == "place of the file":
        data[entry + 42 : entry + 46] = b"\xff\xff\0\0"
    elif field == "place of the table":
        data[end + 16 : end + 20] = b"\5\0\0\0"
    else:
        data[entry + 20 : entry + 24] = b"\3\0\0\0"
    seen = read(tmp_path / "a", bytes(data))
    assert seen.words == words
    assert seen.damages
    assert [read_record_at(place).url for place in seen.locations] == seen.urls


def test_entries_without_a_name_and_two_for_the_same_bytes(tmp_path: Path) -> None:
    data = bytearray(zip_file({"a.warc": page("one"), "b.warc": page("two")}))
    first = data.index(b"PK\1\2")
    data[first + 28 : first + 32] = b"\0\0\6\0"  # no name, and six bytes of an extra field in its place
    seen = read(tmp_path / "a", bytes(data))
    assert (seen.words, [damage.problem for damage in seen.damages]) == (
        ["two"],
        ["a file inside the ZIP file has no name; it is not read"],
    )
    data = bytearray(zip_file({"a.warc": page("one"), "b.warc": page("two")}))
    second = data.index(b"PK\1\2", data.index(b"PK\1\2") + 1)
    data[second + 42 : second + 46] = bytes(4)
    seen = read(tmp_path / "a", bytes(data))
    assert (seen.words, len(seen.damages)) == (["one"], 1)
    assert "begins where another one does" in seen.damages[0].problem


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_damage_of_a_file_inside_is_no_longer_than_what_is_there(method: int, tmp_path: Path) -> None:
    data = bytearray(zip_file({"a.warc": page("one")}, method))
    entry = data.index(b"PK\1\2")
    data[entry + 20 : entry + 28] = b"\x40\x42\x0f\0" * 2  # a million bytes, packed and unpacked
    seen = read(tmp_path / "a", bytes(data))
    assert seen.words[0] == "one"
    assert max(damage.offset + damage.length for damage in seen.damages) < 1000
    assert "promises" in seen.damages[-1].problem
