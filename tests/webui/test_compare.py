"""Two captures of one page beside each other, and the first capture with a phrase."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from indexer.text.analysis import words_of
from tests.webui.archive_text import PNG, page, response, write_archive
from tests.webui.fake_index import client_for
from webui import compare
from webui.settings import Settings

URL = "http://site.example/a"


@pytest.fixture
def client(settings: Settings, tmp_path: Path) -> FlaskClient:
    """Four captures of a page in three versions, and a picture."""
    versions = [
        ("2015", "<p>A wombat at dawn.</p><p>Same as ever.</p><a href=/old>old</a><a href=/kept>kept</a>"),
        ("2016", "<p>A heron at dawn &lt;script&gt;.</p><p>Same as ever.</p><a href=/kept>k</a>"),
        ("2017", "<p>A heron at dawn &lt;script&gt;.</p><p>Same as ever.</p><a href=/kept>k</a>"),
        ("2018", "<p>A wombat at dusk.</p><p>Same as ever.</p><a href=/new>new</a><a href=/kept>kept</a>"),
    ]
    records = [response(URL, page("T", body), date=f"{year}-05-03T14:02:11Z") for year, body in versions]
    picture = response("http://site.example/p.png", PNG, "image/png")
    return client_for(settings, write_archive(tmp_path / "c.warc.gz", *records, picture))


def test_words_and_links_that_came_and_went(client: FlaskClient) -> None:
    html = client.get("/compare", query_string={"url": URL, "a": "2015", "b": "2016"}).text
    assert "<del>wombat</del><ins>heron</ins>" in html
    assert "Same as ever." in html
    assert ">http://site.example/old</bdi>" in html and ">http://site.example/kept</bdi>" not in html
    assert "&lt;script&gt;" in html


def test_side_by_side_has_each_text_in_its_column(client: FlaskClient) -> None:
    html = client.get("/compare", query_string={"url": URL, "a": "2015", "b": "2018", "view": "side"}).text
    assert "A wombat at <del>dawn</del>.</td>" in html and "A wombat at <ins>dusk</ins>.</td>" in html


def test_without_choices_the_first_and_the_last_are_compared_oldest_first(client: FlaskClient) -> None:
    html = client.get("/compare", query_string={"url": URL}).text
    assert "<del>dawn</del><ins>dusk</ins>" in html
    assert html.count("<option") == 10 and html.count(" selected") == 3
    turned = client.get("/compare", query_string={"url": URL, "a": "2018", "b": "2015"}).text
    assert turned.partition("<footer")[0] == html.partition("<footer")[0]


def test_the_first_capture_with_a_phrase(client: FlaskClient) -> None:
    html = client.get("/compare", query_string={"url": URL, "phrase": "Heron at  DAWN"}).text
    assert "First seen in the capture of" in html and "3 May 2016" in html
    assert "in 1 of 3 versions" in html
    again = client.get("/compare", query_string={"url": URL, "phrase": "wombat"}).text
    assert again.count(": appears") == 2 and again.count(": is gone") == 1
    assert (
        "In none of the 3 versions"
        in client.get("/compare", query_string={"url": URL, "phrase": "at heron"}).text
    )


def test_what_cannot_be_compared_is_said(client: FlaskClient) -> None:
    assert client.get("/compare").status_code == 200
    assert client.get("/compare?url=http://nowhere.example/").status_code == 404
    assert client.get("/compare", query_string={"url": URL, "view": "x"}).status_code == 400
    assert client.get("/compare", query_string={"url": URL, "a": "last"}).status_code == 400
    html = client.get("/compare?url=http://site.example/p.png").text
    assert "no text that can be read" in html


@given(
    st.lists(st.sampled_from(["a", "heron", "at", "漢字", "é", "x" * 9, "\n", "."]), max_size=40), st.data()
)
def test_a_phrase_is_found_in_pieces_of_a_text_as_in_the_whole(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    phrase = data.draw(st.lists(st.sampled_from(["a", "heron", "漢字", "é", "b"]), max_size=3))
    wanted = words_of(" ".join(phrase))
    whole = f" {' '.join(words_of(text))} "
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compare, "_PIECE_CHARS", 10)
        assert compare._holds(text, wanted) == (bool(wanted) and f" {' '.join(wanted)} " in whole)


@pytest.mark.parametrize("lines", [compare.MAX_LINES - 1, compare.MAX_LINES, compare.MAX_LINES + 1])
def test_so_many_lines_are_compared(settings: Settings, tmp_path: Path, lines: int) -> None:
    """Each takes some hundred bytes: 250,000 of one letter each took 360 MB."""
    number = lines - 2  # the title is a line, and there is one behind the last paragraph
    archive = write_archive(
        tmp_path / "lines.warc.gz",
        response(URL, page("", "<p>x" * number), date="2015-01-01T00:00:00Z"),
        response(URL, page("", "<p>y" * number), date="2016-01-01T00:00:00Z"),
    )
    found = client_for(settings, archive).get(f"/compare.json?url={URL}").json
    assert found["gone_words"] == found["new_words"] == min(number, compare.MAX_LINES - 1)
    assert found["a"]["is_cut"] == found["b"]["is_cut"] == (lines > compare.MAX_LINES)
