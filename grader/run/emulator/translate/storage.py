"""Places a program's registers, parameters and variables: offsets into a warp's state, and address slots.

A register that only one block names, which writes it before it reads it, needs no place: it stays in LLVM values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest

from grader.run.emulator import layout
from grader.run.emulator.errors import UnsupportedPtx
from grader.run.emulator.ptx.syntax import (
    Address,
    Function,
    Group,
    Instruction,
    Negated,
    Operand,
    Pair,
    Parameter,
    PtxModule,
    Register,
    Symbol,
    Variable,
)
from grader.run.emulator.translate.cfg import Block, Program


def registers_in(operand: Operand) -> list[str]:
    """Returns the names of the registers in an operand."""
    if isinstance(operand, Register):
        return [operand.name]
    if isinstance(operand, Negated):
        return [operand.operand.name]
    if isinstance(operand, Address):
        return [operand.base.name] if isinstance(operand.base, Register) else []
    if isinstance(operand, Group):
        return [name for item in operand.items for name in registers_in(item)]
    if isinstance(operand, Pair):
        return registers_in(operand.first) + registers_in(operand.second)
    return []


def reads_and_writes(instruction: Instruction) -> tuple[list[str], list[str]]:
    """Returns the names of the registers that an instruction reads, and of those that it writes."""
    operands = instruction.operands
    writes: list[str] = []
    if operands and instruction.traits.result and not isinstance(operands[0], Address):
        writes = registers_in(operands[0])
        operands = operands[1:]
    reads = [name for operand in operands for name in registers_in(operand)]
    if instruction.predicate:
        reads += [instruction.predicate.name, *writes]
    return reads, writes


def _kept_registers(blocks: Iterable[Block]) -> set[str]:
    """Returns the registers of one function whose value outlives a block."""
    home: dict[str, int] = {}
    kept: set[str] = set()
    for block in blocks:
        written: set[str] = set()
        for instruction in block.instructions:
            reads, writes = reads_and_writes(instruction)
            kept |= {name for name in reads if name not in written}
            for name in (*reads, *writes):
                if home.setdefault(name, block.pc) != block.pc:
                    kept.add(name)
            written |= set(writes)
    return kept


def align_up(value: int, align: int) -> int:
    """Rounds up to a multiple of `align`."""
    return -(-value // align) * align


@dataclass(frozen=True)
class Area:
    """The place of a parameter: `at` and `size` in bytes.

    A kernel's parameters are in its launch's parameters, a function's in the state of a warp.
    """

    at: int
    size: int

    def holds(self, offset: int, size: int) -> bool:
        """Whether `size` bytes from `offset` on are all inside."""
        return 0 <= offset <= self.size - size


@dataclass
class Frame:
    """The places of one function: register -> state offset, parameter areas by name, return address."""

    registers: dict[str, int] = field(default_factory=dict)
    areas: dict[str, Area] = field(default_factory=dict)
    return_pc: int = 0
    local: dict[str, int] = field(default_factory=dict)
    local_bytes: int = 0
    saved_bytes: int = 0


@dataclass(frozen=True)
class CallAreas:
    """Where a call puts its parameters, finds its results, and stores the return address (a state offset)."""

    parameters: tuple[Area, ...]
    results: tuple[Area, ...]
    return_pc: int


@dataclass
class Storage:
    """All places of a program. `state_bytes` is the size of a warp's state; slots are address slots."""

    frames: dict[str, Frame]
    state_bytes: int
    variables: dict[str, int]
    shared: dict[str, int]
    shared_offsets: dict[int, tuple[int, int]]
    static_shared_bytes: int
    dynamic_slot: int
    parameters: dict[str, Area]
    by_address: CallAreas

    @property
    def declared_shared_bytes(self) -> int:
        """The bytes that the declarations of shared arrays ask for."""
        return sum(size for _, size in self.shared_offsets.values())


def parameter_areas(parameters: tuple[Parameter, ...]) -> tuple[dict[str, Area], int]:
    """Returns the places of a kernel's parameters, and their size together in bytes."""
    areas: dict[str, Area] = {}
    end = 0
    for parameter in parameters:
        end = align_up(end, parameter.align)
        areas[parameter.name] = Area(end, parameter.size)
        end += parameter.size
    return areas, end


class _State:
    """Allocates offsets in the warp's state."""

    def __init__(self) -> None:
        self.end = layout.WARP.size

    def take(self, size: int) -> int:
        start = align_up(self.end, 64)
        self.end = start + size
        return start


def _area(state: _State, size: int) -> Area:
    """Allocates a parameter of a function: 32-bit words, each a vector of 32 lanes."""
    whole = align_up(size, 4)
    return Area(state.take(whole // 4 * 128), whole)


def _frame(blocks: Iterable[Block], function: Function, state: _State, kept: Iterable[str]) -> Frame:
    frame = Frame()
    for name in sorted(_kept_registers(blocks) | set(kept)):
        kind = function.registers.get(name)
        if kind is not None:
            frame.registers[name] = state.take(4 if kind.kind == "pred" else 32 * max(kind.width, 8) // 8)
    if not function.entry:
        for parameter in (*function.parameters, *function.results):
            frame.areas[parameter.name] = _area(state, parameter.size)
    for parameter in function.call_parameters.values():
        frame.areas[parameter.name] = _area(state, parameter.size)
    frame.return_pc = state.take(128)
    for variable in function.variables.values():
        if variable.space == "local":
            frame.local_bytes = align_up(frame.local_bytes, variable.align)
            frame.local[variable.name] = frame.local_bytes
            frame.local_bytes += variable.size
    return frame


def _share_areas(program: Program, frames: dict[str, Frame], state: _State) -> CallAreas:
    """Gives functions called by address common places for parameters: the caller cannot know which one it calls."""
    functions = [program.functions[name] for name in program.addressed]

    def places(lists: list[tuple[Parameter, ...]]) -> tuple[Area, ...]:
        columns = [[p for p in column if p is not None] for column in zip_longest(*lists)]
        return tuple(_area(state, max(p.size for p in column)) for column in columns)

    areas = CallAreas(
        places([f.parameters for f in functions]), places([f.results for f in functions]), state.take(128)
    )
    for function in functions:
        frame = frames[function.name]
        frame.areas |= {p.name: place for p, place in zip(function.parameters, areas.parameters, strict=False)}
        frame.areas |= {p.name: place for p, place in zip(function.results, areas.results, strict=False)}
        frame.return_pc = areas.return_pc
    return areas


_MOST_STATE = 64 << 20
_SHARED_ALIGN = 16
"""Bytes of the widest access."""
_MOST_SHARED = layout.SHARED_SLOT_COUNT - 3
"""The first slot and the last stay empty, so that an address outside of all slots finds nothing; one is dynamic."""


def _is_shared(variable: Variable) -> bool:
    return variable.space == "shared"


def _shared_slots(program: Program, module: PtxModule) -> tuple[dict[str, int], dict[int, tuple[int, int]], int, int]:
    """Returns slots of shared arrays, their (offset, size) by slot, the total size, and the dynamic slot."""
    used = _used_symbols(program)
    found = {v.name: v for v in module.variables.values() if _is_shared(v) and v.name in used}
    for function in program.functions.values():
        found |= {v.name: v for v in function.variables.values() if _is_shared(v)}
    if len(found) > _MOST_SHARED:
        raise UnsupportedPtx(f"the kernel has {len(found)} shared arrays; the emulator has places for {_MOST_SHARED}")
    slots: dict[str, int] = {}
    offsets: dict[int, tuple[int, int]] = {}
    end = 0
    dynamic = 0
    for variable in sorted(found.values(), key=lambda v: v.name):
        if variable.size == 0:
            dynamic = dynamic or layout.SHARED_SLOT_COUNT - 2
            slots[variable.name] = dynamic
            continue
        slot = len(offsets) + 1
        # Aligned as its first address in the space, so that an address aligned there is aligned here.
        end = align_up(end, max(variable.align, _SHARED_ALIGN))
        slots[variable.name] = slot
        offsets[slot] = (end, variable.size)
        end += variable.size
    return slots, offsets, end, dynamic


def _used_symbols(program: Program) -> set[str]:
    used: set[str] = set()
    for block in program.blocks:
        for instruction in block.instructions:
            for operand in instruction.operands:
                items = operand.items if isinstance(operand, Group) else (operand,)
                for item in items:
                    if isinstance(item, Address) and isinstance(item.base, Symbol):
                        used.add(item.base.name)
                    elif isinstance(item, Symbol):
                        used.add(item.name)
    return used


def assign_storage(
    program: Program, module: PtxModule, variables: dict[str, int], kept: Mapping[str, Iterable[str]] = {}
) -> Storage:
    """Returns places for everything that `program` names; `variables` are the module's address slots.

    `kept`: by function, registers whose value has to outlive a block whoever reads it.
    Raises UnsupportedPtx if there is no room.
    """
    state = _State()
    blocks: dict[str, list[Block]] = {name: [] for name in program.functions}
    for block in program.blocks:
        blocks[block.function].append(block)
    functions = program.functions.items()
    frames = {name: _frame(blocks[name], function, state, kept.get(name, ())) for name, function in functions}
    if state.end > _MOST_STATE:
        raise UnsupportedPtx(
            f"registers and parameters of {state.end >> 20} MB a warp; the emulator has places for {_MOST_STATE >> 20}"
        )
    by_address = _share_areas(program, frames, state)
    for name in program.recursive:
        frames[name].saved_bytes = _saved_bytes(program.functions[name], frames[name])
    slots, offsets, total, dynamic = _shared_slots(program, module)
    parameters, _ = parameter_areas(program.functions[program.kernel].parameters)
    return Storage(
        frames,
        align_up(state.end, 64),
        variables,
        slots,
        offsets,
        total,
        dynamic,
        parameters,
        by_address,
    )


def _saved_bytes(function: Function, frame: Frame) -> int:
    """Returns the bytes that a lane pushes for this function's registers, parameters and return address."""
    words = sum(2 if function.registers[name].width > 32 else 1 for name in frame.registers)
    words += sum(frame.areas[p.name].size // 4 for p in function.parameters)
    return align_up(4 * (words + 1), 16)
