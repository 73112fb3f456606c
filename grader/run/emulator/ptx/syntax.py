"""The parsed form of a PTX module: plain data, no behaviour.

Names are unique within a function: the parser renames registers, labels and variables of inner scopes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from grader.run.emulator.ptx.traits import Traits, traits_of
from grader.run.emulator.ptx.types import TYPES, PtxType


@dataclass(frozen=True)
class Register:
    name: str


@dataclass(frozen=True)
class Immediate:
    """A literal. `floating` is 32 or 64 for `0f…` and `0d…`, whose `value` is the bit pattern; 0 for integers."""

    value: int
    floating: int = 0


@dataclass(frozen=True)
class Symbol:
    """A variable, function, label or special register by name; `offset` in bytes."""

    name: str
    offset: int = 0


@dataclass(frozen=True)
class Address:
    """`[base + offset]`, offset in bytes; `base` is None for an absolute address."""

    base: Register | Symbol | None
    offset: int = 0


@dataclass(frozen=True)
class Group:
    """`{a, b, …}` of a vector access, or a parenthesised list of a call."""

    items: tuple[Operand, ...]


@dataclass(frozen=True)
class Pair:
    """`d|p`: two destinations."""

    first: Operand
    second: Operand


@dataclass(frozen=True)
class Negated:
    """`!p` as an operand."""

    operand: Register


Operand = Register | Immediate | Symbol | Address | Group | Pair | Negated


@dataclass(frozen=True)
class Instruction:
    """One instruction. `line` is the line of the submitted source, 0 if unknown.

    `used`: the bytes of a load that are used, as bits, if the compiler states them; else -1. `parts` has for each
    operand what a video instruction takes of its register, "" for all of it: a selector such as "b0" or "h10", after
    a minus if it is negated; it is empty if no operand has any.
    """

    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    predicate: Register | None = None
    negated: bool = False
    line: int = 0
    text: str = ""
    used: int = -1
    parts: tuple[str, ...] = ()

    @cached_property
    def traits(self) -> Traits:
        """The traits of the instruction, from the row of its opcode family."""
        return traits_of(self.opcode, self.modifiers)


@dataclass(frozen=True)
class Label:
    name: str


@dataclass(frozen=True)
class Variable:
    """A variable of a state space: `size` in bytes (0 for an extern array), `initial` its first bytes.

    `references` are (byte offset, symbol, addend) where the initialiser holds an address.
    """

    name: str
    space: str
    size: int
    align: int
    initial: bytes = b""
    references: tuple[tuple[int, str, int], ...] = ()


@dataclass(frozen=True)
class Parameter:
    """A parameter; `size` and `align` are in bytes."""

    name: str
    size: int
    align: int


@dataclass(frozen=True)
class Bounds:
    """What a kernel requires of its launches.

    `most_threads`: threads of a block at most (0: any). `block`: its exact shape; `cluster`: its exact shape (empty
    tuples: any).
    """

    most_threads: int = 0
    block: tuple[int, ...] = ()
    cluster: tuple[int, ...] = ()


ANY = Bounds()


@dataclass
class Function:
    """A `.entry` or `.func`; `body` is None for an extern declaration."""

    name: str
    entry: bool
    parameters: tuple[Parameter, ...]
    results: tuple[Parameter, ...]
    registers: dict[str, PtxType] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    call_parameters: dict[str, Parameter] = field(default_factory=dict)
    branch_targets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    body: list[Instruction | Label] | None = None
    bounds: Bounds = ANY


@dataclass
class PtxModule:
    """A parsed module: functions and module-level variables by name."""

    functions: dict[str, Function]
    variables: dict[str, Variable]


def types_of(instruction: Instruction) -> list[PtxType]:
    """Returns the types among the modifiers, in order."""
    return [TYPES[m] for m in instruction.modifiers if m in TYPES]


def type_of(instruction: Instruction) -> PtxType:
    """Returns the last type among the modifiers."""
    return types_of(instruction)[-1]
