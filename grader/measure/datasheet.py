"""Figures from vendors' datasheets, shown beside what was measured.

Memory bandwidth, and operations at the boost clock without sparsity: fp32 outside the tensor cores; fp16 accumulated in
fp32, and int8, on them. Scores do not use these.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Datasheet:
    """`bandwidth` in bytes per second, rates in operations per second, and their source; None if not published."""

    bandwidth: float
    fp32: float
    fp16: float | None
    int8: float | None
    source: str

    def rate(self, precision: str) -> float | None:
        """Operations per second; `precision` is "fp32", "fp16" or "int8"."""
        return {"fp32": self.fp32, "fp16": self.fp16, "int8": self.int8}[precision]


def _row(gigabytes: float, fp32: float, fp16: float | None, int8: float | None, source: str) -> Datasheet:
    """Makes a row from GB/s and tera operations per second."""
    half, byte = (None if rate is None else rate * 1e12 for rate in (fp16, int8))
    return Datasheet(gigabytes * 1e9, fp32 * 1e12, half, byte, source)


_H100, _A100, _ADA = "NVIDIA H100 datasheet", "NVIDIA A100 datasheet", "NVIDIA Ada GPU architecture whitepaper"

# Keys are NVML's names. The longest key that a GPU's name starts with applies, so a variant needs its own row only if
# its figures differ.
_SHEETS = {
    "NVIDIA H200": _row(4800, 67, 989, 1979, "NVIDIA H200 datasheet"),
    "NVIDIA H100 80GB HBM3": _row(3350, 67, 989, 1979, _H100),
    "NVIDIA H100 PCIe": _row(2000, 51, 756, 1513, _H100),
    "NVIDIA A100-SXM4-40GB": _row(1555, 19.5, 312, 624, _A100),
    "NVIDIA A100-SXM4-80GB": _row(2039, 19.5, 312, 624, _A100),
    "NVIDIA A100-PCIE-40GB": _row(1555, 19.5, 312, 624, _A100),
    "NVIDIA A100 80GB PCIe": _row(1935, 19.5, 312, 624, _A100),
    "Tesla V100-SXM2": _row(900, 15.7, 125, None, "NVIDIA V100 datasheet"),
    "Tesla T4": _row(320, 8.1, 65, 130, "NVIDIA T4 datasheet"),
    "NVIDIA A10": _row(600, 31.2, 125, 250, "NVIDIA A10 datasheet"),
    "NVIDIA L4": _row(300, 30.3, 121, 242, "NVIDIA L4 datasheet"),
    "NVIDIA L40S": _row(864, 91.6, 362, 733, "NVIDIA L40S datasheet"),
    "NVIDIA GeForce RTX 3090": _row(936, 35.6, 71, 284, "NVIDIA Ampere GA102 GPU architecture whitepaper"),
    "NVIDIA GeForce RTX 4090": _row(1008, 82.6, 165.2, 660.6, _ADA),
}

_OTHER_MODELS = ("Ti", "SUPER", "D", "Laptop", "NVL", "GeForce")
"""Suffixes that denote a different model with different figures."""


def datasheet(gpu: str) -> Datasheet | None:
    """The figures of the GPU with this NVML name, None if unknown."""
    for name in sorted(_SHEETS, key=len, reverse=True):
        rest = gpu[len(name) :]
        if gpu.startswith(name) and (not rest or rest[0] in " -") and not set(rest.split()) & set(_OTHER_MODELS):
            return _SHEETS[name]
    return None
