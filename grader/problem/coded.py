"""Float formats without a NumPy type, stored as raw bits: bf16 and the fp8 formats e4m3 and e5m2.

NumPy and CuPy arrays go through the same integer and double arithmetic, so both give the same bits. Values beyond the
largest number become infinity in bf16 and the largest number in fp8, as in CUDA's own conversions (cuda_bf16.h:
__float2bfloat16_rn; cuda_fp8.h: the constructors of __nv_fp8_e4m3 and __nv_fp8_e5m2).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from grader.problem.arrays import module_of, widen


@dataclass(frozen=True)
class Coded:
    """A format with a sign bit, `exponent` bits and `fraction` bits; `largest` and `nan` are codes without the sign.

    If it `saturates`, numbers above the largest become the largest, else infinity, the code after it.
    """

    exponent: int
    fraction: int
    largest: int
    nan: int
    saturates: bool

    @property
    def numpy(self) -> str:
        """NumPy's name of the integer type that stores the bits."""
        return f"uint{1 + self.exponent + self.fraction}"

    @property
    def least(self) -> int:
        """The exponent of the smallest normal number."""
        return 2 - (1 << self.exponent - 1)

    @property
    def limit(self) -> float:
        """The largest magnitude that a result can have; infinity if the format does not saturate."""
        return float(self._table[self.largest]) if self.saturates else float("inf")

    def decode(self, codes: Any) -> Any:
        """Converts codes to float32, which represents all numbers of the format."""
        if self.fraction + 1 + self.exponent == 16:
            return (codes.astype(np.uint32) << np.uint32(16)).view(np.float32)
        return module_of(codes).asarray(self._table)[codes]

    def encode(self, values: Any) -> Any:
        """Converts values to the codes of the nearest numbers, ties to even."""
        xp, wide = module_of(values), widen(values)
        magnitude = abs(wide)
        finite = xp.isfinite(magnitude)
        magnitude = xp.where(finite, magnitude, 0.0)
        exponent = self._exponent(xp, magnitude)
        steps = xp.rint(xp.ldexp(magnitude, self.fraction - exponent))
        # Rounding up past the last step of an exponent gives the first step of the next one.
        code = (exponent - self.least) * float(1 << self.fraction) + steps
        above = float(self.largest + (not self.saturates))
        code = xp.where(finite, xp.minimum(code, above), xp.where(xp.isnan(wide), float(self.nan), above))
        sign = xp.signbit(wide).astype(np.int64) << self.exponent + self.fraction
        return (code.astype(np.int64) | sign).astype(self.numpy)

    def round(self, values: Any) -> Any:
        """Rounds values to the nearest numbers of this format, as float32."""
        return self.decode(self.encode(values))

    def ulp(self, values: Any) -> Any:
        """The gap between each number's magnitude and the next larger one, in float64."""
        xp, magnitude = module_of(values), abs(widen(values))
        return xp.ldexp(1.0, self._exponent(xp, magnitude) - self.fraction)

    def gap_below(self, values: Any) -> Any:
        """The gap between each number's magnitude and the next smaller one, float64; for 0, the smallest subnormal."""
        xp, magnitude = module_of(values), abs(widen(values))
        # Numbers just below a power of two lie closer together.
        exponent = self._exponent(xp, magnitude) - (xp.frexp(magnitude)[0] == 0.5)
        return xp.ldexp(1.0, xp.maximum(exponent, self.least) - self.fraction)

    def _exponent(self, xp: Any, magnitude: Any) -> Any:
        """The exponent of each number; of the smallest normal number for subnormal ones."""
        return xp.where(magnitude == 0, self.least, xp.maximum(xp.frexp(magnitude)[1] - 1, self.least))

    @cached_property
    def _table(self) -> Any:
        """The float32 value of every 8-bit code."""
        codes = np.arange(256)
        fields, steps = codes >> self.fraction & (1 << self.exponent) - 1, codes & (1 << self.fraction) - 1
        whole = np.where(fields > 0, steps + (1 << self.fraction), steps)
        made = np.ldexp(whole.astype(np.float64), np.maximum(fields, 1) - 1 + self.least - self.fraction)
        without_sign = codes & 0x7F
        made = np.where(without_sign > self.largest, np.nan, made)
        if self.largest + 1 < self.nan:
            made = np.where(without_sign == self.largest + 1, np.inf, made)
        return np.where(codes >= 128, -made, made).astype(np.float32)


BF16 = Coded(exponent=8, fraction=7, largest=0x7F7F, nan=0x7FFF, saturates=False)
E4M3 = Coded(exponent=4, fraction=3, largest=0x7E, nan=0x7F, saturates=True)
E5M2 = Coded(exponent=5, fraction=2, largest=0x7B, nan=0x7F, saturates=True)
CODED = {"bf16": BF16, "e4m3": E4M3, "e5m2": E5M2}
