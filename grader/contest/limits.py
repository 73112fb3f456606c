"""Limits per client: size and speed of request bodies, and number of failed attempts.

ASGI middleware and counters, independent of accounts and contests.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from threading import Lock

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 1 << 20
"""Largest request body in bytes, except for workers' reports."""
LARGEST_FORM = 3 << 20
"""Largest form of a problem's page in bytes: more than its editor takes, so that a page can say what is too large."""
LARGEST_OF_STRANGER = 16 << 10
"""Largest request body in bytes from an unauthenticated sender; signing in needs less."""
LARGEST_REPORT = 4 << 20
LARGEST_SOURCE = 1 << 18
"""Largest submitted file in bytes: a quarter of a body, so that JSON escaping can't make a legal file too large."""
LARGEST_DRAFT = 2 * LARGEST_SOURCE + (16 << 10)
"""Largest form that carries a text to keep: in a form's text each end of a line takes two bytes."""
BODY_SECONDS = 20.0
"""Seconds within which a body has to arrive completely."""


class BodyTooLarge(Exception):
    pass


class BodyTooSlow(Exception):
    pass


class TooOften(Exception):
    pass


@dataclass(frozen=True)
class Allowance:
    """The limit on one request: at most `largest` bytes, charged to `who`; None is not rate-limited."""

    largest: int
    who: Hashable | None


@dataclass(frozen=True)
class Patience:
    """How many seconds the server waits for who says little.

    A request's `headers` and its `body` have to be here by then. In a live stream a comment is sent after so much
    `silence`, so that no proxy takes the connection for dead. `known` is how long a stream goes on for somebody who
    has signed out, or whose account was renewed or revoked. Pages ask for `news` again after so long.
    """

    headers: float = 10.0
    body: float = BODY_SECONDS
    silence: float = 15.0
    known: float = 15.0
    news: float = 30.0


USUAL_PATIENCE = Patience()


class BodyLimit:
    """Refuses bodies that are too large or too frequent before reading them, and bodies that arrive too slowly.

    `allow` decides from a request's headers alone. The body is read before the application is called, so that a slow
    one occupies no thread and a failed one never reaches a handler.
    """

    def __init__(
        self,
        app: ASGIApp,
        allow: Callable[[Scope], Awaitable[Allowance]],
        refuse: Callable[[Scope, int, str], Awaitable[ASGIApp]],
        seconds: float = BODY_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app, self._allow, self._refuse, self._seconds = app, allow, refuse, seconds
        self._budget = Budget(clock=clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return

        async def refuse(status: int, message: str) -> None:
            answer = await self._refuse(scope, status, message)
            await answer(scope, receive, send)

        announced = announced_length(scope)
        if announced is None:
            # A small body in one-byte chunks costs as much as a large one; browsers don't send chunked bodies.
            await refuse(411, "the request does not say how large it is: send Content-Length")
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
            await refuse(413, f"the request is too large: at most {limit:,} bytes are read")
            return
        except TooOften:
            await refuse(429, "too many requests, or too large ones: wait a minute")
            return
        except (BodyTooSlow, asyncio.TimeoutError, TimeoutError):
            await refuse(408, f"the request took longer than {self._seconds:.0f} seconds to arrive")
            return
        except ConnectionError:
            return
        await self._app(scope, replay_body(body, receive), send)


def announced_length(scope: Scope) -> int | None:
    """The Content-Length, 0 without a body, None if it is unknown. A forged one does no harm: bytes are counted."""
    fields = dict(scope["headers"])
    value = fields.get(b"content-length", b"0")
    if b"transfer-encoding" in fields or not value.isdigit():
        return None
    # More digits than any limit has are too many, whatever they are; zeros before it count for nothing.
    return int(value.lstrip(b"0")[:19] or b"0")


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
    """Returns a `receive` that gives the body once, then what comes from the connection."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


class Budget:
    """A token bucket of bytes per sender: `burst` bytes at once, `rate` bytes per second in the long run.

    A request counts as at least `least` bytes. The table is bounded; the sender silent for longest is dropped first,
    whose budget is full again by then.
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
        """Takes `size` bytes off; returns False and takes nothing if fewer are left. Not thread-safe."""
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
    """Counts failed attempts per client within a time window.

    Only failures count, so that one member does not lock out a lecture hall that shares an address; the guesses left
    can't find tokens of 256 random bits. The table is bounded; the oldest clients are dropped first.
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
        """Counts one failure; returns whether the client has too many now."""
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
