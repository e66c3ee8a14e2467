"""Serving: the address is told when it can be used, a taken port is an error of one line."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import urllib.request
from dataclasses import replace

import pytest

from webui.errors import PortTakenError, WebError
from webui.server import listen, run_server
from webui.settings import Settings


def test_a_taken_port_is_told_with_a_way_out(settings: Settings) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        taken = replace(settings, server=replace(settings.server, port=port))
        with pytest.raises(
            PortTakenError, match=rf"127\.0\.0\.1:{port}: another program already listens.*--port"
        ):
            run_server(taken)


def test_an_impossible_address_is_told() -> None:
    with pytest.raises(WebError, match="cannot listen there"):
        listen("192.0.2.1", 0)


def test_the_address_answers_when_it_is_told(settings: Settings) -> None:
    any_port = replace(settings, server=replace(settings.server, port=0))
    told: list[str] = []
    ready = threading.Event()

    def on_ready(address: str) -> None:
        told.append(address)
        ready.set()

    threading.Thread(target=run_server, args=(any_port, on_ready), daemon=True).start()
    assert ready.wait(20)
    with urllib.request.urlopen(told[0] + "healthz", timeout=20) as answer:
        assert answer.read() == b"ok\n"
        assert "Server" not in answer.headers


def test_importing_the_package_brings_no_flask_in() -> None:
    code = "import sys, webui, webui.json_shapes, webui.settings; sys.exit('flask' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
