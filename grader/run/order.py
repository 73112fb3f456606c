"""The order of the steps of a plan, as streams, events and waits of the host guarantee it, and nothing more.

A step is identified by its lane and its number there. Its clock says what it comes after: by lane, the last number.
Sources: CUDA C++ Programming Guide, "Streams"; CUDA Runtime API, "Stream synchronization behavior" and "API
synchronization behavior".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.core.plan import ALL_STREAMS, DEFAULT_STREAM, NON_BLOCKING
from grader.sandbox.serving import Message

Clock = NDArray[np.int64]

_BLOCKING = 32
LANES = 2 * _BLOCKING
"""Lanes from _BLOCKING on are of streams that are not ordered with the default stream, lane 0. If there are many
streams, some share a lane: that adds order, and no false race is reported.
"""

WORK = ("launch", "memset", "copy", "upload", "download", "alloc", "free")


@dataclass(frozen=True)
class Place:
    """A step's position: its lane, its number there, and what comes before it."""

    lane: int
    number: int
    before: Clock


class Order:
    """Orders steps, given as `step_to_json` makes them in the recorded order."""

    def __init__(self) -> None:
        self._clocks: Clock = np.zeros((LANES, LANES), np.int64)
        """What the next step of each lane comes after, by its own stream."""
        self._host: Clock = np.zeros(LANES, np.int64)
        self._events: dict[int, Clock] = {}

    def see(self, step: Message) -> Place | None:
        """Returns the position of the next step; None for a step that only orders others, and for cudaMalloc's."""
        do, stream = step["do"], step.get("stream", DEFAULT_STREAM)
        if do == "record_event":
            self._events[step["event"]] = self._enter(stream).copy()
        elif do == "wait_event" and step["event"] in self._events:
            waits = self._host if stream == ALL_STREAMS else self._enter(stream)
            np.maximum(waits, self._events[step["event"]], out=waits)
        elif do == "synchronize":
            done = self._clocks.max(axis=0) if stream == ALL_STREAMS else self._enter(stream)
            np.maximum(self._host, done, out=self._host)
        elif do in WORK and stream != ALL_STREAMS:
            return self._work(do, stream)
        return None

    def is_open(self, place: Place) -> bool:
        """Returns whether the step is unordered with some step before it."""
        others = self._clocks.diagonal() > place.before
        others[place.lane] = False
        return bool(others.any())

    def leaves_open(self, steps: Sequence[Message]) -> bool:
        """Returns whether one of these next steps is unordered with another, or may be with a later one."""
        ahead = Order()
        ahead._clocks, ahead._host, ahead._events = self._clocks.copy(), self._host.copy(), dict(self._events)
        for step in steps:
            place = ahead.see(step)
            if place is not None and ahead.is_open(place):
                return True
        return bool(steps) and steps[-1]["do"] == "synchronize" and bool((ahead._clocks.diagonal() > ahead._host).any())

    def _work(self, do: str, stream: int) -> Place:
        lane, clock = _lane(stream), self._enter(stream)
        before = clock.copy()
        clock[lane] += 1
        if do == "upload" and stream == DEFAULT_STREAM:
            # cudaMemcpy from pageable memory has copied when it returns.
            np.maximum(self._host, clock, out=self._host)
        return Place(lane, int(clock[lane]), before)

    def _enter(self, stream: int) -> Clock:
        lane = _lane(stream)
        clock: Clock = self._clocks[lane]
        np.maximum(clock, self._host, out=clock)
        if lane == 0:
            np.maximum(clock, self._clocks[:_BLOCKING].max(axis=0), out=clock)
        elif lane < _BLOCKING:
            np.maximum(clock, self._clocks[0], out=clock)
        return clock


def other_way(steps: Sequence[Message]) -> list[Message]:
    """Returns the steps in another order that they allow: of unordered steps, the last recorded comes first.

    Steps of the host keep their place.
    """
    order, done = Order(), np.zeros(LANES, np.int64)
    result: list[Message] = []
    waiting: list[deque[tuple[int, Place, Message]]] = [deque() for _ in range(LANES)]

    def run_all() -> None:
        while True:
            heads = (lane[0] for lane in waiting if lane)
            ready = [head for head in heads if (head[1].before <= done).all()]
            if not ready:
                return
            _, place, step = max(ready, key=lambda head: head[0])
            waiting[place.lane].popleft()
            done[place.lane] = place.number
            result.append(step)

    for number, step in enumerate(steps):
        place = order.see(step)
        if place is not None:
            waiting[place.lane].append((number, place, step))
        elif step["do"] in WORK:
            run_all()
            result.append(step)
    run_all()
    return result


def _lane(stream: int) -> int:
    if stream == DEFAULT_STREAM:
        return 0
    if stream < NON_BLOCKING:
        return 1 + (stream - 1) % (_BLOCKING - 1)
    return _BLOCKING + stream % _BLOCKING


def uses_streams(steps: Sequence[Any]) -> bool:
    """Returns whether some of these steps are on another stream than the default one."""
    return any(step.get("stream", DEFAULT_STREAM) not in (DEFAULT_STREAM, ALL_STREAMS) for step in steps)
