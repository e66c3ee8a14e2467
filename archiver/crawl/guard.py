"""The address guard: which machines a crawl may talk to; used by the fetcher for every connection.

A page, a redirect or a robots.txt can name any host, and a name can resolve to
any address, a different one each time. So a host is resolved once, every
address is checked, and the connection goes to the checked address itself.
"""

from __future__ import annotations

import ipaddress
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from threading import Lock

from archiver.crawl.errors import AddressRefusedError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str], list[str]]
"""A function from a host name to its addresses; raises OSError when there are none."""

USUAL_PORTS = frozenset({80, 443, 8080, 8443})
_CACHE_SECONDS = 300.0
_CACHE_HOSTS = 10_000
# What `is_global` lets pass although it leads inside: tunnels and translations
# that wrap an IPv4 address, and blocks that are reserved in all but name.
_REFUSED_NETWORKS = tuple(
    ipaddress.ip_network(n)
    for n in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "::/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    )
)


def system_resolve(host: str) -> list[str]:
    """Return every address the system knows for the host, each once, in its order of preference."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in found))


def refusal_of(address: str) -> str:
    """Return why nobody on the public web has this address; "" for a public one."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "not an address"
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.scope_id:
            return "bound to one network interface"
        if parsed.ipv4_mapped is not None:
            return refusal_of(str(parsed.ipv4_mapped))
    if parsed.is_loopback:
        return "loopback"
    if parsed.is_link_local:
        return "link-local"
    if parsed.is_multicast:
        return "multicast"
    if parsed.is_private or parsed.is_reserved or parsed.is_unspecified or not parsed.is_global:
        return "private or reserved"
    if any(parsed in network for network in _REFUSED_NETWORKS if network.version == parsed.version):
        return "reserved, or a tunnel to another address"
    return ""


class AddressGuard:
    """Resolves hosts, checks their addresses and opens connections to checked addresses only.

    allow_private: hosts, as names, addresses or `host:port`, that may have any
        address; they come from the command line alone.
    ports: further ports that may be contacted on any host.
    resolve: replaces the system's resolver, for tests.
    """

    def __init__(
        self,
        *,
        allow_private: Iterable[str] = (),
        ports: Iterable[int] = (),
        resolve: Resolve = system_resolve,
    ) -> None:
        self._allowed = frozenset(entry.strip().strip("[]").rstrip(".").lower() for entry in allow_private)
        self._ports = USUAL_PORTS | frozenset(ports)
        self._resolve = resolve
        self._cache: OrderedDict[str, tuple[float, list[str]]] = OrderedDict()
        self._lock = Lock()

    def is_allowed_private(self, host: str, port: int) -> bool:
        """Is the host named on the command line?"""
        host = _plain(host)
        return (
            host in self._allowed or f"{host}:{port}" in self._allowed or f"[{host}]:{port}" in self._allowed
        )

    def addresses(self, host: str) -> list[str]:
        """Return the addresses of the host, resolved at most once in five minutes; OSError when there are none."""
        host = _plain(host)
        now = time.monotonic()
        with self._lock:
            known = self._cache.get(host)
            if known is not None and known[0] > now:
                return known[1]
        try:
            found = self._resolve(host)
        except UnicodeError as error:
            raise OSError(f"not a host name: {host!r}") from error
        if not found:
            raise OSError(f"no address for {host}")
        with self._lock:
            self._cache[host] = (now + _CACHE_SECONDS, found)
            self._cache.move_to_end(host)
            if len(self._cache) > _CACHE_HOSTS:
                self._cache.popitem(last=False)
        return found

    def check(self, host: str, port: int) -> list[str]:
        """Return the addresses to connect to. AddressRefusedError if any, or the port, is not allowed."""
        if self.is_allowed_private(host, port):
            return self.addresses(host)
        found = self.addresses(host)
        for address in found:
            refusal = refusal_of(address)
            if refusal:
                raise AddressRefusedError(
                    f"{host}: its address {address} is {refusal}; "
                    f"to crawl it all the same, start with --allow-private {host}"
                )
        if port not in self._ports:
            raise AddressRefusedError(
                f"{host}: port {port} is not among {', '.join(map(str, sorted(self._ports)))}; "
                f"list it under `ports` in the job file to allow it"
            )
        return found

    def connect(self, host: str, port: int, timeout_s: float) -> socket.socket:
        """Return a socket connected to a checked address of the host.

        Raises AddressRefusedError, or the OSError of the last address tried.
        """
        problem: OSError = OSError(f"no address for {host}")
        for address in self.check(host, port)[:4]:
            try:
                connection = _connected(address, port, timeout_s)
            except OSError as error:
                problem = error
                continue
            try:
                self._check_peer(connection, host, port, address)
            except BaseException:
                connection.close()
                raise
            return connection
        raise problem

    def _check_peer(self, connection: socket.socket, host: str, port: int, address: str) -> None:
        peer, own = str(connection.getpeername()[0]), str(connection.getsockname()[0])
        if peer != address and ipaddress.ip_address(peer) != ipaddress.ip_address(address):
            raise AddressRefusedError(f"{host}: connected to {peer} although {address} was meant")
        # A public address can be this machine's own; only then both ends are the same.
        if peer == own and not self.is_allowed_private(host, port):
            raise AddressRefusedError(
                f"{host}: its address {peer} is this machine; "
                f"to crawl it all the same, start with --allow-private {host}"
            )


def _connected(address: str, port: int, timeout_s: float) -> socket.socket:
    """Return a connection. The system need not be asked what an address of IPv4 means, which takes half of the time."""
    if ":" in address:
        return socket.create_connection((address, port), timeout_s)
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout_s)
        connection.connect((address, port))
    except BaseException:
        connection.close()
        raise
    return connection


def _plain(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()
