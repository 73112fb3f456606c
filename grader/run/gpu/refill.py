"""Fresh inputs before every timed replay: made on the device, and again, bit by bit, in NumPy by the judge.

They come from a hash of a counter, so that no element depends on another, and integer arithmetic with one rounding at
the end. Floats are nearly normal; whole numbers and what a problem bounds are evenly spread. The families of inputs for
corner cases are in `grader.problem.inputs`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.plan.poison import BITS, Poison
from grader.problem.coded import CODED
from grader.run.gpu.filling import CENTRE, KINDS, NORMAL, Filling, Words, unit_of

GOLDEN = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_MASK = 2**64 - 1

_CHUNK = 1 << 16

_NAMES = "\n".join(f"#define {name.upper().replace(' ', '_')} {number}" for name, number in KINDS.items())

_FORMATS = "\n".join(
    f"__device__ unsigned to_{name}(float value) {{ "
    f"return to_coded(value, {one.exponent}, {one.fraction}, {one.least}, {one.largest + (not one.saturates)}); }}"
    for name, one in CODED.items()
)

_NUMBERS = f"""
#define GOLDEN {GOLDEN}ull
#define FIRST {_FIRST}ull
#define SECOND {_SECOND}ull
#define CENTRE {CENTRE}
{_NAMES}
"""

SOURCE = (
    _NUMBERS
    + """
typedef unsigned long long word;
struct Segment { word address, count, stream, kind, low, extent; };

// The finaliser of splitmix64 (Steele, Lea and Flood, 2014).
__device__ word mix(word z) {
    z = (z ^ (z >> 30)) * FIRST;
    z = (z ^ (z >> 27)) * SECOND;
    return z ^ (z >> 31);
}

__device__ float normal(word w, float unit) {
    const int total = (int)(w & 0x1fffff) + (int)(w >> 21 & 0x1fffff) + (int)(w >> 42 & 0x1fffff);
    return __fmul_rn((float)(2 * total - CENTRE), unit);
}

// Between two numbers. Rounded twice, as the judge does it: to double and then to the array's type.
__device__ double evenly(word w, word low, word extent) {
    return __dadd_rn(__dmul_rn((double)(w >> 11), __longlong_as_double(extent)), __longlong_as_double(low));
}

__device__ word whole(word w, word low, word extent) { return low + ((w >> 32) * extent >> 32); }

// The same in an array of floats.
__device__ double whole_float(word w, word low, word extent) { return (double)(long long)whole(w, low, extent); }

__device__ unsigned short to_half(double value) {
    unsigned short bits;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(value));
    return bits;
}

// As grader.problem.coded does it. Each step is a multiplication by a power of two, or rounds to a whole number.
__device__ unsigned to_coded(float value, int exponent_bits, int fraction, int least, unsigned above) {
    const double magnitude = fabs((double)value);
    int exponent = (int)(__double_as_longlong(magnitude) >> 52) - 1023;
    exponent = exponent < least ? least : exponent;
    const double per_step = __longlong_as_double((long long)(fraction - exponent + 1023) << 52);
    const unsigned steps = (unsigned)rint(magnitude * per_step);
    const unsigned code = ((unsigned)(exponent - least) << fraction) + steps;
    return (code < above ? code : above) | (unsigned)signbit(value) << (exponent_bits + fraction);
}

"""
    + _FORMATS
    + """

__device__ void fill(const Segment& s, word i, word w, float unit) {
    switch (s.kind) {
        case NORMAL_4: ((float*)s.address)[i] = normal(w, unit); break;
        case NORMAL_2: ((unsigned short*)s.address)[i] = to_half((double)normal(w, unit)); break;
        case EVEN_4: ((float*)s.address)[i] = (float)evenly(w, s.low, s.extent); break;
        case EVEN_2: ((unsigned short*)s.address)[i] = to_half(evenly(w, s.low, s.extent)); break;
        case WHOLE_4: ((unsigned*)s.address)[i] = (unsigned)whole(w, s.low, s.extent); break;
        case WHOLE_1: ((unsigned char*)s.address)[i] = (unsigned char)whole(w, s.low, s.extent); break;
        case NORMAL_8: ((double*)s.address)[i] = (double)normal(w, unit); break;
        case EVEN_8: ((double*)s.address)[i] = evenly(w, s.low, s.extent); break;
        case WHOLE_8: ((word*)s.address)[i] = whole(w, s.low, s.extent); break;
        case NORMAL_BF16: ((unsigned short*)s.address)[i] = to_bf16(normal(w, unit)); break;
        case EVEN_BF16: ((unsigned short*)s.address)[i] = to_bf16((float)evenly(w, s.low, s.extent)); break;
        case NORMAL_E4M3: ((unsigned char*)s.address)[i] = to_e4m3(normal(w, unit)); break;
        case EVEN_E4M3: ((unsigned char*)s.address)[i] = to_e4m3((float)evenly(w, s.low, s.extent)); break;
        case NORMAL_E5M2: ((unsigned char*)s.address)[i] = to_e5m2(normal(w, unit)); break;
        case EVEN_E5M2: ((unsigned char*)s.address)[i] = to_e5m2((float)evenly(w, s.low, s.extent)); break;
        case WHOLE_F4: ((float*)s.address)[i] = (float)whole_float(w, s.low, s.extent); break;
        case WHOLE_F2: ((unsigned short*)s.address)[i] = to_half(whole_float(w, s.low, s.extent)); break;
        case WHOLE_F8: ((double*)s.address)[i] = whole_float(w, s.low, s.extent); break;
        case WHOLE_BF16: ((unsigned short*)s.address)[i] = to_bf16((float)whole_float(w, s.low, s.extent)); break;
        case WHOLE_E4M3: ((unsigned char*)s.address)[i] = to_e4m3((float)whole_float(w, s.low, s.extent)); break;
        case WHOLE_E5M2: ((unsigned char*)s.address)[i] = to_e5m2((float)whole_float(w, s.low, s.extent)); break;
    }
}

__device__ void poison_all(const Segment& segment, word first, word step, unsigned poison) {
    for (word i = first; i < segment.count / 4; i += step) ((unsigned*)segment.address)[i] = poison;
    const word rest = segment.count & ~3ull;
    if (first < segment.count - rest) ((unsigned char*)segment.address)[rest + first] = poison >> 8 * first;
}

// Arrays begin at multiples of more than 4 bytes.
__device__ void copy_all(const Segment& segment, word first, word step) {
    const word whole = segment.count & ~3ull;
    for (word i = first; i < segment.count / 4; i += step)
        ((unsigned*)segment.address)[i] = ((const unsigned*)segment.low)[i];
    if (first < segment.count - whole)
        ((unsigned char*)segment.address)[whole + first] = ((const unsigned char*)segment.low)[whole + first];
}

// One row of the grid for each segment.
extern "C" __global__ void refill(const Segment* segments, word key, float unit, unsigned poison) {
    const Segment segment = segments[blockIdx.y];
    const word first = (word)blockIdx.x * blockDim.x + threadIdx.x, step = (word)gridDim.x * blockDim.x;
    if (segment.kind == POISON) {
        poison_all(segment, first, step, poison);
        return;
    }
    if (segment.kind == COPY) {
        copy_all(segment, first, step);
        return;
    }
    const word start = mix(key + segment.stream * GOLDEN);
    for (word i = first; i < segment.count; i += step) {
        const word w = mix(start + (i + 1) * GOLDEN);
        fill(segment, i, w, unit);
    }
}

// Marks the outputs that no longer hold what `refill` filled them with.
extern "C" __global__ void find_written(const Segment* segments, unsigned poison, unsigned* written) {
    const Segment segment = segments[blockIdx.y];
    const word first = (word)blockIdx.x * blockDim.x + threadIdx.x, step = (word)gridDim.x * blockDim.x;
    const unsigned* const filled = (const unsigned*)segment.address;
    const unsigned* const copied = segment.kind == COPY ? (const unsigned*)segment.low : nullptr;
    bool other = false;
    for (word i = first; i < segment.count / 4; i += step) other |= filled[i] != (copied ? copied[i] : poison);
    const word at = (segment.count & ~3ull) + first;
    if (at < segment.count) {
        const unsigned char last = copied ? ((const unsigned char*)copied)[at] : (unsigned char)(poison >> 8 * first);
        other |= ((const unsigned char*)filled)[at] != last;
    }
    if (other) written[blockIdx.y] = 1;
}
"""
)

POISON_WORD = np.uint32(BITS[Poison.NAN][4])
"""What outputs are poisoned with, word by word."""


@dataclass(frozen=True)
class Span:
    """An array in device memory with `count` elements, and what fills it before each replay."""

    address: int
    count: int
    filling: Filling = NORMAL

    @property
    def nbytes(self) -> int:
        return self.count * self.filling.itemsize


def replay_key(seed: int, side: str, replay: int) -> int:
    """Returns the 64-bit key of all inputs of one replay of one side's graph.

    It is a one-way hash of the session's secret seed: whoever reads one replay's key on the device knows no other's.
    """
    digest = hashlib.blake2b(f"{seed}/{side}/{replay}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def make_values(key: int, stream: int, count: int, sigma: float, filling: Filling = NORMAL) -> npt.NDArray[Any]:
    """Returns what the device writes into input array number `stream`, from 1, of a replay with this key.

    Input array p of buffer set s, both from 0, of n input arrays is number s * n + p + 1.
    """
    start = np.uint64(_mix(key + stream * GOLDEN))
    values = np.empty(count, dtype=filling.dtype)
    for begin in range(0, count, _CHUNK):
        part = values[begin : begin + _CHUNK]
        numbers = np.arange(begin + 1, begin + 1 + part.size, dtype=np.uint64)
        part[:] = filling.make(_mix_words(start + numbers * np.uint64(GOLDEN)), sigma)
    return values


def stream_of(buffer_set: int, arrays: int, position: int) -> int:
    """Returns the number of an input array, as `make_values` takes it."""
    return buffer_set * arrays + position + 1


Row = tuple[int, ...]
"""A segment of the table that the device reads."""


def output_row(span: Span) -> Row:
    """Returns the row of an output, which is poisoned or a copy."""
    return (span.address, span.nbytes, 0, *span.filling.of_output.row)


def grid_of(rows: Sequence[Row]) -> tuple[int, int, int]:
    """Returns enough blocks of 256 threads to fill any GPU; few for each of many short arrays."""
    most = max(count for _, count, *_ in rows)
    return (min(-(-most // 256), max(16384 // len(rows), 1)), len(rows), 1)


class Refill:
    """Writes fresh inputs and poisoned outputs into all buffer sets of one graph, by one launch.

    An input that keeps its contents is None; an output that is also read is a copy. `first` is the number of the first
    buffer set: the judge makes the inputs of a single one again.
    """

    def __init__(
        self,
        module: Any,
        inputs: Sequence[Sequence[Span | None]],
        outputs: Sequence[Sequence[Span]],
        first: int = 0,
    ) -> None:
        import cupy

        rows: list[Row] = [
            (span.address, span.count, stream_of(s, len(spans), p), *span.filling.row)
            for s, spans in enumerate(inputs, first)
            for p, span in enumerate(spans)
            if span is not None
        ]
        rows += [output_row(span) for spans in outputs for span in spans]
        self._kernel = module.get_function("refill")
        self._table = cupy.asarray(np.array(rows, dtype=np.uint64))
        self._grid = grid_of(rows)

    def enqueue(self, stream: Any, key: int, sigma: float) -> None:
        """Enqueues the launch. `key` is that of `replay_key`; `sigma` the standard deviation of the inputs."""
        arguments = (np.uint64(self._table.data.ptr), np.uint64(key), unit_of(sigma), POISON_WORD)
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
