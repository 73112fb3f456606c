"""Memory of the GPU through which outputs go from the process that times to the one that checks them.

The checking process maps it and copies from it; where CUDA can't share memory between processes (in WSL 2, for one)
there is no handle, and outputs go through the processor's memory instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

ALIGNMENT = 256


class Mailbox:
    """Room for one set of outputs: arrays of so many bytes each. Free it by `free`."""

    def __init__(self, sizes: Sequence[int]) -> None:
        import cupy

        self.offsets, size = lay_out(sizes)
        self._start: int = cupy.cuda.runtime.malloc(size)
        self.arrays = [_array(self._start + at, n, self) for at, n in zip(self.offsets, sizes, strict=True)]

    def handle(self) -> str | None:
        """What another process opens the memory by; None where CUDA can't share it."""
        from cupy.cuda import runtime

        try:
            return bytes(runtime.ipcGetMemHandle(self._start)).hex()
        except runtime.CUDARuntimeError:
            return None

    def free(self) -> None:
        from cupy.cuda import runtime

        self.arrays = []
        runtime.free(self._start)


def lay_out(sizes: Sequence[int]) -> tuple[list[int], int]:
    """Where in bytes each array begins, and the size of all together."""
    offsets, end = [], 0
    for size in sizes:
        offsets.append(end)
        end += -(-size // ALIGNMENT) * ALIGNMENT
    return offsets, end


@contextmanager
def open_mailbox(handle: str, sizes: Sequence[int]) -> Iterator[list[Any]]:
    """The arrays in another process's mailbox, as CuPy's bytes, valid inside the block.

    Raises CUDA's own error where the memory can't be opened here.
    """
    from cupy.cuda import runtime

    start = runtime.ipcOpenMemHandle(bytes.fromhex(handle))
    try:
        yield [_array(start + at, n, None) for at, n in zip(lay_out(sizes)[0], sizes, strict=True)]
    finally:
        runtime.ipcCloseMemHandle(start)


def _array(address: int, size: int, owner: object) -> Any:
    import cupy

    memory = cupy.cuda.UnownedMemory(address, size, owner)
    return cupy.ndarray((size,), np.uint8, cupy.cuda.MemoryPointer(memory, 0))
