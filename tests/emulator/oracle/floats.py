"""Exact IEEE 754 arithmetic on bit patterns, for the yardstick that the emulator is compared with.

A finite value is an integer times a power of two, so every operation is exact until its one rounding.
It does not know instructions; `scalar.py` maps those onto the functions here.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Format:
    """A binary floating-point format: `precision` counts the hidden bit, `emax` is the largest exponent."""

    name: str
    bits: int
    precision: int
    emax: int

    @property
    def emin(self) -> int:
        return 1 - self.emax

    @property
    def fraction_bits(self) -> int:
        return self.precision - 1

    @property
    def sign_bit(self) -> int:
        return 1 << (self.bits - 1)

    @property
    def infinity(self) -> int:
        return (2 * self.emax + 1) << self.fraction_bits

    @property
    def largest(self) -> int:
        return self.infinity - 1

    @property
    def nan(self) -> int:
        return self.sign_bit - 1

    @property
    def one(self) -> int:
        return self.emax << self.fraction_bits


F16 = Format("f16", 16, 11, 15)
BF16 = Format("bf16", 16, 8, 127)
F32 = Format("f32", 32, 24, 127)
F64 = Format("f64", 64, 53, 1023)
FORMATS = {f.name: f for f in (F16, BF16, F32, F64)}


class Value(NamedTuple):
    """(-1)^sign * m * 2^e, unless `kind` is "inf" or "nan"."""

    kind: str
    sign: int
    m: int = 0
    e: int = 0

    @property
    def is_zero(self) -> bool:
        return self.kind == "finite" and self.m == 0

    @property
    def signed(self) -> int:
        return -self.m if self.sign else self.m


NAN = Value("nan", 0)


def decode(bits: int, f: Format) -> Value:
    bits &= (1 << f.bits) - 1
    sign = bits >> (f.bits - 1)
    exponent = (bits >> f.fraction_bits) & (2 * f.emax + 1)
    fraction = bits & ((1 << f.fraction_bits) - 1)
    if exponent == 2 * f.emax + 1:
        return Value("nan", sign) if fraction else Value("inf", sign)
    if exponent == 0:
        return Value("finite", sign, fraction, f.emin - f.fraction_bits)
    return Value("finite", sign, fraction | (1 << f.fraction_bits), exponent - f.emax - f.fraction_bits)


def flush(bits: int, f: Format) -> int:
    """A subnormal becomes a zero of its sign: `.ftz`."""
    magnitude = bits & (f.sign_bit - 1)
    return bits & f.sign_bit if magnitude < (1 << f.fraction_bits) else bits


def round_up(mode: str, sign: int, odd: bool, rest: int, half: int, sticky: bool) -> bool:
    """Whether a magnitude with `rest` of 2 * `half` left over goes to the next larger one."""
    if mode == "rn":
        return rest > half or (rest == half and (sticky or odd))
    if mode == "rna":
        return rest >= half
    inexact = rest > 0 or sticky
    return inexact and ((mode == "rp" and not sign) or (mode == "rm" and bool(sign)))


def encode(v: Value, f: Format, mode: str = "rn", sticky: bool = False) -> int:
    """The bits of `v` rounded to the format; `sticky` says that the true magnitude is a little larger."""
    if v.kind == "nan":
        return f.nan
    sign = f.sign_bit if v.sign else 0
    if v.kind == "inf":
        return sign | f.infinity
    m, e = v.m, v.e
    if m == 0:
        return sign
    lowest = f.emin - f.fraction_bits
    drop = max(m.bit_length() - f.precision, lowest - e)
    if drop > 0:
        kept, rest, half = m >> drop, m & ((1 << drop) - 1), 1 << (drop - 1)
        kept += round_up(mode, v.sign, bool(kept & 1), rest, half, sticky)
    else:
        kept = m << -drop
    e += drop
    if kept.bit_length() > f.precision:
        kept, e = kept >> 1, e + 1
    if kept.bit_length() == f.precision and e + f.fraction_bits > f.emax:
        away = mode in ("rn", "rna") or (mode == "rp" and not v.sign) or (mode == "rm" and v.sign)
        return sign | (f.infinity if away else f.largest)
    if kept.bit_length() < f.precision:
        return sign | kept
    return sign | ((e + f.fraction_bits + f.emax) << f.fraction_bits) | (kept & ((1 << f.fraction_bits) - 1))


def from_python(x: float) -> Value:
    return decode(int.from_bytes(struct.pack("<d", x), "little"), F64)


def to_python(v: Value) -> float:
    """The nearest double."""
    return float(struct.unpack("<d", encode(v, F64).to_bytes(8, "little"))[0])


def from_integer(n: int) -> Value:
    return Value("finite", int(n < 0), abs(n), 0)


def _sum(terms: list[Value], mode: str) -> Value:
    """The exact sum of finite values; an exact zero is -0 when all terms are, or when rounding down."""
    e = min(t.e for t in terms)
    total = sum(t.signed << (t.e - e) for t in terms)
    if total:
        return Value("finite", int(total < 0), abs(total), e)
    signs = {t.sign for t in terms}
    if len(signs) == 1 and all(t.m == 0 for t in terms):
        return Value("finite", signs.pop(), 0, 0)
    return Value("finite", int(mode == "rm"), 0, 0)


def add(a: Value, b: Value, mode: str = "rn") -> Value:
    if "nan" in (a.kind, b.kind):
        return NAN
    if a.kind == "inf":
        return NAN if b.kind == "inf" and a.sign != b.sign else a
    return b if b.kind == "inf" else _sum([a, b], mode)


def negate(a: Value) -> Value:
    return a._replace(sign=1 - a.sign)


def multiply(a: Value, b: Value) -> Value:
    if "nan" in (a.kind, b.kind):
        return NAN
    sign = a.sign ^ b.sign
    if "inf" in (a.kind, b.kind):
        return NAN if a.is_zero or b.is_zero else Value("inf", sign)
    return Value("finite", sign, a.m * b.m, a.e + b.e)


def fma(a: Value, b: Value, c: Value, mode: str = "rn") -> Value:
    return add(multiply(a, b), c, mode)


def divide(a: Value, b: Value, f: Format, mode: str = "rn") -> int:
    """Bits of a / b, correctly rounded."""
    if "nan" in (a.kind, b.kind) or (a.kind == b.kind == "inf") or (a.is_zero and b.is_zero):
        return f.nan
    sign = a.sign ^ b.sign
    if a.kind == "inf" or b.is_zero:
        return encode(Value("inf", sign), f)
    if b.kind == "inf" or a.is_zero:
        return encode(Value("finite", sign), f)
    shift = max(0, f.precision + 3 + b.m.bit_length() - a.m.bit_length())
    quotient, remainder = divmod(a.m << shift, b.m)
    # One more bit for the remainder: it is below every bit that rounding looks at.
    return encode(Value("finite", sign, quotient * 2 + (remainder > 0), a.e - b.e - shift - 1), f, mode)


def square_root(a: Value, f: Format, mode: str = "rn") -> int:
    """Bits of the square root, correctly rounded; a zero keeps its sign."""
    if a.kind == "nan" or (a.sign and not a.is_zero):
        return f.nan
    if a.kind == "inf" or a.is_zero:
        return encode(a, f)
    shift = 2 * (f.precision + 3) + (a.e & 1)
    root = math.isqrt(a.m << shift)
    exact = root * root == a.m << shift
    return encode(Value("finite", 0, root * 2 + (not exact), (a.e - shift) // 2 - 1), f, mode)


def to_integer(a: Value, mode: str) -> int:
    """The integer that the mode rounds a finite value to."""
    if a.e >= 0:
        return a.signed << a.e
    kept, rest, half = a.m >> -a.e, a.m & ((1 << -a.e) - 1), 1 << (-a.e - 1)
    kept += round_up(mode, a.sign, bool(kept & 1), rest, half, False)
    return -kept if a.sign else kept


def compare(a: Value, b: Value) -> int | None:
    """-1, 0 or 1, or None where one of them is not a number."""
    if "nan" in (a.kind, b.kind):
        return None

    def key(v: Value) -> tuple[int, int, int]:
        if v.kind == "inf":
            return (-1 if v.sign else 1, 0, 0)
        return (0, v.signed, v.e)

    (ka, ma, ea), (kb, mb, eb) = key(a), key(b)
    if ka or kb:
        return (ka > kb) - (ka < kb)
    e = min(ea, eb)
    x, y = ma << (ea - e), mb << (eb - e)
    return (x > y) - (x < y)
