"""Finds two unordered steps of a plan that touch the same bytes, one of them writing.

It keeps, for each array and lane, the last step that read and that wrote each byte: if the last step of a lane is
ordered, all of the lane are. The caller says what the steps touch, and in which order they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from grader.run.order import LANES, Place
from grader.sandbox.serving import Message

Mask = NDArray[np.bool_]

READ, WRITE, ATOMIC = "read", "write", "update"
AT_ODDS = (
    (WRITE, WRITE),
    (WRITE, READ),
    (READ, WRITE),
    (ATOMIC, WRITE),
    (WRITE, ATOMIC),
    (ATOMIC, READ),
    (READ, ATOMIC),
)
"""What two steps may not do concurrently. Atomics may."""

_BY_KERNEL = {READ: "read", WRITE: "written", ATOMIC: "updated"}
_DONE = {
    "memset": {WRITE: "is set by the memset"},
    "copy": {READ: "is read by the copy", WRITE: "is written by the copy"},
    "upload": {WRITE: "is written by the copy from the host"},
    "download": {READ: "is read by the copy to the host"},
    "alloc": {WRITE: "is allocated by cudaMallocAsync()"},
    "free": {WRITE: "is freed by cudaFreeAsync()"},
}

HINT = (
    "Record an event behind {first} (cudaEventRecord) and let the other stream wait for it before {second} "
    "(cudaStreamWaitEvent), synchronise between them, or put both on one stream"
)
DEFAULT_HINT = ". A stream made with cudaStreamNonBlocking and the default stream do not wait for each other"


@dataclass(frozen=True)
class Touched:
    """What a step does with one array: by byte, where it reads, writes, and updates by strong accesses."""

    reads: Mask
    writes: Mask
    atomics: Mask

    def of(self, does: str) -> Mask:
        return {READ: self.reads, WRITE: self.writes, ATOMIC: self.atomics}[does]


@dataclass(frozen=True)
class Crossing:
    """Two unordered steps; the first was recorded first. `offset` is the first byte that they share."""

    address: int
    offset: int
    first: Message
    first_does: str
    second: Message
    second_does: str

    def message(self, what: str) -> str:
        """Returns the fault's message; `what` names the place."""
        one, two = _doing(self.first, self.first_does), _doing(self.second, self.second_does)
        return f"data race between two launches in {what}: it {one}, and in another stream {two}, in no order"

    @property
    def hint(self) -> str:
        lines = [
            f"line {step['line']}" if step.get("line") else f"the {step['do']}" for step in (self.first, self.second)
        ]
        hint = HINT.format(first=lines[0], second=lines[1])
        return hint + (DEFAULT_HINT if 0 in (self.first["stream"], self.second["stream"]) else "")


@dataclass
class _History:
    """One array: by access and lane, for each byte the number of the last step that made it; 0 for none."""

    last: dict[tuple[str, int], NDArray[np.int32]] = field(default_factory=dict)


class Crossings:
    """The accesses of one run of a plan."""

    def __init__(self) -> None:
        self._arrays: dict[int, _History] = {}
        self._steps: dict[tuple[int, int], Message] = {}
        self._ends = np.zeros(LANES, np.int64)

    def see(self, step: Message, place: Place, touched: Mapping[int, Touched]) -> Crossing | None:
        """Records the next step and what it does with the arrays at these addresses; returns its first crossing."""
        found = None
        for address, of in touched.items():
            found = found or self._crossing(step, place, address, of)
        for address, of in touched.items():
            self._remember(place, address, of)
        self._steps[place.lane, place.number] = step
        self._ends[place.lane] = place.number
        return found

    def forget(self, address: int) -> None:
        """Forgets the array at this address, which is replaced by another."""
        self._arrays.pop(address, None)

    def _crossing(self, step: Message, place: Place, address: int, of: Touched) -> Crossing | None:
        history = self._arrays.get(address)
        lanes = [lane for lane in np.flatnonzero(self._ends > place.before).tolist() if lane != place.lane]
        if history is None or not lanes:
            return None
        spans = {now: span for now in (READ, WRITE, ATOMIC) if (span := _span(of.of(now)))}
        for lane in lanes:
            for before, now in AT_ODDS:
                last = history.last.get((before, lane))
                if last is None or now not in spans:
                    continue
                span = spans[now]
                both = (last[span] > place.before[lane]) & of.of(now)[span]
                if both.any():
                    offset = span.start + int(both.argmax())
                    first = self._steps[lane, int(last[offset])]
                    return Crossing(address, offset, first, before, step, now)
        return None

    def _remember(self, place: Place, address: int, of: Touched) -> None:
        history = self._arrays.setdefault(address, _History())
        for what in (READ, WRITE, ATOMIC):
            mask = of.of(what)
            if span := _span(mask):
                key = (what, place.lane)
                if key not in history.last:
                    history.last[key] = np.zeros(mask.size, np.int32)
                history.last[key][span][mask[span]] = place.number


def _span(mask: Mask) -> slice | None:
    """Returns the range from the first to the last true element; None if there is none. Most steps touch few bytes."""
    first = int(mask.argmax())
    return slice(first, mask.size - int(mask[::-1].argmax())) if mask.size and mask[first] else None


def _doing(step: Message, does: str) -> str:
    if step["do"] == "launch":
        done = f"is {_BY_KERNEL[does]} by {step['kernel']}"
    else:
        done = _DONE[step["do"]][does]
    return f"{done} of line {step['line']}" if step.get("line") else done
