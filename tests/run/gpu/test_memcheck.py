"""The runner under memcheck: against a stand-in for compute-sanitizer anywhere, and with the real one on a GPU."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from grader.compile.nvrtc import compile_kernel
from grader.compile.program import Kernel, Program
from grader.core.limits import Limits
from grader.core.plan import Plan
from grader.core.verdict import FaultClass, Form, Verdict
from grader.judge.conductor import Options, grade
from grader.languages.registry import make_submission
from grader.machine.gpus import Gpu, find_gpus, target_of
from grader.plan.runner import RunStatus
from grader.problem import load_problem
from grader.problem.harness import build_plan
from grader.run.gpu.memcheck import MemcheckRunner, memcheck_runner
from grader.run.gpu.sanitizer import find_sanitizer
from grader.sandbox import Sandbox

ROOT = Path(__file__).parents[3]
MAP = ROOT / "problems" / "map"
GPUS = find_gpus()
NO_GPU = Gpu(0, "GPU-none", "A card", "580.1", (9, 0), 1 << 30)

# As compute-sanitizer does it: another process starts the program, in the same group.
SANITIZER = """#!{python}
import subprocess, sys
log = sys.argv.index("--log-file") + 1
with open(sys.argv[log], "w") as file:
    file.write("========= COMPUTE-SANITIZER\\n")
launcher = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:], close_fds=False))"
sys.exit(subprocess.call([sys.executable, "-c", launcher, *sys.argv[log + 1 :]], close_fds=False))
"""
PTX = '.version 8.0\n\t.file\t1 "/mine.cu"\n'
SIZES = {"N": 8}


@pytest.fixture(scope="module")
def problem():
    return load_problem(MAP)


@pytest.fixture
def stand_in(tmp_path):
    path = tmp_path / "compute-sanitizer"
    path.write_text(SANITIZER.format(python=sys.executable))
    path.chmod(0o755)
    return path


class Impatient(MemcheckRunner):
    log_seconds = 0.1


class Patient(MemcheckRunner):
    log_seconds = 60.0


@pytest.fixture
def watched(monkeypatch, stand_in, request):
    """A runner of this class, which a test may choose."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    made = getattr(request, "param", MemcheckRunner)
    runner = made(NO_GPU, MAP, Sandbox(None), stand_in, module="watched_child")
    yield runner
    runner.close()


def run(runner, problem, what):
    program = Program(Form.KERNEL, "compute_89", PTX, (Kernel(what, "_Z10map_kernelPKfPfi"),), {"BLOCK": 256})
    runner.load(program)
    addresses = runner.prepare(problem, SIZES, "normal", 1)
    return runner.execute(build_plan(problem, {"BLOCK": 256}, SIZES, addresses), Limits())


def test_outputs_come_through_the_program_between(watched, problem):
    done = run(watched, problem, "map_kernel")
    assert done.status is RunStatus.DONE
    assert done.outputs["output"].tolist() == [0, 1, 2, 3, 4, 5, 6, 7]


def test_findings_replace_what_cuda_said_and_the_next_run_is_unharmed(watched, problem):
    done = run(watched, problem, "findings")
    assert done.status is RunStatus.FAULT
    fault = done.fault
    assert (fault.fault, fault.line, fault.array, fault.index) == (FaultClass.OUT_OF_BOUNDS, 4, "input", 8)
    assert (fault.thread, fault.threads, fault.kernel) == ((8, 0, 0), 2, "findings")
    assert run(watched, problem, "map_kernel").status is RunStatus.DONE


@pytest.mark.parametrize("watched", [Impatient], indirect=True)
def test_a_fault_that_memcheck_says_nothing_of_stays_as_it_is(watched, problem):
    done = run(watched, problem, "trap")
    assert (done.status, done.fault.fault) == (RunStatus.FAULT, FaultClass.TRAP)


@pytest.mark.parametrize("watched", [Patient], indirect=True)
def test_a_refused_launch_is_not_waited_for(watched, problem):
    began = time.monotonic()
    assert run(watched, problem, "refused").fault.fault is FaultClass.LAUNCH_FAILURE
    assert time.monotonic() - began < 20


def test_time_limits_are_told_as_they_are(watched, problem):
    assert run(watched, problem, "endless").status is RunStatus.TIME


@pytest.mark.parametrize(
    ("what", "message"), [("trouble", "Internal Sanitizer Error: The Sanitizer did"), ("no log", "it wrote no log")]
)
@pytest.mark.parametrize("watched", [Impatient], indirect=True)
def test_a_failure_of_memcheck_itself_is_nobodys_fault(watched, problem, what, message):
    done = run(watched, problem, what)
    assert (done.status, done.fault) == (RunStatus.CRASHED, None)
    assert done.message.startswith(f"compute-sanitizer failed: {message}")


def test_nothing_is_left_behind(monkeypatch, stand_in, tmp_path, problem):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    # Other tests may have left some: multiprocessing keeps its own helpers.
    before = set(descendants(os.getpid()))
    runner = MemcheckRunner(NO_GPU, MAP, Sandbox(None), stand_in, module="watched_child")
    assert run(runner, problem, "map_kernel").status is RunStatus.DONE
    processes = set(descendants(os.getpid())) - before
    assert len(processes) >= 3
    (folder,) = tmp_path.glob("kgrade-*")
    runner.close()
    assert all_gone(processes)
    assert not folder.exists()


def test_where_it_is_not_installed_there_is_no_runner():
    assert memcheck_runner(NO_GPU, MAP, Sandbox(None), None) is None


SCRIPT = """
import sys, time
from pathlib import Path
from grader.problem import load_problem
from grader.run.gpu.memcheck import MemcheckRunner
from grader.sandbox import Sandbox
from tests.run.gpu.test_memcheck import MAP, NO_GPU, run

runner = MemcheckRunner(NO_GPU, MAP, Sandbox(None), Path(sys.argv[1]), module="watched_child")
run(runner, load_problem(MAP), "map_kernel")
print("ready", flush=True)
time.sleep(60)
"""


def descendants(pid):
    children = [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [*children, *(found for child in children for found in descendants(child))]


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def all_gone(pids, seconds=20.0):
    until = time.monotonic() + seconds
    while any(map(is_running, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    return not any(map(is_running, pids))


def test_a_killed_judge_leaves_no_process(stand_in):
    folders = os.pathsep.join([str(ROOT), str(Path(__file__).parent)])
    environment = {**os.environ, "PYTHONPATH": folders}
    command = [sys.executable, "-c", SCRIPT, str(stand_in)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as judge:
        assert judge.stdout is not None
        assert judge.stdout.readline() == "ready\n"
        processes = descendants(judge.pid)
        assert len(processes) >= 3
        judge.kill()
    assert all_gone(processes)


needs_memcheck = [
    pytest.mark.gpu,
    pytest.mark.skipif(not GPUS, reason="no NVIDIA GPU here; on a machine that has one type: make test-gpu"),
    pytest.mark.skipif(
        find_sanitizer() is None,
        reason='compute-sanitizer is not installed; type: pip install "nvidia-cuda-sanitizer-api>=13.4"',
    ),
]


def marked(test):
    for mark in needs_memcheck:
        test = mark(test)
    return test


KERNEL = """
#include <cassert>
// A product with a sparse matrix, which the emulator does not know.
__device__ float on_tensor_cores(float x) {
    float d[4];
    asm volatile(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
        " {%0, %1, %2, %3}, {%4, %4}, {%4, %4}, {%5, %5, %5, %5}, %6, 0x0;"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(0), "f"(0.0f), "r"(0x44444444));
    return x + d[0];
}
__global__ void map_kernel(const float* input, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float zero = on_tensor_cores(0.0f);
    BODY
}
"""
LINE = 1 + KERNEL[: KERNEL.index("BODY")].count("\n")
RIGHT = "if (i < N) output[i] = zero + 1.0f / (1.0f + expf(-input[i]));"
FORGED = r'if (i == 0) printf("========= Invalid __global__ read of size 4 bytes\n"); '
GPU_SIZES = {"N": 1000}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def on_gpu(problem, cache):
    """Runs the kernel with this body under memcheck."""
    runner = memcheck_runner(GPUS[0], problem.folder, Sandbox.find(), find_sanitizer())

    def run(body, seconds=30.0, shared_bytes=0):
        program = compile_kernel(
            KERNEL.replace("BODY", body),
            "mine.cu",
            problem.kernel,
            problem.c_parameters,
            problem.constants,
            gpu_target=target_of(GPUS[0]),
        )
        runner.load(program)
        addresses = runner.prepare(problem, GPU_SIZES, "normal", 1)
        steps = build_plan(problem, program.constants, GPU_SIZES, addresses).steps
        return runner.execute(Plan(tuple(replace(s, shared_bytes=shared_bytes) for s in steps)), Limits(seconds))

    yield run
    runner.close()


def check_next_is_right(run):
    done = run(RIGHT)
    assert done.status is RunStatus.DONE, done.message or done.fault
    assert not done.unwritten["output"].any()


@marked
def test_a_read_beyond_an_array_is_named_with_line_element_and_thread(on_gpu):
    done = on_gpu("if (i <= N) output[min(i, N - 1)] = zero + input[i];")
    fault = done.fault
    assert (done.status, fault.fault, fault.access) == (RunStatus.FAULT, FaultClass.OUT_OF_BOUNDS, "read")
    assert (fault.array, fault.index, fault.extent, fault.line) == ("input", 1000, 1000, LINE)
    assert (fault.block, fault.thread, fault.threads) == ((3, 0, 0), (232, 0, 0), 1)
    assert fault.kernel == "map_kernel"
    check_next_is_right(on_gpu)


@marked
@pytest.mark.parametrize(
    ("body", "shared_bytes", "kind", "access", "words"),
    [
        ("output[i] = zero;", 0, FaultClass.OUT_OF_BOUNDS, "write", "output: index 1000 of 1000 elements"),
        ("if (i < 3) output[i - 2] = zero;", 0, FaultClass.OUT_OF_BOUNDS, "write", "output: index -2 of 1000"),
        ("output[i + (1LL << 40)] = zero;", 0, FaultClass.OUT_OF_BOUNDS, "write", "all arrays"),
        ("if (i == 0) *(float2*)(output + 1) = {};", 0, FaultClass.MISALIGNED, "write", "output: index 1 of 1000"),
        ("extern __shared__ float s[]; s[i] = zero;", 512, FaultClass.OUT_OF_BOUNDS, "write", "shared memory"),
        ("if (i == N) atomicAdd(output + i, 1.0f);", 0, FaultClass.OUT_OF_BOUNDS, "atomic", "output: index 1000"),
    ],
    ids=["behind", "before", "far away", "misaligned", "shared", "atomic"],
)
def test_accesses_that_memcheck_finds(on_gpu, body, shared_bytes, kind, access, words):
    done = on_gpu(body, shared_bytes=shared_bytes)
    assert done.status is RunStatus.FAULT
    assert (done.fault.fault, done.fault.access, done.fault.line) == (kind, access, LINE), done.fault
    assert words in done.fault.message
    check_next_is_right(on_gpu)


@marked
@pytest.mark.parametrize("body", ["__trap();", "assert(i < 0);"])
def test_a_kernel_that_stops_itself_is_still_told_as_such(on_gpu, body):
    done = on_gpu(body)
    assert (done.status, done.fault.fault) == (RunStatus.FAULT, FaultClass.TRAP)
    check_next_is_right(on_gpu)


@marked
def test_what_a_kernel_prints_is_no_finding(on_gpu):
    done = on_gpu(FORGED + RIGHT)
    assert done.status is RunStatus.DONE
    assert done.printed.startswith("========= Invalid __global__ read")


@marked
def test_an_endless_kernel_is_stopped_under_memcheck_too(on_gpu):
    assert on_gpu("while (true) ((volatile float*)output)[0] = zero;", seconds=2.0).status is RunStatus.TIME
    check_next_is_right(on_gpu)


@marked
@pytest.mark.alone
def test_a_killed_judge_leaves_no_process_under_memcheck(problem):
    program = [sys.executable, "-c", ENDLESS]
    with subprocess.Popen(program, cwd=ROOT, stdout=subprocess.PIPE, text=True) as judge:
        assert judge.stdout is not None
        assert judge.stdout.readline() == "running\n"
        time.sleep(2)
        processes = descendants(judge.pid)
        assert processes
        os.kill(judge.pid, signal.SIGKILL)
    assert all_gone(processes)


ENDLESS = """
from grader.compile.nvrtc import compile_kernel
from grader.problem.harness import build_plan
from grader.problem import load_problem
from grader.machine.gpus import find_gpus, target_of
from grader.run.gpu.memcheck import memcheck_runner
from grader.run.gpu.sanitizer import find_sanitizer
from grader.core.limits import Limits
from grader.sandbox import Sandbox
from tests.run.gpu.test_memcheck import GPU_SIZES, KERNEL, MAP

problem, gpu = load_problem(MAP), find_gpus()[0]
source = KERNEL.replace("BODY", "while (true) ((volatile float*)output)[0] = zero;")
program = compile_kernel(
    source, "mine.cu", problem.kernel, problem.c_parameters, problem.constants, gpu_target=target_of(gpu)
)
runner = memcheck_runner(gpu, MAP, Sandbox.find(), find_sanitizer())
runner.load(program)
plan = build_plan(problem, program.constants, GPU_SIZES, runner.prepare(problem, GPU_SIZES, "normal", 1))
print("running", flush=True)
runner.execute(plan, Limits(seconds=60))
"""


@marked
def test_a_grading_asks_memcheck_where_the_emulator_does_not_know_an_opcode(problem, cache):
    wrong = KERNEL.replace(
        "BODY", "if (i < N) output[i] = zero + 1.0f / (1.0f + expf(-input[i])) + 0.0f * input[i + 1];"
    )
    report = grade(
        problem, make_submission("m.cu", wrong.encode()), Options(cases=4, cache=cache, device="gpu", seed=7)
    )
    assert (report.verdict, report.fault.fault) == (Verdict.RUNTIME_ERROR, FaultClass.OUT_OF_BOUNDS)
    assert (report.fault.array, report.line) == ("input", LINE)


@marked
def test_a_grading_says_that_memcheck_found_nothing(problem, cache):
    right = KERNEL.replace("BODY", RIGHT)
    report = grade(
        problem, make_submission("m.cu", right.encode()), Options(cases=4, cache=cache, device="gpu", seed=7)
    )
    assert report.verdict is Verdict.ACCEPTED, report.headline
    assert any("memcheck" in check and "misaligned accesses" in check for check in report.checks)
