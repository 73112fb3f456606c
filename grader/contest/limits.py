"""What one client may ask of the server: how large a body, how slowly, and how often in vain.

ASGI middleware and counters; they know no account and no contest.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from threading import Lock

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 1 << 20
"""Bytes of a request, in all but the reports that workers hand in."""
LARGEST_REPORT = 16 << 20
LARGEST_SOURCE = 1 << 18
"""Bytes of a submitted file: a quarter of a body, so that no escaping of JSON makes a legal file too large."""
BODY_SECONDS = 20.0
"""A body has to be here within this time, however steadily it drips."""


class BodyTooLarge(Exception):
    pass


class BodyTooSlow(Exception):
    pass


class BodyLimit:
    """Refuses a body that is too large before it is read, and one that comes too slowly.

    A body is read before the application is called, so that a slow one occupies none of its threads and a failed one
    never reaches a handler.
    """

    def __init__(
        self, app: ASGIApp, largest: Mapping[str, int] = {}, default: int = LARGEST_BODY, seconds: float = BODY_SECONDS
    ) -> None:
        self._app, self._largest, self._default, self._seconds = app, largest, default, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        limit = self._largest.get(scope["path"], self._default)
        try:
            if announced_length(scope) > limit:
                raise BodyTooLarge
            body = await asyncio.wait_for(read_body(receive, limit), self._seconds)
        except BodyTooLarge:
            await refuse(send, 413, f"the request is too large: at most {limit:,} bytes are read")
            return
        except (BodyTooSlow, asyncio.TimeoutError, TimeoutError):
            await refuse(send, 408, f"the request took longer than {self._seconds:.0f} seconds to arrive")
            return
        except ConnectionError:
            return
        await self._app(scope, replayed(body, receive), send)


def announced_length(scope: Scope) -> int:
    """The Content-Length; a forged one is no harm, since the bytes are counted as well."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit() and len(value) < 20:
            return int(value)
    return 0


async def read_body(receive: Receive, limit: int) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionError
        body += message.get("body", b"")
        if len(body) > limit:
            raise BodyTooLarge
        if not message.get("more_body", False):
            return bytes(body)


def replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body once and then what comes from the connection."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def refuse(send: Send, status: int, message: str) -> None:
    body = json.dumps({"error": message, "hint": ""}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        # What the client still sends is not read.
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Failures:
    """Counts failed attempts by client within a window of time.

    Only failures count: a lecture hall that shares one address is not locked out by one of its members, and tokens of
    256 random bits are not found by those guesses that are left. The table is bounded; the oldest clients go first.
    """

    def __init__(
        self,
        most: int = 20,
        seconds: float = 60.0,
        clients: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._seconds, self._clients, self._clock = most, seconds, clients, clock
        self._times: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = Lock()

    def add(self, client: str) -> bool:
        """Counts one failure; whether the client has too many by now."""
        now = self._clock()
        with self._lock:
            times = self._times.setdefault(client, deque(maxlen=self._most + 1))
            self._times.move_to_end(client)
            times.append(now)
            while times[0] <= now - self._seconds:
                times.popleft()
            while len(self._times) > self._clients:
                self._times.popitem(last=False)
            return len(times) > self._most
