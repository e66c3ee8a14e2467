"""Code that lies in the folder we are called in, or beside the settings, is never run."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from archiver.interpreter import OUR_CODE, _places_of_modules, start_python
from running import REPOSITORY, clean_environment, command, stop
from tests.archiver.crawl.site import Site, page

HOST = "127.0.0.1"
OURS = [
    "app",
    "archiver",
    "command_line",
    "crawl_commands",
    "indexer",
    "webui",
    "sitecustomize",
    "usercustomize",
]
INSTALLED = Path(sys.executable).parent / "findingaid"
STARTERS = [command()] + ([[str(INSTALLED)]] if INSTALLED.exists() else [])


def set_traps(folder: Path, tell: Path) -> Path:
    """Fill a folder with a module of each name that Python, a library or we go by; one that is run says so."""
    folder.mkdir()
    names = {*sys.stdlib_module_names, *importlib.metadata.packages_distributions(), *OURS}
    for name in names:
        if name.isidentifier():
            code = f"open({str(tell)!r}, 'a').write({str(folder / name)!r} + '\\n')\nraise SystemExit(99)\n"
            (folder / f"{name}.py").write_text(code)
    (folder / "archiver.py").unlink()
    (folder / "archiver").mkdir()
    (folder / "archiver/__init__.py").write_text(f"open({str(tell)!r}, 'a').write('archiver/')\n")
    return folder


@pytest.fixture(params=STARTERS, ids=["checkout", "installed"][: len(STARTERS)])
def starter(request: pytest.FixtureRequest) -> list[str]:
    return list(request.param)


@pytest.fixture
def tell(tmp_path: Path) -> Path:
    return tmp_path / "what was run"


@pytest.fixture
def here(tmp_path: Path, tell: Path) -> Path:
    return set_traps(tmp_path / "here", tell)


@pytest.fixture
def settings(tmp_path: Path, tell: Path) -> Path:
    """A settings file in another folder full of traps."""
    file = set_traps(tmp_path / "beside the settings", tell) / "settings.toml"
    file.write_text('[archive]\njobs_path = "jobs"\n')
    return file


@pytest.fixture
def environment() -> dict[str, str]:
    return {name: value for name, value in clean_environment().items() if name != "PYTHONPATH"}


def test_no_command_that_starts_a_child_runs_what_lies_in_its_folder(
    starter: list[str], here: Path, settings: Path, tell: Path, sample_warc: Path, environment: dict[str, str]
) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        given = [*starter, *arguments, "--settings", str(settings)]
        return subprocess.run(given, cwd=here, env=environment, capture_output=True, text=True, timeout=120)

    with Site({HOST: {"/": page("Start", ["/1"]), "/1": page("One")}}, addresses={HOST: HOST}) as site:
        crawled = run(
            "crawl", "--seed", site.url(HOST), "--allow-private", HOST, "--delay", "0", "--index", "--job", "02"
        )  # fmt: skip
    assert (crawled.returncode, crawled.stderr) == (0, "")
    indexed = run("index", str(sample_warc))
    assert indexed.returncode == 0, indexed.stderr
    demo = run("demo", "--no-serve")
    assert demo.returncode == 0, demo.stderr
    assert run("search", "walrus").returncode == run("optimize").returncode == run("check").returncode == 0
    assert not tell.exists(), tell.read_text()


def test_a_crawl_started_in_the_browser_runs_nothing_beside_the_settings(
    starter: list[str], here: Path, settings: Path, tell: Path, environment: dict[str, str]
) -> None:
    server = subprocess.Popen(
        [*starter, "serve", "--port", "0", "--settings", str(settings)],
        cwd=here, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        form = b"seeds=http://127.0.0.1/&job=07&scope=host&index=on"
        with urllib.request.urlopen(f"{address}crawl", form, timeout=30) as answer:
            assert answer.url.startswith(f"{address}crawl/07")
        said = settings.parent / "jobs/07/crawl.out"
        deadline = time.monotonic() + 30
        while "loopback" not in said.read_text() and time.monotonic() < deadline:
            time.sleep(0.1)
        assert "127.0.0.1 is loopback" in said.read_text(), said.read_text()
    finally:
        stop(server)
    assert not tell.exists(), tell.read_text()


def test_a_child_of_a_script_that_searches_its_folder_does_not(
    here: Path, tell: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a notebook, or under a WSGI server that adds the current folder."""
    monkeypatch.chdir(here)
    monkeypatch.setattr(sys, "path", ["", ".", str(here), *sys.path, str(here.parent / "here")])
    child = start_python(["-c", "import secrets, json, numpy, indexer.worker"], stderr=subprocess.PIPE)
    assert child.communicate(timeout=60) == (None, b"")
    assert not tell.exists()


def test_our_code_is_found_wherever_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = "/usr/lib/one", "/usr/lib/two"
    monkeypatch.chdir(OUR_CODE)
    monkeypatch.setattr(sys, "path", [one, "", two])
    assert _places_of_modules(OUR_CODE) == [one, OUR_CODE, two], "in a checkout, where the parent found it"
    assert _places_of_modules(two) == [one, OUR_CODE]
    monkeypatch.chdir("/usr/lib")
    assert _places_of_modules("/") == [one, two, OUR_CODE]


def test_nothing_else_starts_a_program() -> None:
    starters = ("import subprocess", "from subprocess", "multiprocessing.Process", "get_context", "os.exec", "os.spawn",
                "os.system", "os.popen", "posix_spawn")  # fmt: skip
    files = [
        *REPOSITORY.glob("*.py"),
        *(f for p in ("archiver", "indexer", "webui") for f in (REPOSITORY / p).rglob("*.py")),
    ]
    found = {
        str(file.relative_to(REPOSITORY))
        for file in files
        for line in file.read_text(encoding="utf-8").splitlines()
        if any(starter in line for starter in starters) and not line.lstrip().startswith("#")
    }
    may_name_its_constants = {
        "archiver/crawl/readers.py",
        "indexer/worker_process.py",
        "webui/crawl_process.py",
    }
    while_installed = {
        "indexer/core/build.py"
    }  # the compiler; nothing of the running program imports it but a path
    assert found == {"archiver/interpreter.py"} | may_name_its_constants | while_installed
    for name in may_name_its_constants:
        assert (
            "Popen" not in (REPOSITORY / name).read_text()
            and "subprocess.run" not in (REPOSITORY / name).read_text()
        )
