"""The states of a job, the moves between them, and the commands that other processes send."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from archiver.crawl.errors import JobError, JobNotRunningError, JobRunningError, MoveError
from archiver.crawl.job import STATE_FILE, CrawlJob, change_job, load_job
from archiver.crawl.statefile import StateFile
from archiver.notices import Notice

LOCK_FILE = "crawl.lock"
_ONLOOKER_S = 0.3
COMMANDS = ("pause", "resume", "stop", "add", "set")
CHANGEABLE = frozenset(
    {
        "threads",
        "delay_s",
        "delay_factor",
        "scope",
        "depth",
        "include",
        "exclude",
        "max_pages",
        "max_mb",
        "max_minutes",
        "requisites",
        "min_free_mb",
    }
)


class JobState(StrEnum):
    """What a job is doing."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSING = "pausing"
    PAUSED = "paused"
    STOPPING = "stopping"
    FINISHED = "finished"
    CRASHED = "crashed"


MOVES: dict[JobState, frozenset[JobState]] = {
    JobState.QUEUED: frozenset({JobState.RUNNING, JobState.FINISHED, JobState.CRASHED}),
    JobState.RUNNING: frozenset({JobState.PAUSING, JobState.STOPPING, JobState.FINISHED, JobState.CRASHED}),
    JobState.PAUSING: frozenset(
        {JobState.PAUSED, JobState.RUNNING, JobState.STOPPING, JobState.FINISHED, JobState.CRASHED}
    ),
    JobState.PAUSED: frozenset({JobState.RUNNING, JobState.STOPPING, JobState.FINISHED, JobState.CRASHED}),
    JobState.STOPPING: frozenset({JobState.FINISHED, JobState.CRASHED}),
    JobState.FINISHED: frozenset({JobState.QUEUED}),
    JobState.CRASHED: frozenset({JobState.QUEUED}),
}


def check_move(old: JobState, new: JobState) -> None:
    """Raise MoveError unless a job in state `old` may go to state `new`."""
    if new not in MOVES[old]:
        allowed = ", ".join(sorted(MOVES[old]))
        raise MoveError(f"a job that is {old} cannot be {new}; it can only become {allowed}")


class JobLock:
    """Held by the process that works on a job; the system lets go of it when the process ends, however it ends."""

    def __init__(self, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        self._file = open(os.path.join(folder, LOCK_FILE), "a+", encoding="ascii")  # noqa: SIM115
        try:
            self._take()
        except OSError as error:
            self._file.seek(0)
            pid = self._file.read().strip()
            self._file.close()
            raise JobRunningError(
                f"{folder}: this job is running already{f' (process {pid})' if pid else ''}; "
                f"see it with `findingaid crawl status {shlex.quote(folder)}`"
            ) from error
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def _take(self) -> None:
        """Take the lock, or raise OSError. Who asks `is_running` holds it for an instant, so it is tried again."""
        deadline = time.monotonic() + _ONLOOKER_S
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.01)

    def release(self) -> None:
        """Let others work on the job."""
        self._file.truncate(0)
        self._file.close()


def is_running(folder: str) -> bool:
    """Does a process work on the job?"""
    try:
        with open(os.path.join(folder, LOCK_FILE), encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def read_state(file: StateFile) -> tuple[JobState, str]:
    """Return the state as it was last written, and its reason."""
    return JobState(file.get("state", JobState.QUEUED)), file.get("reason")


def write_state(file: StateFile, new: JobState, reason: str = "") -> None:
    """Move the job to another state. Raises MoveError."""
    with file.transaction():
        old = read_state(file)[0]
        if old != new:
            check_move(old, new)
        file.put("state", new)
        file.put("reason", reason)


def crawl_status(job_dir: str) -> dict[str, Any]:
    """Return the live numbers of a job, as the process that works on it wrote them last (at most a second ago).

    A job whose process is gone without a farewell is "crashed".
    Raises JobError if there is no such job.
    """
    file = StateFile(os.path.join(job_dir, STATE_FILE), read_only=True, cache_mb=4)
    try:
        state, reason = read_state(file)
        numbers: dict[str, Any] = json.loads(file.get("numbers", "{}"))
        again = [
            {"command": c, "answer": a}
            for c, a in file.execute(
                "SELECT command, answer FROM commands WHERE answer IS NOT NULL ORDER BY id DESC LIMIT 3"
            )
        ]
    finally:
        file.close()
    if state not in (JobState.FINISHED, JobState.QUEUED, JobState.CRASHED) and not is_running(job_dir):
        state, reason = (
            JobState.CRASHED,
            Notice("its process is gone; the same crawl command goes on from here"),
        )
    return {
        **numbers,
        "job": os.path.basename(os.path.normpath(job_dir)),
        "state": str(state),
        "reason": reason,
        "commands": again,
    }


@dataclass(frozen=True, slots=True)
class Command:
    """What another process asks of a running crawl: one of COMMANDS and, for add and set, with what."""

    id: int
    name: str
    arguments: dict[str, Any]


def send_command(job_dir: str, command: str, arguments: dict[str, Any] | None = None) -> int:
    """Leave a command for the process that works on the job and return its number.

    "add" takes {"seeds": [address...]}, "set" any of CHANGEABLE. Raises
    JobError for what cannot be meant, JobNotRunningError when nobody would
    obey; added seeds wait for the next run then.
    """
    arguments = arguments or {}
    check_command(job_dir, command, arguments)
    if not is_running(job_dir) and command != "add":
        raise JobNotRunningError(
            Notice(
                "%(job)s: no crawl is running here, so there is nothing to %(command)s",
                job=job_dir,
                command=command,
            )
        )
    file = StateFile(os.path.join(job_dir, STATE_FILE), read_only=command != "add", cache_mb=4)
    try:
        with file.transaction():
            cursor = file.execute(
                "INSERT INTO commands (command, arguments, sent) VALUES (?, ?, ?)",
                (command, json.dumps(arguments), datetime.now(UTC).isoformat()),
            )
            return int(cursor.lastrowid or 0)
    finally:
        file.close()


def command_answer(job_dir: str, number: int) -> str | None:
    """Return what became of a command; None while nobody has answered."""
    file = StateFile(os.path.join(job_dir, STATE_FILE), read_only=True, cache_mb=4)
    try:
        row = file.execute("SELECT answer FROM commands WHERE id = ?", (number,)).fetchone()
        return None if row is None or row[0] is None else str(row[0])
    finally:
        file.close()


def check_command(job_dir: str, command: str, arguments: dict[str, Any]) -> None:
    """Raise JobError for a command that cannot be meant."""
    if command not in COMMANDS:
        raise JobError(f"{command}: unknown command, expected one of {', '.join(COMMANDS)}")
    if command == "add" and not arguments.get("seeds"):
        raise JobError("add: give at least one address")
    if command == "set":
        for key in arguments:
            if key not in CHANGEABLE:
                raise JobError(
                    f"set: {key} cannot be changed while a crawl runs; what can is "
                    f"{', '.join(sorted(CHANGEABLE))}"
                )
        try:
            job = load_job(job_dir)
        except JobError:
            job = CrawlJob()
        change_job(job, arguments, where="set")


def new_commands(file: StateFile) -> list[Command]:
    """Return the commands that nobody has answered yet, oldest first."""
    with file.lock:
        rows = file.execute(
            "SELECT id, command, arguments FROM commands WHERE answer IS NULL ORDER BY id"
        ).fetchall()
    return [Command(number, name, json.loads(arguments)) for number, name, arguments in rows]


def answer_command(file: StateFile, command: Command, answer: str) -> None:
    """Note what became of a command."""
    with file.transaction():
        file.execute("UPDATE commands SET answer = ? WHERE id = ?", (answer, command.id))
