"""How pip builds the product: setuptools, with the core compiled first (indexer/core/build.py).

A wheel holds the compiled library and serves every Python from 3.11 on, on one platform: its tag is py3-none-PLATFORM.
Where there is no C compiler, the one of the PyPI package `ziglang` is asked for.
"""

from __future__ import annotations

import importlib.util
import sys
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

from setuptools import build_meta as _setuptools
from setuptools.build_meta import build_sdist, get_requires_for_build_sdist

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]
prepare_metadata_for_build_wheel = _setuptools.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = _setuptools.prepare_metadata_for_build_editable
Settings = dict[str, Any] | None


def _core() -> ModuleType:
    """Return indexer/core/build.py without the packages around it, which need what is not installed yet."""
    path = Path(__file__).parent / "indexer" / "core" / "build.py"
    spec = importlib.util.spec_from_file_location("findingaid_core_build", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _compiled() -> None:
    core = _core()
    try:
        core.build()
    except core.BuildError as error:
        sys.exit(f"findingaid: {error}")


def _needs(found: list[str]) -> list[str]:
    return found if _core().has_compiler() else [*found, "ziglang>=0.13"]


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return _needs(_setuptools.get_requires_for_build_wheel(config_settings))


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    return _needs(_setuptools.get_requires_for_build_editable(config_settings))


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    _compiled()
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    settings = {**(config_settings or {}), "--build-option": ["--plat-name", platform]}
    return _setuptools.build_wheel(wheel_directory, settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    _compiled()
    return _setuptools.build_editable(wheel_directory, config_settings, metadata_directory)
