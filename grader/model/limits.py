"""The limits of an SM by compute capability.

From the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; no GPU is needed.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.run.gpu.occupancy import SmLimits

_REGISTERS = 65536


def _sm(threads: int, blocks: int, shared_kilobytes: int, reserved: int = 1024, unit: int = 128) -> SmLimits:
    return SmLimits(threads, blocks, _REGISTERS, 4, shared_kilobytes << 10, reserved, unit)


LIMITS: Mapping[str, SmLimits] = {
    "sm_75": _sm(1024, 16, 64, reserved=0, unit=256),
    "sm_80": _sm(2048, 32, 164),
    "sm_86": _sm(1536, 16, 100),
    "sm_87": _sm(1536, 16, 164),
    "sm_89": _sm(1536, 24, 100),
    "sm_90": _sm(2048, 32, 228),
    "sm_100": _sm(2048, 32, 228),
    "sm_120": _sm(1536, 24, 100),
}
