"""Tracks which lanes of a register are unset, and reports uses of them: reads of unset local variables.

Copies are no uses: a value may be passed on, kept in local memory, or be part of a struct, without ever being looked
at. Arithmetic, comparisons, addresses, and stores to memory that others see are uses.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.run.emulator import layout
from grader.run.emulator.errors import UnsupportedPtx
from grader.run.emulator.locals import Use
from grader.run.emulator.native.ir import V, splat
from grader.run.emulator.native.local_values import read_values_routine, write_values_routine
from grader.run.emulator.native.resolve import report
from grader.run.emulator.ptx.syntax import Address, Group, Instruction, Operand, Register, Symbol, types_of
from grader.run.emulator.ptx.traits import Passing
from grader.run.emulator.translate.assigned import (
    find_loaded_registers,
    find_unset_registers,
    may_be_local,
    passes_on,
    read_registers,
    successors,
)
from grader.run.emulator.translate.cfg import Program, is_call
from grader.run.emulator.translate.emitter import Emitter
from grader.run.emulator.translate.storage import Storage, reads_and_writes, registers_in

_WORD_STRIDE = 128
MOST_INSTRUCTIONS = 1000
"""Instructions of one kernel with all that it calls (a debug build calls every little function of a header): LLVM takes
a second for that many, and much longer for more.
"""


@dataclass
class Places:
    """The places, in a warp's state, of the unset lanes of a program's registers and parameters."""

    program: Program
    storage: Storage
    unsure: dict[str, frozenset[str]] = field(init=False)
    loaded: dict[str, frozenset[str]] = field(init=False)
    uses: dict[int, Use] = field(default_factory=dict)
    """The uses by site."""
    _taken: dict[tuple[str, str | int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises UnsupportedPtx for a program that cannot be tracked."""
        entries = set(self.program.entries.values())
        targets = (pc for block in self.program.blocks for pc in successors(self.program, block))
        if self.program.recursive or entries & set(targets):
            raise UnsupportedPtx("values of local variables are not followed through recursion")
        if sum(len(block.instructions) for block in self.program.blocks) > MOST_INSTRUCTIONS:
            raise UnsupportedPtx(f"values of local variables are not followed in more than {MOST_INSTRUCTIONS} lines")
        self.unsure = find_unset_registers(self.program)
        self.loaded = find_loaded_registers(self.program)

    def at(self, owner: str, name: str | int) -> int:
        """Returns the place (a state offset) of a register or, without an owner, of a word of a parameter."""
        key = owner, name
        if key not in self._taken:
            self._taken[key] = self.storage.state_bytes + 4 * (len(self._taken) % 16)
            if len(self._taken) % 16 == 0:
                self.storage.state_bytes += 64
        return self._taken[key]

    def close(self) -> None:
        """Ends the allocation: all places are known."""
        self.storage.state_bytes += 64


class Values:
    """Tracks one block, beside its emitter. An i32 holds the unset lanes of a register; "0" if none are."""

    def __init__(self, emitter: Emitter, places: Places, block: int) -> None:
        self._e = emitter
        self._block = block
        self._places = places
        self._function = emitter.function.name
        self._unsure = places.unsure[self._function]
        self._known: dict[str, str] = {}
        self._loaded: dict[str, V] = {}
        """The address each register was loaded from in this block, while it still holds that value."""
        self._changed: set[str] = set()

    def enter_function(self) -> None:
        """Marks every register of the function as unset."""
        for name in sorted(self._unsure & set(self._e.frame.registers)):
            self._set_state(self._places.at(self._function, name), "-1", self._e.active_bits)

    # State

    def _set_state(self, place: int, lanes: str, mask: str) -> None:
        f = self._e.f
        old = f.load("i32", "%warp", place)
        kept = f.let(f"and i32 {old}, {f.let(f'xor i32 {mask}, -1')}")
        f.store("i32", f.let(f"or i32 {kept}, {f.let(f'and i32 {lanes}, {mask}')}"), "%warp", place)

    def _lacking(self, name: str) -> str:
        if name not in self._unsure:
            return "0"
        if name not in self._known:
            kept = name in self._e.frame.registers
            place = self._places.at(self._function, name)
            self._known[name] = self._e.f.load("i32", "%warp", place) if kept else "-1"
        return self._known[name]

    def _set_lacking(self, name: str, lacking: str) -> None:
        if name not in self._unsure:
            return
        self._loaded.pop(name, None)
        f, mask = self._e.f, self._e.mask_bits
        if mask != self._e.active_bits:
            kept = f.let(f"and i32 {self._lacking(name)}, {f.let(f'xor i32 {mask}, -1')}")
            lacking = f.let(f"or i32 {kept}, {f.let(f'and i32 {lacking}, {mask}')}")
        self._known[name] = lacking
        if name in self._e.frame.registers:
            self._changed.add(name)

    def flush(self) -> None:
        """Stores the changed unset lanes that outlive the block."""
        for name in sorted(self._changed):
            self._set_state(self._places.at(self._function, name), self._known[name], self._e.active_bits)
        self._changed.clear()

    # Instructions

    def step(self, i: Instruction) -> None:
        """Tracks one instruction, before it is emitted."""
        if i.predicate is not None:
            self._use([i.predicate.name], self._e.active_bits)
        for operand in i.operands:
            if isinstance(operand, Address):
                self._use(registers_in(operand))
        if i.traits.is_load:
            self._load(i)
        elif i.traits.is_store:
            self._store(i)
        elif passes_on(i):
            self._pass_on(i)
        else:
            if is_call(i):
                self._use([o.name for o in i.operands if isinstance(o, Register)])
            elif not i.traits.silent:
                self._use(read_registers(i))
            for name in reads_and_writes(i)[1]:
                self._set_lacking(name, "0")

    def _use(self, names: list[str], mask: str = "") -> None:
        for name in dict.fromkeys(names):
            lacking = self._lacking(name)
            if lacking != "0":
                self._report(name, lacking, mask or self._e.mask_bits)
                # One report is enough.
                self._set_lacking(name, "0")

    def _report(self, name: str, lacking: str, mask: str) -> None:
        e = self._e
        lanes = e.f.let(f"and i32 {lacking}, {mask}")
        site = e.sites.add(e.instruction)
        self._places.uses[site] = Use(self._function, self._block, name, name in self._loaded)
        if name in self._loaded:
            e.f.store_lanes(self._loaded[name], "%warp", layout.WARP["scratch"])
        report(e.f, layout.EVENT_UNSET, str(site), lanes)

    def _together(self, names: list[str]) -> str:
        """Returns the lanes in which none of these registers has a value."""
        lanes = "-1" if names else "0"
        for name in names:
            lacking = self._lacking(name)
            lanes = "0" if "0" in (lanes, lacking) else self._e.f.let(f"and i32 {lanes}, {lacking}")
        return lanes

    def _pass_on(self, i: Instruction) -> None:
        sources = [operand for operand in i.operands[1:] if not isinstance(operand, Address)]
        if i.traits.passing is Passing.CHOSEN:
            self._use(registers_in(sources[-1]))
            sources = sources[:-1]
        known = any(not registers_in(operand) for operand in sources) and i.traits.passing is not Passing.MASKED
        lacking = "0" if known else self._together([name for operand in sources for name in registers_in(operand)])
        names = [name for operand in sources for name in registers_in(operand)]
        loaded = self._loaded.get(names[0]) if len(names) == 1 else None
        for name in registers_in(i.operands[0]):
            self._set_lacking(name, lacking)
            if loaded is not None and i.predicate is None:
                self._loaded[name] = loaded

    def _components(self, operand: Operand) -> tuple[Operand, ...]:
        return operand.items if isinstance(operand, Group) else (operand,)

    def _load(self, i: Instruction) -> None:
        targets, width = self._components(i.operands[0]), self._width(i)
        area = self._area(i.operands[1])
        for number, target in enumerate(targets):
            lacking, place = "0", None
            if area is not None:
                lacking = self._of_parameter(area[0], area[1] + number * width, width)
            elif self._may_be_local(i, i.operands[1]) and any(n in self._unsure for n in registers_in(target)):
                place = self._place(i, i.operands[1], number * width)
                inputs = self._access(place, width)
                lacking = self._e.f.call(read_values_routine(self._e.f.module), "i32", inputs)
            for name in registers_in(target):
                self._set_lacking(name, lacking)
                if place is not None and i.predicate is None:
                    self._loaded[name] = place

    def _store(self, i: Instruction) -> None:
        f, sources, width = self._e.f, self._components(i.operands[1]), self._width(i)
        area = self._area(i.operands[0])
        for number, source in enumerate(sources):
            names = registers_in(source)
            lacking = self._together(names)
            if area is not None:
                self._set_parameter(area[0], area[1] + number * width, width, lacking)
                continue
            local = "0"
            if self._may_be_local(i, i.operands[0]):
                inputs = self._access(self._place(i, i.operands[0], number * width), width)
                local = f.call(write_values_routine(f.module), "i32", [*inputs, f"i32 {lacking}"])
            copied = len(sources) > 1 or set(names) <= self._places.loaded[self._function]
            if lacking != "0" and not copied and "param" not in i.modifiers:
                elsewhere = f.let(f"xor i32 {local}, -1")
                self._report(names[0], lacking, f.let(f"and i32 {self._e.mask_bits}, {elsewhere}"))

    def _width(self, i: Instruction) -> int:
        kinds = types_of(i)
        return kinds[-1].bytes if kinds else 4

    def _may_be_local(self, i: Instruction, address: Operand) -> bool:
        return may_be_local(i) and not any(m.startswith("param") for m in i.modifiers)

    def _place(self, i: Instruction, address: Operand, moved: int) -> V:
        """Returns the generic address of `address`, `moved` bytes further on."""
        place = self._e.address(address)
        window = layout.LOCAL_WINDOW if "local" in i.modifiers else 0
        return self._e.f.op("add", place, splat("i64", window + moved)) if window + moved else place

    def _access(self, place: V, width: int) -> list[str]:
        return ["ptr %ctx", "ptr %warp", str(place), f"i32 {self._e.mask_bits}", f"i32 {width}"]

    # Parameters of functions

    def _area(self, operand: Operand) -> tuple[int, int] | None:
        """Returns (state offset, byte offset) of a function's parameter that an address names."""
        if not (isinstance(operand, Address) and isinstance(operand.base, Symbol)):
            return None
        area = self._e.frame.areas.get(operand.base.name)
        return None if area is None else (area.at, operand.offset)

    def _words(self, area: int, offset: int, width: int) -> list[int]:
        return [area + word * _WORD_STRIDE for word in range(offset // 4, -(-(offset + width) // 4))]

    def _of_parameter(self, area: int, offset: int, width: int) -> str:
        lanes = "-1"
        for word in self._words(area, offset, width):
            own = self._e.f.load("i32", "%warp", self._places.at("", word))
            lanes = self._e.f.let(f"and i32 {lanes}, {own}")
        return lanes

    def _set_parameter(self, area: int, offset: int, width: int, lacking: str) -> None:
        for word in self._words(area, offset, width):
            place, lanes = self._places.at("", word), lacking
            if offset % 4:
                lanes = self._e.f.let(f"and i32 {lanes}, {self._e.f.load('i32', '%warp', place)}")
            self._set_state(place, lanes, self._e.mask_bits)

    def copy_parameter(self, source: int, target: int) -> None:
        """Tracks a word of a parameter from a caller to a function, or of a result the other way."""
        lanes = self._e.f.load("i32", "%warp", self._places.at("", source))
        self._set_state(self._places.at("", target), lanes, self._e.mask_bits)
