"""A run that breaks at any write, sync, rename or commit loses nothing committed; the next run completes it."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from faults import Faults, die, fail_with, faulty_files, in_child, run_in_one_process
from shelf import answers, page, record, write_shelf

from indexer import DiskFullError, IndexError_, IndexMissingError, IndexOptions, build_index, open_index

ONE = IndexOptions(workers=1)
REBUILD = IndexOptions(workers=1, rebuild=True)


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Iterator[Faults]:
    run_in_one_process(monkeypatch, batch_pages=4)
    with faulty_files(monkeypatch) as found:
        yield found


@pytest.fixture
def shelf(tmp_path: Path) -> list[str]:
    return write_shelf(tmp_path / "shelf", files=2, pages=4)


class Scene:
    """A first run over a shelf, a change of one file, and a second run: what is broken is the second."""

    def __init__(self, folder: Path, shelf: list[str], faults: Faults, options: IndexOptions) -> None:
        self._folder, self._shelf, self._faults, self._options = folder, shelf, faults, options
        self._count = 0
        self.before = self.run_to_end("undisturbed")
        self._change()
        faults.reset()
        build_index(self._shelf, str(folder / "undisturbed"), options=options)
        self.steps = list(faults.calls)
        self.after = answers(folder / "undisturbed")
        assert self.before != self.after

    def run_to_end(self, name: str) -> dict[str, Any]:
        self._restore()
        self._faults.reset()
        build_index(self._shelf, str(self._folder / name), options=ONE)
        return answers(self._folder / name)

    def _restore(self) -> None:
        write_shelf(Path(self._shelf[0]).parent, files=2, pages=4)

    def _change(self) -> None:
        """One file grows, the other is cut short and loses a page."""
        with open(self._shelf[0], "ab") as file:
            file.write(
                record("http://late.example/", page(777)) + record("http://site1.example/changing", page(778))
            )
        content = Path(self._shelf[1]).read_bytes()
        Path(self._shelf[1]).write_bytes(content[: content.rindex(b"WARC/1.0")])

    def break_at(self, step: int, fault: Callable[[str], None], *, dies: bool) -> None:
        self._count += 1
        index = self._folder / f"broken{self._count}"
        self.run_to_end(index.name)
        self._change()
        self._faults.reset(step)
        self._faults.fault = fault
        if dies:
            run = lambda: build_index(self._shelf, str(index), options=self._options)  # noqa: E731
            assert in_child(run) == -signal.SIGKILL
        else:
            with pytest.raises((IndexError_, OSError)):
                build_index(self._shelf, str(index), options=self._options)
        self._faults.reset()
        what = f"after call {step}, {self.steps[step - 1]}"
        with open_index(str(index)) as opened:
            assert opened.check() == [], what
        between = answers(index)
        if self._options.rebuild:
            assert between in (self.before, self.after), what
        else:
            # a file that is read anew is there as it was, or as it is now
            assert all(
                entry in self.before["ledger"] or entry in self.after["ledger"] for entry in between["ledger"]
            ), what
            assert len(between["ledger"]) == len(self._shelf), what
        build_index(self._shelf, str(index), options=self._options)
        assert answers(index) == self.after, what
        with open_index(str(index)) as opened:
            assert opened.check() == [], what
        left = sorted(os.listdir(index))
        assert (
            left == sorted({"current", "writer.lock"} | {name for name in left if name.startswith("g")})
            and len(left) == 3
        )


def every(count: int, steps: list[str]) -> list[int]:
    """Return `count` steps spread over the run, and those beside a rename or a commit at its end."""
    spread = {1 + round(i * (len(steps) - 1) / (count - 1)) for i in range(count)}
    return sorted(spread)


@pytest.mark.parametrize("options", [ONE, REBUILD], ids=["run", "rebuild"])
def test_death_at_any_step_loses_nothing(
    tmp_path: Path, shelf: list[str], faults: Faults, options: IndexOptions
) -> None:
    scene = Scene(tmp_path, shelf, faults, options)
    for step in every(7, scene.steps):
        scene.break_at(step, die, dies=True)


@pytest.mark.parametrize("options", [ONE, REBUILD], ids=["run", "rebuild"])
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC], ids=errno.errorcode.get)
def test_an_error_at_any_step_loses_nothing(
    tmp_path: Path, shelf: list[str], faults: Faults, options: IndexOptions, number: int
) -> None:
    scene = Scene(tmp_path, shelf, faults, options)
    for step in every(5, scene.steps):
        if scene.steps[step - 1] != "committed":  # what is committed cannot fail any more
            scene.break_at(step, fail_with(number), dies=False)


@pytest.mark.slow
@pytest.mark.parametrize("options", [ONE, REBUILD], ids=["run", "rebuild"])
def test_death_or_error_at_every_single_step(
    tmp_path: Path, shelf: list[str], faults: Faults, options: IndexOptions
) -> None:
    scene = Scene(tmp_path, shelf, faults, options)
    for step in range(1, len(scene.steps) + 1):
        scene.break_at(step, die, dies=True)
        if scene.steps[step - 1] != "committed":
            scene.break_at(step, fail_with(errno.ENOSPC), dies=False)


def test_a_first_run_that_dies_before_its_first_commit_leaves_no_index_or_a_sound_one(
    tmp_path: Path, shelf: list[str], faults: Faults
) -> None:
    build_index(shelf, str(tmp_path / "whole"), options=ONE)
    first = faults.calls.index("COMMIT", faults.calls.index("replace current"))
    for step in range(1, first + 1, 2):
        index = str(tmp_path / f"index{step}")
        faults.reset(step)
        assert in_child(lambda index=index: build_index(shelf, index, options=ONE)) == -signal.SIGKILL  # type: ignore[misc]
        faults.reset()
        try:
            with open_index(index) as opened:
                assert opened.check() == []
        except IndexMissingError:
            pass
        build_index(shelf, index, options=ONE)
        assert answers(index) == answers(tmp_path / "whole")


def test_nothing_is_named_before_it_is_synced(tmp_path: Path, shelf: list[str], faults: Faults) -> None:
    build_index(shelf, str(tmp_path / "index"), options=ONE)
    calls = faults.calls
    for place, call in enumerate(calls):
        if call.startswith("replace "):
            # what a worker wrote has been synced under the name it was written by
            assert call.split()[1].endswith((".seg", ".links")) or calls[place - 1] == "fsync", calls[
                place - 3 : place + 1
            ]
        if call == "COMMIT":
            renames = [i for i in range(place) if calls[i].startswith("replaced")]
            assert not renames or "fsync" in calls[renames[-1] : place]


def test_a_full_disk_is_one_line_and_stays_so_until_there_is_room(
    tmp_path: Path, shelf: list[str], faults: Faults
) -> None:
    index = str(tmp_path / "index")
    build_index(shelf[:1], index, options=ONE)
    before = answers(index)
    faults.forever = True
    faults.fault = fail_with(errno.ENOSPC)
    for step in (1, 4, 9, 15):
        faults.reset(step)
        with pytest.raises(DiskFullError) as raised:
            build_index(shelf, index, options=ONE)
        assert "no space left" in str(raised.value) and "\n" not in str(raised.value)
        faults.reset()
        assert answers(index) == before
    build_index(shelf, index, options=ONE)
    build_index(shelf, str(tmp_path / "whole"), options=ONE)
    assert answers(index) == answers(tmp_path / "whole")


def test_a_limit_on_the_size_of_files_is_told_like_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_one_process(monkeypatch)
    paths = write_shelf(tmp_path / "shelf", files=1, pages=60)
    index = str(tmp_path / "index")

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (96 << 10, resource.RLIM_INFINITY))
        try:
            build_index(paths, index, options=ONE)
        except DiskFullError:
            os._exit(6)

    assert in_child(limited) == 6
    with open_index(index) as opened:
        assert opened.check() == []
    build_index(paths, index, options=ONE)
    build_index(paths, str(tmp_path / "whole"), options=ONE)
    assert answers(index) == answers(tmp_path / "whole")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 400 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)],
            capture_output=True,
            check=False,
        )
        if os.geteuid() == 0
        else None
    )
    if mounted is None or mounted.returncode:
        pytest.skip("needs to be root and allowed to mount a small file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_disk_that_fills_up_loses_nothing(
    tmp_path: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_one_process(monkeypatch, batch_pages=20)
    small = write_shelf(tmp_path / "small", files=1, pages=4)
    large = write_shelf(tmp_path / "large", files=3, pages=150)
    index = str(small_disk / "index")
    build_index(small, index, options=ONE)
    before = answers(index)["captures"]
    for options in (ONE, REBUILD):
        with pytest.raises(DiskFullError) as raised:
            build_index(small + large, index, options=options)
        assert index in str(raised.value) and "\n" not in str(raised.value)
        with open_index(index) as opened:
            assert opened.check() == []
        assert set(before) <= set(answers(index)["captures"])
        assert not [
            name for name in os.listdir(small_disk / "index" / "g1") if name.endswith((".new", ".tmp"))
        ]
    assert [name for name in os.listdir(index) if name.startswith("g")] == ["g1"]


# readers beside a writer


def test_readers_see_whole_commits_while_a_writer_commits_merges_and_rebuilds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_one_process(monkeypatch, batch_pages=5)
    index = str(tmp_path / "index")
    stable = tmp_path / "stable.warc"
    stable.write_bytes(
        b"".join(
            record(f"http://stable.example/{n}", f"<title>stable {n}</title>lasting word") for n in range(12)
        )
    )
    changing = tmp_path / "changing.warc"
    changing.write_bytes(record("http://changing.example/", "<title>changing</title>fleeting word"))
    build_index([str(stable), str(changing)], index, options=ONE)
    stop = threading.Event()
    failures: list[str] = []
    searches = [0]

    def look(opened: Any) -> None:
        found = opened.search("lasting word", limit=20, with_snippets=False)
        if (
            found.total != 12
            or len(found.hits) != 12
            or any(hit.captures != 1 or not hit.file for hit in found.hits)
        ):
            failures.append(
                f"{found.total} pages, hits {[(hit.url, hit.captures, hit.file) for hit in found.hits]}"
            )
        statistics = opened.statistics()
        if statistics.captures != sum(entry.captures for entry in opened.ledger()) and stop.is_set():
            failures.append(f"{statistics}")
        if opened.closest("http://stable.example/3") is None or statistics.documents < 13:
            failures.append(f"a page is missing: {statistics}")
        searches[0] += 1

    def keep_looking() -> None:
        try:
            with open_index(index) as opened:
                while not stop.is_set():
                    look(opened)
                    threading.Thread(target=fresh_thread, args=(opened,)).start()
        except Exception as error:
            failures.append(repr(error))

    def fresh_thread(opened: Any) -> None:
        try:
            if not stop.is_set():
                opened.search("stable", with_snippets=False)
        except Exception as error:
            failures.append(f"in a new thread: {error!r}")

    def keep_opening() -> None:
        try:
            while not stop.is_set():
                with open_index(index) as opened:
                    look(opened)
                    if problems := opened.check():
                        failures.append(f"check: {problems}")
        except Exception as error:
            failures.append(repr(error))

    def in_process() -> None:
        deadline = time.monotonic() + 30
        with open_index(index) as opened:
            while not stop_file.exists() and time.monotonic() < deadline:
                look(opened)
        os._exit(3 if failures else 0)

    stop_file = tmp_path / "stop"
    codes: list[int] = []
    child = os.fork()
    if child == 0:
        try:
            in_process()
        except BaseException:
            os._exit(4)
    threads = [threading.Thread(target=action) for action in (keep_looking, keep_opening)]
    for thread in threads:
        thread.start()
    try:
        for turn in range(8):
            with changing.open("ab") as file:
                file.write(
                    b"".join(
                        record(f"http://changing.example/{turn}/{n}", page(turn * 10 + n)) for n in range(8)
                    )
                )
            build_index([str(stable), str(changing)], index, options=REBUILD if turn % 3 == 2 else ONE)
    finally:
        stop.set()
        stop_file.touch()
        for thread in threads:
            thread.join()
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    assert failures == []
    assert codes == [0]
    assert searches[0] > 5
