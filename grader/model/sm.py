"""A cycle model of a quarter of an SM: one scheduler, its warps, and its share of all that they use.

Warps issue in their own order, each as soon as its operands are there and the pipe is free; of several the one that has
waited longest. Idle cycles are charged to what the next instruction has waited for. It computes with sums and products
of IEEE doubles alone, in one order, so that it gives the same bits everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from grader.model.schedule import BARRIER, COMMIT, COPY, WAIT, Op

PIPES = ("multiply", "alu", "special", "double", "half", "tensor", "shared")
CAUSES = ("issue", "pipe", "shared", "l1", "l2", "dram", "latency", "barrier")
ISSUE, PIPE, SHARED, L1, L2, DRAM, LATENCY, BARRIERS = range(len(CAUSES))
READ = 12.0
"""Cycles after its turn in the pipe until an access has read its registers."""
QUEUE = 48.0
"""Cycles of work that the queue before shared memory and L1 takes, before a warp can't issue another access."""

Block = Sequence[tuple[Sequence[Op], float]]
"""The way of a warp: the ops of each basic block, and how many executions it stands for."""


@dataclass
class Outcome:
    """Cycles of a round of blocks, the first and a later one; `causes` and `lines` add up to those of all rounds."""

    first: float
    later: float
    causes: list[float] = field(default_factory=lambda: [0.0] * len(CAUSES))
    lines: dict[int, float] = field(default_factory=dict)


class _Warp:
    __slots__ = ("at", "block", "copies", "done", "group", "ready", "step", "time", "wait", "way", "why")

    def __init__(self, way: Block, registers: int, group: _Group, time: float) -> None:
        self.way = way
        self.ready = [0.0] * registers
        self.why = [LATENCY] * registers
        self.group = group
        self.begin(time)

    def begin(self, time: float) -> None:
        self.step = self.at = 0
        self.time = time
        self.wait = LATENCY
        self.copies: list[float] = []
        self.done: list[float] = []
        for place in range(len(self.ready)):
            self.ready[place] = 0.0


class _Group:
    """The warps of one block."""

    __slots__ = ("arrived", "begun", "ended", "rounds", "warps")

    def __init__(self) -> None:
        self.warps: list[_Warp] = []
        self.arrived: list[_Warp] = []
        self.ended = 0
        self.rounds = 0
        self.begun = 0.0


class _Starter:
    """Begins blocks: each so long after the one before it in its slot has ended, and after the SM's last one began."""

    __slots__ = ("after", "apart", "free")

    def __init__(self, after: float, apart: float) -> None:
        self.after = after
        self.apart = apart
        self.free = 0.0

    def next(self, ended: float) -> float:
        """The time at which a block begins whose slot is free from then on."""
        begin = max(ended + self.after, self.free)
        self.free = begin + self.apart
        return begin


def simulate(
    ways: Sequence[Block], groups: int, registers: int, rounds: int, start: float, barrier: float, apart: float = 0.0
) -> Outcome:
    """Runs `rounds` blocks in each of `groups` slots; `ways` are those of a block's warps on this scheduler.

    `start` are the cycles between blocks of a slot, `apart` those between any two blocks; `barrier` those of a barrier
    after the last warp's arrival.
    """
    starter = _Starter(start, apart)
    heap: list[tuple[float, float, int]] = []
    warps: list[_Warp] = []
    slots: list[_Group] = []
    for _ in range(groups):
        group = _Group()
        slots.append(group)
        begin = group.begun = starter.next(0.0)
        for way in ways:
            warp = _Warp(way, registers, group, begin)
            group.warps.append(warp)
            heappush(heap, (begin, begin, len(warps)))
            warps.append(warp)
    numbers = {id(warp): number for number, warp in enumerate(warps)}
    outcome = Outcome(0.0, 0.0)
    causes, lines = outcome.causes, outcome.lines
    free = [0.0] * len(PIPES)
    shared = PIPES.index("shared")
    l2_free = dram_free = 0.0
    clock = 0.0
    spent = [0.0] * rounds
    # Of shared memory's and L1's common pipe, by cause: what has filled its queue, not who waits there.
    queued = [0.0] * len(CAUSES)
    while heap:
        time, _, number = heappop(heap)
        warp = warps[number]
        if warp.step >= len(warp.way):
            _end(warp, rounds, starter, barrier, heap, numbers)
            continue
        ops, weight = warp.way[warp.step]
        if warp.at >= len(ops):
            warp.step += 1
            warp.at = 0
            heappush(heap, (time, warp.group.begun, number))
            continue
        op = ops[warp.at]
        ready, cause = warp.time, warp.wait
        for register in op.reads:
            if warp.ready[register] > ready:
                ready, cause = warp.ready[register], warp.why[register]
        if op.role == WAIT:
            ended = warp.done[: len(warp.done) - op.pending] if op.pending else warp.done
            for each in ended:
                if each > ready:
                    ready, cause = each, DRAM if op.dram else LATENCY
        if op.pipe >= 0:
            room = free[op.pipe] - (QUEUE if op.pipe == shared else 0.0)
            if room > ready:
                ready, cause = room, queued.index(max(queued)) if op.pipe == shared else PIPE
        issue = ready if ready > clock else clock
        if issue > time and heap and heap[0][0] < issue:
            heappush(heap, (issue, warp.group.begun, number))
            continue
        gap = (issue - clock) * weight
        causes[cause] += gap
        causes[ISSUE] += op.slots * weight
        gap += op.slots * weight
        lines[op.line] = lines.get(op.line, 0.0) + gap
        spent[warp.group.rounds] += gap
        clock = issue + op.slots
        done = issue + op.latency
        taken = issue
        why = LATENCY
        if op.pipe >= 0:
            taken = begin = free[op.pipe] if free[op.pipe] > issue else issue
            free[op.pipe] = begin + op.busy
            if op.pipe == shared:
                queued[op.cause] += op.busy
            if begin > issue + op.latency:
                why = op.cause if op.pipe == shared else PIPE
            done = begin + op.busy + op.latency
            if op.pipe != shared:
                done = begin + op.latency
        if op.l2:
            begin = l2_free if l2_free > done else done
            l2_free = begin + op.l2
            if begin > done + op.latency:
                why = L2
            done = begin + op.l2
        if op.dram:
            begin = dram_free if dram_free > done else done
            dram_free = begin + op.dram
            if begin > done + op.latency:
                why = DRAM
            done = begin + op.dram
        done -= op.early
        for register in op.writes:
            warp.ready[register] = done
            warp.why[register] = why
        for register in op.holds:
            if done > warp.ready[register]:
                warp.ready[register] = done
                warp.why[register] = why
        for register in op.holds_read:
            if taken + READ > warp.ready[register]:
                warp.ready[register] = taken + READ
                warp.why[register] = LATENCY
        warp.at += 1
        warp.time = issue + (op.slots if op.slots > op.stall else op.stall)
        warp.wait = LATENCY
        if op.role == COPY:
            warp.copies.append(done)
        elif op.role == COMMIT:
            warp.done.append(max(warp.copies, default=issue))
            warp.copies = []
        elif op.role == BARRIER:
            _arrive(warp, issue, barrier, heap, numbers)
            continue
        elif op.pipe < 0 and op.latency and not op.writes and not op.holds:
            # A branch, or a fence: the warp waits for it.
            warp.time = issue + op.latency
        heappush(heap, (warp.time, warp.group.begun, number))
    outcome.first = spent[0]
    outcome.later = sum(spent[1:]) / (rounds - 1) if rounds > 1 else spent[0]
    return outcome


def _arrive(
    warp: _Warp, time: float, barrier: float, heap: list[tuple[float, float, int]], numbers: dict[int, int]
) -> None:
    group = warp.group
    warp.time = time
    group.arrived.append(warp)
    if len(group.arrived) + group.ended >= len(group.warps):
        _release(group, time + barrier, heap, numbers)


def _release(group: _Group, time: float, heap: list[tuple[float, float, int]], numbers: dict[int, int]) -> None:
    for other in group.arrived:
        other.time = time
        other.wait = BARRIERS
        heappush(heap, (time, group.begun, numbers[id(other)]))
    group.arrived = []


def _end(
    warp: _Warp,
    rounds: int,
    starter: _Starter,
    barrier: float,
    heap: list[tuple[float, float, int]],
    numbers: dict[int, int],
) -> None:
    """Ends a warp; when it is its block's last one, the next block begins."""
    group = warp.group
    group.ended += 1
    if group.ended < len(group.warps):
        if group.arrived and len(group.arrived) + group.ended >= len(group.warps):
            _release(group, warp.time + barrier, heap, numbers)
        return
    group.ended = 0
    if group.rounds + 1 < rounds:
        group.rounds += 1
        begin = starter.next(max(other.time for other in group.warps))
        group.begun = begin
        for other in group.warps:
            other.begin(begin)
            heappush(heap, (begin, begin, numbers[id(other)]))
