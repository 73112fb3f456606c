"""Runs the application on a port, with limits on slow or idle connections."""

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
"""Bytes read at once, and the limit on headers, which Python parses line by line."""
MOST_HEADERS = 100
_TOO_MANY = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class PunctualProtocol(H11Protocol):
    """Closes connections whose headers are too large or never end, which uvicorn itself would keep for ever."""

    _overdue: asyncio.TimerHandle | None = None
    _headers = 0
    header_seconds = USUAL_PATIENCE.headers

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        # h11 limits only incomplete headers, so a single large read could exceed the limit.
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
    """Runs `first` when told to shut down, and keeps answering until that is done."""

    def __init__(self, config: uvicorn.Config, first: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config)
        self.first = first

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self.first()
        await super().shutdown(sockets)


SWITCH_SECONDS = 0.0005
"""Python's thread switch interval: making a scoreboard must not delay every response."""


def make_server(
    app: Any,
    *,
    forwarded_by: str = "127.0.0.1",
    first: Callable[[], Awaitable[None]] = nothing,
    patience: Patience = USUAL_PATIENCE,
) -> CourteousServer:
    """A server for `app`. `forwarded_by` are the addresses of trusted proxies, which name client and scheme.

    `first` runs on shutdown, while the server still answers.
    """
    sys.setswitchinterval(SWITCH_SECONDS)

    class Protocol(PunctualProtocol):
        header_seconds = patience.headers

    config = uvicorn.Config(
        app,
        http=Protocol,
        ws="none",
        log_level="warning",
        # Paths contain personal links: an access log would be a list of credentials.
        access_log=False,
        server_header=False,
        forwarded_allow_ips=forwarded_by,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=2,
        # PunctualProtocol's limit on reads needs asyncio's own loop.
        loop="asyncio",
        h11_max_incomplete_event_size=PIECE,
        backlog=2048,
    )
    return CourteousServer(config, first)


def bound_socket(host: str, port: int) -> socket.socket:
    """Returns a listening socket. Raises UsageError if the port is taken or the address is not this machine's."""
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
