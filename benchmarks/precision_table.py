"""Measures the errors of several kinds of matrix products, divided by what the gates allow: above 1 they are refused.

    python benchmarks/precision_table.py               # kernels on the GPU at hand, in under 90 s
    python benchmarks/precision_table.py --simulate    # the same in NumPy, with tensor cores as a model of them says

It prints Markdown: the error over the allowed one, what share of elements misses the exact inputs' results, and of the
results that truncate how much they lose. Products are of M × N and N × K with up to --rows rows and columns.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.check.compare import compare, without_truncation
from grader.check.formats import FP16, keep_bits
from grader.check.tolerance import UNIT, bounds
from grader.problem import load_problem
from grader.problem.inputs import HOST, make_inputs

Floats32 = npt.NDArray[np.float32]

MATMUL = load_problem(Path(__file__).parents[1] / "problems" / "matmul")
SIZES = tuple(2**power for power in range(6, 14))
SEED = 20260101

SOURCE = """
typedef unsigned bits;

#define PRODUCT(name) extern "C" __global__ void name(const float* A, const float* B, float* C, int M, int N, int K)
#define ELEMENT \\
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x; \\
    if (row >= M || column >= K) return; \\
    A += (long long)row * N; \\
    B += column; \\
    C += (long long)row * K + column

PRODUCT(forwards) {
    ELEMENT;
    float sum = 0;
    for (int i = 0; i < N; i++) sum = fmaf(A[i], B[(long long)i * K], sum);
    *C = sum;
}

PRODUCT(backwards) {
    ELEMENT;
    float sum = 0;
    for (int i = N - 1; i >= 0; i--) sum = fmaf(A[i], B[(long long)i * K], sum);
    *C = sum;
}

// 32 partial sums, each of every 32nd term, added in pairs as a warp does it.
PRODUCT(lanes) {
    ELEMENT;
    float sums[32] = {};
    for (int i = 0; i < N; i += 32) {
#pragma unroll
        for (int lane = 0; lane < 32; lane++)
            sums[lane] = fmaf(A[i + lane], B[(long long)(i + lane) * K], sums[lane]);
    }
#pragma unroll
    for (int half = 16; half; half /= 2) {
#pragma unroll
        for (int lane = 0; lane < half; lane++) sums[lane] += sums[lane + half];
    }
    *C = sums[0];
}

// With what each addition lost carried on (Kahan, 1965).
PRODUCT(compensated) {
    ELEMENT;
    float sum = 0, lost = 0;
    for (int i = 0; i < N; i++) {
        const float term = __fsub_rn(__fmul_rn(A[i], B[(long long)i * K]), lost), next = __fadd_rn(sum, term);
        lost = __fsub_rn(__fsub_rn(next, sum), term);
        sum = next;
    }
    *C = sum;
}

PRODUCT(truncating) {
    ELEMENT;
    float sum = 0;
    for (int i = 0; i < N; i++) sum = __fmaf_rz(A[i], B[(long long)i * K], sum);
    *C = sum;
}

// One warp for 16 x 8 elements: lane 4 g + t has rows g and g + 8, columns 2 t and 2 t + 1.
#define TILE \\
    const int g = threadIdx.x / 4, t = threadIdx.x % 4; \\
    A += (blockIdx.y * 16ll + g) * N; \\
    B += blockIdx.x * 8 + g; \\
    C += (blockIdx.y * 16ll + g) * K + blockIdx.x * 8 + 2 * t; \\
    float c[4] = {}
#define WRITE C[0] = c[0], C[1] = c[1], C[8ll * K] = c[2], C[8ll * K + 1] = c[3]

__device__ bits tf32(float x) {
    bits made;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(made) : "f"(x));
    return made;
}

__device__ void mma_tf32(float* c, const bits* a, const bits* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define OPERANDS_8(i) \\
    const float a[4] = {A[i + t], A[8ll * N + i + t], A[i + t + 4], A[8ll * N + i + t + 4]}; \\
    const float b[2] = {B[(long long)(i + t) * K], B[(long long)(i + t + 4) * K]}

__device__ void three(float* c, const float* a, const float* b) {
    bits high_a[4], low_a[4], high_b[2], low_b[2];
    for (int j = 0; j < 4; j++) high_a[j] = tf32(a[j]), low_a[j] = tf32(a[j] - __uint_as_float(high_a[j]));
    for (int j = 0; j < 2; j++) high_b[j] = tf32(b[j]), low_b[j] = tf32(b[j] - __uint_as_float(high_b[j]));
    mma_tf32(c, low_a, high_b);
    mma_tf32(c, high_a, low_b);
    mma_tf32(c, high_a, high_b);
}

PRODUCT(three_tf32) {
    TILE;
    for (int i = 0; i < N; i += 8) {
        OPERANDS_8(i);
        three(c, a, b);
    }
    WRITE;
}

// The tensor core sums 8 terms; the sums of these are added by the cores of the SM.
PRODUCT(three_tf32_staged) {
    TILE;
    for (int i = 0; i < N; i += 8) {
        OPERANDS_8(i);
        float part[4] = {};
        three(part, a, b);
        for (int j = 0; j < 4; j++) c[j] += part[j];
    }
    WRITE;
}

PRODUCT(tf32_rounded) {
    TILE;
    for (int i = 0; i < N; i += 8) {
        OPERANDS_8(i);
        const bits x[4] = {tf32(a[0]), tf32(a[1]), tf32(a[2]), tf32(a[3])}, y[2] = {tf32(b[0]), tf32(b[1])};
        mma_tf32(c, x, y);
    }
    WRITE;
}

// The tensor core itself ignores the low 13 bits.
PRODUCT(tf32_truncated) {
    TILE;
    for (int i = 0; i < N; i += 8) {
        OPERANDS_8(i);
        bits x[4], y[2];
        for (int j = 0; j < 4; j++) x[j] = __float_as_uint(a[j]);
        for (int j = 0; j < 2; j++) y[j] = __float_as_uint(b[j]);
        mma_tf32(c, x, y);
    }
    WRITE;
}

#define MMA_16(name, type) \\
    __device__ void name(float* c, const bits* a, const bits* b) { \\
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 " \\
                     "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \\
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) \\
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); \\
    }
MMA_16(mma_half, "f16")
MMA_16(mma_bf16, "bf16")

__device__ bits halves(float low, float high) {
    bits made;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(made) : "f"(high), "f"(low));
    return made;
}

// The two upper halves of words that hold bf16 numbers.
__device__ bits pair(bits low, bits high) { return low >> 16 | (high & 0xffff0000u); }

__device__ bits bf16(float x) {
    const bits word = __float_as_uint(x);
    return (word + 0x7fffu + (word >> 16 & 1)) & 0xffff0000u;
}

#define OPERANDS_16(i) \\
    float a[8], b[4]; \\
    for (int j = 0; j < 8; j++) a[j] = A[j / 2 % 2 * 8ll * N + i + j / 4 * 8 + 2 * t + j % 2]; \\
    for (int j = 0; j < 4; j++) b[j] = B[(long long)(i + j / 2 * 8 + 2 * t + j % 2) * K]

PRODUCT(half_inputs) {
    TILE;
    for (int i = 0; i < N; i += 16) {
        OPERANDS_16(i);
        bits x[4], y[2];
        for (int j = 0; j < 4; j++) x[j] = halves(a[2 * j], a[2 * j + 1]);
        for (int j = 0; j < 2; j++) y[j] = halves(b[2 * j], b[2 * j + 1]);
        mma_half(c, x, y);
    }
    WRITE;
}

// Products of parts i and j with i + j up to `most`, the small ones first: 0 is bf16, 1 bf16x3, 4 bf16x9.
__device__ void parts_of(bits (*parts)[4], const float* values, int count) {
    for (int j = 0; j < count; j += 2) {
        float left[2] = {values[j], values[j + 1]};
        for (int part = 0; part < 3; part++) {
            const bits made[2] = {bf16(left[0]), bf16(left[1])};
            parts[part][j / 2] = pair(made[0], made[1]);
            for (int k = 0; k < 2; k++) left[k] -= __uint_as_float(made[k]);
        }
    }
}

template <int most> __device__ void split(const float* A, const float* B, float* C, int N, int K) {
    TILE;
    for (int i = 0; i < N; i += 16) {
        OPERANDS_16(i);
        bits x[3][4], y[3][4];
        parts_of(x, a, 8);
        parts_of(y, b, 4);
#pragma unroll
        for (int sum = most; sum >= 0; sum--) {
#pragma unroll
            for (int first = 0; first <= 2; first++) {
                if (sum - first >= 0 && sum - first <= 2) mma_bf16(c, x[first], y[sum - first]);
            }
        }
    }
    WRITE;
}

PRODUCT(bf16_inputs) { split<0>(A, B, C, N, K); }
PRODUCT(three_bf16) { split<1>(A, B, C, N, K); }
PRODUCT(nine_bf16) { split<4>(A, B, C, N, K); }
"""


@dataclass(frozen=True)
class Row:
    """A kind of product: its kernel, whether a warp makes 16 x 8 elements or a thread one, and the same in NumPy."""

    name: str
    kernel: str
    tiles: bool
    simulate: Callable[[Floats32, Floats32], Floats32]


def in_turn(a: Floats32, b: Floats32, rounded: Callable[[Any], Floats32] = np.float32) -> Floats32:
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        total = rounded(total.astype(np.float64) + np.outer(a[:, k].astype(np.float64), b[k].astype(np.float64)))
    return total


def in_lanes(a: Floats32, b: Floats32) -> Floats32:
    sums = [in_turn(a[:, lane::32], b[lane::32]) for lane in range(32)]
    while len(sums) > 1:
        sums = [low + high for low, high in zip(sums[: len(sums) // 2], sums[len(sums) // 2 :], strict=True)]
    return sums[0]


def with_compensation(a: Floats32, b: Floats32) -> Floats32:
    total = lost = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        term = np.outer(a[:, k], b[k]) - lost
        following = total + term
        total, lost = following, (following - total) - term
    return total


def towards_zero(values: npt.NDArray[np.float64]) -> Floats32:
    nearest = values.astype(np.float32)
    beyond = np.abs(nearest.astype(np.float64)) > np.abs(values)
    return np.where(beyond, np.nextafter(nearest, np.float32(0)), nearest)


def tensor_core(pairs: Sequence[tuple[Floats32, Floats32]], terms: int, more: int) -> Floats32:
    """The products of all pairs in one accumulator, as a tensor core adds them (Fasi, Higham, Mikaitis, Pranesh, 2021).

    Each step takes `terms` exact products, moves them and the accumulator to the exponent of the largest, cuts off what
    lies `more` bits behind the last place of a float, adds, and rounds towards zero.
    """
    total = np.zeros((pairs[0][0].shape[0], pairs[0][1].shape[1]), np.float32)
    for k in range(0, pairs[0][0].shape[1], terms):
        for a, b in pairs:
            left = a[:, k : k + terms].astype(np.float64)[:, None]
            products = left * b[k : k + terms].astype(np.float64).T[None]
            largest = np.maximum(np.abs(products).max(axis=-1), np.abs(total.astype(np.float64)))
            last = np.ldexp(1.0, np.frexp(np.where(largest > 0, largest, 1.0))[1] - 24 - more)
            whole = np.trunc(total / last) + np.trunc(products / last[..., None]).sum(axis=-1)
            total = towards_zero(whole * last)
    return total


def parts(x: Floats32, bits: int, count: int) -> list[Floats32]:
    """Splits floats into sums of `count` numbers with fewer bits."""
    found = []
    for _ in range(count):
        found.append(keep_bits(bits, nearest=True)(x))
        x = x - found[-1]
    return found


def split_product(a: Floats32, b: Floats32, bits: int, most: int, terms: int, more: int) -> Floats32:
    """All products of parts i and j with i + j up to `most`, the small ones first. A part has `bits` stored bits."""
    count = 3 if bits == 7 else 2
    x, y = parts(a, bits, count), parts(b, bits, count)
    order = sorted(((i + j, i, j) for i in range(count) for j in range(count) if i + j <= most), key=lambda p: -p[0])
    return tensor_core([(x[i], y[j]) for _, i, j in order], terms, more)


TF32_TERMS, HALF_TERMS, MORE_BITS = 8, 16, 2
"""What a step of an H100 takes, and the bits behind a float's last (Khattak and Mikaitis, 2025)."""


def three_tf32(a: Floats32, b: Floats32) -> Floats32:
    return split_product(a, b, 10, 1, TF32_TERMS, MORE_BITS)


def staged(a: Floats32, b: Floats32) -> Floats32:
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(0, a.shape[1], 8):
        total = total + three_tf32(a[:, k : k + 8], b[k : k + 8])
    return total


def reduced(round_to: Callable[[Floats32], Floats32], terms: int) -> Callable[[Floats32, Floats32], Floats32]:
    return lambda a, b: tensor_core([(round_to(a), round_to(b))], terms, MORE_BITS)


def bf16_parts(most: int) -> Callable[[Floats32, Floats32], Floats32]:
    return lambda a, b: split_product(a, b, 7, most, HALF_TERMS, MORE_BITS)


ROWS = (
    Row("fp32, in turn", "forwards", False, in_turn),
    Row("fp32, backwards", "backwards", False, lambda a, b: in_turn(a[:, ::-1], b[::-1])),
    Row("fp32, 32 partial sums added in pairs", "lanes", False, in_lanes),
    Row("fp32, compensated", "compensated", False, with_compensation),
    Row("fp32, each addition truncated", "truncating", False, lambda a, b: in_turn(a, b, towards_zero)),
    Row("3xTF32, one accumulator", "three_tf32", True, three_tf32),
    Row("3xTF32, steps added in fp32", "three_tf32_staged", True, staged),
    Row("bf16x9, one accumulator", "nine_bf16", True, bf16_parts(4)),
    Row("bf16x3, one accumulator", "three_bf16", True, bf16_parts(1)),
    Row("TF32 inputs, rounded", "tf32_rounded", True, reduced(keep_bits(10, nearest=True), TF32_TERMS)),
    Row("TF32 inputs, truncated", "tf32_truncated", True, reduced(keep_bits(10, nearest=False), TF32_TERMS)),
    Row("fp16 inputs", "half_inputs", True, reduced(FP16.round, HALF_TERMS)),
    Row("bf16 inputs", "bf16_inputs", True, bf16_parts(0)),
)

Made = Callable[[Row, dict[str, Any]], Any]


def on_gpu() -> Made:
    """Makes products by kernels on the current device."""
    import cupy

    from grader.run.gpu.device_code import load_module

    module = load_module(SOURCE)

    def make(row: Row, inputs: dict[str, Any]) -> Any:
        a, b = inputs["A"], inputs["B"]
        (m, n), k = a.shape, b.shape[1]
        c = cupy.full((m, k), np.nan, np.float32)
        grid, block = ((k // 8, m // 16, 1), (32, 1, 1)) if row.tiles else ((k // 32, m // 8, 1), (32, 8, 1))
        module.get_function(row.kernel)(grid, block, (a, b, c, np.int32(m), np.int32(n), np.int32(k)))
        cupy.cuda.Device().synchronize()
        return c

    return make


def simulated(row: Row, inputs: dict[str, Any]) -> Any:
    return row.simulate(inputs["A"], inputs["B"])


@dataclass(frozen=True)
class Cell:
    """The error over the allowed one and the share lost in u of normal inputs; the share that misses of exact ones."""

    over: float
    lost: float
    missed: float


def measured(row: Row, made: Made, cases: dict[str, Any]) -> Cell:
    inputs, bound = cases["normal"]
    got = made(row, inputs)
    error = compare(bound, got, got != got).error
    rest, allowed, aggregate = without_truncation(bound, error)
    over = max(float((abs(rest) / allowed).max()), sqrt(float((rest**2).mean())) / aggregate)
    reference = bound.reference
    lost = -float((error * reference).sum()) / float((reference**2).sum()) / UNIT
    inputs, bound = cases["exact"]
    exact = made(row, inputs)
    return Cell(over, lost, float((exact != bound.expected).mean()))


def tried(row: Row, made: Made, cases: dict[str, Any]) -> Cell | Exception:
    """Measures one cell; returns the exception if it fails, so that the others can be shown."""
    try:
        return measured(row, made, cases)
    except Exception as error:
        return error


def table(title: str, sizes: Sequence[int], lines: Sequence[tuple[str, Sequence[str]]]) -> None:
    print(f"\n{title}\n\n| product | {' | '.join(f'N = {n}' for n in sizes)} |\n|---|{'---:|' * len(sizes)}")
    for name, cells in lines:
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def digits(value: float) -> str:
    return f"{value:.2g}" if abs(value) < 10 else f"{value:,.0f}"


def run(made: Made, place: Any, sizes: Sequence[int], rows: int, products: Sequence[Row] = ROWS) -> int:
    """Prints the tables and returns the number of cells that failed."""
    found: dict[tuple[str, int], Cell | Exception] = {}
    for n in sizes:
        began = time.perf_counter()
        shape = {"M": min(n, rows), "N": n, "K": min(n, rows)}
        cases = {}
        for family in ("normal", "exact"):
            inputs = make_inputs(MATMUL, shape, family, SEED, place)
            cases[family] = (inputs, bounds(MATMUL, shape, family, inputs)["C"])
        for row in products:
            found[row.name, n] = tried(row, made, cases)
        print(f"N = {n}: {time.perf_counter() - began:.1f} s", file=sys.stderr, flush=True)

    def lines(show: Callable[[Cell], str]) -> list[tuple[str, list[str]]]:
        def cell(at: Cell | Exception) -> str:
            return show(at) if isinstance(at, Cell) else "failed"

        return [(row.name, [cell(found[row.name, n]) for n in sizes]) for row in products]

    table("Error over the allowed one, normal inputs:", sizes, lines(lambda cell: digits(cell.over)))
    table("Share of the results that is lost, in u of 2^-24:", sizes, lines(lambda cell: digits(cell.lost)))
    table("Elements that miss the exact inputs' results:", sizes, lines(lambda cell: f"{100 * cell.missed:.3g} %"))
    failed = [(at, cell) for at, cell in found.items() if isinstance(cell, Exception)]
    for (name, n), error in failed:
        print(f"\n{name}, N = {n}: {type(error).__name__}: {error}", file=sys.stderr)
    return len(failed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulate", action="store_true", help="NumPy in place of a GPU")
    parser.add_argument("--rows", type=int, help="rows and columns at most: multiples of 32, or any when simulated")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the largest N")
    chosen = parser.parse_args()
    sizes = [n for n in SIZES if n <= chosen.most]
    if chosen.simulate:
        sys.exit(run(simulated, HOST, sizes, chosen.rows or 16) > 0)
    from grader.run.gpu.philox import GpuPlace

    sys.exit(run(on_gpu(), GpuPlace(), sizes, chosen.rows or 2048) > 0)


if __name__ == "__main__":
    main()
