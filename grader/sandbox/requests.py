"""The protocol between judge and template: JSON objects with descriptors, over a local socket."""

from __future__ import annotations

import json
import resource
import socket
import struct
from collections.abc import Mapping, Sequence
from typing import Any

LIMITED = {
    "memory": resource.RLIMIT_AS,
    "data": resource.RLIMIT_DATA,
    "cpu_seconds": resource.RLIMIT_CPU,
    "file_bytes": resource.RLIMIT_FSIZE,
    "processes": resource.RLIMIT_NPROC,
    "descriptors": resource.RLIMIT_NOFILE,
    "core": resource.RLIMIT_CORE,
}
"""The system's constant for each limit that a request may name."""

_MOST_DESCRIPTORS = 8
_LENGTH = struct.Struct("=Q")


def send(to: socket.socket, message: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
    """Sends a message with these descriptors. Raises OSError if the other end is closed."""
    data = json.dumps(message).encode()
    socket.send_fds(to, [_LENGTH.pack(len(data))], descriptors)
    to.sendall(data)


def receive(come_by: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """Returns the next message and its descriptors, which the caller closes; None if the other end is closed."""
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
