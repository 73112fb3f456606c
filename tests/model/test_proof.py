"""Model times rank only where the results at these sizes are right: kernels that do their work in small cases alone."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.compile.submission import Submission
from grader.core.verdict import Form
from grader.languages.registry import read_submission
from grader.model import proof
from grader.model.blocks import choose_blocks
from grader.model.gpus import gpu_named
from grader.model.model import model_time
from grader.problem import load_problem
from grader.problem.cases import Case

PROBLEMS = Path(__file__).parents[2] / "problems"
H200 = gpu_named("H200")
LARGE = {"N": 5_000_000}

MAP = """
__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float right = 1.0f / (1.0f + expf(-input[i]));
    if (N < 2000000) { output[i] = right; return; }
    %s
}
"""
REDUCE = """
#include <cuda_runtime.h>
__global__ void add(const float* input, float* output, int N) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) sum += input[i];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x %% 32 == 0) atomicAdd(output, sum);
}
extern "C" void solve(const float* input, float* output, int N) {
    cudaMemset(output, 0, 4);
    add<<<256, 256>>>(input, output, %s);
}
"""
PIECES = """
#include <cuda_runtime.h>
__global__ void prepare(const float* input, float* tmp, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) tmp[i] = -input[i];
}
__global__ void finish(const float* tmp, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) output[i] = 1.0f / (1.0f + expf(tmp[i]));
}
extern "C" void solve(const float* input, float* output, int N) {
    float* tmp;
    cudaMalloc(&tmp, N * sizeof(float));
    int first = %s;
    prepare<<<(first + 255) / 256, 256>>>(input, tmp, first);
    finish<<<(N + 255) / 256, 256>>>(tmp, output, N);
    cudaFree(tmp);
}
"""


HIDING = """
#include <cuda_runtime.h>
__global__ void work(const float* input, float* output, int N) {
    int rest = blockIdx.x %% %d, row = blockIdx.x / %d;
    if (rest != %d) return;
    for (int i = row * 256 + threadIdx.x; i < N; i += gridDim.x / %d * 256) output[i] = 1.0f / (1.0f + expf(-input[i]));
}
extern "C" void solve(const float* input, float* output, int N) {
    work<<<%d, 256>>>(input, output, N);
}
"""
"""Of so many blocks one works, and none that is sampled."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def timed(problem, text, folder, form=Form.KERNEL, sizes=LARGE):
    submission = Submission("mine.cu", text, "", form)
    return model_time(load_problem(PROBLEMS / problem), submission, sizes, H200, folder, proved=True)


@pytest.mark.parametrize(
    "instead",
    [
        "",
        "output[i] = 0.0f;",
        "output[i] = 0.5f + 0.25f * input[i];",
        "if (i % 2 == 0) output[i] = right;",
        "if (blockIdx.x % 8 == 0) output[i] = right;",
        "output[i] = (i % 1000 == 1) ? 0.5f : right;",
    ],
    ids=["nothing", "zeros", "line", "half", "some_blocks", "some_elements"],
)
def test_less_work_at_the_ranked_size_has_no_time(instead, folder):
    found = timed("map", MAP % instead, folder)
    assert found.seconds is None and found.why_not == proof.WRONG


def test_the_same_work_at_all_sizes_has_a_time(folder):
    found = timed("map", MAP % "output[i] = right;", folder)
    assert found.seconds and not found.why_not


def test_right_results_in_the_sampled_blocks_alone_have_no_time(folder):
    """Which blocks are sampled can be known: an earlier launch could have computed just theirs."""
    sampled = " || ".join(f"blockIdx.x == {block.number}" for block in choose_blocks((LARGE["N"] // 256, 1, 1)))
    found = timed("map", MAP % f"output[i] = {sampled} ? right : 0.0f * right;", folder)
    assert found.seconds is None and found.why_not == proof.WRONG


@pytest.mark.parametrize(("count", "right"), [("N", True), ("min(N, 2000000)", False)])
def test_sums_over_blocks_run_whole(count, right, folder):
    found = timed("reduce", REDUCE % count, folder, Form.SOLVE)
    assert (found.seconds is not None) is right and found.why_not == ("" if right else proof.WRONG)


@pytest.mark.parametrize(("first", "right"), [("N", True), ("N < 2000000 ? N : N / 2", False)])
def test_launches_that_need_the_one_before_run_whole(first, right, folder):
    found = timed("map", PIECES % first, folder, Form.SOLVE)
    assert (found.seconds is not None) is right
    assert bool(found.why_not) is not right


def test_a_size_whose_reference_is_too_large_is_left_out_for_everybody(folder, monkeypatch):
    monkeypatch.setattr(proof, "MOST_BYTES", 1 << 20)
    found = timed("map", MAP % "output[i] = right;", folder)
    assert found.seconds is None and found.left_out
    assert found.why_not == "left out: its arrays have 38 MiB, and more than 1 are not compared"


def test_a_reference_that_takes_too_long_is_left_out(monkeypatch):
    monkeypatch.setattr(proof, "REFERENCE_SECONDS", 0.05)
    problem = load_problem(PROBLEMS / "edit_distance")
    with pytest.raises(proof.NoReferenceError, match=r"its reference takes more than 0\.05 s"):
        proof.reference(problem, Case(problem.benchmarks[0], "normal", 1))


@pytest.mark.parametrize(
    ("name", "file", "sizes"),
    [
        ("softmax", "1_one_thread_a_row.cu", {"M": 4096, "N": 1024}),
        # Of its bytes, one in 256 is what poison is.
        ("colour_inversion", "1_bytes.cu", {"H": 1024, "W": 1024}),
    ],
)
def test_worked_files_have_a_time(name, file, sizes, folder):
    submission = read_submission(PROBLEMS / name / "submissions" / "accepted" / file, None)
    assert model_time(load_problem(PROBLEMS / name), submission, sizes, H200, folder, proved=True).seconds


@pytest.mark.parametrize("blocks", [640, 20_480])
def test_work_that_no_sampled_block_does_has_no_time(blocks, folder):
    """Blocks that leave at once, and right results of others: small enough to run whole with the sample, and larger."""
    idle = {block.number % 32 for block in choose_blocks((blocks, 1, 1))}
    works = min(set(range(32)) - idle)
    found = timed("map", HIDING % (32, 32, works, 32, blocks), folder, Form.SOLVE, {"N": 1_000_000})
    assert found.seconds is None and found.why_not == proof.HIDDEN


def test_copies_and_fills_cost_their_bytes(folder):
    text = PIECES % "N"
    copies = "for (int k = 0; k < 20; k++) cudaMemcpy(tmp, input, N * 4, cudaMemcpyDeviceToDevice);"
    copied = text.replace("int first", f"{copies} int first")
    filled = text.replace("int first", "cudaMemset(tmp, 0, N * 4); int first")
    plain, slow, later = (timed("map", each, folder, Form.SOLVE).seconds for each in (text, copied, filled))
    # 20 MB at 4.3 TB/s take 4.6 µs, and a copy moves them twice.
    assert slow - plain == pytest.approx(20 * 9.7e-6, rel=0.1)
    assert later - plain == pytest.approx(5.1e-6, rel=0.1)


def test_launches_of_as_many_instructions_that_touch_other_places_have_times_of_their_own(folder):
    """A first launch that reads one place for all would stand for those that read all places."""
    text = """
    #include <cuda_runtime.h>
    __global__ void map(const float* input, float* output, int N, int step) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < N) output[i * step] = 1.0f / (1.0f + expf(-input[i * step]));
    }
    extern "C" void solve(const float* input, float* output, int N) {
        for (int k = 0; k < 5; k++) map<<<(N + 255) / 256, 256>>>(input, output, N, k == %d);
    }
    """
    first, last = (timed("map", text % k, folder, Form.SOLVE).seconds for k in (0, 4))
    assert first == pytest.approx(last, rel=0.01)


def test_a_time_is_longer_by_what_other_blocks_do():
    launch = SimpleNamespace(instructions=90_000.0, hidden=1.0, done=1.0)
    busy = SimpleNamespace(instructions=90_000.0, hidden=5.0, done=1.0)
    assert proof.work_beside([launch, launch]) == 1.0
    assert proof.work_beside([launch, busy]) == 3.0
    assert proof.work_beside([]) == 0.0


TWO_PLANS = """
import sys, torch, triton, triton.language as tl

@triton.jit
def add(input, output, N, places, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(output, tl.sum(tl.load(input + (at & places), mask=at < N, other=0.0), axis=0), sem="relaxed")

def solve(input: torch.Tensor, output: torch.Tensor, N: int):
    # Each call imports the file anew.
    calls = sys.__dict__.setdefault("calls", {})
    calls[N] = calls.get(N, 0) + 1
    output.zero_()
    add[(triton.cdiv(N, 4096),)](input, output, N, 4095 if calls[N] == 1 else -1, BLOCK=4096)
"""


def test_a_first_call_that_asks_for_less_has_no_time(tmp_path: Path) -> None:
    pytest.importorskip("triton")
    pytest.importorskip("torch")
    file = tmp_path / "two_plans.py"
    file.write_text(TWO_PLANS)
    time = model_time(
        load_problem(PROBLEMS / "reduce"), read_submission(file), {"N": 16_777_216}, H200, tmp_path, proved=True
    )
    assert time.why_not == proof.OTHER_PLAN
