"""Imports point down the map of ARCHITECTURE.md, and nothing that unpickles is imported at all."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]

# Each room may import from itself and from the rooms named here.
ALLOWED: dict[str, tuple[str, ...]] = {
    "archiver.cells": (),
    "archiver.notices": (),
    "archiver.errors": (),
    "archiver.interpreter": (),
    "archiver.files": ("archiver.errors",),
    "archiver.warc": ("archiver.notices", "archiver.errors", "archiver.files"),
    "archiver.crawl": (
        "archiver.warc",
        "archiver.notices",
        "archiver.cells",
        "archiver.errors",
        "archiver.files",
        "archiver.interpreter",
        "indexer.text",
    ),
    "indexer.core": (),
    "indexer.text": ("archiver.warc", "indexer.core"),
    "indexer.store": ("archiver.warc", "archiver.errors", "indexer.core", "indexer.text"),
    "indexer.search": (
        "archiver.warc",
        "archiver.notices",
        "archiver.errors",
        "indexer.core",
        "indexer.text",
        "indexer.store",
    ),
    "indexer": ("archiver.interpreter", "archiver.errors", "archiver.warc", "indexer"),
    "webui": ("archiver", "indexer"),
    "command_line": ("archiver", "indexer", "webui"),
}
COMMANDS = sorted(file.stem for file in REPOSITORY.glob("*_commands.py"))
ALLOWED |= dict.fromkeys(COMMANDS, ("archiver", "indexer", "webui", "command_line"))
ALLOWED["app"] = ("archiver", "indexer", "webui", "command_line", *COMMANDS)
FORBIDDEN = {"pickle", "marshal", "shelve", "dill", "diskcache", "joblib", "cloudpickle"}


def room_of(module: str) -> str | None:
    """Return the room a module belongs to: the longest entry of the map that begins its name."""
    rooms = [room for room in ALLOWED if module == room or module.startswith(room + ".")]
    return max(rooms, key=len) if rooms else None


def module_name(path: Path) -> str:
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def source_files() -> list[Path]:
    packages = [REPOSITORY / name for name in ("archiver", "indexer", "webui")]
    return sorted(file for package in packages for file in package.rglob("*.py")) + [
        REPOSITORY / f"{name}.py" for name in ("app", "command_line", *COMMANDS)
    ]


def imports_of(source: str, module: str, is_package: bool = False) -> Iterator[tuple[int, str]]:
    """Yield line and full name of each module that is imported, also inside functions; not for types alone."""
    tree = ast.parse(source)
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = module.split(".")[: None if is_package and node.level == 1 else is_package - node.level]
                base = ".".join([*up, *([node.module] if node.module else [])])
            yield node.lineno, base
            for alias in node.names:  # `from indexer import text` imports indexer.text
                if room_of(f"{base}.{alias.name}") not in (None, room_of(base)):
                    yield node.lineno, f"{base}.{alias.name}"


def complaints(source: str, module: str, is_package: bool = False) -> list[str]:
    found = []
    here = room_of(module)
    for line, imported in imports_of(source, module, is_package):
        if imported.partition(".")[0] in FORBIDDEN:
            found.append(f"{module}:{line} imports {imported}, which can run code that a file holds")
        there = room_of(imported)
        if here is None or there is None or there == here:
            continue
        if not any(imported == room or imported.startswith(room + ".") for room in ALLOWED[here]):
            found.append(f"{module}:{line} imports {imported}, which lies above or beside it")
    return found


@pytest.mark.parametrize("path", source_files(), ids=module_name)
def test_imports_point_down(path: Path) -> None:
    assert complaints(path.read_text(encoding="utf-8"), module_name(path), path.name == "__init__.py") == []


@pytest.mark.parametrize(
    "module, line",
    [
        ("archiver.warc.reader", "import indexer"),
        ("archiver.warc.reader", "from ..crawl import job"),
        ("archiver.crawl.crawler", "from indexer.store import segment"),
        ("archiver.crawl.crawler", "from indexer import search"),
        ("indexer.text.elements", "from ..store import segment"),
        ("indexer.store.segment", "from indexer.search.query import Word"),
        ("indexer.builder", "def f():\n    from archiver.crawl import job"),
        ("indexer.search.bm25f", "import webui.settings"),
        ("webui.search", "from app import main"),
        ("webui.search", "import pickle"),
    ],
)
def test_the_check_sees_an_import_that_points_up(module: str, line: str) -> None:
    assert complaints(line, module)


@pytest.mark.parametrize(
    "module, line",
    [
        ("archiver.crawl.links", "from indexer.text import pages"),
        ("indexer.search.searcher", "from ..store.segment import Segment"),
        ("indexer.builder", "from .text.documents import read_documents"),
        ("webui.search", "from indexer import open_index"),
        ("indexer.text.pages", "from .elements import PageText\nimport json"),
        ("archiver.warc.record", "if TYPE_CHECKING:\n    from indexer import Index"),
    ],
)
def test_the_check_lets_an_import_that_points_down_pass(module: str, line: str) -> None:
    assert complaints(line, module) == []


def test_every_library_that_is_imported_is_declared() -> None:
    with open(REPOSITORY / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    # what is imported only when it is there is declared as an extra
    lines = [*project["dependencies"], *project["optional-dependencies"]["lsi"]]
    declared = {re.split(r"[<>=;\[ ]", line)[0].lower().replace("_", "-") for line in lines}
    distributions = importlib.metadata.packages_distributions()
    for path in source_files():
        imported = imports_of(path.read_text(encoding="utf-8"), module_name(path), path.name == "__init__.py")
        for line, module in imported:
            top = module.partition(".")[0]
            if top in sys.stdlib_module_names or room_of(module) or top in ("archiver", "compression", ""):
                continue
            names = {
                name.lower().replace("_", "-").replace(".", "-") for name in distributions.get(top, [top])
            }
            comes_along = {"werkzeug", "jinja2", "markupsafe", "babel"}  # parts of Flask and Flask-Babel
            assert names & (declared | comes_along), (
                f"{path.name}:{line} imports {module}, not in pyproject.toml"
            )


@pytest.mark.parametrize("package", ["archiver.warc", "indexer"])
def test_each_public_name_is_there_when_it_is_asked_for(package: str) -> None:
    """They are imported late: one that no module is named for is missed only where it is used."""
    module = importlib.import_module(package)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
