"""Arithmetic on the two halves or four bytes of a register (PTX ISA, "SIMD Video Instructions").

Forms with byte masks or selectors are left out: compilers do not emit them.
"""

from __future__ import annotations

from collections.abc import Callable

from grader.run.emulator.native.ir import IrFunction, V, splat
from grader.run.emulator.ops.common import Handler, Row
from grader.run.emulator.ptx.syntax import Instruction, types_of
from grader.run.emulator.ptx.traits import PURE
from grader.run.emulator.ptx.types import B32
from grader.run.emulator.translate.emitter import Emitter


def _parts(f: IrFunction, value: V, count: int, signed: bool) -> list[V]:
    bits = 32 // count
    raised = [f.op("shl", value, splat("i32", 32 - bits - bits * part)) for part in range(count)]
    return [f.op("ashr" if signed else "lshr", part, splat("i32", 32 - bits)) for part in raised]


def _saturated(f: IrFunction, value: V, bits: int, signed: bool) -> V:
    low = -(1 << (bits - 1)) if signed else 0
    bounded = f.map("llvm.smax", value, splat("i32", low))
    return f.map("llvm.smin", bounded, splat("i32", low + (1 << bits) - 1))


def _elementwise(count: int, compute: Callable[[IrFunction, V, V], V]) -> Handler:
    """Returns the handler that applies compute(f, a, b) to each part; .add adds the results to c."""

    def emit(e: Emitter, i: Instruction) -> None:
        f = e.f
        target, *sources = types_of(i)
        a, b, c = (e.read(operand, B32) for operand in i.operands[1:4])
        pairs = zip(_parts(f, a, count, sources[0].is_signed), _parts(f, b, count, sources[1].is_signed), strict=True)
        results = [compute(f, x, y) for x, y in pairs]
        bits = 32 // count
        if "sat" in i.modifiers:
            results = [_saturated(f, result, bits, target.is_signed) for result in results]
        total = c if "add" in i.modifiers else splat("i32", 0)
        for index, result in enumerate(results):
            if "add" in i.modifiers:
                total = f.op("add", total, result)
            else:
                part = f.op("and", result, splat("i32", (1 << bits) - 1))
                total = f.op("or", total, f.op("shl", part, splat("i32", bits * index)))
        e.write(i.operands[0], total)

    return emit


def _difference(f: IrFunction, a: V, b: V) -> V:
    return f.map("llvm.abs", f.op("sub", a, b), tail=["i1 false"])


_OPERATIONS: dict[str, Callable[[IrFunction, V, V], V]] = {
    "vadd": lambda f, a, b: f.op("add", a, b),
    "vsub": lambda f, a, b: f.op("sub", a, b),
    "vabsdiff": _difference,
    "vmin": lambda f, a, b: f.map("llvm.smin", a, b),
    "vmax": lambda f, a, b: f.map("llvm.smax", a, b),
}

TABLE = {
    (f"{name}{count}", "int"): Row(_elementwise(count, compute), PURE)
    for name, compute in _OPERATIONS.items()
    for count in (2, 4)
}
