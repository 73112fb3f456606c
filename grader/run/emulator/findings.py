"""What a launch's events have come to so far: one finding for each kind of fault at an instruction and an array.

The one of the first block is told first, so that the report does not depend on which worker was quicker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from grader.run.emulator import layout
from grader.run.emulator.faults import Fault


@dataclass
class Finding:
    """One kind of fault at one instruction: its earliest block, in whose order of execution it came first."""

    order: tuple[int, int]
    fault: Fault
    threads: int
    weight: int = 0
    """Of several in one block the heaviest is told: a race of two warps says more than one of two lanes."""


Key = tuple[int, int, str]


class Findings:
    """By event, site and array."""

    def __init__(self) -> None:
        self._found: dict[Key, Finding] = {}

    def get(self, key: Key) -> Finding | None:
        return self._found.get(key)

    def add(self, key: Key, block: int, threads: int) -> bool:
        """Counts threads of a finding; whether it is to be described, since it is new or comes before what is known."""
        known = self._found.get(key)
        if known is None:
            return True
        known.threads += threads
        return known.order[0] > block

    def put(self, key: Key, finding: Finding) -> None:
        known = self._found.get(key)
        if known is not None:
            finding.threads = known.threads
        self._found[key] = finding

    def faults(self) -> list[Fault]:
        """All faults, the one of the first block first."""
        found = self._told(lambda kind: kind < layout.EVENT_SAME_VALUE)
        raced = {fault.array for fault in found if fault.kind == "data_race"}
        # Who reads too soon may read what is not written yet: the race is what is wrong.
        return [fault for fault in found if fault.kind != "uninitialized_read" or fault.array not in raced]

    def remarks(self) -> list[Fault]:
        """What is no fault by itself."""
        return self._told(lambda kind: kind >= layout.EVENT_SAME_VALUE)

    def _told(self, wanted: Callable[[int], bool]) -> list[Fault]:
        ordered = sorted((one for key, one in self._found.items() if wanted(key[0])), key=lambda one: one.order)
        return [replace(one.fault, threads=one.threads) for one in ordered]
