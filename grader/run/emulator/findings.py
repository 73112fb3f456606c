"""Collects the findings of a launch: one for each kind of fault at an instruction and an array.

Findings are ordered by block, so that the report does not depend on which worker was faster.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from grader.run.emulator import layout
from grader.run.emulator.faults import Fault


@dataclass
class Finding:
    """One kind of fault at one instruction; `order` is (block, count of events), from the earliest block."""

    order: tuple[int, int]
    fault: Fault
    threads: int
    weight: int = 0
    """Decides which of several in one block is reported: a race of two warps says more than one of two lanes."""


Key = tuple[int, int, str]


class Findings:
    """The findings of a launch by event, site and array."""

    def __init__(self) -> None:
        self._found: dict[Key, Finding] = {}

    def get(self, key: Key) -> Finding | None:
        return self._found.get(key)

    def add(self, key: Key, block: int, threads: int) -> bool:
        """Counts threads of a finding; returns whether to describe it, because it is new or from an earlier block."""
        known = self._found.get(key)
        if known is None:
            return True
        known.threads += threads
        return known.order[0] > block

    def put(self, key: Key, finding: Finding) -> None:
        """Adds a described finding; one with the same key gives way, but its count of threads stays."""
        known = self._found.get(key)
        if known is not None:
            finding.threads = known.threads
        self._found[key] = finding

    def faults(self) -> list[Fault]:
        """Returns all faults, ordered by block."""
        found = self._ordered_faults(lambda kind: kind < layout.EVENT_SAME_VALUE)
        raced = {fault.array for fault in found if fault.kind == "data_race"}
        # A thread that reads too early may read unwritten memory: then the race is the error.
        return [fault for fault in found if fault.kind != "uninitialized_read" or fault.array not in raced]

    def remarks(self) -> list[Fault]:
        """Returns what is no fault by itself."""
        return self._ordered_faults(lambda kind: kind >= layout.EVENT_SAME_VALUE)

    def _ordered_faults(self, wanted: Callable[[int], bool]) -> list[Fault]:
        ordered = sorted((one for key, one in self._found.items() if wanted(key[0])), key=lambda one: one.order)
        return [replace(one.fault, threads=one.threads) for one in ordered]
