"""Tells whether a request comes from a program of the user who runs this server, on this machine.

Such a request needs no token where the server is bound to a loopback address. Whatever hints at a proxy, at a name that
another site may have pointed here (DNS rebinding), or at another user of this machine, makes it an ordinary request.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address
from pathlib import Path

from starlette.requests import HTTPConnection

FORWARDED = ("forwarded", "via", "x-real-ip", "x-client-ip", "client-ip", "true-client-ip", "cf-connecting-ip")
TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
ESTABLISHED = "01"


def is_loopback(host: str) -> bool:
    """Whether this is `localhost` or a loopback address; a name that only resolves to one is not."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_own(request: HTTPConnection) -> bool:
    """Whether the request was sent to a loopback name, straight over loopback, by this user's own program."""
    client, names = request.client, request.headers.getlist("host")
    if client is None or not is_loopback(client.host) or len(names) != 1 or not is_loopback(_host(names[0])):
        return False
    if any(name in FORWARDED or name.startswith("x-forwarded") for name in request.headers):
        return False
    if not _is_of_this_site(request):
        return False
    return users_of((client.host, client.port), request.scope["server"]) == [os.getuid()]


def can_tell_users() -> bool:
    """Whether this system says whose connections are. Where it does not, nobody is taken for the owner."""
    return any(table.is_file() for table in TABLES)


def _is_of_this_site(request: HTTPConnection) -> bool:
    """Whether a browser sends this for a page of this site, or as somebody opens an address or follows a link.

    The owner has no cookie that another site's scripts and images would come without.
    """
    if request.headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
        return True
    return request.scope["method"] == "GET" and all(
        request.headers.get(f"sec-fetch-{name}") == value
        for name, value in (("mode", "navigate"), ("dest", "document"))
    )


def _host(header: str) -> str:
    """The host in a Host header, without its port; empty if it has another form."""
    name, colon, port = header.strip().lower().rpartition(":")
    host = name if colon and port.isdigit() and (name[-1:] == "]" or ":" not in name) else header.strip().lower()
    return host[1:-1] if host[:1] == "[" and host[-1:] == "]" else host


Address = tuple[str, int]


def users_of(client: Address, server: Address, tables: Sequence[Path] = TABLES) -> list[int]:
    """The users whose open connections on this machine join these ends: one, or none if it is no more open.

    Addresses count as much as ports: another user can bind the port of the owner's browser on 127.0.0.2.
    """
    ends = _number(*client), _number(*server)
    rows = [row.split() for table in tables if table.is_file() for row in table.read_text().splitlines()[1:]]
    # A connection that its program has closed has no inode any more, and is listed as root's.
    open_ones = [row for row in rows if row[3] == ESTABLISHED and row[9] != "0"]
    return [int(row[7]) for row in open_ones if (_listed(row[1]), _listed(row[2])) == ends]


def _number(host: str, port: int) -> tuple[int, int]:
    """An address as one of IPv6, in which one of IPv4 has a form too, and a port."""
    address = ip_address(host.partition("%")[0])
    return int(address if isinstance(address, IPv6Address) else IPv6Address(f"::ffff:{address}")), port


def _listed(row: str) -> tuple[int, int]:
    """The same of an end in a table: words of 32 bits in hexadecimal, each in this machine's order of bytes."""
    host, _, port = row.partition(":")
    words = [int(host[i : i + 8], 16).to_bytes(4, sys.byteorder) for i in range(0, len(host), 8)]
    data = b"".join(words)
    return int.from_bytes(data if len(data) == 16 else bytes(10) + b"\xff\xff" + data, "big"), int(port, 16)
