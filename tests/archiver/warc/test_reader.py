"""Real archives are odd in these ways; each test builds the oddity itself."""

from __future__ import annotations

import gc
import gzip
import os
import re
import struct
import weakref
from pathlib import Path

import pytest
from archive_bytes import (
    PACKERS,
    arc,
    arc_file,
    gzip_members,
    http,
    page,
    read,
    skippable,
    warc,
    zip_file,
    zstd,
)

from archiver.warc import (
    ArchiveError,
    ArchiveReader,
    Damage,
    Location,
    NotAnArchiveError,
    Record,
    find_record,
    parse_response,
    read_record_at,
    read_records,
    records,
)
from archiver.warc.header import HEAD_END

# ---------------------------------------------------------------- formats


@pytest.mark.parametrize(
    ("container", "compression"),
    [
        ("plain", "none"),
        ("gzip", "gzip"),
        ("one gzip member", "gzip as one member"),
        ("zstd", "zstd"),
        ("lz4", "lz4"),
        ("bzip2", "bzip2"),
    ],
)
def test_the_bytes_tell_the_format_and_the_name_does_not(
    container: str, compression: str, tmp_path: Path
) -> None:
    data = PACKERS[container]([page("one"), page("two")])
    for name in ("a.warc", "a.warc.gz", "a.txt"):
        seen = read(tmp_path / name, data)
        assert (seen.words, seen.compression, seen.format) == (["one", "two"], compression, "WARC/1.0")
        assert seen.position == len(data)


@pytest.mark.parametrize(
    "version", ["WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1", "warc/1.0", "WARC/1.0.1"]
)
def test_versions_of_warc(version: str, tmp_path: Path) -> None:
    assert read(tmp_path / "a", page("one", version=version)).words == ["one"]


def test_a_pre_standard_header_on_one_line_is_a_record(tmp_path: Path) -> None:
    line = (
        b"warc/0.9 1004 warcinfo filedesc://a.warc.gz 20050708010101 text/xml uuid://cbad35b7\r\n\r\n\r\n\r\n"
    )
    seen = read(tmp_path / "a", line)
    assert (seen.types, seen.urls, seen.format) == (["warcinfo"], ["filedesc://a.warc.gz"], "warc/0.9")


def test_both_versions_of_arc(tmp_path: Path) -> None:
    one = arc_file(arc(http(b"one")), version=b"1 0")
    two = arc_file(arc(http(b"two"), middle="200 9f8a - 209 a.arc "), version=b"2 0")
    assert read(tmp_path / "a", b"".join(one)).format == "ARC/1.0"
    seen = read(tmp_path / "a", b"".join(two))
    assert (seen.format, seen.words) == ("ARC/2.0", ["", "two"])


def test_arc_records_come_out_as_response_resource_or_warcinfo(tmp_path: Path) -> None:
    seen = read(
        tmp_path / "a",
        b"".join(arc_file(arc(http(b"one")), arc(b"20040925001013\n", "dns:a.example", "text/dns"))),
    )
    assert seen.types == ["warcinfo", "response", "resource"]


def test_a_zstandard_dictionary_at_the_start_of_the_file(tmp_path: Path) -> None:
    dictionary = zstd.train_dict([page(f"word {n} of many") for n in range(200)], 4096)
    frames = b"".join(zstd.compress(page(word), zstd_dict=dictionary) for word in ("one", "two"))
    for stored in (dictionary.dict_content, zstd.compress(dictionary.dict_content)):
        seen = read(tmp_path / "a", skippable(stored) + frames)
        assert (seen.words, seen.damages) == (["one", "two"], [])
        assert seen.locations[0].offset == len(skippable(stored))
        response = parse_response(read_record_at(seen.locations[1]))
        assert response and response.body == b"<p>two</p>"


def test_other_skippable_frames_are_passed_over(tmp_path: Path) -> None:
    data = (
        skippable(b"note", 0x184D2A50)
        + zstd.compress(page("one"))
        + skippable(b"", 0x184D2A5F)
        + zstd.compress(page("two"))
    )
    seen = read(tmp_path / "a", data)
    assert (seen.words, seen.damages) == (["one", "two"], [])


def test_a_dictionary_that_is_missing_or_broken_is_damage(tmp_path: Path) -> None:
    dictionary = zstd.train_dict([page(f"word {n} of many") for n in range(200)], 4096)
    packed = zstd.compress(page("one"), zstd_dict=dictionary)
    seen = read(
        tmp_path / "a",
        skippable(zstd.compress(dictionary.dict_content)[:-9]) + packed + zstd.compress(page("two")),
    )
    assert seen.words == ["two"]
    assert "dictionary" in seen.damages[0].problem


def test_a_trained_dictionary_that_is_damaged_anywhere_is_damage_or_makes_no_difference(
    tmp_path: Path,
) -> None:
    """Its tables are looked at when the first frame is unpacked, not when it is taken for a dictionary."""
    dictionary = zstd.train_dict([page(f"word {n} of many") for n in range(200)], 4096).dict_content
    plain = zstd.compress(page("two"))
    broken = 0
    for place in range(4, 160):
        damaged = dictionary[:place] + bytes([dictionary[place] ^ 0xFF]) + dictionary[place + 1 :]
        seen = read(tmp_path / "a", skippable(damaged) + plain)
        assert seen.words == ["two"], place
        assert all("dictionary" in damage.problem for damage in seen.damages), place
        broken += len(seen.damages)
    assert broken > 20, "most of its tables"


# ---------------------------------------------------------------- where records begin and end


def test_line_ends_between_records(tmp_path: Path) -> None:
    tails = [b"\r\n\r\n", b"\r\n", b"", b"\n\n", b"\r\n\r\n\r\n", b"\r\n" * 900, b"\r\n\r\n"]
    records = [page(f"p{number}", tail=tail) for number, tail in enumerate(tails)]
    for container in ("plain", "gzip", "one gzip member"):
        seen = read(tmp_path / "a", PACKERS[container](records))
        assert seen.words == [f"p{number}" for number in range(len(tails))]
        assert seen.damages == []


def test_header_lines_with_bare_line_feeds_folds_and_odd_names(tmp_path: Path) -> None:
    block = http(b"one")
    head = (
        b"WARC/1.0\nwarc-TYPE: response\nWarc-Target-Uri:\n  http://a.example/\n\tfolded\n"
        b"WARC-Date : 2020-01-02T03:04:05Z\n"
        b"no colon here\nX-Note: caf\xe9 \x01\nContent-Length: %d\n\n" % len(block)
    )
    with ArchiveReader(str(_write(tmp_path, head + block + b"\n\n"))) as reader:
        record = _only(list(reader))
        assert (record.type, record.url, record.timestamp) == (
            "response",
            "http://a.example/ folded",
            "20200102030405",
        )
        assert record.headers.get("x-note") == "café \x01"


def test_a_target_uri_in_angle_brackets(tmp_path: Path) -> None:
    assert read(tmp_path / "a", warc(http(b"one"), "<http://a.example/b>")).urls == ["http://a.example/b"]


@pytest.mark.parametrize("more", [1, 3, 4, 20, 150, 10_000, 10**7, 10**18])
@pytest.mark.parametrize("container", ["plain", "one gzip member"])
def test_a_length_that_is_too_large_does_not_swallow_the_next_record(
    more: int, container: str, tmp_path: Path
) -> None:
    block = http(b"<p>one</p>")
    records = [warc(block, length=len(block) + more), page("two"), page("three")]
    seen = read(tmp_path / "a", PACKERS[container](records))
    assert [word.strip() for word in seen.words] == ["one", "two", "three"] or seen.words[0].startswith(
        "one</p>"
    )
    assert seen.words[1:] == ["two", "three"]


@pytest.mark.parametrize("container", ["plain", "one gzip member"])
@pytest.mark.parametrize("off", [-7, 7, 5000])
def test_the_same_for_a_block_longer_than_the_look_ahead(off: int, container: str, tmp_path: Path) -> None:
    block = http(os.urandom(2 << 20))
    records = [page("zero"), warc(block, length=len(block) + off), page("two"), page("three")]
    seen = read(tmp_path / "a", PACKERS[container](records))
    assert seen.words[2:] == ["two", "three"]
    assert len(seen.damages) == 1


HUGE = [str(2**bits + step) for bits in (31, 32, 62, 63, 64, 128) for step in (-1, 0, 1)] + [
    "9" * 400,
    "9" * 5000,
]


@pytest.mark.parametrize("length", HUGE, ids=lambda length: f"{length[:20]}-{len(length)}")
@pytest.mark.parametrize("container", PACKERS)
@pytest.mark.parametrize("first", ["small", "longer than the look-ahead"])
def test_a_length_larger_than_any_file_loses_no_record(
    first: str, container: str, length: str, tmp_path: Path
) -> None:
    """Lengths of 2**63 and more ended the reading of the whole file, those below that of the member."""
    padding = b" " * (1 << 20 if first.startswith("longer") else 0)
    records = [
        warc(http(b"<p>one" + padding), length=length),
        page("two"),
        page("three", length=length),
        page("four"),
    ]
    seen = read(tmp_path / "a", PACKERS[container](records))
    assert [word.strip() for word in seen.words] == ["one", "two", "three", "four"]
    assert len([damage for damage in seen.damages if damage.problem.startswith("Content-Length says")]) == 2
    for location, block in zip(seen.locations, seen.blocks, strict=True):
        with read_record_at(location) as record:
            assert record.read() == block


@pytest.mark.parametrize("length", ["-5", "+5", "1e3", "0x5", "5.0", "\u0663", "9" * 250, str(2**63)])
def test_arc_lengths_that_no_file_has_or_that_are_no_numbers(length: str, tmp_path: Path) -> None:
    line = f"http://a.example/1 192.0.2.7 20040925001013 text/html {length}\n".encode()
    seen = read(tmp_path / "a", b"".join(arc_file(line + http(b"<p>one") + b"\n", arc(http(b"<p>two")))))
    assert (seen.urls[1:], seen.words[1:]) == (["http://a.example/1", "http://a.example/"], ["one", "two"])


@pytest.mark.parametrize("field", [20, 24, 42])
@pytest.mark.parametrize("value", [0xFFFFFFFE, 0xFFFFFFFF])
@pytest.mark.parametrize("wide", [2**62, 2**63 - 1, 2**63, 2**64 - 1])
def test_sizes_and_places_of_a_zip_file_that_no_file_has(
    field: int, value: int, wide: int, tmp_path: Path
) -> None:
    data = zip_file({"a.warc": page("one"), "b.warc": page("two")})
    entry = data.index(b"PK\1\2")
    extra = struct.pack("<HH", 1, 24) + struct.pack("<Q", wide) * 3
    head = bytearray(data[entry : entry + 46])
    head[field : field + 4] = struct.pack("<I", value)
    head[30:32] = struct.pack("<H", len(extra))
    name_end = entry + 46 + len("a.warc")
    end = bytearray(data[data.index(b"PK\5\6") :])
    end[12:16] = struct.pack("<I", struct.unpack("<I", end[12:16])[0] + len(extra))
    spoiled = data[:entry] + bytes(head) + data[entry + 46 : name_end] + extra + data[name_end:]
    seen = read(tmp_path / "a", spoiled[: spoiled.index(b"PK\5\6")] + bytes(end))
    assert seen.words[-1] == "two"
    assert max(damage.offset + damage.length for damage in seen.damages or [Damage("", 0, 0, "")]) <= len(
        spoiled
    )


def test_a_length_that_is_too_small_leaves_damage_up_to_the_next_record(tmp_path: Path) -> None:
    first = warc(http(b"<p>one and more</p>"), length=len(http(b"<p>one")))
    seen = read(tmp_path / "a", first + page("two"))
    assert seen.words == ["one", "two"]
    assert [(seen.damages[0].offset, seen.damages[0].length)] == [(len(first) - 17, 17)]
    assert seen.locations[0].length == len(first), "the rest belongs to no other record"


@pytest.mark.parametrize("length", ["", "abc", "-5", "9" * 400, "1e3", "+5"])
@pytest.mark.parametrize("container", ["plain", "gzip", "one gzip member"])
def test_a_length_that_is_no_number_ends_at_the_next_record(
    length: str, container: str, tmp_path: Path
) -> None:
    seen = read(tmp_path / "a", PACKERS[container]([page("one", length=length), page("two")]))
    assert seen.words == ["one", "two"]


@pytest.mark.parametrize("off", [-2, -1, 1, 2, 5, 30])
def test_arc_lengths_that_are_a_little_wrong(off: int, tmp_path: Path) -> None:
    block = http(b"<p>one</p>")
    records = arc_file(arc(block, length=len(block) + off), arc(http(b"<p>two</p>")))
    seen = read(tmp_path / "a", b"".join(records))
    assert seen.urls[1:] == ["http://a.example/", "http://a.example/"]
    assert seen.words[2] == "two"


def test_arc_records_without_line_ends_between_and_one_wrong_length(tmp_path: Path) -> None:
    body = http(b"x" * 99)
    for wrong in (-20, -1, 1, 20):
        spoiled = arc(body, "http://a.example/1", length=len(body) + wrong, after=b"")
        others = [arc(body, f"http://a.example/{number}", after=b"") for number in range(2, 5)]
        seen = read(tmp_path / "a", b"".join(arc_file(spoiled, *others)))
        assert seen.urls[1:] == [f"http://a.example/{number}" for number in range(1, 5)]
        assert seen.blocks[2:] == [body] * 3


def test_an_arc_record_without_a_line_end_behind_it(tmp_path: Path) -> None:
    seen = read(tmp_path / "a", b"".join(arc_file(arc(http(b"one"), after=b""), arc(http(b"two")))))
    assert (seen.words[1:], seen.damages) == (["one", "two"], [])
    for location in seen.locations:
        read_record_at(location).close()


def test_a_record_that_goes_on_in_the_next_members(tmp_path: Path) -> None:
    whole = page("one") + page("two")
    for size in (1, 7, *range(17, 180), len(page("one")) - 2, 300):
        members = gzip_members(whole[at : at + size] for at in range(0, len(whole), size))
        seen = read(tmp_path / "a", members)
        assert (seen.words, seen.damages) == (["one", "two"], [])
        assert [read_record_at(location).url for location in seen.locations] == seen.urls


def test_empty_members_between_records(tmp_path: Path) -> None:
    empty = gzip.compress(b"")
    seen = read(
        tmp_path / "a",
        empty + gzip_members([page("one")]) + empty * 5000 + gzip_members([page("two")]) + empty,
    )
    assert (seen.words, seen.damages) == (["one", "two"], [])


def test_records_of_length_zero(tmp_path: Path) -> None:
    records = [
        warc(b"", kind="warcinfo", content_type=None),
        warc(b""),
        warc(b"", kind="metadata"),
        page("one"),
    ]
    seen = read(tmp_path / "a", gzip_members(records))
    assert (seen.words, seen.damages) == (["", "", "", "one"], [])


# ---------------------------------------------------------------- ARC header lines


@pytest.mark.parametrize(
    ("url", "mime", "date", "timestamp"),
    [
        ("http://a.example/two words  here", "text/html", "20040925001013", "20040925001013"),
        (
            "http://a.example/find?q=host 10.0.0.1 20010101000000 down",
            "text/html",
            "20040925001013",
            "20040925001013",
        ),
        ("http://a.example/", "text/html; Charset=iso-8859-1", "20040925001013", "20040925001013"),
        ("http://a.example/", "no mime at all (", "20040925001013", "20040925001013"),
        ("http://a.example/\x0c\x01\x0dx", "text/html", "20040925001013", "20040925001013"),
        ("http://a.example/\xe9cole", "text/html", "20040925001013", "20040925001013"),
        ("http://a.example/", "text/html", "2000082305410049", "20000823054100"),
        ("http://a.example/", "text/html", "200011101120", "20001110112000"),
        ("http://a.example/", "text/html", "2016020915", "20160209150000"),
        ("http://a.example/", "text/html", "a0d1fdddf3165d", ""),
        ("http://a.example/", "text/html", "null", ""),
        ("http://a.example/", "text/html", "20041345001013", ""),
        ("metadata://a.example/x?y=1", "text/plain", "20040925001013", "20040925001013"),
    ],
)
def test_arc_header_lines(url: str, mime: str, date: str, timestamp: str, tmp_path: Path) -> None:
    records = arc_file(arc(http(b"one"), url, mime, date), arc(http(b"two")))
    path = _write(tmp_path, b"".join(records))
    items = [item for item in read_records(str(path)) if isinstance(item, Record)]
    assert [item.url for item in items[1:]] == [url, "http://a.example/"]
    assert items[1].timestamp == timestamp


@pytest.mark.parametrize("gap", ["  ", "   ", "\t"])
def test_arc_fields_parted_by_other_than_one_blank(gap: str, tmp_path: Path) -> None:
    line = gap.join(
        ("http://a.example/x", "192.0.2.7", "20040925001013", "text/html", str(len(http(b"one"))))
    )
    record = line.encode() + b"\n" + http(b"one") + b"\n"
    seen = read(tmp_path / "a", b"".join(arc_file(record, arc(http(b"two")))))
    assert (seen.words[1:], seen.urls[1], seen.damages) == (["one", "two"], "http://a.example/x", [])


def test_an_arc_line_that_is_none_is_passed_over(tmp_path: Path) -> None:
    bad = b"filedesc://horsy|\\hello a.b.c.d blue_monday gif\\image one\r\n1 0 ExampleOrg\r\n\r\n"
    seen = read(tmp_path / "a", bad + arc(http(b"one")))
    assert seen.words == ["one"]
    assert (seen.damages[0].offset, seen.damages[0].length) == (0, len(bad))


# ---------------------------------------------------------------- dates


@pytest.mark.parametrize(
    ("date", "timestamp"),
    [
        ("2020-01-02T03:04:05Z", "20200102030405"),
        ("2020-01-02T03:04:05.123456789Z", "20200102030405"),
        ("2015-07-29T20:10:45+02:00", "20150729181045"),
        ("2015-12-31T23:30:00-0100", "20160101003000"),
        ("2019-08-15T01:02", "20190815010200"),
        ("2019-08-15", "20190815000000"),
        ("2019", "20190101000000"),
        (" 2008-04-30T20:48:25Z", "20080430204825"),
        ("20080430204825", "20080430204825"),
        ("blue monday", ""),
        ("2019-13-45T99:99:99Z", ""),
        ("2019-02-30T00:00:00Z", ""),
        ("9999-12-31T23:59:59-23:59", ""),
        ("", ""),
    ],
)
def test_dates(date: str, timestamp: str, tmp_path: Path) -> None:
    path = _write(tmp_path, page("one", date=date))
    assert _only(list(read_records(str(path)))).timestamp == timestamp


# ---------------------------------------------------------------- damage


@pytest.mark.parametrize("container", ["plain", "gzip", "zstd"])
def test_a_file_that_is_cut_gives_what_is_readable(container: str, tmp_path: Path) -> None:
    noise = warc(http(os.urandom(300_000).hex().encode()), "http://a.example/cut")
    data = PACKERS[container]([page("one"), noise])[:-1000]
    seen = read(tmp_path / "a", data)
    assert (seen.words[0], seen.cut) == ("one", ["", "file"])
    assert seen.urls[1] == "http://a.example/cut"
    assert seen.damages
    assert {damage.offset + damage.length for damage in seen.damages} == {len(data)}


@pytest.mark.parametrize("container", ["gzip", "zstd", "bzip2"])
def test_a_broken_member_does_not_end_the_file(container: str, tmp_path: Path) -> None:
    members = [PACKERS[container]([page(word * 50)]) for word in ("one", "two", "three")]
    broken = bytearray(members[1])
    broken[len(broken) // 2 : len(broken) // 2 + 8] = b"\xff" * 8
    seen = read(tmp_path / "a", members[0] + bytes(broken) + members[2])
    assert (seen.words[0], seen.words[-1]) == ("one" * 50, "three" * 50)
    assert (seen.damages[-1].offset, seen.damages[-1].length) == (len(members[0]), len(broken))


def test_spoiled_data_that_unpacks_on_into_the_members_behind(tmp_path: Path) -> None:
    """A bit that was turned can hide the end of a member: those behind it must be found all the same."""
    members = [gzip_members([page(word * 40)]) for word in ("one", "two", "three", "four", "five")]
    data = b"".join(members)
    begin = len(members[0]) + 12
    for bit in range(begin * 8, (begin + len(members[1]) - 20) * 8, 3):
        spoiled = bytearray(data)
        spoiled[bit // 8] ^= 1 << bit % 8
        seen = read(tmp_path / "a", bytes(spoiled))
        assert seen.words[0] == "one" * 40
        assert seen.words[-3:] == ["three" * 40, "four" * 40, "five" * 40]
        assert seen.damages or seen.words[1] == "two" * 40


def test_a_wrong_checksum_keeps_the_record_and_is_damage(tmp_path: Path) -> None:
    members = [bytearray(gzip.compress(page(word))) for word in ("one", "two")]
    members[0][-6] ^= 1
    seen = read(tmp_path / "a", b"".join(members))
    assert (seen.words, seen.cut) == (["one", "two"], ["", ""])
    assert [damage.problem for damage in seen.damages] == ["broken gzip member: wrong checksum"]


def test_broken_members_leave_nothing_to_the_collector(tmp_path: Path) -> None:
    """Decoders and blocks of a thousand broken members would wait for it: 700 MB of them."""
    members = [bytearray(gzip.compress(page(word))) for word in ("one", "two", "three")]
    for member in members:
        member[-6] ^= 1
    gc.collect()
    gc.disable()
    try:
        read(tmp_path / "a", b"".join(members))
        assert gc.collect() == 0
    finally:
        gc.enable()


# line ends beside records would be no rubbish
NOISE = b"\xff" + os.urandom(70_000) + b"\xff"


@pytest.mark.parametrize("rubbish", [b"\0" * 5000, b"CORRUPTED", NOISE, b"\x1f\x8b\x08\0" * 50])
@pytest.mark.parametrize("container", ["plain", "gzip", "zstd", "lz4", "bzip2"])
def test_rubbish_before_between_and_behind(rubbish: bytes, container: str, tmp_path: Path) -> None:
    one, two = (PACKERS[container]([page(word * 9)]) for word in ("one", "two"))
    for data in (rubbish + one + two, one + rubbish + two, one + two + rubbish):
        seen = read(tmp_path / "a", data)
        assert seen.words == ["one" * 9, "two" * 9]
        assert sum(damage.length for damage in seen.damages) >= len(rubbish)


@pytest.mark.parametrize("outer", ["plain", "gzip", "zstd", "lz4", "bzip2"])
@pytest.mark.parametrize("inner", ["plain", "gzip", "zstd", "lz4", "bzip2"])
def test_files_of_different_formats_joined_to_one(outer: str, inner: str, tmp_path: Path) -> None:
    first, last = (PACKERS[outer]([page(word)]) for word in ("first", "last"))
    middle = PACKERS[inner]([page("one"), page("two")])
    for data, words in (
        (first + middle, 3),
        (first + middle + last, 4),
        (first + middle + b"\0" * 99 + last, 4),
    ):
        seen = read(tmp_path / "a", data)
        assert seen.words == ["first", "one", "two", "last"][:words]
        assert bool(seen.damages) == (b"\0" * 99 in data)
        assert [read_record_at(place).url for place in seen.locations] == seen.urls


@pytest.mark.parametrize("cut", ["WARC/", "WARC/1.0\r\n", "WARC/1.0\r\nWARC-Type: resp"])
@pytest.mark.parametrize("container", ["gzip", "zstd"])
def test_a_packed_file_behind_a_plain_header_that_was_cut(container: str, cut: str, tmp_path: Path) -> None:
    packed = PACKERS[container]([page("one"), page("two")])
    for before in (b"", page("zero")):
        seen = read(tmp_path / "a", before + cut.encode() + packed)
        assert seen.words[-2:] == ["one", "two"]
        assert seen.locations[-2].offset == len(before) + len(cut)


@pytest.mark.parametrize("container", ["plain", "gzip", "zstd", "one gzip member"])
def test_arc_and_warc_joined_to_one_file(container: str, tmp_path: Path) -> None:
    warcs = PACKERS[container]([page("one"), page("two")])
    arcs = PACKERS[container](
        arc_file(*(arc(http(b"<p>" + word), "http://b.example/") for word in (b"x", b"y")))
    )
    bare = PACKERS[container]([arc(http(b"<p>" + word), "http://b.example/") for word in (b"x", b"y")])
    for data, words in (
        (warcs + arcs, ["one", "two", "x", "y"]),
        (warcs + bare, ["one", "two", "x", "y"]),
        (arcs + warcs + arcs, ["x", "y", "one", "two", "x", "y"]),
    ):
        seen = read(tmp_path / "a", data)
        assert ([word for word in seen.words if word], seen.damages) == (words, [])
        assert [read_record_at(place).url for place in seen.locations] == seen.urls


def test_a_packed_file_behind_a_plain_one_that_was_cut(tmp_path: Path) -> None:
    cut = page("one") + warc(http(b"x" * 900))[:400]
    seen = read(tmp_path / "a", cut + gzip_members(page(f"page{number}" * 9) for number in range(20)))
    assert seen.words[0] == "one"
    assert seen.words[-1] == "page19" * 9
    assert seen.damages


def test_a_record_inside_a_record_is_left_alone(tmp_path: Path) -> None:
    inner = page("inner") + page("inner2")
    for container in ("plain", "one gzip member"):
        seen = read(tmp_path / "a", PACKERS[container]([warc(inner, kind="resource"), page("two")]))
        assert (seen.blocks[0], len(seen.blocks), seen.damages) == (inner, 2, [])


def test_headers_beyond_the_limits(tmp_path: Path) -> None:
    long_line = b"WARC/1.0\r\nWARC-Type: " + b"x" * 1_200_000 + b"\r\n\r\n"
    many = page("many", extra=[f"X-{number}: 1" for number in range(12_000)])
    seen = read(tmp_path / "a", long_line + many + page("two"))
    assert seen.words == ["many", "two"]
    assert (seen.damages[0].offset, seen.damages[0].length) == (0, len(long_line))
    with read_record_at(seen.locations[0]) as record:
        assert len(record.headers) == 10_000


@pytest.mark.parametrize("container", ["plain", "gzip", "zstd", "one gzip member"])
def test_an_address_that_holds_a_whole_picture(container: str, tmp_path: Path) -> None:
    url = "data:image/png;base64," + "A" * 300_000
    seen = read(tmp_path / "a", PACKERS[container]([page("one"), page("two", url), page("three")]))
    assert (seen.words, seen.urls[1], seen.damages) == (["one", "two", "three"], url, [])


@pytest.mark.parametrize("container", ["plain", "one gzip member"])
def test_headers_without_a_blank_line_are_passed_over_in_large_steps(container: str, tmp_path: Path) -> None:
    seen = read(tmp_path / "a", PACKERS[container]([b"WARC/1.0\r\nA:\r\n" * 500_000, page("after")]))
    assert seen.words[-1] == "after"


@pytest.mark.parametrize("cut", [5, 20, 60, -30, -6])
@pytest.mark.parametrize("container", ["plain", "one gzip member"])
def test_a_header_that_breaks_off_where_the_next_record_begins(
    container: str, cut: int, tmp_path: Path
) -> None:
    whole = warc(b"", kind="metadata", tail=b"")
    seen = read(tmp_path / "a", PACKERS[container]([page("one"), whole[:cut], page("two"), page("three")]))
    assert seen.words == ["one", "two", "three"]
    assert [damage.problem.split(" at ")[0] for damage in seen.damages] == [
        "a record header that breaks off where the next one begins"
    ]
    if container == "plain":
        place = seen.damages[0]
        assert (place.offset, place.length) == (len(page("one")), len(whole[:cut]))


def test_a_header_field_that_ends_in_a_version_breaks_off_nothing(tmp_path: Path) -> None:
    seen = read(tmp_path / "a", page("one", extra=["X-Format: WARC/1.0", "WARC-Type: request"]))
    assert (seen.words, seen.damages) == (["one"], [])


# ---------------------------------------------------------------- files that are none


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\r\n\r\n",
        b"asdfasdf\nasdfasdf\n",
        b"WARC",
        b"WARC-Type: resource\r\n",
        b"\x1f\x8b",
        gzip.compress(b"", mtime=0),
        gzip.compress(b"com,example)/ 2020\n", mtime=0),
        b"\x89PNG\r\n\x1a\n" + bytes(5000),
        b"BZh9",
        b"\x28\xb5\x2f\xfd",
        b"PK\x05\x06",
    ],
)
def test_a_file_without_a_record_says_so(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(NotAnArchiveError, match="expected a WARC, ARC or WACZ file"):
        read(tmp_path / "a", data)


def test_folders_pipes_and_missing_files_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "none", "a\0b", ""):
        with pytest.raises(ArchiveError):
            ArchiveReader(str(path))
        with pytest.raises(ArchiveError):
            find_record(str(path), 0)


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = _write(tmp_path, page("one"))
    path.chmod(0)
    with pytest.raises(ArchiveError, match="Permission denied"):
        ArchiveReader(str(path))


@pytest.mark.parametrize("container", ["plain", "gzip"])
def test_a_file_that_shrinks_or_grows_while_it_is_read(container: str, tmp_path: Path) -> None:
    records = [page(f"p{number}" + "x" * 5000) for number in range(300)]
    path = _write(tmp_path, PACKERS[container](records))
    with ArchiveReader(str(path)) as reader:
        items = iter(reader)
        next(items)
        os.truncate(path, path.stat().st_size // 3)
        rest = [item for item in items if isinstance(item, Record)]
    assert len(rest) < 299
    path = _write(tmp_path, PACKERS[container](records[:2]))
    with ArchiveReader(str(path)) as reader:
        items = iter(reader)
        next(items)
        with path.open("ab") as file:
            file.write(PACKERS[container](records[2:]))
        assert len([item for item in items if isinstance(item, Record)]) >= 1


# ---------------------------------------------------------------- one record at a time


def test_a_record_ends_when_the_reader_moves_on(tmp_path: Path) -> None:
    path = _write(tmp_path, page("one") + page("two"))
    with ArchiveReader(str(path)) as reader:
        first, second = reader
        assert isinstance(first, Record) and isinstance(second, Record)
        with pytest.raises(ArchiveError, match="moved on"):
            first.read()


def test_reading_in_parts_and_peeking(tmp_path: Path) -> None:
    path = _write(tmp_path, gzip_members([warc(b"0123456789" * 50_000), page("two")]))
    with ArchiveReader(str(path)) as reader:
        items = iter(reader)
        record = next(items)
        assert isinstance(record, Record)
        assert record.peek(12) == b"012345678901"
        assert record.read(5) + record.read(7) == b"012345678901"
        assert record.peek(3) == b"234"
        assert len(record.read()) == 500_000 - 12
        assert record.read() == record.read(5) == record.peek(5) == b""
        assert record.location.offset == 0
        second = next(items)
        assert isinstance(second, Record) and second.url == "http://a.example/two"


def _write(folder: Path, data: bytes) -> Path:
    path = folder / "archive"
    path.write_bytes(data)
    return path


def _only(items: list[object]) -> Record:
    (record,) = items
    assert isinstance(record, Record)
    return record


def test_what_was_read_of_a_record_goes_when_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "one.warc.gz"
    path.write_bytes(gzip.compress(warc(b"block " * 1000)))
    gc.collect()
    gc.disable()  # as in a server, which looks for circles of objects now and then only
    try:
        with read_record_at(Location(str(path), 0, path.stat().st_size)) as record:
            assert len(record.read()) == 6000
            streams = weakref.ref(record._stream)
        del record
        assert streams() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("cuts", [(100_000,), (150_000, 150_001), (20, 140_000, 199_000), (40_000, 80_000)])
def test_a_long_header_may_go_on_in_further_members(cuts: tuple[int, ...], tmp_path: Path) -> None:
    record = page("heron", extra=[f"X-Long: {'z' * 200_000}"])
    parts = [record[begin:end] for begin, end in zip((0, *cuts), (*cuts, None), strict=True)]
    seen = read(tmp_path / "a.warc.gz", gzip_members([page("coot"), *parts, page("wren")]))
    assert seen.words == ["coot", "heron", "wren"]
    assert not seen.damages


def test_a_header_in_many_members_is_searched_for_its_end_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = 0

    class Counting:
        def search(self, data: bytes, begin: int = 0, *end: int) -> re.Match[bytes] | None:
            nonlocal searched
            searched += len(data) - begin
            return HEAD_END.search(data, begin, *end)

    monkeypatch.setattr(records, "HEAD_END", Counting())
    record = page("heron", extra=[f"X-Long: {'z' * 400_000}"])
    seen = read(
        tmp_path / "a.warc.gz",
        gzip_members(record[begin : begin + 2000] for begin in range(0, len(record), 2000)),
    )
    assert seen.words == ["heron"]
    assert searched < 4 * len(record)
