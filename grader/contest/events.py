"""Live updates: one reader for all watchers, and the text of server-sent events.

A thousand students waiting for verdicts cost one query every half second, not a thousand. Watchers watch keys, whose
values may be anything comparable; pages and API are elsewhere.
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
"""The pause between reads is at least this many times the duration of a read, so watching can't overload the server."""
LONGEST = 1800.0
"""Longest duration of a stream in seconds; a browser reconnects by itself."""
MOST_STREAMS = 4_000
MOST_OF_ONE = 12
"""Open streams per account: a browser's tabs and a terminal or two."""


class TooManyStreams(Exception):
    pass


class Streams:
    """Counts open live streams by holder: a place is taken before a stream starts and given back when it ends."""

    def __init__(self, of_one: int = MOST_OF_ONE, most: int = MOST_STREAMS) -> None:
        self._of_one, self._most = of_one, most
        self._held: dict[Hashable, int] = {}
        self._lock = threading.Lock()

    def take(self, who: Hashable) -> None:
        """Takes a place for `who`. Raises TooManyStreams if `who` or everybody together has too many."""
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
    """Notifies the watchers of a key whenever its value changes; `read` returns the values of many keys at once.

    `read` runs in a thread every half second while anybody watches. If it fails, it is tried again next time, so a
    database that is briefly unavailable ends no stream. After `silence` seconds without news a comment is sent, so that
    no proxy considers the connection dead.
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
        """Yields the current value, then the value after each change, and None after SILENCE without one."""
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
        """Ends all streams, present and future; a server that shuts down would wait for them."""
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
    """Formats one server-sent event. Line breaks in the data can't start another field."""
    head = f"event: {event}\n" if event else ""
    lines = data.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return head + "".join(f"data: {line}\n" for line in lines) + "\n"


COMMENT = ": still here\n\n"
