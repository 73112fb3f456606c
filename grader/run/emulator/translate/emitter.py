"""What the opcode families emit with: reads the operands and writes the results of an instruction, for 32 lanes.

Register values are cached within a block; `flush` writes those that outlive it to the warp's state, for the active
lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from grader.run.emulator import layout
from grader.run.emulator.errors import UnsupportedPtx
from grader.run.emulator.native.ir import LANES, IrFunction, V, splat
from grader.run.emulator.ptx.syntax import (
    Address,
    Function,
    Immediate,
    Instruction,
    Negated,
    Operand,
    Register,
    Symbol,
)
from grader.run.emulator.ptx.types import PtxType
from grader.run.emulator.translate.special import read_special
from grader.run.emulator.translate.storage import Frame, Storage

if TYPE_CHECKING:
    from grader.run.emulator.translate.counter_rows import CounterRows
    from grader.run.emulator.translate.granules import Checks

LLVM_FLOAT = {("f", 32): "float", ("f", 64): "double"}
MOST_LINES = 1 << 19
"""Lines of LLVM IR: more than LLVM can compile in the time that a kernel has."""
FLOAT_BITS = {"float": "i32", "double": "i64"}


@dataclass
class Sites:
    """The instructions that a fault can name, by number."""

    instructions: list[Instruction] = field(default_factory=list)

    def add(self, instruction: Instruction) -> int:
        """Returns the number of a new site for an instruction."""
        self.instructions.append(instruction)
        return len(self.instructions) - 1


class LocalValues(Protocol):
    """Tracks, in a debug build, which registers and local variables have a value."""

    def enter_function(self) -> None:
        """Marks everything but the parameters as unset."""

    def step(self, i: Instruction) -> None:
        """Tracks one instruction, before it is emitted."""

    def flush(self) -> None:
        """Stores what outlives the block."""

    def copy_parameter(self, source: int, target: int) -> None:
        """Tracks an argument of a call that moves from one offset of the parameter area to another."""


class Recorder(Protocol):
    """Enters what a kernel does into a journal."""

    def access(self, store: bool, space: str, width: int, address: V, values: list[V]) -> None:
        """Enters the loads or stores of the current instruction: `values` of `width` bytes each, one after another."""

    def atomic(self, space: str, width: int, address: V, before: V) -> None:
        """Enters the atomic operations of the current instruction, after which memory held other values."""

    def site_of_access(self, store: bool, space: str, width: int) -> str:
        """Returns the site by which a routine enters the accesses of the current instruction, `width` bytes each."""

    def copy(self, size: int, target: V, source: V, bytes_: V | None = None) -> None:
        """Enters copies of `size` bytes from global to shared memory.

        Of a lane's source only the first `bytes_` are read, if given; the rest of its target becomes 0.
        """


class Emitter:
    """Emits the code of one block. `active` are the lanes of the block, `mask` those of the current instruction."""

    def __init__(
        self,
        f: IrFunction,
        function: Function,
        storage: Storage,
        functions: Mapping[str, int],
        sites: Sites,
        masked_stores: bool,
        checks: Checks | None = None,
        counting: CounterRows | None = None,
    ) -> None:
        self.f = f
        self.function = function
        self.frame: Frame = storage.frames[function.name]
        self.storage = storage
        self.sites = sites
        self.instruction = Instruction("", (), ())
        self.faultable = False
        self._functions = functions
        self._masked_stores = masked_stores
        # Settings of the race checks; None if they are off.
        self.checks = checks
        # The rows of the counters; None if nothing is counted.
        self.counting = counting
        # Tracks unset values; None if that is off.
        self.values: LocalValues | None = None
        # Enters what is done into a journal; None if nobody reads one.
        self.recorder: Recorder | None = None
        # Emits that the warp yields to others if a condition (i1) holds.
        self.give_way: Callable[[str], None] = lambda condition: None
        # Reads how long the block has waited; takes that back if it was set to 0 since.
        self.waits_so_far: Callable[[], str] = lambda: "0"
        self.settle_waits: Callable[[str], None] = lambda before: None
        self.waits: set[int] = set()
        # Whether blocks are suspended before they look at or set what others wait for.
        self.stirred = False
        """The tests of barrier objects whose threads do nothing else until the test succeeds, by id of the instruction.
        """
        self._cache: dict[str, V] = {}
        self._dirty: set[str] = set()
        self._predicate: V | None = None
        # The carry of the condition code, an i1; None until the block sets it.
        self.carry: V | None = None
        self.active_bits = ""
        self.active = splat("i1", 1)
        self.mask = self.active

    def enter(self, active_bits: str) -> None:
        """Sets the block's active lanes, an i32."""
        self.active_bits = active_bits
        self.active = self.mask = self.f.mask(active_bits)

    def begin(self, instruction: Instruction) -> None:
        """Begins an instruction: evaluates its predicate. Raises UnsupportedPtx if the code has become too long."""
        self.instruction = instruction
        if self.f.size > MOST_LINES:
            raise UnsupportedPtx(
                "the kernel's code is longer than the emulator can translate in time, by this line already "
                f"{MOST_LINES:,} lines of LLVM's: unroll less, or make its tables smaller",
                instruction.line,
                instruction.text,
            )
        self._predicate = None
        self.mask = self.active
        if instruction.predicate is not None:
            condition = self.register(instruction.predicate)
            self._predicate = self.f.invert(condition) if instruction.negated else condition
            self.mask = self.f.op("and", self.active, self._predicate)

    @property
    def mask_bits(self) -> str:
        """The lanes of the current instruction as an i32: active, and not predicated off."""
        return self.active_bits if self._predicate is None else self.f.bits(self.mask)

    def site(self) -> int:
        """Returns a number under which faults name the current instruction."""
        return self.site_of(self.instruction)

    def site_of(self, instruction: Instruction) -> int:
        """Returns a number for one of several accesses that the current instruction makes."""
        self.faultable = True
        return self.sites.add(instruction)

    def unsupported(self, what: str = "") -> UnsupportedPtx:
        """Returns the error to raise for what the emulator does not support; by default, the current instruction."""
        name = ".".join((self.instruction.opcode, *self.instruction.modifiers))
        message = f"the emulator does not know {what or name}"
        return UnsupportedPtx(message, self.instruction.line, self.instruction.text)

    # Registers

    def type_of(self, name: str) -> PtxType:
        """Returns the type of a register. Raises UnsupportedPtx for an undeclared one."""
        kind = self.function.registers.get(name)
        if kind is None:
            raise self.unsupported(f"the register {name}")
        return kind

    def register(self, operand: Register) -> V:
        """Returns a register's bits as an integer vector of its width (i1 for predicates)."""
        name = operand.name
        if name not in self._cache:
            self._cache[name] = self._stored(name)
        return self._cache[name]

    def _stored(self, name: str) -> V:
        kind = self.type_of(name)
        offset = self.frame.registers.get(name)
        if offset is None:
            return splat(kind.integer, 0)
        if kind.kind == "pred":
            return self.f.mask(self.f.load("i32", "%warp", offset))
        return self.f.load_lanes(f"i{max(kind.width, 8)}", "%warp", offset)

    def write_register(self, operand: Operand, value: V, signed: bool = False) -> None:
        """Writes an integer vector to a register, extended or truncated to its width; `_` discards it."""
        if isinstance(operand, Symbol) and operand.name == "_":
            return
        if not isinstance(operand, Register):
            raise self.unsupported("this destination")
        kind = self.type_of(operand.name)
        value = self.resize(value, kind.integer, signed)
        if self._predicate is not None:
            value = self.f.select(self._predicate, value, self.register(operand))
        self._cache[operand.name] = value
        if operand.name in self.frame.registers:
            self._dirty.add(operand.name)

    def resize(self, value: V, t: str, signed: bool = False) -> V:
        """Returns an integer vector extended or truncated to lane type `t`."""
        if value.t == t:
            return value
        wider = int(t[1:]) > int(value.t[1:])
        return self.f.cast(("sext" if signed else "zext") if wider else "trunc", value, t)

    def flush(self) -> None:
        """Writes the changed registers of the active lanes to the warp's state."""
        f = self.f
        for name in sorted(self._dirty):
            offset = self.frame.registers[name]
            value = self._cache[name]
            if value.t == "i1":
                old = f.load("i32", "%warp", offset)
                kept = f.let(f"and i32 {old}, {f.let(f'xor i32 {self.active_bits}, -1')}")
                new = f.let(f"and i32 {f.bits(value)}, {self.active_bits}")
                f.store("i32", f.let(f"or i32 {kept}, {new}"), "%warp", offset)
            elif self._masked_stores and value.t in ("i32", "i64"):
                name = f"llvm.masked.store.v{LANES}{value.t}.p0"
                arguments = [str(value), f"ptr {f.field('%warp', offset)}", "i32 64", str(self.active)]
                f.intrinsic(name, "void", arguments)
            else:
                old_lanes = f.load_lanes(value.t, "%warp", offset)
                f.store_lanes(f.select(self.active, value, old_lanes), "%warp", offset)
        self._dirty.clear()

    # Operands

    def read(self, operand: Operand, kind: PtxType) -> V:
        """Returns an operand as bits of the type's register width (i1 for predicates)."""
        f = self.f
        if isinstance(operand, Register):
            return self.resize(self.register(operand), kind.integer, kind.is_signed)
        if isinstance(operand, Negated):
            return f.invert(self.register(operand.operand))
        if isinstance(operand, Immediate):
            return self._immediate(operand, kind)
        if isinstance(operand, Symbol):
            return self.resize(self._symbol(operand), kind.integer)
        raise self.unsupported()

    def _immediate(self, operand: Immediate, kind: PtxType) -> V:
        value = operand.value
        if operand.floating == 64 and kind.width == 32:
            if not kind.is_float or kind.packed > 1:
                raise self.unsupported("a 64-bit literal for a 32-bit operand")
            value = int(np.array(value, np.uint64).view(np.float64).astype(np.float32).view(np.uint32))
        return splat(kind.integer, value)

    def read_float(self, operand: Operand, kind: PtxType) -> V:
        """Returns an f32 or f64 operand as an LLVM float vector."""
        return self.f.bitcast(self.read(operand, kind), LLVM_FLOAT[kind.kind, kind.bits])

    def write(self, operand: Operand, value: V, signed: bool = False) -> None:
        """Writes a vector of any LLVM type to a register.

        A narrower one is sign-extended if `signed`, else zero-extended.
        """
        if value.t in FLOAT_BITS:
            value = self.f.bitcast(value, FLOAT_BITS[value.t])
        self.write_register(operand, value, signed)

    def _symbol(self, symbol: Symbol) -> V:
        name = symbol.name
        special = read_special(self.f, name)
        if special is not None:
            return special
        address = self.symbol_address(name)
        if isinstance(address, V):
            return self.f.op("add", address, splat(address.t, symbol.offset))
        return splat("i64", address + symbol.offset)

    def symbol_address(self, name: str) -> int | V:
        """Returns the address of a variable in its own state space; a vector for a local variable."""
        if name in self.storage.shared:
            return layout.shared_address(self.storage.shared[name])
        if name in self.storage.variables:
            return layout.array_address(self.storage.variables[name])
        if name in self.frame.local:
            frame = self.f.load_lanes("i32", "%warp", layout.WARP["frame"])
            return self.f.op("add", self.f.cast("zext", frame, "i64"), splat("i64", self.frame.local[name]))
        if name in self._functions:
            return (layout.FUNCTION_SLOT << layout.SLOT_BITS) + self._functions[name]
        if self.function.entry and name in self.storage.parameters:
            return layout.array_address(layout.PARAMETER_SLOT) + self.storage.parameters[name].at
        raise self.unsupported(f"the symbol {name}")

    def address(self, operand: Operand) -> V:
        """Returns the address of `[base + offset]` as i64 lanes."""
        if not isinstance(operand, Address):
            raise self.unsupported(f"the address {operand!r}")
        if operand.base is None:
            return splat("i64", operand.offset)
        if isinstance(operand.base, Register):
            value = self.register(operand.base)
            if value.t == "i32":
                # 32-bit addresses wrap around within their space before they are widened.
                moved = self.f.op("add", value, splat("i32", operand.offset)) if operand.offset else value
                return self.f.cast("zext", moved, "i64")
            return self.f.op("add", value, splat("i64", operand.offset)) if operand.offset else value
        address = self.symbol_address(operand.base.name)
        if isinstance(address, V):
            return self.f.op("add", address, splat("i64", operand.offset))
        return splat("i64", address + operand.offset)
