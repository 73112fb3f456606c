"""Finds the places to look at in a Trace, from the result of the case: a fault, race, wait, or wrong write."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose, isfinite, prod

import numpy as np

from grader.core.report import CaseResult, ElementError, FaultReport
from grader.core.verdict import FaultClass, Verdict
from grader.replay.decode import scalar
from grader.replay.model import (
    DEADLOCK,
    FAULT,
    FIRST_WRONG_WRITE,
    GLOBAL,
    RACE,
    RELEASE,
    SHARED,
    SPACES,
    WAITING,
    WAITS,
    Accesses,
    Column,
    GlobalArray,
    Mark,
    SharedArray,
)
from grader.replay.trace import Trace

_ACCESS = re.compile(
    r"(?:read|write|atomic\w*) by thread \((\d+), (\d+), (\d+)\)"
    r"(?: of block \((\d+), (\d+), (\d+)\))?(?: on line (\d+))?"
)
_CHANGED = re.compile(r"changed the input array (\w+), first at \w+\[([\d,]+)\]")
NOBODY = "no thread of this block wrote {array}[{index}]"
ELSEWHERE = "The case fails in block ({block}); this is the one that was asked for."
FIRST_WRITE = "{array}[{index}] gets {value} here, and {expected} was expected"
_OWN_FAULTS = (FaultClass.OUT_OF_BOUNDS, FaultClass.MISALIGNED, FaultClass.TRAP)
ENDS = "this launch ends here; it is solve() that does not end"
ROUNDED = 0.01
"""How much two builds of one kernel may differ by rounding."""
MOST_TOUCHES = 400
"""Accesses to one element, of which each pair is looked at."""
STILL_RUNNING = "still running here when the recording ended"


def mark(trace: Trace, result: CaseResult, is_cut: bool = False) -> Trace:
    """The trace with the marks of this result, and with the values that were expected of outputs.

    One that `is_cut` may have the write of another wrong element than the first.
    """
    fault = result.fault
    marks: list[Mark] = []
    if fault is None:
        trace = _with_expected(trace, result)
        marks = _wrong_writes(trace, result, is_cut)
        if result.verdict is Verdict.TIME_LIMIT_EXCEEDED:
            marks = [_end(trace, result)]
    elif fault.fault is FaultClass.DATA_RACE:
        marks = _races(trace, fault)
    elif fault.fault is FaultClass.DEADLOCK:
        marks = [_deadlock(trace, fault)]
    own = [each for each in trace.marks if each.step >= 0 and (fault is None or _line(trace, each) == fault.line)]
    if fault is not None and not marks:
        marks = own[:1] or [_fault(trace, fault)]
    kept = {(each.kind, each.step, each.thread) for each in marks}
    others = [each for each in trace.marks if (each.kind, each.step, each.thread) not in kept and each.step >= 0]
    return replace(trace, marks=(*marks, *others))


def mark_chosen(trace: Trace, result: CaseResult) -> Trace:
    """The trace of a block that was asked for, with what is wrong in this block itself."""
    marked = mark(trace, result)
    if result.fault is not None and result.fault.block not in (None, *trace.blocks):
        where = ", ".join(map(str, result.fault.block or ()))
        marked = replace(trace, remarks=(*trace.remarks, ELSEWHERE.format(block=where)))
    return replace(marked, marks=tuple(each for each in marked.marks if each.step >= 0))


def mark_end(trace: Trace) -> Trace:
    """The trace of a launch that ends, by a solve() that does not, with a mark where it does."""
    if not len(trace):
        return trace
    last = len(trace) - 1
    return replace(trace, marks=(Mark(FAULT, ENDS, last, _first_thread(trace, last)),))


def happens_again(trace: Trace, marked: Trace, result: CaseResult) -> bool:
    """Whether a block that was recorded alone did what it did in the grading, as far as can be told.

    Its fault has to be the recording's own; a wrong element has to get about the same value, since a debug build may
    round otherwise.
    """
    if result.fault is not None:
        own = (_line(trace, each) for each in trace.marks)
        return result.fault.fault not in _OWN_FAULTS or not result.fault.line or result.fault.line in own
    write = next((each for each in marked.marks if each.kind == FIRST_WRONG_WRITE and each.step >= 0), None)
    wrong = None if write is None else _wrong_elements(result).get((write.array, write.index))
    if wrong is None or write is None or not isfinite(wrong.got):
        return True
    number, array = next((n, each) for n, each in enumerate(marked.arrays) if each.name == write.array)
    type = marked.types[array.type]
    bits = marked.elements_at(number, len(marked), [write.index]).get(write.index)
    got = None if bits is None else float(scalar(type, bits))
    return got is not None and isclose(got, wrong.got, rel_tol=ROUNDED, abs_tol=ROUNDED)


def is_shown(trace: Trace, marked: Trace, result: CaseResult, is_cut: bool) -> bool:
    """Whether a recording has what the report tells; one that `is_cut` may lack it, and have the same line where it was
    right a few times."""
    if all(each.step < 0 for each in marked.marks):
        return False
    if not is_cut or result.fault is None:
        return True
    if result.fault.fault is FaultClass.DATA_RACE:
        return any(each.kind == RACE for each in marked.marks)
    return happens_again(trace, marked, result)


def first_wrong(result: CaseResult, shapes: Mapping[str, Sequence[int]]) -> tuple[str, int] | None:
    """The array and the flat index of the first wrong element; None if none is known.

    That is an output's, or an input's that the kernel changed. `shapes` are those of the arrays.
    """
    for output in result.outputs:
        for element in output.elements:
            return output.array, _flat(element.index, output.shape)
    changed = _CHANGED.search(result.message)
    if changed is None or changed[1] not in shapes:
        return None
    index = [int(position) for position in changed[2].split(",")]
    return (changed[1], _flat(index, shapes[changed[1]])) if len(index) == len(shapes[changed[1]]) else None


def _flat(index: Sequence[int], shape: Sequence[int]) -> int:
    flat = 0
    for position, extent in zip(index, shape, strict=True):
        flat = flat * extent + position
    return flat


def _line(trace: Trace, mark: Mark) -> int | None:
    return int(trace.steps.line[mark.step]) if mark.step >= 0 else None


# Wrong elements


def _with_expected(trace: Trace, result: CaseResult) -> Trace:
    expected = {
        output.array: {_flat(element.index, output.shape): element.expected for element in output.elements}
        for output in result.outputs
    }
    return replace(trace, arrays=tuple(replace(each, expected=expected.get(each.name, {})) for each in trace.arrays))


def _wrong_elements(result: CaseResult) -> dict[tuple[str, int], ElementError]:
    """The wrong elements that the report knows, by array and flat index, in its order."""
    return {
        (output.array, _flat(element.index, output.shape)): element
        for output in result.outputs
        for element in output.elements
    }


def _wrong_writes(trace: Trace, result: CaseResult, is_cut: bool) -> list[Mark]:
    first = first_wrong(result, {array.name: array.shape for array in trace.arrays})
    if first is None:
        return []
    known = _wrong_elements(result)
    for name, index in (first, *(known if is_cut else ())):
        number = next((n for n, array in enumerate(trace.arrays) if array.name == name), None)
        size = trace.types[trace.arrays[number].type].size if number is not None else 0
        write = None if number is None else trace.who_wrote(GLOBAL, number, index * size, len(trace))
        if write is not None:
            wrong, words = known.get((name, index)), result.message
            if wrong is not None:
                values = {"value": f"{wrong.got:g}", "expected": f"{wrong.expected:g}"}
                words = FIRST_WRITE.format(array=name, index=index, **values)
            return [Mark(FIRST_WRONG_WRITE, words, write.step, write.thread, array=name, index=index, space=GLOBAL)]
    name, index = first
    words = NOBODY.format(array=name, index=index)
    return [Mark(FIRST_WRONG_WRITE, words, array=name, index=index, space=GLOBAL)]


def _end(trace: Trace, result: CaseResult) -> Mark:
    """Where a block that does not come to an end is: the last step, at the line of the report if it has one."""
    steps = np.flatnonzero(trace.steps.line == result.line) if result.line else np.zeros(0, np.int64)
    step = int(steps[-1]) if len(steps) else len(trace) - 1
    return Mark(FAULT, result.message or STILL_RUNNING, step, _first_thread(trace, step))


# Faults


def _first_thread(trace: Trace, step: int) -> int:
    mask = int(trace.steps.mask[step])
    return 32 * int(trace.steps.warp[step]) + (mask & -mask).bit_length() - 1


def _fault(trace: Trace, fault: FaultReport) -> Mark:
    """The fault of the report: where its thread came to its line last, else where anybody did."""
    steps = np.flatnonzero(trace.steps.line == fault.line) if fault.line else np.zeros(0, np.int64)
    index = -1 if fault.index is None else fault.index
    given = {"array": fault.array, "index": index, "space": _space_of(trace, fault.array)}
    if not len(steps):
        return Mark(FAULT, fault.message, array=fault.array, index=index, space=given["space"])  # type: ignore[arg-type]
    if fault.thread is not None and fault.block in (None, *trace.blocks):
        thread = trace.thread_at(fault.thread, fault.block)
        own = np.intersect1d(steps, trace.steps_of(thread))
        if len(own):
            step = _first_access(trace, own, fault, thread)
            return Mark(FAULT, fault.message, step, thread, **given)  # type: ignore[arg-type]
    step = int(steps[0])
    return Mark(FAULT, fault.message, step, _first_thread(trace, step), **given)  # type: ignore[arg-type]


def _first_access(trace: Trace, steps: Column, fault: FaultReport, thread: int) -> int:
    """The first of these steps in which the thread accesses what the fault names; else the first of all."""
    place = _place_of(trace, fault)
    if place is not None:
        for step in steps.tolist():
            for each in (*trace.reads_in(step), *trace.writes_in(step)):
                own = each.thread == thread and (each.space, each.target) == place[:2]
                if own and each.offset < place[3] and each.offset + each.size > place[2]:
                    return int(step)
    return int(steps[0])


def _place_of(trace: Trace, fault: FaultReport) -> tuple[str, int, int, int] | None:
    """The space, array and bytes (begin, end) that a fault names: its index counts elements as wide as its access."""
    space = _space_of(trace, fault.array)
    if not space or fault.index is None:
        return None
    declared: Sequence[SharedArray | GlobalArray] = trace.shared if space == SHARED else trace.arrays
    number, found = next((n, each) for n, each in enumerate(declared) if each.name == fault.array)
    size = trace.types[found.type].size
    if fault.extent and size * prod(found.shape) % fault.extent == 0:
        size = size * prod(found.shape) // fault.extent
    return space, number, fault.index * size, (fault.index + 1) * size


def _space_of(trace: Trace, array: str) -> str:
    if any(each.name == array for each in trace.shared):
        return SHARED
    return GLOBAL if any(each.name == array for each in trace.arrays) else ""


# Deadlocks


def _deadlock(trace: Trace, fault: FaultReport) -> Mark:
    """Who waits at the fault's line, and as the other thread one that is not there: gone, or waiting elsewhere."""
    end = len(trace)
    waiting = [thread for thread in trace.threads() if trace.state_of(thread, end) == WAITING]
    at = {thread: trace.waits_at(thread, end) for thread in waiting}
    here = [t for t in waiting if at[t] is not None and int(trace.steps.line[at[t] or 0]) == fault.line] or waiting
    if not here:
        return replace(_fault(trace, fault), kind=DEADLOCK)
    step = at[here[0]] or 0
    lines = {t: int(trace.steps.line[at[t] or 0]) for t in waiting}
    others = [t for t in trace.threads() if lines.get(t) != lines[here[0]]]
    other = others[0] if others else -1
    last = trace.last_step_of(other, end) if other >= 0 else None
    return Mark(DEADLOCK, fault.message, step, here[0], -1 if last is None else last, other)


# Races


@dataclass(frozen=True)
class _Side:
    """One access of a race: by which thread, on which line (None: not known)."""

    thread: int
    line: int | None


def _sides(trace: Trace, fault: FaultReport) -> list[_Side]:
    sides = []
    for x, y, z, *block, line in _ACCESS.findall(fault.message):
        where = (int(block[0]), int(block[1]), int(block[2])) if block[0] else fault.block
        if where in trace.blocks:
            thread = trace.thread_at((int(x), int(y), int(z)), where)
            sides.append(_Side(thread, int(line) if line else None))
    return sides


@dataclass(frozen=True)
class _Touch:
    step: int
    thread: int
    writes: bool


def _races(trace: Trace, fault: FaultReport) -> list[Mark]:
    """The two accesses of a race: those of the report where they are in the trace, else two like them."""
    place = _place_of(trace, fault)
    if place is None:
        return []
    space, number, begin, end = place
    touches = _touches(trace, space, number, begin, end)
    sides = _sides(trace, fault)
    named = [touch for touch in touches if touch.thread in {side.thread for side in sides}]
    # An element that all threads read is touched too often for all pairs to be looked at.
    found = _unordered(trace, fault, sides, named) or _unordered(trace, fault, sides, touches)
    if found is None:
        return []
    one, other = found
    second = other
    if int(trace.steps.line[other.step]) != fault.line and int(trace.steps.line[one.step]) == fault.line:
        second, one = one, other
    # No barrier lies between the two: an order is missing before the later one.
    missing = max(one.step, second.step)
    declared: Sequence[SharedArray | GlobalArray] = trace.shared if space == SHARED else trace.arrays
    index = begin // trace.types[declared[number].type].size
    return [
        Mark(
            *(RACE, fault.message, second.step, second.thread, one.step, one.thread),
            *(fault.array, index, space, missing),
        )
    ]


def _unordered(
    trace: Trace, fault: FaultReport, sides: list[_Side], touches: list[_Touch]
) -> tuple[_Touch, _Touch] | None:
    """Of the first of these accesses the two without an order that are most like those of the report."""
    lines = {side.line for side in sides}
    best: tuple[int, _Touch, _Touch] | None = None
    touches = touches[:MOST_TOUCHES]
    for at, one in enumerate(touches):
        for other in touches[at + 1 :]:
            if one.thread == other.thread or not (one.writes or other.writes) or _is_ordered(trace, one, other):
                continue
            at_lines = int(trace.steps.line[one.step]), int(trace.steps.line[other.step])
            rank = 8 * _is_of(sides, one, other) + 4 * (set(at_lines) == lines)
            # Two threads that both write and then read differ in who did which.
            rank += 2 * ({_Side(one.thread, at_lines[0]), _Side(other.thread, at_lines[1])} == set(sides))
            rank += at_lines[1] == fault.line
            if best is None or rank > best[0]:
                best = rank, one, other
    return None if best is None else best[1:]


def _is_of(sides: list[_Side], one: _Touch, other: _Touch) -> bool:
    return {side.thread for side in sides} == {one.thread, other.thread}


def _touches(trace: Trace, space: str, number: int, begin: int, end: int) -> list[_Touch]:
    """All accesses to some bytes of an array, in the order of their steps."""
    touches = [
        _Touch(int(columns.step[at]), int(columns.thread[at]), writes)
        for columns, writes in ((trace.reads, False), (trace.writes, True))
        for at in _overlapping(columns, SPACES.index(space), number, begin, end).tolist()
    ]
    return sorted(touches, key=lambda touch: touch.step)


def _overlapping(columns: Accesses, space: int, target: int, begin: int, end: int) -> Column:
    here = (columns.space == space) & (columns.target == target)
    return np.flatnonzero(here & (columns.offset < end) & (columns.offset + columns.size > begin))


def _is_ordered(trace: Trace, one: _Touch, other: _Touch) -> bool:
    """Whether a barrier that released both threads lies between two accesses, the first of which comes first."""
    return any(
        step >= one.step and step < other.step
        for step in _passed_by(trace, one.thread) & _passed_by(trace, other.thread)
    )


def _passed_by(trace: Trace, thread: int) -> set[int]:
    warp, lane = divmod(thread, 32)
    waits = trace.waits
    kind = waits.kind == WAITS.index(RELEASE)
    own = kind & (waits.warp == warp) & (waits.mask >> lane & 1).astype(bool)
    return set(waits.step[own].tolist())
