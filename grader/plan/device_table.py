"""The device as launch code sees it: CUDA's device attributes by number, the GPU's name and its memory.

The emulator has a fixed table; a real GPU's is read from its driver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

ATTRIBUTES = tuple(number for number in range(1, 145) if number not in (44, *range(92, 95), 96, *range(102, 106)))
"""The numbers of CUdevice_attribute (cuda.h) except reserved ones; cudaDeviceAttr uses the same numbers."""

MULTIPROCESSORS = 16
MAJOR, MINOR = 75, 76
MAX_SHARED_PER_BLOCK = 8
MAX_SHARED_PER_BLOCK_OPTIN = 97


@dataclass(frozen=True)
class DeviceTable:
    """The device that a recorder simulates. `total_memory` is in bytes; an unknown attribute is 0.

    One that is `emulated` runs PTX, and needs no machine code.
    """

    name: str
    total_memory: int
    attributes: Mapping[int, int] = field(default_factory=dict)
    emulated: bool = False

    def __getitem__(self, number: int) -> int:
        return self.attributes.get(number, 0)


def table_of(name: str, total_memory: int, ask: Callable[[int], int | None]) -> DeviceTable:
    """The table of a real GPU. `ask` is its driver's cuDeviceGetAttribute; it returns None for an unknown number."""
    answers = {number: ask(number) for number in ATTRIBUTES}
    return DeviceTable(name, total_memory, {n: value for n, value in answers.items() if value is not None})


_EMULATED = {
    1: 1024,  # threads per block
    2: 1024,
    3: 1024,
    4: 64,
    5: 2**31 - 1,  # grid size in blocks
    6: 65535,
    7: 65535,
    8: 48 << 10,  # shared memory per block, in bytes
    9: 64 << 10,  # constant memory
    10: 32,  # lanes per warp
    11: 2**31 - 1,  # pitch
    12: 65536,  # registers per block
    13: 2_460_000,  # clock in kHz
    14: 512,  # alignment of textures
    15: 1,
    16: 24,  # SMs
    19: 1,
    31: 1,
    36: 8_501_000,  # memory clock in kHz
    37: 128,  # memory bus width in bits
    38: 24 << 20,  # L2
    39: 1536,  # threads per SM
    40: 2,
    41: 1,
    51: 32,
    75: 8,
    76: 9,
    78: 1,
    79: 1,
    80: 1,
    81: 100 << 10,  # shared memory per SM
    82: 65536,  # registers per SM
    87: 64,
    90: 1,
    95: 1,  # cooperative launches
    97: 99 << 10,  # shared memory per block, opt-in
    106: 24,  # blocks per SM
    108: 15 << 20,
    109: 128 << 20,
    111: 1 << 10,  # shared memory per block reserved by the driver
    115: 1,  # memory pools
}

EMULATED = DeviceTable("NVIDIA GeForce RTX 4060", 8 << 30, _EMULATED, emulated=True)
"""A small GPU of compute capability 8.9 under a real GPU's name, so that programs can't tell it from one.

Its limits come from the table of technical specifications in the CUDA C++ Programming Guide. It has few SMs, so that
a grid that fills the GPU is still quick to emulate.
"""
