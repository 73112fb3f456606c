"""Operands for the property tests: the values where arithmetic goes wrong, and any others."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from .instructions.rows import bits_of, dtype

Array = NDArray[Any]

REAL_SPECIAL = {
    "f32": [
        0,
        0x8000_0000,
        1,
        0x8000_0001,
        0x007F_FFFF,
        0x0080_0000,
        0x3F80_0000,
        0xBF80_0000,
        0x3F80_0001,
        0x3FC0_0000,
        0x4B80_0001,
        0x4F00_0000,
        0x5F80_0000,
        0x7F7F_FFFF,
        0xFF7F_FFFF,
        0x7F80_0000,
        0xFF80_0000,
        0x7FC0_0000,
        0x3F00_0000,
        0xC020_0000,
    ],
    "f64": [
        0,
        1 << 63,
        1,
        (1 << 63) + 1,
        (1 << 52) - 1,
        1 << 52,
        0x3FF0 << 48,
        0xBFF0 << 48,
        (0x3FF0 << 48) + 1,
        0x3FF8 << 48,
        0x4340_0000_0000_0001,
        0x41E0 << 48,
        0x43F0 << 48,
        (0x7FF0 << 48) - 1,
        (0xFFF0 << 48) - 1,
        0x7FF0 << 48,
        0xFFF0 << 48,
        0x7FF8 << 48,
        0x3FE0 << 48,
        0xC004 << 48,
        0x3690 << 48,
        0x47EF_FFFF_F000_0000,
    ],
    "f16": [
        0,
        0x8000,
        1,
        0x8001,
        0x03FF,
        0x0400,
        0x3C00,
        0xBC00,
        0x3C01,
        0x3E00,
        0x6801,
        0x7BFF,
        0xFBFF,
        0x7C00,
        0xFC00,
        0x7E00,
        0x3800,
        0xC100,
    ],
    "bf16": [
        0,
        0x8000,
        1,
        0x8001,
        0x007F,
        0x0080,
        0x3F80,
        0xBF80,
        0x3F81,
        0x3FC0,
        0x4380,
        0x7F7F,
        0xFF7F,
        0x7F80,
        0xFF80,
        0x7FC0,
        0x3F00,
        0xC020,
    ],
}


def special(kind: str) -> list[int]:
    """Bit patterns."""
    if kind in REAL_SPECIAL:
        return REAL_SPECIAL[kind]
    if kind == "pred":
        return [0, 1]
    if kind.endswith("x2"):
        halves = special(kind[:-2])
        return [high << 16 | low for low, high in zip(halves, reversed(halves), strict=True)]
    n = bits_of(kind)
    numbers = [
        0,
        1,
        2,
        3,
        5,
        7,
        8,
        15,
        16,
        31,
        32,
        33,
        63,
        64,
        100,
        127,
        128,
        255,
        256,
        0x80FF_7F01,
        0x5555_5555_5555_5555,
        0x3C00_BC00,
        0x7F7F_FF7F_0001_8000,
        (1 << 24) - 1,
        1 << 24,
        (1 << 53) + 1,
    ]
    edges = [(1 << (n - 1)) - 1, 1 << (n - 1), (1 << (n - 1)) + 1, (1 << n) - 1, (1 << n) - 2]
    return [v for v in numbers if v < 1 << n] + edges


def typed(rows: list[tuple[int, ...]], inputs: tuple[str, ...]) -> list[Array]:
    """One array an operand, in the operand's own type."""
    return [np.array([r[i] for r in rows], f"u{bits_of(kind) // 8}").view(dtype(kind)) for i, kind in enumerate(inputs)]


def corner_cases(inputs: tuple[str, ...], most: int = 420) -> list[tuple[int, ...]]:
    """The special values against each other: all combinations, or as many of them, evenly chosen."""
    combinations = list(itertools.product(*map(special, inputs)))
    if len(combinations) <= most:
        return combinations
    chosen = np.random.default_rng(len(combinations)).choice(len(combinations), most, replace=False)
    return [combinations[i] for i in sorted(chosen)]


def tuples(inputs: tuple[str, ...]) -> st.SearchStrategy[list[tuple[int, ...]]]:
    def one(kind: str) -> st.SearchStrategy[int]:
        top = 1 if kind == "pred" else (1 << bits_of(kind)) - 1
        return st.one_of(st.integers(0, top), st.sampled_from(special(kind)))

    return st.lists(st.tuples(*map(one, inputs)), min_size=1, max_size=48)


def seeds() -> st.SearchStrategy[int]:
    return st.integers(0, 2**32 - 1)


def random_bits(inputs: tuple[str, ...], seed: int, count: int) -> list[tuple[int, ...]]:
    """Bits of all magnitudes: half of the integers are small, and floats are near each other half of the time."""
    rng = np.random.default_rng(seed)
    columns = []
    near = int(rng.integers(0, 1 << 62))
    for kind in inputs:
        n = bits_of(kind)
        values = rng.integers(0, 1 << 63, count, dtype=np.uint64) * np.uint64(2) + rng.integers(
            0, 2, count, dtype=np.uint64
        )
        if kind in REAL_SPECIAL:
            # The same exponent, or one nearby, in half of the rows: cancellation, ties and double rounding.
            fraction = {"f32": 23, "f64": 52, "f16": 10, "bf16": 7}[kind]
            low = np.uint64((1 << (fraction + 2)) - 1)
            close = (np.uint64(near % (1 << n)) & ~low) | (values & low)
            values = np.where(rng.integers(0, 2, count) == 0, close, values)
        else:
            values >>= rng.integers(0, 64, count, dtype=np.uint64) * rng.integers(0, 2, count, dtype=np.uint64)
        columns.append((values & np.uint64(1 if kind == "pred" else (1 << n) - 1)).tolist())
    return list(zip(*columns, strict=True))
