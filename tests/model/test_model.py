"""Model times of worked files: from a sample of the blocks to the time, the same bits each time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.core.verdict import LanguageName
from grader.languages.registry import read_submission
from grader.model.gpus import gpu_named
from grader.model.model import model_time, sample_case, time_of
from grader.problem import load_problem
from tests.languages.test_grading_python import require

PROBLEMS = Path(__file__).parents[2] / "problems"
SIZES = {"M": 1024, "N": 1024, "K": 1024}
H200 = gpu_named("H200")


def sampled(name, folder):
    problem = load_problem(PROBLEMS / "matmul")
    submission = read_submission(PROBLEMS / "matmul" / "submissions" / "accepted" / name, None)
    return sample_case(problem, submission, SIZES, H200, folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def naive(folder):
    return sampled("ladder_1_naive.cu", folder)


def test_the_same_sample_and_time_come_each_time(naive, folder):
    again = sampled("ladder_1_naive.cu", folder)
    assert again.launches[0].rows == naive.launches[0].rows
    assert again.launches[0].ways == naive.launches[0].ways
    assert time_of(again, H200) == time_of(naive, H200)


def test_counts_of_the_whole_grid_follow_from_eight_blocks(naive):
    (launch,) = naive.launches
    assert launch.sampled == 8 and launch.blocks == 64 * 64 and not launch.spread
    loads = [row for row in launch.rows if row.requests and row.traits.is_load]
    assert sum(row.executed for row in loads) == 2 * 1024**3 / 32
    assert {row.sectors for row in loads} == {1.0, 16.0}


def test_rows_across_the_lanes_are_bound_by_look_ups_and_coalesced_ones_are_faster(naive, folder):
    slow, quick = time_of(naive, H200), time_of(sampled("ladder_2_coalesced.cu", folder), H200)
    assert slow.bound == "l1" and quick.bound != "l1"
    assert slow.seconds is not None and quick.seconds is not None
    assert 3 < slow.seconds / quick.seconds < 10
    assert slow.low < slow.seconds < slow.high
    (time, launches), *_ = slow.kernels
    assert launches == 1 and sum(time.parts.values()) == pytest.approx(time.seconds)
    # Both matrices fit into L2: each of their bytes comes once from DRAM.
    assert time.dram_bytes == pytest.approx(3 * 4 * 1024**2, rel=0.01)


def test_a_trace_of_half_of_the_instructions_stands_for_all(naive):
    (launch,) = naive.launches
    half, whole = (time_of(replace(naive, launches=(replace(launch, traced=share),)), H200) for share in (0.5, 1.0))
    assert half.kernels[0][0].parts["issue"] == pytest.approx(2 * whole.kernels[0][0].parts["issue"])


def test_a_smaller_gpu_takes_longer(naive):
    times = [time_of(naive, gpu_named(name)).seconds for name in ("H200", "RTX 4090", "L4", "T4")]
    assert None not in times and times[0] < times[2] < times[3]


def test_an_unknown_instruction_gives_no_time_and_is_named(naive):
    (launch,) = naive.launches
    odd = replace(launch.rows[0], opcode="frob", modifiers=("b32",), text="frob.b32 %r1")
    found = time_of(replace(naive, launches=(replace(launch, rows=(odd, *launch.rows[1:])),)), H200)
    assert found.seconds is None and "frob.b32 %r1" in found.why_not


def test_a_file_of_another_problem_is_refused(folder):
    problem = load_problem(PROBLEMS / "matmul")
    path = PROBLEMS / "matmul_fp16" / "submissions" / "accepted" / "ladder_1_wmma.cu"
    found = model_time(problem, read_submission(path, None), SIZES, H200, folder)
    assert found.seconds is None and found.why_not.startswith("it does not compile for sm_90:")


def test_a_way_for_the_gpu_that_the_emulator_cannot_go_gives_no_time(folder):
    problem = load_problem(PROBLEMS / "attention_fp16")
    path = PROBLEMS / "attention_fp16" / "submissions" / "accepted" / "solve_4_wgmma_tma.cu"
    sizes = {"H": 1, "N": 64, "D": 64}
    found = model_time(problem, read_submission(path, None), sizes, H200, folder)
    assert found.seconds is None and "tensor maps or clusters" in found.why_not
    # An A100 goes the other way.
    assert model_time(problem, read_submission(path, None), sizes, gpu_named("A100"), folder).seconds is not None


def test_loops_of_integers_that_the_machine_code_hides_count_as_in_ptx(folder):
    problem = load_problem(PROBLEMS / "mandelbrot")
    path = PROBLEMS / "mandelbrot" / "submissions" / "accepted" / "1_simple.cu"
    found = sample_case(problem, read_submission(path, None), {"H": 64, "W": 64, "LIMIT": 500}, H200, folder)
    with_code, without = time_of(found, H200), time_of(replace(found, code={}), H200)
    assert found.code and with_code.seconds == without.seconds


def test_inputs_are_of_the_family_that_times_are_measured_with(folder):
    """Others have a row with half of all entries: a thread that goes through it would be all that is timed."""
    problem = load_problem(PROBLEMS / "spmv_csr")
    file = PROBLEMS / "spmv_csr" / "submissions" / "accepted" / "1_thread_a_row.cu"
    sizes = {"M": 6000, "N": 6000, "NNZ": 60_000}
    (launch,) = sample_case(problem, read_submission(file, None), sizes, H200, folder).launches
    assert max(step.weight for way in launch.ways for step in way.steps) < 60_000 / 2 / 4 / 2


@pytest.mark.parametrize(
    ("language", "file"),
    [
        ("triton", "triton_blocks.py"),
        ("cutile", "cutile_tiles.py"),
        ("cute", "cute_grid_stride.py"),
        ("numba", "numba_forall.py"),
    ],
)
def test_files_in_python_have_a_model_time(language, file, folder):
    require(LanguageName(language))
    problem = load_problem(PROBLEMS / "map")
    submission = read_submission(PROBLEMS / "map" / "submissions" / "accepted" / file, None)
    found = model_time(problem, submission, {"N": 200_000}, H200, folder)
    assert not found.why_not and found.low < found.seconds < found.high


CUDA_TILE = """__global__ void map_kernel(const float* input, float* output, int N) {
    __shared__ float tile[12000];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) tile[threadIdx.x] = input[i];
    __syncthreads();
    if (i < N) output[i] = 1.0f / (1.0f + __expf(-tile[threadIdx.x]));
}

extern "C" void solve(const float* input, float* output, int N) {
    map_kernel<<<(N + 63) / 64, 64>>>(input, output, N);
}
"""
NUMBA_TILE = """import math
from numba import cuda, float32

@cuda.jit
def map_kernel(input, output, N):
    tile = cuda.shared.array(shape=12000, dtype=float32)
    i = cuda.grid(1)
    if i < N:
        tile[cuda.threadIdx.x] = input[i]
    cuda.syncthreads()
    if i < N:
        output[i] = float32(1) / (float32(1) + math.exp(-tile[cuda.threadIdx.x]))

def solve(input, output, N):
    map_kernel[(N + 63) // 64, 64](input, output, N)
"""


def test_what_a_kernel_takes_of_an_sm_counts_in_every_language(folder: Path, tmp_path: Path) -> None:
    require(LanguageName.NUMBA)
    problem, resident = load_problem(PROBLEMS / "map"), {}
    for name, text in (("tile.cu", CUDA_TILE), ("tile.py", NUMBA_TILE)):
        (tmp_path / name).write_text(text)
        found = sample_case(problem, read_submission(tmp_path / name, None), {"N": 1_000_000}, H200, folder)
        ((time, _),) = time_of(found, H200).kernels
        resident[name] = time.resident
        assert found.facts.keys() == {launch.handle for launch in found.launches}
    assert resident == {"tile.cu": 4, "tile.py": 4}
