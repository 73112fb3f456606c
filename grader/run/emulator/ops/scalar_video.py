"""Arithmetic on registers or on a byte or half of them (PTX ISA, "Scalar Video Instructions").

GPUs have no such instructions any more: the driver's compiler makes others of them. Where these compute something else
than the ISA says, on an H200 with driver 580, the form is refused, since neither result is what its author relies on.
"""

from __future__ import annotations

from grader.run.emulator.errors import UnsupportedPtx
from grader.run.emulator.native.ir import IrFunction, V, splat
from grader.run.emulator.ops.common import Handler, Row
from grader.run.emulator.ops.video import OPERATIONS, VIDEO, Compute, clamped, comparison_of, extracted, part_of
from grader.run.emulator.ptx.syntax import Instruction, types_of
from grader.run.emulator.ptx.types import B32, TYPES, PtxType
from grader.run.emulator.translate.emitter import Emitter

_SECOND = {"add": OPERATIONS["vadd"], "min": OPERATIONS["vmin"], "max": OPERATIONS["vmax"]}
Range = tuple[int, int]


def _bits(part: str) -> int:
    return {"b": 8, "h": 16}.get(part[:1], 32)


def _range(kind: PtxType, bits: int) -> Range:
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if kind.is_signed else (0, (1 << bits) - 1)


def _second(i: Instruction) -> str:
    return next((m for m in i.modifiers if m in _SECOND), "")


def _read(e: Emitter, i: Instruction, index: int, kind: PtxType) -> V:
    """Returns the part of an operand that it names, extended by its type to 64 bits."""
    f, part = e.f, part_of(i, index).lstrip("-")
    value = e.read(i.operands[index], B32)
    if part:
        value = extracted(f, value, _bits(part), int(part[1:]), kind.is_signed)
    return f.cast("sext" if kind.is_signed else "zext", value, "i64")


def _kinds(i: Instruction) -> tuple[PtxType, PtxType, PtxType]:
    """Returns the types of the result, which is unsigned for a comparison, and of the operands."""
    *target, first, second = types_of(i)
    return (target[0] if target else TYPES["u32"]), first, second


def _refuse(e: Emitter, why: str = "GPUs compute it otherwise than the PTX ISA says") -> UnsupportedPtx:
    return e.unsupported(f"this form of {e.instruction.opcode}: {why}")


def _finish(e: Emitter, i: Instruction, result: V, target: PtxType, bounds: Range) -> None:
    """Clamps a result that is in `bounds`, combines it with the third operand and writes it."""
    f, part, second = e.f, part_of(i, 0), _second(i)
    saturates = "sat" in i.modifiers
    low, high = _range(target, 32)
    beyond = bounds[0] < low or bounds[1] > high
    if part and second:
        raise _refuse(e, "it has a second operation and writes a part of a register")
    if part == "h1" or (part and saturates):
        raise _refuse(e)
    if saturates and not target.is_signed and bounds[1] > high:
        raise _refuse(e)
    if second in ("min", "max") and (beyond or saturates):
        raise _refuse(e)
    if saturates:
        result = clamped(f, result, 32, target.is_signed)
    if second:
        result = _SECOND[second](f, result, _read(e, i, 3, target))
    if part:
        bits, place = _bits(part), int(part[1:])
        field = ((1 << bits) - 1) << bits * place
        moved = f.op("and", f.op("shl", result, splat("i64", bits * place)), splat("i64", field))
        result = f.op("or", f.op("and", _read(e, i, 3, TYPES["u32"]), splat("i64", ~field)), moved)
    e.write(i.operands[0], f.cast("trunc", result, "i32"))


def _binary(compute: Compute) -> Handler:
    def emit(e: Emitter, i: Instruction) -> None:
        target, first, second = _kinds(i)
        a, b = _read(e, i, 1, first), _read(e, i, 2, second)
        ranges = (_range(first, _bits(part_of(i, 1))), _range(second, _bits(part_of(i, 2))))
        _finish(e, i, compute(e.f, a, b), target, _bounds_of(i.opcode, *ranges))

    return emit


def _bounds_of(opcode: str, a: Range, b: Range) -> Range:
    """Returns the least and the largest result of operands in these ranges."""
    if opcode == "vadd":
        return a[0] + b[0], a[1] + b[1]
    if opcode == "vsub":
        return a[0] - b[1], a[1] - b[0]
    if opcode == "vabsdiff":
        return 0, max(abs(a[0] - b[1]), abs(a[1] - b[0]))
    choose = min if opcode == "vmin" else max
    return choose(a[0], b[0]), choose(a[1], b[1])


def _shift(e: Emitter, i: Instruction) -> None:
    f = e.f
    left = i.opcode == "vshl"
    target, first, second = _kinds(i)
    a, b = _read(e, i, 1, first), _read(e, i, 2, second)
    limit = splat("i64", 32)
    amount = f.map("llvm.umin", b, limit) if "clamp" in i.modifiers else f.op("and", b, splat("i64", 31))
    low, high = _range(first, _bits(part_of(i, 1)))
    bounds = (low << 32, high << 32) if left else (low, high)
    if left and "sat" in i.modifiers:
        raise _refuse(e)
    _finish(e, i, f.op("shl" if left else "ashr", a, amount), target, bounds)


def _compare(e: Emitter, i: Instruction) -> None:
    target, first, second = _kinds(i)
    if _second(i) in ("min", "max") and first.is_signed:
        raise _refuse(e)
    a, b = _read(e, i, 1, first), _read(e, i, 2, second)
    _finish(e, i, comparison_of(i)(e.f, a, b), target, (0, 1))


def _negated(f: IrFunction, value: V) -> V:
    return f.op("sub", splat(value.t, 0), value)


def _multiply_add(e: Emitter, i: Instruction) -> None:
    """vmad: a × b + c, of which the product or c may be negated; .po adds one."""
    f = e.f
    _, first, second = _kinds(i)
    minus = [part_of(i, index).startswith("-") for index in (1, 2, 3)]
    if "po" in i.modifiers and any(minus):
        raise _refuse(e, "it adds one and has a negated operand")
    scale = next((int(m[3:]) for m in i.modifiers if m in ("shr7", "shr15")), 0)
    if (scale or "sat" in i.modifiers) and not (first.is_signed and second.is_signed):
        raise _refuse(e)
    product = f.op("mul", _read(e, i, 1, first), _read(e, i, 2, second))
    addend = _read(e, i, 3, TYPES["s32"])
    if minus[0] != minus[1]:
        product = _negated(f, product)
    if minus[2]:
        addend = _negated(f, addend)
    result = f.op("add", product, addend)
    if "po" in i.modifiers:
        result = f.op("add", result, splat("i64", 1))
    result = f.op("ashr", result, splat("i64", scale))
    if "sat" in i.modifiers:
        result = clamped(f, result, 32, True)
    e.write(i.operands[0], f.cast("trunc", result, "i32"))


TABLE = {
    **{(name, "int"): Row(_binary(compute), VIDEO) for name, compute in OPERATIONS.items()},
    ("vshl", "int"): Row(_shift, VIDEO),
    ("vshr", "int"): Row(_shift, VIDEO),
    ("vset", "int"): Row(_compare, VIDEO),
    ("vmad", "int"): Row(_multiply_add, VIDEO),
}
