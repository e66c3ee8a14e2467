"""Addresses in the order of their urlkeys, and ranges of them, though the catalogue keeps a urlkey in two parts.

A key is a folder and a name (see indexer.store.compact). Names of one folder lie in order; those of a folder and of the
folders in it lie among each other, and are joined here.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Iterator

from indexer.store.compact import folders_above, split_key

Condition = tuple[str, list[str | int]]

_LAST = "\U0010ffff"  # behind every letter of a key


def with_key(*keys: str) -> Condition:
    """Return the condition on a column `id`, and its values, that an address has one of some urlkeys."""
    one = "SELECT a.id FROM folders f JOIN addresses a ON a.folder = f.id AND a.name = ? WHERE f.prefix = ?"
    values: list[str | int] = []
    for key in keys:
        folder, name = split_key(key)
        values += [name, folder]
    return f"id IN ({' UNION ALL '.join([one] * len(keys))})", values


def keys_between(low: str, high: str) -> Condition:
    """Return the condition on a column `id`, and its values, that the urlkey of an address is in low <= key < high."""
    selection, values = addresses_between(low, high)
    return f"id IN ({selection})", values


def addresses_between(low: str, high: str) -> Condition:
    """Return the selection of the ids, and its values, of the addresses whose urlkey is in low <= key < high."""
    around = _folders_around(low, high)
    parts = [
        "SELECT a.id FROM folders f JOIN addresses a ON a.folder = f.id WHERE f.prefix >= ? AND f.prefix < ?"
        + f" AND f.prefix NOT IN ({','.join('?' * len(around))})"
    ]
    values: list[str | int] = [low, high, *around]
    for folder in around:
        parts.append(
            "SELECT a.id FROM folders f JOIN addresses a ON a.folder = f.id WHERE f.prefix = ?"
            " AND a.name >= ? AND a.name < ?"
        )
        values += [folder, *_names_between(folder, low, high)]
    return " UNION ALL ".join(parts), values


def _folders_around(low: str, high: str) -> list[str]:
    """Return the folders that may have keys on both sides of an end of a range."""
    return list(dict.fromkeys([*folders_above(low), *folders_above(high)]))


def _names_between(folder: str, low: str, high: str) -> tuple[str, str]:
    """Return the bounds of the names in a folder whose keys are in low <= key < high."""
    first = low[len(folder) :] if low.startswith(folder) else "" if folder > low else _LAST
    end = high[len(folder) :] if high.startswith(folder) else _LAST if folder < high else ""
    return first, end


def in_order(
    connection: sqlite3.Connection, low: str, high: str, *, descending: bool = False
) -> Iterator[tuple[str, list[int]]]:
    """Yield (urlkey, ids of its addresses) of all in low <= key < high, rising, or falling.

    A folder is opened when its first key may be the next one: at any time those are open that lie in each other.
    """
    opened: set[str] = set()
    heap: list[tuple[_Placed, int, Iterator[tuple[str, int]]]] = []

    def push(keys: Iterator[tuple[str, int]]) -> None:
        if found := next(keys, None):
            heapq.heappush(heap, (_Placed(found[0], descending), found[1], keys))

    def open_folder(folder: str, number: int | None = None) -> None:
        if folder not in opened:
            opened.add(folder)
            push(_names(connection, folder, number, *_names_between(folder, low, high), descending))

    for folder in _folders_around(low, high):
        open_folder(folder)
    folders = connection.execute(
        "SELECT prefix, id FROM folders WHERE prefix >= ? AND prefix < ? ORDER BY prefix"
        + " DESC" * descending,
        (low, high),
    )
    following = folders.fetchone()
    key: str | None = None
    numbers: list[int] = []
    while heap or following:
        while following and (not heap or _may_come_first(following[0], heap[0][0].key, descending)):
            if descending:  # keys of a folder lie behind those of the folders in it, too
                for above in folders_above(following[0]):
                    if above >= low:
                        open_folder(above)
            open_folder(*following)
            following = folders.fetchone()
        if not heap:
            continue
        placed, number, keys = heapq.heappop(heap)
        push(keys)
        if placed.key != key:
            if key is not None:
                yield key, numbers
            key, numbers = placed.key, []
        numbers.append(number)
    if key is not None:
        yield key, numbers


class _Placed:
    """A key in a heap: before the greater ones, or before the smaller ones."""

    __slots__ = ("key", "_descending")

    def __init__(self, key: str, descending: bool) -> None:
        self.key, self._descending = key, descending

    def __lt__(self, other: _Placed) -> bool:
        return self.key > other.key if self._descending else self.key < other.key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Placed) and self.key == other.key

    __hash__ = None  # type: ignore[assignment]


def _may_come_first(folder: str, key: str, descending: bool) -> bool:
    return folder + _LAST >= key if descending else folder <= key


def _names(
    connection: sqlite3.Connection, folder: str, number: int | None, first: str, end: str, descending: bool
) -> Iterator[tuple[str, int]]:
    """Yield (urlkey, id) of the names in a folder with first <= name < end."""
    if number is None:
        row = connection.execute("SELECT id FROM folders WHERE prefix = ?", (folder,)).fetchone()
        if row is None:
            return
        number = row[0]
    order = " DESC" if descending else ""
    for name, address in connection.execute(
        "SELECT name, id FROM addresses WHERE folder = ? AND name >= ? AND name < ?"
        f" ORDER BY name{order}, id{order}",
        (number, first, end),
    ):
        yield folder + name, address
