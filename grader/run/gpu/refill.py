"""Fresh inputs before every timed replay: made on the device, and again, bit by bit, in NumPy by the judge.

A hash of a counter, so that no element depends on another, and integer arithmetic with one rounding at the end.
It makes one family of inputs, nearly normal ones; the families that corner cases need are in `grader.inputs`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.run.poison import BITS, Poison

Words = npt.NDArray[np.uint64]

GOLDEN = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_MASK = 2**64 - 1

_CENTRE = 3 * (2**21 - 1)
_PRIME = 1048573
"""Near 2^20: dividing by it leaves values that use all 24 bits of a float's significand."""

_CHUNK = 1 << 16

_NUMBERS = f"""
#define GOLDEN {GOLDEN}ull
#define FIRST {_FIRST}ull
#define SECOND {_SECOND}ull
#define CENTRE {_CENTRE}
"""

SOURCE = (
    _NUMBERS
    + """
typedef unsigned long long word;
struct Segment { word address, count, stream; };

// The finaliser of splitmix64 (Steele, Lea and Flood, 2014).
__device__ word mix(word z) {
    z = (z ^ (z >> 30)) * FIRST;
    z = (z ^ (z >> 27)) * SECOND;
    return z ^ (z >> 31);
}

// One row of the grid for each segment. Stream 0 is an output, to be poisoned.
extern "C" __global__ void refill(const Segment* segments, word key, float unit, unsigned poison) {
    const Segment segment = segments[blockIdx.y];
    const word start = mix(key + segment.stream * GOLDEN);
    const word step = (word)gridDim.x * blockDim.x;
    for (word i = (word)blockIdx.x * blockDim.x + threadIdx.x; i < segment.count; i += step) {
        if (segment.stream == 0) {
            ((unsigned*)segment.address)[i] = poison;
            continue;
        }
        const word w = mix(start + (i + 1) * GOLDEN);
        const int total = (int)(w & 0x1fffff) + (int)(w >> 21 & 0x1fffff) + (int)(w >> 42 & 0x1fffff);
        ((float*)segment.address)[i] = __fmul_rn((float)(2 * total - CENTRE), unit);
    }
}
"""
)


@dataclass(frozen=True)
class Span:
    """A float32 array in device memory."""

    address: int
    count: int


def replay_key(seed: int, side: str, replay: int) -> int:
    """The 64-bit key of all inputs of one replay of one side's graph.

    From the session's secret seed, by a hash that can't be run backwards: whoever reads one replay's key on
    the device knows no other's.
    """
    digest = hashlib.blake2b(f"{seed}/{side}/{replay}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def make_values(key: int, stream: int, count: int, sigma: float) -> npt.NDArray[np.float32]:
    """What the device writes into input array number `stream`, from 1, of a replay with this key.

    Input array p of buffer set s, both from 0, of n input arrays is number s * n + p + 1.
    """
    start = np.uint64(_mix(key + stream * GOLDEN))
    values = np.empty(count, dtype=np.float32)
    for begin in range(0, count, _CHUNK):
        part = values[begin : begin + _CHUNK]
        numbers = np.arange(begin + 1, begin + 1 + part.size, dtype=np.uint64)
        words = _mix_words(start + numbers * np.uint64(GOLDEN))
        bits = np.uint64(2**21 - 1)
        total = (words & bits) + (words >> np.uint64(21) & bits) + (words >> np.uint64(42) & bits)
        part[:] = (2 * total.astype(np.int32) - np.int32(_CENTRE)).astype(np.float32) * unit_of(sigma)
    return values


def stream_of(buffer_set: int, arrays: int, position: int) -> int:
    """The number of an input array, as `make_values` takes it."""
    return buffer_set * arrays + position + 1


def unit_of(sigma: float) -> Any:
    """What the integers are scaled by: three uniform values of this size have a standard deviation of sigma."""
    return np.float32(sigma / (2 * _PRIME))


class Refill:
    """Writes fresh inputs and poisoned outputs into all buffer sets of one graph, by one launch.

    `first` is the number of the first buffer set: the judge makes the inputs of a single one again.
    """

    def __init__(
        self,
        module: Any,
        inputs: Sequence[Sequence[Span]],
        outputs: Sequence[Sequence[Span]],
        first: int = 0,
    ) -> None:
        import cupy

        rows = [
            (span.address, span.count, stream_of(s, len(spans), p))
            for s, spans in enumerate(inputs, first)
            for p, span in enumerate(spans)
        ]
        rows += [(span.address, span.count, 0) for spans in outputs for span in spans]
        self._kernel = module.get_function("refill")
        self._table = cupy.asarray(np.array(rows, dtype=np.uint64))
        # Enough threads to fill any GPU; few blocks for each of many short arrays.
        most = max(count for _, count, _ in rows)
        self._grid = (min(-(-most // 256), max(16384 // len(rows), 1)), len(rows), 1)
        self._poison = np.uint32(BITS[Poison.NAN][4])

    def enqueue(self, stream: Any, key: int, sigma: float) -> None:
        """Queue the launch. `key` is that of `replay_key`; `sigma` the inputs' standard deviation."""
        arguments = (np.uint64(self._table.data.ptr), np.uint64(key), unit_of(sigma), self._poison)
        self._kernel(self._grid, (256, 1, 1), arguments, stream=stream)


def _mix(z: int) -> int:
    z &= _MASK
    z = (z ^ z >> 30) * _FIRST & _MASK
    z = (z ^ z >> 27) * _SECOND & _MASK
    return z ^ z >> 31


def _mix_words(z: Words) -> Words:
    z = (z ^ z >> np.uint64(30)) * np.uint64(_FIRST)
    z = (z ^ z >> np.uint64(27)) * np.uint64(_SECOND)
    mixed: Words = z ^ z >> np.uint64(31)
    return mixed
