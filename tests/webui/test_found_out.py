"""What is found out of a request once, and what Flask would look for each time."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.exceptions import HTTPException

from webui import create_app
from webui.preferences import Reader, reader
from webui.settings import Settings


@pytest.fixture
def app(settings: Settings) -> Flask:
    return create_app(settings)


def test_no_blueprint_has_functions_for_its_requests_alone(app: Flask) -> None:
    """`webui.found_out.Request.blueprints` says so to Flask."""
    of_requests = (
        app.before_request_funcs, app.after_request_funcs, app.teardown_request_funcs, app.error_handler_spec,
        app.url_value_preprocessors, app.url_default_functions,
    )  # fmt: skip
    for functions in of_requests:
        assert {name for name, there in functions.items() if there} <= {None}
    # those of templates are Flask's own, called for all requests anyway
    names = app.template_context_processors
    assert all(set(there) <= set(names[None]) for there in names.values())


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"SCRIPT_NAME": "/below/"},
        {"SCRIPT_NAME": "/unter/\xc3\xbc", "PATH_INFO": "//search\xff"},
        {"PATH_INFO": "", "QUERY_STRING": "q=%ff\xe9"},
        {"wsgi.url_scheme": "https", "HTTP_HOST": "Example.ORG:443", "REQUEST_METHOD": "POST"},
        {"HTTP_HOST": "example.org:81"},
        {"HTTP_HOST": "b\xfccher.example"},
        {"HTTP_HOST": "not a host"},
        {"HTTP_UPGRADE": "websocket", "HTTP_CONNECTION": "upgrade"},
    ],
)
def test_views_are_found_as_flask_finds_them(app: Flask, more: dict[str, str]) -> None:
    def found(make: Any) -> object:
        context = app.test_request_context("/search?q=dawn")
        try:
            adapter = make(
                app, app.request_class(context.request.environ | {"HTTP_HOST": "localhost"} | more)
            )
        except HTTPException as error:
            return error.code
        return {name: value for name, value in vars(adapter).items() if name != "map"}

    assert found(type(app).create_url_adapter) == found(Flask.create_url_adapter)


def test_readers_who_are_alike_are_one(client: FlaskClient) -> None:
    app = client.application

    def of(cookie: str, language: str = "en", root: str = "") -> Reader:
        headers = {"Cookie": cookie, "Accept-Language": language}
        with app.test_request_context("/search", f"http://localhost{root}", headers=headers):
            return reader()

    assert of("findingaid=size=20") is of("findingaid=size=20&theme=auto", "en-GB,en;q=0.9")
    others = [
        of("findingaid=size=10"), of("findingaid=size=20", "ja"), of("findingaid=size=20; findingaid_session=x"),
        of("findingaid=size=20", root="/below"),
    ]  # fmt: skip
    assert len({of("findingaid=size=20"), *others}) == 5
    assert (others[1].language, others[1].locale_name, others[2].has_session) == ("ja", "ja", True)
    assert (others[0].preferences.size, others[3].root) == (10, "/below")


def test_where_nobody_asks_there_is_a_reader() -> None:
    assert (reader().language, reader().preferences.size, reader().locale_name) == ("en", 10, "en_GB")
