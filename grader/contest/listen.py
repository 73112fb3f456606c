"""Listens on a port for the application, with limits on connections that say too little, too slowly."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from grader.contest.limits import USUAL_PATIENCE, Patience
from grader.core.errors import UsageError

PIECE = 8 << 10
"""Bytes that are read at once, and that headers may have: theirs are read by Python, line by line."""
MOST_HEADERS = 100
_TOO_MANY = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class PunctualProtocol(H11Protocol):
    """Closes a connection whose headers never come to an end, which uvicorn itself would keep for ever, or are many."""

    _overdue: asyncio.TimerHandle | None = None
    _headers = 0
    header_seconds = USUAL_PATIENCE.headers

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        # h11 counts the bytes of headers only while they are not at an end: all of a piece would be read.
        transport.max_size = PIECE  # type: ignore[attr-defined]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        if self.conn.their_state is h11.IDLE:
            head, end, _ = data.partition(b"\r\n\r\n")
            self._headers += head.count(b"\n")
            if self._headers > MOST_HEADERS:
                self.transport.write(_TOO_MANY)
                self.transport.close()
                return
            if end:
                self._headers = 0
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._overdue is not None:
            self._overdue.cancel()
        super().connection_lost(exc)

    def _watch(self) -> None:
        waiting = self.conn.their_state is h11.IDLE
        if waiting and self._overdue is None:
            self._overdue = self.loop.call_later(self.header_seconds, self.transport.close)
        elif not waiting and self._overdue is not None:
            self._overdue.cancel()
            self._overdue = None


async def nothing() -> None:
    pass


class CourteousServer(uvicorn.Server):
    """Does `first` when it is told to end, and still answers everybody until that is done."""

    def __init__(self, config: uvicorn.Config, first: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config)
        self.first = first

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self.first()
        await super().shutdown(sockets)


SWITCH_SECONDS = 0.0005
"""How long one thread may compute while others want to: a board in the making must not hold up every answer."""


def make_server(
    app: Any,
    *,
    forwarded_by: str = "127.0.0.1",
    first: Callable[[], Awaitable[None]] = nothing,
    patience: Patience = USUAL_PATIENCE,
) -> CourteousServer:
    """A server for `app`. `forwarded_by` are the addresses of proxies whose word on client and scheme is taken.

    `first` is done when it is told to end, before it answers nobody any more.
    """
    sys.setswitchinterval(SWITCH_SECONDS)

    class Protocol(PunctualProtocol):
        header_seconds = patience.headers

    config = uvicorn.Config(
        app,
        http=Protocol,
        ws="none",
        log_level="warning",
        # Addresses hold personal links: a log of them would be a list of keys.
        access_log=False,
        server_header=False,
        forwarded_allow_ips=forwarded_by,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=2,
        # The pieces above are this loop's.
        loop="asyncio",
        h11_max_incomplete_event_size=PIECE,
        backlog=2048,
    )
    return CourteousServer(config, first)


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket that listens there. Raises UsageError where somebody else does, or the address is none of ours."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise UsageError(f"'{host}' is no address of this machine: {error}", "try --host 127.0.0.1") from None
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(2048)
    except OSError as error:
        listening.close()
        hint = f"another program may listen there; try --port {port + 1}"
        raise UsageError(f"{host}:{port} can't be listened on: {error.strerror}", hint) from None
    listening.set_inheritable(False)
    return listening
