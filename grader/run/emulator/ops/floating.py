"""Arithmetic of f32 and f64 (PTX ISA, "Floating Point Instructions"), by default rounded to nearest even."""

from __future__ import annotations

from grader.run.emulator.native.ir import V, splat, splat_float
from grader.run.emulator.native.rounding import round_operation
from grader.run.emulator.ops.common import Handler, Row
from grader.run.emulator.ops.compare import flush_subnormals
from grader.run.emulator.ptx.syntax import Instruction, type_of
from grader.run.emulator.ptx.traits import PURE, Traits
from grader.run.emulator.translate.emitter import FLOAT_BITS, Emitter

_DIRECTED = ("rz", "rm", "rp")


def rounding_of(i: Instruction) -> str:
    """Returns rn, or the directed mode among the modifiers."""
    return next((m for m in i.modifiers if m in _DIRECTED), "rn")


def read_inputs(e: Emitter, i: Instruction, *indices: int) -> list[V]:
    """Returns operands as floats; with .ftz, subnormals as zeros."""
    kind = type_of(i)
    values = [e.read_float(i.operands[index], kind) for index in indices]
    if "ftz" in i.modifiers and kind.bits == 32:
        values = [flush_subnormals(e, value) for value in values]
    return values


def finish(e: Emitter, i: Instruction, value: V) -> None:
    """Applies .ftz and .sat to a result and writes it."""
    f = e.f
    if "ftz" in i.modifiers and value.t == "float":
        value = flush_subnormals(e, value)
    if "sat" in i.modifiers:
        zero, one = splat_float(value.t, 0.0), splat_float(value.t, 1.0)
        value = f.map("llvm.minnum", f.map("llvm.maxnum", value, zero), one)
        # A NaN saturates to +0, and so does -0.
        value = f.select(f.compare("fcmp ogt", value, zero), value, zero)
    e.write(i.operands[0], value)


def _binary(opcode: str) -> Handler:
    def emit(e: Emitter, i: Instruction) -> None:
        a, b = read_inputs(e, i, 1, 2)
        finish(e, i, round_operation(e.f, opcode, rounding_of(i), a, b))

    return emit


def fused_multiply_add(e: Emitter, i: Instruction) -> None:
    a, b, c = read_inputs(e, i, 1, 2, 3)
    finish(e, i, round_operation(e.f, "fma", rounding_of(i), a, b, c))


def divide(e: Emitter, i: Instruction) -> None:
    a, b = read_inputs(e, i, 1, 2)
    quotient = round_operation(e.f, "fdiv", rounding_of(i), a, b)
    rough = a.t == "float" and not {"approx", "full"}.isdisjoint(i.modifiers)
    finish(e, i, _by_reciprocal(e, i, a, b, quotient) if rough else quotient)


def _by_reciprocal(e: Emitter, i: Instruction, a: V, b: V, quotient: V) -> V:
    """.approx and .full multiply by the reciprocal, as GPUs do: up to 1.5 ulp off, of 2 that are allowed.

    Where the reciprocal is subnormal, .approx takes 0 for it; the quotient of .full is as good as elsewhere. Beside a
    subnormal divisor no bound is stated.
    """
    f = e.f
    product = f.op("fmul", a, f.op("fdiv", splat_float(b.t, 1.0), b))
    size = f.map("llvm.fabs", b)
    large = f.compare("fcmp ogt", size, splat_float(b.t, 2.0**126))
    tiny = f.compare("fcmp olt", size, splat_float(b.t, 2.0**-126))
    none = f.op("fmul", a, f.map("llvm.copysign", splat_float(b.t, 0.0), b))
    beyond = none if "approx" in i.modifiers else quotient
    return f.select(large, beyond, f.select(tiny, quotient, product))


def reciprocal(e: Emitter, i: Instruction) -> None:
    """.approx of f32 may be off by 1 ulp, which the correctly rounded reciprocal satisfies."""
    (a,) = read_inputs(e, i, 1)
    if a.t == "double" and "approx" in i.modifiers:
        finish(e, i, upper_half(e, e.f.op("fdiv", splat_float(a.t, 1.0), upper_half(e, a))))
        return
    finish(e, i, round_operation(e.f, "fdiv", rounding_of(i), splat_float(a.t, 1.0), a))


def upper_half(e: Emitter, value: V) -> V:
    """The upper 32 bits of doubles: the gross approximations of f64 read and write no others."""
    return e.f.bitcast(e.f.op("and", e.f.bitcast(value, "i64"), splat("i64", -1 << 32)), "double")


def square_root(e: Emitter, i: Instruction) -> None:
    (a,) = read_inputs(e, i, 1)
    finish(e, i, round_operation(e.f, "sqrt", rounding_of(i), a))


def negate(e: Emitter, i: Instruction) -> None:
    (a,) = read_inputs(e, i, 1)
    finish(e, i, e.f.vector(a.t, f"fneg {a}"))


def absolute(e: Emitter, i: Instruction) -> None:
    (a,) = read_inputs(e, i, 1)
    finish(e, i, e.f.map("llvm.fabs", a))


def _extreme(which: str) -> Handler:
    def emit(e: Emitter, i: Instruction) -> None:
        """A number wins against NaN, unless .NaN is given; -0 is less than +0."""
        f = e.f
        values = read_inputs(e, i, *range(1, len(i.operands)))
        result = values[0]
        if "abs" in i.modifiers:
            values = [f.map("llvm.fabs", v) for v in values]
            result = values[0]
        for value in values[1:]:
            result = _pick(e, which, result, value, "NaN" in i.modifiers)
        if "xorsign" in i.modifiers:
            result = _exclusive_sign(e, i, result)
        finish(e, i, result)

    return emit


def _pick(e: Emitter, which: str, a: V, b: V, keep_nan: bool) -> V:
    f = e.f
    t = FLOAT_BITS[a.t]
    bits_a, bits_b = f.bitcast(a, t), f.bitcast(b, t)
    better = f.compare("fcmp olt" if which == "min" else "fcmp ogt", a, b)
    # Equal numbers can differ only as zeros of either sign: or-ing the bits prefers -0, and-ing them +0.
    same = f.compare("fcmp oeq", a, b)
    tie = f.bitcast(f.op("or" if which == "min" else "and", bits_a, bits_b), a.t)
    result = f.select(same, tie, f.select(better, a, b))
    nan_a, nan_b = f.compare("fcmp uno", a, a), f.compare("fcmp uno", b, b)
    canonical = f.bitcast(splat(t, 0x7FFFFFFF if t == "i32" else 0x7FFFFFFFFFFFFFFF), a.t)
    if keep_nan:
        return f.select(f.op("or", nan_a, nan_b), canonical, result)
    result = f.select(nan_b, a, f.select(nan_a, b, result))
    return f.select(f.op("and", nan_a, nan_b), canonical, result)


def _exclusive_sign(e: Emitter, i: Instruction, result: V) -> V:
    f = e.f
    t = FLOAT_BITS[result.t]
    sign = splat(t, 1 << (int(t[1:]) - 1))
    a, b = (f.bitcast(v, t) for v in read_inputs(e, i, 1, 2))
    signs = f.op("and", f.op("xor", a, b), sign)
    magnitude = f.op("and", f.bitcast(result, t), f.invert(sign))
    return f.bitcast(f.op("or", magnitude, signs), result.t)


def copy_sign(e: Emitter, i: Instruction) -> None:
    """copysign d, a, b: the sign of a, the magnitude of b."""
    a, b = read_inputs(e, i, 1, 2)
    finish(e, i, e.f.map("llvm.copysign", b, a))


def test_property(e: Emitter, i: Instruction) -> None:
    """testp: finite, infinite, number, notanumber, normal or subnormal."""
    f = e.f
    kind = type_of(i)
    t = f"i{kind.bits}"
    bits = e.read(i.operands[1], kind)
    magnitude = f.op("and", bits, splat(t, (1 << (kind.bits - 1)) - 1))
    infinity = splat(t, 0x7F800000 if kind.bits == 32 else 0x7FF0000000000000)
    smallest_normal = splat(t, 0x00800000 if kind.bits == 32 else 0x0010000000000000)
    finite = f.compare("icmp ult", magnitude, infinity)
    number = f.compare("icmp ule", magnitude, infinity)
    nonzero = f.compare("icmp ne", magnitude, splat(t, 0))
    tiny = f.compare("icmp ult", magnitude, smallest_normal)
    results = {
        "finite": finite,
        "infinite": f.compare("icmp eq", magnitude, infinity),
        "number": number,
        "notanumber": f.invert(number),
        # The PTX ISA counts zeros as normal.
        "normal": f.op("and", finite, f.invert(f.op("and", tiny, nonzero))),
        "subnormal": f.op("and", tiny, nonzero),
    }
    e.write(i.operands[0], results[next(m for m in i.modifiers if m in results)])


TABLE = {
    ("add", "float"): Row(_binary("fadd"), Traits(pure=True, operations=1, sums=True)),
    ("sub", "float"): Row(_binary("fsub"), Traits(pure=True, operations=1, sums=True)),
    ("mul", "float"): Row(_binary("fmul"), Traits(pure=True, operations=1)),
    ("fma", "float"): Row(fused_multiply_add, Traits(pure=True, operations=2, sums=True, products=1)),
    ("mad", "float"): Row(fused_multiply_add, Traits(pure=True, operations=2, sums=True, products=1)),
    ("div", "float"): Row(divide, Traits(pure=True, operations=1)),
    ("rcp", "float"): Row(reciprocal, Traits(pure=True, operations=1)),
    ("sqrt", "float"): Row(square_root, Traits(pure=True, operations=1)),
    ("neg", "float"): Row(negate, PURE),
    ("abs", "float"): Row(absolute, PURE),
    ("min", "float"): Row(_extreme("min"), PURE),
    ("max", "float"): Row(_extreme("max"), PURE),
    ("copysign", "float"): Row(copy_sign, PURE),
    ("testp", "float"): Row(test_property, PURE),
}
