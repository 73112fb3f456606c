"""What one client may ask of the server: how large a body, how slowly, and how often in vain.

ASGI middleware and counters; they know no account and no contest.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from threading import Lock

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 1 << 20
"""Bytes of a request, in all but the reports that workers hand in."""
LARGEST_OF_STRANGER = 16 << 10
"""Bytes of a request of somebody who has not shown who it is: nobody signs in with more."""
LARGEST_REPORT = 4 << 20
LARGEST_SOURCE = 1 << 18
"""Bytes of a submitted file: a quarter of a body, so that no escaping of JSON makes a legal file too large."""
BODY_SECONDS = 20.0
"""A body has to be here within this time, however steadily it drips."""


class BodyTooLarge(Exception):
    pass


class BodyTooSlow(Exception):
    pass


class TooOften(Exception):
    pass


@dataclass(frozen=True)
class Allowance:
    """What may come with one request: at most `largest` bytes, which are counted to `who`; None is never too often."""

    largest: int
    who: Hashable | None


@dataclass(frozen=True)
class Patience:
    """How many seconds the server waits for who says little.

    A request's `headers` and its `body` have to be here by then. In a live stream a comment is sent after so much
    `silence`, so that no proxy takes the connection for dead. `known` is how long a stream goes on for somebody who
    has signed out, or whose account was renewed or revoked.
    """

    headers: float = 10.0
    body: float = BODY_SECONDS
    silence: float = 15.0
    known: float = 15.0


USUAL_PATIENCE = Patience()


class BodyLimit:
    """Refuses a body that is too large, or one too many, before it is read, and one that comes too slowly.

    `allow` says from a request's head alone what may come with it. A body is read before the application is called, so
    that a slow one occupies none of its threads and a failed one never reaches a handler.
    """

    def __init__(
        self, app: ASGIApp, allow: Callable[[Scope], Awaitable[Allowance]], seconds: float = BODY_SECONDS
    ) -> None:
        self._app, self._allow, self._seconds = app, allow, seconds
        self._budget = Budget()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        announced = announced_length(scope)
        if announced is None:
            # In chunks of a byte each a small body costs as much as a large one; no browser sends any.
            await refuse(send, 411, "the request does not say how large it is: send Content-Length")
            return
        allowed = await self._allow(scope)
        limit = allowed.largest
        try:
            if announced > limit:
                raise BodyTooLarge
            if allowed.who is not None and not self._budget.spend(
                allowed.who, limit if announced is None else announced
            ):
                raise TooOften
            body = await asyncio.wait_for(read_body(receive, limit), self._seconds)
        except BodyTooLarge:
            await refuse(send, 413, f"the request is too large: at most {limit:,} bytes are read")
            return
        except TooOften:
            await refuse(send, 429, "too many requests, or too large ones: wait a minute")
            return
        except (BodyTooSlow, asyncio.TimeoutError, TimeoutError):
            await refuse(send, 408, f"the request took longer than {self._seconds:.0f} seconds to arrive")
            return
        except ConnectionError:
            return
        await self._app(scope, replay_body(body, receive), send)


def announced_length(scope: Scope) -> int | None:
    """The Content-Length, 0 where no body comes; a forged one is no harm, since the bytes are counted as well."""
    fields = dict(scope["headers"])
    value = fields.get(b"content-length", b"0")
    if b"transfer-encoding" in fields or not value.isdigit():
        return None
    return int(value[:19])


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


def replay_body(body: bytes, receive: Receive) -> Receive:
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


class Budget:
    """How many bytes each sender may still send: `burst` at once, and `rate` a second in the long run.

    A request counts as `least` bytes at least. The table is bounded; who sent nothing for longest goes first, with a
    full budget by then.
    """

    def __init__(
        self,
        burst: float = 4 << 20,
        rate: float = 32 << 10,
        least: int = 4 << 10,
        senders: int = 20_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._burst, self._rate, self._least, self._senders, self._clock = burst, rate, least, senders, clock
        self._left: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def spend(self, who: Hashable, size: int) -> bool:
        """Takes that many bytes off; False, and nothing is taken, where less is left. Called in one thread."""
        now = self._clock()
        left, since = self._left.get(who, (self._burst, now))
        left = min(self._burst, left + self._rate * (now - since))
        cost = max(size, self._least)
        enough = cost <= left
        self._left[who] = left - cost if enough else left, now
        self._left.move_to_end(who)
        while len(self._left) > self._senders:
            self._left.popitem(last=False)
        return enough


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
