"""Tells whether a request comes from a program of the user who runs this server, on this machine.

Such a request needs no token where the server is bound to a loopback address. Whatever hints at a proxy, at a name that
another site may have pointed here (DNS rebinding), or at another user of this machine, makes it an ordinary request.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from ipaddress import ip_address
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
    _, port = request.scope["server"]
    return all(user == os.getuid() for user in users_of(client.port, port))


def _host(header: str) -> str:
    """The host in a Host header, without its port; empty if it has another form."""
    name, colon, port = header.strip().lower().rpartition(":")
    host = name if colon and port.isdigit() and (name[-1:] == "]" or ":" not in name) else header.strip().lower()
    return host[1:-1] if host[:1] == "[" and host[-1:] == "]" else host


def users_of(client: int, server: int, tables: Sequence[Path] = TABLES) -> list[int]:
    """The users whose open connections on this machine join these ports: one, or -1 if the connection is gone.

    Where the system keeps no table of connections nothing is known, and the list is empty.
    """
    known = [table.read_text().splitlines()[1:] for table in tables if table.is_file()]
    if not known:
        return []
    rows = [row.split() for table in known for row in table]
    # A connection that its program has closed has no inode any more, and is listed as root's.
    open_ones = [row for row in rows if row[3] == ESTABLISHED and row[9] != "0"]
    return [int(row[7]) for row in open_ones if (_port(row[1]), _port(row[2])) == (client, server)] or [-1]


def _port(address: str) -> int:
    return int(address.rpartition(":")[2], 16)
