"""The awkward inputs of kind `ui` and `query` from ../shared/cases, through the real index and the web front end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from indexer import IndexOptions, build_index
from webui import create_app
from webui.rewrite import FRAME_RIGHTS
from webui.settings import load_settings

SHARED = Path(os.environ.get("FINDINGAID_SHARED") or Path(__file__).parents[3] / "shared")
MAKER = SHARED / "cases" / "make_cases.py"
pytestmark = pytest.mark.skipif(not MAKER.is_file(), reason=f"{MAKER} is not here (set FINDINGAID_SHARED)")


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The expectations by case, with the folder made absolute."""
    folder = tmp_path_factory.mktemp("cases") / "out"
    subprocess.run([sys.executable, str(MAKER), str(folder)], check=True, capture_output=True)
    expected = json.loads((folder / "expected.json").read_text())
    return {case["id"]: case | {"folder": folder / case["folder"]} for case in expected["cases"]}


def site_of(case: dict[str, Any], tmp_path: Path) -> FlaskClient:
    """Index the files of a case and return a client for a site over them."""
    files = [str(case["folder"] / file["name"]) for file in case["files"]]
    build_index(files, str(tmp_path / "index"), options=IndexOptions(workers=1))
    settings = load_settings(None, {}, {"index": str(tmp_path / "index"), "archive.jobs_path": str(tmp_path)})
    return create_app(settings).test_client()


def view(client: FlaskClient, case: dict[str, Any], name: str, offset: int) -> list[Any]:
    """Open a record as a reader would: the frame page and what the frame shows. An address is all that can be given."""
    urls = {(p["file"], p["offset"]): p["url"] for p in case.get("payloads", [])}
    url = urls.get((name, offset)) or urls.get((f"archives/{name}", offset)) or name
    once = quote(url, safe="")
    forms = [url] if url != name else [url, once, quote(once, safe="")]
    return [
        client.get(start + form) for start in ("/cached/0/", "/web/0mp_/", "/web/0id_/") for form in forms
    ]


@pytest.mark.parametrize("name", ["c32", "c33", "c34"])
def test_case_of_kind_ui(cases: dict[str, dict[str, Any]], tmp_path: Path, name: str) -> None:
    case = cases[name]
    client = site_of(case, tmp_path)
    for step in case["steps"]:
        if step["do"] == "search":
            asked = [{"q": step["q"], "format": form} for form in ("html", "json")]
            answers = [client.get("/search", query_string=parameters) for parameters in asked]
        else:
            answers = view(client, case, step["file"], step["offset"])
        for answer in answers:
            assert answer.status_code < 500
            if "status_class" in step and not 300 <= answer.status_code < 400:
                assert answer.status_code // 100 in step["status_class"]
            text = answer.text.lower()
            for raw in step.get("must_not_contain", []):
                assert raw.lower() not in text
            if step.get("isolated") and "/web/" in answer.request.path:
                policy = answer.headers["Content-Security-Policy"]
                assert policy.startswith(f"sandbox {FRAME_RIGHTS};") and policy.count("allow") == 1
        for needed in step.get("must_contain", []):
            assert any(needed in answer.text for answer in answers)


@pytest.mark.parametrize("name", ["c30", "c31"])
def test_case_of_kind_query(cases: dict[str, dict[str, Any]], tmp_path: Path, name: str) -> None:
    case = cases[name]
    client = site_of(case, tmp_path)
    for query in json.loads((case["folder"] / case["queries"]).read_text()):
        for form in ("html", "json"):
            answer = client.get("/search", query_string={"q": query["q"], "format": form})
            assert answer.status_code < (500 if query["may_be_refused"] else 400), query["id"]
            if answer.status_code == 200 and query.get("level", "must") == "must":
                found = answer.text if form == "html" else json.dumps(answer.get_json())
                for url in query["must_include"]:
                    assert url in found, query["id"]
                for url in query["must_not_include"]:
                    assert f"/{url}" not in found and f'"{url}"' not in found, query["id"]
