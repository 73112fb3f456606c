"""Traits: what the emulator and the coach need to know of an opcode besides how it is emitted.

Each opcode family (`ops/`) keeps the traits beside the function that emits the opcode. All other code asks an
instruction for its traits, never for its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property, lru_cache
from typing import Any

from grader.run.emulator.ptx.types import TYPES

Key = tuple[str, str]
"""An opcode, possibly with a modifier ("bar.warp"), and the class of its type, "" for any."""
Fold = Callable[[Sequence[str], Sequence[int | None]], int | None]
"""(modifiers, sources, None for an unknown one) -> the result, None if the sources do not decide it."""
Derive = Callable[[Any, Any, Sequence[Any]], Any]
"""(emitter's functions, instruction, values of its sources) -> the value of its result, None for a form it can't do."""


class Flow(Enum):
    """Where a thread continues after an instruction: ON is the next instruction."""

    ON = auto()
    BRANCH = auto()
    INDEXED_BRANCH = auto()
    CALL = auto()
    RETURN = auto()
    EXIT = auto()
    TRAP = auto()


class Memory(Enum):
    """What an instruction does through the addresses among its operands."""

    NONE = auto()
    LOAD = auto()
    STORE = auto()
    ATOMIC = auto()
    COPY = auto()
    BARRIER_OBJECT = auto()
    DISCARD = auto()
    HINT = auto()
    """It has no effect that a program can see."""


class MatrixRole(Enum):
    """What a warp does with matrices: multiply them, or move them as rows of 16 bytes or as fragments."""

    NONE = auto()
    PRODUCT = auto()
    ROWS = auto()
    FRAGMENT = auto()


class Barrier(Enum):
    """Whose threads wait for each other."""

    NONE = auto()
    BLOCK = auto()
    WARP = auto()


class Passing(Enum):
    """When the first source becomes the result unchanged: always, if it is chosen, or if a mask leaves it alone."""

    NOTHING = auto()
    WHOLE = auto()
    CHOSEN = auto()
    MASKED = auto()


def _anything(modifiers: Sequence[str], sources: Sequence[int | None]) -> int | None:
    return None


_VERBS = {Memory.LOAD: "read", Memory.STORE: "write", Memory.COPY: "write", Memory.DISCARD: "write"}


@dataclass(frozen=True)
class Traits:
    """The traits of an opcode, or of an opcode with a certain modifier; the defaults fit most arithmetic."""

    flow: Flow = Flow.ON
    memory: Memory = Memory.NONE
    matrix: MatrixRole = MatrixRole.NONE
    barrier: Barrier = Barrier.NONE
    verb: str = ""
    """The verb for messages about its access, if `memory` does not tell."""
    result: bool = True
    """Whether the first operand, unless it is an address, is written."""
    synchronises: bool = False
    """The lanes of a mask, or all lanes of the warp, have to come together for it."""
    exchanges: bool = False
    """Lanes read values of other lanes of their warp."""
    orders: bool = False
    """It is a fence."""
    asynchronous: bool = False
    """It starts asynchronous copies, or waits for them."""
    polls: bool = False
    """It tests whether a phase of a barrier object is over."""
    pure: bool = False
    """The same operands give the same result, and it has no other effect."""
    idle: bool = False
    """It changes nothing for other threads: a waiting thread may repeat it."""
    silent: bool = False
    """Reading a source without a value is not a use yet: the result may never be used."""
    passing: Passing = Passing.NOTHING
    selects: bool = False
    """Its operands may be parts of registers."""
    sums: bool = False
    """The result of doing it twice differs from that of doing it once, as of adding."""
    operations: int = 0
    """Floating-point operations per element."""
    products: int = 0
    """Multiplications per element whose results are added up, of numbers of any type."""
    fold: Fold = _anything
    derive: Derive | None = None
    """Emits the result, a predicate or 32 bits of an integer, before it is the instruction's turn."""

    @cached_property
    def is_load(self) -> bool:
        """Whether each lane reads what its type says."""
        return self.memory is Memory.LOAD and self.matrix is MatrixRole.NONE

    @cached_property
    def is_store(self) -> bool:
        return self.memory is Memory.STORE and self.matrix is MatrixRole.NONE

    @cached_property
    def is_atomic(self) -> bool:
        return self.memory is Memory.ATOMIC

    @cached_property
    def only_reads(self) -> bool:
        """Whether it has addresses, but writes through none of them."""
        return self.memory in (Memory.LOAD, Memory.HINT)

    @cached_property
    def writes(self) -> bool:
        """Whether it may write through all of its addresses."""
        return self.memory in (Memory.STORE, Memory.ATOMIC, Memory.DISCARD)

    @cached_property
    def branches(self) -> bool:
        return self.flow in (Flow.BRANCH, Flow.INDEXED_BRANCH)

    @cached_property
    def leaves(self) -> bool:
        """Whether a thread leaves its function or the kernel."""
        return self.flow in (Flow.RETURN, Flow.EXIT, Flow.TRAP)

    @cached_property
    def access(self) -> str:
        """The verb for its memory access in messages."""
        return self.verb or _VERBS.get(self.memory, "atomic")

    @cached_property
    def is_harmless(self) -> bool:
        """Whether a thread may repeat it without changing anything for others."""
        return self.pure or self.idle or self.exchanges or self.orders or self.is_load

    @cached_property
    def has_effect(self) -> bool:
        """Whether it concerns memory or other threads, or control flow that is unknown."""
        touches = self.memory not in (Memory.NONE, Memory.HINT) or self.matrix is not MatrixRole.NONE
        meets = self.barrier is not Barrier.NONE or self.exchanges or self.orders
        return touches or meets or self.flow in (Flow.CALL, Flow.INDEXED_BRANCH)


PURE = Traits(pure=True)
_UNKNOWN = Traits()
_rows: dict[Key, Traits] = {}


def register(rows: Mapping[Key, Traits]) -> None:
    """Adds the rows to those that `traits_of` finds."""
    _rows.update(rows)
    traits_of.cache_clear()
    key_of.cache_clear()


@lru_cache(maxsize=1 << 12)
def key_of(opcode: str, modifiers: tuple[str, ...]) -> Key | None:
    """Returns the most specific row of an instruction; None for an unknown one.

    Raises RuntimeError if no opcode family has been imported.
    """
    if not _rows:
        raise RuntimeError("no opcode is registered: import grader.run.emulator.ops first")
    kind = type_class(modifiers)
    names = [*(f"{opcode}.{modifier}" for modifier in modifiers), opcode]
    return next((key for name in names for key in ((name, kind), (name, "")) if key in _rows), None)


@lru_cache(maxsize=1 << 12)
def traits_of(opcode: str, modifiers: tuple[str, ...]) -> Traits:
    """Returns the traits of an instruction; the defaults for an unknown one."""
    key = key_of(opcode, modifiers)
    return _UNKNOWN if key is None else _rows[key]


def type_class(modifiers: Sequence[str]) -> str:
    """Returns the class of the last type among the modifiers.

    "int" (u, s and b of 8 to 128 bits), "float" (f32, f64), "half" (f16, bf16 and packed types) or "pred"; "carry" for
    an instruction that sets the carry, "" without a type.
    """
    if "cc" in modifiers:
        return "carry"
    for modifier in reversed(modifiers):
        kind = TYPES.get(modifier)
        if kind is None:
            continue
        if kind.kind == "pred":
            return "pred"
        if kind.packed > 1 or (kind.is_float and kind.bits == 16):
            return "half"
        return "float" if kind.is_float else "int"
    return ""
