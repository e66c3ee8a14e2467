"""Pages of other sites read nothing, unless the settings name them; and then only what is there to be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.security import generate_password_hash

from tests.webui.fake_index import FakeOpener
from webui import create_app
from webui.cors import allowed_origin
from webui.setting_infos import SettingsError
from webui.settings import Settings, load_settings

A = "http://site.example/a"
OTHER = "https://app.example"
DOORS = [
    "/search.json?q=wombat", "/search?q=wombat&format=json", "/search.csv?q=wombat", "/search.rss?q=wombat",
    "/search.json?page=x", "/suggest?q=wo", "/statistics.json", "/newest.json", "/newest.rss", "/opensearch.xml",
    f"/similar.json?url={A}", f"/compare.json?url={A}", f"/graph.json?url={A}", f"/graph-gexf?url={A}",
    f"/cached/2015;view=json/{A}", f"/captures/*;view=json/{A}", f"/cdx?url={A}", f"/web/cdx?url={A}",
    f"/cdx/search/cdx?url={A}", "/cdx", f"/timemap/link/{A}", f"/timegate/{A}", f"/wayback/available?url={A}",
    f"/web/2015id_/{A}", f"/web/2015mp_/{A}", f"/web/{A}", "/web/2015id_/http://site.example/p.png",
    "/web/2015id_/http://nowhere.example/", "/api/openapi.json",
]  # fmt: skip
CLOSED = [
    "/", "/search?q=wombat", f"/cached/2015/{A}", "/settings", "/settings.json", "/crawl", "/crawl.json", "/login",
    "/search.wacz?q=wombat", "/search?q=wombat&format=wacz", "/metrics", "/readyz", "/healthz", "/nothing",
]  # fmt: skip


def client_with(settings: Settings, archive: Path, **server: object) -> FlaskClient:
    options = {f"server.{name}": value for name, value in server.items()}
    app = create_app(load_settings(settings.path, {}, options), FakeOpener({"Index/MyIndex": [archive]}))
    app.testing = False
    return app.test_client()


def preflight(client: FlaskClient, address: str, origin: str = OTHER, method: str = "GET") -> dict[str, str]:
    headers = {"Origin": origin, "Access-Control-Request-Method": method}
    answer = client.options(address, headers=headers)
    return {name: value for name, value in answer.headers.items() if name.startswith("Access-Control-")}


def test_by_default_no_other_site_reads_anything(client: FlaskClient) -> None:
    for address in (*DOORS, *CLOSED):
        answer = client.get(address, headers={"Origin": OTHER})
        assert not any(name.startswith("Access-Control-") for name in dict(answer.headers)), address
        assert not preflight(client, address), address


def test_a_named_site_reads_the_doors_and_nothing_else(settings: Settings, archive: Path) -> None:
    client = client_with(settings, archive, cors_origins=["https://other.example", OTHER])
    for address in DOORS:
        answer = client.get(address, headers={"Origin": OTHER})
        assert answer.headers.getlist("Access-Control-Allow-Origin") == [OTHER], address
        assert "Memento-Datetime" in answer.headers["Access-Control-Expose-Headers"]
        assert "Origin" in answer.vary and "Access-Control-Allow-Credentials" not in answer.headers
        assert preflight(client, address)["Access-Control-Allow-Origin"] == OTHER, address
        assert client.head(address, headers={"Origin": OTHER}).access_control_allow_origin == OTHER, address
    for address in CLOSED:
        assert client.get(address, headers={"Origin": OTHER}).access_control_allow_origin is None, address


@pytest.mark.parametrize("origin", ["https://evil.example", "http://app.example", "https://app.example:444", "null",
                                    "https://app.example.evil.example", "", "https://app.exampl\xe9"])  # fmt: skip
def test_other_sites_still_read_nothing(settings: Settings, archive: Path, origin: str) -> None:
    client = client_with(settings, archive, cors_origins=[OTHER])
    for address in DOORS:
        answer = client.get(address, headers={"Origin": origin})
        assert answer.access_control_allow_origin is None, address
        assert "Origin" in answer.vary, (
            address
        )  # a cache must not give this answer to the site that may read it
        assert not preflight(client, address, origin), address


def test_all_sites(settings: Settings, archive: Path) -> None:
    client = client_with(settings, archive, cors_origins=["*"])
    for address in DOORS:
        for origin in (OTHER, "null"):
            answer = client.get(address, headers={"Origin": origin})
            assert answer.headers.getlist("Access-Control-Allow-Origin") == ["*"], address
            assert "Access-Control-Allow-Credentials" not in answer.headers


def test_changing_is_for_this_site_alone(settings: Settings, archive: Path) -> None:
    client = client_with(settings, archive, cors_origins=["*"])
    for address in ("/settings", "/crawl", "/preferences", "/login", "/search", "/cdx"):
        assert not preflight(client, address, method="POST"), address
        assert client.post(address, headers={"Origin": OTHER}).status_code in (403, 405), address
        assert not preflight(client, address, method="DELETE"), address


def test_a_program_on_another_site_sends_the_password(settings: Settings, archive: Path) -> None:
    password = generate_password_hash("pw", "pbkdf2:sha256:1")
    client = client_with(settings, archive, cors_origins=[OTHER], password=password)
    address = "/search.json?q=wombat"
    allowed = preflight(client, address)  # a browser sends no password with that
    assert allowed["Access-Control-Allow-Origin"] == OTHER
    assert "Authorization" in allowed["Access-Control-Allow-Headers"]
    refused = client.get(address, headers={"Origin": OTHER})
    assert (refused.status_code, refused.headers["Access-Control-Allow-Origin"]) == (401, OTHER)
    answer = client.get(address, headers={"Origin": OTHER}, auth=("any", "pw"))
    assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (200, OTHER)
    assert "Access-Control-Allow-Credentials" not in answer.headers


def test_origins_are_compared_as_browsers_write_them() -> None:
    allowed = ["https://App.Example:443", "http://[::1]:8080", "http://plain.example:80"]
    for origin in ("https://app.example", "http://[::1]:8080", "http://plain.example"):
        assert allowed_origin(origin, allowed) == origin
    assert allowed_origin("https://app.example:80", allowed) == ""
    assert allowed_origin("", allowed) == ""


@pytest.mark.parametrize(
    "wrong", ["app.example", "https://app.example/", "https://*.example", "ftp://app.example", ""]
)
def test_what_is_no_origin_is_refused_by_the_settings(settings: Settings, wrong: str) -> None:
    with pytest.raises(SettingsError, match=r"server\.cors_origins"):
        load_settings(settings.path, {}, {"server.cors_origins": [wrong]})


@pytest.mark.parametrize("wrong", ["localhost", "10.0.0.1/8", "300.0.0.1", ""])
def test_what_is_no_network_is_refused_by_the_settings(settings: Settings, wrong: str) -> None:
    with pytest.raises(SettingsError, match=r"server\.proxies"):
        load_settings(settings.path, {}, {"server.proxies": [wrong]})
