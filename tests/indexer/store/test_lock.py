from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from indexer import IndexNotWritableError, WriterLockedError
from indexer.store.lock import writer_lock
from running import REPOSITORY

HOLD = """
import sys, time
from indexer.store.lock import writer_lock
with writer_lock(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_writer_is_refused_and_told_who_holds_the_lock(tmp_path: Path) -> None:
    with writer_lock(str(tmp_path / "new" / "index")):
        told = rf"process {os.getpid()}\).*wait until it has ended"
        with pytest.raises(WriterLockedError, match=told), writer_lock(str(tmp_path / "new" / "index")):
            pytest.fail("two writers")
    with writer_lock(str(tmp_path / "new" / "index")):
        pass


def test_the_lock_dies_with_its_process(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=REPOSITORY
    )
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    with pytest.raises(WriterLockedError, match=f"process {holder.pid}"), writer_lock(str(tmp_path)):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    with writer_lock(str(tmp_path)):
        pass


def test_a_lock_file_with_nonsense_in_it_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "writer.lock").write_bytes(b"\xff" * 99)
    with writer_lock(str(tmp_path)):
        assert (tmp_path / "writer.lock").read_text() == str(os.getpid())


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(IndexNotWritableError, match="cannot be written"),
        writer_lock(str(tmp_path / "file" / "index")),
    ):
        pass
    assert stat.S_ISREG((tmp_path / "file").stat().st_mode)
