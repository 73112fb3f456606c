"""Races between the steps of a plan on the emulator: what each step touches, and which steps are unordered.

A plan on one stream costs nothing. If streams leave steps unordered, the records of the race checks show what every
launch reads and writes, except for launches too large for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from grader.core.verdict import FaultClass
from grader.plan.extents import base64_bytes
from grader.run.crossings import Crossing, Crossings, Touched
from grader.run.emulator import layout
from grader.run.emulator.memory import Memory
from grader.run.emulator.names import source_name
from grader.run.order import Order, other_way, uses_streams
from grader.sandbox.serving import Message

_WORD = 4
"""The element size in bytes of memory without a type."""


class Between:
    """Checks one run of a plan, whose steps come in one piece or more."""

    def __init__(self) -> None:
        self._order: Order | None = None
        self._crossings = Crossings()
        self._watches = False
        self.found_open = False
        """Whether there were unordered steps."""

    def begin(self, steps: Sequence[Message], memory: Memory, other: bool = False) -> Sequence[Message]:
        """Begins the next piece; returns its steps in the order to run them.

        With `other`, that is a different order than the recorded one, if streams allow one.
        """
        if self._order is None and uses_streams(steps):
            self._order = Order()
        self._watches = self._order is not None and self._order.leaves_open(steps)
        self.found_open = self.found_open or self._watches
        steps = other_way(steps) if self._watches and other else steps
        # What each step touches was recorded in the first order.
        self._watches = memory.watch.everything = self._watches and not other
        return steps

    def around(self, step: Message, memory: Memory, run: Callable[[Message], Message]) -> Message:
        """Runs one step by `run`; returns its outcome, a fault if it races with a step before it."""
        place = self._order.see(step) if self._order is not None else None
        outcome = run(step)
        if not self._watches or outcome.get("status", "done") != "done":
            return outcome
        if step["do"] == "alloc":
            self._crossings.forget(step["address"])
        crossing = self._crossings.see(step, place, _touched(step, memory)) if place is not None else None
        return outcome if crossing is None else {**outcome, "status": "fault", "fault": _fault(crossing, memory)}


def _touched(step: Message, memory: Memory) -> Mapping[int, Touched]:
    """Returns what the step has done with each array, by the array's address."""
    if step["do"] == "launch":
        found = memory.watch.touched().items()
        return {layout.array_address(slot): Touched(*masks) for slot, masks in found}
    touched: dict[int, Touched] = {}
    for writes, address, size in _spans(step, memory):
        array = memory.at(address)
        if array is not None:
            none = (np.zeros(array.data.nbytes, np.bool_) for _ in range(3))
            of = touched.setdefault(array.address, Touched(*none))
            offset = address - array.address
            (of.writes if writes else of.reads)[offset : offset + size] = True
    return touched


def _spans(step: Message, memory: Memory) -> list[tuple[bool, int, int]]:
    """Returns (whether it is written, address, bytes) of all that a step other than a launch touches."""
    do = step["do"]
    if do == "copy":
        return [(False, step["source"], step["size"]), (True, step["target"], step["size"])]
    if do == "download":
        return [(False, step["source"], step["size"])]
    if do == "upload":
        return [(True, step["target"], base64_bytes(step["data"]))]
    if do == "free":
        array = memory.at(step["address"])
        return [(True, step["address"], array.data.nbytes if array is not None else 0)]
    return [(True, step["address"], step["size"])]


def _fault(crossing: Crossing, memory: Memory) -> Message:
    array = memory.at(crossing.address)
    assert array is not None
    is_variable = crossing.address < layout.array_address(layout.FIRST_ARRAY_SLOT)
    itemsize = _WORD if array.plain or is_variable else array.itemsize
    name, index, extent = source_name(array.name), crossing.offset // itemsize, array.data.nbytes // itemsize
    last = crossing.second if crossing.second["do"] == "launch" else crossing.first
    return {
        "fault": str(FaultClass.DATA_RACE),
        "message": crossing.message(f"{name}: index {index} of {extent} element{'' if extent == 1 else 's'}"),
        "hint": crossing.hint,
        "line": crossing.second.get("line"),
        "kernel": last.get("kernel", ""),
        "array": name,
        "index": index,
        "extent": extent,
    }
