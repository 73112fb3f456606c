"""Live progress: one reader for all who watch, and the texts of server-sent events.

A thousand students who wait for their verdicts cost one query every half second, not a thousand. It knows no page and
no API; what is watched is a key, and what is told of it any value that compares.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Hashable, Mapping
from contextlib import suppress
from typing import Generic, TypeVar

from grader.contest.limits import USUAL_PATIENCE

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

SECONDS = 0.5
SHARE = 5.0
"""So many times as long as a look took, the next one is put off at least: watching never takes the server."""
LONGEST = 1800.0
"""Then a stream ends; a browser opens the next one by itself."""
MOST_STREAMS = 4_000
MOST_OF_ONE = 12
"""Streams that one account may hold open: a browser's tabs and a terminal or two."""


class TooManyStreams(Exception):
    pass


class Streams:
    """Who holds how many live streams: a place is taken before a stream is answered, and given back when it ends."""

    def __init__(self, of_one: int = MOST_OF_ONE, most: int = MOST_STREAMS) -> None:
        self._of_one, self._most = of_one, most
        self._held: dict[Hashable, int] = {}
        self._lock = threading.Lock()

    def take(self, who: Hashable) -> None:
        """Raises TooManyStreams where `who` holds enough of them already."""
        with self._lock:
            if self._held.get(who, 0) >= self._of_one or sum(self._held.values()) >= self._most:
                raise TooManyStreams
            self._held[who] = self._held.get(who, 0) + 1

    def give_back(self, who: Hashable) -> None:
        with self._lock:
            self._held[who] -= 1
            if not self._held[who]:
                del self._held[who]


class Hub(Generic[K, V]):
    """Tells watchers of a key whenever its value changes; `read` finds the values of many keys at once.

    `read` runs in a thread, every half second while anybody watches. When it fails, the next one is waited for: a
    database that is away for a moment ends nobody's stream. After so many seconds of `silence` a comment is sent.
    """

    def __init__(
        self,
        read: Callable[[Collection[K]], Mapping[K, V]],
        seconds: float = SECONDS,
        silence: float = USUAL_PATIENCE.silence,
    ) -> None:
        self._read, self._seconds, self._silence = read, seconds, silence
        self._watchers: dict[K, set[asyncio.Queue[V | None]]] = {}
        self._latest: dict[K, V] = {}
        self._task: asyncio.Task[None] | None = None
        self._ended = False

    async def watch(self, key: K) -> AsyncGenerator[V | None, None]:
        """The value now and after each change; None after a while without one."""
        news: asyncio.Queue[V | None] = asyncio.Queue()
        self._watchers.setdefault(key, set()).add(news)
        if key in self._latest:
            news.put_nowait(self._latest[key])
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._loop())
        try:
            ends = asyncio.get_running_loop().time() + LONGEST
            while asyncio.get_running_loop().time() < ends and not self._ended:
                yield await _within(news.get(), self._silence)
        finally:
            self._leave(key, news)

    def _leave(self, key: K, news: asyncio.Queue[V | None]) -> None:
        self._watchers[key].discard(news)
        if not self._watchers[key]:
            del self._watchers[key]
            self._latest.pop(key, None)

    async def _loop(self) -> None:
        clock = asyncio.get_running_loop().time
        while self._watchers:
            began = clock()
            with suppress(Exception):
                self._tell(await asyncio.to_thread(self._read, tuple(self._watchers)))
            await asyncio.sleep(max(self._seconds, SHARE * (clock() - began)))

    def _tell(self, values: Mapping[K, V]) -> None:
        for key, value in values.items():
            if key not in self._watchers or (key in self._latest and self._latest[key] == value):
                continue
            self._latest[key] = value
            for news in self._watchers[key]:
                news.put_nowait(value)

    def end(self) -> None:
        """Ends all streams, now and later: a server that is to end would wait for them."""
        self._ended = True
        for watchers in self._watchers.values():
            for news in watchers:
                news.put_nowait(None)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task


async def _within(value: Awaitable[V], seconds: float) -> V | None:
    try:
        return await asyncio.wait_for(value, seconds)
    except (asyncio.TimeoutError, TimeoutError):
        return None


def message(data: str, event: str = "") -> str:
    """One server-sent event. Line breaks of the data can't begin another field."""
    head = f"event: {event}\n" if event else ""
    lines = data.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return head + "".join(f"data: {line}\n" for line in lines) + "\n"


COMMENT = ": still here\n\n"
