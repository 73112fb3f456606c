"""Finds where the threads of an unfinished block are: for time limits, and for blocks that wait for ever."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from grader.run.emulator import layout, pace
from grader.run.emulator.arena import Arena, LaunchShape
from grader.run.emulator.faults import Fault
from grader.run.emulator.native.block_barriers import SIZE, Phase, phase_of
from grader.run.emulator.ptx.syntax import Address, Immediate, Instruction, Operand, Register, Symbol
from grader.run.emulator.translate.cfg import Program, is_block_barrier, is_matrix, synchronises
from grader.run.emulator.translate.polls import Poll
from grader.run.emulator.translation import Translation
from grader.run.emulator.where import Where

_SURE = 2
"""How often a block has to be seen waiting, with an answer to each thread in between: after the first time, no thread
can still hold an earlier answer that lets it continue.
"""
_MOST_PATIENCE = 1 << 22
_MOST_NAMED = 3
_GRID_BARRIER = 4
"""The byte offset of the barrier in a grid's workspace."""


def count_lines(arena: Arena) -> Counter[int]:
    """Returns the source lines of the threads that have not exited, weighted."""
    blocks = arena.shape.translation.program.blocks
    found: Counter[int] = Counter()
    for _, _, counter, ready in arena.waiting():
        # Running threads weigh more than waiting ones: they are what the block waits for.
        found[blocks[counter].line] += 1000 if ready else 1
    return found


class Polls:
    """Detects blocks that wait for ever.

    In such a block all threads wait at barriers, or test barrier objects in loops that do nothing else, so that none is
    left to arrive.

    Barrier objects are reached from their own block only.
    """

    def __init__(self, translation: Translation) -> None:
        self._program = translation.program
        self._loops = translation.loops
        self._seen: dict[int, tuple[tuple[int, int], int]] = {}
        self.patience = 0
        """Polls to wait longer until the next check: some thread has much to do before it arrives."""

    def last_for_ever(self, arena: Arena) -> bool:
        """Returns whether the block's tests will fail for ever.

        The answer is sure but late: call it again and again.
        """
        asking = self._asking(arena)
        if asking is None:
            self._seen.pop(id(arena), None)
            self.patience = min(2 * self.patience + pace.MOST_POLLS, _MOST_PATIENCE)
            return False
        self.patience = 0
        answers = arena.answers()
        before, times = self._seen.get(id(arena), (answers, -1))
        if before == answers and times >= 0:
            if any(lanes & ~polled for lanes, polled in zip(asking, arena.polled(), strict=True)):
                return False
        else:
            times = -1
        arena.forget_polls()
        self._seen[id(arena)] = answers, times + 1
        return times + 1 >= _SURE

    def _asking(self, arena: Arena) -> list[int] | None:
        """Returns, by warp, the lanes (bits) in polling loops; None if a thread is neither there nor at a barrier."""
        found = [0] * arena.shape.warps
        for warp, lane, counter, ready in arena.waiting():
            if not ready and _barrier_before(self._program, counter) is not None:
                continue
            if counter in self._loops:
                found[warp] |= 1 << lane
            elif ready:
                return None
        return found if any(found) else None


def _barrier_before(program: Program, counter: int) -> Instruction | None:
    """Returns the block's barrier at which a thread waits that continues at `counter`; None if there is none."""
    before = program.blocks[counter - 1].instructions[-1:] if counter else []
    following = program.blocks[counter].instructions[:1]
    together = bool(following) and synchronises(following[0])
    return before[0] if before and is_block_barrier(before[0]) and not together else None


@dataclass(frozen=True)
class _Asked:
    """A barrier object whose phase a line waits for."""

    line: int
    name: str
    phase: Phase
    by_parity: bool

    @property
    def words(self) -> str:
        phase = self.phase
        words = f"line {self.line} waits for {self.name}: its phase "
        if self.by_parity:
            words += f"of parity {phase.parity} "
        if not phase.pending:
            return f"{words}has all its arrivals, but lacks {phase.bytes:,} of the bytes that were announced"
        came = phase.expected - phase.pending
        words += f"has {came} of the {phase.expected} arrivals that it expects"
        return words + f", and the one before has parity {1 - phase.parity}" * (self.by_parity and not came)


def grid_arrivals(shape: LaunchShape) -> int:
    """Returns the number of blocks at the barrier of a cooperative launch's grid (sync_grids of cooperative_groups).

    The grid's first block adds what flips the highest bit when all have arrived, each other block adds 1.
    """
    workspace = shape.memory.at(shape.workspace)
    assert workspace is not None
    count = int(workspace.data[_GRID_BARRIER : _GRID_BARRIER + 4].view(np.uint32)[0]) & 0x7FFFFFFF
    blocks = math.prod(shape.grid)
    return count if count < blocks else count - (0x80000000 - (blocks - 1)) + 1


def describe_deadlock(arena: Arena, ended: int = 0) -> Fault:
    """Returns the fault of a block whose threads all wait; it names the first of them.

    `ended`: the blocks that have left a cooperative launch whose others wait at the barrier of the grid.
    """
    program = arena.shape.translation.program
    loops = arena.shape.translation.loops
    places: Counter[tuple[int, str]] = Counter()
    masked: dict[tuple[int, str], bool] = {}
    asked: Counter[_Asked | None] = Counter()
    polls: Counter[tuple[int, str]] = Counter()
    threads: list[tuple[int, int]] = []
    first: tuple[int, int] | None = None
    for warp, lane, counter, ready in arena.waiting():
        threads.append((warp, lane))
        if ready and counter in loops:
            here = loops[counter].instruction
            first = first or (warp, lane)
            polls[here.line, here.text] += 1
            asked[_asked(arena, warp, lane, loops[counter])] += 1
        else:
            here = _barrier_before(program, counter) or program.blocks[counter].instructions[0]
        places[here.line, here.text] += 1
        if synchronises(here):
            masked[here.line, here.text] = is_matrix(here)
    waits = "; ".join(f"{n} at line {line} ({text})" for (line, text), n in places.most_common(4))
    message = f"the block's {len(threads)} threads wait for each other for ever: {waits}"
    if len(threads) == 1:
        message = f"the block's last thread waits for ever: {waits}"
    line, text = next(iter(masked)) if masked else places.most_common(1)[0][0]
    if ended:
        message = (
            f"{ended} of the grid's {math.prod(arena.shape.grid)} blocks have ended, and the others wait for ever "
            "at the barrier of the grid: all blocks have to come to grid.sync() equally often"
        )
        line, text = max(places, key=lambda place: (place[0] > 0, places[place]))
    if polls:
        line, text = polls.most_common(1)[0][0]
        known = [found for found, _ in asked.most_common(_MOST_NAMED) if found is not None]
        message += "".join(f"; {found.words}" for found in known)
        gone = arena.shape.threads - len(threads)
        message += f"; {gone} threads have exited" if gone else ""
    elif masked and not ended:
        takes = "takes all lanes of a warp, some of which" if masked[line, text] else "names lanes in its mask that"
        message += f"; line {line} {takes} never come there"
    return Fault(
        "barrier_divergence" if masked and not polls and not ended else "deadlock",
        message,
        line=line,
        kernel=program.kernel,
        block=arena.block_index(),
        thread=arena.thread_index(*(first or threads[0])),
        threads=len(threads),
        instruction=text,
    )


def _asked(arena: Arena, warp: int, lane: int, poll: Poll) -> _Asked | None:
    """Returns the barrier object that a thread tests, None if its operands do not outlive their basic block."""
    address = _value(arena, warp, lane, poll, poll.address)
    if address is None:
        return None
    if not any(m.startswith("shared") for m in poll.instruction.modifiers):
        address -= layout.SHARED_WINDOW
    state = arena.shared_word(address)
    if state is None:
        return None
    shape = arena.shape
    place = Where(shape.memory, shape.translation.storage, shape.dynamic_shared).in_shared(address, SIZE)
    name = place.array if place.extent == 1 else f"{place.array}[{place.index}]"
    return _Asked(poll.instruction.line, name, phase_of(state), poll.by_parity)


def _value(arena: Arena, warp: int, lane: int, poll: Poll, operand: Operand) -> int | None:
    storage = arena.shape.translation.storage
    if isinstance(operand, Immediate):
        return operand.value
    if isinstance(operand, Symbol):
        slot = storage.shared.get(operand.name)
        return None if slot is None else layout.shared_address(slot) + operand.offset
    if isinstance(operand, Address) and operand.base is not None:
        base = _value(arena, warp, lane, poll, operand.base)
        return None if base is None else base + operand.offset
    if not isinstance(operand, Register):
        return None
    offset = storage.frames[poll.function].registers.get(operand.name)
    kind = arena.shape.translation.program.functions[poll.function].registers.get(operand.name)
    return None if offset is None or kind is None else arena.register(warp, lane, offset, kind.bytes)
