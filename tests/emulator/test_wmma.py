"""wmma, by way of mma.h: shapes, types, layouts and state spaces against NumPy, and the emulator against a GPU."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from .cases import Case
from .emulated import on_emulator
from .fragments import Array, codes, number, width
from .harness import compile_ptx
from .test_hardware import gpu_present, on_gpu

_C_NAME = {
    "f16": "half", "bf16": "__nv_bfloat16", "tf32": "float", "f64": "double", "s8": "signed char",
    "u8": "unsigned char", "f32": "float", "s32": "int", "s4": "int", "u4": "int", "b1": "int",
}  # fmt: skip
_TAG = {
    "tf32": "wmma::precision::tf32",
    **{kind: f"wmma::experimental::precision::{kind}" for kind in ("s4", "u4", "b1")},
}
_DTYPE = {"f16": "f2", "f32": "f4", "f64": "f8", "s32": "i4"}
_PAD_BYTES = 16
"""Behind each line in memory, so that a stride is more than the default."""


@dataclass(frozen=True)
class Wmma:
    """One product; the layouts are those of A, B, C and D in memory: r for row-major, c for column-major."""

    m: int
    n: int
    k: int
    kind: str
    sums: str
    layouts: str = "rcrr"
    space: str = "global"
    combine: str = ""

    def __str__(self) -> str:
        shape = f"m{self.m}n{self.n}k{self.k}"
        return "-".join(filter(None, (shape, self.kind, self.sums, self.layouts, self.space, self.combine)))


LARGE = [(16, 16, 16), (32, 8, 16), (8, 32, 16)]
WMMAS = [
    *(
        Wmma(*shape, kind, sums, layouts)
        for shape in LARGE
        for kind, sums in (("f16", "f32"), ("f16", "f16"), ("bf16", "f32"), ("s8", "s32"), ("u8", "s32"))
        for layouts in ("rcrr", "crcc")
    ),
    *(Wmma(16, 16, 8, "tf32", "f32", layouts) for layouts in ("rcrr", "crcc", "rrcr")),
    *(Wmma(8, 8, 4, "f64", "f64", layouts) for layouts in ("rcrr", "crcc")),
    *(Wmma(8, 8, 32, kind, "s32") for kind in ("s4", "u4")),
    Wmma(8, 8, 128, "b1", "s32", combine="XOR"),
    Wmma(8, 8, 128, "b1", "s32", combine="AND"),
    *(
        Wmma(16, 16, 16, kind, sums, layouts, space)
        for space in ("shared", "generic")
        for kind, sums, layouts in (("f16", "f32", "rrrr"), ("f16", "f16", "ccrc"), ("s8", "s32", "rccr"))
    ),
]


def source(w: Wmma, strides: tuple[int, int, int, int]) -> str:
    """A kernel of one warp; what is to be in shared memory goes there and back, generic pointers are hidden."""
    operand, sums = _C_NAME[w.kind], _C_NAME[w.sums]
    tag = _TAG.get(w.kind, operand)
    layout = {"r": "wmma::row_major", "c": "wmma::col_major"}
    memory = {"r": "wmma::mem_row_major", "c": "wmma::mem_col_major"}
    shape = f"{w.m}, {w.n}, {w.k}"
    product = "mma_sync(fd, fa, fb, fc)"
    if w.combine:
        product = f"bmma_sync(fd, fa, fb, fc, wmma::experimental::bmmaBitOp{w.combine})"
    staged = w.space == "shared"
    names = [f"s_{name}" if staged else name for name in "abcd"]
    if w.space == "generic":
        names = [f"hidden({name})" for name in "abcd"]
    declare = "\n".join(
        f"__shared__ __align__(32) {kind} s_{name}[2048]; for (int i = threadIdx.x; i < size_{name}; i += 32) "
        f"s_{name}[i] = {name}[i];"
        for name, kind in zip("abcd", (operand, operand, sums, sums), strict=True)
    )
    back = "for (int i = threadIdx.x; i < size_d; i += 32) d[i] = s_d[i];"
    return f"""
#include <mma.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
using namespace nvcuda;
template <class T> __device__ T* hidden(T* p) {{ asm volatile("" : "+l"(p)); return p; }}
extern "C" __global__ void apply(const {operand}* a, const {operand}* b, const {sums}* c, {sums}* d,
                                 int size_a, int size_b, int size_c, int size_d) {{
    {declare if staged else ""}
    __syncthreads();
    wmma::fragment<wmma::matrix_a, {shape}, {tag}, {layout[w.layouts[0]]}> fa;
    wmma::fragment<wmma::matrix_b, {shape}, {tag}, {layout[w.layouts[1]]}> fb;
    wmma::fragment<wmma::accumulator, {shape}, {sums}> fc, fd;
    wmma::load_matrix_sync(fa, {names[0]}, {strides[0]});
    wmma::load_matrix_sync(fb, {names[1]}, {strides[1]});
    wmma::load_matrix_sync(fc, {names[2]}, {strides[2]}, {memory[w.layouts[2]]});
    wmma::{product};
    wmma::store_matrix_sync({names[3]}, fd, {strides[3]}, {memory[w.layouts[3]]});
    __syncthreads();
    {back if staged else ""}
}}"""


def laid_out(matrix: Array, layout: str, bits: int) -> tuple[Array, int]:
    """A matrix of codes in memory, its lines padded, and its stride in elements."""
    lines = matrix if layout == "r" else matrix.T
    padded = np.pad(lines, ((0, 0), (0, _PAD_BYTES * 8 // bits)))
    if bits < 8:
        per_word = 32 // bits
        words = padded.astype("u8").reshape(len(padded), -1, per_word)
        return (words << np.arange(0, 32, bits, dtype="u8")).sum(axis=2, dtype="u8").astype("u4"), padded.shape[1]
    return np.ascontiguousarray(padded), padded.shape[1]


def read_back(array: Array, layout: str, m: int, n: int) -> tuple[Array, Array]:
    """(the matrix, what lies behind its lines)"""
    lines, length = (m, n) if layout == "r" else (n, m)
    padded = array.reshape(lines, -1)
    matrix = padded[:, :length]
    return (matrix if layout == "r" else matrix.T), padded[:, length:]


def operands(w: Wmma) -> tuple[Array, Array, Array]:
    """A and B, as codes but for f64, and C."""
    rng = np.random.default_rng(11)
    if w.kind == "f64":
        a, b = rng.normal(size=(w.m, w.k)), rng.normal(size=(w.k, w.n))
    else:
        a, b = codes(w.kind, (w.m, w.k), 1), codes(w.kind, (w.k, w.n), 2)
    c = rng.integers(-1000, 1000, (w.m, w.n)) if w.sums == "s32" else rng.normal(size=(w.m, w.n))
    return a, b, c.astype(_DTYPE[w.sums])


_STORED = {"f16": "u2", "bf16": "u2", "tf32": "u4", "s8": "u1", "u8": "u1", "f64": "f8"}


def case_of(w: Wmma, a: Array, b: Array, c: Array) -> tuple[str, Case]:
    d = np.full((w.m, w.n), 7, c.dtype)
    arrays: dict[str, Any] = {}
    strides = []
    for name, matrix, layout in zip("abcd", (a, b, c, d), w.layouts, strict=True):
        bits = width(w.kind) if name in "ab" else 8 * c.itemsize
        stored, stride = laid_out(matrix, layout, bits)
        kind = _STORED.get(w.kind, "u4") if name in "ab" else stored.dtype
        arrays[name] = stored.astype(kind).ravel()
        strides.append(stride)
    sizes = {f"size_{name}": int(array.size) for name, array in list(arrays.items())}
    text = source(w, (strides[0], strides[1], strides[2], strides[3]))
    return compile_ptx(text), Case("", "apply", (1, 1, 1), (32, 1, 1), {**arrays, **sizes})


def expected(w: Wmma, a: Array, b: Array, c: Array) -> Array:
    if w.kind == "b1":
        both = np.bitwise_xor if w.combine == "XOR" else np.bitwise_and
        return (c + both(a[:, :, None], b[None]).sum(axis=1)).astype("i4")
    left, right = (a, b) if w.kind == "f64" else (number(w.kind, a), number(w.kind, b))
    sums = c.astype("i8" if w.sums == "s32" else "f8")
    for k in range(w.k):
        sums = sums + left[:, k, None] * right[None, k]
    return sums.astype(c.dtype)


@pytest.mark.parametrize("w", WMMAS, ids=str)
def test_products(w: Wmma) -> None:
    a, b, c = operands(w)
    ptx, case = case_of(w, a, b, c)
    got, behind = read_back(on_emulator(ptx, case).arrays["d"], w.layouts[3], w.m, w.n)
    wanted = expected(w, a, b, c)
    if w.kind == "f64":
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-14)
    else:
        np.testing.assert_array_equal(got, wanted)
    assert not behind.any()


@pytest.mark.gpu
@pytest.mark.skipif(not gpu_present(), reason="no NVIDIA GPU")
@pytest.mark.parametrize("w", WMMAS, ids=str)
def test_products_on_hardware(w: Wmma) -> None:
    a, b, c = operands(w)
    ptx, case = case_of(w, a, b, c)
    got, _ = read_back(on_gpu(ptx, case).arrays["d"], w.layouts[3], w.m, w.n)
    wanted, _ = read_back(on_emulator(ptx, case).arrays["d"], w.layouts[3], w.m, w.n)
    if w.sums == "s32":
        np.testing.assert_array_equal(got, wanted)
        return
    left, right = (a, b) if w.kind == "f64" else (number(w.kind, a), number(w.kind, b))
    terms = np.abs(c.astype("f8")) + np.abs(left) @ np.abs(right)
    lost = {"f64": 2**-50, "f16": 2**-9, "f32": 2**-20}[w.sums]
    assert (np.abs(got.astype("f8") - wanted) <= terms * lost).all()


# Fragments as threads see them

HELD = """
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void held(const half* a, const half* b, const float* c,
                                float* out_a, float* out_b, float* out_c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
    for (int i = 0; i < fa.num_elements; i++) out_a[threadIdx.x * fa.num_elements + i] = fa.x[i];
    for (int i = 0; i < fb.num_elements; i++) out_b[threadIdx.x * fb.num_elements + i] = fb.x[i];
    for (int i = 0; i < fc.num_elements; i++) out_c[threadIdx.x * fc.num_elements + i] = fc.x[i];
}
extern "C" __global__ void scaled(float* c, float by, float add) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> f, sums;
    wmma::load_matrix_sync(f, c, 16, wmma::mem_col_major);
    wmma::fill_fragment(sums, add);
    for (int i = 0; i < f.num_elements; i++) sums.x[i] += by * f.x[i];
    wmma::store_matrix_sync(c, sums, 16, wmma::mem_row_major);
}
"""


def held_case() -> Case:
    index = np.arange(256)
    arrays = {"a": index.astype("f2"), "b": index.astype("f2"), "c": index.astype("f4")}
    outputs = {f"out_{name}": np.zeros(32 * count, "f4") for name, count in (("a", 16), ("b", 16), ("c", 8))}
    return Case("", "held", (1, 1, 1), (32, 1, 1), {**arrays, **outputs})


def test_fragments_are_those_of_hardware() -> None:
    """Element i of lane 4 g + t, as the row and column that GPUs since compute capability 7.5 hold there."""
    arrays = on_emulator(compile_ptx(HELD), held_case()).arrays
    lane, i = np.arange(32)[:, None], np.arange(8)[None]
    g, t = lane // 4, lane % 4
    low, middle, high = i & 1, i >> 1 & 1, i >> 2
    a = (g + 8 * middle) * 16 + 2 * t + low + 8 * high
    b = (2 * t + low + 8 * middle) * 16 + g + 8 * high
    c = (g + 8 * middle) * 16 + 2 * t + low + 8 * high
    np.testing.assert_array_equal(arrays["out_a"].reshape(32, 16), np.hstack([a, a]))
    np.testing.assert_array_equal(arrays["out_b"].reshape(32, 16), np.hstack([b, b]))
    np.testing.assert_array_equal(arrays["out_c"].reshape(32, 8), c)


@pytest.mark.gpu
@pytest.mark.skipif(not gpu_present(), reason="no NVIDIA GPU")
def test_fragments_on_hardware() -> None:
    ptx, case = compile_ptx(HELD), held_case()
    got, wanted = on_gpu(ptx, case).arrays, on_emulator(ptx, case).arrays
    for name in ("out_a", "out_b", "out_c"):
        np.testing.assert_array_equal(got[name], wanted[name], err_msg=name)


def test_elements_of_a_fragment_may_be_changed() -> None:
    c = np.arange(256, dtype="f4")
    case = Case("", "scaled", (1, 1, 1), (32, 1, 1), {"c": c, "by": np.float32(3), "add": np.float32(0.5)})
    got = on_emulator(compile_ptx(HELD), case).arrays["c"].reshape(16, 16)
    np.testing.assert_array_equal(got, 3 * c.reshape(16, 16).T + 0.5)


def test_the_default_stride_is_the_matrix_itself() -> None:
    w = Wmma(32, 8, 16, "f16", "f32", "crcr")
    a, b, c = operands(w)
    ptx, case = case_of(w, a, b, c)
    loads = [line for line in ptx.splitlines() if "wmma.load" in line or "wmma.store" in line]
    for line in loads:
        ptx = ptx.replace(line, line[: line.rindex(",")] + ";")
    tight = {
        name: np.ascontiguousarray(matrix if layout == "r" else matrix.T).astype(case.arguments[name].dtype).ravel()
        for name, matrix, layout in zip("abcd", (a, b, c, np.zeros_like(c)), w.layouts, strict=True)
    }
    outcome = on_emulator(ptx, replace(case, arguments={**case.arguments, **tight}))
    np.testing.assert_array_equal(outcome.arrays["d"].reshape(32, 8), expected(w, a, b, c))
