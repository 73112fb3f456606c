"""Collects what the sites of a journal accessed into the columns of a Trace, in the order of the journal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.replay.model import GLOBAL, SPACES, Accesses
from grader.run.emulator.translate.noting import Note


@dataclass(frozen=True)
class Group:
    """What one site of the code did, each lane by itself, in order."""

    note: Note
    steps: NDArray[Any]
    entries: NDArray[Any]
    threads: NDArray[Any]
    where: NDArray[Any]
    values: NDArray[Any]


@dataclass
class Columns:
    step: list[NDArray[Any]] = field(default_factory=list)
    thread: list[NDArray[Any]] = field(default_factory=list)
    space: list[NDArray[Any]] = field(default_factory=list)
    target: list[NDArray[Any]] = field(default_factory=list)
    offset: list[NDArray[Any]] = field(default_factory=list)
    size: list[NDArray[Any]] = field(default_factory=list)
    value: list[NDArray[Any]] = field(default_factory=list)
    call: list[NDArray[Any]] = field(default_factory=list)
    entry: list[NDArray[Any]] = field(default_factory=list)
    sure: list[NDArray[Any]] = field(default_factory=list)

    def add(self, accesses: Group, chosen: NDArray[Any], offsets: Any, **same: Any) -> None:
        """Adds the chosen accesses of a group; `same` are the columns that all have alike, or a column each."""
        count = int(chosen.sum())
        self.thread.append(accesses.threads[chosen])
        self.value.append(accesses.values[chosen].astype(np.uint64))
        self.step.append(accesses.steps[chosen])
        self.entry.append(accesses.entries[chosen])
        self.sure.append(np.full(count, accesses.note.sure))
        for name, value in {"offset": offsets, **same}.items():
            getattr(self, name).append(np.broadcast_to(np.asarray(value, np.int64), count))

    def accesses(self) -> Accesses:
        """All of them, ordered by step, in each by entry, without those that may find a value again and do."""
        if not self.thread:
            return Accesses()
        joined = {name: np.concatenate(parts) for name, parts in vars(self).items()}
        order = np.argsort(joined.pop("entry"), kind="stable")
        ordered = {name: column[order] for name, column in joined.items()}
        kept = np.flatnonzero(ordered["sure"] | ~_repeats(ordered))
        kept = kept[np.argsort(ordered["step"][kept], kind="stable")]
        del ordered["sure"]
        return Accesses(**{name: column[kept] for name, column in ordered.items()})


def _repeats(ordered: dict[str, NDArray[Any]]) -> NDArray[np.bool_]:
    """Which accesses find the value that the last one by the same thread to the same place left."""
    same = ("space", "target", "thread", "offset", "call", "size", "value")
    order = np.lexsort([np.arange(len(ordered["space"])), *(ordered[name] for name in reversed(same[:5]))])
    alike = np.ones(max(len(order) - 1, 0), np.bool_)
    for name in same:
        column = ordered[name][order]
        alike &= column[1:] == column[:-1]
    repeats = np.zeros(len(order), np.bool_)
    repeats[order[1:]] = alike
    return repeats


def values_after(where: NDArray[np.uint64], before: NDArray[np.uint64], last: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """What each lane's atomic left: the value that the next lane at the same place found, and in the end the last."""
    after: NDArray[np.uint64] = last.copy()
    following: dict[int, int] = {}
    for lane in reversed(range(len(where))):
        address = int(where[lane])
        if address in following:
            after[lane] = before[following[address]]
        following[address] = lane
    return after


def read_first(reads: Accesses, writes: Accesses, target: int, size: int) -> dict[int, int]:
    """The elements of a global array that were read before they were written, by index: what they held (bits) where
    the accesses begin. `size` is an element's, in bytes."""
    space = SPACES.index(GLOBAL)
    written: dict[int, int] = {}
    here = (writes.space == space) & (writes.target == target)
    for offset, step in zip(writes.offset[here].tolist(), writes.step[here].tolist(), strict=True):
        written.setdefault(offset // size, step)
    found: dict[int, int] = {}
    here = (reads.space == space) & (reads.target == target) & (reads.size == size)
    columns = (getattr(reads, name)[here].tolist() for name in ("offset", "step", "value"))
    for offset, step, value in zip(*columns, strict=True):
        if step <= written.get(offset // size, step):
            found.setdefault(offset // size, value)
    return found
