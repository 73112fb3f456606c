"""The fast functions: ex2, lg2, sin, cos, tanh and rsqrt of f32, rsqrt of f64, ex2 and tanh of 16-bit floats.

Division, reciprocal and square root are in `floating.py`.
"""

from __future__ import annotations

from grader.run.emulator.native.approximation import approximate
from grader.run.emulator.native.ir import IrFunction, V, splat, splat_float
from grader.run.emulator.native.minifloat import F16, Format, narrow
from grader.run.emulator.ops.common import Handler, Row
from grader.run.emulator.ops.floating import finish, read_inputs, upper_half
from grader.run.emulator.ops.halves import flush_half, half_format, half_lanes, write_parts
from grader.run.emulator.ptx.syntax import Instruction, type_of
from grader.run.emulator.ptx.traits import PURE, Traits
from grader.run.emulator.translate.emitter import Emitter


def _single(name: str) -> Handler:
    def emit(e: Emitter, i: Instruction) -> None:
        (a,) = read_inputs(e, i, 1)
        if a.t != "float":
            raise e.unsupported()
        value = approximate(e.f, name, a)
        finish(e, i, _coarse(e.f, a, value) if name == "tanh" else value)

    return emit


def _coarse(f: IrFunction, x: V, value: V) -> V:
    """Rounds tanh(x) to twelve bits, unless x is subnormal or NaN.

    A GPU's relative error reaches 2^-11 (PTX ISA, "tanh"): a kernel that needs less has to see that here too.
    """
    bits = f.bitcast(value, "i32")
    rounded = f.op("and", f.op("add", bits, splat("i32", 1 << 11)), splat("i32", -1 << 12))
    usual = f.compare("fcmp oge", f.map("llvm.fabs", x), splat_float("float", 2.0**-126))
    return f.bitcast(f.select(usual, rounded, bits), "float")


def _halves(name: str) -> Handler:
    """Truncates the f32 result to 16 bits; .ftz, which the bf16 forms must name, flushes inputs and results."""

    def emit(e: Emitter, i: Instruction) -> None:
        kind = type_of(i)
        form = half_format(kind)
        flush = "ftz" in i.modifiers
        values = half_lanes(e, i.operands[1], kind, flush)
        parts = [_cut(e.f, approximate(e.f, name, value), form) for value in values]
        write_parts(e, i.operands[0], [flush_half(e, part, form) for part in parts] if flush else parts, 16)

    return emit


def _cut(f: IrFunction, value: V, form: Format) -> V:
    """Rounds towards zero, as GPUs do; what is too large for f16 becomes infinite nevertheless."""
    if form is F16:
        infinity = splat_float("float", float("inf"))
        value = f.select(f.compare("fcmp oge", value, splat_float("float", 2.0**16)), infinity, value)
    return narrow(f, value, form, "rz")


def reciprocal_square_root(e: Emitter, i: Instruction) -> None:
    """Rounds twice, which is within 1.5 ulp. Of f64 `.approx.ftz` is gross; `.approx` is software, and accurate."""
    (a,) = read_inputs(e, i, 1)
    gross = a.t == "double" and "ftz" in i.modifiers
    root = _inverse_root(e, upper_half(e, a) if gross else a)
    finish(e, i, upper_half(e, root) if gross else root)


def _inverse_root(e: Emitter, a: V) -> V:
    return e.f.op("fdiv", splat_float(a.t, 1.0), e.f.map("llvm.sqrt", a))


TABLE = {
    ("ex2", "float"): Row(_single("ex2"), PURE),
    ("lg2", "float"): Row(_single("lg2"), PURE),
    ("sin", "float"): Row(_single("sin"), PURE),
    ("cos", "float"): Row(_single("cos"), PURE),
    ("tanh", "float"): Row(_single("tanh"), PURE),
    ("rsqrt", "float"): Row(reciprocal_square_root, Traits(pure=True, operations=1)),
    ("ex2", "half"): Row(_halves("ex2"), PURE),
    ("tanh", "half"): Row(_halves("tanh"), PURE),
}
