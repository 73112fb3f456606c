"""Arithmetic on the two halves or four bytes of a register (PTX ISA, "SIMD Video Instructions")."""

from __future__ import annotations

from collections.abc import Callable

from grader.run.emulator.native.ir import IrFunction, V, splat
from grader.run.emulator.ops.common import Handler, Row
from grader.run.emulator.ptx.syntax import Instruction, types_of
from grader.run.emulator.ptx.traits import Traits
from grader.run.emulator.ptx.types import B32
from grader.run.emulator.translate.emitter import Emitter

VIDEO = Traits(pure=True, selects=True)
COMPARISONS = {
    "eq": "icmp eq",
    "ne": "icmp ne",
    "lt": "icmp slt",
    "le": "icmp sle",
    "gt": "icmp sgt",
    "ge": "icmp sge",
}
"""How operands that are extended by their own types compare."""
Compute = Callable[[IrFunction, V, V], V]


def part_of(i: Instruction, index: int) -> str:
    """Returns what is taken of an operand's register, "" for all of it."""
    return i.parts[index] if i.parts else ""


def comparison_of(i: Instruction) -> Compute:
    """Returns what is 1 where the comparison of a vset holds, else 0."""
    opcode = next(COMPARISONS[m] for m in i.modifiers if m in COMPARISONS)
    return lambda f, a, b: f.cast("zext", f.compare(opcode, a, b), a.t)


def difference(f: IrFunction, a: V, b: V) -> V:
    return f.map("llvm.abs", f.op("sub", a, b), tail=["i1 false"])


def clamped(f: IrFunction, value: V, bits: int, signed: bool) -> V:
    """Returns the nearest number of that many bits."""
    low = -(1 << (bits - 1)) if signed else 0
    bounded = f.map("llvm.smax", value, splat(value.t, low))
    return f.map("llvm.smin", bounded, splat(value.t, low + (1 << bits) - 1))


def extracted(f: IrFunction, value: V, bits: int, place: int, signed: bool) -> V:
    """Returns one of the parts of `bits` bits that a register consists of, extended to 32."""
    raised = f.op("shl", value, splat("i32", 32 - bits * (place + 1)))
    return f.op("ashr" if signed else "lshr", raised, splat("i32", 32 - bits))


def _mean(f: IrFunction, a: V, b: V) -> V:
    """Returns the mean, rounded up if it is positive and down if not, as the ISA has it."""
    total = f.op("add", a, b)
    positive = f.cast("zext", f.compare("icmp sge", total, splat("i32", 0)), "i32")
    return f.op("ashr", f.op("add", total, positive), splat("i32", 1))


def _elementwise(count: int, compute: Compute | None) -> Handler:
    """Returns the handler that applies compute(f, a, b), or the comparison, to parts of the pair (b, a).

    Those that the mask names are added up with c by .add, and else put into c.
    """
    bits = 32 // count

    def emit(e: Emitter, i: Instruction) -> None:
        f = e.f
        if {"sat", "add"} <= set(i.modifiers):
            raise e.unsupported()
        *target, first, second = types_of(i)
        a, b, c = (e.read(operand, B32) for operand in i.operands[1:4])

        def chosen(part: str, start: int, signed: bool) -> list[V]:
            places = [int(digit) for digit in reversed(part[1:])] or range(start, start + count)
            return [extracted(f, (a, b)[p // count], bits, p % count, signed) for p in places]

        pairs = zip(
            chosen(part_of(i, 1), 0, first.is_signed), chosen(part_of(i, 2), count, second.is_signed), strict=True
        )
        results = [(compute or comparison_of(i))(f, x, y) for x, y in pairs]
        if "sat" in i.modifiers:
            results = [clamped(f, result, bits, target[0].is_signed) for result in results]
        mask = part_of(i, 0)
        total = c if "add" in i.modifiers else splat("i32", 0)
        for place, result in enumerate(results):
            wanted = not mask or str(place) in mask
            if "add" not in i.modifiers:
                kept = (
                    f.op("and", result, splat("i32", (1 << bits) - 1))
                    if wanted
                    else extracted(f, c, bits, place, False)
                )
                total = f.op("or", total, f.op("shl", kept, splat("i32", bits * place)))
            elif wanted:
                total = f.op("add", total, result)
        e.write(i.operands[0], total)

    return emit


OPERATIONS: dict[str, Compute] = {
    "vadd": lambda f, a, b: f.op("add", a, b),
    "vsub": lambda f, a, b: f.op("sub", a, b),
    "vabsdiff": difference,
    "vmin": lambda f, a, b: f.map("llvm.smin", a, b),
    "vmax": lambda f, a, b: f.map("llvm.smax", a, b),
}

TABLE = {
    (f"{name}{count}", "int"): Row(_elementwise(count, compute), VIDEO)
    for name, compute in (*OPERATIONS.items(), ("vavrg", _mean), ("vset", None))
    for count in (2, 4)
}
