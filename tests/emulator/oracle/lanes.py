"""The commonest instructions on all lanes at once, where NumPy computes exactly what `scalar.py` says.

Only a matter of speed: `test_oracle.py` holds each of these against the scalar rule.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .words import mask, width

Lanes = NDArray[np.uint64]
Vector = Callable[..., Lanes]

FLOATS = {"f32": (np.uint32, np.float32), "f64": (np.uint64, np.float64)}
ORDERS: dict[str, Callable[..., NDArray[np.bool_]]] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip


def number(a: Lanes, kind: str) -> NDArray[np.generic]:
    if kind in FLOATS:
        bits, real = FLOATS[kind]
        return a.astype(bits).view(real)
    n = width(kind)
    unsigned = a.astype(f"u{n // 8}")
    return unsigned.view(f"i{n // 8}") if kind[0] == "s" else unsigned


def bits(x: NDArray[np.generic], kind: str) -> Lanes:
    return x.view(FLOATS[kind][0] if kind in FLOATS else f"u{width(kind) // 8}").astype(np.uint64)


def fma(a: NDArray[np.float64], b: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[np.float64]:
    """a * b + c for single-precision operands, rounded to odd in double: the one later rounding is then right."""
    product = a * b
    total = product + c
    back = total - product
    error = (product - (total - back)) + (c - back)
    even = (total.view(np.uint64) & np.uint64(1)) == 0
    inexact = np.isfinite(error) & (error != 0) & even
    return np.where(inexact, np.nextafter(total, np.copysign(np.inf, error)), total)


@cache
def vector(opcode: str) -> Vector | None:
    """The function of the operands' lanes, or None where only the scalar rule exists."""
    base, *mods = opcode.split(".")
    kind = mods[-1] if mods else ""
    extra = set(mods[:-1])
    if base == "setp" and len(mods) == 2 and mods[0] in ORDERS and (kind[0] in "us" or kind in FLOATS):
        order = ORDERS[mods[0]]
        # An unordered operand makes every comparison false, inequality too.
        ordered = kind in FLOATS and mods[0] == "ne"

        def setp(a: Lanes, b: Lanes) -> Lanes:
            x, y = number(a, kind), number(b, kind)
            answer = order(x, y)
            return (answer & (x == x) & (y == y) if ordered else answer).astype(np.uint64)

        return setp
    if kind in FLOATS and not extra - {"rn"}:
        binary = {"add": np.add, "sub": np.subtract, "mul": np.multiply}.get(base)
        if binary:
            return lambda a, b: bits(binary(number(a, kind), number(b, kind)), kind)
        if base == "fma" and kind == "f32":
            return lambda a, b, c: bits(
                fma(*(number(x, kind).astype(np.float64) for x in (a, b, c))).astype(np.float32), kind
            )
    if not kind or kind[0] not in "usb" or not kind[1:].isdigit() or extra - {"lo", "wide"}:
        return None
    low = np.uint64(mask(width(kind)))
    if base in ("mul", "mad"):
        wide = np.uint64(mask(2 * width(kind) if "wide" in extra else width(kind)))
        if not extra or (width(kind) == 64 and "wide" in extra):
            return None

        def multiply(a: Lanes, b: Lanes) -> Lanes:
            to = "i8" if kind[0] == "s" else "u8"
            return (number(a, kind).astype(to) * number(b, kind).astype(to)).view(np.uint64)

        if base == "mul":
            return lambda a, b: multiply(a, b) & wide
        return lambda a, b, c: (multiply(a, b) + c) & wide
    simple: dict[str, Vector] = {
        "add": lambda a, b: (a + b) & low,
        "sub": lambda a, b: (a - b) & low,
        "and": lambda a, b: a & b & low,
        "or": lambda a, b: (a | b) & low,
        "xor": lambda a, b: (a ^ b) & low,
        "mov": lambda a: a & low,
    }
    return None if extra else simple.get(base)
