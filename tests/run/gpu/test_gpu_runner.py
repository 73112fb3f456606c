"""The GPU itself: faults, guards, limits and replacement of its process, and whole gradings on it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from grader.compile.nvrtc import compile_kernel
from grader.core.limits import Limits
from grader.core.plan import Plan
from grader.core.verdict import FaultClass, Verdict, WrongKind
from grader.judge.conductor import Options, grade
from grader.languages.registry import make_submission, read_submission
from grader.machine.gpus import find_gpus, target_of
from grader.plan.runner import RunnerStopped, RunStatus
from grader.problem import load_problem
from grader.problem.harness import build_plan
from grader.run.gpu.gpu_runner import GpuRunner
from grader.run.gpu.lock import Turn
from grader.sandbox import Sandbox

GPUS = find_gpus()
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not GPUS, reason="no NVIDIA GPU here; on a machine that has one type: make test-gpu"),
]
ROOT = Path(__file__).parents[3]
PROBLEMS = ROOT / "problems"
ACCEPTED = [sorted(folder.glob("[0-9]*.cu")) for folder in sorted(PROBLEMS.glob("*/submissions/accepted"))]
BEST = [files[-1] for files in ACCEPTED if files]
OWN_SOLVE = sorted(PROBLEMS.glob("*/submissions/accepted/solve*.cu"))
"""The others are graded on the emulator, by `kgrade verify`."""
SIZES = {"N": 1000}

MAP = """
__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    BODY
}
"""
RIGHT = "if (i < N) output[i] = 1.0f / (1.0f + expf(-input[i]));"


@pytest.fixture(scope="module")
def problem():
    return load_problem(PROBLEMS / "map")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def runner(problem):
    runner = GpuRunner(GPUS[0], problem.folder, Sandbox.find())
    yield runner
    runner.close()


def compiled(problem, cache, source):
    return compile_kernel(
        source,
        "mine.cu",
        problem.kernel,
        problem.c_parameters,
        problem.constants,
        gpu_target=target_of(GPUS[0]),
    )


@pytest.fixture
def run(runner, problem, cache):
    """Runs the kernel with this body on the GPU alone, without the emulator's checks."""

    def run(body, seconds=10.0, shared_bytes=0, source=MAP):
        program = compiled(problem, cache, source.replace("BODY", body))
        runner.load(program)
        addresses = runner.prepare(problem, SIZES, "normal", 1)
        plan = build_plan(problem, program.constants, SIZES, addresses)
        launches = tuple(replace(step, shared_bytes=shared_bytes) for step in plan.steps)
        return runner.execute(Plan(launches), Limits(seconds=seconds))

    return run


def check_next_is_right(run):
    done = run(RIGHT)
    assert done.status is RunStatus.DONE
    assert not done.unwritten["output"].any()


@pytest.mark.parametrize("path", [*BEST, *OWN_SOLVE], ids=lambda path: f"{path.parents[2].name}-{path.stem}")
def test_worked_submissions_are_accepted(path, cache):
    problem = load_problem(path.parents[2])
    report = grade(problem, read_submission(path), Options(cases=3, cache=cache, device="gpu"))
    assert report.verdict is Verdict.ACCEPTED, report.headline
    assert (report.measurement is not None) == bool(problem.benchmarks), report.diagnostics
    assert report.device == GPUS[0].name
    assert report.kernels[0].registers > 0
    assert report.fault is None
    # Those that were asked for, and those of the ones that the problem always tries that the emulator can run.
    assert any(re.match(r"on the emulator, at [3-9] small sizes", check) for check in report.checks), report.checks


def test_a_whole_grading_reaches_sizes_that_only_a_gpu_runs(problem, cache):
    path = PROBLEMS / "map/submissions/accepted/1_simple.cu"
    report = grade(problem, read_submission(path), Options(cache=cache, seed=3))
    assert report.verdict is Verdict.ACCEPTED, report.headline
    assert max(case.sizes["N"] for case in report.cases) > 8_000_000
    assert len(report.cases) == 13


@pytest.mark.parametrize(
    ("body", "index", "words"),
    [
        ("if (i <= N) output[i] = 0.0f;", 1000, "4 bytes behind its last element"),
        ("if (i < 3) output[i - 2] = 0.0f;", -1, "8 bytes before its first element"),
        ("if (i == 0) { output[-1] = 0.0f; output[N + 1] = 0.0f; }", 1001, "4 bytes before"),
    ],
)
def test_writes_outside_an_array_are_found_by_the_guards(run, body, index, words):
    done = run(body)
    assert (done.status, done.fault.fault) == (RunStatus.FAULT, FaultClass.OUT_OF_BOUNDS)
    assert (done.fault.array, done.fault.index, done.fault.extent) == ("output", index, 1000)
    assert words in done.fault.message
    check_next_is_right(run)


def test_reads_outside_an_array_meet_nan(run):
    done = run("if (i < N) output[i] = input[i + 1];")
    assert done.status is RunStatus.DONE
    assert str(done.outputs["output"][-1]) == "nan"


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("output[(long long)i + (1LL << 40)] = 0.0f;", FaultClass.OUT_OF_BOUNDS),
        ("*(float2*)(output + 1) = make_float2(0, 0);", FaultClass.MISALIGNED),
        ("__trap();", FaultClass.TRAP),
        ("assert(i < 0);", FaultClass.TRAP),
        ("extern __shared__ float s[]; s[i + (1 << 20)] = 1; output[i] = s[i];", FaultClass.OUT_OF_BOUNDS),
    ],
)
def test_what_ends_a_kernel_is_named_and_the_next_run_is_unharmed(run, body, fault):
    source = "#include <cassert>\n" + MAP
    done = run(body, source=source)
    assert (done.status, done.fault.fault) == (RunStatus.FAULT, fault)
    assert "CUDA says" in done.fault.message
    check_next_is_right(run)


def test_an_endless_kernel_is_stopped_and_the_next_run_is_unharmed(run):
    began = time.monotonic()
    done = run("while (true) ((volatile float*)output)[0] = 1.0f;", seconds=1.0)
    assert done.status is RunStatus.TIME
    assert time.monotonic() - began < 10
    check_next_is_right(run)


@pytest.mark.alone
def test_a_program_larger_than_the_memory_is_named_and_the_next_run_is_unharmed(run):
    source = f"__device__ float big[{GPUS[0].memory // 4 + (1 << 20)}ULL];\n" + MAP
    with pytest.raises(RunnerStopped, match="memory") as stopped:
        run("big[i] = input[i]; output[i] = big[i + N];", source=source)
    assert stopped.value.status is RunStatus.MEMORY
    check_next_is_right(run)


def test_a_refused_launch_is_a_launch_failure_in_the_words_of_cuda(run):
    source = MAP.replace("__global__ void", "__global__ void __launch_bounds__(64)")
    done = run(RIGHT, source=source)
    assert (done.status, done.fault.fault) == (RunStatus.FAULT, FaultClass.LAUNCH_FAILURE)
    assert "CUDA refuses to launch map_kernel" in done.fault.message
    assert "CUDA_ERROR" in done.fault.message
    check_next_is_right(run)


def test_more_than_48_kb_of_dynamic_shared_memory_is_allowed(run):
    body = "extern __shared__ float s[]; s[threadIdx.x + 15000] = i; if (i < N) output[i] = s[threadIdx.x + 15000];"
    done = run(body, shared_bytes=64 << 10)
    assert done.status is RunStatus.DONE
    assert done.outputs["output"][-1] == 999


def test_variables_of_a_kernel_start_anew_and_its_output_is_kept(run):
    source = "__device__ int runs;\n" + MAP
    body = 'if (i < N) output[i] = runs; if (i == 0) { runs = 5; printf("hello %d", N); }'
    for _ in range(2):
        done = run(body, source=source)
        assert done.status is RunStatus.DONE
        assert done.printed == "hello 1000"


@pytest.mark.parametrize(
    ("body", "verdict", "kind"),
    [
        ("if (i < N - 1) output[i] = 1.0f / (1.0f + expf(-input[i]));", Verdict.WRONG_ANSWER, "unwritten_output"),
        (RIGHT + " if (i < N) ((float*)input)[i] = 0.0f;", Verdict.WRONG_ANSWER, "changed_input"),
        ("if (i < N) output[i] = __half2float(__float2half(1 / (1 + expf(-input[i]))));", None, "low_precision"),
        ("if (i < N && (N < 5000000 || i)) output[i] = 1.0f / (1.0f + expf(-input[i]));", None, "unwritten_output"),
    ],
    ids=["unwritten", "changed input", "low precision", "only at sizes for a GPU"],
)
def test_wrong_answers(problem, cache, body, verdict, kind):
    source = "#include <cuda_fp16.h>\n" + MAP.replace("BODY", body)
    report = grade(problem, make_submission("m.cu", source.encode()), Options(cache=cache, device="gpu", seed=7))
    assert (report.verdict, report.kind) == (verdict or Verdict.WRONG_ANSWER, WrongKind(kind))
    if "5000000" in body:
        assert report.smallest.sizes["N"] >= 5_000_000
        assert any("on the emulator" in check for check in report.checks)


def test_the_emulator_says_where_a_read_that_passes_on_the_gpu_goes_wrong(problem, cache):
    path = PROBLEMS / "map/submissions/runtime_error/less_or_equal.cu"
    report = grade(problem, read_submission(path), Options(cache=cache, device="gpu"))
    assert (report.verdict, report.fault.fault) == (Verdict.RUNTIME_ERROR, FaultClass.OUT_OF_BOUNDS)
    assert report.line is not None
    assert report.device == GPUS[0].name


SCRIPT = """
import sys
from pathlib import Path
from grader.judge.conductor import Options, grade
from grader.problem import load_problem
from grader.languages.registry import make_submission

def progress(text):
    print(text, flush=True)

submission = make_submission("mine.cu", sys.argv[2].encode())
report = grade(load_problem(Path(sys.argv[1])), submission, Options(cases=4, device="gpu"), progress)
print(report.verdict)
"""


def start(problem, source):
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(problem.folder), source], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.alone
def test_two_submissions_at_once_take_turns(problem):
    with Turn(GPUS[0].uuid):
        both = [start(problem, MAP.replace("BODY", RIGHT)) for _ in range(2)]
        for process in both:
            assert any("waiting for" in line for line in iter(process.stdout.readline, ""))
    said = [process.communicate(timeout=120)[0].splitlines()[-1] for process in both]
    assert said == ["accepted", "accepted"]


@pytest.mark.alone
def test_a_killed_judge_leaves_no_process_and_no_lock(problem):
    judge = start(problem, MAP.replace("BODY", "while (true) ((volatile float*)output)[0] = 1.0f;"))
    with judge:
        assert any(line.startswith("case 1 of") for line in iter(judge.stdout.readline, ""))
        time.sleep(2)
        children = Path(f"/proc/{judge.pid}/task/{judge.pid}/children").read_text().split()
        assert children
        os.kill(judge.pid, signal.SIGKILL)
    until = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in children) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(Path(f"/proc/{pid}").exists() for pid in children)
    waited = []
    with Turn(GPUS[0].uuid, lambda: waited.append(1)):
        assert not waited
