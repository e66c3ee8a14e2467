"""Makes `archive_bytes` importable for the tests of this folder, and finds the real archives."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))


@pytest.fixture(scope="session")
def real_archives() -> Path:
    """The folder of real archives with its facts.tsv; tests that need it are skipped where it is not."""
    shared = Path(os.environ.get("FINDINGAID_SHARED") or HERE.parents[2].parent / "shared")
    folder = shared / "archives"
    if not (folder / "facts.tsv").is_file():
        pytest.skip(f"needs the real archives in {folder}; FINDINGAID_SHARED can name another folder")
    return folder
