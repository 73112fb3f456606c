"""Reference arithmetic for the instruction table: exact rationals, rounded by looking at the two neighbours.

It uses NumPy's formats and Python's fractions only, not the oracle's arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Real:
    """A floating-point type of PTX: its bits as NumPy stores them, and the values of these bits."""

    name: str
    storage: str
    emax: int

    @cached_property
    def infinity(self) -> int:
        return {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F80_0000, "f64": 0x7FF0_0000_0000_0000}[self.name]

    @property
    def sign(self) -> int:
        return 1 << (8 * int(self.storage[1]) - 1)

    def value(self, bits: int) -> float:
        if self.name == "bf16":
            return float(np.array([bits << 16], "u4").view("f4")[0])
        return float(np.array([bits], self.storage).view(f"f{self.storage[1]}")[0])

    @lru_cache(maxsize=1 << 16)  # noqa: B019
    def exact(self, bits: int) -> Fraction:
        """Its value; infinity counts as the power of two after the largest number."""
        return Fraction(2) ** (self.emax + 1) if bits == self.infinity else Fraction(self.value(bits))

    def guess(self, x: float) -> int:
        """NumPy's conversion of a positive number: off by one at most, which saves most of the search."""
        with np.errstate(all="ignore"):
            if self.name == "bf16":
                return int(np.array([x]).astype("f4").view("u4")[0]) >> 16
            return int(np.array([x]).astype(f"f{self.storage[1]}").view(self.storage)[0])

    def around(self, goal: Fraction, near: float, function: Callable[[Fraction], Fraction]) -> tuple[int, int]:
        """The neighbouring bits between whose values the rising function passes the goal, by bisection.

        Bits of positive floats are in the order of their values.
        """
        guess = self.guess(near)
        low, high = max(guess - 2, 0), min(guess + 2, self.infinity)
        if not function(self.exact(low)) <= goal < function(self.exact(high)):
            low, high = 0, self.infinity
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if function(self.exact(middle)) <= goal else (low, middle)
        return low, high

    def rounded(self, r: Fraction, mode: str = "rn", zero: float = 0.0) -> int:
        """Bits of the rational in this type; an exact zero takes the sign of `zero`."""
        if r == 0:
            return self.sign if math.copysign(1, zero) < 0 else 0
        magnitude = abs(r)
        near = float(magnitude) if magnitude < Fraction(2) ** 1023 else math.inf
        low, high = self.around(magnitude, near, lambda x: x)
        below, above = magnitude - self.exact(low), self.exact(high) - magnitude
        if below == 0:
            chosen = low
        elif mode == "rn":
            chosen = low if below < above or (below == above and low % 2 == 0) else high
        else:
            chosen = high if mode == ("rp" if r > 0 else "rm") else low
        return chosen | (self.sign if r < 0 else 0)


REALS = {"f16": Real("f16", "u2", 15), "bf16": Real("bf16", "u2", 127), "f32": Real("f32", "u4", 127),
         "f64": Real("f64", "u8", 1023)}  # fmt: skip
NAN = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFF_FFFF, "f64": 0x7FFF_FFFF_FFFF_FFFF}


def flushed(real: Real, bits: int) -> int:
    tiny = {"f32": 1 << 23, "f64": 1 << 52, "f16": 1 << 10, "bf16": 1 << 7}[real.name]
    return bits & real.sign if bits & (real.sign - 1) < tiny else bits


def finished(real: Real, bits: int, suffixes: tuple[str, ...]) -> int:
    if "ftz" in suffixes:
        bits = flushed(real, bits)
    x = real.value(bits)
    if "sat" in suffixes:
        return 0 if math.isnan(x) or bits & real.sign else min(bits, real.rounded(Fraction(1)))
    if "relu" in suffixes and not math.isnan(x) and bits & real.sign:
        return 0
    return bits


def rational(base: str, x: list[float]) -> Fraction | None:
    f = [Fraction(v) for v in x]
    if base in ("add", "sub", "mul"):
        return f[0] + f[1] if base == "add" else f[0] - f[1] if base == "sub" else f[0] * f[1]
    if base == "fma":
        return f[0] * f[1] + f[2]
    return f[0] / f[1] if base == "div" else 1 / f[0] if base == "rcp" else None


def ieee(base: str, x: list[float]) -> float:
    """What IEEE 754 says where zeros, infinities or NaN decide the result: magnitudes of numbers do not count."""
    with np.errstate(all="ignore"):
        v = [np.float64(math.copysign(1.0, y) if y and math.isfinite(y) else y) for y in x]
        if base == "fma":
            return float(v[0] * v[1] + v[2])
        results = {
            "add": lambda: v[0] + v[1],
            "sub": lambda: v[0] - v[1],
            "mul": lambda: v[0] * v[1],
            "div": lambda: v[0] / v[1],
            "rcp": lambda: np.float64(1) / v[0],
            "sqrt": lambda: np.sqrt(v[0]),
        }
        return float(results[base]())


def root(real: Real, x: float, mode: str) -> int:
    """The square root, from the two neighbours between whose squares x lies."""
    r = Fraction(x)
    low, high = real.around(r, math.sqrt(x), lambda y: y * y)
    if real.exact(low) ** 2 == r or mode in ("rz", "rm"):
        return low
    half = (real.exact(low) + real.exact(high)) / 2
    return high if mode == "rp" or half**2 < r else low


def arithmetic(base: str, kind: str, suffixes: tuple[str, ...]) -> Callable[..., Array]:
    """add, sub, mul, fma, div, rcp and sqrt on arrays of bits, with rounding mode, .ftz, .sat and .relu."""
    real = REALS[kind]
    mode = next((s for s in suffixes if s in ("rn", "rz", "rm", "rp")), "rn")

    def one(*bits: int) -> int:
        if "ftz" in suffixes:
            bits = tuple(flushed(real, b) for b in bits)
        x = [real.value(b) for b in bits]
        special = not all(map(math.isfinite, x)) or (base == "div" and x[1] == 0) or (base == "rcp" and x[0] == 0)
        special = special or (base == "sqrt" and x[0] <= 0)
        if special:
            y = ieee(base, x)
            found = NAN[kind] if math.isnan(y) else real.infinity if math.isinf(y) else 0
            return finished(real, found | (real.sign if math.copysign(1, y) < 0 and not math.isnan(y) else 0), suffixes)
        if base == "sqrt":
            return finished(real, root(real, x[0], mode), suffixes)
        # An exact zero from terms of different signs is +0, and -0 when rounding down.
        zero = ieee(base, x) if base in ("mul", "div", "rcp") else 0.0
        if base in ("add", "sub", "fma"):
            terms = [x[0], -x[1] if base == "sub" else x[1]]
            if base == "fma":
                terms = [math.copysign(1.0 if x[0] and x[1] else 0.0, x[0]) * math.copysign(1.0, x[1]), x[2]]
            signs = {math.copysign(1, t) for t in terms}
            zero = signs.pop() if len(signs) == 1 else -1.0 if mode == "rm" else 1.0
        r = rational(base, x)
        assert r is not None
        return finished(real, real.rounded(r, mode, zero), suffixes)

    return each(one)


def each(function: Callable[..., int]) -> Callable[..., Array]:
    """A function of Python integers on arrays; negative results stand for their two's complement."""

    def apply(*arrays: Array) -> Array:
        results = [function(*row) & (2**64 - 1) for row in zip(*(a.tolist() for a in arrays), strict=True)]
        return np.array(results, "u8")

    return apply
