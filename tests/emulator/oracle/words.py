"""Words and their meanings: the widths of PTX types, and the integers that bits stand for."""

from __future__ import annotations

from collections.abc import Callable

from .floats import BF16, F16

Scalar = Callable[..., "int | tuple[int, ...]"]
PAIRS = {"f16x2": F16, "bf16x2": BF16}


def width(kind: str) -> int:
    return 1 if kind == "pred" else 32 if kind in PAIRS else int(kind.lstrip("bfsu"))


def mask(n: int) -> int:
    return (1 << n) - 1


def integer(bits: int, kind: str) -> int:
    """The number that the low bits stand for in an integer type."""
    n = width(kind)
    bits &= mask(n)
    return bits - (1 << n) if kind[0] == "s" and bits >> (n - 1) else bits


def clamp(x: int, kind: str) -> int:
    n = width(kind)
    low, high = (-(1 << (n - 1)), mask(n - 1)) if kind[0] == "s" else (0, mask(n))
    return min(max(x, low), high)
