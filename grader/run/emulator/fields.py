"""Tells reads of a whole word that only keep what a field of bits in it leaves alone."""

from __future__ import annotations

from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.ptx.traits import Passing
from grader.run.emulator.translate.cfg import Block, Program
from grader.run.emulator.translate.storage import reads_and_writes


def is_of_field(program: Program, load: Instruction) -> bool:
    """Whether bits of what is loaded are stored there again: code that writes a field of bits does that."""
    return any(_stores_again(block, load) for block in program.blocks if any(i is load for i in block.instructions))


def _stores_again(block: Block, load: Instruction) -> bool:
    start = next(number for number, i in enumerate(block.instructions) if i is load)
    kept = set(reads_and_writes(load)[1])
    for i in block.instructions[start + 1 :]:
        reads, writes = reads_and_writes(i)
        if i.traits.is_store and i.operands[0] == load.operands[1]:
            return bool(kept & set(reads))
        if (i.traits.silent or i.traits.passing is not Passing.NOTHING) and kept & set(reads):
            kept |= set(writes)
    return False
