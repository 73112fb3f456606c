"""The rows and columns of a Trace: its sources, types, variables and arrays, its steps, accesses and waits."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.int64]
Bits = NDArray[np.uint64]
Dim3 = tuple[int, int, int]
LANES = 32
ANY_CALL = -2
"""Stands in Accesses.call where the call is not known."""

DEBUG, GRADED = "debug", "graded"
"""Builds: with -G and all its variables, or as it was graded."""
VARIABLE, SHARED, GLOBAL = "variable", "shared", "global"
SPACES = (VARIABLE, SHARED, GLOBAL)
"""The spaces; columns hold their indices."""
ARRIVE, RELEASE, EXIT = "arrive", "release", "exit"
WAITS = (ARRIVE, RELEASE, EXIT)
"""The kinds of Waits; columns hold their indices."""
FAULT, FIRST_WRONG_WRITE, RACE, DEADLOCK = "fault", "first_wrong_write", "race", "deadlock"
MARKS = (FAULT, FIRST_WRONG_WRITE, RACE, DEADLOCK)
AT_WORK, READY, WAITING, GONE = "at work", "ready", "waiting", "gone"


@dataclass(frozen=True)
class SourceFile:
    """A file and its lines, without line ends. Line 1 of a step is `lines[0]`."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Function:
    """A kernel or a device function: its lines from `first` to `last`, both included."""

    name: str
    file: int
    first: int
    last: int


@dataclass(frozen=True)
class Member:
    """A member of a struct or a component of a vector: `type` is an index of Trace.types, `offset` in bytes."""

    name: str
    type: int
    offset: int


@dataclass(frozen=True)
class Type:
    """`kind` is scalar, pointer, vector, struct or array; `size` in bytes.

    `element` is the type (index) that an array holds or a pointer points to, -1 for none; `count` an array's elements.
    `encoding`, of scalars: signed, unsigned, float, bfloat16, bool or char.
    """

    name: str
    kind: str
    size: int
    element: int = -1
    count: int = 0
    members: tuple[Member, ...] = ()
    encoding: str = ""


@dataclass(frozen=True)
class Variable:
    """A variable of a function, in scope from line `first` to `last`. `storage` is local, shared or parameter.

    `initial` are the bits that it has at its function's begin in all threads (a kernel's parameter), None if it has no
    value there. Of a shared variable, `shared` is its index in Trace.shared, else -1.
    """

    name: str
    type: int
    function: int
    file: int
    line: int
    first: int
    last: int
    storage: str
    initial: int | None = None
    shared: int = -1


@dataclass(frozen=True)
class SharedArray:
    """An array in shared memory: `type` of an element, `offset` in bytes in the block's memory.

    `address` is its generic address, as a pointer to it holds it; 0 if it is not known.
    """

    name: str
    type: int
    offset: int
    shape: tuple[int, ...]
    address: int = 0


@dataclass(frozen=True)
class GlobalArray:
    """An array that the block touched. `role` is input, output or scratch; `type` that of an element.

    `elements` are initial values (bits) by flat index: those touched and eight to each side. An element without a value
    is left out. `expected` are the reference's values of an output's elements, as far as they are in the picture.
    `address` is what a pointer to the first element holds; 0 if it is not known.
    """

    name: str
    type: int
    shape: tuple[int, ...]
    role: str
    elements: dict[int, int] = field(default_factory=dict)
    expected: dict[int, float] = field(default_factory=dict)
    address: int = 0


@dataclass(frozen=True)
class Mark:
    """A place to look at: `kind` is fault, first_wrong_write, race or deadlock; `words` say it to a student.

    `step` and `thread` are where it happened, -1 if nowhere: an element that nobody wrote has a first_wrong_write
    without a step. `other_step` and `other_thread` are a race's other access. `array` names what was accessed ("" for
    none), `space` where it is, `index` which element, -1 for none. `missing_at` is the step before which an order is
    missing: nothing orders the later of the two accesses after the other. -1 for none.
    """

    kind: str
    words: str
    step: int = -1
    thread: int = -1
    other_step: int = -1
    other_thread: int = -1
    array: str = ""
    index: int = -1
    space: str = ""
    missing_at: int = -1


def _column() -> Column:
    return np.zeros(0, np.int64)


def _bits() -> Bits:
    return np.zeros(0, np.uint64)


@dataclass(frozen=True, eq=False)
class Steps:
    """One entry for each step. `mask` has a bit for each lane at work.

    `depth` is 0 in the kernel, 1 in a function that it called; `parent` the step of the call, -1 in the kernel. `file`
    and `function` are indices; `line` is 0 where the build knows none.
    """

    warp: Column = field(default_factory=_column)
    mask: Column = field(default_factory=_column)
    file: Column = field(default_factory=_column)
    line: Column = field(default_factory=_column)
    function: Column = field(default_factory=_column)
    depth: Column = field(default_factory=_column)
    parent: Column = field(default_factory=_column)


@dataclass(frozen=True, eq=False)
class Accesses:
    """Writes or reads, ordered by step: what one thread wrote or read in one access of at most 8 bytes.

    `space` is an index of SPACES; `target` one of variables, shared or arrays; `offset` in bytes from its begin; `size`
    in bytes; `value` the bits. A variable belongs to its thread, shared memory to the thread's block. `call` is the
    step that called the function whose variable it is (a recursive function has several), -1 in the kernel and for
    memory.
    """

    step: Column = field(default_factory=_column)
    thread: Column = field(default_factory=_column)
    space: Column = field(default_factory=_column)
    target: Column = field(default_factory=_column)
    offset: Column = field(default_factory=_column)
    size: Column = field(default_factory=_column)
    value: Bits = field(default_factory=_bits)
    call: Column = field(default_factory=_column)

    def __post_init__(self) -> None:
        if len(self.call) != len(self.step):
            object.__setattr__(self, "call", np.full(len(self.step), ANY_CALL))


@dataclass(frozen=True, eq=False)
class Waits:
    """Lanes of a warp that arrive at a barrier, are released from it, or exit; `kind` is an index of WAITS.

    All lanes that a barrier lets go are released in the step of the last arrival. `barrier` is the barrier's number
    (0 is __syncthreads), -1 for an exit and for a barrier of one warp.
    """

    step: Column = field(default_factory=_column)
    warp: Column = field(default_factory=_column)
    mask: Column = field(default_factory=_column)
    kind: Column = field(default_factory=_column)
    barrier: Column = field(default_factory=_column)


@dataclass(frozen=True)
class Write:
    """One access, as `who_wrote` finds it; its fields are those of Accesses."""

    step: int
    thread: int
    space: str
    target: int
    offset: int
    size: int
    value: int


@dataclass(frozen=True)
class Frame:
    """One level of a thread's stack: a function, and the step at which the thread is or called from."""

    function: int
    step: int
    file: int
    line: int
