"""Finds the loops in which a thread only waits for a phase of a barrier object (mbarrier) to end.

A thread whose test fails returns to the test, whatever else it reads, and changes nothing for others on its way. Loops
that may end for other reasons, such as after some number of rounds, or that test several barriers, are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator.ptx.syntax import Immediate, Instruction, Negated, Operand, Register, Symbol
from grader.run.emulator.ptx.traits import Flow
from grader.run.emulator.translate.assigned import successors
from grader.run.emulator.translate.cfg import Block, Program
from grader.run.emulator.translate.storage import reads_and_writes, registers_in


@dataclass(frozen=True)
class Poll:
    """The one instruction of a loop that tests a phase, by its parity or by the state that an arrival returned."""

    function: str
    instruction: Instruction

    @property
    def address(self) -> Operand:
        return self.instruction.operands[1]

    @property
    def by_parity(self) -> bool:
        return "parity" in self.instruction.modifiers


def find_polling_loops(program: Program) -> dict[int, Poll]:
    """Returns the blocks of such loops, by number."""
    found: dict[int, Poll] = {}
    writers: dict[str, dict[str, list[Instruction]]] = {}
    for block in program.blocks:
        for instruction in block.instructions:
            if instruction.traits.polls:
                if block.function not in writers:
                    writers[block.function] = _writers(program, block.function)
                loop = _Loop(program, block, instruction, writers[block.function])
                if loop.holds():
                    found |= dict.fromkeys(loop.pcs, Poll(block.function, instruction))
    return found


def _writers(program: Program, function: str) -> dict[str, list[Instruction]]:
    """Returns the instructions that write each register of a function."""
    found: dict[str, list[Instruction]] = {}
    for block in program.blocks:
        if block.function == function:
            for instruction in block.instructions:
                for name in reads_and_writes(instruction)[1]:
                    found.setdefault(name, []).append(instruction)
    return found


class _Loop:
    """`pcs` are the blocks that a thread can reach after its test as long as the test fails."""

    def __init__(
        self, program: Program, block: Block, poll: Instruction, writers: dict[str, list[Instruction]]
    ) -> None:
        self._program = program
        self._block = block
        self._poll = poll
        self._writers = writers
        self._values: dict[str, int | None] = {}
        self._fixed: dict[str, bool] = {}
        self.pcs: set[int] = set()
        ahead = [block.pc]
        while ahead:
            for pc in self._ways(program.blocks[ahead.pop()]):
                if pc not in self.pcs:
                    self.pcs.add(pc)
                    ahead.append(pc)
        inside = [i for pc in self.pcs for i in program.blocks[pc].instructions]
        self._inside = {name for i in inside for name in reads_and_writes(i)[1]}
        self._harmless = all(self._is_harmless(i) for i in inside)

    def holds(self) -> bool:
        """Whether a thread does nothing but repeat the same test."""
        comes_back = self._block.pc in self.pcs and self._poll.predicate is None
        fixed = all(self._is_fixed(name) for operand in self._poll.operands[1:] for name in registers_in(operand))
        return comes_back and self._harmless and fixed

    def _ways(self, block: Block) -> list[int]:
        """Returns the blocks that may follow while the test fails."""
        following = list(successors(self._program, block))
        last = block.instructions[-1] if block.instructions else None
        if last is None or last.traits.flow is not Flow.BRANCH or last.predicate is None or len(following) != 2:
            return following
        value = self._value(last.predicate.name)
        return following if value is None else [following[0 if bool(value) != last.negated else 1]]

    def _is_harmless(self, instruction: Instruction) -> bool:
        return instruction is self._poll or instruction.traits.is_harmless

    def _is_fixed(self, name: str) -> bool:
        """Whether a register is the same in each round: set before the loop, or computed so before the test."""
        if name not in self._fixed:
            self._fixed[name] = name not in self._inside
            writers, instructions = self._writers.get(name, []), self._block.instructions
            before = instructions[: next(n for n, i in enumerate(instructions) if i is self._poll)]
            if len(writers) == 1 and any(i is writers[0] for i in before):
                self._fixed[name] = self._makes_the_same(writers[0])
        return self._fixed[name]

    def _makes_the_same(self, i: Instruction) -> bool:
        moving = any(isinstance(o, Symbol) and o.name.startswith("%") for o in i.operands)
        return i.traits.pure and not moving and all(self._is_fixed(name) for name in reads_and_writes(i)[0])

    # The value of a register while the phase has not ended; None if unknown

    def _value(self, name: str) -> int | None:
        if name not in self._values:
            # What depends on itself, as a counter does, is unknown.
            self._values[name] = None
            values = {self._result(writer) for writer in self._writers.get(name, [])}
            self._values[name] = values.pop() if len(values) == 1 else None
        return self._values[name]

    def _read(self, operand: Operand) -> int | None:
        if isinstance(operand, Immediate):
            return operand.value if not operand.floating else None
        if isinstance(operand, Negated):
            value = self._value(operand.operand.name)
            return None if value is None else 1 - value
        return self._value(operand.name) if isinstance(operand, Register) else None

    def _result(self, i: Instruction) -> int | None:
        if i is self._poll:
            return 0
        if not isinstance(i.operands[0], Register):
            return None
        sources = [self._read(operand) for operand in i.operands[1:]]
        return i.traits.fold(i.modifiers, sources)
