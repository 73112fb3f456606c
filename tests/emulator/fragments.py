"""Which thread holds which element of the fragments of `mma`, in the formulas of the PTX ISA ("Matrix Fragments for
mma.…"), and numbers to fill them with.

`g` is the lane's group (lane / 4), `t` the thread in the group (lane % 4), `i` the element within the thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Place = Callable[[int, int, int], tuple[int, int]]
LANES = 32

# By shape and bits of an element: (row, column) of an element of A, and of B; 16 bits are f16 and bf16, 32 are tf32.
A_PLACES: dict[tuple[str, int], tuple[int, Place]] = {
    ("m16n8k8", 16): (4, lambda g, t, i: (g if i < 2 else g + 8, t * 2 + (i & 1))),
    ("m16n8k16", 16): (
        8,
        lambda g, t, i: (g if i < 2 or 4 <= i < 6 else g + 8, t * 2 + (i & 1) + (8 if i >= 4 else 0)),
    ),
    ("m16n8k4", 32): (2, lambda g, t, i: (g if i == 0 else g + 8, t)),
    ("m16n8k8", 32): (4, lambda g, t, i: (g if i in (0, 2) else g + 8, t if i in (0, 1) else t + 4)),
    ("m8n8k4", 64): (1, lambda g, t, i: (g, t)),
    ("m16n8k4", 64): (2, lambda g, t, i: (g if i == 0 else g + 8, t)),
    ("m16n8k8", 64): (4, lambda g, t, i: (g if i % 2 == 0 else g + 8, t if i < 2 else t + 4)),
    ("m16n8k16", 64): (8, lambda g, t, i: (g if i % 2 == 0 else g + 8, i // 2 * 4 + t)),
    ("m8n8k16", 8): (4, lambda g, t, i: (g, t * 4 + i)),
    ("m16n8k16", 8): (8, lambda g, t, i: (g if i < 4 else g + 8, t * 4 + (i & 3))),
    ("m16n8k32", 8): (
        16,
        lambda g, t, i: (g if i < 4 or 8 <= i < 12 else g + 8, t * 4 + (i & 3) + (0 if i < 8 else 16)),
    ),
    ("m8n8k32", 4): (8, lambda g, t, i: (g, t * 8 + i)),
    ("m16n8k32", 4): (16, lambda g, t, i: (g if i < 8 else g + 8, t * 8 + (i & 7))),
    ("m16n8k64", 4): (
        32,
        lambda g, t, i: (g if i < 8 or 16 <= i < 24 else g + 8, t * 8 + (i & 7) + (0 if i < 16 else 32)),
    ),
    ("m8n8k128", 1): (32, lambda g, t, i: (g, t * 32 + i)),
    ("m16n8k128", 1): (64, lambda g, t, i: (g if i < 32 else g + 8, t * 32 + (i & 31))),
    ("m16n8k256", 1): (
        128,
        lambda g, t, i: (g if i < 32 or 64 <= i < 96 else g + 8, t * 32 + (i & 31) + (0 if i < 64 else 128)),
    ),
}
B_PLACES: dict[tuple[str, int], tuple[int, Place]] = {
    ("m16n8k8", 16): (2, lambda g, t, i: (t * 2 + i, g)),
    ("m16n8k16", 16): (4, lambda g, t, i: (t * 2 + (i & 1) + (0 if i < 2 else 8), g)),
    ("m16n8k4", 32): (1, lambda g, t, i: (t, g)),
    ("m16n8k8", 32): (2, lambda g, t, i: (t if i == 0 else t + 4, g)),
    ("m8n8k4", 64): (1, lambda g, t, i: (t, g)),
    ("m16n8k4", 64): (1, lambda g, t, i: (t, g)),
    ("m16n8k8", 64): (2, lambda g, t, i: (t + i * 4, g)),
    ("m16n8k16", 64): (4, lambda g, t, i: (t + i * 4, g)),
    ("m8n8k16", 8): (4, lambda g, t, i: (t * 4 + i, g)),
    ("m16n8k16", 8): (4, lambda g, t, i: (t * 4 + i, g)),
    ("m16n8k32", 8): (8, lambda g, t, i: (t * 4 + (i & 3) + (0 if i < 4 else 16), g)),
    ("m8n8k32", 4): (8, lambda g, t, i: (t * 8 + i, g)),
    ("m16n8k32", 4): (8, lambda g, t, i: (t * 8 + i, g)),
    ("m16n8k64", 4): (16, lambda g, t, i: (t * 8 + (i & 7) + (0 if i < 8 else 32), g)),
    ("m8n8k128", 1): (32, lambda g, t, i: (t * 32 + i, g)),
    ("m16n8k128", 1): (32, lambda g, t, i: (t * 32 + i, g)),
    ("m16n8k256", 1): (64, lambda g, t, i: (t * 32 + (i & 31) + (0 if i < 32 else 128), g)),
}


def c_place(g: int, t: int, i: int) -> tuple[int, int]:
    """The accumulators of all shapes."""
    return (g if i < 2 else g + 8), t * 2 + (i & 1)


def held(matrix: Array, count: int, place: Place) -> Array:
    """The elements that each lane holds of a matrix, a row a lane."""
    return np.array([[matrix[place(lane // 4, lane % 4, i)] for i in range(count)] for lane in range(LANES)])


def spread(held_: Array, shape: tuple[int, int], place: Place) -> Array:
    """The matrix whose elements the lanes hold so."""
    matrix = np.zeros(shape, held_.dtype)
    for lane in range(LANES):
        for i, value in enumerate(held_[lane]):
            matrix[place(lane // 4, lane % 4, i)] = value
    return matrix


def packed(codes: Array, bits: int) -> Array:
    """Rows of codes of so many bits as rows of 32-bit words, the first code lowest."""
    lanes = codes.astype("u8").reshape(len(codes), -1, 32 // bits)
    return (lanes << np.arange(0, 32, bits, dtype="u8")).sum(axis=2, dtype="u8").astype("u4")


# Elements as codes, the bits of each, and as numbers


def number(kind: str, codes: Array) -> Array:
    """What codes of a type mean, exactly: f64 for floats, i64 for integers."""
    codes = codes.astype("u4")
    if kind == "f16":
        return codes.astype("u2").view("f2").astype("f8")
    if kind == "bf16":
        return (codes << 16).view("f4").astype("f8")
    if kind == "tf32":
        return (codes & 0xFFFFE000).view("f4").astype("f8")
    if kind in ("e4m3", "e5m2"):
        return _eighths(kind)[codes]
    bits = int(kind[1:])
    values = codes.astype("i8")
    return np.where(values >> (bits - 1), values - (1 << bits), values) if kind[0] == "s" else values


def _eighths(kind: str) -> Array:
    codes = np.arange(256)
    fraction = 3 if kind == "e4m3" else 2
    bias = 7 if kind == "e4m3" else 15
    exponent = codes >> fraction & (1 << (7 - fraction)) - 1
    low = (codes & (1 << fraction) - 1) / (1 << fraction)
    size = np.where(exponent == 0, low * 2.0 ** (1 - bias), (1 + low) * 2.0 ** (exponent - bias))
    return np.where(codes >> 7, -size, size)


_WIDTH = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "b1": 1}


def width(kind: str) -> int:
    return _WIDTH.get(kind) or int(kind[1:])


def codes(kind: str, shape: tuple[int, ...], seed: int) -> Array:
    """Numbers of a type, as their bits: of many magnitudes, without infinities."""
    rng = np.random.default_rng(seed)
    if kind in ("f16", "bf16", "tf32"):
        values = (rng.normal(0, 1, shape) * 2.0 ** rng.integers(-6, 4, shape)).astype("f4")
        if kind == "f16":
            return values.astype("f2").view("u2").astype("u4")
        return values.view("u4") >> 16 if kind == "bf16" else values.view("u4")
    bits = width(kind)
    found = rng.integers(0, 1 << bits, shape, dtype=np.uint64).astype("u4")
    # The largest codes of the 8-bit floats are NaN, and infinities.
    most = {"e4m3": 0x7E, "e5m2": 0x7B}.get(kind)
    return found if most is None else np.minimum(found & 0x7F, most) | found & 0x80
