"""The judge's end of a child's channel: messages in the frames of `multiprocessing.connection`, each with a time limit.

A child that stops in the middle of a message would block a plain read or write for ever.
"""

from __future__ import annotations

import select
import socket
import struct
import time

_LENGTH, _LONG_LENGTH = struct.Struct("!i"), struct.Struct("!Q")
_IS_LONG, _LONGEST = -1, 0x7FFFFFFF
_PIECE = 1 << 20


class TooLarge(OSError):
    """A message of more bytes than are taken."""


class Messages:
    """Whole messages over a connected socket, which belongs to this object."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._poll = select.poll()
        self._poll.register(connected, select.POLLIN)

    def fileno(self) -> int:
        return self._socket.fileno()

    def poll(self, seconds: float | None) -> bool:
        """Whether a message or the other end's closing arrives within `seconds`; None waits for ever.

        Raises OSError once this end is closed.
        """
        if self._socket.fileno() < 0:
            raise OSError("closed")
        return bool(self._poll.poll(None if seconds is None else max(0.0, seconds) * 1000))

    def send(self, data: bytes, seconds: float) -> None:
        """Sends a message. Raises OSError if the other end is closed, TimeoutError if that takes longer."""
        size = len(data)
        head = _LENGTH.pack(size) if size <= _LONGEST else _LENGTH.pack(_IS_LONG) + _LONG_LENGTH.pack(size)
        self._socket.settimeout(seconds)
        self._socket.sendall(head + data)

    def receive(self, most: int, seconds: float) -> bytes:
        """Returns the next message, which has begun to arrive.

        Raises EOFError if the other end is closed, TooLarge for a message of more than `most` bytes, TimeoutError if
        its last byte is not there in time.
        """
        until = time.monotonic() + seconds
        (size,) = _LENGTH.unpack(self._read(_LENGTH.size, until))
        if size == _IS_LONG:
            (size,) = _LONG_LENGTH.unpack(self._read(_LONG_LENGTH.size, until))
        if not 0 <= size <= most:
            raise TooLarge(f"a message of {size:,} bytes, where {most:,} are the most")
        return self._read(size, until)

    def close(self) -> None:
        self._socket.close()

    def _read(self, left: int, until: float) -> bytes:
        pieces = []
        while left:
            # Zero would make the socket one that never waits.
            self._socket.settimeout(max(1e-3, until - time.monotonic()))
            piece = self._socket.recv(min(left, _PIECE))
            if not piece:
                raise EOFError
            if time.monotonic() > until:
                raise TimeoutError
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)
