"""Sum, product and fused multiply-add of 16-bit floats, each rounded once, as routines on their bits.

f32 has more than twice the digits of f16 and bf16, plus two. A sum or a product rounded to f32 and then to 16 bits is
therefore correctly rounded (Figueroa, "When is double rounding innocuous?"); products are even exact. The fused
operation needs more: its product is exact in a wide enough type, and its addition rounds to odd.
"""

from __future__ import annotations

from collections.abc import Callable

from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V
from grader.run.emulator.native.minifloat import BF16, Format, add_to_odd, narrow, narrow_double, widen


def half_operation(f: IrFunction, name: str, form: Format, *operands: V) -> V:
    """Returns add, mul or fma, as `name` says, of numbers given as their bits in i32 lanes."""
    vector = f"<{LANES} x i32>"

    def build(owner: IrModule, routine: str) -> IrFunction:
        arguments = [(vector, f"x{index}") for index in range(len(operands))]
        g = IrFunction(owner, routine, vector, arguments, attributes="nounwind noinline")
        values = [widen(g, V("i32", f"%x{index}"), form) for index in range(len(operands))]
        g.do(f"ret {_OPERATIONS[name](g, form, *values)}")
        return g

    called = f.module.routine(f"half_{name}_{form.name}", build)
    return V("i32", f.call(called, vector, [str(v) for v in operands]))


def _add(f: IrFunction, form: Format, a: V, b: V) -> V:
    return narrow(f, f.op("fadd", a, b), form)


def _multiply(f: IrFunction, form: Format, a: V, b: V) -> V:
    return narrow(f, f.op("fmul", a, b), form)


def _fused_multiply_add(f: IrFunction, form: Format, a: V, b: V, c: V) -> V:
    if form is not BF16:
        return narrow(f, add_to_odd(f, f.op("fmul", a, b), c), form)
    # bf16 has the exponent range of f32; its products need twice that.
    wide = [f.cast("fpext", value, "double") for value in (a, b, c)]
    return narrow_double(f, add_to_odd(f, f.op("fmul", wide[0], wide[1]), wide[2]), form)


_OPERATIONS: dict[str, Callable[..., V]] = {"add": _add, "mul": _multiply, "fma": _fused_multiply_add}
