"""Arithmetic of 16-bit floats: one rounding, in the cases where two would show."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ..exact import REALS, arithmetic
from ..instructions.rows import same_bits
from ..operands import random_bits, typed
from .apply import Array, apply, bits


def halves(count: int, seed: int) -> Array:
    """Any finite f16, half of them with nearby exponents."""
    (values,) = typed(random_bits(("f16",), seed, count), ("f16",))
    return np.where(np.isfinite(values), values, np.float16(1.5)).astype("f2")


@pytest.mark.parametrize(
    ("opcode", "function"), [("add.f16", np.add), ("sub.f16", np.subtract), ("mul.f16", np.multiply)]
)
def test_f16_is_the_rounded_exact_result(opcode: str, function: np.ufunc) -> None:
    """Sums and products of f16 are exact in double precision."""
    a, b = halves(20_000, 1), halves(20_000, 2)
    with np.errstate(over="ignore"):
        wanted = function(a.astype("f8"), b.astype("f8")).astype("f2")
    np.testing.assert_array_equal(apply(opcode, ("f16", "f16"), "f16", a, b).view("u2"), wanted.view("u2"))


def midpoints(kind: str) -> list[tuple[int, int, int]]:
    """(a, b, c) where a * b lies between two numbers of the type, and c, however small, decides."""
    fraction, bias = (10, 15) if kind == "f16" else (7, 127)

    def encode(mantissa: int, exponent: int) -> int:
        """mantissa * 2^exponent, exactly."""
        top = mantissa.bit_length() - 1
        return (top + exponent + bias) << fraction | (mantissa << (fraction - top)) & ((1 << fraction) - 1)

    products = [
        (x, y)
        for x, y in itertools.product(range(3, 1 << (fraction + 1), 2), repeat=2)
        if x <= y and (x * y).bit_length() == fraction + 2
    ][::37]
    small = [sign << 15 | c for sign in (0, 1) for c in (0, 1, 1 << fraction)]
    return [(encode(x, -5), encode(y, 2), c) for x, y in products for c in small]


@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_fma_rounds_once(kind: str) -> None:
    rows = midpoints(kind) + random_bits((kind,) * 3, 3, 1500)
    operands = typed(rows, (kind,) * 3)
    wanted = arithmetic("fma", kind, ("rn",))(*operands if kind == "bf16" else (o.view("u2") for o in operands))
    got = apply(f"fma.rn.{kind}", (kind,) * 3, kind, *operands)
    assert same_bits(kind, got, wanted.astype("u2").view(got.dtype)).all()


def test_bf16_fma_does_not_overflow_on_the_way() -> None:
    """2^64 * 2^64 is no f32, but with -2^127 added it is a bf16."""
    a, b, c = (bits(v, "bf16") for v in (0x5F80, 0x5F80, 0xFF00))
    assert apply("fma.rn.bf16", ("bf16",) * 3, "bf16", a, b, c) == 0x7F00


@pytest.mark.parametrize("base", ["add", "mul"])
def test_bf16_rounds_once(base: str) -> None:
    rows = random_bits(("bf16", "bf16"), 5, 3000)
    operands = typed(rows, ("bf16", "bf16"))
    wanted = arithmetic(base, "bf16", ("rn",))(*operands).astype("u2")
    assert same_bits("bf16", apply(f"{base}.rn.bf16", ("bf16", "bf16"), "bf16", *operands), wanted).all()


@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_packed_numbers_do_not_touch_each_other(kind: str) -> None:
    rows = random_bits((kind,) * 3, 11, 2000)
    low, other = typed(rows, (kind,) * 3), typed(rows[::-1], (kind,) * 3)
    pairs = [a.view("u2") | b.view("u2").astype("u4") << 16 for a, b in zip(low, other, strict=True)]
    together = apply(f"fma.rn.relu.{kind}x2", (f"{kind}x2",) * 3, f"{kind}x2", *pairs)
    for operands, half in ((low, together & 0xFFFF), (other, together >> 16)):
        alone = apply(f"fma.rn.relu.{kind}", (kind,) * 3, kind, *operands)
        np.testing.assert_array_equal(half, alone.view("u2"))


ONE, MINUS_TWO, TINY, NAN, INFINITY = 0x3C00, 0xC000, 0x0001, 0x7E01, 0x7C00


@pytest.mark.parametrize(
    ("opcode", "a", "b", "wanted"),
    [
        ("add.ftz.f16", TINY, TINY, 0x0000),
        ("add.f16", TINY, TINY, 0x0002),
        ("add.sat.f16", ONE, ONE, ONE),
        ("add.sat.f16", MINUS_TWO, ONE, 0x0000),
        ("add.sat.f16", NAN, ONE, 0x0000),
        ("sub.f16", INFINITY, INFINITY, 0x7FFF),
        ("mul.ftz.f16", 0x8001, 0x7BFF, 0x8000),
        ("min.f16", 0x0000, 0x8000, 0x8000),
        ("max.f16", 0x8000, 0x0000, 0x0000),
        ("max.f16", NAN, MINUS_TWO, MINUS_TWO),
        ("max.NaN.f16", NAN, MINUS_TWO, 0x7FFF),
        ("max.f16", NAN, NAN, 0x7FFF),
        ("min.xorsign.abs.f16", ONE, MINUS_TWO, 0xBC00),
        ("max.NaN.xorsign.abs.f16", MINUS_TWO, MINUS_TWO, 0x4000),
        ("min.ftz.f16", TINY, 0x8001, 0x8000),
        ("set.lt.ftz.f16.f16", 0x8000, TINY, 0x0000),
    ],
)
def test_special_numbers(opcode: str, a: int, b: int, wanted: int) -> None:
    got = apply(opcode, ("f16", "f16"), "f16", bits(a, "f16"), bits(b, "f16"))
    assert hex(got.view("u2")[0]) == hex(wanted)


@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_signs_and_the_one_nan(kind: str) -> None:
    """All patterns; a NaN becomes the canonical one, as on GPUs."""
    everything = np.arange(1 << 16, dtype="u2")
    nan = (everything & 0x7FFF) > REALS[kind].infinity
    given = bits(everything, kind)
    negated = apply(f"neg.{kind}", (kind,), kind, given).view("u2")
    np.testing.assert_array_equal(negated, np.where(nan, 0x7FFF, everything ^ 0x8000))
    size = apply(f"abs.{kind}", (kind,), kind, given).view("u2")
    np.testing.assert_array_equal(size, np.where(nan, 0x7FFF, everything & 0x7FFF))
