"""Which addresses a page may be fetched from: only public ones, so that no page can reach into a private network."""

import asyncio
import ipaddress
import socket

from ..state.errors import ToolError

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_SPECIAL = [
    ipaddress.ip_network(network)
    for network in (
        "192.0.0.0/24",  # for protocols; a cloud's own services answer at 192.0.0.192
        "192.88.99.0/24",  # relays to IPv6 that no longer exist
        "168.63.129.16/32",  # public by its number, but on every Azure machine it is the host's own services
        "64:ff9b:1::/48",  # translation to IPv4 within a private network
        "3fff::/20",  # documentation
        "5f00::/16",  # routes within a network
    )
]
"""Networks that are not public, although not every Python's `ipaddress` says so."""


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host name.

    Raises:
        ToolError: If the name is not known.
    """
    try:
        entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ToolError(f"the host {host} is not known") from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


async def public_addresses(host: str, port: int) -> list[str]:
    """The addresses of a host, all of which are public.

    The caller has to connect to one of these addresses, not to the name, which may stand for another a moment later.

    Raises:
        ToolError: If an address of the host is private or reserved.
    """
    addresses = await resolve(host, port)
    for address in addresses:
        if not is_public(address):
            raise ToolError(
                f"{host} has a private or reserved address ({address}), which is not fetched: "
                "the operator can allow it with `allow_private_addresses`"
            )
    return addresses


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet, whatever other address it is wrapped in."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    return ip.is_global and not (
        ip.is_private
        or ip.is_loopback
        or ip.is_link_local
        or ip.is_multicast
        or ip.is_reserved
        or ip.is_unspecified
        or any(ip in network for network in _SPECIAL)
        or (isinstance(ip, ipaddress.IPv6Address) and ip.is_site_local)
    )
