"""From where a request comes, when proxies may stand between: who is on this machine, and who only seems to be.

A proxy on this machine makes every reader's request come from this machine. Most proxies tell the address of
the reader in X-Forwarded-For or Forwarded, but so can anybody: only those of `server.proxies` are believed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

Address = IPv4Address | IPv6Address

_FORWARDING = re.compile(r"HTTP_(?:X_FORWARDED_\w+|FORWARDED|X_REAL_IP|VIA)")
_FOR = re.compile(r"""(?:^|[;,])\s*for\s*=\s*("[^"]*"|[^;,\s"]*)""", re.IGNORECASE)
_WITH_PORT = re.compile(r"\[([^\]]*)\](?::[\w.-]+)?|([0-9.]+):[\w.-]+")


def client_address(environ: Mapping[str, Any], proxies: Sequence[str]) -> Address | None:
    """Return the address that a request comes from; None when a proxy stands between that is not to be believed.

    proxies: addresses and networks of those to be believed.
    """
    peer = _address(str(environ.get("REMOTE_ADDR", "")))
    if not any(map(_FORWARDING.fullmatch, environ)):
        return peer
    if peer is None or not _is_one_of(peer, proxies):
        return None
    told = set()
    if "HTTP_X_FORWARDED_FOR" in environ:
        told.add(_last_before_proxies(str(environ["HTTP_X_FORWARDED_FOR"]).split(","), proxies))
    if "HTTP_FORWARDED" in environ:
        told.add(_last_before_proxies(_FOR.findall(str(environ["HTTP_FORWARDED"])), proxies))
    # a proxy that writes one of the fields may pass on the other as the reader has sent it
    return told.pop() if len(told) == 1 else None


def _last_before_proxies(chain: list[str], proxies: Sequence[str]) -> Address | None:
    """Return the last address of a chain that is no proxy of ours: each proxy has added the one it was asked by."""
    found: Address | None = None
    for text in reversed(chain):
        found = _address(text)
        if found is None or not _is_one_of(found, proxies):
            break
    return found


def _address(text: str) -> Address | None:
    """Return an address that is written with or without a port; None for what is none."""
    text = text.strip().strip('"')
    match = _WITH_PORT.fullmatch(text)
    try:
        found = ip_address((match[1] or match[2] if match else text).partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def _is_one_of(address: Address, networks: Sequence[str]) -> bool:
    return any(address in ip_network(network) for network in networks)
