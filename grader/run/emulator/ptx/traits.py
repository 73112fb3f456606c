"""What the emulator and the coach have to know of an opcode beside how it is emitted: its traits.

The rows are in the opcode families (`ops/`), each beside the function that emits it; all others ask an instruction for
its traits, and none for its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property, lru_cache

from grader.run.emulator.ptx.types import TYPES

Key = tuple[str, str]
"""An opcode, which may have a modifier behind it ("bar.warp"), and the class of its type, "" for any."""
Fold = Callable[[Sequence[str], Sequence[int | None]], int | None]
"""(modifiers, sources, None for what may be anything) -> the result, as far as these decide it."""


class Flow(Enum):
    """Where a thread goes on after an instruction: a little further, or where a call came from, or elsewhere."""

    ON = auto()
    BRANCH = auto()
    INDEXED_BRANCH = auto()
    CALL = auto()
    RETURN = auto()
    EXIT = auto()
    TRAP = auto()


class Memory(Enum):
    """What is done through the addresses among the operands."""

    NONE = auto()
    LOAD = auto()
    STORE = auto()
    ATOMIC = auto()
    COPY = auto()
    BARRIER_OBJECT = auto()
    DISCARD = auto()
    HINT = auto()
    """Nothing that a program could see."""


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
    """How the first source becomes the result unchanged: always, if it is chosen, or where a mask leaves it alone."""

    NOTHING = auto()
    WHOLE = auto()
    CHOSEN = auto()
    MASKED = auto()


def _anything(modifiers: Sequence[str], sources: Sequence[int | None]) -> int | None:
    return None


_VERBS = {Memory.LOAD: "read", Memory.STORE: "write", Memory.COPY: "write", Memory.DISCARD: "write"}


@dataclass(frozen=True)
class Traits:
    """Of one opcode, or of one with a certain modifier; the defaults hold for most arithmetic."""

    flow: Flow = Flow.ON
    memory: Memory = Memory.NONE
    matrix: MatrixRole = MatrixRole.NONE
    barrier: Barrier = Barrier.NONE
    verb: str = ""
    """What a message says that it does to memory, where `memory` does not tell."""
    result: bool = True
    """Whether the first operand, if it is no address, is written."""
    synchronises: bool = False
    """The lanes of a mask, or all lanes of the warp, have to come together for it."""
    exchanges: bool = False
    """Lanes see what others of their warp hold."""
    orders: bool = False
    """A fence."""
    asynchronous: bool = False
    """Copies go on beside their thread, or are waited for."""
    polls: bool = False
    """Asks whether a phase of a barrier object is over."""
    pure: bool = False
    """Gives the same from the same operands, and does nothing else."""
    idle: bool = False
    """Changes nothing for other threads: one that waits may do it again and again."""
    silent: bool = False
    """A source without a value is not used yet: what is made of it may never be looked at."""
    passing: Passing = Passing.NOTHING
    operations: int = 0
    """Floating-point operations of a number of a floating type."""
    fold: Fold = _anything

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
        """Whether it has addresses that nothing is written through."""
        return self.memory in (Memory.LOAD, Memory.HINT)

    @cached_property
    def writes(self) -> bool:
        """Whether all of its addresses may be written through."""
        return self.memory in (Memory.STORE, Memory.ATOMIC, Memory.DISCARD)

    @cached_property
    def branches(self) -> bool:
        return self.flow in (Flow.BRANCH, Flow.INDEXED_BRANCH)

    @cached_property
    def leaves(self) -> bool:
        """Whether a thread leaves its function, or the kernel."""
        return self.flow in (Flow.RETURN, Flow.EXIT, Flow.TRAP)

    @cached_property
    def access(self) -> str:
        """What it does to memory, as a message says it."""
        return self.verb or _VERBS.get(self.memory, "atomic")

    @cached_property
    def is_harmless(self) -> bool:
        """Whether a thread may do it again and again, and nothing changes for others."""
        return self.pure or self.idle or self.exchanges or self.orders or self.is_load

    @cached_property
    def has_effect(self) -> bool:
        """Whether memory or other threads have to do with it, or it is unknown where its thread goes."""
        touches = self.memory not in (Memory.NONE, Memory.HINT) or self.matrix is not MatrixRole.NONE
        meets = self.barrier is not Barrier.NONE or self.exchanges or self.orders
        return touches or meets or self.flow in (Flow.CALL, Flow.INDEXED_BRANCH)


PURE = Traits(pure=True)
_UNKNOWN = Traits()
_rows: dict[Key, Traits] = {}


def register(rows: Mapping[Key, Traits]) -> None:
    """Makes these the rows that `traits_of` finds."""
    _rows.update(rows)
    traits_of.cache_clear()
    key_of.cache_clear()


@lru_cache(maxsize=1 << 12)
def key_of(opcode: str, modifiers: tuple[str, ...]) -> Key | None:
    """The row of an instruction, the most specific one; None for an unknown one.

    Raises RuntimeError where no opcode family has been imported.
    """
    if not _rows:
        raise RuntimeError("no opcode is registered: import grader.run.emulator.ops first")
    kind = type_class(modifiers)
    names = [*(f"{opcode}.{modifier}" for modifier in modifiers), opcode]
    return next((key for name in names for key in ((name, kind), (name, "")) if key in _rows), None)


@lru_cache(maxsize=1 << 12)
def traits_of(opcode: str, modifiers: tuple[str, ...]) -> Traits:
    """The traits of an instruction; those of an unknown one say nothing."""
    key = key_of(opcode, modifiers)
    return _UNKNOWN if key is None else _rows[key]


def type_class(modifiers: Sequence[str]) -> str:
    """ "int" (u, s and b of 8 to 128 bits), "float" (f32, f64), "half" (f16, bf16 and the packed types) or "pred", of
    the last type among the modifiers; "carry" for what sets the carry, "" for what has no type."""
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
