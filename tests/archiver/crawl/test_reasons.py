"""Every reason that a crawl gives is in the one list, with a text for readers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from archiver.crawl import crawl_status
from archiver.crawl.job import LOG_FILE
from archiver.crawl.reasons import FINISH_REASONS, Reason, reason_text
from archiver.crawl.statefile import StateFile
from tests.archiver.crawl.site import answer, page, redirect
from webui.words import CRAWL_WORDS


def test_words_are_one_word_each_and_texts_are_never_empty() -> None:
    assert all(reason.text and reason_text(reason) == reason.text for reason in Reason)
    assert all(" " not in reason for reason in Reason if reason is not Reason.ASKED_TO), (
        "the log parts fields by blanks"
    )
    assert set(FINISH_REASONS) < set(Reason)
    assert reason_text("of another version") == "of another version"
    assert {str(reason): reason.text for reason in Reason}.items() <= CRAWL_WORDS.items()


@pytest.fixture
def left_out(crawl_of: Any) -> Any:
    """A crawl that leaves something out for many reasons."""
    routes: dict[str, Any] = {
        "/robots.txt": answer("User-agent: *\nDisallow: /closed\n", "text/plain"),
        "/": page("Start", ["/noindex", "/noarchive", "/closed", "/a/a/a/a/a/", "/not.pdf", "/far", "/loop0", "/off",
                            "http://other.test/", "http://10.0.0.1/"], text="walrus"),
        "/noindex": page("x", head='<meta name="robots" content="noindex">', text="walrus"),
        "/noarchive": page("x", head='<meta name="robots" content="noarchive">', text="walrus"),
        "/far": page("x", ["/farther"], text="walrus"),
        "/off": page("x", text="something else"),
        **{f"/loop{n}": redirect(f"/loop{n + 1}") for n in range(12)},
    }  # fmt: skip
    crawl = crawl_of({"walrus.test": routes})
    crawl.run(depth=1, exclude=[r"\.pdf$"], topic="walrus", order="bfs")
    return crawl


def test_state_log_and_json_hold_words_of_the_list_alone(left_out: Any) -> None:
    file = StateFile(left_out.job().state_path, read_only=True)
    reasons = {
        reason for (reason,) in file.execute("SELECT DISTINCT reason FROM urls WHERE reason IS NOT NULL")
    }
    file.close()
    assert reasons <= set(Reason) and len(reasons) > 5, reasons
    status = crawl_status(left_out.folder)
    told = {*status["skipped"], *status["failures"], *status.get("cut", {}), status["reason"]}
    assert told <= set(Reason) and {*left_out.result.skipped, left_out.result.reason} <= set(Reason)
    assert json.loads(json.dumps(left_out.result.as_json()))["reason"] == "done"
    with open(f"{left_out.folder}/{LOG_FILE}") as log:
        notes = {line.split(" ", 7)[6] for line in log}
    assert notes - {"-"} <= set(Reason) and {"noindex", "off-topic"} <= notes
