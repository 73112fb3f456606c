"""NumPy's Philox stream made on the GPU, so that the CPU need not make large inputs.

Philox4x64-10 (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011), counted as NumPy counts: the
first block of four words has counter 1. `grader.problem.inputs` turns the words into values.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

CHUNK = 1 << 24

SOURCE = """
typedef unsigned long long word;

// Words `first` to `first + count - 1` of the stream, counted from 0.
extern "C" __global__ void philox(word* words, word first, word count, word key0, word key1) {
    const word block = first / 4 + (word)blockIdx.x * blockDim.x + threadIdx.x;
    if (block * 4 >= first + count) return;
    word c[4] = {block + 1, 0, 0, 0};
    for (int round = 0; round < 10; round++) {
        const word high0 = __umul64hi(0xD2E7470EE14C6C93ull, c[0]), low0 = 0xD2E7470EE14C6C93ull * c[0];
        const word high1 = __umul64hi(0xCA5A826395121157ull, c[2]), low1 = 0xCA5A826395121157ull * c[2];
        c[0] = high1 ^ c[1] ^ key0;
        c[1] = low1;
        c[2] = high0 ^ c[3] ^ key1;
        c[3] = low0;
        key0 += 0x9E3779B97F4A7C15ull;
        key1 += 0xBB67AE8584CAA73Bull;
    }
    for (int lane = 0; lane < 4; lane++) {
        const word at = block * 4 + lane;
        if (at >= first && at < first + count) words[at - first] = c[lane];
    }
}
"""

_THREADS = 256


class GpuPlace:
    """The current device as the place where `grader.problem.inputs` makes arrays."""

    chunk = CHUNK

    def __init__(self) -> None:
        import cupy

        self.xp: Any = cupy

    def words(self, key: int) -> Callable[[int], Any]:
        kernel = _kernel(self.xp.cuda.Device().id)
        keys = np.uint64(key & 2**64 - 1), np.uint64(key >> 64)
        position = 0

        def take(count: int) -> Any:
            nonlocal position
            words = self.xp.empty(count, dtype=np.uint64)
            blocks = (position + count + 3) // 4 - position // 4
            grid = (max(-(-blocks // _THREADS), 1), 1, 1)
            kernel(grid, (_THREADS, 1, 1), (words, np.uint64(position), np.uint64(count), *keys))
            position += count
            return words

        return take


@lru_cache(maxsize=8)
def _kernel(_device: int) -> Any:
    from grader.run.gpu.device_code import load_module

    return load_module(SOURCE).get_function("philox")
