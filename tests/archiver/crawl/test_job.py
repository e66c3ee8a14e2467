"""Jobs and their files: what is written is read again, what is wrong is named."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from archiver.crawl import CrawlJob, JobError, SeedSource, load_job, write_job
from archiver.crawl.job import _COMMENTS, _KEYS, change_job


def test_written_job_is_read_again(tmp_path: Path) -> None:
    job = CrawlJob(
        id="01",
        folder=str(tmp_path / "01"),
        seeds=("http://a.example/",),
        topic='Tor "Vergata" \\',
        depth=5,
        delay_s=0.5,
        exclude=("\\.pdf$",),
        ports=(3000,),
        obey_robots=False,
        sources=(SeedSource("cdx", "http://x/cdx", "a.example/*"),),
    )
    write_job(job)
    assert load_job(job.folder) == job


def test_every_key_has_its_comment() -> None:
    assert set(_COMMENTS) == set(_KEYS) - {"sources"}


def test_defaults_are_those_the_documentation_names() -> None:
    job = CrawlJob()
    assert (job.depth, job.threads, job.page_size_kb, job.delay_s, job.order) == (3, 8, 64_000, 1.0, "bfs")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("depht = 3", "unknown key 'depht'"),
        ("depth = 'x'", "depth is 'x', expected a whole number"),
        ("depth = true", "depth is True"),
        ("threads = 0", "threads is 0, expected 1 to 64"),
        ("scope = 'all'", "scope is 'all', expected one of page"),
        ("exclude = ['(']", "no RE2 expression"),
        ("order = 'best'", "give one with --topic"),
        ("seeds = 'x'", "expected a list of texts"),
        ("allow_private = ['x']", "--allow-private HOST"),
        ("delay_s = ", "not valid TOML"),
        ("user_agent = 'a\\u000ab'", "found"),
        ("[[sources]]\nkind = 'oracle'\nwhere = 'x'", "seed source 'oracle'"),
        ("[[sources]]\nkind = 'file'", "needs kind and where"),
    ],
)
def test_wrong_job_files_are_named(tmp_path: Path, text: str, problem: str) -> None:
    text = text.replace("'", '"') if "user_agent" in text else text
    (tmp_path / "job.toml").write_text(text, encoding="utf-8")
    with pytest.raises(JobError) as caught:
        load_job(str(tmp_path))
    assert problem in str(caught.value) and str(caught.value).startswith(str(tmp_path / "job.toml"))
    assert "\n" not in str(caught.value)


def test_missing_job_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(JobError, match="--seed URL"):
        load_job(str(tmp_path / "none"))


def test_private_hosts_never_come_from_or_go_to_a_file(tmp_path: Path) -> None:
    job = CrawlJob(folder=str(tmp_path), id=tmp_path.name[:60], allow_private=("a.example",))
    assert "allow" not in Path(write_job(job)).read_text("utf-8")
    assert "allow_private" in {f.name for f in fields(CrawlJob)}


def test_robots_token_is_the_product_name() -> None:
    assert change_job(CrawlJob(), {"user_agent": "My-Bot/2.0 (test)"}).robots_token == "My-Bot"
