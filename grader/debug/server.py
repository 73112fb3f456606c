"""Serves sessions: one on standard input and output, or one after the other on a port of this machine."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress

from grader.core.errors import UsageError
from grader.debug.launch import Launch, Recorder
from grader.debug.session import Session

HOST = "127.0.0.1"


def serve_stdio(record: Recorder, given: Launch | None) -> None:
    """Serves one session on the process's own streams. What else is printed goes to standard error."""
    sys.stdout.flush()
    with os.fdopen(os.dup(0), "rb") as reader, os.fdopen(os.dup(1), "wb") as writer:
        os.dup2(2, 1)
        # A client that is gone can't be told anything.
        with suppress(BrokenPipeError):
            Session(reader, writer, record, given).serve()
        with suppress(BrokenPipeError):
            writer.flush()


def serve_port(port: int, record: Recorder, given: Launch, ready: Callable[[int], None]) -> None:
    """Serves sessions on a port, 0 for any free one, until it is interrupted; `ready` is told the port.

    Whoever can open the port can debug `given`, and nothing else. Raises UsageError for a port that is taken.
    """
    try:
        listener = socket.create_server((HOST, port))
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"port {port} can't be used: {reason}", "type another one, or --port 0 for any") from None
    with listener:
        ready(listener.getsockname()[1])
        while True:
            connection, _ = listener.accept()
            _serve_connection(connection, record, given)


def _serve_connection(connection: socket.socket, record: Recorder, given: Launch) -> None:
    # A client that goes away in the middle is no failure: the next one is served.
    with suppress(OSError), connection, connection.makefile("rb") as reader, connection.makefile("wb") as writer:
        Session(reader, writer, record, given).serve()
