"""The GPU as launch code may ask about it: CUDA's device attributes by number, and what a name can't be asked for.

One table stands for the emulator, which has no GPU; that of a real GPU is what its driver answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

ATTRIBUTES = tuple(number for number in range(1, 145) if number not in (44, *range(92, 95), 96, *range(102, 106)))
"""The numbers of CUdevice_attribute (cuda.h), which are also those of cudaDeviceAttr, but for reserved ones."""

MULTIPROCESSORS = 16
MAJOR, MINOR = 75, 76
MAX_SHARED_PER_BLOCK = 8
MAX_SHARED_PER_BLOCK_OPTIN = 97


@dataclass(frozen=True)
class DeviceTable:
    """What a recorder is told. `total_memory` is in bytes."""

    name: str
    total_memory: int
    attributes: Mapping[int, int] = field(default_factory=dict)

    def __getitem__(self, number: int) -> int:
        return self.attributes.get(number, 0)


def table_of(name: str, total_memory: int, ask: Callable[[int], int | None]) -> DeviceTable:
    """The table of a real GPU. `ask` is its driver's cuDeviceGetAttribute; None where it does not know the number."""
    answers = {number: ask(number) for number in ATTRIBUTES}
    return DeviceTable(name, total_memory, {n: value for n, value in answers.items() if value is not None})


_EMULATED = {
    1: 1024,  # threads a block
    2: 1024,
    3: 1024,
    4: 64,
    5: 2**31 - 1,  # blocks of a grid
    6: 65535,
    7: 65535,
    8: 48 << 10,  # shared memory a block, in bytes
    9: 64 << 10,  # constant memory
    10: 32,  # lanes of a warp
    11: 2**31 - 1,  # pitch
    12: 65536,  # registers a block
    13: 2_460_000,  # clock in kHz
    14: 512,  # alignment of textures
    15: 1,
    16: 24,  # SMs
    19: 1,
    31: 1,
    36: 8_501_000,  # clock of the memory in kHz
    37: 128,  # width of its bus in bits
    38: 24 << 20,  # L2
    39: 1536,  # threads an SM
    40: 2,
    41: 1,
    51: 32,
    75: 8,
    76: 9,
    78: 1,
    79: 1,
    80: 1,
    81: 100 << 10,  # shared memory an SM
    82: 65536,  # registers an SM
    87: 64,
    90: 1,
    95: 1,  # cooperative launches
    97: 99 << 10,  # shared memory a block, where it is asked for
    106: 24,  # blocks an SM
    108: 15 << 20,
    109: 128 << 20,
    111: 1 << 10,  # shared memory that the driver takes of each block
    115: 1,  # memory pools
}

EMULATED = DeviceTable("NVIDIA GeForce RTX 4060", 8 << 30, _EMULATED)
"""A small GPU of compute capability 8.9, by its own name, so that no program tells it from one.

Its limits are those of the CUDA C++ Programming Guide's table of technical specifications; it has few SMs, so that a
grid that fills the GPU is still quick to emulate.
"""
