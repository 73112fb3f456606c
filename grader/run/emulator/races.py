"""Describes a data race: both accesses in the order that the program means, and what is missing between them."""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator.faults import Index3
from grader.run.emulator.native.ir import LANES
from grader.run.emulator.native.matrix_access import ROW_BYTES
from grader.run.emulator.native.matrix_shapes import ELEMENTS
from grader.run.emulator.ptx.syntax import Immediate, Instruction, Register, Symbol, types_of
from grader.run.emulator.ptx.traits import Barrier, Flow, Memory, Traits
from grader.run.emulator.translate.cfg import Program, is_matrix, synchronises

_HALF = 2
_BARRIER_OBJECT = 8
_GROUP_WAIT = "__pipeline_wait_prior or cp.async.wait_group is missing, or leaves too many groups under way"
_STRONG = {"relaxed", "acquire", "release", "acq_rel", "volatile", "mmio"}
_BARRIER_WAIT = "a wait on the barrier that tracks it is missing, as consumer_wait() of a pipeline would be"


def access_of(instruction: Instruction) -> tuple[str, int]:
    """Returns (verb, bytes) of a memory instruction: "read", "write", "atomic", or what is done with a barrier."""
    return instruction.traits.access, _access_bytes(instruction)


def _access_bytes(instruction: Instruction) -> int:
    if is_matrix(instruction):
        return ROW_BYTES
    memory = instruction.traits.memory
    if memory is Memory.BARRIER_OBJECT:
        return _BARRIER_OBJECT
    if memory in (Memory.COPY, Memory.DISCARD):
        return next((operand.value for operand in instruction.operands[1:] if isinstance(operand, Immediate)), 0)
    kinds = types_of(instruction)
    width = kinds[-1].bytes if kinds else 0
    return width * next((int(m[1]) for m in instruction.modifiers if m in ("v2", "v4", "v8")), 1)


def element_bytes(instruction: Instruction) -> int:
    """Returns the element size in bytes of an index into an array of unknown type."""
    if not is_matrix(instruction):
        return max(access_of(instruction)[1], 1)
    elements = [ELEMENTS[m] for m in instruction.modifiers if m in ELEMENTS]
    return max(elements[0].bits // 8, 1) if elements else _HALF


def is_strong(instruction: Instruction) -> bool:
    """Returns whether the access is meant for what other threads do at the same time."""
    return instruction.traits.is_atomic or bool(_STRONG & set(instruction.modifiers))


@dataclass(frozen=True)
class Access:
    """One access of a race. `verb` is read, write or atomic; `linear` numbers the thread within its block."""

    verb: str
    instruction: Instruction
    block: Index3
    thread: Index3
    linear: int

    @property
    def line(self) -> int:
        return self.instruction.line

    @property
    def where(self) -> str:
        return f" on line {self.line}" if self.line else ""

    def __str__(self) -> str:
        return f"{self.verb} by thread {self.thread}{self.where}"


@dataclass(frozen=True)
class Race:
    """Two unordered accesses to one place. `again`: the second belongs to the next round of a loop."""

    first: Access
    second: Access
    again: bool
    warp_wise: bool
    """Whether the warps of the kernel are meant to work independently."""
    waits: str = ""
    """If the first is a pending copy: what would wait for it."""
    handed_on: bool = False
    """Whether the kernel has flags or locks that could order the two."""

    @property
    def within_block(self) -> bool:
        return self.first.block == self.second.block

    @property
    def within_warp(self) -> bool:
        return self.within_block and self.first.linear // LANES == self.second.linear // LANES

    @property
    def is_handed_over(self) -> bool:
        """Whether both are meant for other threads: then it is a race because of a flag that only the reader heeds."""
        strong = all(is_strong(access.instruction) for access in (self.first, self.second))
        return strong and not self.within_warp and {self.first.verb, self.second.verb} == {"read", "write"}

    @property
    def weight(self) -> int:
        """How much it tells about the error, compared with other races at the same place."""
        return 0 if self.within_warp else 1

    def message(self, place: str, same_value: bool) -> str:
        """Returns the fault's message; `place` names the array and element."""
        what = "threads write the same value to" if same_value else "data race in"
        return f"{what} {place}: {self._pair()} in no order; {self._advice()}"

    def _pair(self) -> str:
        a, b = self.first, self.second
        if self.within_block:
            return f"{a} and {b}"
        accesses = (f"{x.verb} by thread {x.thread} of block {x.block}{x.where}" for x in (a, b))
        return " and ".join(accesses)

    def _advice(self) -> str:
        a, b = self.first, self.second
        if self.waits:
            waited = f"nobody has waited for the asynchronous copy of line {a.line}: before line {b.line}, {self.waits}"
            return f"{waited}; or a {self._barrier()} is missing after line {b.line}" if self.again else waited
        narrow = next((x for x in (a, b) if is_strong(x.instruction) and "cta" in x.instruction.modifiers), None)
        if narrow is not None and not self.within_block:
            reach = f"the {narrow.verb} of line {narrow.line} is one for its own block only"
            return f"{reach}: leave out _block, or make it cuda::thread_scope_device"
        if self.is_handed_over:
            write = a if a.verb == "write" else b
            fence = "__threadfence_block()" if self.within_block else "__threadfence()"
            return f"the flag may be seen before the value: put a {fence} after line {write.line}, before it is set"
        if "atomic" in (a.verb, b.verb):
            return "make both accesses atomic, or " + self._separate()
        if a.line == b.line and a.verb == b.verb == "write":
            return "give each thread a place of its own, or use an atomic"
        if not self.within_block:
            return "blocks run in no order: use atomics, or " + self._separate() + self._fences("__threadfence()")
        barrier = self._barrier()
        if a.line == b.line:
            separate = f"use an atomic on line {a.line}, or a {barrier} between its reads and its writes"
            return separate + self._fences("__threadfence_block()")
        end = " of the next round" if self.again else ""
        missing = f"a {barrier} is missing between line {a.line} and line {b.line}{end}"
        own = "; or each thread needs a place of its own" if a.verb == b.verb == "write" else ""
        return missing + own + self._fences("__threadfence_block()")

    def _fences(self, fence: str) -> str:
        """Returns advice on fences for flags and locks, if the kernel has any."""
        if not self.handed_on or self.within_warp:
            return ""
        fences = f"a {fence} before it is set and after it is seen, by each thread or behind a __syncwarp()"
        return f"; a flag or a lock orders them if both use the same, with {fences}"

    def _barrier(self) -> str:
        # A branch that one warp takes relies on lockstep by volatile, and no other thread comes to a barrier there.
        lockstep = all("volatile" in access.instruction.modifiers for access in (self.first, self.second))
        return "__syncwarp()" if self.within_warp and (self.warp_wise or lockstep) else "__syncthreads()"

    def _separate(self) -> str:
        return f"put a {self._barrier()} between them" if self.within_block else "put them into two launches"


def _is_tracking(traits: Traits) -> bool:
    """Whether it makes a barrier object track pending copies."""
    return traits.asynchronous and traits.memory is Memory.BARRIER_OBJECT


def _looks(instructions: list[Instruction]) -> bool:
    """Whether one of them may read a flag that another thread has set, or take a lock."""
    taken = {o.name for i in instructions for o in i.operands[1:] if isinstance(o, Register)}
    for i in instructions:
        if i.traits.is_load and is_strong(i):
            return True
        if i.traits.is_atomic and isinstance(i.operands[0], Register) and i.operands[0].name in taken:
            return True
    return False


class Order:
    """The program order of instructions: which of two accesses is meant to come first."""

    def __init__(self, program: Program, threads: int) -> None:
        instructions = [i for block in program.blocks for i in block.instructions]
        self._place = {id(instruction): place for place, instruction in enumerate(instructions)}
        self._named = {(i.line, i.text): place for place, i in enumerate(instructions)}
        self._barriers = [place for place, i in enumerate(instructions) if i.traits.barrier is not Barrier.NONE]
        self._tracked = any(_is_tracking(i.traits) for i in instructions)
        self._warp_wise = threads <= LANES or any(synchronises(i) for i in instructions)
        self._handed_on = _looks(instructions)
        self._loops: list[tuple[int, int]] = []
        starts = self._starts(program)
        for block in program.blocks:
            for instruction in block.instructions:
                for operand in instruction.operands if instruction.traits.flow is Flow.BRANCH else ():
                    target = starts.get((block.function, operand.name)) if isinstance(operand, Symbol) else None
                    end = self._place[id(instruction)]
                    if target is not None and target <= end:
                        self._loops.append((target, end))

    @staticmethod
    def _starts(program: Program) -> dict[tuple[str, str], int]:
        first, count = {}, 0
        for block in program.blocks:
            first[block.pc] = count
            count += len(block.instructions)
        return {label: first[pc] for label, pc in program.labels.items()}

    def race(self, one: Access, other: Access) -> Race:
        """Returns the two accesses in program order.

        If a loop has a barrier between them, they are swapped: what is missing is after the second.
        """
        low, high = sorted((one, other), key=lambda a: (self._position(a), a.block[::-1], a.linear))
        begin, end = self._position(low), self._position(high)
        looped = any(start <= begin and end <= last for start, last in self._loops)
        again = looped and any(begin < barrier < end for barrier in self._barriers)
        if again:
            low, high = high, low
        return Race(low, high, again, self._warp_wise, handed_on=self._handed_on)

    def unfinished(self, copy: Access, other: Access) -> Race:
        """Returns the race of a pending copy with another access."""
        begin, end = self._position(other), self._position(copy)
        alone = (copy.block, copy.linear) == (other.block, other.linear)
        if begin < end and not alone and not any(first <= begin and end <= last for first, last in self._loops):
            return self.race(copy, other)
        missing = _BARRIER_WAIT if self._tracked else _GROUP_WAIT
        return Race(copy, other, begin < end, self._warp_wise, missing)

    def _position(self, access: Access) -> int:
        place = self._place.get(id(access.instruction))
        return (
            self._named.get((access.instruction.line, access.instruction.text), access.line) if place is None else place
        )
