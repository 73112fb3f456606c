"""Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer Arithmetic")."""

from __future__ import annotations

from grader.run.emulator.native.ir import V, splat
from grader.run.emulator.ops.common import Handler, Row
from grader.run.emulator.ptx.syntax import Instruction, type_of
from grader.run.emulator.ptx.traits import PURE, Traits
from grader.run.emulator.ptx.types import TYPES, PtxType
from grader.run.emulator.translate.emitter import Emitter


def _read(e: Emitter, i: Instruction, *indices: int) -> list[V]:
    kind = type_of(i)
    return [e.read(i.operands[index], kind) for index in indices]


def _widen(e: Emitter, value: V, kind: PtxType, t: str) -> V:
    return e.f.cast("sext" if kind.is_signed else "zext", value, t)


def _simple(opcode: str) -> Handler:
    def emit(e: Emitter, i: Instruction) -> None:
        a, b = _read(e, i, 1, 2)
        if "sat" in i.modifiers:
            # .sat exists for s32 add and sub only.
            e.write(i.operands[0], e.f.map(f"llvm.s{opcode}.sat", a, b))
        else:
            e.write(i.operands[0], e.f.op(opcode, a, b))

    return emit


def product(e: Emitter, i: Instruction, a: V, b: V, kind: PtxType) -> V:
    """Returns a × b, in the part that the modifier asks for (.lo, .hi or .wide)."""
    f = e.f
    if "lo" in i.modifiers:
        return f.op("mul", a, b)
    double = f"i{2 * kind.bits}"
    full = f.op("mul", _widen(e, a, kind, double), _widen(e, b, kind, double))
    if "wide" in i.modifiers:
        return full
    return f.cast("trunc", f.op("lshr", full, splat(double, kind.bits)), a.t)


def multiply(e: Emitter, i: Instruction) -> None:
    a, b = _read(e, i, 1, 2)
    e.write(i.operands[0], product(e, i, a, b, type_of(i)))


def multiply_add(e: Emitter, i: Instruction) -> None:
    f, kind = e.f, type_of(i)
    a, b = _read(e, i, 1, 2)
    result = product(e, i, a, b, kind)
    addend = e.read(i.operands[3], TYPES[f"{kind.kind}{2 * kind.bits}"] if "wide" in i.modifiers else kind)
    if "sat" in i.modifiers:
        e.write(i.operands[0], f.map("llvm.sadd.sat", result, addend))
    else:
        e.write(i.operands[0], f.op("add", result, addend))


def _product24(e: Emitter, i: Instruction) -> V:
    """Returns the product of the low 24 bits: its low 32 bits, or bits 16 to 47 for .hi."""
    f, kind = e.f, type_of(i)
    parts = []
    for value in _read(e, i, 1, 2):
        wide = f.cast("zext", value, "i64")
        raised = f.op("shl", wide, splat("i64", 40))
        parts.append(f.op("ashr" if kind.is_signed else "lshr", raised, splat("i64", 40)))
    full = f.op("mul", parts[0], parts[1])
    shift = 16 if "hi" in i.modifiers else 0
    return f.cast("trunc", f.op("lshr", full, splat("i64", shift)), "i32")


def multiply24(e: Emitter, i: Instruction) -> None:
    e.write(i.operands[0], _product24(e, i))


def multiply_add24(e: Emitter, i: Instruction) -> None:
    product = _product24(e, i)
    addend = e.read(i.operands[3], type_of(i))
    if "sat" in i.modifiers:
        e.write(i.operands[0], e.f.map("llvm.sadd.sat", product, addend))
    else:
        e.write(i.operands[0], e.f.op("add", product, addend))


def _quotient(remainder: bool) -> Handler:
    def emit(e: Emitter, i: Instruction) -> None:
        """PTX leaves division by zero unspecified; NVIDIA's hardware gives all ones, and the dividend as remainder."""
        f, kind = e.f, type_of(i)
        a, b = _read(e, i, 1, 2)
        zero = f.compare("icmp eq", b, splat(b.t, 0))
        safe = f.select(zero, splat(b.t, 1), b)
        overflow = None
        if kind.is_signed:
            lowest = f.compare("icmp eq", a, splat(a.t, 1 << (kind.bits - 1)))
            overflow = f.op("and", lowest, f.compare("icmp eq", b, splat(b.t, -1)))
            safe = f.select(overflow, splat(b.t, 1), safe)
        opcode = ("s" if kind.is_signed else "u") + ("rem" if remainder else "div")
        result = f.op(opcode, a, safe)
        result = f.select(zero, a if remainder else splat(a.t, -1), result)
        if overflow is not None:
            result = f.select(overflow, splat(a.t, 0) if remainder else a, result)
        e.write(i.operands[0], result)

    return emit


def negate(e: Emitter, i: Instruction) -> None:
    (a,) = _read(e, i, 1)
    e.write(i.operands[0], e.f.op("sub", splat(a.t, 0), a))


def absolute(e: Emitter, i: Instruction) -> None:
    (a,) = _read(e, i, 1)
    e.write(i.operands[0], e.f.map("llvm.abs", a, tail=["i1 false"]))


def _extreme(which: str) -> Handler:
    def emit(e: Emitter, i: Instruction) -> None:
        a, b = _read(e, i, 1, 2)
        result = e.f.map(f"llvm.{'s' if type_of(i).is_signed else 'u'}{which}", a, b)
        if "relu" in i.modifiers:
            result = e.f.map("llvm.smax", result, splat(result.t, 0))
        e.write(i.operands[0], result)

    return emit


def sum_of_absolute_differences(e: Emitter, i: Instruction) -> None:
    f, kind = e.f, type_of(i)
    a, b, c = _read(e, i, 1, 2, 3)
    prefix = "s" if kind.is_signed else "u"
    difference = f.op("sub", f.map(f"llvm.{prefix}max", a, b), f.map(f"llvm.{prefix}min", a, b))
    e.write(i.operands[0], f.op("add", c, difference))


def _dot(parts: int) -> Handler:
    def emit(e: Emitter, i: Instruction) -> None:
        """dp4a: four bytes times four bytes; dp2a: two halves of a times the low or high two bytes of b; plus c."""
        f = e.f
        first, second = (t for t in i.modifiers if t in TYPES)
        a, b, c = (e.read(o, TYPES["b32"]) for o in i.operands[1:4])
        bits_a = 32 // parts
        start = 2 if "hi" in i.modifiers else 0
        total = c
        for part in range(parts):
            x = _field(e, a, part * bits_a, bits_a, first == "s32")
            y = _field(e, b, (start + part) * 8, 8, second == "s32")
            total = f.op("add", total, f.op("mul", x, y))
        e.write(i.operands[0], total)

    return emit


def _field(e: Emitter, value: V, start: int, bits: int, signed: bool) -> V:
    raised = e.f.op("shl", value, splat("i32", 32 - start - bits))
    return e.f.op("ashr" if signed else "lshr", raised, splat("i32", 32 - bits))


_SUMS = Traits(pure=True, sums=True)

TABLE = {
    ("add", "int"): Row(_simple("add"), _SUMS),
    ("sub", "int"): Row(_simple("sub"), _SUMS),
    ("mul", "int"): Row(multiply, PURE),
    ("mad", "int"): Row(multiply_add, _SUMS),
    ("mul24", "int"): Row(multiply24, PURE),
    ("mad24", "int"): Row(multiply_add24, PURE),
    ("div", "int"): Row(_quotient(False), PURE),
    ("rem", "int"): Row(_quotient(True), PURE),
    ("neg", "int"): Row(negate, PURE),
    ("abs", "int"): Row(absolute, PURE),
    ("min", "int"): Row(_extreme("min"), PURE),
    ("max", "int"): Row(_extreme("max"), PURE),
    ("sad", "int"): Row(sum_of_absolute_differences, PURE),
    ("dp4a", "int"): Row(_dot(4), Traits(pure=True, products=4)),
    ("dp2a", "int"): Row(_dot(2), Traits(pure=True, products=2)),
}
