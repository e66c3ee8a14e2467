"""For who runs the server: /readyz says whether it can answer, /metrics counts what it does (Prometheus text)."""

from __future__ import annotations

import os
import time
from functools import cache

from flask import Blueprint, Flask, Response, make_response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from archiver.errors import FindingAidError
from webui.access import has_metrics_token, is_from_this_machine
from webui.application import error_response, site
from webui.found_out import request_now
from webui.i18n import gettext as _

blueprint = Blueprint("operations", __name__)

_BUCKETS = (0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.16, 0.32, 0.64, 1.25, 2.5, 5.0, 10.0)


class Metrics:
    """The counters of one application. Labels are names of views and statuses, never addresses or queries."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "findingaid_requests", "Requests answered", ("view", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "findingaid_request_seconds", "Time to the first byte of an answer", ("view",), buckets=_BUCKETS,
            registry=self.registry,
        )  # fmt: skip
        self.pages = Gauge("findingaid_index_pages", "Pages in the index", registry=self.registry,
                           multiprocess_mode="mostrecent")  # fmt: skip
        self.captures = Gauge("findingaid_index_captures", "Captures in the index", registry=self.registry,
                              multiprocess_mode="mostrecent")  # fmt: skip
        self.ready = Gauge("findingaid_index_open", "1 when the index can be read", registry=self.registry,
                           multiprocess_mode="mostrecent")  # fmt: skip

    def of_all_processes(self) -> CollectorRegistry:
        """Return the counters of all processes that answer, when there are several (`webui.server`)."""
        folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR", "")
        if not folder:
            return self.registry
        together = CollectorRegistry()
        MultiProcessCollector(together, folder)  # type: ignore[no-untyped-call]
        return together


def add_metrics(app: Flask) -> None:
    """Count each request of the application."""
    metrics = app.extensions["findingaid.metrics"] = Metrics()

    @app.before_request
    def begin() -> None:
        request_now().began = time.perf_counter()

    @cache
    def counters_of(view: str, status: int) -> tuple[Counter, Histogram]:
        return metrics.requests.labels(view, str(status)), metrics.seconds.labels(view)

    @app.after_request
    def count(response: Response) -> Response:
        request = request_now()
        view = request.endpoint or "none"
        answered, seconds = counters_of(view, response.status_code)
        answered.inc()
        if request.began is not None:
            seconds.observe(time.perf_counter() - request.began)
        return response


@blueprint.get("/readyz")
def readyz() -> Response:
    try:
        with site().index_access.lease() as index:
            index.statistics()
    except FindingAidError:
        return _text("the index cannot be read; the log says why\n", 503)
    return _text("ok\n", 200)


@blueprint.get("/metrics")
def show_metrics() -> Response:
    from flask import current_app

    if not _may_see():
        return error_response(
            403,
            _("Not allowed"),
            _("Metrics are for this machine, or for who sends the token of the settings."),
        )
    metrics: Metrics = current_app.extensions["findingaid.metrics"]
    try:
        with site().index_access.lease() as index:
            statistics = index.statistics()
        metrics.pages.set(statistics.documents)
        metrics.captures.set(statistics.shown_captures)
        metrics.ready.set(1)
    except FindingAidError:
        metrics.ready.set(0)
    response = make_response(generate_latest(metrics.of_all_processes()))
    response.headers["Content-Type"] = "text/plain; version=0.0.4; charset=utf-8"
    return response


def _may_see() -> bool:
    return has_metrics_token() if site().settings.server.metrics_token else is_from_this_machine()


def _text(text: str, status: int) -> Response:
    response = make_response(text, status)
    response.headers["Content-Type"] = "text/plain; charset=utf-8"
    return response
