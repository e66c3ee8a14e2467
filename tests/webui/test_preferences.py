"""What a reader likes: kept in a cookie, read from it whatever it holds, shown on every page."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from webui.asked import remembered
from webui.preferences import COOKIE, Preferences, read_preferences


def test_saved_preferences_are_in_force_on_every_page(client: FlaskClient) -> None:
    answer = client.post("/preferences", data={"theme": "dark", "size": "50", "new_tab": "1"})
    assert (answer.status_code, answer.location) == (303, "/settings?mine=saved")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    home = client.get("/").text
    assert 'data-theme="dark"' in home and 'data-shortcuts="off"' in home  # what was not ticked is off
    assert "<option selected>50</option>" in client.get("/settings").text


def test_a_link_shows_preferences_and_changes_nothing(client: FlaskClient) -> None:
    shown = client.get("/settings?" + Preferences(theme="dark", size=100).as_text())
    assert "preferences of a link" in shown.text and '<option value="dark" selected>' in shown.text
    assert "Set-Cookie" not in shown.headers
    assert 'data-theme="auto"' in client.get("/").text


@pytest.mark.parametrize(
    "wrong", ["theme=blue", "size=7", "size=-1", "language=xx", "dense=2", "x=" * 100, "\x00"]
)
def test_what_cannot_be_meant_keeps_its_default(wrong: str) -> None:
    assert read_preferences(wrong) == Preferences()


@given(st.text(max_size=2000))
def test_any_cookie_can_be_read(text: str) -> None:
    read_preferences(text)


@pytest.mark.parametrize("cookie", ["theme=%ff", "&" * 5000, "theme=dark&theme=light", '"><script>'])
def test_no_cookie_breaks_a_page(client: FlaskClient, cookie: str) -> None:
    client.set_cookie(COOKIE, cookie)
    assert client.get("/settings").status_code == 200


def test_another_site_cannot_set_them(client: FlaskClient) -> None:
    answer = client.post("/preferences", data={"theme": "dark"}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403 and "Set-Cookie" not in answer.headers


def test_what_browsers_send_is_worked_out_once_but_long_texts_are_not_kept() -> None:
    asked: list[str] = []

    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    kept = remembered(length)
    assert [kept(text) for text in ("en", "en", "x" * 501, "x" * 501)] == [2, 2, 501, 501]
    assert len(asked) == 3
