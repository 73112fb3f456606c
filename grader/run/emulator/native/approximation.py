"""Approximates 2^x, log2, sine, cosine and tanh of float lanes within 3 ulp (of 1, for sine and cosine).

The PTX instructions may have larger errors (PTX ISA, "Floating Point Instructions"); ops/approximate.py coarsens tanh.
No GPU is imitated bit by bit, except in how it reduces angles, because that error grows with the angle. Each polynomial
interpolates its function at Chebyshev nodes of the reduced interval, with coefficients rounded to f32; the comment
gives its largest error there. Multiplications and additions are rounded separately, so that results do not depend on
whether the CPU has fused multiply-add.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, splat, splat_float

# (2^r - 1) / r for r in [-1/2, 1/2], within 1.4e-8.
_EXP2 = (0.6931471824645996, 0.24022650718688965, 0.055503569543361664, 0.009618083015084267,
         0.0013390863314270973, 0.00015453163359779865)  # fmt: skip
# log2((1 + s) / (1 - s)) / s by powers of s^2, for s^2 in [0, 0.02944], within 3.9e-8.
_LOG2 = (2.885390043258667, 0.9617988467216492, 0.5767151713371277, 0.4317176938056946)
# sin(pi/2 r) / r by powers of r^2, for r^2 in [0, 1/4], within 5.3e-8.
_SINE = (1.5707963705062866, -0.6459634900093079, 0.07968021929264069, -0.004602149128913879)
# (cos(pi/2 r) - 1) / r^2 by powers of r^2, for r^2 in [0, 1/4], within 3.7e-8.
_COSINE = (-1.2337005138397217, 0.253669410943985, -0.02086152881383896, 0.0009067399078048766)
# (tanh(x) / x - 1) / x^2 by powers of x^2, for x^2 in [0, 0.36], within 4.0e-8.
_TANH = (-0.3333333134651184, 0.13332915306091309, -0.053873948752880096, 0.021110959351062775,
         -0.006269119679927826)  # fmt: skip

# 1 / (2 pi) as an f32.
_TURN = 0.15915493667125702
# Added to a small number, this leaves its nearest integer in the lowest bits of the sum.
_ROUNDER = 1.5 * 2.0**23


def approximate(f: IrFunction, name: str, value: V) -> V:
    """Returns ex2, lg2, sin, cos or tanh of float lanes, as `name` says."""
    vector = f"<{LANES} x float>"

    def build(owner: IrModule, routine: str) -> IrFunction:
        g = IrFunction(owner, routine, vector, [(vector, "x")], attributes="nounwind noinline")
        g.do(f"ret {_FUNCTIONS[name](g, V('float', '%x'))}")
        return g

    return V("float", f.call(f.module.routine(f"approximate_{name}", build), vector, [str(value)]))


def _constant(value: float) -> V:
    return splat_float("float", value)


def _polynomial(f: IrFunction, x: V, coefficients: Sequence[float]) -> V:
    result = _constant(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = f.op("fadd", f.op("fmul", result, x), _constant(coefficient))
    return result


def _power_of_two(f: IrFunction, exponent: V) -> V:
    """Returns 2^n, for n from -126 to 127."""
    return f.bitcast(f.op("shl", f.op("add", exponent, splat("i32", 127)), splat("i32", 23)), "float")


def _exp2(f: IrFunction, x: V) -> V:
    """Returns 2^n (1 + r q(r)), n the integer nearest x. 2^n is applied in two steps, since it may be subnormal."""
    low, high = _constant(-160.0), _constant(130.0)
    inside = f.select(f.compare("fcmp olt", x, low), low, x)
    inside = f.select(f.compare("fcmp ogt", inside, high), high, inside)
    moved = f.op("fadd", inside, _constant(_ROUNDER))
    r = f.op("fsub", inside, f.op("fsub", moved, _constant(_ROUNDER)))
    n = f.op("sub", f.bitcast(moved, "i32"), f.bitcast(_constant(_ROUNDER), "i32"))
    result = f.op("fadd", f.op("fmul", r, _polynomial(f, r, _EXP2)), _constant(1.0))
    first = f.op("ashr", n, splat("i32", 1))
    result = f.op("fmul", result, _power_of_two(f, first))
    return f.op("fmul", result, _power_of_two(f, f.op("sub", n, first)))


def _log2(f: IrFunction, x: V) -> V:
    """Returns e + log2(m), m from sqrt(1/2) to sqrt(2), with s = (m - 1) / (m + 1)."""
    tiny = f.compare("fcmp olt", x, _constant(2.0**-126))
    scaled = f.select(tiny, f.op("fmul", x, _constant(2.0**32)), x)
    bits = f.bitcast(scaled, "i32")
    root_half = splat("i32", 0x3F3504F3)
    exponent = f.op("ashr", f.op("sub", bits, root_half), splat("i32", 23))
    m = f.bitcast(f.op("sub", bits, f.op("shl", exponent, splat("i32", 23))), "float")
    s = f.op("fdiv", f.op("fsub", m, _constant(1.0)), f.op("fadd", m, _constant(1.0)))
    fraction = f.op("fmul", s, _polynomial(f, f.op("fmul", s, s), _LOG2))
    exponent = f.op("sub", exponent, f.select(tiny, splat("i32", 32), splat("i32", 0)))
    result = f.op("fadd", f.cast("sitofp", exponent, "float"), fraction)
    infinity = float("inf")
    result = f.select(f.compare("fcmp oeq", x, _constant(infinity)), x, result)
    result = f.select(f.compare("fcmp oeq", x, _constant(0.0)), _constant(-infinity), result)
    nan = f.bitcast(splat("i32", 0x7FFFFFFF), "float")
    return f.select(f.compare("fcmp oge", x, _constant(0.0)), result, nan)


def _quarter_turns(f: IrFunction, x: V) -> tuple[V, V]:
    """Returns (r, q): x is q + r quarter turns, modulo whole turns; q is an i32, r a float from -1/2 to 1/2.

    Reduces the angle as GPUs do: the number of turns is truncated to an f32, which loses most of the angle of a large
    x.
    """
    turns = f.op("fmul", f.cast("fpext", x, "double"), splat_float("double", _TURN))
    cut = f.op("and", f.bitcast(turns, "i64"), splat("i64", -1 << 29))
    turns = f.cast("fptrunc", f.bitcast(cut, "double"), "float")
    part = f.op("fsub", turns, f.map("llvm.rint", turns))
    quarters = f.op("fmul", part, _constant(4.0))
    moved = f.op("fadd", quarters, _constant(_ROUNDER))
    return f.op("fsub", quarters, f.op("fsub", moved, _constant(_ROUNDER))), f.bitcast(moved, "i32")


def _circular(f: IrFunction, x: V, first_quarter: int) -> V:
    r, q = _quarter_turns(f, x)
    q = f.op("add", q, splat("i32", first_quarter))
    square = f.op("fmul", r, r)
    sine = f.op("fmul", r, _polynomial(f, square, _SINE))
    cosine = f.op("fadd", f.op("fmul", square, _polynomial(f, square, _COSINE)), _constant(1.0))
    odd = f.cast("trunc", q, "i1")
    value = f.bitcast(f.select(odd, cosine, sine), "i32")
    sign = f.op("shl", f.op("and", q, splat("i32", 2)), splat("i32", 30))
    return f.bitcast(f.op("xor", value, sign), "float")


def _sine(f: IrFunction, x: V) -> V:
    size = f.map("llvm.fabs", x)
    sign = f.op("and", f.bitcast(x, "i32"), splat("i32", 1 << 31))
    value = f.op("xor", f.bitcast(_circular(f, size, 0), "i32"), sign)
    return f.select(f.compare("fcmp olt", size, _constant(2.0**-13)), x, f.bitcast(value, "float"))


def _cosine(f: IrFunction, x: V) -> V:
    return _circular(f, x, 1)


def _tanh(f: IrFunction, x: V) -> V:
    """Returns x (1 + x^2 p(x^2)) for |x| < 0.59375, else 1 - 2 / (e^2|x| + 1) with the sign of x."""
    size = f.map("llvm.fabs", x)
    square = f.op("fmul", x, x)
    factor = f.op("fadd", f.op("fmul", square, _polynomial(f, square, _TANH)), _constant(1.0))
    near = f.op("fmul", x, factor)
    power = approximate(f, "ex2", f.op("fmul", size, _constant(2.885390043258667)))
    quotient = f.op("fdiv", _constant(2.0), f.op("fadd", power, _constant(1.0)))
    far = f.map("llvm.copysign", f.op("fsub", _constant(1.0), quotient), x)
    return f.select(f.compare("fcmp olt", size, _constant(0.59375)), near, far)


_FUNCTIONS: dict[str, Callable[[IrFunction, V], V]] = {
    "ex2": _exp2,
    "lg2": _log2,
    "sin": _sine,
    "cos": _cosine,
    "tanh": _tanh,
}
