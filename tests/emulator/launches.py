"""What a launch in these tests is, and the numbers that its buffers start with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
RNG = np.random.default_rng(20240607)


@dataclass(frozen=True)
class Case:
    """A launch. Arrays among the arguments are buffers, everything else is passed by value."""

    file: str
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: dict[str, Any]
    shared_bytes: int = 0
    tolerance: float = 0.0
    """Relative error that approximate instructions may leave between two right executions."""
    expect: Callable[[dict[str, Array]], dict[str, Array]] | None = field(default=None, compare=False)
    """NumPy's answer for some of the buffers, from the buffers as they were before the launch."""


def ints(n: int, low: int = 0, high: int = 100, kind: str = "i4") -> Array:
    return RNG.integers(low, high, n).astype(kind)


def any_bits(n: int, kind: str) -> Array:
    """Whole numbers of all magnitudes, and the extreme ones."""
    size = np.dtype(kind).itemsize
    values = RNG.integers(0, 1 << 63, n, dtype=np.uint64) * 2 + RNG.integers(0, 2, n, dtype=np.uint64)
    values >>= RNG.integers(0, 64, n, dtype=np.uint64)
    values[:6] = [0, 1, 2**64 - 1, 2 ** (8 * size - 1), 2 ** (8 * size - 1) - 1, 2**64 - 2]
    return values.astype(f"u{size}").view(kind)


SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 1.5, 2.5, -2.5, 1e-40, -1e-42, 3e38, 65504.0, 65520.0]


def reals(n: int, kind: str = "f4", special: bool = True) -> Array:
    values = RNG.normal(0, 1, n) * 10.0 ** RNG.integers(-4, 5, n)
    if special:
        values[: len(SPECIAL)] = SPECIAL
        values = RNG.permutation(values)
    with np.errstate(over="ignore"):
        return values.astype(kind)


def smooth(n: int, kind: str = "f4") -> Array:
    return RNG.uniform(-4, 4, n).astype(kind)


def bfloats(n: int) -> Array:
    return (reals(n).view("u4") >> np.uint32(16)).astype("u2")


def zeros(n: int, kind: str = "i4") -> Array:
    return np.zeros(n, kind)


def launch(file: str, kernel: str, grid: Any, block: Any, /, **arguments: Any) -> Case:
    options = {k: arguments.pop(k) for k in ("shared_bytes", "tolerance", "expect") if k in arguments}

    def triple(n: Any) -> tuple[int, int, int]:
        return (n, 1, 1) if isinstance(n, int) else (*n, *(1,) * (3 - len(n)))  # type: ignore[return-value]

    return Case(file, kernel, triple(grid), triple(block), arguments, **options)
