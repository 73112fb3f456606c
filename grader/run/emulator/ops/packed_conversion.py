"""`cvt` to and from several numbers in one register, to tf32, and `cvt.pack` (PTX ISA, "cvt" and "cvt.pack")."""

from __future__ import annotations

import re

from grader.run.emulator.native.ir import V, splat
from grader.run.emulator.native.minifloat import BF16, E4M3, E5M2, F16, TF32, Format, narrow, widen
from grader.run.emulator.ops.halves import finish_half, write_parts
from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.ptx.types import TYPES
from grader.run.emulator.translate.emitter import Emitter

_FORMATS = {"f16x2": F16, "bf16x2": BF16, "e4m3x2": E4M3, "e5m2x2": E5M2, "tf32": TF32}
_KNOWN = {"rn", "rz", "rna", "relu", "satfinite", "f32", *_FORMATS}


def is_packed_conversion(i: Instruction) -> bool:
    """Whether one of the types is packed or tf32."""
    return not _FORMATS.keys().isdisjoint(i.modifiers)


def convert_packed(e: Emitter, i: Instruction) -> None:
    """Converts to and from packed formats and tf32; the first of two f32 operands goes to the high half."""
    if not _KNOWN.issuperset(i.modifiers):
        raise e.unsupported()
    f = e.f
    names = [m for m in i.modifiers if m in _FORMATS or m == "f32"]
    target, source = _FORMATS[names[0]], _FORMATS.get(names[1])
    if source is None:
        values = [e.read_float(operand, TYPES["f32"]) for operand in reversed(i.operands[1:])]
    else:
        values = _unpacked(e, i, source)
    mode = next((m for m in i.modifiers if m in ("rn", "rz", "rna")), "rn")
    parts = [narrow(f, value, target, mode, "satfinite" in i.modifiers) for value in values]
    parts = [finish_half(e, i, part, target) for part in parts]
    if target is TF32:
        parts = [f.op("shl", part, splat("i32", TF32.drop)) for part in parts]
        e.write(i.operands[0], parts[0])
        return
    write_parts(e, i.operands[0], parts, 1 + target.exponent + target.fraction)


def _unpacked(e: Emitter, i: Instruction, form: Format) -> list[V]:
    f = e.f
    bits = 1 + form.exponent + form.fraction
    both = e.resize(e.read(i.operands[1], TYPES[f"b{2 * bits}"]), "i32")
    low, high = f.op("and", both, splat("i32", 2 * form.sign - 1)), f.op("lshr", both, splat("i32", bits))
    return [widen(f, part, form) for part in (low, high)]


def pack_integers(e: Emitter, i: Instruction) -> None:
    """cvt.pack: a and b, saturated, take the lowest bits, b first; above them come the low bits of c."""
    f = e.f
    narrow_type = re.fullmatch(r"([us])(2|4|8|16)", i.modifiers[2])
    if i.modifiers[:2] != ("pack", "sat") or narrow_type is None or i.modifiers[3] != "s32":
        raise e.unsupported()
    signed, bits = narrow_type[1] == "s", int(narrow_type[2])
    low = -(1 << (bits - 1)) if signed else 0
    high = low + (1 << bits) - 1
    parts = []
    for operand in i.operands[1:3]:
        value = f.map("llvm.smax", e.read(operand, TYPES["s32"]), splat("i32", low))
        value = f.map("llvm.smin", value, splat("i32", high))
        parts.append(f.op("and", value, splat("i32", (1 << bits) - 1)))
    result = f.op("or", f.op("shl", parts[0], splat("i32", bits)), parts[1])
    if len(i.operands) > 3:
        above = f.op("shl", e.read(i.operands[3], TYPES["b32"]), splat("i32", 2 * bits))
        result = f.op("or", result, above)
    e.write(i.operands[0], result)
