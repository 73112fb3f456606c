"""Orders the instructions of a basic block as an assembler does: those that others wait for come early.

List scheduling by the longest way of latencies to the block's end. Accesses that may meet keep their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WINDOW = 96
"""An instruction moves up by at most so many others: registers are few."""


@dataclass(frozen=True)
class Op:
    """One instruction for the cycle model. `reads` and `writes` are numbers of registers.

    `slots` are issue cycles; the pipe number `pipe` (-1 for none) is busy for `busy` cycles; the result is there after
    `latency`. Of accesses, `l2` and `dram` are the cycles that those are busy for. `pending` groups of copies may go on
    after a wait. `cause` is what a warp waits for while the pipe is full, a place in CAUSES. `line` is of the source.
    """

    role: int
    slots: float
    pipe: int
    busy: float
    latency: float
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    line: int
    cause: int
    l2: float = 0.0
    dram: float = 0.0
    pending: int = 0
    early: float = 0.0
    """How many cycles before its place an access is begun."""
    stall: float = 0.0
    """Cycles until the warp may issue again: what the assembler says."""
    holds: tuple[int, ...] = ()
    """Registers, or scoreboards, that are ready when this result and all earlier ones are."""
    holds_read: tuple[int, ...] = ()
    """Scoreboards that are ready when its operands were read."""
    order: str = ""
    """Accesses with the same letter keep their order where one of them writes; capitals write."""


PLAIN, BARRIER, COPY, COMMIT, WAIT, LAST = range(6)


def scheduled(ops: Sequence[Op]) -> tuple[Op, ...]:
    """Returns the ops in the order in which they are issued."""
    count = len(ops)
    before: list[set[int]] = [set() for _ in range(count)]
    after: list[list[int]] = [[] for _ in range(count)]
    writer: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    accesses: dict[str, list[tuple[int, bool]]] = {}
    for place, op in enumerate(ops):
        needs = before[place]
        for register in op.reads:
            if register in writer:
                needs.add(writer[register])
            readers.setdefault(register, []).append(place)
        for register in op.writes:
            if register in writer:
                needs.add(writer[register])
            needs.update(other for other in readers.pop(register, ()) if other != place)
            writer[register] = place
        if op.order:
            writes = op.order.isupper()
            own = accesses.setdefault(op.order.lower(), [])
            needs.update(other for other, wrote in own if writes or wrote)
            if writes:
                own.clear()
            own.append((place, writes))
        if op.role in (BARRIER, LAST, WAIT, COMMIT):
            needs.update(range(place))
        for other in needs:
            after[other].append(place)
    fences = [place for place, op in enumerate(ops) if op.role in (BARRIER, WAIT, COMMIT)]
    for fence in fences:
        for place in range(fence + 1, count):
            if fence not in before[place]:
                before[place].add(fence)
                after[fence].append(place)
    return tuple(ops[place] for place in _order(ops, before, after))


def _order(ops: Sequence[Op], before: Sequence[set[int]], after: Sequence[Sequence[int]]) -> list[int]:
    far = [0.0] * len(ops)
    for place in range(len(ops) - 1, -1, -1):
        op = ops[place]
        far[place] = max(op.slots, op.latency) + max((far[other] for other in after[place]), default=0.0)
    left = [len(needs) for needs in before]
    ready = [place for place, needs in enumerate(left) if not needs]
    done = [False] * len(ops)
    first = 0
    order: list[int] = []
    while len(order) < len(ops):
        while first < len(ops) and done[first]:
            first += 1
        near = [place for place in ready if place < first + WINDOW]
        best = max(near, key=lambda place: (far[place], -place))
        ready.remove(best)
        done[best] = True
        order.append(best)
        for other in after[best]:
            left[other] -= 1
            if not left[other]:
                ready.append(other)
    return order
