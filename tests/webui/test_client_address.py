"""From where a request comes: only named proxies are believed, and whoever comes through another is on no machine."""

from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webui.client_address import client_address

HERE = ("127.0.0.1", "::1")


@pytest.mark.parametrize("peer", ["127.0.0.1", "192.0.2.7", "::1", "2001:db8::7"])
def test_without_a_proxy_it_is_who_asks(peer: str) -> None:
    assert client_address({"REMOTE_ADDR": peer}, ()) == ip_address(peer)
    assert client_address({"REMOTE_ADDR": peer}, HERE) == ip_address(peer)


@pytest.mark.parametrize(
    "field", ["X_FORWARDED_FOR", "FORWARDED", "X_FORWARDED_PROTO", "X_FORWARDED_HOST", "X_REAL_IP", "VIA"]
)
def test_through_a_proxy_that_is_not_named_it_is_nobody(field: str) -> None:
    environ = {"REMOTE_ADDR": "127.0.0.1", f"HTTP_{field}": "127.0.0.1"}
    assert client_address(environ, ()) is None
    assert client_address(environ, ("10.0.0.0/8",)) is None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"X_FORWARDED_FOR": "192.0.2.7"}, "192.0.2.7"),
        ({"X_FORWARDED_FOR": "192.0.2.7:4711"}, "192.0.2.7"),
        ({"X_FORWARDED_FOR": "2001:db8::7"}, "2001:db8::7"),
        ({"X_FORWARDED_FOR": "[2001:db8::7]:4711"}, "2001:db8::7"),
        ({"X_FORWARDED_FOR": "::ffff:192.0.2.7"}, "192.0.2.7"),
        # what stands before the last one was sent by the reader, who may write what he likes
        ({"X_FORWARDED_FOR": "127.0.0.1, 192.0.2.7"}, "192.0.2.7"),
        ({"X_FORWARDED_FOR": "127.0.0.1, 192.0.2.7, 10.1.2.3"}, "192.0.2.7"),
        ({"X_FORWARDED_FOR": "127.0.0.1,192.0.2.7 ,127.0.0.1"}, "192.0.2.7"),
        ({"X_FORWARDED_FOR": "127.0.0.1"}, "127.0.0.1"),  # asked through the proxy, on the machine itself
        ({"X_FORWARDED_FOR": "unknown"}, None),
        ({"X_FORWARDED_FOR": ""}, None),
        ({"X_FORWARDED_FOR": "127.0.0.1, nonsense"}, None),
        ({"FORWARDED": "for=192.0.2.7"}, "192.0.2.7"),
        ({"FORWARDED": 'proto=https;For="[2001:db8::7]:4711";by=10.0.0.1'}, "2001:db8::7"),
        ({"FORWARDED": "for=127.0.0.1, for=192.0.2.7;proto=https"}, "192.0.2.7"),
        ({"FORWARDED": "for=_hidden"}, None),
        ({"FORWARDED": "for=unknown"}, None),
        ({"FORWARDED": "proto=https"}, None),
        ({"X_FORWARDED_PROTO": "https"}, None),
        ({"VIA": "1.1 proxy"}, None),
        # one of the two is passed on as the reader has sent it: which, nobody knows
        ({"FORWARDED": "for=127.0.0.1", "X_FORWARDED_FOR": "192.0.2.7"}, None),
        ({"FORWARDED": "for=192.0.2.7", "X_FORWARDED_FOR": "127.0.0.1"}, None),
        ({"FORWARDED": "for=192.0.2.7", "X_FORWARDED_FOR": "192.0.2.7"}, "192.0.2.7"),
    ],
)
def test_a_named_proxy_is_believed(fields: dict[str, str], expected: str | None) -> None:
    environ = {"REMOTE_ADDR": "127.0.0.1", **{f"HTTP_{name}": value for name, value in fields.items()}}
    found = client_address(environ, ("127.0.0.1", "::1", "10.0.0.0/8"))
    assert found == (ip_address(expected) if expected else None)


def test_what_another_than_the_proxy_tells_is_not_believed() -> None:
    environ = {"REMOTE_ADDR": "192.0.2.7", "HTTP_X_FORWARDED_FOR": "127.0.0.1"}
    assert client_address(environ, HERE) is None


@given(st.text(st.characters(max_codepoint=255)), st.text(st.characters(max_codepoint=255)))
def test_whatever_is_told_is_an_address_or_none(one: str, other: str) -> None:
    environ = {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": one, "HTTP_FORWARDED": other}
    found = client_address(environ, HERE)
    assert found is None or found.is_loopback or str(found) in one.lower() + other.lower()
