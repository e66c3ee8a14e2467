"""The real archives: every HTML 200 document of facts.tsv at its place with its body, and other readers agree."""

from __future__ import annotations

import csv
import hashlib
from collections import defaultdict
from pathlib import Path

import pytest

from archiver.warc import Damage, NotAnArchiveError, parse_response, read_record_at, read_records

SALVAGED_OTHERWISE = {
    # Its claimed length swallows two more record headers; we end the record at the first of them.
    ("archivesunleashed__aut/badexample.arc.gz", 0),
    # HTTP headers without a blank line: all of it is header by the letter, we take the markup as the body.
    ("Digital-Preservation-Finland__file-scraper/history-560c3520--invalid_1.0_missing_field.arc", 117),
    ("Digital-Preservation-Finland__file-scraper/history-c4d5e679--valid_1.0_.arc.gz", 0),
    ("richardlehane__webarchive/hello-world2.arc", 208),
    ("Digital-Preservation-Finland__file-scraper/invalid_1.0_too_short_content_length.warc", 0),
}


def test_every_document_of_the_facts(real_archives: Path) -> None:
    with (real_archives / "facts.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    expected = defaultdict(list)
    for row in rows:
        expected[row["file"]].append(row)
    missing = []
    for name, documents in expected.items():
        found = defaultdict(set)
        for record in read_records(str(real_archives / name)):
            if isinstance(record, Damage):
                continue
            response = parse_response(record)
            place = record.location
            if response:
                found[place.member, place.offset, place.length].add(hashlib.sha1(response.body).hexdigest())
        for row in documents:
            place_of_row = row["inner_file"], int(row["offset"]), int(row["length"])
            if (
                row["body_sha1"] not in found[place_of_row]
                and (name, int(row["offset"])) not in SALVAGED_OTHERWISE
            ):
                missing.append((name, place_of_row, row["caveat"]))
    assert rows and not missing


def test_every_record_is_read_again_from_its_place(real_archives: Path) -> None:
    files = [path for path in sorted(real_archives.glob("*/*")) if "cdx" not in path.suffix]
    assert files
    for path in files:
        try:
            for record in read_records(str(path)):
                if isinstance(record, Damage):
                    continue
                block = record.read(1 << 20)
                place = record.location
                with read_record_at(place) as again:
                    assert (again.url, again.type, again.version) == (record.url, record.type, record.version)
                    assert again.read(1 << 20) == block
                    assert again.location == place
        except NotAnArchiveError:
            continue


@pytest.mark.parametrize("reader", ["warcio", "fastwarc"])
def test_other_readers_agree_on_sound_files(reader: str, real_archives: Path) -> None:
    """Where a file is sound for us, another reader finds the same records at the same offsets."""
    places_of = _warcio_places if reader == "warcio" else _fastwarc_places
    agreed = 0
    differ = []
    for path in sorted(real_archives.glob("*/*")):
        if path.suffix in (".wacz", ".zip", ".zst", ".lz4", ".bz2") or "cdx" in path.suffix:
            continue
        try:
            items = list(_places(path))
        except NotAnArchiveError:
            continue
        if "damage" in items:
            continue
        other = places_of(path)
        if other is None:
            continue
        if other == items:
            agreed += 1
        else:
            differ.append((path.name, len(items), len(other)))
    assert agreed > 120
    assert len(differ) < agreed / 5, differ


def _places(path: Path) -> list[object]:
    found: list[object] = []
    for item in read_records(str(path)):
        if isinstance(item, Damage):
            found.append("damage")
        else:
            found.append(item.location.offset)
    return found


def _warcio_places(path: Path) -> list[object] | None:
    iterator = pytest.importorskip("warcio.archiveiterator")
    places: list[object] = []
    try:
        with path.open("rb") as file:
            records = iterator.ArchiveIterator(file)
            for _ in records:
                places.append(records.get_record_offset())
    except Exception:  # what it raises on odd files is not our matter
        return None
    return places


def _fastwarc_places(path: Path) -> list[object] | None:
    fastwarc = pytest.importorskip("fastwarc.warc")
    if path.name.rpartition(".")[2].lower() == "arc" or path.name.lower().endswith(".arc.gz"):
        return None
    places: list[object] = []
    try:
        with path.open("rb") as file:
            for record in fastwarc.ArchiveIterator(file, parse_http=False):
                places.append(record.stream_pos)
    except Exception:  # the same
        return None
    return places
