"""A run that breaks at any write, sync, rename or commit loses nothing committed; the next run completes it."""

from __future__ import annotations

import errno
import os
import re
import resource
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from faults import Faults, Image, Images, fail_with, faulty_files, in_child, run_in_one_process
from shelf import answers, answers_of, page, record, write_shelf

from archiver.errors import FindingAidError
from indexer import (
    DiskFullError,
    IndexMissingError,
    IndexOptions,
    NothingToRemoveError,
    build_index,
    open_index,
    optimize_index,
    remove_from_index,
)
from indexer.store import plans
from indexer.store.catalogue import Catalogue
from indexer.store.layout import live_folder

ONE = IndexOptions(workers=1)
REBUILD = IndexOptions(workers=1, rebuild=True)


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Iterator[Faults]:
    run_in_one_process(monkeypatch, batch_pages=4)
    monkeypatch.setattr(plans, "MERGE_VERSIONS", 9)  # there are merges in the midst of a run
    with faulty_files(monkeypatch) as found:
        yield found


@pytest.fixture
def shelf(tmp_path: Path) -> list[str]:
    return write_shelf(tmp_path / "shelf", files=2, pages=4)


class Scene:
    """Something done to an index, undisturbed, with an image of the disk at each of its steps.

    do: what is done; done again after a crash, it may find that all is done (`settled`).
    """

    def __init__(
        self,
        folder: Path,
        faults: Faults,
        do: Callable[[str], Any],
        prepare: Callable[[str], Any] | None = None,
        settled: tuple[type[Exception], ...] = (),
    ) -> None:
        self._folder, self._do, self._settled = folder, do, settled
        index = folder / "index"
        self.before: dict[str, Any] | None = None
        if prepare is not None:
            prepare(str(index))
            self.before = answers(index)
        shutil.copytree(index, folder / "prepared") if prepare else (folder / "prepared").mkdir()
        faults.shelf = Images(str(folder))
        faults.reset()
        do(str(index))
        faults.call("the end")
        self.images, faults.shelf = faults.shelf.taken, None
        self.steps = list(faults.calls)
        self.after = answers(index)

    def sample(self, count: int) -> list[Image]:
        """Return `count` images spread over the run, and the last."""
        return [self.images[step - 1] for step in every(min(count, len(self.images)), len(self.images))]

    def crash_at(self, image: Image, kind: str) -> dict[str, Any] | None:
        """Open what a crash has left, see that it is sound, do it again, and see that all is as it should be."""
        what = f"{kind} at call {image.number}, {image.what}"
        index = image.write(kind, self._folder / f"{image.number}-{kind}") / "index"
        between: dict[str, Any] | None = None
        try:
            with open_index(str(index)) as opened:
                assert opened.check() == [], what
                between = answers_of(opened)
        except IndexMissingError:
            assert self.before is None, what
        self.again(index, what)
        return between

    def again(self, index: Path, what: str) -> None:
        try:
            self._do(str(index))
        except self._settled:
            pass
        assert answers(index) == self.after, what
        with open_index(str(index)) as opened:
            assert opened.check() == [], what
        left = sorted(os.listdir(index))
        assert left == sorted({"current", "writer.lock"} | {n for n in left if n.startswith("g")}), what
        assert len(left) == 3, what
        names = os.listdir(index / left[1])
        assert not [name for name in names if name.endswith((".new", ".tmp"))], what

    def fail_at(self, step: int, faults: Faults, number: int) -> None:
        """Let one call of the disk fail; the run ends with an error of one line, and can be done again."""
        what = f"after call {step}, {self.steps[step - 1]}"
        index = self._folder / f"failed-{step}"
        shutil.copytree(self._folder / "prepared", index)
        faults.reset(step)
        faults.fault = fail_with(number)
        with pytest.raises((FindingAidError, OSError)) as raised:
            self._do(str(index))
        assert "\n" not in str(raised.value), what
        faults.reset()
        try:
            with open_index(str(index)) as opened:
                assert opened.check() == [], what
        except IndexMissingError:
            assert self.before is None, what
        self.again(index, what)


def every(count: int, steps: int) -> list[int]:
    """Return `count` numbers spread over 1 to `steps`, with both ends."""
    return sorted({1 + round(i * (steps - 1) / max(count - 1, 1)) for i in range(count)})


def grow(shelf: list[str]) -> None:
    """One file grows, the other is cut short and loses a page."""
    with open(shelf[0], "ab") as file:
        file.write(
            record("http://late.example/", page(777)) + record("http://site1.example/changing", page(778))
        )
    content = Path(shelf[1]).read_bytes()
    Path(shelf[1]).write_bytes(content[: content.rindex(b"WARC/1.0")])


@pytest.fixture
def scene(request: pytest.FixtureRequest, tmp_path: Path, shelf: list[str], faults: Faults) -> Scene:
    """What can be done to an index, by name: a first run, one over changed files, a rebuild, a removal, optimizing."""
    folder = tmp_path / "disk"
    folder.mkdir()
    page_out = "http://site1.example/1"

    def first(index: str) -> None:
        build_index(shelf, index, options=ONE)

    def first_in_two(index: str) -> None:
        build_index(shelf[:1], index, options=ONE)
        build_index(shelf, index, options=ONE)
        remove_from_index(index, "url", "http://shared.example/")

    def again(index: str) -> None:
        build_index(shelf, index, options=ONE)

    def rebuild(index: str) -> None:
        build_index(shelf, index, options=REBUILD)

    def take_out(index: str) -> None:
        remove_from_index(index, "url", page_out)

    if request.param == "first run":
        return Scene(folder, faults, first)
    if request.param == "removal":
        return Scene(folder, faults, take_out, first, (NothingToRemoveError,))
    if request.param == "optimize":
        return Scene(folder, faults, optimize_index, first_in_two)

    def first_then_grow(index: str) -> None:
        first(index)
        grow(shelf)

    return Scene(folder, faults, rebuild if request.param == "rebuild" else again, first_then_grow)


SCENES = ["first run", "changed files", "rebuild", "removal", "optimize"]


@pytest.mark.parametrize("scene", SCENES, indirect=True)
def test_a_crash_at_any_step_loses_nothing_that_was_committed(scene: Scene) -> None:
    for image in scene.sample(5):
        for kind in ("killed", "forgetful", "torn"):
            between = scene.crash_at(image, kind)
            for entry in between["ledger"] if between and scene.before else ():
                # each file is there as it was, or as it is now
                assert entry in scene.before["ledger"] or entry in scene.after["ledger"]  # type: ignore[index]
            if image is scene.images[-1]:
                assert between == scene.after, f"{kind}: what was done is not lasting"


@pytest.mark.parametrize("scene", SCENES, indirect=True)
def test_an_error_at_any_step_loses_nothing(scene: Scene, faults: Faults) -> None:
    for turn, step in enumerate(every(4, len(scene.steps) - 1)):
        if scene.steps[step - 1] != "committed":  # what is committed cannot fail any more
            scene.fail_at(step, faults, (errno.EIO, errno.ENOSPC)[turn % 2])


@pytest.mark.slow
@pytest.mark.parametrize("scene", SCENES, indirect=True)
def test_crashes_and_errors_at_every_single_step(scene: Scene, faults: Faults) -> None:
    for image in scene.images:
        for kind in ("killed", "forgetful", "torn"):
            scene.crash_at(image, kind)
    for step, what in enumerate(scene.steps[:-1], start=1):
        if what != "committed":
            scene.fail_at(step, faults, (errno.EIO, errno.ENOSPC)[step % 2])


def test_a_disk_that_writes_less_than_it_is_given_gets_the_rest(
    tmp_path: Path, shelf: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_one_process(monkeypatch)
    build_index(shelf, str(tmp_path / "whole"), options=ONE)
    with faulty_files(monkeypatch, at_once=1000):
        build_index(shelf, str(tmp_path / "index"), options=ONE)
    with open_index(str(tmp_path / "index")) as opened:
        assert opened.check() == []
    assert answers(tmp_path / "index") == answers(tmp_path / "whole")


def test_nothing_is_named_before_it_is_synced(tmp_path: Path, shelf: list[str], faults: Faults) -> None:
    build_index(shelf, str(tmp_path / "index"), options=ONE)
    calls = faults.calls
    batches = synced = 0
    for place, call in enumerate(calls):
        if call.startswith("rename "):
            # what a worker or an earlier step wrote has been synced under the name it was written by; of a batch by the
            # commit, before it gets its own
            is_batch = bool(re.search(r"-w\d+-\d+(\.links)?\.new$", call))
            is_new = not is_batch and not re.search(r"\.(seg|links|[iw]\d+)$", call)
            assert not is_new or calls[place - 1] == "sync", calls[place - 3 : place + 1]
            batches += is_batch
            synced += bool(re.search(r"\.(seg|links)$", call)) and calls[place - 1] == "sync"
        if call == "COMMIT":
            renames = [i for i in range(place) if calls[i].startswith("renamed")]
            assert not renames or "sync folder" in calls[renames[-1] : place]
    assert batches == synced > 0


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


@pytest.fixture
def index(tmp_path: Path, shelf: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """An index that later runs of the test change in its own process."""
    run_in_one_process(monkeypatch)
    build_index(shelf, str(tmp_path / "index"), options=ONE)
    return str(tmp_path / "index")


@pytest.mark.parametrize("look", ["open", "search", "check", "fresh thread"])
def test_a_generation_that_goes_before_it_is_opened_is_not_missed(
    index: str, shelf: list[str], monkeypatch: pytest.MonkeyPatch, look: str
) -> None:
    """A reader has read that g1 is live; before it opens a file, a rebuild makes g2 live and removes g1."""
    expected = answers(index)
    turns = iter([True] if look == "open" else [False, True])

    def live_then_replaced(index_dir: str) -> str:
        folder = live_folder(index_dir)
        if next(turns, False):
            monkeypatch.setattr("indexer.store.opened.live_folder", live_folder)
            build_index(shelf, index, options=REBUILD)
            assert not os.path.exists(folder)
        return folder

    monkeypatch.setattr("indexer.store.opened.live_folder", live_then_replaced)
    with open_index(index) as opened:
        if look == "check":
            assert opened.check() == []
        elif look == "search":
            assert opened.search("archive", with_snippets=False).total
        elif look == "fresh thread":
            found: list[int] = []
            thread = threading.Thread(
                target=lambda: found.append(opened.search("archive", with_snippets=False).total)
            )
            thread.start()
            thread.join()
            assert found and found[0]
        assert answers_of(opened) == expected


@pytest.mark.parametrize("look", ["open", "check"])
def test_a_generation_that_goes_while_it_is_being_opened_is_not_missed(
    index: str, shelf: list[str], monkeypatch: pytest.MonkeyPatch, look: str
) -> None:
    """The catalogue is open, nothing else is; then the folder is gone."""
    expected = answers(index)
    connect = Catalogue._connect

    def connect_then_replace(catalogue: Catalogue) -> Any:
        connection = connect(catalogue)
        monkeypatch.setattr(Catalogue, "_connect", connect)
        build_index(shelf, index, options=REBUILD)
        assert not os.path.exists(catalogue.index_dir)
        return connection

    with open_index(index) as opened:
        if look == "open":
            opened.close()
        monkeypatch.setattr(Catalogue, "_connect", connect_then_replace)
        assert opened.check() == [] if look == "check" else answers_of(opened) == expected
