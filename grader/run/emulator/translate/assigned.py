"""Finds the registers that may be read before they have a value, in code compiled without optimisation.

A local variable that not all paths set becomes a register that not all paths write. A value loaded from local memory or
passed to a function may be unset too.
"""

from __future__ import annotations

from collections.abc import Iterator

from grader.run.emulator.ptx.syntax import Address, Immediate, Instruction, Symbol
from grader.run.emulator.ptx.traits import Flow, Passing
from grader.run.emulator.translate.cfg import Block, Program, is_block_barrier, is_call
from grader.run.emulator.translate.storage import reads_and_writes, registers_in

LOCAL_SPACES = {"global", "const", "shared", "shared::cta"}
"""A load or store that names none of these spaces may access local memory."""
NORMALISING = {1, 255, 65535}
"""Masks with which the compiler truncates a register to a narrower variable; other masks are of bit fields."""


def passes_on(instruction: Instruction) -> bool:
    """Returns whether the result is unset only if its sources are, so that the instruction is not yet a use of them."""
    passing = instruction.traits.passing
    if passing is Passing.MASKED:
        last = instruction.operands[-1]
        return isinstance(last, Immediate) and last.value in NORMALISING
    return passing is not Passing.NOTHING


def may_be_local(instruction: Instruction) -> bool:
    """Whether a load or store may access local memory."""
    traits = instruction.traits
    return (traits.is_load or traits.is_store) and not LOCAL_SPACES & set(instruction.modifiers)


def read_registers(instruction: Instruction) -> list[str]:
    """Returns the registers an instruction reads, its predicate included.

    A destination that a false predicate leaves unchanged does not count as read.
    """
    if is_block_barrier(instruction):
        # The result of a bar.red is written in the block after it.
        operands = instruction.operands["red" in instruction.modifiers :]
        return [name for operand in operands for name in registers_in(operand)]
    if instruction.predicate is None:
        return reads_and_writes(instruction)[0]
    writes = set(reads_and_writes(instruction)[1])
    operands = instruction.operands[1:] if writes else instruction.operands
    return [instruction.predicate.name, *(name for operand in operands for name in registers_in(operand))]


def find_unset_registers(program: Program) -> dict[str, frozenset[str]]:
    """Returns, by function, the registers that may be unset where they are read."""
    return {name: _of_function(program, name) for name in program.functions}


def find_loaded_registers(program: Program) -> dict[str, frozenset[str]]:
    """Returns, by function, the registers that only loads write: storing one of these copies memory."""
    found = {}
    for name in program.functions:
        blocks = [block for block in program.blocks if block.function == name]
        writers: dict[str, set[bool]] = {}
        for block in blocks:
            for instruction in block.instructions:
                for register in reads_and_writes(instruction)[1]:
                    writers.setdefault(register, set()).add(instruction.traits.is_load)
        found[name] = frozenset(register for register, loads in writers.items() if all(loads))
    return found


def _of_function(program: Program, name: str) -> frozenset[str]:
    blocks = [block for block in program.blocks if block.function == name]
    found = _read_first(program, name, blocks)
    instructions = [instruction for block in blocks for instruction in block.instructions]
    parameters = {p.name for p in program.functions[name].parameters} if program.functions[name].entry else set()
    for instruction in instructions:
        if instruction.traits.is_load and may_be_local(instruction) and not _names(instruction, parameters):
            found |= set(reads_and_writes(instruction)[1])
    passed = [(set(reads_and_writes(i)[1]), set(read_registers(i))) for i in instructions if passes_on(i)]
    more = True
    while more:
        more = False
        for targets, sources in passed:
            if sources & found and not targets <= found:
                found |= targets
                more = True
    return frozenset(found)


def _names(load: Instruction, parameters: set[str]) -> bool:
    address = load.operands[1]
    return isinstance(address, Address) and isinstance(address.base, Symbol) and address.base.name in parameters


def _read_first(program: Program, name: str, blocks: list[Block]) -> set[str]:
    """Returns the registers that some path from the function's entry reads before it writes them."""
    written = {b.pc: {r for i in b.instructions for r in reads_and_writes(i)[1]} for b in blocks}
    everything = set().union(*written.values())
    entry = program.entries[name]
    assigned = {block.pc: set(everything) for block in blocks}
    assigned[entry] = set()
    changed = True
    while changed:
        changed = False
        for block in blocks:
            after = assigned[block.pc] | written[block.pc]
            for successor in successors(program, block):
                if successor in assigned and not assigned[successor] <= after:
                    assigned[successor] &= after
                    changed = True
    found: set[str] = set()
    for block in blocks:
        known = set(assigned[block.pc])
        for instruction in block.instructions:
            found |= {register for register in read_registers(instruction) if register not in known}
            known |= set(reads_and_writes(instruction)[1])
    return found


def successors(program: Program, block: Block) -> Iterator[int]:
    """Yields the blocks of the same function that may follow a block."""
    last = block.instructions[-1] if block.instructions else None
    if last is None or is_call(last) or is_block_barrier(last):
        yield block.pc + 1
        return
    function = program.functions[block.function]
    if last.traits.flow is Flow.BRANCH:
        targets = [operand.name for operand in last.operands if isinstance(operand, Symbol)]
    elif last.traits.flow is Flow.INDEXED_BRANCH:
        table = last.operands[-1]
        targets = list(function.branch_targets[table.name]) if isinstance(table, Symbol) else []
    else:
        targets = []
    for target in targets:
        yield program.labels[block.function, target]
    if not (last.traits.branches or last.traits.leaves) or last.predicate is not None:
        yield block.pc + 1
