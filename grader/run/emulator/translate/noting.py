"""Instruments a kernel for a journal: notes each source line, access, variable, call, barrier and exit.

A variable that the debugging information finds in a register is noted where it gets a value; one in local memory is
noted as the store to its address.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from grader.run.emulator.locals import Local, Locals
from grader.run.emulator.native.access import Access, access_routine
from grader.run.emulator.native.ir import V, splat
from grader.run.emulator.native.journal import note_routine, note_values_routine
from grader.run.emulator.ptx.syntax import Immediate, Instruction, Register, types_of
from grader.run.emulator.ptx.traits import Flow, Passing
from grader.run.emulator.ptx.types import PtxType
from grader.run.emulator.translate.assigned import successors
from grader.run.emulator.translate.cfg import Block, Program, is_block_barrier, is_call
from grader.run.emulator.translate.emitter import Emitter
from grader.run.emulator.translate.storage import reads_and_writes

LINE, VARIABLE, READ, WRITE, ATOMIC, CHANGED = "line", "variable", "read", "write", "atomic", "changed"
CALL, RETURN, ARRIVE, EXIT = "call", "return", "arrive", "exit"
WIDEST = 8
"""Bytes of one value."""


@dataclass(frozen=True)
class Note:
    """One site. An access is `width` bytes wide, in `space`; `local` is the variable that gets a value.

    ATOMIC has the values before, CHANGED, which follows it, those after all lanes. `sure`: the value is new; else it
    may be the one that the variable had. `barrier`: the number of the one that lanes arrive at.
    """

    kind: str
    function: str
    pc: int
    instruction: int
    line: int = 0
    space: str = ""
    width: int = 0
    local: Local | None = None
    sure: bool = True
    barrier: int = 0
    type: PtxType | None = None
    """The type that the instruction of an access names."""


@dataclass
class Noted:
    """The sites of one kernel's journal, and the variables of its debug build."""

    locals: Locals
    notes: list[Note] = field(default_factory=list)
    _before: dict[int, list[Instruction]] = field(default_factory=dict)

    def kept_registers(self, program: Program) -> dict[str, set[str]]:
        """Returns, by function, the registers that hold variables."""
        self._before = _last_before(program)
        return {
            function: {place.symbol for local in self.locals.of(function) for place in local.places}
            for function in program.functions
        }

    def before(self, pc: int) -> list[Instruction]:
        """Returns the last instructions of the blocks that may come before a block."""
        return self._before.get(pc, [])


def _last_before(program: Program) -> dict[int, list[Instruction]]:
    found: dict[int, list[Instruction]] = {}
    for block in program.blocks:
        for following in successors(program, block) if block.instructions else ():
            found.setdefault(following, []).append(block.instructions[-1])
    return found


class Recording:
    """Notes what one block does, with that block's emitter."""

    def __init__(self, emitter: Emitter, noted: Noted, program: Program, block: Block) -> None:
        self._e = emitter
        self._noted = noted
        self._block = block
        self._is_entry = program.entries[block.function] == block.pc
        self._locals = [local for local in noted.locals.of(block.function) if _in_registers(local)]
        self._line = 0
        self._done: list[Instruction] = []

    def _site(self, kind: str, **more: object) -> str:
        instruction = self._e.instruction
        number = self._noted.locals.number(instruction) if self._block.instructions else 0
        kinds = types_of(instruction)
        type = kinds[-1] if kinds else None
        note = Note(kind, self._block.function, self._block.pc, number, type=type, **more)  # type: ignore[arg-type]
        self._noted.notes.append(note)
        return str(len(self._noted.notes) - 1)

    def _note(self, site: str, lanes: str) -> None:
        inputs = ["ptr %ctx", "ptr %warp", f"i32 {site}", f"i32 {lanes}"]
        self._e.f.call(note_routine(self._e.f.module), "void", inputs)

    def _note_values(self, site: str, lanes: str, addresses: V, values: V) -> None:
        inputs = ["ptr %ctx", "ptr %warp", f"i32 {site}", f"i32 {lanes}", str(addresses)]
        wide = str(self._e.resize(values, "i64"))
        self._e.f.call(note_values_routine(self._e.f.module), "void", [*inputs, wide])

    # Lines and variables

    def begin_block(self) -> None:
        """Notes the block's first line, so that loops on one line are seen, and variables that change their place."""
        if not self._block.instructions:
            return
        self._e.instruction = self._block.instructions[0]
        if self._block.line:
            self._line = self._block.line
            self._note(self._site(LINE, line=self._line), self._e.active_bits)
        here = self._number(self._e.instruction)
        for local in self._locals:
            symbol = _symbol_at(local, here)
            others = {_symbol_at(local, self._number(before)) for before in self._noted.before(self._block.pc)}
            if symbol and others - {symbol, ""}:
                self._variable(local, symbol, self._e.active_bits, sure=False)

    def begin(self, instruction: Instruction) -> None:
        """Notes the variables whose place begins here, then a new line, then what ends the block."""
        here = self._number(instruction)
        if self._done:
            for local in self._locals:
                symbol = _symbol_at(local, here)
                if symbol and symbol != _symbol_at(local, self._number(self._done[-1])):
                    self._found(local, symbol)
        if instruction.line and instruction.line != self._line:
            self._line = instruction.line
            self._note(self._site(LINE, line=self._line), self._e.active_bits)
        self._end_of_block(instruction)

    def _end_of_block(self, instruction: Instruction) -> None:
        lanes = self._e.mask_bits
        flow = instruction.traits.flow
        if is_call(instruction):
            self._note(self._site(CALL), lanes)
        elif flow in (Flow.EXIT, Flow.TRAP) or (flow is Flow.RETURN and self._e.function.entry):
            self._note(self._site(EXIT), lanes)
        elif flow is Flow.RETURN:
            self._note(self._site(RETURN), lanes)
        elif is_block_barrier(instruction) and "arrive" not in instruction.modifiers:
            named = [o for o in instruction.operands[:2] if isinstance(o, Immediate)]
            self._note(self._site(ARRIVE, barrier=named[0].value if named else 0), lanes)

    def end(self, instruction: Instruction) -> None:
        """Notes the variables whose register an instruction has written."""
        here = self._number(instruction)
        written = set(reads_and_writes(instruction)[1])
        for local in self._locals if written else ():
            symbol = _symbol_at(local, here)
            if symbol in written and symbol == _symbol_at(local, here + 1):
                self._variable(local, symbol, self._e.mask_bits)
        self._done.append(instruction)

    def _number(self, instruction: Instruction) -> int:
        return self._noted.locals.number(instruction)

    def _found(self, local: Local, symbol: str) -> None:
        """Notes a variable that a register holds from here on, unless that is only another copy of it."""
        for writer in reversed(self._done):
            if symbol not in reads_and_writes(writer)[1]:
                continue
            sources = [o.name for o in writer.operands[1:] if isinstance(o, Register)]
            copied = writer.traits.passing is Passing.WHOLE and len(writer.operands) == 2
            if copied and sources and sources[0] == _symbol_at(local, self._number(writer)):
                return
            # A copy from another of its registers may be the value that it has.
            own = copied and bool(sources) and any(place.symbol == sources[0] for place in local.places)
            self._variable(local, symbol, self._e.active_bits, sure=not own)
            return
        if not self._is_entry:
            self._variable(local, symbol, self._e.active_bits, sure=False)

    def _variable(self, local: Local, symbol: str, lanes: str, sure: bool = True) -> None:
        if symbol in self._e.function.registers:
            site = self._site(VARIABLE, local=local, sure=sure)
            self._note_values(site, lanes, splat("i64", 0), self._e.register(Register(symbol)))

    # Accesses

    def access(self, store: bool, space: str, width: int, address: V, values: list[V]) -> None:
        if "const" in self._e.instruction.modifiers or (space == "local" and not store):
            return
        for number, value in enumerate(values):
            place = self._e.f.op("add", address, splat("i64", number * width)) if number else address
            site = self._site(WRITE if store else READ, space=space, width=width)
            self._note_values(site, self._e.mask_bits, place, value)

    def atomic(self, space: str, width: int, address: V, before: V) -> None:
        self._note_values(self._site(ATOMIC, space=space, width=width), self._e.mask_bits, address, before)
        self._note_memory(CHANGED, space, width, address, self._e.mask_bits)

    def site_of_access(self, store: bool, space: str, width: int) -> str:
        return self._site(WRITE if store else READ, space=space, width=width)

    def copy(self, size: int, target: V, source: V, bytes_: V | None = None) -> None:
        width = min(size, WIDEST)
        for begin in range(0, size, width):
            there, here = (self._e.f.op("add", place, splat("i64", begin)) for place in (target, source))
            if bytes_ is None:
                value = self._note_memory(READ, "global", width, here, self._e.mask_bits)
            else:
                value = self._part(width, here, self._e.f.op("sub", bytes_, splat("i32", begin)))
            self._note_values(self._site(WRITE, space="shared", width=width), self._e.mask_bits, there, value)

    def _part(self, width: int, here: V, left: V) -> V:
        """Notes the reads of lanes that copy `left` bytes; returns what they copy, 0 in place of the rest."""
        e, f = self._e, self._e.f
        whole = f.compare("icmp sge", left, splat("i32", width))
        value = f.select(whole, self._note_read(width, here, whole), splat("i64", 0))
        for begin in range(width - 1):
            inside = f.op("and", f.compare("icmp sgt", left, splat("i32", begin)), f.invert(whole))
            byte = self._note_read(1, f.op("add", here, splat("i64", begin)), inside)
            moved = f.op("shl", byte, splat("i64", 8 * begin))
            value = f.select(inside, f.op("or", value, moved), value)
        return e.resize(value, f"i{8 * width}")

    def _note_read(self, width: int, here: V, wanted: V) -> V:
        f = self._e.f
        lanes = f.let(f"and i32 {self._e.mask_bits}, {f.bits(wanted)}")
        return self._e.resize(self._note_memory(READ, "global", width, here, lanes), "i64")

    def _note_memory(self, kind: str, space: str, width: int, address: V, lanes: str) -> V:
        """Notes what memory holds now; returns it."""
        access = Access(False, space, width)
        inputs = ["ptr %ctx", "ptr %warp", str(address), f"i32 {lanes}", f"i32 {self._e.site()}"]
        value = V(access.lane_type, self._e.f.call(access_routine(self._e.f.module, access), access.returns, inputs))
        self._note_values(self._site(kind, space=space, width=width), lanes, address, value)
        return value


def _in_registers(local: Local) -> bool:
    return any(place.offset is None for place in local.places)


def _symbol_at(local: Local, number: int) -> str:
    """Returns the register that holds a variable where an instruction begins; "" if none does."""
    places: Iterable[str] = (p.symbol for p in local.places if p.offset is None and p.begin <= number < p.end)
    return next(iter(places), "")
