"""The command line: what it prints, where, and with which exit code."""

from __future__ import annotations

import errno
import gzip
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import app
import command_line
import index_commands
from archiver.warc import ArchiveReader, Record
from running import Run, clean_environment, command, stop
from tests.archiver.warc.archive_bytes import page
from tests.webui.archive_text import response
from webui.demo import ADDRESS, site_files
from webui.setting_infos import describe_settings, settings_template

Findingaid = Callable[..., Run]
HIT_KEYS = {
    "url",
    "title",
    "timestamp",
    "score",
    "snippet",
    "file",
    "offset",
    "length",
    "inner",
    "captures",
    "versions",
}


@pytest.fixture
def indexed(findingaid: Findingaid, sample_warc: Path, tmp_path: Path) -> Path:
    """An index of the demo archive that the test may change."""
    done = findingaid("index", sample_warc, "--index", tmp_path / "index", "--workers", "1", "--json")
    assert done.code == 0, done.err
    return tmp_path / "index"


def one_line(run: Run) -> str:
    """Return the one line that an expected error may write."""
    assert run.out == ""
    assert run.err.startswith("findingaid: ") and run.err.count("\n") == 1, run.err
    return run.err


# index


def test_index_prints_the_totals_as_json(findingaid: Findingaid, sample_warc: Path, tmp_path: Path) -> None:
    done = findingaid("index", sample_warc, "--index", tmp_path / "index", "--workers", "1", "--json")
    totals = json.loads(done.out)
    assert done.code == 0
    keys = [
        "files",
        "records",
        "captures",
        "copies",
        "documents",
        "versions",
        "skipped",
        "damaged",
        "seconds",
    ]
    assert list(totals) == keys
    files = len(site_files())
    pages = sum("html" in file.media_type for file in site_files())
    assert (totals["files"], totals["captures"], totals["damaged"]) == (1, 2 * files, [])
    assert (totals["documents"], totals["versions"]) == (pages, pages + 1)
    assert totals["records"] == totals["captures"] + sum(totals["skipped"].values()) == 4 * files + 1


def test_a_second_run_reads_nothing_and_tells_the_same_totals(
    findingaid: Findingaid, indexed: Path, sample_warc: Path
) -> None:
    first, second = (
        json.loads(findingaid("index", sample_warc, "--index", indexed, "--json").out) | {"seconds": 0}
        for _ in range(2)
    )
    assert first == second


def test_index_without_a_path_takes_the_archives_of_the_job(
    findingaid: Findingaid, sample_warc: Path, tmp_path: Path
) -> None:
    arcs = tmp_path / "shelf/jobs/news/Arcs"
    arcs.mkdir(parents=True)
    shutil.copy(sample_warc, arcs)
    (tmp_path / "shelf/settings.toml").write_text("[archive]\njob_id = 'news'\n")
    done = findingaid("index", "--settings", "shelf/settings.toml", "--workers", "1")
    assert done.code == 0, done.err
    assert (tmp_path / "shelf/jobs/news/Index/MyIndex").is_dir()
    found = findingaid("search", "ferry", "--json", "--jobs-path", "shelf/jobs", "--job", "news")
    assert json.loads(found.out)["total"] > 0


def test_a_path_that_does_not_exist_stops_before_anything_is_done(
    findingaid: Findingaid, sample_warc: Path, tmp_path: Path
) -> None:
    done = findingaid("index", sample_warc, "absent.warc.gz", "--index", tmp_path / "index")
    assert done.code == 2
    assert "absent.warc.gz: there is no such file or folder" in one_line(done)
    assert not (tmp_path / "index").exists()


def test_each_record_of_a_damaged_file_is_written_from_its_place(
    findingaid: Findingaid, tmp_path: Path
) -> None:
    """Wrong lengths, rubbish between records, a header that breaks off: what was indexed is there to be read again."""
    whole = [page(word) for word in ("one", "two", "three")]
    wrong = [
        page("four", length=2**63),
        b"rubbish\r\n" + page("five", length=3),
        whole[0][:90],
        page("six", length=-5),
    ]
    (tmp_path / "a.warc").write_bytes(b"".join([whole[0], *wrong, *whole[1:]])[:-9])
    with ArchiveReader(str(tmp_path / "a.warc")) as reader:
        found = [(item.url, item.read(), item.location) for item in reader if isinstance(item, Record)]
    assert [url.rpartition("/")[2] for url, _, _ in found] == ["one", "four", "five", "six", "two", "three"]
    for url, block, place in found:
        done = findingaid("cached", "--file", "a.warc", "--offset", place.offset, "--raw")
        assert done.code == 0
        assert f"WARC-Target-URI: {url}\r\n" in done.out.replace("\r\n", "\n").replace("\n", "\r\n")
        assert done.out.replace("\r\n", "\n").endswith(block.decode().replace("\r\n", "\n"))


def test_a_cut_off_file_is_told_and_the_rest_is_indexed(
    findingaid: Findingaid, sample_warc: Path, tmp_path: Path
) -> None:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    content = sample_warc.read_bytes()
    (shelf / "cut.warc.gz").write_bytes(content[: len(content) // 2 + 7])
    done = findingaid("index", shelf, "--index", tmp_path / "index", "--workers", "1", "--json")
    assert done.code == 4
    totals = json.loads(done.out)
    assert totals["documents"] > 0
    assert [Path(damage["file"]).name for damage in totals["damaged"]] == ["cut.warc.gz"]
    assert set(totals["damaged"][0]) == {"file", "offset", "problem"}
    assert "cut.warc.gz" in done.err
    assert "Traceback" not in done.err


def test_a_file_that_is_no_archive_is_named_and_stands_in_the_ledger(
    findingaid: Findingaid, sample_warc: Path, tmp_path: Path
) -> None:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    shutil.copy(sample_warc, shelf)
    (shelf / "notes.txt").write_text("a shopping list\n")
    done = findingaid("index", shelf, "--index", tmp_path / "index", "--workers", "1", "--json")
    assert done.code in (0, 4)
    assert "notes.txt" in done.err
    ledger = json.loads(findingaid("ledger", "--index", tmp_path / "index", "--json").out)
    assert sorted(Path(entry["file"]).name for entry in ledger) == ["demo.warc.gz", "notes.txt"]


def test_folders_are_walked_in_order_without_hidden_files_and_circles(tmp_path: Path) -> None:
    for name in ("b/2.warc", "b/1.warc", "a.warc", ".hidden/x.warc", "b/.part.warc", "index/data"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "b/circle").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    found = command_line.archive_files([str(tmp_path), str(tmp_path / "a.warc")], str(tmp_path / "index"))
    assert [os.path.relpath(file, tmp_path) for file in found] == ["a.warc", "b/1.warc", "b/2.warc"]


def test_files_keep_the_name_they_were_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shelf").mkdir()
    (tmp_path / "shelf/.odd name.warc").write_text("")
    (tmp_path / "shelf/1.warc").write_text("")
    assert command_line.archive_files(["shelf/.odd name.warc", "shelf"]) == [
        "shelf/.odd name.warc",
        "shelf/1.warc",
    ]


def test_a_pipe_is_not_indexed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(command_line.CommandError, match="neither a file nor a folder"):
        command_line.archive_files([str(tmp_path / "pipe")])


def test_progress_on_a_terminal_is_a_bar_on_stderr(sample_warc: Path, tmp_path: Path) -> None:
    terminal, side = pty.openpty()
    written: list[bytes] = []

    def read() -> None:
        while True:
            try:
                part = os.read(terminal, 65536)
            except OSError:
                return
            written.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    arguments = command("index", sample_warc, "--index", tmp_path / "index", "--workers", "1")
    environment = clean_environment(TERM="xterm", COLUMNS="100")
    done = subprocess.run(
        arguments, stdout=subprocess.PIPE, stderr=side, env=environment, cwd=tmp_path, timeout=60
    )
    os.close(side)
    reader.join()
    os.close(terminal)
    assert done.returncode == 0
    assert b"pages/s" in b"".join(written)
    assert b"\x1b" not in done.stdout


# search


def test_search_prints_the_contract_as_json(
    findingaid: Findingaid, small_index: Path, sample_warc: Path
) -> None:
    answer = json.loads(findingaid("search", "ferry complaints", "--index", small_index, "--json").out)
    assert list(answer)[:4] == ["query", "total", "took_ms", "hits"]
    assert answer["query"] == "ferry complaints"
    assert answer["total"] == len(answer["hits"]) >= 2
    for hit in answer["hits"]:
        assert set(hit) >= HIT_KEYS
        assert len(hit["timestamp"]) == 14 and hit["file"] == str(sample_warc) and hit["length"] > 0
    news = next(hit for hit in answer["hits"] if hit["url"] == f"{ADDRESS}/news.html")
    assert (news["captures"], news["versions"]) == (2, 2)
    assert news["title"] == "News from the reading room"


def test_search_pages_through_the_hits(findingaid: Findingaid, small_index: Path) -> None:
    def urls(*options: str) -> list[str]:
        answer = json.loads(findingaid("search", "archive", "--index", small_index, "--json", *options).out)
        return [hit["url"] for hit in answer["hits"]]

    whole = urls("--limit", "6")
    assert urls("--limit", "3") + urls("--limit", "3", "--offset", "3") == whole


@pytest.mark.parametrize("query", ["目録", "опись", "فهرس", "Provenienzprinzip", "fonds"])
def test_search_in_each_language_of_the_demo(findingaid: Findingaid, small_index: Path, query: str) -> None:
    assert json.loads(findingaid("search", query, "--index", small_index, "--json").out)["total"] >= 1


def test_search_explains_its_scores(findingaid: Findingaid, small_index: Path) -> None:
    from indexer.search.models import MODELS
    from search_commands import MODELS as named

    assert named == MODELS
    done = findingaid("search", "finding aid", "--index", small_index, "--limit", "1", "--explain")
    lines = done.out.splitlines()
    start = next(number for number, line in enumerate(lines) if line.endswith("score (bm25f)"))
    figures = [float(line[:15]) for line in lines[start:] if line[:15].strip()]
    assert len(figures) > 3 and abs(figures[0] - sum(figures[1:])) < 0.001
    assert any(" title: 1 * boost 3" in line for line in lines) and "near each other: finding aid" in done.out
    done = findingaid(
        "search", "finding aid", "--index", small_index, "--explain", "--model", "fuzzy", "--json"
    )
    for hit in json.loads(done.out)["hits"]:
        explanation = hit["explanation"]
        assert (explanation["model"], explanation["score"], explanation["whole"]) == (
            "fuzzy",
            *[hit["score"]] * 2,
        )


def test_search_for_people_shows_title_address_date_and_place(
    findingaid: Findingaid, small_index: Path, sample_warc: Path
) -> None:
    done = findingaid("search", "glossary", "--index", small_index, "--limit", "1")
    assert "  1. Glossary\n" in done.out
    assert f"{ADDRESS}/glossary.html  " in done.out and " 2023" in done.out or " 2024" in done.out
    assert f"{sample_warc} at byte " in done.out
    assert "found in" in done.err and "\x1b" not in done.out


def test_colour_is_used_when_it_is_asked_for(findingaid: Findingaid, small_index: Path) -> None:
    done = findingaid("search", "glossary", "--index", small_index, NO_COLOR="", FORCE_COLOR="1")
    assert "\x1b[1m" in done.out


def test_nothing_found_is_no_failure(findingaid: Findingaid, small_index: Path) -> None:
    done = findingaid("search", "qqqqqqqqq", "--index", small_index)
    assert (done.code, done.out) == (0, "")
    assert "nothing found" in done.err


def test_search_without_an_index_says_where_it_looked(findingaid: Findingaid, tmp_path: Path) -> None:
    done = findingaid("search", "word", "--index", "absent")
    assert done.code == 1
    assert "absent" in one_line(done)


def test_a_reader_that_stops_early_makes_no_noise(small_index: Path, tmp_path: Path) -> None:
    arguments = " ".join(command("search", "archive", "--index", small_index))
    done = subprocess.run(
        ["bash", "-c", f"{arguments} | head -c 1"], cwd=tmp_path, capture_output=True, env=clean_environment()
    )
    assert b"Traceback" not in done.stderr and b"Broken" not in done.stderr


def test_archived_text_cannot_steer_the_terminal() -> None:
    assert command_line.clean("a\x1b[31mb\x07\x9b2Jc\u202ed\n\te") == "a [31mb 2Jc d e"


def test_any_word_will_do_when_the_settings_say_so(findingaid: Findingaid, small_index: Path) -> None:
    def total(query: str, operator: str) -> int:
        set_to = f"search.operator={operator}"
        done = findingaid("search", query, "--index", small_index, "--json", "--set", set_to)
        return int(json.loads(done.out)["total"])

    assert total("ferry complaints", "and") == total("ferry AND complaints", "or")
    assert (
        total("ferry complaints", "or")
        == total("ferry OR complaints", "and")
        > total("ferry complaints", "and")
    )


# evaluate


@pytest.fixture
def judged(tmp_path: Path) -> tuple[str, str]:
    """Topics and judgements on the demo archive: of the first topic one page of two is named, one is not found."""
    (tmp_path / "topics.tsv").write_text("1\tThe news\n2\theron\n3\tferry\n")
    (tmp_path / "qrels.txt").write_text("1 0 news.html 2\n1 0 gone.html 1\n3 0 news.html 0\n")
    return "topics.tsv", "qrels.txt"


def test_evaluate_as_json(
    findingaid: Findingaid, small_index: Path, judged: tuple[str, str], tmp_path: Path
) -> None:
    options = ("--index", small_index, "--id-prefix", f"{ADDRESS}/", "--run", "run.txt", "--json")
    answer = json.loads(findingaid("evaluate", *judged, *options, "--compare", "search.k1=1.2").out)
    assert set(answer["topics"]) == {"1", "3"} and answer["without_judgements"] == ["2"]
    assert answer["topics"]["1"]["recall"] == 0.5 and answer["topics"]["3"]["recall"] == 0
    assert answer["mean"]["map"] == answer["mean"]["average_precision"] > 0
    compared = answer["compare"]["measures"]["ndcg@10"]
    assert compared["first"] == answer["mean"]["ndcg@10"] and 0 < compared["p_value"] <= 1
    rows = [line.split() for line in (tmp_path / "run.txt").read_text().splitlines()]
    assert {row[0] for row in rows} <= {"1", "2", "3"} and all(len(row) == 6 for row in rows)
    assert "news.html" in [row[2] for row in rows if row[0] == "1"]
    scores = [float(row[4]) for row in rows if row[0] == "3"]
    assert scores == sorted(scores, reverse=True)


def test_evaluate_prints_means_and_topics(
    findingaid: Findingaid, small_index: Path, judged: tuple[str, str]
) -> None:
    options = (
        "--index",
        small_index,
        "--id-prefix",
        f"{ADDRESS}/",
        "--per-topic",
        "--compare",
        "search.k1=9",
    )
    done = findingaid("evaluate", *judged, *options)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].startswith("topic\tprecision\trecall") and lines[1].startswith("1\t")
    assert lines[3].startswith("mean of 2 topics") and "search.k1=9" in lines[3]
    assert [line.split()[0] for line in lines[4:]][-3:] == ["p@20", "ndcg@3", "ndcg@10"]


def test_evaluate_tells_what_is_wrong(
    findingaid: Findingaid, small_index: Path, judged: tuple[str, str]
) -> None:
    done = findingaid("evaluate", *judged, "--index", small_index)
    assert done.code == 0 and "(see: --id-prefix)" in done.err and ADDRESS in done.err
    done = findingaid("evaluate", judged[1], judged[0], "--index", small_index)
    assert done.code == 1 and "qrels.txt: line 1: expected the number of a topic, TAB" in one_line(done)
    assert findingaid("evaluate", "none.txt", judged[1], "--index", small_index).code == 1
    wrong = findingaid("evaluate", *judged, "--index", small_index, "--compare", "server.port=1")
    assert wrong.code == 2 and "expected search.KEY=VALUE" in one_line(wrong)
    wrong = findingaid("evaluate", *judged, "--index", small_index, "--compare", "search.k1=-1")
    assert wrong.code == 3 and "search.k1" in one_line(wrong)


# cached


def test_links_tells_who_points_to_a_page_and_where_it_points(
    findingaid: Callable[..., Run], small_index: Path
) -> None:
    told = json.loads(findingaid("links", f"{ADDRESS}/glossary.html", "--index", small_index, "--json").out)
    assert told["total_links_in"] == len(told["links_in"]) > 0
    assert all(link["is_archived"] and link["url"].startswith(ADDRESS) for link in told["links_in"])
    lines = findingaid(
        "links", f"{ADDRESS}/glossary.html", "--index", small_index, "--limit", 1
    ).out.splitlines()
    assert "here" in lines[0] and lines[1].startswith(f"  {told['links_in'][0]['url']}  ")
    nothing = findingaid("links", "http://nowhere.example/", "--index", small_index)
    assert nothing.out.startswith("0 pages link here") and "nothing links to it" in nothing.err


def test_cached_writes_the_page_that_was_stored(findingaid: Findingaid, small_index: Path) -> None:
    done = findingaid("cached", f"{ADDRESS}/ja/kensaku.html", "--index", small_index)
    page = next(file for file in site_files() if file.path == "/ja/kensaku.html")
    assert (done.code, done.out, done.err) == (0, page.content.decode(), "")


def test_cached_takes_the_capture_closest_to_a_time(findingaid: Findingaid, small_index: Path) -> None:
    def page(*options: str) -> str:
        return findingaid("cached", f"{ADDRESS}/news.html", "--index", small_index, *options).out

    assert "have arrived" in page("--at", "2023")
    assert "can be read" in page("--at", "20240902153000")
    assert "can be read" in page()


def test_cached_raw_writes_the_record_as_stored(findingaid: Findingaid, small_index: Path) -> None:
    done = findingaid("cached", f"{ADDRESS}/glossary.html", "--index", small_index, "--at", "2023", "--raw")
    assert done.out.startswith("WARC/1.1\r\n")
    head, http, body = done.out.split("\r\n\r\n", 2)
    assert f"WARC-Target-URI: {ADDRESS}/glossary.html" in head
    assert http.startswith("HTTP/1.1 200 OK")
    assert body.startswith("<!doctype html>")


def test_cached_by_place_needs_no_index(findingaid: Findingaid, small_index: Path, sample_warc: Path) -> None:
    answer = json.loads(findingaid("search", "glossary", "--index", small_index, "--json").out)
    hit = answer["hits"][0]
    by_place = findingaid("cached", "--file", hit["file"], "--offset", hit["offset"])
    assert by_place.code == 0
    assert by_place.out == findingaid("cached", hit["url"], "--index", small_index).out


def test_cached_by_place_tells_records_of_one_member_apart(findingaid: Findingaid, tmp_path: Path) -> None:
    pages = [("http://h.example/a", "alpha"), ("http://h.example/b", "beta")]
    records = b"".join(gzip.decompress(response(url, f"<title>{word}</title>")) for url, word in pages)
    whole = tmp_path / "whole.warc.gz"
    whole.write_bytes(gzip.compress(records))
    findingaid("index", whole, "--index", tmp_path / "ix")
    for _, word in pages:
        hit = json.loads(findingaid("search", word, "--index", tmp_path / "ix", "--json").out)["hits"][0]
        place = ("--file", hit["file"], "--offset", hit["offset"], "--inner", hit["inner"])
        assert f"<title>{word}</title>" in findingaid("cached", *place).out


def test_cached_refuses_an_offset_between_records(findingaid: Findingaid, sample_warc: Path) -> None:
    done = findingaid("cached", "--file", sample_warc, "--offset", 3)
    assert done.code == 1
    assert "record at byte 3" in one_line(done)


def test_cached_says_what_is_not_archived(findingaid: Findingaid, small_index: Path) -> None:
    done = findingaid("cached", "http://nowhere.example/", "--index", small_index)
    assert done.code == 1
    assert "http://nowhere.example/: not archived here" in one_line(done)


def test_cached_says_that_an_address_begins_with_its_scheme(
    findingaid: Findingaid, small_index: Path
) -> None:
    done = findingaid("cached", "nowhere.example/a", "--index", small_index)
    assert done.code == 1
    assert "an address begins with its scheme: http://nowhere.example/a" in one_line(done)


def test_without_a_command_the_help_keeps_its_lines(findingaid: Findingaid) -> None:
    for arguments in ((), ("crawl",)):
        done = findingaid(*arguments)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("Usage: findingaid")
        assert "\nCommands:\n" in done.err


@pytest.mark.parametrize(
    "arguments",
    [(), ("http://a.example/", "--file", "x"), ("--file", "x"), ("http://a.example/", "--at", "May")],
)
def test_cached_with_half_a_question_is_misuse(findingaid: Findingaid, arguments: tuple[str, ...]) -> None:
    done = findingaid("cached", *arguments)
    assert done.code == 2
    one_line(done)


# serve


def served(tmp_path: Path, *arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command("serve", *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=tmp_path, env=clean_environment(),
    )  # fmt: skip


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_prints_its_address_answers_and_ends_cleanly(
    small_index: Path, tmp_path: Path, number: signal.Signals
) -> None:
    server = served(tmp_path, "--index", small_index, "--port", "0")
    try:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        with urllib.request.urlopen(f"{address}search?q=glossary&format=json", timeout=20) as answer:
            assert json.load(answer)["total"] >= 1
    finally:
        err = stop(server, number)
    assert server.returncode == 0
    assert "Traceback" not in err


def test_a_port_that_is_taken_is_one_line(small_index: Path, findingaid: Findingaid, site: str) -> None:
    port = site.rpartition(":")[2]
    done = findingaid("serve", "--index", small_index, "--port", port)
    assert done.code == 1
    assert f"127.0.0.1:{port}: another program already listens there" in one_line(done)


def test_serve_lets_nobody_in_from_outside_unasked(small_index: Path, findingaid: Findingaid) -> None:
    done = findingaid("serve", "--index", small_index, "--host", "0.0.0.0", "--port", "0")
    assert done.code == 3
    assert "server.host: 0.0.0.0 lets other machines in" in one_line(done)


def test_serve_of_an_index_that_is_not_there(findingaid: Findingaid) -> None:
    done = findingaid("serve", "--index", "absent", "--port", "0")
    assert done.code == 1
    assert "absent: there is no index" in one_line(done)


# ledger and check


def test_the_sums_of_the_ledger_agree(findingaid: Findingaid, small_index: Path) -> None:
    (entry,) = json.loads(findingaid("ledger", "--index", small_index, "--json").out)
    assert set(entry) == {
        "file", "status", "format", "records", "captures", "documents", "skipped", "damaged",
    }  # fmt: skip
    assert entry["records"] == entry["captures"] + sum(entry["skipped"].values())
    done = findingaid("ledger", "--index", small_index)
    assert f"{entry['records']} records = {entry['captures']} captures + " in done.out


def test_check_finds_a_sound_index_sound(findingaid: Findingaid, small_index: Path) -> None:
    done = findingaid("check", "--index", small_index)
    assert (done.code, done.err) == (0, "")
    assert "sound" in done.out
    assert json.loads(findingaid("check", "--index", small_index, "--json").out)["problems"] == []


def test_check_finds_a_byte_that_changed(findingaid: Findingaid, indexed: Path) -> None:
    biggest = max(
        (file for file in indexed.rglob("*") if file.is_file() and "sqlite" not in file.name),
        key=lambda file: file.stat().st_size,
    )
    content = bytearray(biggest.read_bytes())
    content[len(content) // 2] ^= 0xFF
    biggest.write_bytes(content)
    done = findingaid("check", "--index", indexed)
    assert done.code == 1
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "arguments", [("search", "word"), ("ledger",), ("check",), ("cached", "http://a.example/")]
)
def test_an_index_whose_files_hold_something_else_is_one_line(
    findingaid: Findingaid, indexed: Path, arguments: tuple[str, ...]
) -> None:
    for file in indexed.rglob("*"):
        if file.is_file():
            file.write_bytes(b"This is not what was written here. " * 100)
    done = findingaid(*arguments, "--index", indexed)
    assert done.code == 1
    assert str(indexed) in one_line(done)


def test_a_second_writer_is_turned_away(findingaid: Findingaid, indexed: Path, sample_warc: Path) -> None:
    from indexer.store.lock import writer_lock

    with writer_lock(str(indexed)):
        done = findingaid("index", sample_warc, "--index", indexed)
        assert done.code == 7
        one_line(done)
        assert findingaid("search", "ferry", "--index", indexed).code == 0


def test_a_folder_that_cannot_be_written_is_one_line(
    findingaid: Findingaid, sample_warc: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    done = findingaid("index", sample_warc, "--index", tmp_path / "file/index")
    assert done.code == 1
    one_line(done)


# settings


def test_settings_tells_where_each_value_comes_from(findingaid: Findingaid, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("[server]\nthreads = 2\n")
    done = findingaid("settings", "--set", "server.host=::1", FINDINGAID_SERVER__PORT="9")
    lines = done.out.splitlines()
    assert 'server.host = "::1"  (option)' in lines
    assert "server.port = 9  (environment)" in lines
    assert "server.threads = 2  (file)" in lines
    assert "crawl.delay_s = 1.0 s  (default)" in lines
    assert len(lines) == len(describe_settings())


def test_settings_as_json(findingaid: Findingaid) -> None:
    listed = json.loads(findingaid("settings", "--json").out)
    assert [item["key"] for item in listed] == [info.key for info in describe_settings()]
    assert listed[0]["value"] == "jobs/" and listed[0]["origin"] == "default"


def test_settings_can_write_the_template(findingaid: Findingaid) -> None:
    assert findingaid("settings", "--template").out == settings_template()


def test_a_wrong_setting_stops_every_command_with_exit_code_3(findingaid: Findingaid, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("[search]\nk2 = 1\n")
    done = findingaid("search", "word")
    assert done.code == 3
    assert (
        "settings.toml: search.k2: there is no such setting; allowed: operator, model, k1, slope, idf"
        in one_line(done)
    )


def test_a_wrong_option_is_misuse(findingaid: Findingaid) -> None:
    assert findingaid("search", "word", "--limit", "-1").code == 2
    assert findingaid("nonsense").code == 2
    assert findingaid("search", "word", "--set", "search.k1").code == 2


# What no command can foresee, and what all do


@pytest.mark.parametrize(
    "raised, code, said",
    [
        (OSError(errno.ENOSPC, "No space left on device", "x/segment"), 6, "No space left"),
        (PermissionError(errno.EACCES, "Permission denied", "x"), 1, "Permission denied"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (ZeroDivisionError("division by zero"), 1, "unexpected ZeroDivisionError"),
    ],
)
def test_each_kind_of_failure_has_its_exit_code(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    raised: Any,
    code: int,
    said: str,
) -> None:
    def fail(*arguments: object) -> list[str]:
        raise raised

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(index_commands, "archive_files", fail)
    with pytest.raises(SystemExit) as ended:
        app.main(["index", "."])
    assert ended.value.code == code
    error = capsys.readouterr().err
    assert said in error and len(error.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "name, code", [("DiskFullError", 6), ("WriterLockedError", 7), ("IndexCorruptError", 1)]
)
def test_each_error_of_the_index_has_its_exit_code(name: str, code: int) -> None:
    import indexer

    assert app._exit_code(getattr(indexer, name)("index: something")) == code


def test_the_debug_flag_shows_the_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        app.main(["index", "absent", "--set", "archive.debug_flag=true"])
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("moment_s", [0.1, 0.7])
def test_ctrl_c_while_indexing_leaves_a_usable_index(
    findingaid: Findingaid, sample_warc: Path, tmp_path: Path, moment_s: float
) -> None:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    content = sample_warc.read_bytes()
    for number in range(200):
        (shelf / f"{number:03}.warc.gz").write_bytes(content)
    arguments = command("index", shelf, "--index", tmp_path / "index", "--workers", "1")
    run = subprocess.Popen(
        arguments, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=clean_environment()
    )
    while not (tmp_path / "index").exists() and run.poll() is None:
        time.sleep(0.05)
    time.sleep(moment_s)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=60)
    assert "Traceback" not in err
    if run.returncode == 0:
        pytest.skip("the run was done before the signal came")
    assert run.returncode == 130
    assert findingaid("index", shelf / "000.warc.gz", "--index", tmp_path / "index").code == 0
    assert findingaid("check", "--index", tmp_path / "index").code == 0


@pytest.mark.parametrize("name", sorted(app.commands.commands))
def test_each_command_explains_itself_with_an_example(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit) as ended:
        app.main([name, "--help"])
    assert ended.value.code == 0
    assert f"\n  findingaid {name}" in capsys.readouterr().out


def test_a_command_imports_only_what_it_needs(repository: Path, tmp_path: Path) -> None:
    program = (
        "import sys, app\n"
        "try: app.main(['settings'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'flask', 'numpy', 'rich', 'lxml', 'certifi', 'tomlkit'} & set(sys.modules)), file=sys.stderr)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=repository,
        env=clean_environment(),
    )
    assert run.stderr.splitlines()[-1] == "[]"


# demo


def test_the_demo_crawls_its_site_twice_and_indexes_it(findingaid: Findingaid, tmp_path: Path) -> None:
    done = findingaid("demo", "--no-serve")
    assert done.code == 0, done.err
    archives = sorted((tmp_path / "jobs/demo/Arcs").iterdir())
    assert len(archives) == 2 and all(path.name.endswith(".warc.gz") for path in archives)
    answer = json.loads(findingaid("search", "ferry", "--job", "demo", "--json").out)
    changed = [hit for hit in answer["hits"] if hit["versions"] == 2]
    assert answer["total"] >= 2 and [hit["captures"] for hit in changed] == [2]
    assert findingaid("demo", "--no-serve").code == 0
    assert sorted((tmp_path / "jobs/demo/Arcs").iterdir()) == archives, "crawled again"


def test_the_demo_serves_itself_and_prints_the_address(tmp_path: Path) -> None:
    run = subprocess.Popen(
        command("demo", "--port", "0"),
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=clean_environment(),
    )
    try:
        assert run.stdout is not None
        address = run.stdout.readline().strip()
        with urllib.request.urlopen(f"{address}search?q=ferry", timeout=20) as answer:
            assert b"ferry" in answer.read()
    finally:
        stop(run)


def test_the_wsgi_entry_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delattr(app, "application", raising=False)
    answer = app.application.test_client().get("/healthz", base_url="http://127.0.0.1:8080")
    assert answer.status_code == 200


def test_remove_asks_lists_and_undoes(
    findingaid: Callable[..., Run], sample_warc: Path, tmp_path: Path
) -> None:
    index = tmp_path / "ix"
    assert findingaid("index", sample_warc, "--index", index).code == 0
    url = json.loads(findingaid("search", "the OR a", "--json", "--index", index).out)["hits"][0]["url"]
    refused = findingaid("remove", url, "--index", index)
    assert refused.code == 2 and "--yes" in refused.err
    done = findingaid("remove", url, "--index", index, "--yes", "--reason", "a request", "--json")
    [line] = json.loads(done.out)
    assert done.code == 0 and line["target"] == url and line["reason"] == "a request" and line["captures"] > 0
    assert findingaid("cached", url, "--index", index).code == 1
    assert "a request" in findingaid("ledger", "--index", index).out
    assert json.loads(findingaid("remove", "--list", "--json", "--index", index).out) == [line]
    optimized = json.loads(findingaid("optimize", "--index", index, "--json").out)
    assert optimized["segments"] == 1 and optimized["dropped_versions"] >= 1
    assert findingaid("remove", "--undo", url, "--index", index).code == 0
    assert findingaid("index", sample_warc, "--index", index).code == 0
    assert findingaid("cached", url, "--index", index).code == 0
    assert findingaid("remove", url, "--site", "x", "--index", index).code == 2
    assert findingaid("remove", "http://nowhere.example/", "--index", index).code == 1


def test_words_of_a_query_need_no_quotes(findingaid: Callable[..., Run], small_index: Path) -> None:
    apart = findingaid("search", "the", "archive", "--index", small_index, "--json")
    together = findingaid("search", "the archive", "--index", small_index, "--json")
    assert apart.code == 0
    assert json.loads(apart.out)["query"] == "the archive"
    assert json.loads(apart.out)["total"] == json.loads(together.out)["total"]


def test_a_readme_beside_the_archives_is_no_damage_and_a_vanished_archive_is_a_warning(
    findingaid: Callable[..., Run], sample_warc: Path, tmp_path: Path
) -> None:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    copy = shutil.copy(sample_warc, shelf)
    (shelf / "README").write_text("Crawls.")
    done = findingaid("index", "shelf", "--index", "ix")
    assert done.code == 0 and "README: is no archive; passed over" in done.err
    assert findingaid("index", "shelf/README", "--index", "ix").code == 4
    assert "README" in findingaid("ledger", "--damaged", "--index", "ix").out
    assert Path(copy).name not in findingaid("ledger", "--damaged", "--index", "ix").out
    Path(copy).rename(tmp_path / "elsewhere.warc.gz")
    checked = findingaid("check", "--index", "ix")
    assert checked.code == 0 and "not there any more" in checked.err
    gone = findingaid("index", "shelf", "--index", "ix")
    assert "is gone from there" in gone.err


def test_several_jobs_are_searched_as_one(
    findingaid: Callable[..., Run], sample_warc: Path, tmp_path: Path
) -> None:
    for job in ("01", "02"):
        archives = tmp_path / "jobs" / job / "Arcs"
        archives.mkdir(parents=True)
        shutil.copy(sample_warc, archives / f"{job}.warc.gz")
        assert findingaid("index", "--job", job).code == 0
    one = json.loads(findingaid("search", "the", "OR", "a", "--job", "01", "--json").out)
    for jobs in ("01,02", "*"):
        both = json.loads(findingaid("search", "the", "OR", "a", "--job", jobs, "--json").out)
        assert both["total"] == one["total"]
        assert [hit["url"] for hit in both["hits"]] == [hit["url"] for hit in one["hits"]]
        assert both["hits"][0]["captures"] == 2 * one["hits"][0]["captures"]
        assert len(json.loads(findingaid("ledger", "--job", jobs, "--json").out)) == 2
        assert findingaid("check", "--job", jobs).code == 0
    refused = findingaid("index", "--job", "01,02")
    assert refused.code == 3 and "--job ID" in refused.err and refused.err.count("\n") == 1
    assert findingaid("search", "x", "--job", "01,../02").code == 3
    url = one["hits"][0]["url"]
    assert len(json.loads(findingaid("remove", url, "--yes", "--job", "*", "--json").out)) == 2
    assert findingaid("cached", url, "--job", "*").code == 1
