"""/openapi.json: no door is missing, and real answers are as they are described.

`schemathesis run ADDRESS/openapi.json` with schemathesis.toml of this folder asks far more; it needs a running server.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from archiver.crawl import CrawlJob, write_job
from indexer import build_index, open_index
from tests.webui.archive_text import page, response, write_archive
from webui import create_app
from webui.openapi import describe
from webui.settings import load_settings

A = "http://site.example/a?b=1"
SPEC = describe()
# Addresses that are for people, or that belong to a page: they need no description for programs.
FOR_PEOPLE = {
    "/", "/search", "/similar", "/compare", "/graph", "/help",
    "/captures/<path:rest>", "/cached/<path:rest>", "/web/<path:rest>", "/web/",
    "/web", "/settings", "/preferences", "/preferences/language", "/login", "/crawl", "/crawl/<job>",
    "/crawl/<job>/log", "/crawl/<job>/graph",
    "/crawl/<job>/graph-<kind>", "/static/<digest>/<name>", "/favicon.ico", "/robots.txt",
}  # fmt: skip
SAME_AS = {"/api/openapi.json": "/openapi.json", "/web/timemap/<path:rest>": "/timemap/{form}/{url}",
           "/timegate/<path:rest>": "/timegate/{url}", "/timemap/<path:rest>": "/timemap/{form}/{url}"}  # fmt: skip


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    folder = tmp_path_factory.mktemp("openapi")
    archive = write_archive(
        folder / "small.warc.gz",
        response(A, page("First", "<p>archive 2009</p>"), date="2009-05-03T14:02:11Z"),
        response(A, page("First", "<p>archive 2015</p>"), date="2015-05-03T14:02:11Z"),
    )
    build_index([str(archive)], str(folder / "ix"))
    settings = load_settings(None, {}, {"archive.jobs_path": str(folder / "jobs")})
    write_job(CrawlJob("01", str(folder / "jobs" / "01"), seeds=("http://site.example/",)))
    with open_index(str(folder / "ix")) as index:
        app = create_app(settings, lambda path, ranking: index)
        app.testing = False
        yield app.test_client()


# ---------------------------------------------------------------- the description is whole


def test_every_address_is_described_or_for_people(client: FlaskClient) -> None:
    for rule in client.application.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or rule.rule in FOR_PEOPLE:
            continue
        described = SAME_AS.get(rule.rule) or re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        assert described in SPEC["paths"], f"{rule.rule} is neither in webui/openapi.py nor for people"


def test_the_description_is_served_with_the_address_of_this_server(client: FlaskClient) -> None:
    told = client.get("/openapi.json").json
    assert told["paths"] == json.loads(json.dumps(SPEC["paths"]))
    assert told["servers"] == [{"url": "http://localhost"}]
    assert client.get("/api/openapi.json").data == client.get("/openapi.json").data


def test_what_is_named_is_there() -> None:
    for name in re.findall(r"#/components/schemas/(\w+)", json.dumps(SPEC)):
        assert name in SPEC["components"]["schemas"]
    for path, item in SPEC["paths"].items():
        named = {parameter["name"] for parameter in item["get"]["parameters"] if parameter["in"] == "path"}
        assert named == set(re.findall(r"\{(\w+)\}", path)), path


# ---------------------------------------------------------------- real answers are as described


def problems(value: Any, schema: dict[str, Any], where: str = "$") -> list[str]:
    """Return where a value is not as its schema says; the few words of JSON Schema that the description uses."""
    if "$ref" in schema:
        return problems(value, SPEC["components"]["schemas"][schema["$ref"].rpartition("/")[2]], where)
    found = [problem for part in schema.get("allOf", ()) for problem in problems(value, part, where)]
    if "anyOf" in schema and all(problems(value, part, where) for part in schema["anyOf"]):
        found.append(f"{where}: none of several")
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        found.append(f"{where}: {value!r}")
    kinds = schema.get("type", [])
    if kinds and not any(_is(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return [*found, f"{where}: {value!r} is not {kinds}"]
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        found.append(f"{where}: {value!r} does not fit")
    if isinstance(value, dict):
        found += [f"{where}: {name} is missing" for name in schema.get("required", ()) if name not in value]
        for name, part in schema.get("properties", {}).items():
            found += problems(value[name], part, f"{where}.{name}") if name in value else []
    if isinstance(value, list) and "items" in schema:
        found += [problem for one in value for problem in problems(one, schema["items"], f"{where}[]")]
    return found


def _is(value: Any, kind: str) -> bool:
    kinds: dict[str, Any] = {
        "object": dict,
        "array": list,
        "string": str,
        "boolean": bool,
        "null": type(None),
    }
    if kind in kinds:
        return isinstance(value, kinds[kind])
    return isinstance(value, int if kind == "integer" else (int, float)) and not isinstance(value, bool)


def example_of(path: str, *, whole_url: bool) -> tuple[str, dict[str, str]]:
    """Return the address and the query of a call with the examples of the description, for our page."""
    query = {}
    for parameter in SPEC["paths"][path]["get"]["parameters"]:
        if parameter["in"] == "path":
            value = parameter["example"]
            if parameter["name"] == "url":
                value = quote(A, safe="") if whole_url else A
            path = path.replace(f"{{{parameter['name']}}}", value)
        elif "example" in parameter:
            example = A if parameter["example"].startswith("http:") else parameter["example"]
            query[parameter["name"]] = example.replace("example.org", "site.example")
    return path, query


@pytest.mark.parametrize("whole_url", [False, True], ids=["as it is", "percent-encoded"])
@pytest.mark.parametrize("path", SPEC["paths"])
def test_examples_are_answered_as_described(client: FlaskClient, path: str, whole_url: bool) -> None:
    described = SPEC["paths"][path]["get"]["responses"]
    address, query = example_of(path, whole_url=whole_url)
    answer = client.get(address, query_string=query) if query else client.get(address)
    assert str(answer.status_code) in described and answer.status_code < 400 or "graph" in path, answer.text
    if answer.status_code == 200:
        kind = answer.headers["Content-Type"].partition(";")[0]
        content = described["200"]["content"]
        schema = content.get(kind, content.get("*/*"))
        assert schema is not None, kind
        if kind.endswith("json") and kind != "text/x-ndjson":
            assert problems(answer.json, schema["schema"]) == []


@pytest.mark.parametrize(
    "address",
    ["/search.json?nope=1", "/search.csv?sort=x", "/newest.json?size=x", "/captures/*;view=json/http://nowhere.example/",
     "/cached/2015;view=json/http://nowhere.example/", "/crawl/none.json", "/nothing.json"],
)  # fmt: skip
def test_all_errors_have_the_one_shape(client: FlaskClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code in (400, 404)
    assert problems(answer.json, {"$ref": "#/components/schemas/Error"}) == []
    assert answer.json["status"] == answer.status_code


def test_the_validator_of_these_tests_finds_mistakes() -> None:
    capture = {"$ref": "#/components/schemas/Capture"}
    assert problems({}, capture) and problems([], capture) and problems({"timestamp": "x"}, capture)
    assert problems("x", {"type": ["integer", "null"]}) and not problems(None, {"type": ["integer", "null"]})


def test_the_settings_of_schemathesis_are_where_the_docs_say(repository: Path) -> None:
    assert (repository / "tests/webui/schemathesis.toml").is_file()


# ---------------------------------------------------------------- each page has a twin for programs


A_CAPTURE = f"/cached/2015/{A}"
TWINS = {
    "/": "/statistics.json",
    "/search": "/search.json",
    "/similar": f"/similar.json?url={quote(A, safe='')}",
    "/compare": f"/compare.json?url={quote(A, safe='')}",
    "/graph": "/graph.json",
    "/captures/<path:rest>": f"/captures/*;view=json/{A}",
    "/cached/<path:rest>": f"/cached/2015;view=json/{A}",
    "/settings": "/settings.json",
    "/crawl": "/crawl.json",
    "/crawl/<job>": "/crawl/01.json",
    "/crawl/<job>/graph": "/crawl/01/graph.json",
}
WITHOUT_TWIN = {
    "/web/<path:rest>": "what the archive holds, as it is",
    "/help": "a text for people",
    "/login": "a form; programs send the password with each request",
    "/crawl/<job>/log": "plain lines already",
    "/crawl/<job>/graph-<kind>": "for programs already",
    "/static/<digest>/<name>": "part of a page",
    "/favicon.ico": "part of a page",
    "/robots.txt": "for programs already",
}


def test_each_page_has_a_twin_or_a_reason_to_have_none(client: FlaskClient) -> None:
    pages = {
        rule.rule for rule in client.application.url_map.iter_rules() if "GET" in (rule.methods or ())
    } & FOR_PEOPLE
    assert pages == TWINS.keys() | WITHOUT_TWIN.keys()


@pytest.mark.parametrize("page_rule", TWINS)
def test_a_twin_is_had_by_its_address_and_by_the_accept_field(client: FlaskClient, page_rule: str) -> None:
    address = TWINS[page_rule]
    twin = client.get(address)
    assert twin.status_code == 200 and twin.headers["Content-Type"].startswith("application/json")
    of_page = address.replace(";view=json", "").replace("/statistics.json", "/").replace(".json", "")
    by_field = client.get(of_page, headers={"Accept": "application/json"})
    assert {**by_field.json, "took_ms": 0} == {**twin.json, "took_ms": 0}
    assert "Accept" in by_field.headers["Vary"]
    assert (
        client.get(of_page, headers={"Accept": "text/html"}).headers["Content-Type"].startswith("text/html")
    )
