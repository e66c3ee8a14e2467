"""Where the files of an index lie.

    INDEX/current            name of the live generation, one line
    INDEX/g1/catalogue.sqlite, 000001.seg, 000001.w1, ...
    INDEX/writer.lock        held by the one process that writes

A re-index from scratch fills the next generation beside the live one; replacing `current`
swaps it in at once for every reader.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from typing import Any

from indexer.store import disk
from indexer.store.errors import IndexCorruptError, IndexError_, IndexMissingError

CURRENT = "current"
_GENERATION = re.compile(r"g[1-9][0-9]{0,8}")


def live_folder(index_dir: str) -> str:
    """Return the folder of the live generation. Raises IndexMissingError, IndexCorruptError."""
    try:
        file = os.open(f"{index_dir}/{CURRENT}", os.O_RDONLY)
        try:
            name = os.read(file, 64).decode("ascii", errors="replace").strip()
        finally:
            os.close(file)
    except FileNotFoundError as error:
        raise IndexMissingError(
            f"{index_dir}: no index here; make one with: findingaid index PATH --index {shlex.quote(index_dir)}"
        ) from error
    except NotADirectoryError as error:
        raise IndexMissingError(f"{index_dir}: not a folder, so no index is here") from error
    except OSError as error:
        raise IndexError_(f"{index_dir}/{CURRENT}: cannot be read: {error.strerror}") from error
    if not _GENERATION.fullmatch(name):
        raise IndexCorruptError(
            f"{index_dir}/{CURRENT}: holds {name!r}, expected the name of a folder like g1;"
            " index the archives again with --rebuild"
        )
    return os.path.join(index_dir, name)


def next_folder(index_dir: str) -> str:
    """Return an unused folder name for a new generation; leftovers of an unfinished one are removed."""
    try:
        live = os.path.basename(live_folder(index_dir))
        remove_leftovers(index_dir)
    except (IndexMissingError, IndexCorruptError):
        live = "g0"
    numbers = [int(name[1:]) for name in os.listdir(index_dir) if _GENERATION.fullmatch(name)]
    return os.path.join(index_dir, f"g{max([int(live[1:]), *numbers]) + 1}")


def folder_before(index_dir: str, folder: str) -> str:
    """Return the generation that `folder` is about to replace; "" when there is none. Never raises for damage."""
    try:
        return live_folder(index_dir)
    except IndexError_:
        numbers = [int(name[1:]) for name in os.listdir(index_dir) if _GENERATION.fullmatch(name)]
        older = [number for number in numbers if f"g{number}" != os.path.basename(folder)]
        return os.path.join(index_dir, f"g{max(older)}") if older else ""


def make_live(index_dir: str, folder: str) -> None:
    """Make a generation the live one, in one step that survives a crash, and remove all others."""
    temporary = os.path.join(index_dir, CURRENT + ".tmp")
    with disk.create(temporary) as file:
        file.write(os.path.basename(folder).encode("ascii") + b"\n")
        disk.sync(file)
    disk.rename(temporary, os.path.join(index_dir, CURRENT))
    disk.sync_folder(index_dir)
    remove_leftovers(index_dir)


def remove_leftovers(index_dir: str) -> None:
    """Remove generations that are not live: what a crash left of a rebuild. Only the writer may call this."""
    live = os.path.basename(live_folder(index_dir))
    for name in os.listdir(index_dir):
        if _GENERATION.fullmatch(name) and name != live:
            shutil.rmtree(os.path.join(index_dir, name), ignore_errors=True)


def segment_path(folder: str, number: int) -> str:
    """Return the path of a segment file."""
    return os.path.join(folder, f"{number:06d}.seg")


def weights_path(folder: str, entry: dict[str, Any]) -> str:
    """Return the path of the weights of a segment, by its entry in the catalogue."""
    return os.path.join(folder, f"{entry['number']:06d}.w{entry['weights']}")


def links_path(folder: str, number: int) -> str:
    """Return the path of the links of a segment's pages."""
    return os.path.join(folder, f"{number:06d}.links")


def inlinks_path(folder: str, entry: dict[str, Any]) -> str:
    """Return the path of the link texts folded into a segment's pages, by its entry in the catalogue."""
    return os.path.join(folder, f"{entry['number']:06d}.i{entry['inlinks']}")
