"""A full disk ends each command with exit code 6 and one clear line, and leaves no half file under its final name.

The greatest size of a file stands for the disk (EFBIG), so that none of our own is needed; /dev/full takes output.
"""

from __future__ import annotations

import json
import re
import resource
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from archiver.crawl import CrawlJob, run_crawl
from archiver.errors import DiskFullError
from archiver.files import whole_file, whole_text_file
from running import Run, clean_environment, command
from tests.archiver.crawl.site import Site, page

HOST = "127.0.0.1"
Limited = Callable[..., Run]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, small_index: Path, sample_warc: Path) -> Path:
    """A folder with a job that was crawled, an index, topics and judgements."""
    folder = tmp_path_factory.mktemp("filled")
    routes = {
        "/": page("Start", [f"/{n}" for n in range(30)]),
        **{f"/{n}": page(f"Page {n}" * 9) for n in range(30)},
    }
    with Site({HOST: routes}) as site:
        job = CrawlJob(
            folder=str(folder / "jobs/01"),
            seeds=(site.url(HOST),),
            delay_s=0.0,
            allow_private=(HOST,),
            min_free_mb=0.0,
        )
        assert run_crawl(job, resolve=site.resolve).reason == "done"
    shutil.copytree(small_index, folder / "index")
    shutil.copy(sample_warc, folder / "sample.warc.gz")
    (folder / "topics.tsv").write_text("1\tglossary\n2\tferry\n")
    (folder / "qrels.txt").write_text(
        "1 0 http://the-shelf.example/glossary.html 1\n2 0 http://a.example/ 1\n"
    )
    return folder


@pytest.fixture
def here(filled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(filled, tmp_path / "here"))


def run_limited(here: Path, limit: int, *arguments: str, stdin: str = "") -> Run:
    """Run a command to which no file may grow beyond `limit` bytes."""
    environment = clean_environment(
        PYTHONDONTWRITEBYTECODE="1"
    )  # a cut .pyc file would be found by later tests
    done = subprocess.run(
        command(*arguments), cwd=here, input=stdin, text=True, capture_output=True, timeout=120, env=environment,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip
    return Run(done.returncode, done.stdout, done.stderr)


WRITERS = {
    "wacz": (["export", "wacz", "--all", "--index", "index", "-o", "out.wacz"], ["out.wacz"]),
    "cdxj": (["export", "cdxj", "--index", "index", "-o", "out.cdxj"], ["out.cdxj"]),
    "packed cdxj": (["export", "cdxj", "--index", "index", "-o", "out.cdxj.gz"], ["out.cdxj.gz"]),
    "cdxj of files": (["export", "cdxj", "sample.warc.gz", "-o", "out.cdxj"], ["out.cdxj"]),
    "graph as json": (["crawl", "graph", "01", "g.json"], ["g.json"]),
    "graph as csv": (["crawl", "graph", "01", "g.csv"], ["g-nodes.csv", "g-edges.csv"]),
    "graph as gexf": (["crawl", "graph", "01", "g.gexf"], ["g.gexf"]),
    "run": (["evaluate", "topics.tsv", "qrels.txt", "--index", "index", "--run", "run.txt"], ["run.txt"]),
}


@pytest.mark.parametrize(("arguments", "files"), WRITERS.values(), ids=WRITERS)
def test_a_file_is_written_whole_or_not_at_all(here: Path, arguments: list[str], files: list[str]) -> None:
    whole = run_limited(here, 1 << 30, *arguments)
    assert whole.code in (0, 4), whole.err
    sizes = {name: (here / name).stat().st_size for name in files}
    before = {file.name for file in here.iterdir()}
    least, greatest = min(sizes.values()), max(sizes.values())
    for limit in (0, 1, least // 2, greatest - 1):
        for name in files:
            (here / name).unlink(missing_ok=True)
        full = run_limited(here, limit, *arguments)
        assert full.code == 6, (limit, full)
        assert (
            re.search("no (room|space) left on the disk", full.err)
            and len(full.err.strip().splitlines()) == 1
        )
        left = {file.name for file in here.iterdir()} & set(files)
        assert all((here / name).stat().st_size == sizes[name] for name in left) and left < set(files)
        assert {file.name for file in here.iterdir()} <= before, "nothing unfinished is left"


def test_what_was_there_before_stays(here: Path) -> None:
    (here / "g.json").write_text("old")
    assert run_limited(here, 100, "crawl", "graph", "01", "g.json").code == 6
    assert (here / "g.json").read_text() == "old"


def test_a_setting_is_saved_whole_or_not_at_all(here: Path) -> None:
    (here / "settings.toml").write_text("# mine\n[search]\nk1 = 2.0\n")
    full = run_limited(here, 20, "password", "--stdin", stdin="correct horse\n")
    assert full.code == 6 and "no room left" in full.err
    assert (here / "settings.toml").read_text() == "# mine\n[search]\nk1 = 2.0\n"
    assert not [file for file in here.iterdir() if "settings.toml." in file.name]


@pytest.mark.parametrize("limit", [0, 500, 5_000, 20_000])
def test_an_index_run_ends_with_6_and_the_next_one_completes_it(here: Path, limit: int) -> None:
    full = run_limited(here, limit, "index", "sample.warc.gz", "--index", "new", "--workers", "1")
    assert full.code == 6, full
    assert re.search("no (room|space) left on the disk", full.err)
    assert run_limited(here, 1 << 30, "index", "sample.warc.gz", "--index", "new").code == 0
    assert run_limited(here, 1 << 30, "check", "--index", "new").code == 0


@pytest.mark.parametrize("arguments", [("optimize",), ("remove", "--site", "the-shelf.example", "--yes")])
def test_what_changes_an_index_ends_with_6(here: Path, arguments: tuple[str, ...]) -> None:
    assert run_limited(here, 1000, *arguments, "--index", "index").code == 6
    assert run_limited(here, 1 << 30, "check", "--index", "index").code == 0


@pytest.mark.parametrize("limit", [0, 4_000, 70_000])
def test_a_crawl_ends_with_6(here: Path, limit: int) -> None:
    with Site({HOST: {"/": page("Start " * 20_000)}}) as site:
        (here / "jobs/02").mkdir()
        (here / "jobs/02/job.toml").write_text(
            f'seeds = ["{site.url(HOST)}"]\ndisk_wait_min = 0.0\ndelay_s = 0\n'
        )
        full = run_limited(here, limit, "crawl", "02", "--allow-private", HOST)
    assert full.code == 6, full
    assert not list((here / "jobs/02").glob("Arcs/*.warc.gz"))


PRINTERS = {
    "search": ["search", "glossary", "--index", "index"],
    "json": ["search", "glossary", "--index", "index", "--json"],
    "ledger": ["ledger", "--index", "index"],
    "check": ["check", "--index", "index"],
    "cached": ["cached", "http://the-shelf.example/news.html", "--index", "index"],
    "raw": ["cached", "http://the-shelf.example/news.html", "--index", "index", "--raw"],
    "links": ["links", "http://the-shelf.example/news.html", "--index", "index"],
    "cdxj": ["export", "cdxj", "--index", "index"],
    "status": ["crawl", "status", "01"],
    "settings": ["settings"],
    "template": ["settings", "--template"],
    "evaluate": ["evaluate", "topics.tsv", "qrels.txt", "--index", "index"],
    "help": ["--help"],
    "index": ["index", "sample.warc.gz", "--index", "other"],
    "serve": ["serve", "--index", "index", "--port", "0"],
}


@pytest.mark.parametrize("arguments", PRINTERS.values(), ids=PRINTERS)
def test_output_that_finds_no_room_is_told(here: Path, arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command(*arguments),
            cwd=here,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            env=clean_environment(),
        )
        silent = subprocess.run(
            command(*arguments), cwd=here, stdout=full, stderr=full, timeout=60, env=clean_environment()
        )
    assert (done.returncode, silent.returncode) == (6, 6)
    said = done.stderr.decode()
    assert "No space left on device" in said and "Traceback" not in said and "Exception" not in said


def test_a_device_is_written_to_and_stays_what_it_is(here: Path) -> None:
    done = run_limited(here, 1 << 30, "export", "cdxj", "--index", "index", "-o", "/dev/full")
    assert done.code == 6 and "/dev/full: no room left" in done.err
    assert Path("/dev/full").is_char_device()
    listed = run_limited(here, 1 << 30, "export", "cdxj", "--index", "index", "-o", "/dev/stdout")
    assert listed.code == 0 and json.loads(listed.out.splitlines()[0].split(" ", 2)[2])["url"]


def test_a_block_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text("old")
    with pytest.raises(RuntimeError), whole_text_file(str(file)) as out:
        out.write("new")
        raise RuntimeError
    assert file.read_text() == "old" and list(tmp_path.iterdir()) == [file]
    with whole_text_file(str(file)) as out:
        out.write("new")
    assert file.read_text() == "new" and list(tmp_path.iterdir()) == [file]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    with whole_file(str(tmp_path / "link")) as out:
        out.write(b"here")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_bytes() == b"here"


def test_every_error_of_ours_has_one_root_and_an_exit_code() -> None:
    import app  # noqa: F401
    import indexer.evaluation  # noqa: F401
    import webui.errors
    import webui.settings_file  # noqa: F401
    from archiver.errors import ExitCode, FindingAidError, exit_code_of

    def below(kind: type[FindingAidError]) -> set[type[FindingAidError]]:
        return {kind}.union(*(below(each) for each in kind.__subclasses__()))

    codes = {kind.__name__: kind.exit_code for kind in below(FindingAidError)}
    assert {name: code for name, code in codes.items() if code != ExitCode.FAILED} == {
        "DiskFullError": 6, "JobError": 3, "JobRunningError": 7, "NoSeedError": 2, "SettingsError": 3,
        "WriterLockedError": 7,
    }  # fmt: skip
    for root in ("ArchiveError", "CrawlError", "IndexError_", "WebError", "CommandError", "TopicsError"):
        assert root in codes
    assert exit_code_of(DiskFullError("x")) == 6 and exit_code_of(ZeroDivisionError()) is None
