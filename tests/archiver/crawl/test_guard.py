"""The address guard refuses everything that is not a public address, however it is written."""

from __future__ import annotations

import socket

import pytest

from archiver.crawl.errors import AddressRefusedError
from archiver.crawl.guard import AddressGuard, refusal_of


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.9.1",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "192.0.0.8",
        "192.88.99.1",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fec0::1",
        "ff02::1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2001:0:1::1",
        "2001:db8::1",
        "nonsense",
    ],
)
def test_refuses(address: str) -> None:
    assert refusal_of(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.215.14", "2606:2800:21f:cb07::1", "::ffff:8.8.8.8"])
def test_lets_public_addresses_pass(address: str) -> None:
    assert refusal_of(address) == ""


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "LOCALHOST.",
    ],
)
def test_refuses_every_spelling_of_loopback(host: str) -> None:
    with pytest.raises((AddressRefusedError, OSError)) as caught:
        AddressGuard().check(host, 80)
    assert caught.type is AddressRefusedError or "127" not in host


def test_one_private_address_among_public_ones_is_enough() -> None:
    guard = AddressGuard(resolve=lambda host: ["8.8.8.8", "10.0.0.1"])
    with pytest.raises(AddressRefusedError, match=r"10\.0\.0\.1 is private.*--allow-private evil\.example"):
        guard.check("evil.example", 80)


def test_unusual_port_is_refused_unless_listed() -> None:
    guard = AddressGuard(ports=[3000], resolve=lambda host: ["8.8.8.8"])
    assert guard.check("a.example", 3000) == ["8.8.8.8"]
    with pytest.raises(AddressRefusedError, match="port 25"):
        guard.check("a.example", 25)


def test_a_host_named_on_the_command_line_may_be_private_but_no_other() -> None:
    guard = AddressGuard(allow_private=["box.example", "127.0.0.1:9000"], resolve=lambda host: ["127.0.0.1"])
    assert guard.check("box.example", 12345) == ["127.0.0.1"]
    assert guard.check("127.0.0.1", 9000) == ["127.0.0.1"]
    with pytest.raises(AddressRefusedError):
        guard.check("127.0.0.1", 9001)
    with pytest.raises(AddressRefusedError):
        guard.check("other.example", 80)


def test_connects_to_the_address_that_was_checked_not_to_a_later_answer() -> None:
    """A rebinding resolver: public the first time, loopback afterwards."""
    answers = [["8.8.8.8"], ["127.0.0.1"]]
    guard = AddressGuard(resolve=lambda host: answers.pop(0))
    assert guard.check("rebind.example", 80) == ["8.8.8.8"]
    assert guard.check("rebind.example", 80) == ["8.8.8.8"]
    assert len(answers) == 1


def test_own_public_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """127.0.0.1 plays a public address of this machine: both ends of the connection are then the same."""
    monkeypatch.setattr("archiver.crawl.guard.refusal_of", lambda address: "")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        guard = AddressGuard(ports=[port], resolve=lambda host: ["127.0.0.1"])
        with pytest.raises(AddressRefusedError, match="this machine"):
            guard.connect("me.example", port, 1)
