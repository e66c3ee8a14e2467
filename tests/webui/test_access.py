"""The password: who gets in, what is open to all, how guessing is slowed down, read-only mode."""

from __future__ import annotations

import base64
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.security import generate_password_hash

from tests.webui.fake_index import FakeOpener
from webui import create_app
from webui.access import COOKIE, Throttle
from webui.security import REPLAY_HEADERS
from webui.setting_infos import SettingsError, settings_template
from webui.settings import load_settings
from webui.settings_file import save_settings, settings_hash

REPOSITORY = Path(__file__).parents[2]
PASSWORD = "correct horse battery"
# as Chromium sends it
HTML = {
    "Accept": "text/html,application/xhtml+xml,image/avif,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7"
}
# cheap on purpose: the tests log in often
HASH = generate_password_hash(PASSWORD, method="scrypt:1024:8:1")


def client_with(tmp_path: Path, archive: Path, **server: object) -> FlaskClient:
    file = tmp_path / "with.toml"
    file.write_text(settings_template())
    settings = load_settings(str(file), {}, {f"server.{key}": value for key, value in server.items()})
    app = create_app(settings, FakeOpener({"Index/MyIndex": [archive]}))
    app.testing = False
    return app.test_client()


@pytest.fixture
def client(tmp_path: Path, archive: Path) -> FlaskClient:
    return client_with(tmp_path, archive, password=HASH)


def basic(password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"reader:{password}".encode()).decode()}


def test_without_the_password_every_page_leads_to_the_login(client: FlaskClient) -> None:
    rules = {str(rule) for rule in client.application.url_map.iter_rules() if "GET" in (rule.methods or ())}
    is_open = {"/login", "/static/<digest>/<name>", "/favicon.ico", "/robots.txt", "/healthz", "/readyz"}
    assert is_open <= rules
    for rule in sorted(rules - is_open):
        path = rule.replace("<path:rest>", "2015/http://site.example/a").replace("<job>", "01")
        path = path.replace("<kind>", "gexf").replace("<digest>", "0").replace("<name>", "x")
        assert client.get(path, headers=HTML).location == "/login", path
        assert client.get(path, headers={"Accept": "application/json"}).status_code == 401, path
    for rule in client.application.url_map.iter_rules():
        if "POST" in (rule.methods or ()) and str(rule) not in ("/login", "/preferences/language"):
            assert (
                client.post(str(rule).replace("<job>", "01").replace("<action>", "stop")).status_code == 401
            )


def test_a_session_lets_in_and_ends(client: FlaskClient) -> None:
    assert client.post("/login", data={"password": "wrong"}).status_code == 403
    answer = client.post("/login", data={"password": PASSWORD})
    assert (answer.status_code, answer.location) == (303, "/")
    assert "HttpOnly" in answer.headers["Set-Cookie"] and "SameSite=Strict" in answer.headers["Set-Cookie"]
    assert client.get("/search?q=wombat", headers=HTML).status_code == 200
    assert client.post("/logout").location == "/login"
    assert client.get("/", headers=HTML).location == "/login"


@pytest.mark.parametrize("cookie", ["", "x", "a.b.c", "InJlYWRlciI.aaaa.bbbb", "é" * 300])
def test_a_made_up_session_is_none(client: FlaskClient, cookie: str) -> None:
    client.set_cookie(COOKIE, cookie)
    assert client.get("/", headers=HTML).location == "/login"


def test_programs_send_the_password_with_each_request(client: FlaskClient) -> None:
    assert client.get("/search.json?q=wombat", headers=basic(PASSWORD)).status_code == 200
    refused = client.get("/search.json?q=wombat", headers=basic("wrong"))
    assert refused.status_code == 401 and refused.headers["WWW-Authenticate"].startswith("Basic")


def test_guessing_is_slowed_down(client: FlaskClient) -> None:
    codes = [client.post("/login", data={"password": f"guess {n}"}).status_code for n in range(25)]
    assert codes == [403] * 20 + [429] * 5
    assert client.post("/login", data={"password": PASSWORD}).headers["Retry-After"] == "10"


def test_several_processes_let_no_more_guesses_pass_than_one(tmp_path: Path) -> None:
    app = create_app(load_settings(None, {}, {"archive.jobs_path": str(tmp_path)}), processes=4)
    throttle = app.extensions["findingaid.access"].throttle
    assert [throttle.may_try() for _ in range(6)] == [True] * 5 + [False]


def test_the_throttle_gives_tries_back_with_time() -> None:
    throttle = Throttle(free=2, every_s=3600)
    assert [throttle.may_try() for _ in range(3)] == [True, True, False]
    throttle.forgive()
    assert [throttle.may_try() for _ in range(2)] == [True, False]


def test_a_link_in_a_cached_page_is_asked_for_once_more_from_this_site(client: FlaskClient) -> None:
    """The browser keeps a strict cookie back when a frame without a site leads the window on."""
    navigation = {**HTML, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    first = client.get(
        "/cached/2015/http://site.example/a", headers={**navigation, "Sec-Fetch-Site": "cross-site"}
    )
    assert first.status_code == 200 and '<meta http-equiv="refresh" content="0">' in first.text
    assert "First light" not in first.text
    for site in ("same-origin", "none"):
        again = client.get(
            "/cached/2015/http://site.example/a", headers={**navigation, "Sec-Fetch-Site": site}
        )
        assert again.location == "/login"
    frame = {**navigation, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"}
    assert client.get("/web/2015mp_/http://site.example/a", headers=frame).location == "/login"


def test_archived_bytes_are_reached_by_the_frames_key_alone(client: FlaskClient) -> None:
    """A sandboxed frame sends no cookie; its address holds a key that only our page knows."""
    client.post("/login", data={"password": PASSWORD})
    page = client.get("/cached/20160101/http://site.example/a").text
    [source] = [part.partition('"')[0] for part in page.split('src="')[1:] if "/web/" in part[:100]]
    assert source.startswith("/k/")
    client.post("/logout")
    framed = client.get(source)
    assert framed.status_code == 200
    for name, value in REPLAY_HEADERS.items():
        assert framed.headers[name] == value
    key = source.split("/")[2]
    assert f"/k/{key}/web/" in framed.text  # and so its pictures and links
    assert client.get("/web/2016mp_/http://site.example/a").status_code == 401
    assert client.get(source.replace(key, "0" * 32)).status_code == 401
    assert client.get(f"/k/{key}/search?q=wombat").status_code == 401
    assert client.get(f"/k/{key}/settings").status_code == 401


def test_without_a_password_nothing_is_asked(tmp_path: Path, archive: Path) -> None:
    client = client_with(tmp_path, archive)
    assert client.get("/", headers=HTML).status_code == 200
    assert client.get("/login").location == "/"
    assert "/k/" not in client.get("/cached/2016/http://site.example/a").text


def test_a_read_only_server_changes_nothing(tmp_path: Path, archive: Path) -> None:
    client = client_with(tmp_path, archive, read_only=True)
    assert client.get("/settings").status_code == 200
    for path in ("/settings", "/crawl", "/crawl/01/stop"):
        assert client.post(path, data={"seeds": "http://a.example/"}).status_code == 403
    assert client.post("/preferences", data={"theme": "dark"}).status_code == 303


def test_the_hash_of_the_password_is_never_shown(client: FlaskClient) -> None:
    client.post("/login", data={"password": PASSWORD})
    page = client.get("/settings").text
    assert "(set)" in page and "scrypt" not in page


def test_the_command_writes_a_hash_and_keeps_the_comments(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(settings_template())
    run = [sys.executable, str(REPOSITORY / "app.py"), "password", "--stdin", "--settings", str(file)]
    done = subprocess.run(run, input=PASSWORD + "\n", text=True, capture_output=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    stored = load_settings(str(file), {}, {}).server.password
    assert stored.startswith("scrypt:") and PASSWORD not in file.read_text()
    assert file.read_text().count("#") == settings_template().count("#")
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    short = subprocess.run(run, input="short\n", text=True, capture_output=True, cwd=tmp_path)
    assert short.returncode == 1 and "at least 8" in short.stderr
    assert load_settings(str(file), {}, {}).server.password == stored


@pytest.mark.parametrize(
    ("key", "value"),
    [("archive.arcs_dir", ".."), ("archive.arcs_dir", "../other/Arcs"), ("archive.index_dir", "a/../../b"),
     ("archive.index_name", "x" * 300), ("archive.job_id", "é" * 200), ("archive.index_name", ".."),
     ("server.password", "scrypt:x"), ("server.read_only", "true"), ("server.metrics_token", "x")],
)  # fmt: skip
def test_what_the_form_may_not_set(tmp_path: Path, key: str, value: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(settings_template())
    with pytest.raises(SettingsError):
        save_settings(str(file), {key: value}, settings_hash(str(file)))
    assert file.read_text() == settings_template()
