"""Which registers an instruction reads and which it writes: what it has to wait for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grader.run.emulator.ptx.syntax import Address, Group, Instruction, Negated, Operand, Pair, Register


def operands_of(instruction: Instruction) -> dict[str, Any]:
    """Returns the names of the registers that are written and read, and whether it has a predicate."""
    operands = instruction.operands
    first = operands[:1] if instruction.traits.result and operands and not isinstance(operands[0], Address) else ()
    written = [name for operand in first for name in _registers(operand)]
    read = [name for operand in operands[len(first) :] for name in _registers(operand)]
    if instruction.predicate is not None:
        read.append(instruction.predicate.name)
    return {"written": written, "read": read, "guarded": instruction.predicate is not None}


def _registers(operand: Operand) -> Iterator[str]:
    if isinstance(operand, Register):
        yield operand.name
    elif isinstance(operand, Negated):
        yield operand.operand.name
    elif isinstance(operand, Address):
        if isinstance(operand.base, Register):
            yield operand.base.name
    elif isinstance(operand, Group):
        for item in operand.items:
            yield from _registers(item)
    elif isinstance(operand, Pair):
        yield from _registers(operand.first)
        yield from _registers(operand.second)
