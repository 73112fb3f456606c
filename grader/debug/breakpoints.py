"""What stops a run through a Trace: lines, accesses to memory, marked faults; with conditions and counts of hits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from grader.debug.conditions import parse_condition
from grader.debug.expressions import is_true
from grader.debug.recorded import BUILT_INS, Recorded
from grader.debug.scope import ThreadScope
from grader.debug.values import EvaluationError, Place
from grader.replay.model import GLOBAL, LANES, SHARED, SPACES, VARIABLE, Accesses
from grader.replay.trace import Trace

Column = NDArray[np.int64]
CONSTANT, CHANGING = range(2)
"""The parts of a condition."""
CONSTANTS = frozenset((*BUILT_INS, "warpSize"))
"""Names that mean the same to a thread at all steps."""
LINE, DATA, MARK = "line", "data", "mark"
READ, WRITE, READ_WRITE = "read", "write", "readWrite"

_COUNT = re.compile(r"\s*(==|>=|<=|>|<|%|)\s*(\d{1,9})\s*")
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "": lambda hits, count: hits == count,
    "==": lambda hits, count: hits == count,
    ">=": lambda hits, count: hits >= count,
    ">": lambda hits, count: hits > count,
    "<=": lambda hits, count: hits <= count,
    "<": lambda hits, count: hits < count,
    "%": lambda hits, count: count > 0 and hits % count == 0,
}


@dataclass(eq=False)
class Breakpoint:
    """A reason to stop. `threads` are the steps that may stop, each with the threads that do what is waited for.

    A step stops if the condition holds in one of these threads and `allowed` says it may; steps that do are counted
    as hits. `words` say what the breakpoint waits for. `log` is a message to print instead of stopping.
    `file` and `line` are of a line; `place`, `size` in bytes and `access` of data.
    """

    number: int
    kind: str
    words: str
    memory: Recorded
    threads: dict[int, tuple[int, ...]]
    allowed: Callable[[int], bool] = lambda thread: True
    condition: str = ""
    count: str = ""
    log: str = ""
    file: int = 0
    line: int = 0
    place: Place | None = None
    size: int = 0
    access: str = ""
    trouble: str = ""
    """Why the condition could not be computed where it first failed, "" if it always could."""
    _hits: dict[int, tuple[int, ...]] = field(default_factory=dict)
    _ordinals: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.steps = sorted(self.threads)
        # Both raise EvaluationError for what can't be parsed.
        self._condition = parse_condition(self.condition, CONSTANTS) if self.condition.strip() else None
        self._chosen: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._counted = count_condition(self.count)

    def hits_in(self, step: int) -> tuple[int, ...]:
        """The threads that hit in this step: none if the condition or the count of hits says no."""
        hits = self._holding(step)
        return hits if hits and (self._counted is None or self._counted(self._ordinal(step))) else ()

    def forget(self) -> None:
        """Forgets which steps hit: after a change of which threads may."""
        self._hits.clear()
        self._ordinals.clear()
        self._chosen.clear()

    def _holding(self, step: int) -> tuple[int, ...]:
        if step not in self._hits:
            threads = self.threads[step]
            # threadIdx.x == 3 chooses threads once, and not anew in each of many steps.
            if threads not in self._chosen:
                self._chosen[threads] = tuple(t for t in threads if self.allowed(t) and self._holds(step, t, CONSTANT))
            self._hits[step] = tuple(t for t in self._chosen[threads] if self._holds(step, t, CHANGING))
        return self._hits[step]

    def _holds(self, step: int, thread: int, part: int) -> bool:
        if self._condition is None:
            return True
        try:
            return is_true(self._condition[part](ThreadScope(self.memory, step, thread)))
        except EvaluationError as error:
            self.trouble = self.trouble or str(error)
            return False

    def _ordinal(self, step: int) -> int:
        """How many steps up to this one hit."""
        if not self._ordinals:
            hits = 0
            for each in self.steps:
                hits += bool(self._holding(each))
                self._ordinals[each] = hits
        return self._ordinals[step]


def count_condition(text: str) -> Callable[[int], bool] | None:
    """What decides by the number of hits: `5` or `== 5`, `>= 5`, `% 10`; None for no text. Raises EvaluationError."""
    if not text.strip():
        return None
    found = _COUNT.fullmatch(text)
    if found is None:
        raise EvaluationError(f"{text[:40]} is not a count of hits; expected is 5, >= 5 or % 10")
    compare, count = _COMPARISONS[found[1]], int(found[2])
    return lambda hits: compare(hits, count)


@lru_cache(maxsize=4096)
def lanes_of(warp: int, mask: int) -> tuple[int, ...]:
    """The threads of a warp whose bits are set."""
    return tuple(warp * LANES + lane for lane in range(LANES) if mask >> lane & 1)


def line_steps(memory: Recorded, file: int, line: int) -> dict[int, tuple[int, ...]]:
    """The steps that begin a line, with their threads.

    Left out are threads that only go on with the line: after a call, or after lanes that took another branch of it.
    """
    steps = memory.trace.steps
    found = np.flatnonzero((steps.line == line) & (steps.file == file)).tolist()
    previous = _previous_of_warp(memory)
    begun = {at: _beginning(memory.trace, previous, at) for at in found}
    return {at: lanes_of(int(steps.warp[at]), mask) for at, mask in begun.items() if mask}


def _beginning(trace: Trace, previous: Sequence[int], step: int) -> int:
    """The lanes, as bits, whose own step before this one was not on this line."""
    left = int(trace.steps.mask[step])
    beginning, before = left, previous[step]
    while left and before >= 0:
        same = left & int(trace.steps.mask[before])
        if same and goes_on(trace, before, step):
            beginning &= ~same
        left, before = left & ~same, previous[before]
    return beginning


def function_steps(memory: Recorded, functions: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """The steps in which lanes of a warp enter one of these functions, with their threads."""
    steps = memory.trace.steps
    found = np.flatnonzero(np.isin(steps.function, np.array(functions, np.int64))).tolist()
    entered: set[tuple[int, int, int]] = set()
    chosen = {}
    for at in found:
        warp, mask, parent = int(steps.warp[at]), int(steps.mask[at]), int(steps.parent[at])
        new = tuple(t for t in lanes_of(warp, mask) if (t, parent, int(steps.function[at])) not in entered)
        entered |= {(t, parent, int(steps.function[at])) for t in new}
        if new:
            chosen[at] = new
    return chosen


def goes_on(trace: Trace, previous: int, step: int) -> bool:
    """Whether a thread whose step before was `previous` is still on the same line of the same call at `step`."""
    steps = trace.steps
    depth = steps.depth[step]
    while previous >= 0 and steps.depth[previous] > depth:
        previous = int(steps.parent[previous])
    return previous >= 0 and all(
        column[previous] == column[step]
        for column in (steps.line, steps.depth, steps.parent, steps.function, steps.file)
    )


def _previous_of_warp(memory: Recorded) -> list[int]:
    """Returns for each step the warp's step before it, -1 for its first."""
    warp = memory.trace.steps.warp
    order = np.argsort(warp, kind="stable")
    found = np.full(len(warp), -1)
    if len(order) > 1:
        same = warp[order][1:] == warp[order][:-1]
        found[order[1:][same]] = order[:-1][same]
    previous: list[int] = found.tolist()
    return previous


def access_steps(memory: Recorded, place: Place, size: int, access: str) -> dict[int, tuple[int, ...]]:
    """The steps that write or read `size` bytes at a place, with the threads that do."""
    trace = memory.trace
    found: dict[int, list[int]] = {}
    for wanted, accesses in ((READ, trace.reads), (WRITE, trace.writes)):
        if access in (wanted, READ_WRITE):
            for at in _matching(memory, accesses, place, size):
                threads = found.setdefault(int(accesses.step[at]), [])
                if (thread := int(accesses.thread[at])) not in threads:
                    threads.append(thread)
    return {step: tuple(threads) for step, threads in found.items()}


def _matching(memory: Recorded, accesses: Accesses, place: Place, size: int) -> Iterator[int]:
    if place.space not in (VARIABLE, SHARED, GLOBAL):
        return iter(())
    hits = (accesses.space == SPACES.index(place.space)) & (accesses.target == place.target)
    hits &= (accesses.offset < place.offset + size) & (accesses.offset + accesses.size > place.offset)
    if place.space == VARIABLE:
        hits &= accesses.thread == place.thread
    if place.space == SHARED:
        stride = memory.trace.block_warps * LANES
        hits &= accesses.thread // stride == place.thread // stride
    return iter(np.flatnonzero(hits).tolist())


def mark_steps(memory: Recorded, kinds: Sequence[str]) -> dict[int, tuple[int, ...]]:
    """The steps of faults and other marks of these kinds, with the threads at fault."""
    found: dict[int, tuple[int, ...]] = {}
    for mark in memory.trace.marks:
        if mark.kind in kinds and 0 <= mark.step < len(memory.trace):
            found.setdefault(mark.step, (max(mark.thread, 0),))
    return found
