"""What the server tells who runs it."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families
from werkzeug.security import generate_password_hash

from tests.webui.fake_index import FakeOpener
from webui import create_app
from webui.settings import Settings, load_settings


def test_ready_only_when_the_index_can_be_read(client: FlaskClient, settings: Settings) -> None:
    assert (client.get("/readyz").status_code, client.get("/readyz").text) == (200, "ok\n")
    without = create_app(settings, FakeOpener({})).test_client()
    assert without.get("/readyz").status_code == 503
    assert without.get("/healthz").status_code == 200


def test_metrics_count_requests_and_name_no_query(client: FlaskClient) -> None:
    for _ in range(3):
        client.get("/search?q=secretword")
    answer = client.get("/metrics")
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    samples = {
        (sample.name, sample.labels.get("view"), sample.labels.get("status")): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }
    assert samples["findingaid_requests_total", "search.search", "200"] == 3
    assert samples["findingaid_index_pages", None, None] == 2
    assert "secretword" not in answer.text


def test_metrics_are_for_this_machine_or_the_token(client: FlaskClient, settings: Settings) -> None:
    assert client.get("/metrics", environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code == 403
    with_token = load_settings(settings.path, {}, {"server.metrics_token": "abc"})
    other = create_app(with_token, FakeOpener({})).test_client()
    assert other.get("/metrics").status_code == 403
    assert other.get("/metrics", headers={"Authorization": "Bearer abc"}).status_code == 200
    for wrong in ("Bearer é", "Bearer ab", "Bearer abcd", "Bearer", "abc", "Basic abc", "Bearer \xff"):
        assert other.get("/metrics", headers={"Authorization": wrong}).status_code == 403, wrong


@pytest.mark.parametrize("token", ["abc", "a=b=", "tökén"])
def test_with_a_password_the_token_opens_metrics_and_nothing_else(settings: Settings, token: str) -> None:
    options = {
        "server.metrics_token": token,
        "server.password": generate_password_hash("pw", "pbkdf2:sha256:1"),
    }
    other = create_app(load_settings(settings.path, {}, options), FakeOpener({})).test_client()
    right = {"Authorization": "Bearer " + token.encode().decode("latin-1")}
    assert other.get("/metrics", headers=right).status_code == 200
    assert (
        other.get("/metrics", headers={"Authorization": "bearer " + right["Authorization"][7:]}).status_code
        == 200
    )
    assert other.get("/search.json?q=a", headers=right).status_code == 401
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        assert other.get("/metrics", headers=headers).status_code == 401


def test_with_a_password_and_no_token_metrics_need_the_password(settings: Settings) -> None:
    password = generate_password_hash("pw", "pbkdf2:sha256:1")
    other = create_app(
        load_settings(settings.path, {}, {"server.password": password}), FakeOpener({})
    ).test_client()
    assert other.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 401
    assert other.get("/metrics", auth=("any", "pw")).status_code == 200


@pytest.mark.parametrize(
    ("options", "headers", "status"),
    [
        ({}, {}, 200),
        # a proxy on the same machine: who asks through it is not on this machine, whatever he says
        ({}, {"X-Forwarded-For": "192.0.2.7"}, 403),
        ({}, {"X-Forwarded-For": "127.0.0.1"}, 403),
        ({}, {"Forwarded": "for=127.0.0.1"}, 403),
        ({"base_url": "http://archive.example/"}, {}, 403),  # it may be one that says nothing of itself
        ({"proxies": ["127.0.0.1"]}, {}, 200),
        ({"proxies": ["127.0.0.1"]}, {"X-Forwarded-For": "192.0.2.7"}, 403),
        ({"proxies": ["127.0.0.1"]}, {"X-Forwarded-For": "127.0.0.1, 192.0.2.7"}, 403),
        (
            {"proxies": ["127.0.0.1"], "base_url": "http://archive.example/"},
            {"X-Forwarded-For": "127.0.0.1"},
            200,
        ),
        (
            {"proxies": ["10.0.0.0/8"], "base_url": "http://archive.example/"},
            {"X-Forwarded-For": "127.0.0.1"},
            403,
        ),
    ],
)
def test_behind_a_proxy_nobody_counts_as_this_machine_by_the_proxy(
    settings: Settings, options: dict[str, object], headers: dict[str, str], status: int
) -> None:
    given = load_settings(settings.path, {}, {f"server.{name}": value for name, value in options.items()})
    client = create_app(given, FakeOpener({})).test_client()
    assert client.get("/metrics", headers=headers).status_code == status
