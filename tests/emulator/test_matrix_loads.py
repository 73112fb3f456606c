"""ldmatrix, stmatrix and movmatrix: which lane gets which element, from rows that lie anywhere in shared memory."""

from __future__ import annotations

import numpy as np
import pytest

from .cases import Case
from .emulated import on_emulator
from .fragments import Array
from .harness import compile_ptx
from .test_hardware import gpu_present, on_gpu

PITCH = 24
"""16-bit elements from one row to the next: 48 bytes, which keeps rows aligned."""
FORMS = [(count, transposed) for count in (1, 2, 4) for transposed in (False, True)]


def source(count: int, transposed: bool) -> str:
    suffix = f"m8n8.x{count}{'.trans' * transposed}.shared.b16"
    registers = "{" + ", ".join(f"%{i}" for i in range(count)) + "}"
    inputs = "{" + ", ".join(f"%{i + 1}" for i in range(count)) + "}"
    outputs = ", ".join(f'"=r"(r[{i}])' for i in range(count))
    values = ", ".join(f'"r"(in[{count} * lane + {i}])' for i in range(count))
    return f"""
extern "C" __global__ void loads(const unsigned short* in, const int* rows, unsigned* out) {{
    __shared__ __align__(16) unsigned short tile[32 * {PITCH}];
    int lane = threadIdx.x;
    for (int i = lane; i < 32 * {PITCH}; i += 32) tile[i] = in[i];
    __syncthreads();
    unsigned r[{count}];
    unsigned at = (unsigned)__cvta_generic_to_shared(tile + rows[lane] * {PITCH});
    asm volatile("ldmatrix.sync.aligned.{suffix} {registers}, [%{count}];" : {outputs} : "r"(at));
    for (int i = 0; i < {count}; i++) out[{count} * lane + i] = r[i];
}}
extern "C" __global__ void stores(const unsigned* in, const int* rows, unsigned short* out) {{
    __shared__ __align__(16) unsigned short tile[32 * {PITCH}];
    int lane = threadIdx.x;
    for (int i = lane; i < 32 * {PITCH}; i += 32) tile[i] = 7;
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(tile + rows[lane] * {PITCH});
    asm volatile("stmatrix.sync.aligned.{suffix} [%0], {inputs};" :: "r"(at), {values} : "memory");
    __syncthreads();
    for (int i = lane; i < 32 * {PITCH}; i += 32) out[i] = tile[i];
}}
extern "C" __global__ void turns(const unsigned* in, unsigned* out) {{
    unsigned r = in[threadIdx.x];
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(r));
    out[threadIdx.x] = r;
}}"""


def rows_of(count: int) -> Array:
    """A row for each lane, in no order; those of lanes that give no address lie outside."""
    rows = np.random.default_rng(8).permutation(32).astype("i4")
    rows[8 * count :] = 1 << 20
    return rows


def loaded(tile: Array, rows: Array, count: int, transposed: bool) -> Array:
    """The PTX ISA: lane l gets elements 2 (l % 4) and the next of row l / 4; transposed, of column l / 4."""
    out = np.zeros((32, count, 2), "u2")
    for index in range(count):
        matrix = np.array([tile[row * PITCH : row * PITCH + 8] for row in rows[8 * index : 8 * index + 8]])
        matrix = matrix.T if transposed else matrix
        for lane in range(32):
            out[lane, index] = matrix[lane // 4, 2 * (lane % 4) : 2 * (lane % 4) + 2]
    return out.view("u4").reshape(32, count)


def load_case(count: int) -> tuple[Case, Array, Array]:
    tile = np.arange(32 * PITCH, dtype="u2")
    rows = rows_of(count)
    arrays = {"in": tile, "rows": rows, "out": np.zeros(32 * count, "u4")}
    return Case("", "loads", (1, 1, 1), (32, 1, 1), arrays), tile, rows


def store_case(count: int) -> tuple[Case, Array, Array]:
    words = np.random.default_rng(4).integers(0, 1 << 32, 32 * count, dtype="u8").astype("u4")
    rows = rows_of(count)
    arrays = {"in": words, "rows": rows, "out": np.zeros(32 * PITCH, "u2")}
    return Case("", "stores", (1, 1, 1), (32, 1, 1), arrays), words.reshape(32, count), rows


@pytest.mark.parametrize(("count", "transposed"), FORMS)
def test_loads(count: int, transposed: bool) -> None:
    case, tile, rows = load_case(count)
    got = on_emulator(compile_ptx(source(count, transposed)), case).arrays["out"].reshape(32, count)
    np.testing.assert_array_equal(got, loaded(tile, rows, count, transposed))


@pytest.mark.parametrize(("count", "transposed"), FORMS)
def test_stores_undo_loads(count: int, transposed: bool) -> None:
    case, words, rows = store_case(count)
    tile = on_emulator(compile_ptx(source(count, transposed)), case).arrays["out"]
    np.testing.assert_array_equal(loaded(tile, rows, count, transposed), words)
    written = np.zeros((32, PITCH), bool)
    written[rows[: 8 * count], :8] = True
    assert (tile.reshape(32, PITCH)[~written] == 7).all()


def turn_case() -> tuple[Case, Array]:
    matrix = np.arange(64, dtype="u2").reshape(8, 8)
    arrays = {"in": matrix.view("u4").ravel(), "out": np.zeros(32, "u4")}
    return Case("", "turns", (1, 1, 1), (32, 1, 1), arrays), matrix


def test_movmatrix_transposes() -> None:
    case, matrix = turn_case()
    got = on_emulator(compile_ptx(source(1, False)), case).arrays["out"]
    np.testing.assert_array_equal(got.view("u2").reshape(8, 8), matrix.T)


@pytest.mark.gpu
@pytest.mark.skipif(not gpu_present(), reason="no NVIDIA GPU")
@pytest.mark.parametrize(("count", "transposed"), FORMS)
def test_all_of_them_on_hardware(count: int, transposed: bool) -> None:
    ptx = compile_ptx(source(count, transposed))
    for case in (load_case(count)[0], store_case(count)[0], turn_case()[0]):
        # stmatrix came with compute capability 9.0.
        got = on_gpu(ptx.replace(".target sm_89", ".target sm_90"), case).arrays["out"]
        np.testing.assert_array_equal(got, on_emulator(ptx, case).arrays["out"], err_msg=case.kernel)
