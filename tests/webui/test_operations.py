"""What the server tells who runs it."""

from __future__ import annotations

from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

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
    assert other.get("/metrics", headers={"Authorization": "Bearer é"}).status_code == 403
