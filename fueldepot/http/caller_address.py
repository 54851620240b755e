"""Caller address behind reverse proxies, trusted only from proxies that the operator has named.

`X-Forwarded-For` is read from the right while each sender is a trusted proxy; the first that is not is the caller.
Everything to its left may be forged. The header of other peers is ignored.
"""

from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest, HttpResponse

UNIX_SOCKET = "unix"
"""Value in TRUSTED_PROXIES for peers on the server's Unix socket."""

MOST_HOPS = 20
"""Longer chains are not trusted."""

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def read_networks(names: Sequence[str]) -> tuple[Network, ...]:
    """Return the networks among trusted proxies. Raises ValueError for names that are no network or address."""
    return tuple(ip_network(name) for name in names if name != UNIX_SOCKET)


def read_address(text: str) -> Address | None:
    """Return an address without port, brackets or zone; None if invalid. IPv4-mapped IPv6 becomes IPv4."""
    try:
        address = ip_address(text.strip())
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return None
        return address.ipv4_mapped or address
    return address


def find_caller(peer: str, forwarded: str, networks: Sequence[Network]) -> str:
    """Return the address of the caller that a trusted proxy names; the proxy's own without a trustworthy header.

    peer: the proxy, "" on a Unix socket. forwarded: the header, "" if missing. A chain with malformed entries in the
    relevant part is not trusted.
    """
    if not forwarded.strip():
        return peer
    entries = forwarded.rsplit(",", MOST_HOPS)
    hops = entries[-MOST_HOPS:]
    for entry in reversed(hops):
        hop = read_address(entry)
        if hop is None:
            return peer
        if not trusts(networks, hop):
            return str(hop)
    # Only proxies: the request originates at the farthest one, if the chain is complete.
    return peer if len(entries) > MOST_HOPS else str(read_address(hops[0]))


def trusts(networks: Sequence[Network], address: Address | None) -> bool:
    return address is not None and any(address in network for network in networks)


def forwarded_headers(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Set REMOTE_ADDR to the caller's address, and the scheme to https if a trusted proxy says so."""
    names: list[str] = settings.TRUSTED_PROXIES
    networks, trust_socket = read_networks(names), UNIX_SOCKET in names

    def answer(request: HttpRequest) -> HttpResponse:
        meta = request.META
        peer = meta.get("REMOTE_ADDR", "")
        trusted = bool(networks) and trusts(networks, read_address(peer)) if peer else trust_socket
        meta["fueldepot.from_proxy"] = trusted
        if trusted:
            scheme = meta.get("HTTP_X_FORWARDED_PROTO", "").strip().lower()
            if scheme in {"http", "https"}:
                meta["wsgi.url_scheme"] = scheme
            meta["REMOTE_ADDR"] = find_caller(peer, meta.get("HTTP_X_FORWARDED_FOR", ""), networks)
        return get_response(request)

    return answer


def network_of(address: str, prefix: int) -> str:
    """Return an IPv4 address as it is, of an IPv6 address the network with a prefix of so many bits."""
    parsed = read_address(address) if ":" in address else None
    return str(ip_network((parsed, prefix), strict=False) if isinstance(parsed, IPv6Address) else parsed or address)
