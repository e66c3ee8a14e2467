"""Records copied into another archive: the same bytes, whatever they lay in."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import pytest
from archive_bytes import PACKERS, Seen, arc, arc_file, gzip_members, http, page, warc, zip_file

from archiver.warc import Location, RecordError, read_records
from archiver.warc.copying import copy_record
from archiver.warc.reader import stored_at

RECORDS = [page("one"), page("two"), warc(b"plain text", "http://a.example/t", "resource", "text/plain")]


def copied(location: Location) -> bytes:
    out = io.BytesIO()
    length = copy_record(location).write_to(out)
    assert length == len(out.getvalue())
    return out.getvalue()


@pytest.mark.parametrize("packer", PACKERS)
def test_a_record_keeps_its_bytes_and_has_a_gzip_member_of_its_own(packer: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(PACKERS[packer](RECORDS))
    for record, location in zip(RECORDS, Seen(path).locations, strict=True):
        out = io.BytesIO()
        copy = copy_record(location)
        copy.write_to(out)
        assert gzip.decompress(out.getvalue()) == record
        assert copy.as_it_lies == (packer == "gzip")


def test_a_gzip_member_is_copied_as_it_lies(tmp_path: Path) -> None:
    """Byte for byte, so that checksums of members made elsewhere stay true; inside a WACZ file as well."""
    members = [gzip.compress(record, level) for record, level in zip(RECORDS, (1, 6, 9), strict=True)]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(members))
    (tmp_path / "b.wacz").write_bytes(zip_file({"archive/x.warc.gz": b"".join(members)}))
    for name in ("a.warc.gz", "b.wacz"):
        assert [copied(place) for place in Seen(tmp_path / name).locations] == members


def test_an_arc_record_becomes_a_warc_record_with_the_same_block(tmp_path: Path) -> None:
    blocks = [http(b"<p>one</p>"), http(b"<p>two</p>")]
    path = tmp_path / "a.arc.gz"
    path.write_bytes(
        gzip_members(arc_file(*(arc(block, f"http://a.example/{n}") for n, block in enumerate(blocks))))
    )
    places = Seen(path).locations[1:]
    (tmp_path / "b.warc.gz").write_bytes(b"".join(map(copied, places)))
    seen = Seen(tmp_path / "b.warc.gz")
    assert (seen.blocks, seen.types, seen.damages) == (blocks, ["response", "response"], [])
    assert seen.urls == ["http://a.example/0", "http://a.example/1"] and seen.format == "WARC/1.1"
    [first, _] = [record.timestamp for record in read_records(str(tmp_path / "b.warc.gz"))]  # type: ignore[union-attr]
    assert first == "20040925001013"
    assert copied(places[0]) == copied(places[0])  # the same id each time


def test_what_is_cut_or_broken_is_not_copied(tmp_path: Path) -> None:
    whole = gzip.compress(warc(http(bytes(range(256)) * 400)), 0)
    cut, broken = tmp_path / "cut.warc.gz", tmp_path / "broken.warc.gz"
    cut.write_bytes(whole[: len(whole) // 2])
    broken.write_bytes(whole[:-8] + bytes(4) + whole[-4:])
    for path in (cut, broken):
        with pytest.raises(RecordError):
            copied(Location(str(path), 0, path.stat().st_size))
    plain = tmp_path / "cut.warc"
    plain.write_bytes(warc(http(b"x" * 1000))[:-300])
    with pytest.raises(RecordError):
        copied(Location(str(plain), 0, plain.stat().st_size))


def test_a_bomb_is_not_unpacked_into_memory(tmp_path: Path) -> None:
    """A member whose record is small and that goes on for 200 MB is no member of one record."""
    path = tmp_path / "bomb.warc.gz"
    path.write_bytes(gzip.compress(page("one") + bytes(200_000_000), 1))
    assert gzip.decompress(copied(Location(str(path), 0, path.stat().st_size))) == page("one")


def test_the_place_in_the_file_itself_is_known_for_stored_archives(tmp_path: Path) -> None:
    data = zip_file({"archive/x.warc.gz": gzip_members(RECORDS)})
    (tmp_path / "a.wacz").write_bytes(data)
    for place, record in zip(Seen(tmp_path / "a.wacz").locations, RECORDS, strict=True):
        at = stored_at(place)
        assert at is not None and gzip.decompress(data[at : at + place.length]) == record
    (tmp_path / "b.wacz").write_bytes(zip_file({"x.warc": b"".join(RECORDS)}, zipfile.ZIP_DEFLATED))
    assert stored_at(Seen(tmp_path / "b.wacz").locations[0]) is None
    assert stored_at(Location("any", 7, 1)) == 7
