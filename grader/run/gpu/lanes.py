"""A plan's streams and events on CUDA streams that begin and end with one: what overlaps in the plan may overlap here.

It is made for capture into a graph, where streams have to be forked from the captured one and joined to it again. It
knows only the order of steps, not what they do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.core.plan import ALL_STREAMS, DEFAULT_STREAM

MOST_LANES = 32
"""Streams with higher numbers share a lane: that adds order and loses none."""


class Lanes:
    """One pass through a plan. `main` is the stream that all others are forked from; `side` returns others by number.

    The plan's default stream is `main`. It is CUDA's legacy one: work on it waits for all other streams, and they wait
    for it (CUDA Runtime API, stream synchronization behavior). Streams made with cudaStreamNonBlocking are treated as
    blocking ones, an order that they allow.
    `mark` returns a new event. Streams have `record(event)` and `wait_event(event)`, like CuPy's.
    """

    def __init__(self, main: Any, side: Callable[[int], Any], mark: Callable[[], Any]) -> None:
        self._main = main
        self._side = side
        self._mark = mark
        self._events: dict[int, Any] = {}
        self._open: dict[int, Any] = {}
        """Lanes with work that the main stream does not wait for yet."""
        self._version = 0
        """Counts what later work of all lanes has to wait for; `_seen` says how far each lane does."""
        self._seen: dict[int, int] = {}

    def stream(self, number: int) -> Any:
        """Returns the CUDA stream for the next step of the plan's stream."""
        if number == DEFAULT_STREAM:
            self._close_all()
            self._version += 1
            return self._main
        return self._lane(number)

    def record_event(self, event: int, stream: int) -> None:
        place, self._events[event] = self.stream(stream), self._mark()
        place.record(self._events[event])

    def wait_event(self, event: int, stream: int) -> None:
        if event not in self._events:
            return
        if stream == ALL_STREAMS:
            self._main.wait_event(self._events[event])
            self._version += 1
        else:
            self.stream(stream).wait_event(self._events[event])

    def synchronize(self, stream: int) -> None:
        """Lets later work of all streams wait for the work so far of this one, or of all."""
        if stream in (ALL_STREAMS, DEFAULT_STREAM):
            self._close_all()
        else:
            self._close(stream % MOST_LANES)
        self._version += 1

    def join(self) -> None:
        """Ends the pass: the main stream waits for everything."""
        self._close_all()

    def _lane(self, number: int) -> Any:
        lane = number % MOST_LANES
        stream = self._open.get(lane) or self._side(lane)
        if self._seen.get(lane) != self._version:
            stream.wait_event(self._recorded(self._main))
            self._seen[lane] = self._version
        self._open[lane] = stream
        return stream

    def _close(self, lane: int) -> None:
        if lane in self._open:
            self._main.wait_event(self._recorded(self._open.pop(lane)))

    def _close_all(self) -> None:
        for lane in sorted(self._open):
            self._close(lane)

    def _recorded(self, stream: Any) -> Any:
        event = self._mark()
        stream.record(event)
        return event
