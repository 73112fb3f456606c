"""The child's side of the connection to the judge: its channel, and the answers to the judge's messages."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

from grader.core import errors

MESSAGE_LIMIT = 256 << 20
"""The longest message in bytes, either way. Arrays belong in shared memory."""

Message = dict[str, Any]
"""A JSON object."""

CHANNEL, MEMORY = "KGRADE_CHANNEL", "KGRADE_MEMORY"
"""The child's variables for its end of the channel, with the judge's process, and for the shared memory."""
NO_PARENT = 0
"""Stands in the channel's variable where the parent is another program: only the channel shows that the judge lives."""
FAILURE = "kgrade failure"
"""The key of an answer that is an error."""
_PR_SET_PDEATHSIG = 1


class Channel:
    """The child's side of the connection to the judge."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def receive(self) -> dict[str, Any]:
        """Returns the next message. Raises EOFError if the judge has ended or closed the child."""
        try:
            message = json.loads(self._connection.recv_bytes(MESSAGE_LIMIT))
        except OSError as error:
            raise EOFError from error
        assert isinstance(message, dict)
        return message

    def send(self, message: Mapping[str, Any]) -> None:
        self._connection.send_bytes(json.dumps(message, separators=(",", ":")).encode())


def shared_memory() -> int:
    """The child's descriptor of the memory shared with the judge; can be called once."""
    descriptor = int(os.environ.pop(MEMORY))
    os.set_inheritable(descriptor, False)
    return descriptor


def child_connection() -> Channel:
    """The channel to the judge, for a module started by a Child; to be called once, before anything else."""
    try:
        descriptor, parent = (int(number) for number in os.environ.pop(CHANNEL).split(":"))
    except KeyError:
        raise errors.UsageError("this module is started by kgrade itself and does nothing alone") from None
    if parent == NO_PARENT:
        _end_with(descriptor)
    else:
        if sys.platform == "linux":
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        # The judge may have died before the line above took effect.
        if os.getppid() != parent:
            os._exit(1)
    os.set_inheritable(descriptor, False)
    return Channel(Connection(descriptor))


def _end_with(descriptor: int) -> None:
    """Kills this process and its group when the other end of the channel closes, because the judge has ended."""

    def watch() -> None:
        poll = select.poll()
        # No events are requested: a hang-up is always reported, and this thread does not read messages.
        poll.register(descriptor, 0)
        poll.poll()
        # A confined process may not send signals; it has no group to kill either.
        with contextlib.suppress(PermissionError):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def by_name(*operations: Callable[..., Message]) -> Callable[[Message], Message]:
    """A handler that calls the operation named by a request's `do` with the request's other entries."""
    known = {operation.__name__: operation for operation in operations}

    def answer(request: Message) -> Message:
        return known[request.pop("do")](**request)

    return answer


def serve(handler: Callable[[dict[str, Any]], Mapping[str, Any]], channel: Channel | None = None) -> None:
    """Answers each of the judge's messages with `handler`'s result, until the judge closes the child.

    An error of the handler is raised again in the judge, as its own class if it is in `grader.core.errors`.
    """
    channel = channel or child_connection()
    while True:
        try:
            message = channel.receive()
        except EOFError:
            return
        try:
            answer = handler(message)
        except EOFError:
            return
        except errors.KgradeError as error:
            answer = {FAILURE: {"type": type(error).__name__, "message": error.message, "hint": error.hint}}
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            answer = {FAILURE: {"type": "", "message": text, "hint": traceback.format_exc()}}
        channel.send(answer)
