"""Words for a data race: both accesses in the order that the program means, and what is missing between them."""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator.faults import Index3
from grader.run.emulator.native.ir import LANES
from grader.run.emulator.ops.common import types_of
from grader.run.emulator.ptx.syntax import Instruction, Symbol
from grader.run.emulator.translate.cfg import BARRIERS, Program, synchronises


def access_of(instruction: Instruction) -> tuple[str, int]:
    """("read", "write" or "atomic", bytes) of a memory instruction."""
    verb = {"ld": "read", "ldu": "read", "st": "write"}.get(instruction.opcode, "atomic")
    kinds = types_of(instruction)
    width = kinds[-1].bytes if kinds else 0
    count = next((int(m[1]) for m in instruction.modifiers if m in ("v2", "v4", "v8")), 1)
    return verb, width * count


@dataclass(frozen=True)
class Access:
    """`verb` is read, write or atomic; `linear` numbers the thread within its block."""

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
    """Two accesses to one place in no order. `again` says that the second is of the next round of a loop."""

    first: Access
    second: Access
    again: bool
    warp_wise: bool
    """Whether the warps of the kernel are meant to work by themselves."""

    @property
    def within_block(self) -> bool:
        return self.first.block == self.second.block

    @property
    def within_warp(self) -> bool:
        return self.within_block and self.first.linear // LANES == self.second.linear // LANES

    @property
    def weight(self) -> int:
        """How much it says of what is wrong, against others at the same place."""
        return 0 if self.within_warp else 1

    def message(self, place: str, same_value: bool) -> str:
        what = "threads write the same value to" if same_value else "data race in"
        return f"{what} {place}: {self._pair()} in no order; {self._advice()}"

    def _pair(self) -> str:
        a, b = self.first, self.second
        if self.within_block:
            return f"{a} and {b}"
        told = (f"{x.verb} by thread {x.thread} of block {x.block}{x.where}" for x in (a, b))
        return " and ".join(told)

    def _advice(self) -> str:
        a, b = self.first, self.second
        if "atomic" in (a.verb, b.verb):
            return "make both accesses atomic, or " + self._separate()
        if a.line == b.line and a.verb == b.verb == "write":
            return "give each thread a place of its own, or use an atomic"
        if not self.within_block:
            return "blocks run in no order: use atomics, or " + self._separate()
        barrier = self._barrier()
        if a.line == b.line:
            return f"use an atomic on line {a.line}, or a {barrier} between its reads and its writes"
        end = " of the next round" if self.again else ""
        missing = f"a {barrier} is missing between line {a.line} and line {b.line}{end}"
        return f"{missing}; or each thread needs a place of its own" if a.verb == b.verb == "write" else missing

    def _barrier(self) -> str:
        return "__syncwarp()" if self.within_warp and self.warp_wise else "__syncthreads()"

    def _separate(self) -> str:
        return f"put a {self._barrier()} between them" if self.within_block else "put them into two launches"


class Order:
    """The order in which a program has its instructions: what of two accesses is meant to come first."""

    def __init__(self, program: Program, threads: int) -> None:
        instructions = [i for block in program.blocks for i in block.instructions]
        self._place = {id(instruction): place for place, instruction in enumerate(instructions)}
        self._barriers = [place for place, i in enumerate(instructions) if i.opcode in BARRIERS]
        self._warp_wise = threads <= LANES or any(synchronises(i) for i in instructions)
        self._loops: list[tuple[int, int]] = []
        starts = self._starts(program)
        for block in program.blocks:
            for instruction in block.instructions:
                for operand in instruction.operands if instruction.opcode == "bra" else ():
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
        """The two in the program's order; where a loop has a barrier between them, what is missing is after them."""
        low, high = sorted((one, other), key=lambda a: (self._position(a), a.block[::-1], a.linear))
        begin, end = self._position(low), self._position(high)
        looped = any(start <= begin and end <= last for start, last in self._loops)
        again = looped and any(begin < barrier < end for barrier in self._barriers)
        if again:
            low, high = high, low
        return Race(low, high, again, self._warp_wise)

    def _position(self, access: Access) -> int:
        return self._place.get(id(access.instruction), access.line)
