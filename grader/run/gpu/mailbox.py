"""GPU memory through which outputs pass from the process that times to the one that checks them.

The checking process maps it and copies from it. Where CUDA cannot share memory between processes (in WSL 2, for one)
there is no handle, and outputs pass through CPU memory instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

ALIGNMENT = 256


class Mailbox:
    """Room for one set of outputs: arrays of these sizes in bytes. Free it by `free`."""

    def __init__(self, sizes: Sequence[int]) -> None:
        import cupy

        self.offsets, size = lay_out(sizes)
        self._start: int = cupy.cuda.runtime.malloc(size)
        self.arrays = [_array(self._start + at, n, self) for at, n in zip(self.offsets, sizes, strict=True)]

    def handle(self) -> str | None:
        """Returns what another process opens the memory by; None if CUDA cannot share it."""
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
    """Returns the byte offset of each array, and the size of all together."""
    offsets, end = [], 0
    for size in sizes:
        offsets.append(end)
        end += -(-size // ALIGNMENT) * ALIGNMENT
    return offsets, end


@contextmanager
def open_mailbox(handle: str, sizes: Sequence[int]) -> Iterator[list[Any]]:
    """Yields the arrays in another process's mailbox, as CuPy bytes, valid inside the block.

    Raises CUDA's own error if the memory cannot be opened here.
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
