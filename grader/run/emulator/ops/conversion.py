"""`cvt` between integers and floats (PTX ISA, "Data Movement and Conversion Instructions: cvt").

Forms that read or write several numbers at once, and tf32, are in `packed_conversion.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.run.emulator.native.ir import V, splat
from grader.run.emulator.native.minifloat import narrow, narrow_double
from grader.run.emulator.native.rounding import round_cast
from grader.run.emulator.ops.common import Row
from grader.run.emulator.ops.compare import flush_subnormals
from grader.run.emulator.ops.floating import finish, rounding_of
from grader.run.emulator.ops.halves import finish_half, half_format, half_lanes, write_parts
from grader.run.emulator.ops.packed_conversion import convert_packed, is_packed_conversion, pack_integers
from grader.run.emulator.ptx.syntax import Instruction, Operand, Register, types_of
from grader.run.emulator.ptx.traits import Traits
from grader.run.emulator.ptx.types import TYPES, PtxType
from grader.run.emulator.translate.emitter import Emitter

_TO_WHOLE = {"rni": "llvm.rint", "rzi": "llvm.trunc", "rmi": "llvm.floor", "rpi": "llvm.ceil"}
_KNOWN = {*_TO_WHOLE, "rn", "rz", "rm", "rp", "ftz", "sat", "relu", "satfinite"}


def convert(e: Emitter, i: Instruction) -> None:
    """Emits any cvt. Raises UnsupportedPtx for unknown modifiers."""
    if "pack" in i.modifiers:
        pack_integers(e, i)
        return
    if is_packed_conversion(i):
        convert_packed(e, i)
        return
    if not all(m in _KNOWN or m in TYPES for m in i.modifiers):
        raise e.unsupported()
    to, source = types_of(i)
    if not source.is_float:
        value = e.read(i.operands[1], source)
        (_integer_to_float if to.is_float else _integer_to_integer)(e, i, value, source, to)
        return
    real = _read_real(e, i, source)
    (_float_to_float if to.is_float else _float_to_integer)(e, i, real, source, to)


def _write_integer(e: Emitter, target: Operand, value: V, kind: PtxType) -> None:
    """Writes a result; one narrower than its register is extended as its type says."""
    if isinstance(target, Register):
        value = e.resize(value, e.type_of(target.name).integer, kind.is_signed)
    e.write(target, value)


def _limits(kind: PtxType) -> tuple[int, int]:
    if kind.is_signed:
        return -(1 << (kind.bits - 1)), (1 << (kind.bits - 1)) - 1
    return 0, (1 << kind.bits) - 1


def _integer_to_integer(e: Emitter, i: Instruction, value: V, source: PtxType, to: PtxType) -> None:
    f = e.f
    if "sat" in i.modifiers:
        (low, high), (lowest, highest) = _limits(to), _limits(source)
        if low > lowest:
            value = f.map("llvm.smax", value, splat(value.t, low))
        if high < highest:
            value = f.map("llvm.smin" if source.is_signed else "llvm.umin", value, splat(value.t, high))
    _write_integer(e, i.operands[0], e.resize(value, to.integer, source.is_signed), to)


def _integer_to_float(e: Emitter, i: Instruction, value: V, source: PtxType, to: PtxType) -> None:
    f = e.f
    operation = "sitofp" if source.is_signed else "uitofp"
    mode = rounding_of(i)
    if source.bits < 32:
        value = e.resize(value, "i32", source.is_signed)
    if to.bits > 16:
        result = round_cast(f, operation, mode, value, "float" if to.bits == 32 else "double")
        if mode == "rm" and not source.is_signed:
            # Processors without unsigned conversions compute 0 as a difference, which rounds down to -0.
            result = f.map("llvm.fabs", result)
        finish(e, i, result)
        return
    if source.bits == 64:
        value = _fold_low_bits(e, value, source)
    form = half_format(to)
    result = narrow_double(f, f.cast(operation, value, "double"), form, mode)
    write_parts(e, i.operands[0], [finish_half(e, i, result, form)], 16)


def _fold_low_bits(e: Emitter, value: V, source: PtxType) -> V:
    """Returns an i64 that fits a double: the last 11 bits of a large number become one sticky bit."""
    f = e.f
    size = f.map("llvm.abs", value, tail=["i1 false"]) if source.is_signed else value
    large = f.compare("icmp uge", size, splat("i64", 1 << 53))
    lost = f.compare("icmp ne", f.op("and", value, splat("i64", 0x7FF)), splat("i64", 0))
    sticky = f.op("shl", f.cast("zext", lost, "i64"), splat("i64", 11))
    folded = f.op("or", f.op("and", value, splat("i64", ~0x7FF)), sticky)
    return f.select(large, folded, value)


def _read_real(e: Emitter, i: Instruction, source: PtxType) -> V:
    """Reads the source as float or double lanes; .ftz affects f32 only."""
    if source.bits == 16:
        return half_lanes(e, i.operands[1], source)[0]
    value = e.read_float(i.operands[1], source)
    return flush_subnormals(e, value) if "ftz" in i.modifiers and source.bits == 32 else value


def _whole(e: Emitter, i: Instruction, value: V) -> V:
    """Rounds to an integer if a modifier asks for it."""
    name = next((_TO_WHOLE[m] for m in i.modifiers if m in _TO_WHOLE), None)
    return value if name is None else e.f.map(name, value)


def _float_to_integer(e: Emitter, i: Instruction, value: V, source: PtxType, to: PtxType) -> None:
    """Saturates. NaN gives 0, or only the highest bit if the source or the result has 64 bits."""
    f = e.f
    value = _whole(e, i, value)
    t = f"i{max(to.bits, 32)}"
    operation = f"llvm.fpto{'s' if to.is_signed else 'u'}i.sat"
    overload = f"v32{t}.v32{'f32' if value.t == 'float' else 'f64'}"
    result = V(t, f.intrinsic(f"{operation}.{overload}", f"<32 x {t}>", [str(value)]))
    if to.bits < 32:
        low, high = _limits(to)
        if to.is_signed:
            result = f.map("llvm.smax", result, splat(t, low))
        result = f.map("llvm.smin" if to.is_signed else "llvm.umin", result, splat(t, high))
    if 64 in (source.bits, to.bits):
        highest = splat(t, 1 << (to.bits - 1))
        result = f.select(f.compare("fcmp uno", value, value), highest, result)
    _write_integer(e, i.operands[0], e.resize(result, to.integer), to)


def _float_to_float(e: Emitter, i: Instruction, value: V, source: PtxType, to: PtxType) -> None:
    f = e.f
    value = _whole(e, i, value)
    mode = rounding_of(i)
    if to.bits == 16:
        form = half_format(to)
        rounder = narrow_double if value.t == "double" else narrow
        result = rounder(f, value, form, mode, "satfinite" in i.modifiers)
        write_parts(e, i.operands[0], [finish_half(e, i, result, form)], 16)
        return
    if to.bits == 64:
        value = f.cast("fpext", value, "double")
    elif value.t == "double":
        value = round_cast(f, "fptrunc", mode, value, "float")
    finish(e, i, value)


def _fold_flag(modifiers: Sequence[str], sources: Sequence[int | None]) -> int | None:
    """Folds 0 and 1 between integer types."""
    return sources[0] if list(sources) in ([0], [1]) and not any(m.startswith("f") for m in modifiers) else None


TABLE = {("cvt", ""): Row(convert, Traits(pure=True, fold=_fold_flag))}
