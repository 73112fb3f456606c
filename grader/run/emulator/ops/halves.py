"""16-bit floats as operands: reading f16, bf16 and their packed pairs, and finishing and writing results.

A packed operand gives two vectors, the low number first. The arithmetic is in `half.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.run.emulator.native.ir import V, splat
from grader.run.emulator.native.minifloat import BF16, F16, Format, widen
from grader.run.emulator.ptx.syntax import Instruction, Operand
from grader.run.emulator.ptx.types import PtxType
from grader.run.emulator.translate.emitter import Emitter


def half_format(kind: PtxType) -> Format:
    """Returns the format of f16 or bf16, packed or not."""
    return F16 if kind.kind == "f" else BF16


def half_bits(e: Emitter, operand: Operand, kind: PtxType, flush: bool = False) -> list[V]:
    """Returns the bits of a 16-bit operand, or of both numbers of a packed one; `flush` zeroes subnormals.

    The bits are in i32 lanes.
    """
    f = e.f
    value = e.resize(e.read(operand, kind), "i32")
    parts = [value]
    if kind.packed > 1:
        parts = [f.op("and", value, splat("i32", 0xFFFF)), f.op("lshr", value, splat("i32", 16))]
    return [flush_half(e, part, half_format(kind)) for part in parts] if flush else parts


def half_lanes(e: Emitter, operand: Operand, kind: PtxType, flush: bool = False) -> list[V]:
    """Returns the float values of a 16-bit operand: one, or two (low, high) for a packed type."""
    return [widen(e.f, part, half_format(kind)) for part in half_bits(e, operand, kind, flush)]


def flush_half(e: Emitter, bits: V, form: Format) -> V:
    """Replaces subnormals by zeros of their sign."""
    f = e.f
    tiny = f.compare("icmp ult", magnitude(e, bits, form), splat("i32", form.smallest_normal))
    return f.select(tiny, f.op("and", bits, splat("i32", form.sign)), bits)


def magnitude(e: Emitter, bits: V, form: Format) -> V:
    """Returns the bits without the sign."""
    return e.f.op("and", bits, splat("i32", form.sign - 1))


def finish_half(e: Emitter, i: Instruction, bits: V, form: Format) -> V:
    """Applies .sat and .relu to a result whose NaN is canonical."""
    f = e.f
    zero = splat("i32", 0)
    if "sat" in i.modifiers or "relu" in i.modifiers:
        bits = f.select(f.compare("icmp uge", bits, splat("i32", form.sign)), zero, bits)
    if "sat" in i.modifiers:
        nan = f.compare("icmp eq", bits, splat("i32", form.nan))
        bits = f.select(nan, zero, f.map("llvm.umin", bits, splat("i32", form.one)))
    return bits


def write_parts(e: Emitter, operand: Operand, parts: Sequence[V], bits: int) -> None:
    """Writes numbers of `bits` bits each, given in i32 lanes, to a register, the first one lowest."""
    f = e.f
    result = parts[0]
    for index, part in enumerate(parts[1:], 1):
        result = f.op("or", result, f.op("shl", part, splat("i32", bits * index)))
    e.write(operand, e.resize(result, f"i{bits * len(parts)}"))
