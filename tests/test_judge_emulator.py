"""Whole gradings, from source text to report, with the real compiler and the real emulator."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.core.verdict import FaultClass, Verdict, WrongKind
from grader.judge.conductor import Options, grade
from grader.languages.registry import make_submission
from grader.problem import load_problem

ROOT = Path(__file__).parents[1]
MATMUL = ROOT / "problems" / "matmul"

NAIVE = """__global__ void matrix_multiplication_kernel(
    const float* A, const float* B, float* C, int M, int N, int K)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < K) {
        float sum = 0.0f;
        for (int i = 0; i < N; ++i)
            sum += A[row * N + i] * B[i * K + col];
        C[row * K + col] = sum;
    }
}
"""
SUM_LINE, LOOP_LINE, READ_LINE, WRITE_LINE = 7, 8, 9, 10


@pytest.fixture(scope="module")
def problem():
    return load_problem(MATMUL)


@pytest.fixture(scope="module")
def judge(problem, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")

    def run(source, **options):
        submission = make_submission("mine.cu", source.encode())
        return grade(problem, submission, Options(**{"seed": 11, "cache": cache, "device": "emulator", **options}))

    return run


def children():
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def test_a_right_kernel_is_accepted_and_nothing_is_left(judge):
    before = children()
    report = judge(NAIVE)
    assert (report.verdict, report.headline[:8]) == (Verdict.ACCEPTED, "Accepted")
    assert len(report.cases) == 12
    assert report.device == "emulator"
    assert report.launch == {"TILE": 16}
    assert report.kernels[0].name == "matrix_multiplication_kernel"
    assert all(case.instructions > 0 for case in report.cases)
    assert {output.gate for case in report.cases for output in case.outputs} >= {"G0"}
    assert children() == before


def test_a_missing_bounds_check_is_an_access_out_of_bounds(judge):
    report = judge(NAIVE.replace("row < M && col < K", "true"))
    fault = report.fault
    assert (report.verdict, fault.fault) == (Verdict.RUNTIME_ERROR, FaultClass.OUT_OF_BOUNDS)
    assert report.line == fault.line == READ_LINE
    assert "sum += A[row * N + i]" in fault.text
    assert (fault.array in "AB", fault.access, fault.index >= fault.extent) == (True, "read", True)
    assert f"Reads {fault.array} out of bounds: {fault.array}[{fault.index}]" in report.headline
    assert dict(report.smallest.sizes) == {"M": 1, "N": 1, "K": 1}
    assert "multiple of TILE (16)" in report.pattern


def test_a_write_out_of_bounds_names_the_output(judge):
    source = NAIVE.replace("C[row * K + col] = sum", "C[row * K + col + 1] = sum")
    fault = judge(source, sizes=[{"M": 5, "N": 3, "K": 4}]).fault
    assert (fault.array, fault.access, fault.line) == ("C", "write", WRITE_LINE)


def test_elements_that_are_never_written_are_told_from_wrong_ones(judge):
    report = judge(NAIVE.replace("row < M && col < K", "row < M / 16 * 16 && col < K"))
    assert (report.verdict, report.kind) == (Verdict.WRONG_ANSWER, WrongKind.UNWRITTEN_OUTPUT)
    assert dict(report.smallest.sizes) == {"M": 1, "N": 1, "K": 1}
    assert "M is not a multiple of TILE (16)" in report.pattern


def test_a_changed_input_is_named(judge):
    source = NAIVE.replace("C[row * K", "if (row + col == 0) ((float*)A)[0] += 1.0f;\n        C[row * K")
    # One thread is all that reads A: where several do, the write is a race with them.
    report = judge(source, sizes=[{"M": 1, "N": 3, "K": 1}])
    assert (report.verdict, report.kind) == (Verdict.WRONG_ANSWER, WrongKind.CHANGED_INPUT)
    assert "A" in report.headline


def test_an_endless_loop_ends_with_its_line(judge):
    source = NAIVE.replace("++i)", "i += 0)")
    began = time.monotonic()
    report = judge(source)
    assert report.verdict is Verdict.TIME_LIMIT_EXCEEDED
    assert report.line in (LOOP_LINE, READ_LINE)
    assert len(report.cases) == 1
    assert time.monotonic() - began < 120


def test_a_kernel_that_is_wrong_everywhere_fails_on_every_size(judge):
    report = judge(NAIVE.replace("C[row * K + col] = sum", "C[row * K + col] = sum + 1.0f"))
    assert (report.verdict, report.kind) == (Verdict.WRONG_ANSWER, WrongKind.WRONG_VALUE)
    assert report.pattern.startswith("fails on all")
    assert dict(report.smallest.sizes) == {"M": 1, "N": 1, "K": 1}
    assert report.smallest.outputs[0].wrong == report.smallest.outputs[0].total == 1


def test_a_kernel_for_square_matrices_only_is_found_out(judge):
    report = judge(NAIVE.replace("B[i * K + col]", "B[i * N + col]").replace("C[row * K", "C[row * N"))
    assert report.verdict in (Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR)
    assert report.smallest is not None


def test_a_block_that_is_too_large_is_a_launch_failure_at_its_define(judge):
    report = judge("#define TILE 33\n" + NAIVE)
    assert (report.verdict, report.fault.fault) == (Verdict.RUNTIME_ERROR, FaultClass.LAUNCH_FAILURE)
    assert (report.line, report.fault.text) == (1, "#define TILE 33")
    assert "1089 threads; a block has at most 1024" in report.headline


def test_an_error_of_the_compiler_names_the_line(judge):
    report = judge(NAIVE.replace("float sum = 0.0f;", "float sum = 0.0f"))
    assert (report.verdict, report.cases) == (Verdict.COMPILE_ERROR, ())
    assert report.line in (SUM_LINE, LOOP_LINE)
    assert report.diagnostics[0].severity == "error"


def test_an_instruction_that_the_emulator_does_not_know_is_named(judge):
    source = NAIVE.replace(
        "float sum = 0.0f;", 'float sum = 0.0f; asm volatile("setmaxnreg.inc.sync.aligned.u32 96;");'
    )
    report = judge(source)
    assert (report.verdict, report.fault.fault) == (Verdict.RUNTIME_ERROR, FaultClass.ILLEGAL_INSTRUCTION)
    assert "setmaxnreg" in report.fault.instruction
    assert report.line == SUM_LINE


def test_what_a_kernel_prints_is_in_the_report(judge):
    source = "#include <cstdio>\n" + NAIVE.replace(
        "float sum", 'if (row + col == 0) printf("M is %d\\n", M);\n float sum'
    )
    report = judge(source, sizes=[{"M": 2, "N": 3, "K": 4}])
    assert report.verdict is Verdict.ACCEPTED
    assert report.printed == "M is 2\n"


LARGE_SHARED = "__shared__ float t[20000]; t[M] = A[0]; C[0] = t[N];"
LARGE_LOCAL = "float t[1 << 22]; for (int i = 0; i < 1 << 22; i += N) t[i] = A[0]; C[0] = t[M * K];"


@pytest.mark.parametrize(
    ("statement", "verdict", "fault", "words"),
    [
        ("assert(M > 5000);", Verdict.RUNTIME_ERROR, FaultClass.TRAP, "Assertion failed: M > 5000, line 7"),
        (LARGE_SHARED, Verdict.RUNTIME_ERROR, FaultClass.LAUNCH_FAILURE, "80000 bytes"),
        (LARGE_LOCAL, Verdict.MEMORY_LIMIT_EXCEEDED, None, "GiB"),
    ],
    ids=["assert", "shared memory", "local memory"],
)
def test_other_ends(judge, statement, verdict, fault, words):
    report = judge(NAIVE.replace("float sum = 0.0f;", f"float sum = 0.0f; {statement}"))
    assert report.verdict is verdict
    assert (report.fault.fault if report.fault else None) is fault
    assert words in report.headline


INTERRUPTED = """
import os
import signal
import sys
from pathlib import Path
from grader.judge.conductor import Options, grade
from grader.problem import load_problem
from grader.languages.registry import make_submission

def progress(text):
    if text.startswith("case"):
        print(Path(f"/proc/self/task/{os.getpid()}/children").read_text(), flush=True)

# Shells start what runs in the background without it.
signal.signal(signal.SIGINT, signal.default_int_handler)
problem, options = load_problem(Path(sys.argv[1])), Options(cache=Path(sys.argv[3]), device="emulator")
grade(problem, make_submission("mine.cu", sys.argv[2].encode()), options, progress)
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_no_process_outlives_the_judge(sent, tmp_path):
    endless = NAIVE.replace("++i)", "i += 0)")
    judge = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(MATMUL), endless, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with judge:
        assert judge.stdout is not None and judge.stderr is not None
        pids = judge.stdout.readline().split()
        assert pids
        judge.send_signal(sent)
        try:
            judge.wait(timeout=120)
        finally:
            judge.kill()
        messages = judge.stderr.read()
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert ("KeyboardInterrupt" in messages) == (sent is signal.SIGINT)
    assert "resource_tracker" not in messages
