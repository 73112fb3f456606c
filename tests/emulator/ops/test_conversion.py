"""`cvt`: exact widening, one rounding, saturation, and what fills a register wider than the result."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from grader.run.emulator import UnsupportedPtx

from ..exact import REALS
from .apply import Array, apply, bits

MODES = ("rn", "rz", "rm", "rp")


def test_every_f16_widens_exactly() -> None:
    everything = bits(np.arange(1 << 16), "f16")
    np.testing.assert_array_equal(apply("cvt.f32.f16", ("f16",), "f32", everything), everything.astype("f4"))


def test_every_bf16_widens_exactly() -> None:
    everything = np.arange(1 << 16, dtype="u2")
    wanted = (everything.astype("u4") << 16).view("f4")
    np.testing.assert_array_equal(apply("cvt.f32.bf16", ("bf16",), "f32", everything), wanted)


def between_neighbours(kind: str, wide: type) -> tuple[Array, list[Fraction]]:
    """Numbers at, halfway to, and just off halfway to the next number of a 16-bit type, of both signs."""
    real = REALS[kind]
    picks = [*range(0, real.infinity - 1, 211), 0, 1, 2, real.infinity - 1]
    values: list[Any] = []
    for pattern in picks:
        exact = real.exact(pattern), real.exact(pattern + 1)
        with np.errstate(over="ignore"):
            low, middle, high = wide(exact[0]), wide(sum(exact) / 2), wide(exact[1])
        near = [np.nextafter(wide(v), wide(to)) for v in (low, middle, high) for to in (-math.inf, math.inf)]
        values += [low, middle, high, *near]
    array: Array = np.array([*values, *(-v for v in values)], wide)
    array = array[np.isfinite(array)]
    return array, [Fraction(float(v)) for v in array]


@pytest.mark.parametrize("kind", ["f16", "bf16"])
@pytest.mark.parametrize("source", ["f32", "f64"])
@pytest.mark.parametrize("mode", MODES)
def test_narrowing_rounds_once(kind: str, source: str, mode: str) -> None:
    values, exact = between_neighbours(kind, np.float32 if source == "f32" else np.float64)
    wanted = [REALS[kind].rounded(r, mode, zero=float(v)) for r, v in zip(exact, values, strict=True)]
    got = apply(f"cvt.{mode}.{kind}.{source}", (source,), kind, values).view("u2")
    np.testing.assert_array_equal(got, np.array(wanted, "u2"))


@pytest.mark.parametrize("kind", ["f16", "bf16"])
@pytest.mark.parametrize("source", ["u64", "s64", "s32"])
def test_integers_become_halves_in_one_rounding(kind: str, source: str) -> None:
    numbers = [0, 1, 255, 257, 2049, 2051, 65519, 65520, 2**31 - 1]
    if source != "s32":
        # Halfway between two bf16, and one more, which a double of 53 bits would lose.
        numbers += [2**62 + 2**54, 2**62 + 2**54 + 1, 2**62 + 3 * 2**54 - 1, 2**63 - 1, 2**53 + 1]
    numbers += [2**63 + 2**55 + 1, 2**64 - 1] if source == "u64" else [-n for n in numbers]
    given = np.array(numbers, f"{'u' if source[0] == 'u' else 'i'}{int(source[1:]) // 8}")
    for mode in MODES:
        wanted = [REALS[kind].rounded(Fraction(n), mode) for n in numbers]
        got = apply(f"cvt.{mode}.{kind}.{source}", (source,), kind, given).view("u2")
        assert got.tolist() == wanted


def test_an_unsigned_zero_rounded_down_is_not_negative() -> None:
    got = apply("cvt.rm.f32.u32", ("u32",), "f32", np.array([0, 2**32 - 1], "u4"))
    assert got.view("u4").tolist() == [0, 0x4F7FFFFF]


@pytest.mark.parametrize(
    ("opcode", "given", "wanted"),
    [
        ("cvt.rn.relu.f16.f32", -1.5, 0),
        ("cvt.rn.relu.bf16.f32", math.nan, 0x7FFF),
        ("cvt.rn.satfinite.f16.f32", 1e9, 0x7BFF),
        ("cvt.rn.sat.f16.f32", 7.0, 0x3C00),
        ("cvt.rn.sat.f16.f32", math.nan, 0),
        ("cvt.rn.ftz.f16.f32", 1e-40, 0),
        ("cvt.rp.f16.f32", 1e-40, 1),
    ],
)
def test_half_modifiers(opcode: str, given: float, wanted: int) -> None:
    kind = "bf16" if "bf16" in opcode else "f16"
    got = apply(opcode, ("f32",), kind, np.array([given], "f4"))
    assert hex(got.view("u2")[0]) == hex(wanted)


def test_two_floats_in_one_register() -> None:
    a, b = np.array([1.0, -np.inf], "f4"), np.array([-2.0, np.nan], "f4")
    halves = apply("cvt.rn.f16x2.f32", ("f32", "f32"), "f16x2", a, b)
    assert [hex(v) for v in halves] == ["0x3c00c000", "0xfc007fff"]
    brains = apply("cvt.rz.relu.bf16x2.f32", ("f32", "f32"), "bf16x2", a, b)
    assert [hex(v) for v in brains] == ["0x3f800000", "0x7fff"]


def test_tf32_keeps_ten_bits_and_rounds_ties_away() -> None:
    given = bits([0x3F801000, 0x3F800FFF, 0xBF803000, 0x7F7FFFFF, 0x00000FFF], "f32")
    got = apply("cvt.rna.tf32.f32", ("f32",), "b32", given)
    assert [hex(v) for v in got] == ["0x3f802000", "0x3f800000", "0xbf804000", "0x7f800000", "0x0"]


def small_float(pattern: int, exponent: int, fraction: int) -> float:
    """The value of an 8-bit float, by the formula of its definition."""
    bias = (1 << (exponent - 1)) - 1
    sign = -1 if pattern >> 7 else 1
    power, rest = (pattern & 0x7F) >> fraction, pattern & ((1 << fraction) - 1)
    if exponent == 5 and power == 31:
        return math.nan if rest else sign * math.inf
    if exponent == 4 and pattern & 0x7F == 0x7F:
        return math.nan
    size = math.ldexp(rest, 1 - bias - fraction) if power == 0 else math.ldexp(1 + rest / (1 << fraction), power - bias)
    return sign * size


EIGHT_BITS = [("e4m3x2", 4, 3, 448.0), ("e5m2x2", 5, 2, 57344.0)]


@pytest.mark.parametrize(("kind", "exponent", "fraction", "largest"), EIGHT_BITS)
def test_eight_bit_floats(kind: str, exponent: int, fraction: int, largest: float) -> None:
    patterns = np.arange(256, dtype="u2")
    values = np.array([small_float(p, exponent, fraction) for p in range(256)], "f2")
    pairs = patterns | patterns[::-1] << 8
    widened = apply(f"cvt.rn.f16x2.{kind}", ("b16",), "f16x2", pairs).view("f2").reshape(-1, 2)
    np.testing.assert_array_equal(widened[:, 0], values)
    np.testing.assert_array_equal(widened[:, 1], values[::-1])
    # Numbers between neighbours go to the nearer one, and at the same distance to the even one.
    low = values[: patterns[values == np.float16(largest)][0]].astype("f4")
    high = values[1 : len(low) + 1].astype("f4")
    for share, chosen in ((0.25, patterns[: len(low)]), (0.75, patterns[1 : len(low) + 1])):
        between = low + (high - low) * np.float32(share)
        np.testing.assert_array_equal(narrowed(kind, between), chosen)
    even = patterns[: len(low)] + patterns[: len(low)] % 2
    np.testing.assert_array_equal(narrowed(kind, (low + high) / 2), even)
    extremes = narrowed(kind, np.array([1e9, -np.inf, np.nan], "f4"))
    top = (1 << 7) - 2 if exponent == 4 else (1 << 7) - 5
    assert extremes.tolist() == [top, top | 0x80, 0x7F]


def narrowed(kind: str, values: Array) -> Array:
    zeros = np.zeros(len(values), "f4")
    return apply(f"cvt.rn.satfinite.{kind}.f32", ("f32", "f32"), "b16", zeros, values)


@pytest.mark.parametrize(
    ("opcode", "given", "wanted"),
    [
        ("cvt.s8.s32", 0x1FF, 0xFFFFFFFF),
        ("cvt.u8.s32", 0x1FF, 0xFF),
        ("cvt.sat.s16.s32", 0x80000000, 0xFFFF8000),
        ("cvt.sat.u16.s32", 0x80000000, 0),
        ("cvt.sat.u8.s32", 0x7FFFFFFF, 0xFF),
    ],
)
def test_narrow_results_fill_a_wider_register(opcode: str, given: int, wanted: int) -> None:
    got = apply(opcode, ("s32",), "b32", bits(given, "s32"))
    assert hex(got[0]) == hex(wanted)


def test_floats_become_narrow_integers_in_wide_registers() -> None:
    given = np.array([-1.5, 300.0, -300.0, np.nan], "f4")
    got = apply("cvt.rni.s8.f32", ("f32",), "b32", given)
    assert [hex(v) for v in got] == ["0xfffffffe", "0x7f", "0xffffff80", "0x0"]


def test_packing_saturates() -> None:
    a, b, c = (bits([v], k) for v, k in ((300, "s32"), (0xFFFFFFFF, "s32"), (0xABCD1234, "b32")))
    assert hex(apply("cvt.pack.sat.u8.s32.b32", ("s32", "s32", "b32"), "b32", a, b, c)[0]) == "0x1234ff00"
    assert hex(apply("cvt.pack.sat.s16.s32", ("s32", "s32"), "b32", a, b)[0]) == "0x12cffff"


@pytest.mark.parametrize("opcode", ["cvt.rs.f16x2.f32", "cvt.rn.satfinite.e2m1x2.f32", "cvt.pack.sat.u8.u32"])
def test_other_forms_are_refused_by_name(opcode: str) -> None:
    operands = np.zeros(1, "f4"), np.zeros(1, "f4")
    with pytest.raises(UnsupportedPtx, match=opcode.replace(".", r"\.")):
        apply(opcode, ("f32", "f32"), "b32", *operands)
