"""Arithmetic of f16, bf16 and their packed pairs (PTX ISA, "Half Precision Floating Point Instructions")."""

from __future__ import annotations

from collections.abc import Callable

from grader.run.emulator.native.half_arithmetic import half_operation
from grader.run.emulator.native.ir import V, splat
from grader.run.emulator.native.minifloat import Format
from grader.run.emulator.ops.common import Handler, Row
from grader.run.emulator.ops.halves import finish_half, flush_half, half_bits, half_format, magnitude, write_parts
from grader.run.emulator.ptx.syntax import Instruction, type_of
from grader.run.emulator.ptx.traits import PURE, Traits
from grader.run.emulator.translate.emitter import Emitter

Compute = Callable[..., V]
_KNOWN = {"rn", "ftz", "sat", "relu", "NaN", "xorsign", "abs", "f16", "bf16", "f16x2", "bf16x2"}


def _elementwise(compute: Compute) -> Handler:
    """Returns the handler that applies compute(e, i, format, bits, …) to each number of the operands."""

    def emit(e: Emitter, i: Instruction) -> None:
        if not _KNOWN.issuperset(i.modifiers):
            raise e.unsupported()
        kind = type_of(i)
        form = half_format(kind)
        flush = "ftz" in i.modifiers
        columns = [half_bits(e, operand, kind, flush) for operand in i.operands[1:]]
        parts = [compute(e, i, form, *values) for values in zip(*columns, strict=True)]
        parts = [flush_half(e, part, form) for part in parts] if flush else parts
        write_parts(e, i.operands[0], [finish_half(e, i, part, form) for part in parts], 16)

    return emit


def _add(e: Emitter, i: Instruction, form: Format, a: V, b: V) -> V:
    return half_operation(e.f, "add", form, a, b)


def _subtract(e: Emitter, i: Instruction, form: Format, a: V, b: V) -> V:
    return half_operation(e.f, "add", form, a, _flip_sign(e, b, form))


def _multiply(e: Emitter, i: Instruction, form: Format, a: V, b: V) -> V:
    return half_operation(e.f, "mul", form, a, b)


def _fused_multiply_add(e: Emitter, i: Instruction, form: Format, a: V, b: V, c: V) -> V:
    return half_operation(e.f, "fma", form, a, b, c)


def _negate(e: Emitter, i: Instruction, form: Format, a: V) -> V:
    return _canonical(e, a, _flip_sign(e, a, form), form)


def _absolute(e: Emitter, i: Instruction, form: Format, a: V) -> V:
    return _canonical(e, a, magnitude(e, a, form), form)


def _flip_sign(e: Emitter, bits: V, form: Format) -> V:
    return e.f.op("xor", bits, splat("i32", form.sign))


def _is_nan(e: Emitter, bits: V, form: Format) -> V:
    assert form.infinity is not None
    return e.f.compare("icmp ugt", magnitude(e, bits, form), splat("i32", form.infinity))


def _canonical(e: Emitter, operand: V, result: V, form: Format) -> V:
    return e.f.select(_is_nan(e, operand, form), splat("i32", form.nan), result)


def _extreme(which: str) -> Compute:
    def compute(e: Emitter, i: Instruction, form: Format, *operands: V) -> V:
        """A number wins against NaN, unless .NaN is given; -0 is less than +0."""
        f = e.f
        values = [magnitude(e, a, form) for a in operands] if "abs" in i.modifiers else list(operands)
        nan_wins = "NaN" in i.modifiers
        nan_key = 0x10000 if (which == "max") == nan_wins else -0x10000
        result = _sort_key(e, values[0], form, nan_key)
        for value in values[1:]:
            result = f.map(f"llvm.s{which}", result, _sort_key(e, value, form, nan_key))
        is_nan = f.compare("icmp eq", result, splat("i32", nan_key))
        bits = f.op("and", _mirror(e, result, form), splat("i32", 2 * form.sign - 1))
        if "xorsign" in i.modifiers:
            signs = f.op("and", f.op("xor", operands[0], operands[1]), splat("i32", form.sign))
            bits = f.op("or", bits, signs)
        return f.select(is_nan, splat("i32", form.nan), bits)

    return compute


def _mirror(e: Emitter, signed: V, form: Format) -> V:
    """Converts sign-magnitude to two's complement, or back: inverts the magnitude bits of negative numbers."""
    f = e.f
    turned = f.op("and", f.op("ashr", signed, splat("i32", 31)), splat("i32", form.sign - 1))
    return f.op("xor", signed, turned)


def _sort_key(e: Emitter, bits: V, form: Format, nan_key: int) -> V:
    """Returns an i32 that sorts as the numbers do; NaN becomes `nan_key`."""
    f = e.f
    signed = f.cast("sext", f.cast("trunc", bits, "i16"), "i32")
    return f.select(_is_nan(e, bits, form), splat("i32", nan_key), _mirror(e, signed, form))


TABLE = {
    ("add", "half"): Row(_elementwise(_add), Traits(pure=True, operations=1, sums=True)),
    ("sub", "half"): Row(_elementwise(_subtract), Traits(pure=True, operations=1, sums=True)),
    ("mul", "half"): Row(_elementwise(_multiply), Traits(pure=True, operations=1)),
    ("fma", "half"): Row(_elementwise(_fused_multiply_add), Traits(pure=True, operations=2, sums=True, products=1)),
    ("neg", "half"): Row(_elementwise(_negate), PURE),
    ("abs", "half"): Row(_elementwise(_absolute), PURE),
    ("min", "half"): Row(_elementwise(_extreme("min")), PURE),
    ("max", "half"): Row(_elementwise(_extreme("max")), PURE),
}
