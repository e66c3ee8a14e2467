"""The table of moves, the lock, and commands from other processes."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from archiver.crawl import (
    MOVES,
    JobError,
    JobNotRunningError,
    JobRunningError,
    JobState,
    MoveError,
    crawl_status,
    send_command,
)
from archiver.crawl.statefile import StateFile
from archiver.crawl.states import (
    LOCK_FILE,
    JobLock,
    check_move,
    is_running,
    new_commands,
    read_state,
    write_state,
)

S = JobState
ALLOWED = {
    (S.QUEUED, S.RUNNING),
    (S.QUEUED, S.FINISHED),
    (S.QUEUED, S.CRASHED),
    (S.RUNNING, S.PAUSING),
    (S.RUNNING, S.STOPPING),
    (S.RUNNING, S.FINISHED),
    (S.RUNNING, S.CRASHED),
    (S.PAUSING, S.PAUSED),
    (S.PAUSING, S.RUNNING),
    (S.PAUSING, S.STOPPING),
    (S.PAUSING, S.FINISHED),
    (S.PAUSING, S.CRASHED),
    (S.PAUSED, S.RUNNING),
    (S.PAUSED, S.STOPPING),
    (S.PAUSED, S.FINISHED),
    (S.PAUSED, S.CRASHED),
    (S.STOPPING, S.FINISHED),
    (S.STOPPING, S.CRASHED),
    (S.FINISHED, S.QUEUED),
    (S.CRASHED, S.QUEUED),
}


@pytest.mark.parametrize("old", list(JobState))
@pytest.mark.parametrize("new", list(JobState))
def test_every_move(old: JobState, new: JobState) -> None:
    if (old, new) in ALLOWED:
        check_move(old, new)
    else:
        with pytest.raises(MoveError, match=f"a job that is {old} cannot be {new}"):
            check_move(old, new)


def test_every_state_can_be_left_and_reached() -> None:
    assert set(MOVES) == set(JobState)
    assert {new for moves in MOVES.values() for new in moves} == set(JobState)


def test_state_is_kept(tmp_path: Path) -> None:
    file = StateFile(str(tmp_path / "crawl.sqlite"))
    assert read_state(file) == (S.QUEUED, "")
    write_state(file, S.RUNNING)
    with pytest.raises(MoveError):
        write_state(file, S.PAUSED)
    write_state(file, S.FINISHED, "done")
    file.close()
    assert read_state(StateFile(str(tmp_path / "crawl.sqlite"))) == (S.FINISHED, "done")


def test_one_process_at_a_time(tmp_path: Path) -> None:
    lock = JobLock(str(tmp_path))
    assert is_running(str(tmp_path))
    with pytest.raises(JobRunningError, match="running already"):
        JobLock(str(tmp_path))
    lock.release()
    assert not is_running(str(tmp_path))


def test_who_looks_on_keeps_no_crawl_from_starting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    JobLock(str(tmp_path)).release()
    with open(tmp_path / LOCK_FILE) as onlooker:
        fcntl.flock(onlooker, fcntl.LOCK_SH)  # in the middle of is_running
        monkeypatch.setattr("time.sleep", lambda _: fcntl.flock(onlooker, fcntl.LOCK_UN))
        lock = JobLock(str(tmp_path))
    assert is_running(str(tmp_path))
    lock.release()


def test_commands_to_a_job_at_rest(tmp_path: Path) -> None:
    file = StateFile(str(tmp_path / "crawl.sqlite"))
    with pytest.raises(JobNotRunningError, match="nothing to pause"):
        send_command(str(tmp_path), "pause")
    send_command(str(tmp_path), "add", {"seeds": ["http://a.example/"]})
    assert [(c.name, c.arguments) for c in new_commands(file)] == [("add", {"seeds": ["http://a.example/"]})]


@pytest.mark.parametrize(
    ("command", "arguments", "problem"),
    [
        ("dance", {}, "unknown command"),
        ("add", {}, "at least one address"),
        ("set", {"user_agent": "x"}, "cannot be changed"),
        ("set", {"threads": 0}, "threads is 0"),
        ("set", {"exclude": ["("]}, "RE2"),
    ],
)
def test_commands_that_cannot_be_meant(
    tmp_path: Path, command: str, arguments: dict[str, object], problem: str
) -> None:
    with pytest.raises(JobError, match=problem):
        send_command(str(tmp_path), command, arguments)


def test_status_of_no_job(tmp_path: Path) -> None:
    with pytest.raises(JobError, match="not been started"):
        crawl_status(str(tmp_path))


def test_state_file_of_another_version_is_refused(tmp_path: Path) -> None:
    file = StateFile(str(tmp_path / "crawl.sqlite"))
    file.execute("PRAGMA user_version = 99")
    file.close()
    with pytest.raises(Exception, match="another version of the crawler .format 99"):
        StateFile(str(tmp_path / "crawl.sqlite"))


def test_a_file_that_is_no_state_is_refused(tmp_path: Path) -> None:
    (tmp_path / "crawl.sqlite").write_bytes(b"not a database, but long enough to be looked at" * 50)
    with pytest.raises(Exception, match="cannot be read"):
        StateFile(str(tmp_path / "crawl.sqlite"))
