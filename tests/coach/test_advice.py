"""Advice comes where it has to, with the line and the numbers; good kernels have none."""

from __future__ import annotations

import pytest

from grader.coach.advice import INSTRUCTION_CYCLES, SECTOR_CYCLES, WAVEFRONT_CYCLES
from grader.coach.target import Resources

from .counted import advised, reviewed

GOOD = {
    "wide copy": "((float4*)y)[i] = ((const float4*)x)[i];",
    "grid-stride copy": "for (int j = i; j < 16384; j += 1024) ((float4*)y)[j] = ((const float4*)x)[j];",
    "warp sum": (
        "float4 v = ((const float4*)x)[i];\nfloat s = v.x + v.y + v.z + v.w;\n"
        "for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);\nif (t % 32 == 0) y[i / 32] = s;"
    ),
}
PADDED = """
    __shared__ float tile[32][33];
    int u = threadIdx.y;
    tile[u][t] = x[blockIdx.x * 1024 + u * 32 + t];
    __syncthreads();
    y[blockIdx.x * 1024 + u * 32 + t] = tile[t][u];
"""


@pytest.mark.parametrize("name", GOOD)
def test_a_good_kernel_has_no_advice(name: str) -> None:
    found = reviewed(GOOD[name])
    assert [one.message for one in found.advice] == []
    assert any(sentence.startswith("coalescing") for sentence in found.good)
    assert any(sentence.startswith("divergence") for sentence in found.good)


def test_a_padded_transposition_has_no_conflict() -> None:
    found = reviewed(PADDED, block=(32, 32, 1))
    assert {one.kind for one in found.advice} <= {"wide_access"}
    assert any("0 of them for conflicts" in sentence for sentence in found.good)


@pytest.mark.parametrize(("pitch", "ways", "extra"), [(32, 32, 33), (34, 2, 35), (36, 4, 37)])
def test_a_bank_conflict_names_the_padding_that_ends_it(pitch: int, ways: int, extra: int) -> None:
    body = PADDED.replace("33", str(pitch))
    (one,) = advised(body, "bank_conflict", block=(32, 32, 1))
    # 32 warps a block and 4 blocks, each with a read of so many wavefronts.
    assert one.line == 8
    assert f"{ways}-way bank conflict on tile: {128 * ways:,} wavefronts in 128 requests, 128 without" in one.message
    assert f"lanes {pitch} elements apart" in one.remedy and f"{extra} apart they would not" in one.remedy
    assert one.gain == 128 * (ways - 1) * WAVEFRONT_CYCLES


LDMATRIX = """
    __shared__ __align__(16) float tile[32][PITCH];
    for (int j = t; j < 32 * PITCH; j += 256) (&tile[0][0])[j] = x[j];
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(tile[t % 32]), r[4];
    asm("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
    y[t] = r[0] + r[1] + r[2] + r[3];
"""


def test_rows_of_a_matrix_in_the_same_banks_should_be_padded() -> None:
    (one,) = advised(LDMATRIX.replace("PITCH", "32"), "bank_conflict")
    assert "8-way bank conflict on tile: 1,024 wavefronts in 32 requests, 128 without" in one.message
    assert "16 bytes longer" in one.remedy
    assert advised(LDMATRIX.replace("PITCH", "36"), "bank_conflict") == []


COPIES = """
    __shared__ __align__(16) float tile[256 * TO];
    unsigned at = (unsigned)__cvta_generic_to_shared(&tile[t * TO]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at), "l"(x + i * FROM) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    y[i] = tile[t ^ 1];
"""


def test_both_sides_of_asynchronous_copies_are_looked_at() -> None:
    (one,) = advised(COPIES.replace("TO", "1").replace("FROM", "8"), "uncoalesced")
    assert "x is read in 32 sectors a request, 4 would do (32 requests" in one.message and "lanes copy" in one.remedy
    (one,) = advised(COPIES.replace("TO", "8").replace("FROM", "1"), "bank_conflict")
    assert "8-way bank conflict on tile: 256 wavefronts in 32 requests, 32 without" in one.message
    assert "pad the rows of tile" in one.remedy
    kinds = {one.kind for one in reviewed(COPIES.replace("TO", "1").replace("FROM", "1")).advice}
    assert not kinds & {"uncoalesced", "bank_conflict", "reuse"}


def test_a_fragment_loaded_from_global_memory_uses_half_of_its_sectors() -> None:
    body = """
    unsigned r[4];
    asm("wmma.load.b.sync.aligned.col.m16n16k16.global.bf16 {%0, %1, %2, %3}, [%4], 64;"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(__cvta_generic_to_global(x)));
    y[t] = r[0] + r[1] + r[2] + r[3];
    """
    (one,) = advised(body, "uncoalesced")
    assert "x is read in 8 sectors a request, 4 would do" in one.message
    assert "copy a tile of x to shared memory" in one.remedy


def test_a_conflict_that_padding_does_not_end_says_so() -> None:
    (one,) = advised("__shared__ float s[2048]; s[t * t % 2048] = x[i]; __syncthreads(); y[i] = s[t];", "bank_conflict")
    assert "pad" not in one.remedy and "different banks" in one.remedy


def test_a_read_down_the_columns_is_uncoalesced() -> None:
    found = advised("y[i] = x[(i % 64) * 64 + i / 64];", "uncoalesced", row_lengths={"x": 64})
    (one,) = found
    assert one.line == 3
    assert "x is read in 32 sectors a request, 4 would do (32 requests, 32,768 bytes moved for 4,096" in one.message
    assert "one row of x" in one.remedy and "swap the indices" in one.remedy
    assert one.gain == 32 * 28 * SECTOR_CYCLES


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ("i * 48", "multiplied by 48"),
        ("i * 2", "8 bytes (2 elements) apart"),
        ("i + 1", "begin rows at a multiple of 32 bytes"),
        ("i * i * 7919 % 4096", "follow no pattern"),
        ("i * 61 % 1009 * 8", "most neighbouring lanes are 1,952 bytes (488 elements) apart: let"),
        ("i % 2 + i / 2 * 32", "only 2 lanes in a row are neighbours"),
    ],
)
def test_what_to_do_follows_from_the_distance_of_lanes(index: str, words: str) -> None:
    (one,) = advised(f"y[i] = x[{index}];", "uncoalesced")
    assert words in one.remedy


def test_an_uncoalesced_write_is_told_apart_from_the_read_beside_it() -> None:
    (one,) = advised("y[i * 32] = x[i];", "uncoalesced")
    assert one.message.startswith("y is written in 32 sectors")


@pytest.mark.parametrize("index", ["i", "i / 32", "0", "i ^ 31", "i % 32 + i / 32 * 64", "i / 2"])
def test_coalesced_and_uniform_reads_are_no_waste(index: str) -> None:
    assert advised(f"y[i] = x[{index}];", "uncoalesced") == []


def test_data_that_a_block_reads_again_should_be_tiled() -> None:
    body = "float s = 0;\nfor (int j = 0; j < 256; ++j)\n s += x[j] * z[i];\ny[i] = s;"
    (one,) = advised(body, "reuse")
    assert one.line == 5
    # Each of 1,024 threads reads all 256 elements; each of the 4 blocks' 8 warps loads each of 32 sectors 8 times.
    assert "each element of x is read 1024 times" in one.message
    assert "sectors 64 times (8,192 sectors, 128 would do)" in one.message
    assert one.gain == (8192 - 128) * SECTOR_CYCLES
    assert "x to shared memory" in one.remedy and "z" not in one.remedy


def test_data_that_other_blocks_read_too_is_no_waste_of_this_one() -> None:
    assert advised("y[i] = x[t];", "reuse") == []


def test_data_that_is_read_once_is_not_tiled_however_it_is_read() -> None:
    assert advised("float s = 0; for (int j = 0; j < 16; ++j) s += x[i * 16 + j]; y[i] = s;", "reuse") == []


def test_neighbouring_loads_of_a_thread_could_be_one() -> None:
    body = "float s = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3];\n((float4*)y)[i % 64] = {s, s, s, s};"
    (one,) = advised(body, "wide_access")
    assert one.line == 3
    assert "4 accesses of 4 bytes side by side to x: 128 requests where 32 would do" in one.message
    # Four requests of 16 sectors become one.
    assert one.gain == 96 * INSTRUCTION_CYCLES + (4 * 32 * 16 - 32 * 16) * SECTOR_CYCLES


@pytest.mark.parametrize("base", ["4 * i + 1", "6 * i"])
def test_neighbouring_loads_that_are_not_aligned_could_not(base: str) -> None:
    body = f"int b = {base}; float s = x[b] + x[b + 1] + x[b + 2] + x[b + 3];\n((float4*)y)[i % 64] = {{s, s, s, s}};"
    assert advised(body, "wide_access") == []


def test_a_copy_of_single_floats_could_be_wide() -> None:
    (one,) = advised("y[i] = x[i];", "wide_access")
    assert "64 requests of 4 bytes a lane to x and y, whose lanes are neighbours: as 16 bytes a lane 16" in one.message
    assert one.gain == 64 * 0.75 * INSTRUCTION_CYCLES


def test_a_wide_copy_is_wide_enough() -> None:
    assert advised(GOOD["wide copy"], "wide_access") == []


def test_divergence_names_the_branch_and_the_lanes_that_work() -> None:
    body = "float s = x[i];\nif (t % 2)\n for (int j = 0; j < 200; ++j) s = s * s + x[j];\ny[i] = s;"
    found = advised(body, "divergence")
    assert found and found[0].line == 4
    assert "32 of 32 branches split a warp" in found[0].message
    lanes = float(found[0].message.split("kernel has ")[1].split()[0])
    assert 16 <= lanes < 18


@pytest.mark.parametrize("condition", ["t / 32 % 2", "i < 1000"])
def test_branches_that_split_no_warp_or_few_are_fine(condition: str) -> None:
    body = f"float s = x[i];\nif ({condition})\n for (int j = 0; j < 200; ++j) s = s * s + x[j];\ny[i] = s;"
    assert advised(body, "divergence") == []


def test_a_block_that_ends_within_a_warp_is_no_divergence() -> None:
    body = "for (int j = 0; j < 9; ++j) y[i] += x[j];\nif (t < 35) { y[i] = 1; __threadfence(); }"
    assert advised(body, "divergence", block=(40, 1, 1)) == []


def test_lanes_that_update_one_address_take_turns() -> None:
    (one,) = advised("atomicAdd(&y[t % 4], x[i]);", "contention")
    assert one.share is not None and one.share < 1
    assert "up to 8 lanes of a warp update one address of y" in one.message
    assert one.gain == 32 * 7 * WAVEFRONT_CYCLES
    assert advised("atomicAdd(&y[i], x[i]);", "contention") == []


@pytest.mark.parametrize(("threads", "idle"), [(40, "24 of 64"), (16, "16 of 32"), (33, "31 of 64")])
def test_a_block_that_is_no_whole_warps(threads: int, idle: str) -> None:
    (one,) = advised("y[i] = x[i];", "partial_warp", block=(threads, 1, 1))
    assert f"a block of {threads} threads has {idle} lanes without a thread" in one.message


def test_a_block_of_whole_warps_has_no_idle_lanes() -> None:
    assert advised("y[i] = x[i];", "partial_warp", block=(32, 3, 1)) == []


@pytest.mark.parametrize(
    ("occupancy", "limit", "told"),
    [(0.5, "blocks", True), (0.5, "registers", False), (0.49, "registers", True), (0.6, "blocks", False)],
)
def test_half_the_warps_is_too_few_where_only_the_block_is_too_small(occupancy: float, limit: str, told: bool) -> None:
    found = Resources("sm_89", 40, 0, 0, 0, 6, occupancy, limit)
    assert bool(advised(GOOD["wide copy"], "occupancy", resources=found)) == told


RESOURCES = Resources("sm_89", 128, 0, 0, 0, 2, 1 / 3, "registers", "with 80 registers a thread it is 50%")


def test_low_occupancy_names_its_limit_and_comes_last() -> None:
    found = reviewed("y[i * 32] = x[i];", resources=RESOURCES)
    last = found.advice[-1]
    assert (last.kind, last.line, last.gain) == ("occupancy", None, None)
    assert "occupancy 33% on sm_89: 2 blocks of 256 threads an SM, limited by registers (128 registers" in last.message
    assert last.remedy == RESOURCES.remedy


def test_enough_occupancy_is_praised() -> None:
    enough = Resources("sm_89", 40, 0, 0, 0, 6, 1.0, "", "")
    found = reviewed(GOOD["wide copy"], resources=enough)
    assert not found.advice
    assert "occupancy: 100% of the warps that an SM of sm_89 holds" in found.good


def test_advice_is_ranked_by_its_gain() -> None:
    body = "float s = 0;\nfor (int j = 0; j < 64; ++j)\n s += x[(t * 64 + j) % 8192];\ny[i * 8] = s;"
    found = reviewed(body, resources=RESOURCES).advice
    gains = [one.gain for one in found if one.gain is not None]
    assert len(gains) >= 2 and gains == sorted(gains, reverse=True)
    assert found[-1].kind == "occupancy"
    assert all(one.share is not None and one.share >= 0.02 for one in found if one.gain is not None)


def test_the_same_advice_for_several_lines_is_given_once() -> None:
    body = "y[i * 32] = 1;\ny[i * 32] = 2;\n__threadfence();\ny[i * 32] = 3;"
    (one,) = advised(body.replace("y[i", "((volatile float*)y)[i"), "uncoalesced")
    assert one.line == 3 and "the same in line 4, 6" in one.message
    assert one.gain == 3 * 32 * 28 * SECTOR_CYCLES
