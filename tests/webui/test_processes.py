"""Several processes on one socket: they answer, follow the settings, are replaced, and end with the first."""

from __future__ import annotations

import copy
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from webui.application import SiteState
from webui.processes import SharedMark, how_many
from webui.settings import Settings, load_settings

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server(small_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, str, Path]]:
    """(process id, address, settings file) of a server with two processes."""
    folder = tmp_path_factory.mktemp("served")
    settings = folder / "settings.toml"
    settings.write_text("[server]\nprocesses = 2\nport = 0\n")
    with subprocess.Popen(
        [sys.executable, REPOSITORY / "app.py", "serve", "--index", small_index, "--settings", settings],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        yield process.pid, process.stdout.readline().strip(), settings
        process.terminate()


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def get(address: str) -> str:
    with urllib.request.urlopen(address, timeout=20) as answer:
        return str(answer.read().decode())


def test_processes_see_the_same_mark() -> None:
    mark = SharedMark()
    before = mark.get()
    pid = os.fork()
    if not pid:
        mark.change()
        os._exit(0)
    os.waitpid(pid, 0)
    assert mark.get() != before


def test_what_another_process_saves_meanwhile_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("[search]\nk1 = 1.0\n")
    here = SiteState(load_settings(str(file), {}, {}), None)
    there = copy.copy(here)  # as a process split from this one: its own view, the same mark
    reloaded = Settings.reloaded

    def reload_and_be_overtaken(settings: Settings) -> Settings:
        found = reloaded(settings)
        monkeypatch.setattr(Settings, "reloaded", reloaded)
        file.write_text("[search]\nk1 = 3.0\n")
        there.take_over()
        return found

    file.write_text("[search]\nk1 = 2.0\n")
    monkeypatch.setattr(Settings, "reloaded", reload_and_be_overtaken)
    here.take_over()
    here.follow()
    there.follow()
    assert here.settings.search.k1 == there.settings.search.k1 == 3.0


def test_a_thread_of_a_program_is_not_split() -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(how_many(4, lambda: 0)))
    thread.start()
    thread.join()
    assert found == [1]
    assert how_many(3, lambda: 0) == 3


def test_a_small_index_is_served_by_two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert [how_many(0, lambda pages=pages: pages) for pages in (0, 200_000, 200_001)] == [2, 2, 1]
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert how_many(0, lambda: 0) == 1


def test_both_answer_and_count_together(server: tuple[int, str, Path]) -> None:
    pid, address, _ = server
    for _ in range(6):
        assert get(address + "healthz") == "ok\n"
    assert len(children_of(pid)) == 2
    counted = re.search(
        r'findingaid_requests_total\{status="200",view="healthz"\} (\d+)', get(address + "metrics")
    )
    assert counted and int(counted[1]) == 6


def test_settings_saved_through_one_count_in_both(server: tuple[int, str, Path]) -> None:
    _, address, _ = server
    shown = json.loads(get(address + "settings.json"))
    page = get(address + "settings")
    digest = re.search(r'name="hash" value="([^"]*)"', page)
    assert digest and shown
    data = f"search.k1=1.75&hash={digest[1]}".encode()
    urllib.request.urlopen(address + "settings", data, timeout=20).close()
    for _ in range(8):  # a connection each, so that both are met
        assert "1.75" in get(address + "settings.json")


def files_of(pid: int) -> list[str]:
    folder = Path(f"/proc/{pid}/fd")
    return [os.readlink(folder / name) for name in os.listdir(folder)]


def test_the_first_process_reads_nothing_that_others_would_share(server: tuple[int, str, Path]) -> None:
    pid, address, _ = server
    get(address + "search?q=the")
    assert not any("catalogue" in name for name in files_of(pid))


def test_one_that_dies_is_replaced_and_all_end_with_the_first(server: tuple[int, str, Path]) -> None:
    pid, address, _ = server
    first, second = children_of(pid)
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: len(children_of(pid)) == 2 and first not in children_of(pid))
    assert get(address + "healthz") == "ok\n"
    children = children_of(pid)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not any(is_running(child) for child in children))


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(is_so: object) -> None:
    deadline = time.monotonic() + 20
    while not is_so():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.02)


DEAF = r"""
import os, signal, sys, time
from webui import processes
processes._ENDING_S = 0.3
def stop(number, frame):
    raise SystemExit(7)
def serve(place):
    if sys.argv[1] == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.write(1, b"%d\n" % os.getpid())  # in one piece
    time.sleep(60)
signal.signal(signal.SIGTERM, stop)
if sys.argv[1] == "at once":
    os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGTERM))
processes.run_in_processes(2, serve)
"""


@pytest.mark.parametrize("how", ["at once", "deaf"])
def test_it_ends_however_early_it_is_told_to_and_whoever_does_not_hear_it(how: str) -> None:
    """A signal in the midst of a fork was lost: what it raised there, Python only writes down."""
    with subprocess.Popen([sys.executable, "-c", DEAF, how], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pids = [int(process.stdout.readline()) for _ in range(2)] if how == "deaf" else []
        if how == "deaf":
            process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(timeout=20) == 7
        finally:
            process.kill()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
