"""Finds reads that wait: a thread repeats them, at one address and to no other effect, until a flag has been set."""

from __future__ import annotations

from grader.run.emulator.ptx.syntax import Instruction, Symbol
from grader.run.emulator.ptx.traits import Barrier
from grader.run.emulator.translate.assigned import successors
from grader.run.emulator.translate.cfg import Block, Program
from grader.run.emulator.translate.storage import reads_and_writes, registers_in

_STRONG = {"volatile", "relaxed", "acquire", "mmio"}
_MOVING = ("%clock", "%globaltimer")


def find_waits(program: Program) -> frozenset[Instruction]:
    """Returns the volatile, relaxed and acquiring loads of the program that wait."""
    search: _Search | None = None
    found = set()
    for block in program.blocks:
        for i in block.instructions:
            if i.traits.is_load and _STRONG & set(i.modifiers):
                search = search or _Search(program)
                if search.waits(block, i):
                    found.add(i)
    return frozenset(found)


class _Search:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._idle = {block.pc for block in program.blocks if all(map(_changes_nothing, block.instructions))}
        self._writers: dict[tuple[str, str], list[tuple[Instruction, int]]] = {}
        for block in program.blocks:
            for i in block.instructions:
                for name in reads_and_writes(i)[1]:
                    self._writers.setdefault((block.function, name), []).append((i, block.pc))

    def waits(self, block: Block, load: Instruction) -> bool:
        """Whether a way leads back to a load through code that changes neither memory nor its address."""
        free = self._idle - self._changing(block.function, load)
        ahead, seen = [block.pc] if block.pc in free else [], set()
        while ahead:
            for pc in successors(self._program, self._program.blocks[ahead.pop()]):
                if pc == block.pc:
                    return True
                if pc in free and pc not in seen:
                    seen.add(pc)
                    ahead.append(pc)
        return False

    def _changing(self, function: str, load: Instruction) -> set[int]:
        """Returns the blocks that may give the load another address."""
        found: set[int] = set()
        seen: set[str] = set()
        names = [name for operand in load.operands[1:] for name in registers_in(operand)]
        while names:
            name = names.pop()
            if name in seen:
                continue
            seen.add(name)
            writers = self._writers.get((function, name), [])
            if len(writers) == 1 and _computes(writers[0][0]):
                names += reads_and_writes(writers[0][0])[0]
            else:
                found |= {pc for _, pc in writers}
        return found


def _computes(i: Instruction) -> bool:
    """Whether the result depends on registers only."""
    moving = any(isinstance(o, Symbol) and o.name.startswith(_MOVING) for o in i.operands)
    return i.traits.pure and not moving


def _changes_nothing(i: Instruction) -> bool:
    return i.traits.is_harmless or i.traits.barrier is not Barrier.NONE
