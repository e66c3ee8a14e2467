"""What takes much is done a little at a time; who finds no place is told so at once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from flask import Flask

from indexer.store.recent import Recent
from tests.webui.archive_text import page, response, write_archive
from tests.webui.fake_index import FakeIndex, client_for
from webui import create_app
from webui.errors import BusyError
from webui.limits import LargePages, Slots, add_limits, done_with_page, takes_much
from webui.processes import threads_of_each
from webui.settings import Settings
from webui.stored import read_stored

LARGE = LargePages.LARGE_BYTES + 1


def test_a_place_is_given_back_once() -> None:
    slots = Slots(1, "things")
    with slots.take() as place:
        with pytest.raises(BusyError, match="too many things at once"):
            slots.take()
        place.give_back()
    kept = slots.take().pass_on()
    with pytest.raises(BusyError):
        slots.take()
    kept.give_back()
    kept.give_back()
    slots.take()
    with pytest.raises(BusyError):
        slots.take()


def test_large_pages_leave_a_thread_of_each_process_to_others(settings: Settings) -> None:
    assert [threads_of_each(4, number) for number in (1, 2, 3)] == [4, 3, 3]
    large_pages = create_app(settings, processes=2).extensions["findingaid.large_pages"]
    assert large_pages.most_waiting == 2


@pytest.fixture
def app() -> Flask:
    app = Flask(__name__)
    add_limits(app, threads=2)
    return app


def test_a_request_keeps_other_large_pages_out_until_it_is_answered(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LargePages, "LONGEST_WAIT_S", 0.01)
    inside, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        with app.test_request_context():
            takes_much(LARGE)
            takes_much(LARGE)  # once is enough for a request
            inside.set()
            go_on.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    assert inside.wait(30)
    with app.test_request_context():
        takes_much(LARGE - 1)  # small ones are not held up
        with pytest.raises(BusyError):
            takes_much(LARGE)
    go_on.set()
    thread.join()
    for _ in range(3):
        with app.test_request_context():
            takes_much(LARGE)
            done_with_page()
            takes_much(LARGE)


def test_outside_of_a_request_nothing_is_limited() -> None:
    takes_much(LARGE)
    done_with_page()


def test_a_large_page_is_answered_or_told_to_be_asked_for_later(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = write_archive(
        tmp_path / "big.warc.gz",
        response("http://site.example/", page("Big", "<a href=/x>word</a> " * 30_000)),
    )
    client = client_for(settings, archive)
    views = (
        "web/2015mp_",
        "cached/2015;view=text",
        "cached/2015;view=details",
        "cached/2015;q=word;view=text",
    )
    addresses = [f"/{view}/http://site.example/" for view in views]
    for address in addresses:
        assert client.get(address).status_code == 200, address

    def refuse(self: LargePages) -> None:
        raise BusyError("large pages")

    monkeypatch.setattr(LargePages, "enter", refuse)
    monkeypatch.setattr("webui.rewritten._kept", Recent(0))
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 503 and answer.headers["Retry-After"] == "5", address
    assert client.get("/web/2015id_/http://site.example/").status_code == 200  # as it lies it costs little


@pytest.mark.parametrize("size", [(4 << 20) - 2, 4 << 20, (4 << 20) + 2])
def test_of_a_text_file_no_more_is_read_than_is_shown(settings: Settings, tmp_path: Path, size: int) -> None:
    """A text file of 60 MB, compared with itself, took 240 MB."""
    archive = write_archive(
        tmp_path / "t.warc.gz", response("http://site.example/t", b"a " * (size // 2), "text/plain")
    )
    index = FakeIndex([archive])
    capture = index.captures("http://site.example/t")[0]
    start = read_stored(index, capture, for_text=True)  # type: ignore[arg-type]
    whole = read_stored(index, capture)  # type: ignore[arg-type]
    assert start is not None and whole is not None
    assert len(whole.body) == size // 2 * 2 and start.body == whole.body[: 4 << 20]
