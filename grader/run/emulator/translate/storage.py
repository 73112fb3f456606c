"""Where a program's registers, parameters and variables live: offsets into a warp's state, and address slots.

A register that is written before it is read in the only block that names it needs no place: it stays in LLVM values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import zip_longest

from grader.run.emulator import layout
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
from grader.run.emulator.translate.cfg import Program

_NO_DESTINATION = {
    "st", "red", "bra", "brx", "ret", "exit", "trap", "bar", "barrier", "call", "membar", "fence", "prefetch",
    "prefetchu", "nanosleep", "discard", "applypriority", "cp", "pmevent", "brkpt",
}  # fmt: skip


def registers_in(operand: Operand) -> list[str]:
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
    """Names of the registers that an instruction reads, and of those that it writes."""
    operands = instruction.operands
    writes: list[str] = []
    if operands and instruction.opcode not in _NO_DESTINATION and not isinstance(operands[0], Address):
        writes = registers_in(operands[0])
        operands = operands[1:]
    reads = [name for operand in operands for name in registers_in(operand)]
    if instruction.predicate:
        reads += [instruction.predicate.name, *writes]
    return reads, writes


def _kept_registers(program: Program, function: Function) -> set[str]:
    """Registers whose value outlives a block."""
    home: dict[str, int] = {}
    kept: set[str] = set()
    for block in program.blocks:
        if block.function != function.name:
            continue
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
    return -(-value // align) * align


@dataclass
class Frame:
    """One function's places: register -> state offset, parameter areas (name -> state offset), return address."""

    registers: dict[str, int] = field(default_factory=dict)
    areas: dict[str, int] = field(default_factory=dict)
    return_pc: int = 0
    local: dict[str, int] = field(default_factory=dict)
    local_bytes: int = 0
    saved_bytes: int = 0


@dataclass(frozen=True)
class CallAreas:
    """Where a call puts its parameters, finds its results, and leaves the way back: state offsets."""

    parameters: tuple[int, ...]
    results: tuple[int, ...]
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
    parameters: dict[str, int]
    parameter_bytes: int
    by_address: CallAreas


def parameter_offsets(parameters: tuple[Parameter, ...]) -> tuple[dict[str, int], int]:
    offsets: dict[str, int] = {}
    end = 0
    for parameter in parameters:
        end = align_up(end, parameter.align)
        offsets[parameter.name] = end
        end += parameter.size
    return offsets, end


class _State:
    """Hands out offsets in the warp's state."""

    def __init__(self) -> None:
        self.end = layout.WARP_HEADER_BYTES

    def take(self, size: int) -> int:
        start = align_up(self.end, 64)
        self.end = start + size
        return start


def _area_bytes(parameter: Parameter) -> int:
    """A parameter is held as 32-bit words, each a vector of 32 lanes."""
    return align_up(parameter.size, 4) // 4 * 128


def _frame(program: Program, function: Function, state: _State) -> Frame:
    frame = Frame()
    for name in sorted(_kept_registers(program, function)):
        kind = function.registers.get(name)
        if kind is not None:
            frame.registers[name] = state.take(4 if kind.kind == "pred" else 32 * max(kind.width, 8) // 8)
    if not function.entry:
        for parameter in (*function.parameters, *function.results):
            frame.areas[parameter.name] = state.take(_area_bytes(parameter))
    for parameter in function.call_parameters.values():
        frame.areas[parameter.name] = state.take(_area_bytes(parameter))
    frame.return_pc = state.take(128)
    for variable in function.variables.values():
        if variable.space == "local":
            frame.local_bytes = align_up(frame.local_bytes, variable.align)
            frame.local[variable.name] = frame.local_bytes
            frame.local_bytes += variable.size
    return frame


def _share_areas(program: Program, frames: dict[str, Frame], state: _State) -> CallAreas:
    """Functions called by address take parameters in common places: the caller can't know which one it calls."""
    functions = [program.functions[name] for name in program.addressed]

    def places(lists: list[tuple[Parameter, ...]]) -> tuple[int, ...]:
        columns = [[p for p in column if p is not None] for column in zip_longest(*lists)]
        return tuple(state.take(max(_area_bytes(p) for p in column)) for column in columns)

    areas = CallAreas(
        places([f.parameters for f in functions]), places([f.results for f in functions]), state.take(128)
    )
    for function in functions:
        frame = frames[function.name]
        frame.areas |= {p.name: place for p, place in zip(function.parameters, areas.parameters, strict=False)}
        frame.areas |= {p.name: place for p, place in zip(function.results, areas.results, strict=False)}
        frame.return_pc = areas.return_pc
    return areas


def _is_shared(variable: Variable) -> bool:
    return variable.space == "shared"


def _shared_slots(program: Program, module: PtxModule) -> tuple[dict[str, int], dict[int, tuple[int, int]], int, int]:
    """Slots of shared arrays; per slot its (offset, size) in the block's memory; their total; the dynamic slot."""
    used = _used_symbols(program)
    found = {v.name: v for v in module.variables.values() if _is_shared(v) and v.name in used}
    for function in program.functions.values():
        found |= {v.name: v for v in function.variables.values() if _is_shared(v)}
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
        end = align_up(end, max(variable.align, 1))
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


def assign_storage(program: Program, module: PtxModule, variables: dict[str, int]) -> Storage:
    """Places for everything that `program` names; `variables` are the module's address slots."""
    state = _State()
    frames = {name: _frame(program, function, state) for name, function in program.functions.items()}
    by_address = _share_areas(program, frames, state)
    for name in program.recursive:
        frames[name].saved_bytes = _saved_bytes(program.functions[name], frames[name])
    slots, offsets, total, dynamic = _shared_slots(program, module)
    parameters, parameter_bytes = parameter_offsets(program.functions[program.kernel].parameters)
    return Storage(
        frames,
        align_up(state.end, 64),
        variables,
        slots,
        offsets,
        total,
        dynamic,
        parameters,
        parameter_bytes,
        by_address,
    )


def _saved_bytes(function: Function, frame: Frame) -> int:
    """Bytes a lane pushes for this function's registers, parameters and return address around a recursive call."""
    words = sum(2 if function.registers[name].width > 32 else 1 for name in frame.registers)
    words += sum(_area_bytes(p) // 128 for p in function.parameters)
    return align_up(4 * (words + 1), 16)
