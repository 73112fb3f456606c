"""The narrowest accesses of a program: as long as what is known of memory is of pieces no larger, no two are one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from grader.run.emulator.ops.common import types_of
from grader.run.emulator.ptx.syntax import Address, Function, Instruction, PtxModule, Register
from grader.run.emulator.translate.cfg import Program

_ACCESSES = ("ld", "ldu", "st", "atom", "red")
_PARAMETERS = {"param", "param::entry", "param::func"}
_NOT_SHARED = {"global", "const", "local", *_PARAMETERS}
_NOT_GLOBAL = {"shared", "shared::cta", "const", "local", *_PARAMETERS}
_WIDEST = 4

Place = tuple[str, int]


@dataclass(frozen=True)
class Checks:
    """What the race checks of a kernel's code need to know of it; granules are in bytes.

    `swapped` are, by function, the addresses (register, offset) of its compare-and-swaps. A load from one of these is
    the first guess of a loop that ends only when nobody has come between: it races with no atomic.
    """

    shared_granule: int
    global_granule: int
    swapped: dict[str, frozenset[Place]] = field(default_factory=dict)


def checks_of(module: PtxModule, program: Program) -> Checks:
    """For one kernel. What is known of global memory outlives it: all kernels of a module agree on its pieces."""
    shared = _narrowest((i for block in program.blocks for i in block.instructions), _NOT_SHARED)
    everything = (i for f in module.functions.values() for i in f.body or () if isinstance(i, Instruction))
    swapped = {name: _swapped(function) for name, function in program.functions.items()}
    return Checks(shared, _narrowest(everything, _NOT_GLOBAL), swapped)


def _narrowest(instructions: Iterable[Instruction], elsewhere: set[str]) -> int:
    narrowest = _WIDEST
    for instruction in instructions:
        if instruction.opcode in _ACCESSES and not elsewhere & set(instruction.modifiers):
            kinds = types_of(instruction)
            if kinds:
                narrowest = min(narrowest, kinds[-1].bytes)
    return narrowest


def place_of(instruction: Instruction) -> Place | None:
    """The address of an access, as far as it can be compared by its words."""
    for operand in instruction.operands:
        if isinstance(operand, Address):
            return (operand.base.name, operand.offset) if isinstance(operand.base, Register) else None
    return None


def _swapped(function: Function) -> frozenset[Place]:
    swaps = (i for i in function.body or () if isinstance(i, Instruction) and "cas" in i.modifiers)
    return frozenset(place for place in map(place_of, swaps) if place is not None)
