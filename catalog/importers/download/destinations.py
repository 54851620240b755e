"""Classification of addresses: public internet, this machine, or a private network.

Neither a redirect nor a host name that resolves to a private address may make the importer request resources of the
internal network. Special-purpose addresses: RFC 6890; those that embed another: RFC 3056, 4291, 6052.
"""

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from catalog.importers.source import is_loopback

NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether an IP address is public; for one that embeds another, whether that is."""
    found: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        carried = found.ipv4_mapped or found.sixtofour
        if found in NAT64:
            carried = IPv4Address(int(found) & 0xFFFFFFFF)
        if carried is not None:
            found = carried
    return found.is_global and not found.is_multicast


def leads_inside(url: str) -> bool:
    """Whether the host of a URL has any address that is not public. Asks the resolver.

    A name that does not resolve does not count: the request fails, or a proxy resolves it.
    """
    parts = urlsplit(url)
    try:
        found = socket.getaddrinfo(parts.hostname, parts.port or 443, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return not all(is_public(str(address[0])) for *_, address in found)


def may_follow(url: str, target: str) -> bool:
    """Whether a redirect may be followed: to the public internet, or from this machine to itself."""
    if is_loopback(urlsplit(target).hostname or ""):
        return is_loopback(urlsplit(url).hostname or "")
    return not leads_inside(target)
