"""What many tests need: the demo archive and its index, the demo site on a port, a web client, the command line."""

from __future__ import annotations

import os
import runpy
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# before anything that loads it: whoever changes the core and runs the tests wants to test what was changed
runpy.run_path(str(Path(__file__).parents[1] / "indexer" / "core" / "build.py"))["build"]()

from running import Run, run_command  # noqa: E402
from webui.demo import served_site, write_demo_archive  # noqa: E402
from webui.settings import load_settings  # noqa: E402

# Tests ask what is right, not how long it takes: the machine may be busy.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

REPOSITORY = Path(__file__).parents[1]

# Where this is set, every command and worker process that a test starts would compile the whole program anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# A shell starts what it runs in the background with Ctrl-C ignored, and whoever is started from there inherits it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with collections of real archives; tests that need it are skipped where it is not."""
    folder = Path(os.environ.get("FINDINGAID_SHARED") or REPOSITORY.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"needs the real archives in {folder}; FINDINGAID_SHARED can name another folder")
    return folder


@pytest.fixture(scope="session")
def sample_warc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo archive: 16 addresses, visited twice, one page changed, the others seen again as revisits."""
    return Path(write_demo_archive(str(tmp_path_factory.mktemp("sample"))))


@pytest.fixture(scope="session")
def small_index(sample_warc: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of `sample_warc`; tests may read it and must not change it."""
    from indexer import IndexOptions, build_index

    folder = tmp_path_factory.mktemp("small") / "index"
    build_index([str(sample_warc)], str(folder), options=IndexOptions(workers=1))
    return folder


@pytest.fixture
def site() -> Iterator[str]:
    """The address of the demo site, served on this machine."""
    with served_site() as address:
        yield address


@pytest.fixture
def client(small_index: Path) -> Any:
    """A Flask test client on `small_index`."""
    from webui import create_app

    return create_app(load_settings(None, {}, {"index": str(small_index)})).test_client()


@pytest.fixture
def findingaid(tmp_path: Path) -> Callable[..., Run]:
    """Runs the command line as a process of its own, in an empty folder: findingaid("search", "word")."""

    def run(*arguments: str | Path | int, **variables: str) -> Run:
        return run_command(*arguments, cwd=tmp_path, **variables)

    return run
