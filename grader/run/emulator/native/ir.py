"""Builds LLVM IR as text: functions of scalars and of 32-lane vectors.

Text is several times quicker to make from Python than LLVM's own objects, and time to the first verdict counts. This
module knows LLVM's types and nothing of PTX.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.run.emulator.structure import LANES as LANES

_INTRINSIC_SUFFIX = {"float": "f32", "double": "f64", "half": "f16"}


@dataclass(frozen=True)
class V:
    """A 32-lane vector value: `t` is the LLVM type of one lane, `r` the name or constant that holds it."""

    t: str
    r: str

    @property
    def type(self) -> str:
        return f"<{LANES} x {self.t}>"

    def __str__(self) -> str:
        return f"{self.type} {self.r}"


def suffix(t: str) -> str:
    """Returns the name of a lane's type in overloaded intrinsics: f32 for float, i64 for i64."""
    return _INTRINSIC_SUFFIX.get(t, t)


def bits_of(t: str) -> int:
    """Returns the width of a lane's type in bits."""
    return {"float": 32, "double": 64, "half": 16}.get(t) or int(t[1:])


def splat(t: str, value: int) -> V:
    """Returns the same integer in all lanes, wrapped to the width of `t`."""
    bits = bits_of(t)
    value &= (1 << bits) - 1
    if bits > 1 and value >> (bits - 1):
        value -= 1 << bits
    if bits == 1:
        return V(t, f"splat (i1 {'true' if value else 'false'})")
    return V(t, f"splat ({t} {value})")


def splat_float(t: str, value: float) -> V:
    """Returns the same floating-point number in all lanes; `value` has to be exact in `t`."""
    return V(t, f"splat ({t} 0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X})")


def lanes(t: str, values: Sequence[int]) -> V:
    """Returns a constant vector of 32 values, lane 0 first."""
    return V(t, "<" + ", ".join(f"{t} {v}" for v in values) + ">")


class IrModule:
    """The text of a module: functions by name, each defined once, and the declarations they need."""

    def __init__(self) -> None:
        self._functions: dict[str, str] = {}
        self._declarations: dict[str, str] = {}

    def declare(self, name: str, returns: str, arguments: Sequence[str]) -> None:
        """Declares an external function or intrinsic; `arguments` are LLVM types."""
        self._declarations[name] = f"declare {returns} @{name}({', '.join(arguments)})"

    def add(self, function: IrFunction) -> None:
        """Adds a function that is complete."""
        self._functions[function.name] = function.text()

    def routine(self, name: str, build: Callable[[IrModule, str], IrFunction]) -> str:
        """Defines a routine on its first use; returns its name."""
        if name not in self._functions:
            self._functions[name] = ""
            self._functions[name] = build(self, name).text()
        return name

    def text(self) -> str:
        """Returns the module as LLVM IR."""
        unlikely = '!0 = !{!"branch_weights", i32 1, i32 2000}'
        return "\n".join([*self._declarations.values(), *self._functions.values(), unlikely])


class IrFunction:
    """A function under construction. Instructions go to the end of the block opened last by `block`."""

    def __init__(
        self,
        module: IrModule,
        name: str,
        returns: str,
        arguments: Sequence[tuple[str, str]],
        linkage: str = "internal",
        attributes: str = "nounwind",
    ) -> None:
        self.module = module
        self.name = name
        self._head = (
            f"define {linkage} {returns} @{name}("
            + ", ".join(f"{t} %{argument}" for t, argument in arguments)
            + f") {attributes} {{"
        )
        self._lines: list[str] = []
        self._entry: list[str] = []
        self._count = 0
        self._blocks = 0
        self.current = "entry"

    def text(self) -> str:
        """Returns the function as LLVM IR."""
        return "\n".join([self._head, "entry:", *self._entry, *self._lines, "}"])

    @property
    def size(self) -> int:
        """The number of lines so far."""
        return len(self._lines)

    def name_block(self, hint: str = "b") -> str:
        """Returns a new label; `block` opens it."""
        self._blocks += 1
        return f"{hint}.{self._blocks}"

    def block(self, name: str) -> None:
        """Opens a block: the instructions that follow belong to it."""
        self._lines.append(f"{name}:")
        self.current = name

    def do(self, line: str) -> None:
        """Emits an instruction without a result."""
        self._lines.append("  " + line)

    def let(self, expression: str) -> str:
        """Emits an instruction with a result; returns the result's name."""
        self._count += 1
        name = f"%v{self._count}"
        self._lines.append(f"  {name} = {expression}")
        return name

    def alloca(self, t: str, align: int = 64) -> str:
        """Declares a variable in the function's frame; returns its address."""
        self._count += 1
        name = f"%a{self._count}"
        self._entry.append(f"  {name} = alloca {t}, align {align}")
        return name

    # Scalars

    def field(self, pointer: str, offset: int | str) -> str:
        """Returns `pointer` moved by `offset` bytes."""
        if offset == 0:
            return pointer
        return self.let(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def load(self, t: str, pointer: str, offset: int | str = 0) -> str:
        """Loads a scalar of type `t` from `offset` bytes beyond `pointer`; returns its name."""
        return self.let(f"load {t}, ptr {self.field(pointer, offset)}")

    def store(self, t: str, value: str, pointer: str, offset: int | str = 0) -> None:
        """Stores a scalar of type `t` at `offset` bytes beyond `pointer`."""
        self.do(f"store {t} {value}, ptr {self.field(pointer, offset)}")

    def goto(self, block: str) -> None:
        self.do(f"br label %{block}")

    def branch(self, condition: str, then: str, otherwise: str, unlikely: bool = False) -> None:
        """Branches on a condition (i1); `unlikely` says that it rarely holds."""
        weights = ", !prof !0" if unlikely else ""
        self.do(f"br i1 {condition}, label %{then}, label %{otherwise}{weights}")

    def call(self, name: str, returns: str, arguments: Sequence[str]) -> str:
        """Calls a function by name; returns "" if it returns nothing."""
        text = f"call {returns} @{name}({', '.join(arguments)})"
        if returns == "void":
            self.do(text)
            return ""
        return self.let(text)

    def intrinsic(self, name: str, returns: str, arguments: Sequence[str]) -> str:
        """Declares and calls an LLVM intrinsic; arguments are "type value"."""
        kinds = [
            argument[: argument.index(">") + 1] if argument.startswith("<") else argument.split()[0]
            for argument in arguments
        ]
        self.module.declare(name, returns, kinds)
        return self.call(name, returns, arguments)

    # Vectors

    def vector(self, t: str, expression: str) -> V:
        """Emits an instruction whose result is a vector with lanes of type `t`."""
        return V(t, self.let(expression))

    def op(self, opcode: str, a: V, b: V) -> V:
        """Emits a binary instruction lane by lane, such as "add"."""
        return V(a.t, self.let(f"{opcode} {a}, {b.r}"))

    def compare(self, opcode: str, a: V, b: V) -> V:
        """Compares lane by lane, such as by "icmp eq"; returns 32 conditions."""
        return V("i1", self.let(f"{opcode} {a}, {b.r}"))

    def select(self, condition: V, a: V, b: V) -> V:
        return V(a.t, self.let(f"select {condition}, {a}, {b}"))

    def cast(self, opcode: str, a: V, t: str) -> V:
        """Converts lanes to type `t` by `opcode`; returns `a` if it has that type."""
        return a if a.t == t else V(t, self.let(f"{opcode} {a} to <{LANES} x {t}>"))

    def bitcast(self, a: V, t: str) -> V:
        return self.cast("bitcast", a, t)

    def invert(self, a: V) -> V:
        return self.op("xor", a, splat(a.t, -1))

    def map(self, intrinsic: str, *arguments: V, tail: Sequence[str] = ()) -> V:
        """Applies an LLVM intrinsic, overloaded on the lane type of its first argument, lane by lane."""
        first = arguments[0]
        name = f"{intrinsic}.v{LANES}{suffix(first.t)}"
        return V(first.t, self.intrinsic(name, first.type, [str(a) for a in arguments] + list(tail)))

    def spread(self, t: str, scalar: str) -> V:
        """Returns a scalar in all lanes."""
        one = self.let(f"insertelement <{LANES} x {t}> poison, {t} {scalar}, i32 0")
        return V(
            t,
            self.let(f"shufflevector <{LANES} x {t}> {one}, <{LANES} x {t}> poison, <{LANES} x i32> zeroinitializer"),
        )

    def swap(self, a: V, distance: int) -> V:
        """Returns a vector in which each lane has the value of lane number xor `distance`."""
        order = ", ".join(f"i32 {lane ^ distance}" for lane in range(LANES))
        return V(a.t, self.let(f"shufflevector {a}, <{LANES} x {a.t}> poison, <{LANES} x i32> <{order}>"))

    def load_lanes(self, t: str, pointer: str, offset: int | str = 0, align: int = 64) -> V:
        """Loads a vector with lanes of type `t` from `offset` bytes beyond `pointer`."""
        return V(t, self.let(f"load <{LANES} x {t}>, ptr {self.field(pointer, offset)}, align {align}"))

    def store_lanes(self, value: V, pointer: str, offset: int | str = 0, align: int = 64) -> None:
        """Stores a vector at `offset` bytes beyond `pointer`."""
        self.do(f"store {value}, ptr {self.field(pointer, offset)}, align {align}")

    def bits(self, mask: V) -> str:
        """Returns 32 conditions as an i32, lane 0 in bit 0."""
        return self.let(f"bitcast {mask} to i32")

    def mask(self, bits: str) -> V:
        """Returns an i32 as 32 conditions."""
        return V("i1", self.let(f"bitcast i32 {bits} to <{LANES} x i1>"))

    def reduce(self, operation: str, a: V) -> str:
        """Reduces over the lanes by and, or, umin, …; returns a scalar."""
        return self.intrinsic(f"llvm.vector.reduce.{operation}.v{LANES}{suffix(a.t)}", a.t, [str(a)])
