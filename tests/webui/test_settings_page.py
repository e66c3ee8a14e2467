"""The settings page: what it shows, what it saves, what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.webui.archive_text import page, response, write_archive
from tests.webui.fake_index import FakeOpener
from webui import create_app
from webui.settings import Settings, load_settings
from webui.settings_file import settings_hash
from webui.settings_page import as_text

DEFAULTS = load_settings(None, {}, {})
K1, TITLE = (as_text(DEFAULTS.value(key)) for key in ("search.k1", "search.boost.title"))


def form_of(client: FlaskClient) -> dict[str, str]:
    """Return the form as a browser would send it back unchanged."""
    html = client.get("/settings").text.partition('id="server"')[2]
    values = dict(re.findall(r'<input id="[^"]*" name="([^"]*)" value="([^"]*)"', html))
    for name, options in re.findall(r'<select id="[^"]*" name="([^"]*)".*?>(.*?)</select>', html, re.DOTALL):
        values[name] = re.findall(r"<option selected>([^<]*)", options)[0]
    values["hash"] = re.findall(r'name="hash" value="([^"]*)"', html)[0]
    return values


@pytest.mark.parametrize("saved", ["\u00b2", "\u0663", "-1", "x", "9" * 40])
def test_the_note_of_what_was_saved_takes_any_text(client: FlaskClient, saved: str) -> None:
    assert client.get("/settings", query_string={"saved": saved}).status_code == 200


def test_all_archive_and_ranking_settings_are_shown_with_their_source(client: FlaskClient) -> None:
    fields = form_of(client)
    for key in ("jobs_path", "job_id", "arcs_dir", "index_dir", "index_name", "debug_flag"):
        assert f"archive.{key}" in fields
    for key in ("search.k1", "search.boost.title", "search.b.body"):
        assert fields[key] == as_text(DEFAULTS.value(key))
    html = client.get("/settings").text
    assert "From: settings file" in html and 'name="server.port"' not in html and ">8080</output>" in html


def test_a_change_keeps_the_comments_and_is_in_force_at_once(settings: Settings, archive: Path) -> None:
    opener = FakeOpener({"Index/MyIndex": [archive]})
    client = create_app(settings, opener).test_client()
    client.get("/search?q=wombat")
    text = Path(settings.path).read_text()
    answer = client.post("/settings", data=form_of(client) | {"search.k1": "4.5", "search.boost.title": "9"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/settings?saved=2")
    assert "Saved: 2 changes" in client.get("/settings?saved=2").text
    assert Path(settings.path).read_text() == text.replace(f"k1 = {K1}", "k1 = 4.5").replace(
        f"title = {TITLE}", "title = 9.0"
    )
    ranking = opener.opened[0].ranking
    assert (ranking.k1, ranking.boost["title"]) == (4.5, 9.0)
    assert len(opener.opened) == 1 and not opener.opened[0].closed


def test_another_index_is_opened_without_a_restart(settings: Settings, archive: Path, tmp_path: Path) -> None:
    other = write_archive(
        tmp_path / "other.warc.gz", response("http://other.example/", page("Other", "a walrus"))
    )
    opener = FakeOpener({"Index/MyIndex": [archive], "Index/Second": [other]})
    client = create_app(settings, opener).test_client()
    assert client.get("/search.json?q=walrus").get_json()["total"] == 0
    client.post("/settings", data=form_of(client) | {"archive.index_name": "Second"})
    assert client.get("/search.json?q=walrus").get_json()["total"] == 1
    assert opener.opened[0].closed and not opener.opened[1].closed


def test_saving_without_a_change_writes_nothing(client: FlaskClient, settings: Settings) -> None:
    before = settings_hash(settings.path)
    assert client.post("/settings", data=form_of(client)).headers["Location"] == "/settings?saved=0"
    assert settings_hash(settings.path) == before


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("search.k1", "many"),
        ("search.k1", "-1"),
        ("search.k1", "nan"),
        ("search.b.body", "7"),
        ("search.idf", "odd"),
        ("archive.debug_flag", "perhaps"),
        ("archive.jobs_path", ""),
        ("archive.jobs_path", "../.."),
        ("archive.jobs_path", "/etc"),
        ("archive.index_name", "../x"),
        ("archive.index_name", "a/b"),
        ("archive.arcs_dir", "../../../x"),
        ("archive.jobs_path", "a\x00b"),
        ("archive.jobs_path", "<script>"),
    ],
)
def test_a_wrong_value_is_told_beside_its_field_and_not_saved(
    client: FlaskClient, settings: Settings, key: str, value: str
) -> None:
    before = settings_hash(settings.path)
    answer = client.post("/settings", data=form_of(client) | {key: value})
    if value == "<script>":  # a folder may be called so
        assert answer.status_code == 303 and "<script>" not in client.get("/settings").text.replace(
            "<script type", ""
        )
        return
    assert answer.status_code == 400
    assert "Nothing was saved" in answer.text and f'href="#set-{key.replace(".", "-")}"' in answer.text
    assert str(Path(settings.path).parent) not in answer.text
    assert settings_hash(settings.path) == before


@pytest.mark.parametrize("key", ["server.host", "server.port", "server.roots", "index.workers"])
def test_what_decides_who_gets_in_is_not_changed_here(
    client: FlaskClient, settings: Settings, key: str
) -> None:
    before = settings_hash(settings.path)
    assert client.post("/settings", data=form_of(client) | {key: "7"}).status_code == 403
    assert settings_hash(settings.path) == before


def test_an_unknown_setting_is_refused(client: FlaskClient) -> None:
    assert client.post("/settings", data=form_of(client) | {"archive.evil": "1"}).status_code == 400


def test_changes_of_another_are_not_overwritten(client: FlaskClient, settings: Settings) -> None:
    form = form_of(client)
    Path(settings.path).write_text(Path(settings.path).read_text().replace(f"k1 = {K1}", "k1 = 3.0"))
    answer = client.post("/settings", data=form | {"search.k1": "2.0"})
    assert answer.status_code == 409
    assert "changed meanwhile" in answer.text and 'value="3.0"' in answer.text


def test_a_forged_form_changes_nothing(client: FlaskClient, settings: Settings) -> None:
    before = settings_hash(settings.path)
    data = form_of(client) | {"search.k1": "2.0"}
    for headers in ({"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://evil.example"}):
        assert client.post("/settings", data=data, headers=headers).status_code == 403
    assert client.get("/settings", query_string=data).status_code == 200
    assert settings_hash(settings.path) == before


def test_what_the_environment_sets_is_locked(settings: Settings, archive: Path) -> None:
    locked = load_settings(settings.path, {"FINDINGAID_SEARCH__K1": "7.0"}, {})
    client = create_app(locked, FakeOpener({"Index/MyIndex": [archive]})).test_client()
    html = client.get("/settings").text
    assert "FINDINGAID_SEARCH__K1" in html and 'name="search.k1"' not in html
    assert client.post("/settings", data=form_of(client) | {"search.k1": "1.0"}).status_code == 403


def test_a_file_that_cannot_be_written_is_told(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("webui.settings_page.save_settings", fail)
    answer = client.post("/settings", data=form_of(client) | {"search.k1": "2.0"})
    assert answer.status_code == 403 and "cannot be written: Permission denied" in answer.text


def test_a_check_says_what_would_change_and_saves_nothing(client: FlaskClient, settings: Settings) -> None:
    before = Path(settings.path).read_text()
    shown = client.post("/settings", data=form_of(client) | {"search.k1": "4.5", "check": "1"}).text
    assert "Nothing is saved yet" in shown and f"<del>{K1}</del>" in shown and "<ins>4.5</ins>" in shown
    assert 'name="search.k1" value="4.5"' in shown  # what was typed is still there
    assert Path(settings.path).read_text() == before
    wrong = client.post("/settings", data=form_of(client) | {"search.k1": "-1", "check": "1"})
    assert wrong.status_code == 400 and "is not accepted" in wrong.text
