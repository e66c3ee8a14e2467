"""Which files of an index run are read: those that are new or changed; and which are known under another path.

Only content tells whether a file is known: its size and the digest of its two ends. A file whose content the index
knows under a path where nothing is any more has moved: its row gets the new path, nothing is read. While both are
there, they are two files, each with its line in the ledger; readers are shown what both hold once (store/copies.py).
"""

from __future__ import annotations

import logging
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from archiver.warc.growing import final_name, is_growing, last_member_end, name_now
from indexer.store.files import (
    KnownFile,
    State,
    fingerprint,
    growing_state,
    has_grown,
    moved_along,
    settle,
    state_of,
    whole_path,
)
from indexer.store.removal import Takedowns
from indexer.store.writer import IndexWriter

log = logging.getLogger(__name__)

_ARCHIVE_NAME = re.compile(r"\.(warc|arc|wacz)(\.(gz|zst|zstd|lz4|bz2))?(\.open)?$", re.IGNORECASE)


@dataclass(slots=True)
class ArchiveFile:
    """An archive file of this run.

    replaces: it has been read before, in another state; what is held of it makes place when it is read to its end,
    so that readers see the old captures or the new ones, never a gap. given_up: its worker died too often.
    found: it was found in a folder, not named: if it is no archive, that is no damage.
    before: the ledger entry of what was read while the file was written; what came since is read, and added to it.
    start, end: what is read of it; None for its end.
    """

    number: int
    path: str
    size: int
    state: State
    skip_pages: frozenset[tuple[str, int, int]] = frozenset()
    kills: int = 0
    replaces: bool = False
    given_up: bool = False
    found: bool = False
    before: dict[str, Any] | None = None
    start: int = 0
    end: int | None = None
    died_at: tuple[int, int] | None = None  # (offset, inner) of the page at which a worker died last

    def is_no_archive(self, entry: dict[str, Any]) -> bool:
        """Return whether this is a file that merely lies beside the archives, such as a README."""
        return (
            self.found
            and entry["status"] == "not an archive"
            and not entry["format"]
            and not _ARCHIVE_NAME.search(self.path)
        )


@dataclass(slots=True)
class Choice:
    """The files to be read, and lines about those that are not: moved, gone, not readable now."""

    files: list[ArchiveFile] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def choose_files(
    writer: IndexWriter,
    index_dir: str,
    paths: Iterable[str],
    *,
    found: frozenset[str] = frozenset(),
    folders: Iterable[str] = (),
    look_in: Iterable[str] = (),
    takedowns: Takedowns = Takedowns(),  # noqa: B008  it never changes
    stopped: Callable[[], bool] = lambda: False,
) -> Choice:
    """Return what to read of `paths`, and note in the index which known files have moved.

    found: those of `paths` that were found in folders. folders: known files that are gone from there are told.
    look_in: folders where moved files may lie, beside the folders that they were in. takedowns: files that were
    removed are not read.
    Raises KeyboardInterrupt when `stopped` says so.
    """
    choice = Choice()
    named: dict[str, str] = {}
    for path in dict.fromkeys(paths):
        if is_growing(path) and not os.path.exists(path):
            path = final_name(path)  # closed since it was listed
        if named.setdefault(whole := whole_path(path), path) != path and not is_growing(path):
            named[whole] = path  # closed; the growing one is left over from a copy
    known = {file.whole: file for file in writer.files.all()}
    gone = {
        print_: file
        for file in known.values()
        if not os.path.exists(name_now(file.whole)) and (print_ := fingerprint(file.state)) is not None
    }
    moved = _moved(writer, index_dir, gone, named, known, look_in, choice, stopped)
    states: dict[str, State] = {}
    parts: dict[str, tuple[int, int | None]] = {}
    carried_on: dict[str, dict[str, Any]] = {}
    closed: dict[str, dict[str, Any]] = {}
    replaced: set[str] = set()
    for whole, path in named.items():
        if stopped():
            raise KeyboardInterrupt
        if whole in moved:
            continue
        file = known.get(whole)
        grown = file is not None and file.begun is None and has_grown(path, file.state)
        start = file.state["size"] if file and file.state and grown else 0
        state, end = _state_now(path, start)
        if takedowns.names_file(path, state):
            choice.problems.append(
                f"{path}: was removed from the index; not read (to let it in:"
                f" findingaid remove --undo --file {shlex.quote(path)} --index {shlex.quote(index_dir)})"
            )
            continue
        if end == start:  # not a whole record more
            continue
        parts[path] = start, end
        if file is None:
            states[path] = state
            continue
        if grown and file.entry is not None and "ends" in state:
            if state["size"] == start:  # closed since, and nothing was added
                closed[path] = {**file.entry, "file": path, "state": state}
            else:
                states[path], carried_on[path] = state, file.entry
            continue
        if _is_as_it_was(file, state) and (path in found or not _passed_over(file)):
            continue
        if "ends" not in state and "ends" in (file.state or {}):
            why = state.get("unreadable") or state["kind"]
            log.warning("%s: cannot be read now: %s; what the index holds of it stays", path, why)
            choice.problems.append(f"{path}: cannot be read now: {why}; what the index holds of it stays")
            continue
        if file.entry is not None or (file.begun is not None and file.begun != state):
            replaced.add(path)
        states[path] = state
    with writer.catalogue.transaction():
        settle(writer.catalogue, index_dir)
        for path, entry in closed.items():
            writer.files.finish(writer.files.begin(path, None), entry)
    begun = {path: None if path in carried_on else state for path, state in states.items()}
    for path, number in writer.begin_files(begun).items():
        start, end = parts[path]
        choice.files.append(
            ArchiveFile(
                number,
                path,
                states[path].get("size", 0) - start,
                states[path],
                replaces=path in replaced,
                found=path in found,
                before=carried_on.get(path),
                start=start,
                end=end,
            )
        )
    choice.problems += _gone_from(
        index_dir, folders, (file for file in known.values() if file.whole not in named), moved
    )
    return choice


def _state_now(path: str, start: int) -> tuple[State, int | None]:
    """Return the state of a file, and up to which byte it can be read now: None for its end.

    start: up to which byte it has been read, if it has grown since.
    """
    if is_growing(path):
        with suppress(OSError):  # closed at this moment
            end = last_member_end(path, start)
            return growing_state(path, end), end
    return state_of(final_name(path)), None


def _is_as_it_was(file: KnownFile, state: State) -> bool:
    return file.entry is not None and file.begun is None and file.state == state


def _passed_over(file: KnownFile) -> bool:
    """Whether a file was found to be no archive when nobody had named it; who names it is told."""
    entry = file.entry or {}
    return entry.get("status") == "not an archive" and not entry.get("damaged")


def _moved(
    writer: IndexWriter,
    index_dir: str,
    gone: dict[tuple[int, str], KnownFile],
    named: dict[str, str],
    known: dict[str, KnownFile],
    look_in: Iterable[str],
    choice: Choice,
    stopped: Callable[[], bool],
) -> set[str]:
    """Give known files that lie elsewhere now their new paths; return whole paths, old and new, that are done with."""
    done: set[str] = set()
    sizes = {size for size, _ in gone}
    for path in _candidates(writer, index_dir, gone.values(), named, look_in):
        if not gone:
            break
        if stopped():
            raise KeyboardInterrupt
        whole = whole_path(path)
        if whole in known or whole in done or not os.path.isfile(path) or os.path.getsize(path) not in sizes:
            continue
        state = state_of(path)
        print_ = fingerprint(state)
        file = gone.pop(print_, None) if print_ else None
        if file is None:
            continue
        writer.move_file(file, path, state)
        log.info("%s: lies at %s now; nothing of it is read again", file.path, path)
        choice.problems.append(f"{file.path}: lies at {path} now; nothing of it is read again")
        done |= {file.whole, whole}
    return done


def _candidates(
    writer: IndexWriter,
    index_dir: str,
    gone: Iterable[KnownFile],
    named: dict[str, str],
    look_in: Iterable[str],
) -> Iterator[str]:
    """Yield paths at which files that are gone may lie now; the likely ones first."""
    gone = list(gone)
    if not gone:
        return
    for file in gone:
        if along := moved_along(writer.catalogue, index_dir, file.whole):
            yield along
    yield from named.values()
    for folder in dict.fromkeys(os.path.dirname(file.whole) for file in gone):
        if os.path.isdir(folder):
            yield from sorted(entry.path for entry in os.scandir(folder) if entry.is_file())
    for top in look_in:
        for folder, _, names in os.walk(top):
            yield from (os.path.join(folder, name) for name in sorted(names))


def _gone_from(
    index_dir: str, folders: Iterable[str], known: Iterable[KnownFile], moved: set[str]
) -> list[str]:
    """Return a line for each known file that is gone from a folder that was named."""
    tops = [os.path.join(os.path.realpath(folder), "") for folder in folders]
    return [
        f"{file.path}: is gone from there; what the index holds of it stays"
        f" (to take it out: findingaid remove --file {shlex.quote(file.whole)} --index {shlex.quote(index_dir)})"
        for file in known
        if file.whole not in moved
        and (file.entry or {}).get("captures")
        and any(file.whole.startswith(top) for top in tops)
        and not os.path.exists(name_now(file.whole))
    ]
