"""`findingaid check`: are the files of an index sound, and do they agree with each other?"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from archiver.errors import FindingAidError
from indexer.store.catalogue import Catalogue
from indexer.store.columns import KINDS
from indexer.store.copies import count_wrong_copies
from indexer.store.entries import alive_in, open_inlinks
from indexer.store.errors import IndexMissingError
from indexer.store.files import FileTable
from indexer.store.layout import links_path, segment_path
from indexer.store.links import Links
from indexer.store.payloads import holder_of
from indexer.store.segment import Segment
from indexer.store.timeline import CaptureColumns, captures_path, catalogue_rows
from indexer.store.weights import Weights, open_weights
from indexer.text.elements import INLINK

_PAIRS_AT_ONCE = 1 << 19
_Opened = tuple[dict[str, Any], Segment, Weights, CaptureColumns, Segment | None, Links]


def check_generation(folder: str, progress: Callable[[str], None] | None = None) -> list[str]:
    """Return one line for each problem; empty when checksums fit, lists decode, and all references lead somewhere."""
    say = progress or (lambda text: None)
    problems: list[str] = []
    try:
        catalogue = Catalogue(folder)
    except FindingAidError as error:
        return [str(error)]
    try:
        with _opened_state(catalogue) as segments:
            say("catalogue")
            problems += _check_catalogue(catalogue)
            for entry, segment, weights, captures, inlinks, links in segments:
                say(f"segment {entry['number']} ({entry['versions']} versions)")
                problems += _check_segment(catalogue, entry, segment, weights, inlinks)
                problems += links.file.problems()
                problems += _check_captures(catalogue, entry, captures)
    except FindingAidError as error:
        problems.append(str(error))
    except (sqlite3.Error, LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        problems.append(
            f"{os.path.join(folder, 'catalogue.sqlite')}: {error!r}; index the archives again with --rebuild"
        )
    finally:
        catalogue.close()
    return problems


@contextmanager
def _opened_state(catalogue: Catalogue) -> Iterator[list[_Opened]]:
    """Give the segments of one commit, all open; what the catalogue says inside is of that commit too."""
    missed: list[dict[str, Any]] | None = None
    while True:
        with catalogue.snapshot():
            entries = catalogue.dictionary["segments"]
            try:
                opened = [_open(catalogue.index_dir, entry) for entry in entries]
            except IndexMissingError:
                if entries == missed:
                    raise
                missed = entries
                continue  # a merge took a file away after we read its name
            yield opened
            return


def _open(folder: str, entry: dict[str, Any]) -> _Opened:
    segment = Segment(segment_path(folder, entry["number"]))
    inlinks = open_inlinks(folder, entry, segment)
    weights = open_weights(folder, entry, segment)
    captures = CaptureColumns(captures_path(folder, entry), len(segment))
    links = Links(links_path(folder, entry["number"]), len(segment))
    return entry, segment, weights, captures, inlinks, links


def _check_catalogue(catalogue: Catalogue) -> list[str]:
    connection = catalogue.connection()
    problems = [
        f"{catalogue.path}: {row[0]}"
        for row in connection.execute("PRAGMA integrity_check")
        if row[0] != "ok"
    ]
    for what, sql in (
        (
            "captures of an address that is not there",
            "SELECT COUNT(*) FROM capture_rows WHERE url NOT IN (SELECT id FROM urls)",
        ),
        (
            "captures in a file that is not there",
            "SELECT COUNT(*) FROM capture_rows WHERE file NOT IN (SELECT id FROM files)",
        ),
        (
            "captures that show a version that is not there",
            "SELECT COUNT(*) FROM capture_rows WHERE version IS NOT NULL AND version NOT IN (SELECT id FROM versions)",
        ),
        (
            "versions of an address that is not there",
            "SELECT COUNT(*) FROM versions WHERE url NOT IN (SELECT id FROM urls)",
        ),
        (
            "addresses more than once",
            "SELECT COUNT(*) FROM (SELECT 1 FROM addresses GROUP BY folder, name, written HAVING COUNT(*) > 1)",
        ),
        (
            "addresses in a folder that is not there",
            "SELECT COUNT(*) FROM addresses WHERE folder NOT IN (SELECT id FROM folders)",
        ),
        (
            "captures of a kind that is not there",
            "SELECT COUNT(*) FROM capture_rows WHERE kind NOT IN (SELECT id FROM kinds)",
        ),
        (
            "captures in a member that is not there",
            "SELECT COUNT(*) FROM capture_rows WHERE member NOT IN (SELECT 0 UNION ALL SELECT id FROM members)",
        ),
        (
            "captures that no piece of their file holds",
            "SELECT COUNT(*) FROM capture_rows c WHERE NOT EXISTS (SELECT 1 FROM pieces p"
            " WHERE p.file = c.file AND c.id BETWEEN p.first AND p.last AND c.offset BETWEEN p.low AND p.high)",
        ),
        (
            "captures of one record more than once",
            "SELECT COUNT(*) FROM (SELECT 1 FROM capture_rows"
            " GROUP BY file, member, offset, inner HAVING COUNT(*) > 1)",
        ),
        (
            "versions more than once",
            "SELECT COUNT(*) FROM (SELECT 1 FROM versions GROUP BY url, digest HAVING COUNT(*) > 1)",
        ),
        (
            "versions that no capture holds",
            "SELECT COUNT(*) FROM versions v WHERE NOT EXISTS"
            " (SELECT 1 FROM captures c WHERE c.version = v.id AND c.type <> 'revisit')"
            " AND NOT EXISTS (SELECT 1 FROM capture_rows c WHERE c.version = v.id AND c.payload <> ''"
            f" AND ({holder_of('c.payload')}) IS NOT NULL)",
        ),
    ):
        count = connection.execute(sql).fetchone()[0]
        if count:
            problems.append(f"{catalogue.path}: {count} {what}; index the archives again with --rebuild")
    wrong = count_wrong_copies(connection)
    if wrong:
        problems.append(
            f"{catalogue.path}: {wrong} captures that are shown although another file stands for them, or the other"
            " way round; index the archives again with --rebuild"
        )
    captures = dict(connection.execute("SELECT file, COUNT(*) FROM capture_rows GROUP BY file").fetchall())
    for file in FileTable(catalogue).all():
        if file.entry is None:
            continue
        entry = file.entry
        total = entry["captures"] + sum(entry["skipped"].values())
        if entry["records"] != total:
            problems.append(
                f"{entry['file']}: the ledger counts {entry['records']} records,"
                f" but captures and skipped give {total}"
            )
        held = captures.get(file.number, 0)
        if held != entry["captures"]:
            problems.append(
                f"{entry['file']}: the ledger counts {entry['captures']} captures, the index holds {held}"
            )
    return problems


def _check_postings(segment: Segment) -> list[str]:
    """Return what is wrong with the posting lists of a segment or an overlay."""
    lengths = np.zeros((len(segment), KINDS), dtype=np.int64)
    for first, last in segment.word_ranges(_PAIRS_AT_ONCE):
        occurrences = segment.occurrences_of(first, last)
        if len(occurrences) and int(occurrences.version.max()) >= len(segment):
            return [
                f"{segment.path}: a posting names version {int(occurrences.version.max())} of {len(segment)}"
            ]
        np.add.at(lengths, (occurrences.version, occurrences.element), 1)
    if (lengths == segment.lengths).all():
        return []
    return [
        f"{segment.path}: the postings do not add up to the stored lengths; index the archives again with --rebuild"
    ]


def _check_segment(
    catalogue: Catalogue,
    entry: dict[str, Any],
    segment: Segment,
    weights: Weights,
    inlinks: Segment | None,
) -> list[str]:
    layers = [segment] if inlinks is None else [segment, inlinks]
    problems = weights.problems()
    for layer in layers:
        problems += layer.file.problems()
    for layer in [] if problems else layers:
        problems += _check_postings(layer)
    if problems:
        return problems
    held = segment.lengths.astype(np.int64)
    if inlinks is not None:
        others = inlinks.lengths.astype(np.int64)
        held += others
        others[:, INLINK] = 0
        if others.any():
            problems.append(
                f"{inlinks.path}: holds other things than texts of links to the versions of {segment.path};"
                " index the archives again with --rebuild"
            )
    alive = alive_in(entry, len(segment))
    if (held[alive].sum(axis=0) != entry["sums"]).any():
        problems.append(
            f"{segment.path}: the lengths do not add up to the catalogue's sums;"
            " index the archives again with --rebuild"
        )
    rows = (
        catalogue.connection()
        .execute(
            "SELECT place & 65535, url FROM versions WHERE place >> 16 = ? ORDER BY place", (entry["number"],)
        )
        .fetchall()
    )
    if [row[0] for row in rows] != np.flatnonzero(alive).tolist():
        problems.append(
            f"{segment.path}: its live versions are not those of the catalogue; index the archives again with --rebuild"
        )
    elif [row[1] for row in rows] != segment.document[alive].tolist():
        problems.append(
            f"{segment.path}: its versions belong to other pages than the catalogue says;"
            " index the archives again with --rebuild"
        )
    return problems


def _check_captures(catalogue: Catalogue, entry: dict[str, Any], captures: CaptureColumns) -> list[str]:
    problems = captures.file.problems()
    if not problems:
        expected = sorted(map(captures.kept, catalogue_rows(catalogue.connection(), entry["number"])))
        if sorted(captures.rows()) != expected:
            problems.append(
                f"{captures.file.path}: its captures are not those of the catalogue;"
                " index the archives again with --rebuild"
            )
    return problems
