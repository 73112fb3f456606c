"""Floats narrower than 32 bits in IR: widening them to float, and rounding float and double to them.

This is integer arithmetic, because LLVM turns its own 16-bit conversions into library calls on processors without them,
and no processor has them all. A narrow float is carried in the low bits of an i32.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator.native.ir import IrFunction, V, splat, splat_float


@dataclass(frozen=True)
class Format:
    """A format of one sign bit, `exponent` bits and `fraction` bits.

    `infinity`, `largest` and `nan` are bit patterns without sign; `infinity` is None if the format has none.
    """

    name: str
    exponent: int
    fraction: int
    infinity: int | None
    largest: int
    nan: int

    @property
    def bias(self) -> int:
        return (1 << (self.exponent - 1)) - 1

    @property
    def sign(self) -> int:
        return 1 << (self.exponent + self.fraction)

    @property
    def smallest_normal(self) -> int:
        return 1 << self.fraction

    @property
    def one(self) -> int:
        return self.bias << self.fraction

    @property
    def drop(self) -> int:
        """The number of fraction bits that an f32 has in addition."""
        return 23 - self.fraction

    @property
    def rebias(self) -> int:
        """What to subtract from an f32's bits to give its exponent this format's bias."""
        return (127 - self.bias) << 23


F16 = Format("f16", 5, 10, 0x7C00, 0x7BFF, 0x7FFF)
BF16 = Format("bf16", 8, 7, 0x7F80, 0x7F7F, 0x7FFF)
TF32 = Format("tf32", 8, 10, 0x3FC00, 0x3FBFF, 0x3FFFF)
E4M3 = Format("e4m3", 4, 3, None, 0x7E, 0x7F)
E5M2 = Format("e5m2", 5, 2, 0x7C, 0x7B, 0x7F)

F32_MAGNITUDE = 0x7FFFFFFF
F32_INFINITY = 0x7F800000


def widen(f: IrFunction, bits: V, form: Format) -> V:
    """Returns the value as float lanes, exactly; `bits` are i32 lanes with nothing above the format's width."""
    sign = f.op("shl", f.op("and", bits, splat("i32", form.sign)), splat("i32", 31 - form.exponent - form.fraction))
    magnitude = f.op("shl", f.op("and", bits, splat("i32", form.sign - 1)), splat("i32", form.drop))
    result = magnitude
    if form.rebias:
        # Read as an f32, the bits are the value times a power of two, subnormals included.
        scale = splat_float("float", 2.0 ** (127 - form.bias))
        result = f.bitcast(f.op("fmul", f.bitcast(magnitude, "float"), scale), "i32")
        first_special = form.nan if form.infinity is None else form.infinity
        special = f.compare("icmp uge", magnitude, splat("i32", first_special << form.drop))
        result = f.select(special, f.op("or", magnitude, splat("i32", F32_INFINITY)), result)
    return f.bitcast(f.op("or", result, sign), "float")


def narrow(f: IrFunction, value: V, form: Format, mode: str = "rn", finite: bool = False) -> V:
    """Rounds float lanes to the format by mode rn, rna, rz, rm or rp; NaN becomes the canonical one.

    With `finite`, and in a format without infinity, values that are too large become the largest number.
    """
    bits = f.bitcast(value, "i32")
    magnitude = f.op("and", bits, splat("i32", F32_MAGNITUDE))
    negative = f.compare("icmp slt", bits, splat("i32", 0))
    result = _nearest(f, magnitude, form, away=mode == "rna")
    top = form.largest if form.infinity is None else form.infinity
    result = f.map("llvm.umin", result, splat("i32", top))
    if mode in ("rz", "rm", "rp"):
        result = _directed(f, result, magnitude, negative, form, mode)
    if finite:
        result = f.map("llvm.umin", result, splat("i32", form.largest))
    result = f.select(negative, f.op("or", result, splat("i32", form.sign)), result)
    return f.select(f.compare("fcmp uno", value, value), splat("i32", form.nan), result)


def _nearest(f: IrFunction, magnitude: V, form: Format, away: bool) -> V:
    """Rounds a magnitude's bits to the nearest number of the format, as if exponents had no upper limit."""
    half = splat("i32", 1 << (form.drop - 1))
    if away:
        bias = half
    else:
        odd = f.op("and", f.op("lshr", magnitude, splat("i32", form.drop)), splat("i32", 1))
        bias = f.op("add", odd, splat("i32", (1 << (form.drop - 1)) - 1))
    rebased = f.op("sub", magnitude, splat("i32", form.rebias)) if form.rebias else magnitude
    normal = f.op("lshr", f.op("add", rebased, bias), splat("i32", form.drop))
    if not form.rebias:
        return normal
    # Added to a power of two whose last place is the format's smallest subnormal, an f32 rounds where the format does.
    anchor = (151 - form.bias - form.fraction) << 23
    moved = f.op("fadd", f.bitcast(magnitude, "float"), f.bitcast(splat("i32", anchor), "float"))
    subnormal = f.op("sub", f.bitcast(moved, "i32"), splat("i32", anchor))
    tiny = f.compare("icmp ult", magnitude, splat("i32", (128 - form.bias) << 23))
    return f.select(tiny, subnormal, normal)


def _directed(f: IrFunction, nearest: V, magnitude: V, negative: V, form: Format, mode: str) -> V:
    """Moves the nearest magnitude by one unit in the last place if it lies on the wrong side."""
    exact = f.bitcast(magnitude, "float")
    back = widen(f, nearest, form)
    down = f.cast("sext", f.compare("fcmp ogt", back, exact), "i32")
    if mode == "rz":
        return f.op("add", nearest, down)
    up = f.cast("zext", f.compare("fcmp olt", back, exact), "i32")
    step = f.select(negative, up, down) if mode == "rm" else f.select(negative, down, up)
    return f.op("add", nearest, step)


def round_to_odd(f: IrFunction, value: V) -> V:
    """Rounds double lanes to float; an inexact result is the neighbour whose last bit is 1.

    Rounding that once more, to at most 22 bits and in any mode, gives what rounding the double itself would (Boldo and
    Melquiond, "When double rounding is odd").
    """
    near = f.cast("fptrunc", value, "float")
    back = f.cast("fpext", near, "double")
    above = f.compare("fcmp ogt", f.map("llvm.fabs", back), f.map("llvm.fabs", value))
    inexact = f.cast("zext", f.compare("fcmp one", back, value), "i32")
    bits = f.op("add", f.bitcast(near, "i32"), f.cast("sext", above, "i32"))
    return f.bitcast(f.op("or", bits, inexact), "float")


def narrow_double(f: IrFunction, value: V, form: Format, mode: str = "rn", finite: bool = False) -> V:
    """Rounds double lanes to the format, once. `mode` and `finite` are those of `narrow`."""
    return narrow(f, round_to_odd(f, value), form, mode, finite)


def add_to_odd(f: IrFunction, a: V, b: V) -> V:
    """Returns a + b, rounded to odd in its own type.

    Knuth's TwoSum gives the error of the sum, and so the direction in which it was rounded.
    """
    total = f.op("fadd", a, b)
    part = f.op("fsub", total, a)
    error = f.op("fadd", f.op("fsub", a, f.op("fsub", total, part)), f.op("fsub", b, part))
    t = "i32" if a.t == "float" else "i64"
    bits = f.bitcast(total, t)
    zero = splat_float(a.t, 0.0)
    inexact = f.compare("fcmp one", error, zero)
    even = f.compare("icmp eq", f.op("and", bits, splat(t, 1)), splat(t, 0))
    # Away from zero if the error has the sum's sign, else towards it.
    same_sign = f.compare("icmp sge", f.op("xor", bits, f.bitcast(error, t)), splat(t, 0))
    moved = f.op("add", bits, f.select(same_sign, splat(t, 1), splat(t, -1)))
    return f.bitcast(f.select(f.op("and", inexact, even), moved, bits), a.t)
