"""Finds out whether threads may wait for other blocks: in loops that only look at flags, locks or counters."""

from __future__ import annotations

from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.translate.assigned import successors
from grader.run.emulator.translate.cfg import Block, Program, hands_over


def spins(program: Program) -> bool:
    """Whether a way through the program comes back to a look without any other access to global memory.

    What lies between two such loops counts as well.
    """
    ways = {block.pc: set(successors(program, block)) for block in program.blocks if not _works(block)}
    ways = {pc: {after for after in following if after in ways} for pc, following in ways.items()}
    back: dict[int, set[int]] = {pc: set() for pc in ways}
    for pc, following in ways.items():
        for after in following:
            back[after].add(pc)
    # A block without a way in, or out, is part of no loop; nor are those that only it leads to, or that lead to it.
    for one, other in ((ways, back), (back, ways)):
        ends = [pc for pc, following in one.items() if not following]
        while ends:
            pc = ends.pop()
            for before in other[pc]:
                one[before].discard(pc)
                if not one[before]:
                    ends.append(before)
            other[pc] = set()
    return any(ways[pc] and back[pc] and any(map(hands_over, program.blocks[pc].instructions)) for pc in ways)


def _works(block: Block) -> bool:
    """Whether it reads or writes global memory in another way than one looks at a lock."""
    return any(map(_is_plain, block.instructions))


def _is_plain(instruction: Instruction) -> bool:
    traits = instruction.traits
    elsewhere = {"shared", "shared::cta", "local", "param"} & set(instruction.modifiers)
    return (traits.is_load or traits.is_store) and not elsewhere and not hands_over(instruction)
