"""Conversions between and within integers and floats, with rounding, saturation and flushing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from ..exact import NAN, REALS, Array, each, flushed
from ..ptx_gen import WIDTH
from .rows import MODES, Reference, Table, bits_of, bitwise, clamped, dtype, low_high

ROWS = Table()
row = ROWS.row

SMALL = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
for source, to in itertools.permutations(SMALL, 2):
    row(f"cvt.{to}.{source}", (source,), to, lambda a, to=to: a.astype(dtype(to)))
    (low, high), (lowest, highest) = low_high(to), low_high(source)
    if lowest < low or high < highest:
        row(f"cvt.sat.{to}.{source}", (source,), to, each(lambda a, to=to: clamped(to, a)))


def to_integer(source: str, to: str, mode: str, ftz: bool) -> Reference:
    roundings: dict[str, Callable[[float], int]] = {
        "rni": round,
        "rzi": math.trunc,
        "rmi": math.floor,
        "rpi": math.ceil,
    }
    rounding = roundings[mode]

    def one(x: float) -> int:
        if math.isnan(x):
            return 1 << (bits_of(to) - 1) if source == "f64" or bits_of(to) == 64 else 0
        if math.isinf(x):
            return low_high(to)[x > 0]
        if ftz and abs(x) < 2.0**-126:
            return 0
        return clamped(to, rounding(x))

    return each(one)


for source, to, mode in itertools.product(("f32", "f64", "f16"), SMALL, ("rni", "rzi", "rmi", "rpi")):
    row(f"cvt.{mode}.{to}.{source}", (source,), to, to_integer(source, to, mode, False))
row("cvt.rpi.ftz.s32.f32", ("f32",), "s32", to_integer("f32", "s32", "rpi", True))


def from_integer(to: str, mode: str) -> Reference:
    def apply(a: Array) -> Array:
        values = [REALS[to].rounded(Fraction(n), mode) for n in a.tolist()]
        return np.array(values, f"u{WIDTH[to]}").view(dtype(to))

    return apply


for source, to, mode in itertools.product(("u8", "s16", "u32", "s32", "u64", "s64"), ("f32", "f64", "f16"), MODES):
    row(f"cvt.{mode}.{to}.{source}", (source,), to, from_integer(to, mode))


def between(source: str, to: str, mode: str, suffixes: tuple[str, ...] = ()) -> Reference:
    r, s = REALS[to], REALS[source]

    def one(bits: int) -> int:
        if "ftz" in suffixes and source == "f32":
            bits = flushed(s, bits)
        x = s.value(bits)
        if math.isnan(x):
            result = NAN[to]
        elif math.isinf(x):
            result = r.infinity | (r.sign if x < 0 else 0)
        else:
            result = r.rounded(Fraction(x), mode, zero=x)
        if "ftz" in suffixes and to == "f32":
            result = flushed(r, result)
        y = r.value(result)
        if "sat" in suffixes:
            return 0 if math.isnan(y) or result & r.sign else min(result, r.rounded(Fraction(1)))
        if "relu" in suffixes and not math.isnan(y) and result & r.sign:
            return 0
        return result

    return bitwise(each(one), to)


def packed(half: Reference) -> Reference:
    """Both operands converted; the first goes to the upper half."""
    return lambda a, b: half(b).view("u2") | half(a).view("u2").astype("u4") << 16


for mode in MODES:
    row(f"cvt.{mode}.f32.f64", ("f64",), "f32", between("f64", "f32", mode))
    row(f"cvt.{mode}.f16.f64", ("f64",), "f16", between("f64", "f16", mode))
    row(f"cvt.{mode}.f16.f32", ("f32",), "f16", between("f32", "f16", mode))
for mode in ("rn", "rz"):
    row(f"cvt.{mode}.bf16.f32", ("f32",), "bf16", between("f32", "bf16", mode))
    row(f"cvt.{mode}.relu.f16.f32", ("f32",), "f16", between("f32", "f16", mode, ("relu",)))
    for half in ("f16", "bf16"):
        row(f"cvt.{mode}.{half}x2.f32", ("f32", "f32"), f"{half}x2", packed(between("f32", half, mode)))
row("cvt.rn.ftz.f16.f32", ("f32",), "f16", between("f32", "f16", "rn", ("ftz",)))
row("cvt.rn.ftz.f32.f64", ("f64",), "f32", between("f64", "f32", "rn", ("ftz",)))
row("cvt.rn.sat.f16.f32", ("f32",), "f16", between("f32", "f16", "rn", ("sat",)))
row("cvt.rn.sat.f32.f64", ("f64",), "f32", between("f64", "f32", "rn", ("sat",)))
row("cvt.sat.f32.f32", ("f32",), "f32", between("f32", "f32", "rn", ("sat",)))
row("cvt.ftz.f32.f32", ("f32",), "f32", between("f32", "f32", "rn", ("ftz",)))
row("cvt.f64.f32", ("f32",), "f64", between("f32", "f64", "rn"))
row("cvt.ftz.f64.f32", ("f32",), "f64", between("f32", "f64", "rn", ("ftz",)))
row("cvt.f32.f16", ("f16",), "f32", between("f16", "f32", "rn"))
row("cvt.f64.f16", ("f16",), "f64", between("f16", "f64", "rn"))
row("cvt.f32.bf16", ("bf16",), "f32", between("bf16", "f32", "rn"))
for mode, function in {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}.items():
    for k in ("f32", "f64", "f16"):
        row(f"cvt.{mode}.{k}.{k}", (k,), k, function)
