"""Every way that the core takes on some processor gives the same as the others."""

from __future__ import annotations

import itertools
import random
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer.core.build import FOLDER, compiler, has_compiler, sources
from indexer.search.query import parse_query
from indexer.search.searcher import search
from indexer.store.bm25f import Ranking
from tests.indexer.core.conftest import ABILITIES, EVERY
from tests.indexer.core.test_inflate import packed, texts, unpacked
from tests.indexer.making import BODY, DirectIndex
from tests.indexer.plain import PlainVersion
from tests.sanitized import PLAIN


def ways() -> list[int]:
    """Return all sets of abilities, as numbers."""
    return [sum(chosen) for size in range(4) for chosen in itertools.combinations(ABILITIES.values(), size)]


def members() -> Iterator[bytes]:
    """Yield gzip members that are sound, cut and spoiled."""
    chance = random.Random(56)
    for data in texts(chance):
        member = packed(data, chance)
        yield member
        yield member[: chance.randrange(len(member))]
        for _ in range(6):
            spoiled = bytearray(member)
            for _ in range(chance.randrange(1, 5)):
                spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
            yield bytes(spoiled)


def test_members_unpack_alike_on_all_processors(use_of: Callable[[int], int]) -> None:
    found = []
    for way in ways():
        use_of(way)
        found.append([unpacked(member, 300_000) for member in members()])
    told = [sum(one[0] == kind for one in found[0]) for kind in range(4)]
    assert min(told[0], told[1], told[3]) > 20, told
    for other in found[1:]:
        assert other == found[0]


def test_queries_count_alike_on_all_processors(tmp_path: Path, use_of: Callable[[int], int]) -> None:
    chance = random.Random(78)
    words = ["heron", "coot", "grebe", "wren"]
    with DirectIndex(tmp_path) as made:
        for file in range(3):
            made.add(
                f"{file}.warc",
                [
                    PlainVersion(
                        url=f"http://{file}.example/{page}",
                        running=((BODY, " ".join(chance.choices(words, k=chance.randrange(1, 6))) + "\n"),),
                    )
                    for page in range(chance.choice([70, 128, 200]))
                ],
            )
    queries = [*words, "heron coot", "heron OR wren", "grebe -coot", '"heron coot"', "coot NEAR/2 wren"]

    def answers() -> list[tuple[int, list[Any]]]:
        snapshot = made.snapshot()  # remembers nothing of the other ways
        found = [search(snapshot, parse_query(text), Ranking(), offset=0, limit=20) for text in queries]
        return [(one.total, [(hit.document, hit.score) for hit in one.found]) for one in found]

    use_of(0)
    plain = answers()
    assert all(total > 64 for total, _ in plain[:4])
    for way in ways():
        use_of(way)
        assert answers() == plain


def test_what_is_forbidden_is_not_used_and_what_is_not_there_neither(use_of: Callable[[int], int]) -> None:
    has = use_of(EVERY)
    assert has & ~sum(ABILITIES.values()) == 0
    assert [use_of(way) for way in ways()] == [way & has for way in ways()]


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.name)
def test_the_processor_is_asked_in_one_place(path: Path) -> None:
    """A further way would be none of those that are taken above."""
    text = path.read_text()
    if path.name != "processor.c":
        assert not re.search(r"cpuid|__builtin_cpu|target_clones|ifunc", text)
    if re.search(r"\btarget\(", text):
        assert "fa_processor &" in text


def test_the_abilities_are_those_of_the_header() -> None:
    text = (FOLDER / "processor.h").read_text()
    assert {
        name.lower(): int(value) for name, value in re.findall(r"FA_CAN_(\w+) = (\d+)", text)
    } == ABILITIES


@pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
def test_the_core_is_sound_c_without_any_ability() -> None:
    order = [*compiler(), "-std=c11", "-fsyntax-only", *PLAIN, *map(str, sources())]
    assert subprocess.run(order, capture_output=True, text=True).stderr == ""
