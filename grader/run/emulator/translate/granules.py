"""Finds the narrowest accesses of a program: with granules no larger than these, no two accesses share a cell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from grader.run.emulator.ptx.syntax import Function, Group, Instruction, PtxModule, Register, types_of
from grader.run.emulator.ptx.traits import Passing
from grader.run.emulator.translate.cfg import Program
from grader.run.emulator.translate.copies_of_values import Copies, find_copies
from grader.run.emulator.translate.counts import find_counts
from grader.run.emulator.translate.padding import Padding, find_padding
from grader.run.emulator.translate.waits import find_waits

_PARAMETERS = {"param", "param::entry", "param::func"}
_NOT_SHARED = {"global", "const", "local", *_PARAMETERS}
_NOT_GLOBAL = {"shared", "shared::cta", "const", "local", *_PARAMETERS}
_WIDEST = 4


@dataclass(frozen=True)
class Checks:
    """Settings of the race checks of a kernel's code; granules are in bytes.

    `guesses`: by function, the registers that a compare-and-swap compares with. A load into one of these is the first
    guess of a loop that ends only if nobody has interfered, so it races with no atomic.
    `counts`: stores that count with what they have read, see counts.py. `copies`: by function, reads whose value only
    some threads use. `waits`: reads that wait for a flag, see waits.py.
    """

    shared_granule: int
    global_granule: int
    guesses: dict[str, frozenset[str]] = field(default_factory=dict)
    padding: dict[str, Padding] = field(default_factory=dict)
    counts: frozenset[Instruction] = frozenset()
    copies: dict[str, Copies] = field(default_factory=dict)
    waits: frozenset[Instruction] = frozenset()


def choose_checks(module: PtxModule, program: Program) -> Checks:
    """Returns the settings for one kernel.

    Records of global memory outlive the kernel, so all kernels of a module use the same granule there.
    """
    shared = _narrowest((i for block in program.blocks for i in block.instructions), _NOT_SHARED)
    everything = (i for f in module.functions.values() for i in f.body or () if isinstance(i, Instruction))
    guesses = {name: _guesses(function) for name, function in program.functions.items()}
    padding = {name: find_padding(function) for name, function in program.functions.items()}
    counts = frozenset().union(*map(find_counts, program.functions.values()))
    copies = {name: find_copies(function) for name, function in program.functions.items()}
    return Checks(shared, _narrowest(everything, _NOT_GLOBAL), guesses, padding, counts, copies, find_waits(program))


def _narrowest(instructions: Iterable[Instruction], elsewhere: set[str]) -> int:
    narrowest = _WIDEST
    for instruction in instructions:
        traits = instruction.traits
        accesses = traits.is_load or traits.is_store or traits.is_atomic
        if accesses and not elsewhere & set(instruction.modifiers):
            kinds = types_of(instruction)
            if kinds:
                narrowest = min(narrowest, kinds[-1].bytes)
    return narrowest


def is_guess(checks: Checks, function: str, load: Instruction) -> bool:
    """Returns whether a load's result is what a compare-and-swap compares with."""
    target = load.operands[0]
    return isinstance(target, Register) and target.name in checks.guesses[function]


def needed_bytes(checks: Checks, function: str, load: Instruction, width: int) -> int:
    """Returns which of the loaded bytes need a value, as bits; `width` is the bytes of one component."""
    target = load.operands[0]
    first = target.items[0] if isinstance(target, Group) else target
    if not isinstance(first, Register) or function not in checks.padding:
        return load.used
    padding = checks.padding[function]
    if first.name in padding.whole:
        return 0
    return load.used & ((1 << width) - 1) if first.name in padding.rest else load.used


def _guesses(function: Function) -> frozenset[str]:
    instructions = [item for item in function.body or () if isinstance(item, Instruction)]
    compared = [i.operands[2] for i in instructions if i.traits.is_atomic and "cas" in i.modifiers]
    found = {operand.name for operand in compared if isinstance(operand, Register)}
    copies = [
        (i.operands[0].name, i.operands[1].name)
        for i in instructions
        if i.traits.passing is Passing.WHOLE
        and isinstance(i.operands[0], Register)
        and isinstance(i.operands[1], Register)
    ]
    while more := {source for target, source in copies if target in found} - found:
        found |= more
    return frozenset(found)
