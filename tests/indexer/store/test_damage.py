"""Damage to each file of an index: told as an error of indexer.store.errors in one line that names the file."""

from __future__ import annotations

import json
import os
import pickle  # noqa: TID251  planted, never loaded
import random
import shutil
import sqlite3
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faults import in_child, run_in_one_process
from shelf import QUERIES, answers, answers_of, open_catalogue, write_shelf

from archiver.warc import ArchiveError
from indexer import (
    Index,
    IndexCorruptError,
    IndexError_,
    IndexMissingError,
    IndexNotWritableError,
    IndexOptions,
    IndexVersionError,
    build_index,
    open_index,
    optimize_index,
    remove_from_index,
    restore_to_index,
)
from indexer.store.arrayfile import FORMAT_VERSION
from indexer.store.checking import check_generation
from tests.index_damage import make_index, small_blocks, try_damage

ONE = IndexOptions(workers=1)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a shelf and its index; tests work on a copy of the index."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        run_in_one_process(patch)
        build_index(write_shelf(folder / "shelf", files=2, pages=12), str(folder / "index"), options=ONE)
    return folder


@pytest.fixture
def index(made: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "index"
    shutil.copytree(made / "index", copy)
    return copy


@pytest.fixture
def shelf(made: Path) -> list[str]:
    return sorted(str(path) for path in (made / "shelf").iterdir())


def file_of(index: Path, ending: str) -> Path:
    [found] = [path for path in (index / "g1").iterdir() if ending in path.name and "sqlite" not in path.name]
    return found


def one_line(error: BaseException, *said: str) -> None:
    """Assert that an error is one line that says these things."""
    text = str(error)
    assert "\n" not in text and all(part in text for part in said), text


def use_all_of(index: Index) -> None:
    answers_of(index, QUERIES)
    index.search("sh*lf OR arch*")
    index.search("title:lantern -harbour", limit=3)


def header_of(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    header: dict[str, Any] = json.loads(data[20 : 20 + struct.unpack_from("<I", data, 8)[0]])
    return header


def rewrite_header(
    path: Path, change: Callable[[dict[str, Any]], None], *, version: int = FORMAT_VERSION
) -> None:
    """Change the header of an array file, with a checksum that fits: as a hostile or a future program would."""
    data = path.read_bytes()
    length, blocks = struct.unpack_from("<II", data, 8)
    header = json.loads(data[20 : 20 + length])
    change(header)
    text = json.dumps(header, separators=(",", ":")).encode()
    assert len(text) <= length
    text = text.ljust(length)
    fixed = data[:4] + struct.pack("<III", version, length, blocks)
    summed = text + data[20 + length : 20 + length + 4 * blocks]
    crc = struct.pack("<I", zlib.crc32(fixed + summed))
    path.write_bytes(fixed + crc + summed + data[20 + len(summed) :])


# array files


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_damaged_each_answer_is_right_or_refused(tmp_path: Path, seed: int) -> None:
    chosen = random.Random(seed)
    with small_blocks():
        assert [*try_damage(make_index(tmp_path, chosen), chosen, 15)] == []


@pytest.mark.parametrize("ending", [".seg", ".w", ".c", ".i", ".links"])
def test_a_flipped_byte_in_any_array_is_found_by_a_check(index: Path, ending: str) -> None:
    path = file_of(index, ending)
    whole = path.read_bytes()
    arrays = [array for array in header_of(path)["arrays"] if 0 not in array["shape"]]
    assert arrays or ending == ".links"
    for array in arrays:
        damaged = bytearray(whole)
        damaged[array["offset"]] ^= 0xFF
        path.write_bytes(damaged)
        problems = check_generation(str(index / "g1"))
        assert any(str(path) in problem and repr(array["name"]) in problem for problem in problems)
        one_line(IndexCorruptError(problems[0]), str(path), "checksum", "--rebuild")


@pytest.mark.parametrize("ending", [".seg", ".w", ".c", ".i"])
def test_a_flipped_byte_anywhere_in_the_header_is_refused(index: Path, ending: str) -> None:
    path = file_of(index, ending)
    whole = path.read_bytes()
    length = struct.unpack_from("<I", whole, 8)[0]
    for place in [*range(20), *range(20, 20 + length, 97)]:
        damaged = bytearray(whole)
        damaged[place] ^= 0x41
        path.write_bytes(damaged)
        with pytest.raises((IndexCorruptError, IndexVersionError)) as raised:
            open_index(str(index))
        one_line(raised.value, str(path), "--rebuild")


@pytest.mark.parametrize("ending", [".seg", ".w", ".c", ".i"])
@pytest.mark.parametrize("left", [0, 3, 15, 16, 200, -1, -100])
def test_a_file_cut_short_is_refused(index: Path, ending: str, left: int) -> None:
    path = file_of(index, ending)
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(IndexCorruptError) as raised:
        open_index(str(index))
    one_line(raised.value, str(path), "--rebuild")


@pytest.mark.parametrize("ending", [".seg", ".w", ".c", ".i"])
def test_a_file_that_is_gone_is_named(index: Path, ending: str) -> None:
    path = file_of(index, ending)
    path.unlink()
    with pytest.raises(IndexMissingError) as raised:
        open_index(str(index))
    one_line(raised.value, str(path), "--rebuild")


@pytest.mark.parametrize("ending", [".seg", ".w", ".c", ".i"])
def test_another_format_version_is_refused_by_name(index: Path, ending: str) -> None:
    rewrite_header(file_of(index, ending), lambda header: None, version=FORMAT_VERSION + 1)
    with pytest.raises(IndexVersionError) as raised:
        open_index(str(index))
    one_line(raised.value, f"format {FORMAT_VERSION + 1}", f"format {FORMAT_VERSION}", "--rebuild")


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header["arrays"][3].update(offset=1 << 40),
        lambda header: header["arrays"][3].update(offset=-64),
        lambda header: header["arrays"][3].update(shape=[1 << 40]),
        lambda header: header["arrays"][3].update(shape=[-1]),
        lambda header: header["arrays"][3].update(dtype="O"),
        lambda header: header["arrays"][3].update(dtype="|V9"),
        lambda header: header["arrays"].pop(),
        lambda header: header.pop("arrays"),
        lambda header: header.update(arrays=5),
        lambda header: header["meta"].pop("pairs"),
    ],
)
def test_a_header_that_lies_is_refused(index: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = file_of(index, ".seg")
    rewrite_header(path, change)
    with pytest.raises(IndexCorruptError) as raised:
        open_index(str(index))
    one_line(raised.value, str(path), "--rebuild")


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda header: header["meta"].update(pairs=1), "1 pairs"),
        (lambda header: header["arrays"][0].update(shape=[10, 1]), "(10, 1)"),
    ],
)
def test_weights_of_another_segment_are_refused(
    index: Path, change: Callable[[Any], None], said: str
) -> None:
    path = file_of(index, ".w")
    rewrite_header(path, change)
    with pytest.raises(IndexCorruptError) as raised:
        open_index(str(index))
    one_line(raised.value, str(path), said, "--rebuild")


def test_damage_does_not_get_into_a_merged_segment(
    index: Path, shelf: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run_in_one_process(monkeypatch)
    path = file_of(index, ".seg")
    damaged = bytearray(path.read_bytes())
    array = next(array for array in header_of(path)["arrays"] if array["name"] == "positions")
    damaged[array["offset"]] ^= 1
    path.write_bytes(damaged)
    more = write_shelf(tmp_path / "more", files=1, pages=40)
    with pytest.raises(IndexCorruptError) as raised:
        build_index(shelf + more, str(index), options=ONE)
    one_line(raised.value, str(path), "positions", "--rebuild")
    build_index(shelf + more, str(index), options=IndexOptions(workers=1, rebuild=True))
    with open_index(str(index)) as opened:
        assert opened.check() == []


# the catalogue


def test_a_catalogue_damaged_at_any_page_is_told_in_one_line(index: Path) -> None:
    path = index / "g1" / "catalogue.sqlite"
    for name in ("-wal", "-shm"):
        Path(f"{path}{name}").unlink(missing_ok=True)
    whole = path.read_bytes()
    refused = 0
    for place in range(0, len(whole), 4096):
        path.write_bytes(whole[:place] + b"\xa5" * 4096 + whole[place + 4096 :])
        try:
            with open_index(str(index)) as opened:
                problems = opened.check()
                use_all_of(opened)
                assert problems or place == len(whole)
        except IndexError_ as error:
            refused += 1
            one_line(error, "catalogue")
    assert refused > 5


@pytest.mark.parametrize("left", [0, 50, 4096, 5000])
def test_a_catalogue_cut_short_is_refused(index: Path, left: int) -> None:
    path = index / "g1" / "catalogue.sqlite"
    for name in ("-wal", "-shm"):
        Path(f"{path}{name}").unlink(missing_ok=True)
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(IndexCorruptError) as raised, open_index(str(index)) as opened:
        use_all_of(opened)
    one_line(raised.value, str(path), "--rebuild")


def write_value(index: Path, key: str, value: Any) -> None:
    connection = open_catalogue(index / "g1" / "catalogue.sqlite")
    connection.execute("REPLACE INTO catalogue (key, value) VALUES (?, ?)", (key, value))
    connection.commit()
    connection.close()


class Bomb:
    """What it would do if anybody unpickled it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (os.environ["FINDINGAID_TEST_BOMB"],)


@pytest.mark.parametrize("key", ["format", "segments", "ledger:planted"])
def test_planted_pickle_bytes_are_refused_and_never_loaded(
    index: Path, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shelf: list[str]
) -> None:
    monkeypatch.setenv("FINDINGAID_TEST_BOMB", str(tmp_path / "went off"))
    write_value(index, key, sqlite3.Binary(pickle.dumps(Bomb())))
    for action in (lambda i: i.ledger(), lambda i: i.statistics()):
        with pytest.raises(IndexCorruptError) as raised, open_index(str(index)) as opened:
            action(opened)
        one_line(raised.value, "catalogue", "JSON", "--rebuild")
    if key != "ledger:planted":
        with pytest.raises(IndexCorruptError):
            build_index(shelf, str(index), options=ONE)
    assert not (tmp_path / "went off").exists()


@pytest.mark.parametrize(
    "value",
    [
        '[{"versions": 1}]',
        '{"a": 1}',
        "5",
        "null",
        '[{"number": "../../x", "versions": 1, "dead": [], "weights": 1}]',
        '["x"]',
    ],
)
def test_a_list_of_segments_that_is_none_is_refused(index: Path, value: str) -> None:
    write_value(index, "segments", value)
    with pytest.raises(IndexCorruptError) as raised:
        open_index(str(index))
    one_line(raised.value, "catalogue.sqlite", "--rebuild")


@pytest.mark.parametrize(
    "value, said", [('{"version":4}', "format 4"), ('{"version":"x"}', "format x"), ("[]", "format None")]
)
def test_a_catalogue_of_another_version_is_refused_by_name(
    index: Path, value: str, said: str, shelf: list[str]
) -> None:
    remove_from_index(str(index), "url", "http://shared.example/")
    write_value(index, "format", value)
    assert said in check_generation(str(index / "g1"))[0]
    for action in (
        lambda: open_index(str(index)),
        lambda: build_index(shelf, str(index), options=ONE),
        lambda: remove_from_index(str(index), "url", "http://shared.example/"),
        lambda: restore_to_index(str(index), "url", "http://shared.example/"),
        lambda: optimize_index(str(index)),
    ):
        with pytest.raises(IndexVersionError) as raised:
            action()  # type: ignore[no-untyped-call]
        one_line(raised.value, str(index), said, f"format {FORMAT_VERSION}", "--rebuild")
    build_index(shelf, str(index), options=IndexOptions(workers=1, rebuild=True))
    with open_index(str(index)) as opened:
        assert opened.check() == []
        # what was taken out of an index of another version stays out of the new one
        assert [removal.target for removal in opened.removals()] == ["http://shared.example/"]
        assert opened.captures("http://shared.example/") == []


def test_a_rebuild_mends_whatever_is_broken(
    index: Path, shelf: list[str], made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_one_process(monkeypatch)
    (index / "current").write_text("nonsense")
    with pytest.raises(IndexCorruptError) as raised:
        open_index(str(index))
    one_line(raised.value, str(index), "'nonsense'", "g1", "--rebuild")
    build_index(shelf, str(index), options=IndexOptions(workers=1, rebuild=True))
    assert answers(index) == answers(made / "index")


# folders


def test_no_index_is_told_with_the_command_that_makes_one(tmp_path: Path) -> None:
    for place in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(IndexMissingError) as raised:
            open_index(str(place))
        one_line(raised.value, str(place), "findingaid index PATH --index")
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexMissingError):
        open_index(str(tmp_path / "file"))


def test_an_index_without_its_catalogue_is_not_taken_for_a_new_one(index: Path, shelf: list[str]) -> None:
    (index / "g1" / "catalogue.sqlite").unlink()
    segments = list((index / "g1").glob("*.seg"))
    for action in (lambda: open_index(str(index)), lambda: build_index(shelf, str(index), options=ONE)):
        with pytest.raises(IndexMissingError) as raised:
            action()  # type: ignore[no-untyped-call]
        one_line(raised.value, "catalogue.sqlite", "--rebuild")
    assert segments == list((index / "g1").glob("*.seg"))


def test_another_sqlite_file_is_no_index(tmp_path: Path) -> None:
    (tmp_path / "g1").mkdir()
    (tmp_path / "current").write_text("g1\n")
    connection = sqlite3.connect(tmp_path / "g1" / "catalogue.sqlite")
    connection.execute("CREATE TABLE recipes (id)")
    connection.close()
    for action in (lambda: open_index(str(tmp_path)), lambda: build_index([], str(tmp_path), options=ONE)):
        with pytest.raises(IndexCorruptError) as raised:
            action()  # type: ignore[no-untyped-call]
        one_line(raised.value, "catalogue.sqlite")


def as_nobody(action: Callable[[], Any]) -> int:
    """Run something as a user who may write nothing here; exit code as in_child gives it."""

    def run() -> None:
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        action()

    return in_child(run)


@pytest.fixture
def read_only(index: Path, made: Path) -> Path:
    """The index in a folder that nobody else may write, and everybody may read."""
    for path in [index, *index.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    for path in [*index.parents, *(made / "shelf").parents]:
        if path.owner() == Path(os.path.expanduser("~")).owner() and len(path.parts) > 2:
            path.chmod(path.stat().st_mode | 0o055)
    return index


@pytest.mark.parametrize("journal", ["none", "of a writer that was killed"])
def test_a_read_only_index_can_be_read_and_refuses_to_be_written(
    read_only: Path, shelf: list[str], made: Path, journal: str
) -> None:
    catalogue = read_only / "g1" / "catalogue.sqlite"
    expected = answers(made / "index")
    if journal == "none":
        for name in ("-wal", "-shm"):
            Path(f"{catalogue}{name}").unlink(missing_ok=True)
    else:

        def die() -> None:
            connection = open_catalogue(catalogue)
            connection.execute("REPLACE INTO catalogue VALUES ('written', '1')")
            connection.commit()
            os._exit(9)

        catalogue.chmod(0o644)
        assert in_child(die) == 9
        assert Path(f"{catalogue}-wal").stat().st_size > 0
        for name in ("", "-wal", "-shm"):
            Path(f"{catalogue}{name}").chmod(0o444)

    def read() -> None:
        with open_index(str(read_only)) as opened:
            assert answers_of(opened) == expected
            assert opened.check() == []
            if journal != "none":
                assert opened._current().catalogue.dictionary["written"] == 1

    def write() -> None:
        try:
            build_index(shelf, str(read_only), options=ONE)
        except IndexNotWritableError as error:
            one_line(error, str(read_only), "written")
            os._exit(5)

    assert as_nobody(read) == 0
    assert as_nobody(write) == 5


def test_a_reader_without_write_access_sees_what_a_writer_commits(
    read_only: Path, shelf: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs two users, and so root")
    run_in_one_process(monkeypatch)
    for path in [read_only, *read_only.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    more = write_shelf(tmp_path / "more", files=1, pages=3)
    ready, go = os.pipe(), os.pipe()

    def read() -> None:
        with open_index(str(read_only)) as opened:
            before = opened.statistics().files
            os.write(ready[1], b"x")
            os.read(go[0], 1)
            assert (before, opened.statistics().files) == (2, 3)
            assert opened.check() == []

    for name in ("-wal", "-shm"):
        Path(f"{read_only}/g1/catalogue.sqlite{name}").unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        os.setgid(65534)
        os.setuid(65534)
        try:
            read()
        except BaseException as error:
            os.write(2, repr(error).encode())
            os._exit(1)
        os._exit(0)
    os.read(ready[0], 1)
    build_index(shelf + more, str(read_only), options=ONE)
    os.write(go[1], b"x")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# archives that are gone


def test_an_archive_that_is_gone_costs_snippets_and_cached_pages_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_one_process(monkeypatch)
    [path] = write_shelf(tmp_path / "shelf", files=1, pages=3)
    build_index([path], str(tmp_path / "index"), options=ONE)
    os.remove(path)
    with open_index(str(tmp_path / "index")) as opened:
        found = opened.search("unique2")
        assert found.total == 1 and found.hits[0].snippet == () and found.hits[0].title
        [capture] = opened.captures(found.hits[0].url)
        with pytest.raises(ArchiveError) as raised:
            opened.record(capture)
        one_line(raised.value, path, "not there any more", "index the folder in which it lies now")
        assert opened.check() == []
