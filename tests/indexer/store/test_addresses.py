"""Addresses in the order of their urlkeys, and ranges of them, are those of a plain sorted list."""

from __future__ import annotations

import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from indexer.store.addresses import in_order, keys_between, with_key
from indexer.store.compact import folders_above, split_key

keys = st.lists(st.text("ab/?)z~-", max_size=7), max_size=12)
ends = st.one_of(st.text("ab/?)z~-*", max_size=6), st.just("\U0010ffff"))


def kept(all_keys: list[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "CREATE TABLE folders (id INTEGER PRIMARY KEY, prefix TEXT UNIQUE);"
        "CREATE TABLE addresses (id INTEGER PRIMARY KEY, folder INTEGER, name TEXT);"
    )
    for key in all_keys:
        folder, name = split_key(key)
        connection.execute("INSERT OR IGNORE INTO folders (prefix) VALUES (?)", (folder,))
        connection.execute(
            "INSERT INTO addresses (folder, name) SELECT id, ? FROM folders WHERE prefix = ?", (name, folder)
        )
    return connection


@given(keys, ends, ends)
def test_a_range_in_order_is_that_of_a_sorted_list(all_keys: list[str], low: str, high: str) -> None:
    connection = kept(all_keys)
    expected = {
        key: [n for n, other in enumerate(all_keys, 1) if other == key]
        for key in sorted(set(all_keys))
        if low <= key < high
    }
    rising = list(in_order(connection, low, high))
    assert [key for key, _ in rising] == list(expected) and {k: sorted(n) for k, n in rising} == expected
    falling = list(in_order(connection, low, high, descending=True))
    assert [key for key, _ in falling] == list(expected)[::-1]
    assert {k: sorted(n) for k, n in falling} == expected
    condition, values = keys_between(low, high)
    found = connection.execute(f"SELECT id FROM addresses WHERE {condition} ORDER BY id", values).fetchall()
    assert [number for (number,) in found] == sorted(n for group in expected.values() for n in group)


@given(keys, st.text("ab/?)", max_size=5))
def test_addresses_with_some_keys(all_keys: list[str], other: str) -> None:
    asked = [*all_keys[:2], other]
    condition, values = with_key(*asked)
    found = (
        kept(all_keys).execute(f"SELECT id FROM addresses WHERE {condition} ORDER BY id", values).fetchall()
    )
    assert [number for (number,) in found] == [n for n, key in enumerate(all_keys, 1) if key in asked]


@given(st.text("ab/?)", max_size=9), st.text("ab/?)", max_size=5))
def test_the_folder_of_a_key_is_among_those_above_what_it_begins_with(start: str, rest: str) -> None:
    folder, name = split_key(start + rest)
    assert folder + name == start + rest
    assert len(folder) >= len(start) or folder in folders_above(start)
