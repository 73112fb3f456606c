"""The low-precision number formats, and rounding of float32 arrays to them.

They are used to recognise a format in wrong results, never to judge results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Format:
    """A number format. `unit` is the negated exponent of its largest relative rounding error: 11 for 2^-11."""

    name: str
    unit: int
    round: Callable[[Floats32], Floats32]


def keep_bits(bits: int, nearest: bool) -> Callable[[Floats32], Floats32]:
    """Returns a function that rounds to `bits` stored bits of the significand, to nearest even or towards zero."""
    dropped = 23 - bits

    def round_to(x: Floats32) -> Floats32:
        word = x.view(np.uint32).astype(np.uint64)
        if nearest:
            half = np.uint64((1 << (dropped - 1)) - 1)
            word = word + half + (word >> np.uint64(dropped) & np.uint64(1))
        kept = (word >> np.uint64(dropped) << np.uint64(dropped)).astype(np.uint32).view(np.float32)
        return np.where(np.isfinite(x), kept, x)

    return round_to


def keep_bits_away(bits: int) -> Callable[[Floats32], Floats32]:
    """Does what `keep_bits` does, but to nearest with ties away from zero, as cvt.rna does."""
    kept = 23 - bits
    round_down = keep_bits(bits, nearest=False)

    def round_to(x: Floats32) -> Floats32:
        with np.errstate(over="ignore"):
            half = (x.view(np.uint32) + np.uint32(1 << (kept - 1))).view(np.float32)
        return np.where(np.isfinite(x), round_down(half), x)

    return round_to


def _to_single(x: npt.NDArray[Any]) -> Floats32:
    with np.errstate(over="ignore"):
        rounded: Floats32 = x.astype(np.float32)
    return rounded


def _to_half(x: Floats32) -> Floats32:
    with np.errstate(over="ignore", under="ignore"):
        rounded: Floats32 = x.astype(np.float16).astype(np.float32)
    return rounded


FP32 = Format("fp32", 24, _to_single)
FP16 = Format("fp16", 11, _to_half)
BF16 = Format("bf16", 8, keep_bits(7, nearest=True))

INPUT_FORMATS = (
    # Within fp16's range both formats round the same way, so results can't tell them apart.
    Format("TF32 or fp16", 11, keep_bits(10, nearest=True)),
    FP16,
    Format("TF32", 11, keep_bits_away(10)),
    Format("TF32", 10, keep_bits(10, nearest=False)),
    BF16,
    Format("bf16", 7, keep_bits(7, nearest=False)),
)
RESULT_FORMATS = (FP16, BF16)
