"""What fills the arrays of timed replays: how random words become values, here as in `refill`'s device code.

It uses integer arithmetic with one rounding at the end, so that both give the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.problem.coded import CODED

Words = npt.NDArray[np.uint64]

CENTRE = 3 * (2**21 - 1)
_PRIME = 1048573
"""Near 2^20: dividing by it leaves values that use all 24 bits of a float's significand."""

KINDS = {
    kind: number
    for number, kind in enumerate(
        (
            *("poison", "normal 4", "normal 2", "even 4", "even 2", "whole 4", "whole 1", "copy"),
            *("normal 8", "even 8", "whole 8", "normal bf16", "even bf16"),
            *("normal e4m3", "even e4m3", "normal e5m2", "even e5m2"),
            *("whole f4", "whole f2", "whole f8", "whole bf16", "whole e4m3", "whole e5m2"),
        )
    )
}
"""The fillers by the kind of values and the bytes of an element, or by the format that is kept as bits."""

_MASK = 2**64 - 1


@dataclass(frozen=True)
class Filling:
    """What an array is filled with: values of one kind, between two numbers unless the kind is nearly normal.

    `dtype` is NumPy's name of the array's type, `coded` that of a format of which NumPy only has the bits. For a copy,
    `low` is the address of the source.
    """

    kind: str
    dtype: str = "float32"
    low: float = 0
    high: float = 0
    coded: str = ""

    @property
    def itemsize(self) -> int:
        return np.dtype(self.dtype).itemsize

    @property
    def of_output(self) -> Filling:
        """What an output of such values is filled with: poison, or a copy if it is also read."""
        return self if self.kind == "copy" else POISONED

    @property
    def row(self) -> tuple[int, int, int]:
        """The number of its kind on the device, and the two words for where values begin and how far they go."""
        if self.kind in ("poison", "copy"):
            return KINDS[self.kind], int(self.low), 0
        as_float = "f" if self.kind == "whole" and self.dtype.startswith("float") else ""
        number = KINDS[f"{self.kind} {self.coded or f'{as_float}{self.itemsize}'}"]
        if self.kind == "whole":
            return number, int(self.low) & _MASK, self._count
        low, scale = (int(np.float64(x).view(np.uint64)) for x in (self.low, self._scale))
        return number, low, scale

    def make(self, words: Words, sigma: float) -> npt.NDArray[Any]:
        """Returns the values of these words, as on the device; nearly normal ones have standard deviation `sigma`."""
        if self.kind == "normal":
            bits = np.uint64(2**21 - 1)
            total = (words & bits) + (words >> np.uint64(21) & bits) + (words >> np.uint64(42) & bits)
            made: npt.NDArray[Any] = (2 * total.astype(np.int32) - np.int32(CENTRE)).astype(np.float32) * unit_of(sigma)
        elif self.kind == "even":
            made = (words >> np.uint64(11)).astype(np.float64) * self._scale + self.low
        else:
            made = ((words >> np.uint64(32)) * np.uint64(self._count) >> np.uint64(32)).astype(np.int64) + int(self.low)
        if self.coded:
            # Through float32, as on the device.
            coded: npt.NDArray[Any] = CODED[self.coded].encode(made.astype(np.float32))
            return coded
        return made.astype(self.dtype)

    @property
    def _scale(self) -> float:
        return (self.high - self.low) / (2**53 - 1)

    @property
    def _count(self) -> int:
        # Of a 64-bit range, its lower part: values come from 32 random bits.
        return min(int(self.high) - int(self.low) + 1, 2**32)


NORMAL = Filling("normal")
POISONED = Filling("poison", "uint8")


def copied(address: int) -> Filling:
    """Returns the filling of an array that starts each replay with the same bytes, at this address in GPU memory."""
    return Filling("copy", "uint8", address)


def unit_of(sigma: float) -> Any:
    """Returns the scale of the integers: three uniform values of this size have standard deviation `sigma`."""
    return np.float32(sigma / (2 * _PRIME))
