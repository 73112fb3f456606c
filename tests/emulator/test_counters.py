"""What the emulator counts, on kernels whose counts follow by hand from their source."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from grader.run.emulator import Memory, Module, launch
from grader.run.emulator.counts import LaunchCounts, RowCounts
from tests.called import calls_of

from .harness import compile_ptx, kernel_ptx

WARPS = 4


def count(
    body: str,
    block: tuple[int, int, int] = (32 * WARPS, 1, 1),
    grid: int = 1,
) -> LaunchCounts:
    """Launches a kernel of this body on two arrays of 64 Ki floats; `t` is the thread's number in its block."""
    source = f'extern "C" __global__ void k(const float* x, float* y) {{\n    int t = threadIdx.x;\n{body}\n}}\n'
    module = Module(compile_ptx(source), count=True)
    memory = Memory()
    arrays = {"x": np.arange(65536, dtype="f4"), "y": np.zeros(65536, "f4")}
    addresses = [struct.pack("<Q", memory.place(name, array)) for name, array in arrays.items()]
    result = module.launch("k", (grid, 1, 1), block, addresses, memory)
    assert result.status == "done", result
    assert result.counts is not None
    return result.counts


def rows(counts: LaunchCounts, *opcode: str) -> list[RowCounts]:
    return [r for r in counts.rows if r.opcode in opcode and (r.requests or r.shared_requests)]


def total(found: list[RowCounts], name: str) -> int:
    return sum(getattr(row, name) for row in found)


def loads(counts: LaunchCounts) -> list[RowCounts]:
    return [row for row in rows(counts, "ld") if row.array == "x"]


@pytest.mark.parametrize(
    ("index", "sectors"),
    [
        ("t", 4),
        ("t * 2", 8),
        ("t * 32", 32),
        ("t + 1", 5),
        ("t + 8", 4),
        ("0", 1),
        ("t / 32", 1),
        ("t / 2", 2),
        ("(t ^ 31)", 4),
        ("t % 32 * 33", 32),
        ("t % 16 + t / 16 * 1024", 4),
        ("t / 4 * 8", 8),
    ],
)
def test_sectors_of_a_request(index: str, sectors: int) -> None:
    (load,) = loads(count(f"y[t] = x[{index}];"))
    assert (load.requests, load.bytes, load.array) == (WARPS, WARPS * 128, "x")
    assert load.sectors == WARPS * sectors
    assert load.ideal_sectors == WARPS * min(sectors, 4)


@pytest.mark.parametrize(("lanes", "sectors"), [(32, 4), (16, 2), (1, 1)])
def test_lanes_that_copy_zeros_alone_ask_for_no_sectors(lanes: int, sectors: int) -> None:
    counts = count(f"""
        __shared__ float tile[32 * {WARPS}];
        unsigned to = (unsigned)__cvta_generic_to_shared(&tile[t]);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                     :: "r"(to), "l"(x + t), "r"(t % 32 < {lanes} ? 4 : 0) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
        y[t] = tile[t];""")
    (copy,) = [row for row in rows(counts, "cp") if row.array == "x"]
    assert (copy.sectors, copy.bytes) == (WARPS * sectors, WARPS * lanes * 4)
    assert copy.shared_requests == WARPS


@pytest.mark.parametrize(("kind", "sectors"), [("char", 1), ("short", 2), ("float", 4), ("float2", 8), ("float4", 16)])
def test_sectors_by_the_width_of_the_access(kind: str, sectors: int) -> None:
    counts = count(f"(({kind}*)y)[t] = ((const {kind}*)x)[t];")
    for found in (loads(counts), rows(counts, "st")):
        assert total(found, "requests") == WARPS
        assert total(found, "sectors") == total(found, "ideal_sectors") == WARPS * sectors
        assert total(found, "bytes") == WARPS * 32 * sectors


def test_lanes_that_take_no_part_ask_for_nothing() -> None:
    (load,) = loads(count("if (t % 4 == 0) y[t] = x[t];"))
    assert (load.requests, load.bytes, load.sectors, load.ideal_sectors) == (WARPS, WARPS * 32, WARPS * 4, WARPS)


def test_a_warp_without_lanes_makes_no_request() -> None:
    (load,) = loads(count("if (t < 32) y[t] = x[t];"))
    assert (load.requests, load.sectors) == (1, 4)


def test_instructions_and_their_threads() -> None:
    counts = count("y[t] = x[t] * 3.0f;", block=(40, 1, 1), grid=3)
    (multiplication,) = (row for row in counts.rows if row.opcode == "mul" and "f32" in row.modifiers)
    assert (multiplication.executed, multiplication.threads, multiplication.line) == (3 * 2, 3 * 40, 3)


def test_a_loop_counts_each_time() -> None:
    counts = count("float s = 0;\n#pragma unroll 1\nfor (int i = 0; i < 10; ++i) s += x[i * 128 + t];\ny[t] = s;")
    (load,) = loads(counts)
    assert (load.executed, load.threads, load.requests) == (10 * WARPS, 10 * 32 * WARPS, 10 * WARPS)
    (loop,) = (row for row in counts.rows if row.opcode == "bra")
    assert (loop.executed, loop.divergent) == (10 * WARPS, 0)


@pytest.mark.parametrize(
    ("condition", "divergent"),
    [("t % 2", WARPS), ("t < 32", 0), ("t < 40", 1), ("t % 32 < 31", WARPS), ("t / 32 % 2", 0), ("t >= 0", 0)],
)
def test_divergent_branches(condition: str, divergent: int) -> None:
    counts = count(
        f"if ({condition}) {{ for (int i = 0; i < t; ++i) y[t] += x[i]; __threadfence(); }}\ny[t + 999] = 1;"
    )
    first = next((row for row in counts.rows if row.opcode == "bra" and row.line == 3), None)
    if condition == "t >= 0":
        assert first is None or first.divergent in (0, WARPS)
    else:
        assert first is not None and (first.executed, first.divergent) == (WARPS, divergent)


@pytest.mark.parametrize(("values", "divergent"), [([1] * 32, 0), ([1, 2] * 16, 1), ([0, 3] * 16, 0)])
def test_an_indirect_branch_splits_lanes_that_go_to_different_places(values: list[int], divergent: int) -> None:
    """Of the table's four places the first and the last are the same; the first time round tells."""
    module, memory = Module(kernel_ptx("jump_table.ptx"), count=True), Memory()
    arrays = [memory.place(name, np.array(values, "i4")) for name in "xy"]
    result = module.launch("jump_table", (1, 1, 1), (32, 1, 1), [struct.pack("<Q", a) for a in arrays], memory)
    assert result.counts is not None
    (branch,) = (row for row in result.counts.rows if row.opcode == "brx")
    assert min(branch.divergent, 1) == divergent


def test_a_loop_of_different_lengths_joins_again() -> None:
    """Warps meet behind a divergent loop, however often it has gone round."""
    counts = count("float s = 0;\n#pragma unroll 1\nfor (int i = 0; i < t * 9; ++i) s += x[i];\ny[t] = s;")
    (store,) = rows(counts, "st")
    assert (store.executed, store.threads, store.sectors) == (WARPS, 32 * WARPS, 4 * WARPS)


SHARED = "__shared__ float s[4096];\n"


@pytest.mark.parametrize(
    ("index", "ways"),
    [
        ("t", 1),
        ("t * 2", 2),
        ("t * 3", 1),
        ("t * 4", 4),
        ("t % 32 * 32", 32),
        ("t % 32 * 33", 1),
        ("t / 32", 1),
        ("t % 2 * 32", 2),
        ("t % 16 + t / 16 % 2 * 64", 2),
        ("t % 16 + t / 16 % 2 * 80", 1),
        ("(t ^ 5)", 1),
    ],
)
def test_bank_conflicts(index: str, ways: int) -> None:
    counts = count(f"{SHARED}s[t] = x[t]; __syncthreads();\ny[t] = s[{index}];")
    (load,) = (row for row in rows(counts, "ld") if row.shared_requests)
    assert (load.shared_requests, load.wavefronts, load.ideal_wavefronts) == (WARPS, WARPS * ways, WARPS)
    assert (load.ways, load.shared_array, load.shared_bytes) == (ways, "s", WARPS * 128)


@pytest.mark.parametrize(
    ("kind", "index", "wavefronts", "ideal"),
    [
        ("float2", "t", 2, 2),
        ("float2", "t % 32 * 2", 4, 2),
        ("float2", "0", 1, 1),
        ("float2", "t / 2", 1, 1),
        ("float2", "t % 2 + t / 4 * 2", 1, 1),
        ("float2", "t % 4 + t / 8 * 4", 2, 2),
        ("float4", "t", 4, 4),
        ("float4", "t % 32 * 8", 32, 4),
        ("float4", "t % 32 * 2", 8, 4),
        ("float4", "t % 32 / 8", 2, 2),
        ("float4", "t % 32 / 16", 2, 2),
        ("float4", "t % 16", 4, 4),
        ("double", "t", 2, 2),
        ("char", "t", 1, 1),
        ("char", "t % 32 * 4", 1, 1),
        ("char", "t % 32 * 128", 32, 1),
        ("short", "t % 32 * 4", 2, 1),
    ],
)
def test_bank_conflicts_by_the_width_of_the_access(kind: str, index: str, wavefronts: int, ideal: int) -> None:
    size = {"float2": 8, "float4": 16, "double": 8, "char": 1, "short": 2}[kind]
    counts = count(
        f"__shared__ {kind} s[{32768 // size}];\n"
        f"s[t] = (({kind}*)x)[t]; __syncthreads();\n(({kind}*)y)[t] = s[{index}];"
    )
    (load,) = (row for row in rows(counts, "ld") if row.shared_requests)
    assert (load.wavefronts, load.ideal_wavefronts) == (WARPS * wavefronts, WARPS * ideal)


@pytest.mark.parametrize(
    ("kind", "bit", "loads", "stores"),
    [
        ("float2", 1, 1, 2),
        ("float2", 2, 1, 2),
        ("float2", 4, 2, 2),
        ("float2", 16, 1, 1),
        ("float4", 1, 2, 4),
        ("float4", 2, 2, 4),
        ("float4", 4, 4, 4),
        ("float4", 8, 2, 2),
    ],
)
def test_idle_partners_join_the_phases_of_a_load_alone(kind: str, bit: int, loads: int, stores: int) -> None:
    # What Nsight Compute counts on an H200: docs/benchmarks.md.
    place = f"(t / {2 * bit} * {bit} | (t & {bit - 1}))"
    counts = count(
        f"__shared__ {kind} s[256];\n"
        f"if ((t & {bit}) == 0) s[{place}] = (({kind}*)x)[t]; __syncthreads();\n"
        f"if ((t & {bit}) == 0) (({kind}*)y)[t] = s[{place}];"
    )
    (load,) = (row for row in rows(counts, "ld") if row.shared_requests)
    (store,) = (row for row in rows(counts, "st") if row.shared_requests)
    assert (load.wavefronts, store.wavefronts) == (WARPS * loads, WARPS * stores)
    assert (load.ideal_wavefronts, store.ideal_wavefronts) == (load.wavefronts, store.wavefronts)


TRANSPOSE = """
    __shared__ float tile[32][PITCH];
    int u = threadIdx.y;
    tile[u][t] = x[u * 32 + t];
    __syncthreads();
    y[u * 32 + t] = tile[t][u];
"""


@pytest.mark.parametrize(("pitch", "ways"), [(32, 32), (33, 1), (34, 2), (36, 4)])
def test_a_transposition_through_shared_memory(pitch: int, ways: int) -> None:
    counts = count(TRANSPOSE.replace("PITCH", str(pitch)), block=(32, 32, 1))
    (store,) = (row for row in rows(counts, "st") if row.shared_requests)
    (load,) = (row for row in rows(counts, "ld") if row.shared_requests)
    assert (store.wavefronts, load.wavefronts, load.ways) == (32, 32 * ways, ways)
    assert total([row for row in counts.rows if row.array], "sectors") == 2 * 32 * 4
    (barrier,) = (row for row in counts.rows if row.opcode in ("bar", "barrier"))
    assert barrier.executed == 32


def array(counts: LaunchCounts, name: str) -> Any:
    return next(array for array in counts.arrays if array.name == name)


def test_reads_of_an_array_by_lane_and_by_block() -> None:
    counts = count("float s = 0;\nfor (int i = 0; i < 64; ++i) s += x[i];\ny[blockIdx.x * 128 + t] = s;", grid=3)
    x, y = array(counts, "x"), array(counts, "y")
    assert (x.size, x.itemsize, x.load_bytes) == (65536 * 4, 4, 3 * 128 * 64 * 4)
    assert x.distinct_bytes == 64 * 4
    # Sixty-four loads of one sector by each of twelve warps; each block has use for eight sectors.
    assert (x.load_sectors, x.block_sectors) == (3 * WARPS * 64, 3 * 8)
    assert (y.load_bytes, y.store_bytes, y.store_sectors, y.distinct_bytes) == (0, 3 * 512, 3 * 16, 0)


def test_distinct_bytes_do_not_count_what_lies_between() -> None:
    x = array(count("y[t] = x[t * 2] + x[t * 2];"), "x")
    assert (x.distinct_bytes, x.load_sectors, x.block_sectors) == (512, 32, 32)


@pytest.mark.parametrize(("index", "turns"), [("t", 1), ("0", 32), ("t % 8", 4), ("t / 32", 32)])
def test_atomics_of_one_address_take_turns(index: str, turns: int) -> None:
    counts = count(f"atomicAdd(&y[{index}], x[t]);")
    (update,) = rows(counts, "atom", "red")
    assert (update.requests, update.turns) == (WARPS, WARPS * turns)
    assert array(counts, "y").atomic_bytes == WARPS * 128


def test_atomics_on_shared_memory_take_turns() -> None:
    counts = count(f"{SHARED}s[t] = 0; __syncthreads(); atomicAdd(&s[t % 4], 1.0f); __syncthreads(); y[t] = s[t];")
    (update,) = rows(counts, "atom", "red")
    assert (update.shared_requests, update.turns, update.requests) == (WARPS, 8 * WARPS, 0)


def test_a_sample_holds_the_first_of_the_worst_requests() -> None:
    counts = count("y[t] = x[t < 64 ? t : (t - 64) * 8 + 5];", grid=2)
    (load,) = loads(counts)
    assert load.sample is not None
    assert (load.sample.block, load.sample.warp) == (0, 2)
    assert load.sample.offsets == tuple(4 * (8 * lane + 5) for lane in range(32))


def test_a_sample_leaves_out_lanes_that_take_no_part() -> None:
    (load,) = loads(count("if (t % 32 == 3) y[t] = x[t];"))
    assert load.sample is not None
    assert [lane for lane, offset in enumerate(load.sample.offsets) if offset is not None] == [3]


def test_generic_accesses_are_told_apart_by_where_they_go() -> None:
    counts = count(
        f"{SHARED}s[t] = 1; __syncthreads();\nfloat* p = t % 2 ? s + t * 2 : y + t * 8;\n*(volatile float*)p = 2.0f;"
    )
    (store,) = (row for row in rows(counts, "st") if row.requests)
    assert (store.requests, store.sectors, store.array) == (WARPS, 16 * WARPS, "y")
    assert (store.shared_requests, store.wavefronts) == (WARPS, 2 * WARPS)


def test_an_access_to_several_arrays_names_none() -> None:
    (load,) = (row for row in rows(count("const float* p = t < 64 ? x : y;\ny[t + 999] = p[t];"), "ld") if row.requests)
    assert (load.requests, load.array) == (WARPS, "")


def test_blocks_are_counted_one_after_the_other() -> None:
    """What a block reads first must not depend on which other one runs beside it."""
    with calls_of(launch._Launch.run) as calls:
        count("y[t] = x[t];", grid=8)
    assert [call["workers"] for _, call in calls] == [1]


def test_instructions_of_a_called_function_count() -> None:
    source = """
        __device__ __noinline__ float twice(const volatile float* p) { return 2 * *p; }
        extern "C" __global__ void k(const float* x, float* y) { y[threadIdx.x] = twice(x + threadIdx.x) + twice(x); }
    """
    module, memory = Module(compile_ptx(source), count=True), Memory()
    arrays = [memory.place(name, np.zeros(64, "f4")) for name in "xy"]
    result = module.launch("k", (1, 1, 1), (32, 1, 1), [struct.pack("<Q", a) for a in arrays], memory)
    assert result.counts is not None
    (load,) = rows(result.counts, "ld")
    assert (load.requests, load.sectors, load.line) == (2, 5, 2)


def test_lanes_that_spin_for_each_other_come_to_an_end() -> None:
    lock = "bool done = false;\nwhile (!done) if (atomicCAS((int*)y, 0, 1) == 0) {\n"
    counts = count(f"{lock} y[1] += 1; __threadfence(); atomicExch((int*)y, 0); done = true; }}", block=(32, 1, 1))
    (release,) = (row for row in rows(counts, "atom", "red") if "exch" in row.modifiers)
    assert release.bytes == 32 * 4


def test_nothing_is_counted_unless_asked() -> None:
    module, memory = Module(compile_ptx('extern "C" __global__ void k(int* p) { *p = 1; }')), Memory()
    result = module.launch("k", (1, 1, 1), (1, 1, 1), [struct.pack("<Q", memory.place("p", np.zeros(1, "i4")))], memory)
    assert result.counts is None


def test_counting_changes_no_result() -> None:
    body = "float s = 0;\nfor (int i = 0; i <= t; ++i) s += x[i * 7 % 512];\natomicAdd(&y[t % 16], s);"
    source = f'extern "C" __global__ void k(const float* x, float* y) {{ int t = threadIdx.x; {body} }}'
    results = []
    for counting in (False, True):
        module, memory = Module(compile_ptx(source), count=counting), Memory()
        x, y = memory.place("x", np.arange(512, dtype="f4")), memory.place("y", np.zeros(16, "f4"))
        module.launch("k", (4, 1, 1), (96, 1, 1), [struct.pack("<Q", a) for a in (x, y)], memory, workers=1)
        results.append(memory.read("y").copy())
    np.testing.assert_array_equal(*results)
