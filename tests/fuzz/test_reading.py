"""The command runs, says what it tried, and keeps the files that show a fault."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from running import REPOSITORY, clean_environment
from tests.archiver.warc.archive_bytes import page
from tests.fuzz import reading


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["reading", *map(str, arguments)])
    return reading.main()


def test_it_tries_generated_files_and_real_ones(tmp_path: Path) -> None:
    """In a process of its own: it also looks at the most memory that the process has ever had."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.warc").write_bytes(page("one") + page("two"))
    given = ["--files", "40", "--archives", str(tmp_path / "real"), "--keep", str(tmp_path / "keep")]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.reading", *given],
        cwd=REPOSITORY, env=clean_environment(), capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("40 files, ")
    assert not (tmp_path / "keep").exists()


def test_a_file_that_shows_a_fault_is_kept_and_comes_again_with_its_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tried: list[bytes] = []

    def fails(path: Path, *_: object) -> int:
        tried.append(path.read_bytes())
        raise AssertionError("as if a record came out otherwise")

    monkeypatch.setattr(reading, "check", fails)
    assert run(monkeypatch, "--files", 2, "--seed", 7, "--keep", tmp_path / "keep") == 1
    assert run(monkeypatch, "--files", 1, "--seed", 8, "--keep", tmp_path / "keep") == 1
    assert [path.name for path in sorted((tmp_path / "keep").iterdir())] == ["7.bin", "8.bin"]
    assert (tmp_path / "keep" / "8.bin").read_bytes() == tried[1] == tried[2]
    assert "seed 7, " in capsys.readouterr().out
