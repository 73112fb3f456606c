"""How a judge and a template talk: JSON objects with descriptors, over a socket of the local machine."""

from __future__ import annotations

import json
import resource
import socket
import struct
from collections.abc import Mapping, Sequence
from typing import Any

LIMITED = {
    "memory": resource.RLIMIT_AS,
    "cpu_seconds": resource.RLIMIT_CPU,
    "file_bytes": resource.RLIMIT_FSIZE,
    "processes": resource.RLIMIT_NPROC,
    "descriptors": resource.RLIMIT_NOFILE,
    "core": resource.RLIMIT_CORE,
}
"""The system's number of each limit that a request may name."""

_MOST_DESCRIPTORS = 8
_LENGTH = struct.Struct("=Q")


def send(to: socket.socket, message: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
    """Send a message, and these descriptors with it. Raises OSError where nobody is left to read it."""
    data = json.dumps(message).encode()
    socket.send_fds(to, [_LENGTH.pack(len(data))], descriptors)
    to.sendall(data)


def receive(come_by: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """The next message and its descriptors, which are the caller's to close; None where the other end is closed."""
    head, descriptors, _, _ = socket.recv_fds(come_by, _LENGTH.size, _MOST_DESCRIPTORS)
    if len(head) < _LENGTH.size:
        return None, descriptors
    (left,) = _LENGTH.unpack(head)
    pieces = []
    while left:
        piece = come_by.recv(min(left, 1 << 20))
        if not piece:
            return None, descriptors
        pieces.append(piece)
        left -= len(piece)
    message = json.loads(b"".join(pieces))
    assert isinstance(message, dict)
    return message, descriptors
