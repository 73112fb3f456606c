"""The conductor's decisions, with a runner that computes in Python what a kernel would have done."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from played_devices import PlayedEmulator

from grader.compile.nvrtc import CompileFailure
from grader.compile.program import Kernel, Program
from grader.core.errors import ToolMissing, UsageError
from grader.core.limits import USUAL_SEARCH
from grader.core.plan import Launch
from grader.core.report import Diagnostic, FaultReport, KernelInfo, from_json, to_json
from grader.core.verdict import FaultClass, Form, Verdict, WrongKind
from grader.judge import conductor
from grader.judge.conductor import Options, grade
from grader.languages.registry import make_submission
from grader.plan.poison import BITS, Poison, find_poison, make_poisoned
from grader.plan.runner import Run, RunnerStopped, RunStatus
from grader.problem import load_problem
from grader.problem.inputs import make_inputs
from grader.run.devices import choose_device
from tests.played_languages import PlayedKernel

MATMUL = Path(__file__).parents[1] / "problems" / "matmul"
SOURCE = """#define TILE 8
__global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    C[0] = A[0];  // the third line
}
"""


class PythonRunner:
    """A Runner whose device is a function: `kernel(sizes, inputs, C)` writes C, or returns how it ended."""

    device = "emulator"
    checks = ("nothing beyond results",)

    def __init__(self, kernel, load=None):
        self.kernel, self._load = kernel, load
        self.prepared, self.plans, self.closed = [], [], 0

    def load(self, program):
        if self._load is not None:
            raise self._load
        return (KernelInfo(program.kernels[0].name, shared_bytes=128),)

    def prepare(self, problem, sizes, family, seed, poison=Poison.NAN):
        self.prepared.append((dict(sizes), family, seed, poison))
        self.poison, self.sizes = poison, sizes
        self.inputs = make_inputs(problem, sizes, family, seed)
        self.before = {name: array.copy() for name, array in self.inputs.items()}
        self.output = make_poisoned((sizes["M"], sizes["K"]), np.dtype("f4"), poison)
        return {"A": 1 << 40, "B": 2 << 40, "C": 3 << 40}

    def execute(self, plan, limits):
        self.plans.append(plan)
        ended = self.kernel(self.sizes, self.inputs, self.output)
        if isinstance(ended, Exception):
            raise ended
        if isinstance(ended, Run):
            return ended
        changed = {
            name: tuple(int(i) for i in np.argwhere(array != self.before[name])[0])
            for name, array in self.inputs.items()
            if (array != self.before[name]).any()
        }
        return Run(
            RunStatus.DONE,
            outputs={"C": self.output},
            unwritten={"C": find_poison(self.output, self.poison)},
            changed=changed,
            printed=ended or "",
            instructions=7,
        )

    def close(self):
        self.closed += 1


def multiply(sizes, inputs, C):
    C[:] = inputs["A"].astype(np.float64) @ inputs["B"].astype(np.float64)


def out_of_bounds(line=3):
    fault = FaultReport(
        FaultClass.OUT_OF_BOUNDS,
        "reads past the end of A",
        line=line,
        kernel="matrix_multiplication_kernel",
        access="read",
        array="A",
        index=289,
        extent=289,
        block=(0, 1, 0),
        thread=(1, 16, 0),
        threads=48,
    )
    return Run(RunStatus.FAULT, fault=fault, instructions=9)


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    """What stands in for the compiler is not to be remembered for others."""
    monkeypatch.setenv("KGRADE_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def problem():
    return load_problem(MATMUL)


@pytest.fixture
def graded(problem):
    """Grades `kernel`; gives the report and the runner."""

    def run(kernel, source=SOURCE, tile=8, load=None, progress=lambda text: None, **options):
        runner = PythonRunner(kernel, load)

        def choose(words):
            return PlayedEmulator(runner)

        def compiled(problem, gpu):
            constants = {**problem.constants, "TILE": tile}
            return Program(Form.KERNEL, "compute_89", "ptx", (Kernel(problem.kernel, "_Z1k"),), constants)

        submission, language = make_submission("mine.cu", source.encode()), PlayedKernel(compiled)
        options = Options(**{"seed": 5, **options})
        return grade(problem, submission, options, progress, choose=choose, language=language), runner

    return run


def test_an_accepted_submission_is_told_whole(graded):
    steps: list[str] = []
    report, runner = graded(multiply, progress=steps.append, user="ada")
    assert (report.verdict, report.fault, report.kind, report.smallest) == (
        Verdict.ACCEPTED,
        None,
        None,
        None,
    )
    # Each case runs with other inputs as well.
    assert len(runner.prepared) == 2 * len(report.cases) == 24
    assert all(case.verdict is Verdict.ACCEPTED and case.instructions == 7 for case in report.cases)
    assert (report.problem, report.user, report.file, report.seed) == ("matmul", "ada", "mine.cu", 5)
    assert report.launch == {"TILE": 8}
    assert report.kernels == (KernelInfo("matrix_multiplication_kernel", shared_bytes=128),)
    assert "nothing beyond results" in report.checks
    assert "Accepted" in report.headline
    assert report.submitted.endswith("+00:00")
    assert report.source == SOURCE
    assert steps[0] == "compiling"
    assert sum("case" in step for step in steps) == 12
    assert runner.closed == 1
    assert from_json(to_json(report)) == report


def test_cases_take_turns_in_families_and_never_share_a_seed(graded):
    report, _ = graded(multiply)
    assert {case.family for case in report.cases} == {"exact", "normal"}
    assert all(a.family != b.family for a, b in zip(report.cases, report.cases[1:], strict=False))
    assert len({case.seed for case in report.cases}) == 12


def test_a_seed_repeats_a_grading_and_without_one_each_differs(graded):
    def key(report):
        return [(dict(case.sizes), case.family, case.seed) for case in report.cases]

    first, again = graded(multiply)[0], graded(multiply)[0]
    assert key(first) == key(again)
    one, other = graded(multiply, seed=None)[0], graded(multiply, seed=None)[0]
    assert one.seed != other.seed
    assert key(one) != key(other)
    assert key(graded(multiply, seed=one.seed)[0]) == key(one)


@pytest.mark.parametrize("sizes", [(), [{"M": 17, "N": 1, "K": 3}]], ids=["drawn", "given"])
def test_a_result_that_is_kept_for_the_next_run_of_the_same_sizes_is_wrong(graded, sizes):
    kept = {}

    def kernel(sizes, inputs, C):
        key = tuple(sizes.values())
        if key not in kept:
            multiply(sizes, inputs, C)
            kept[key] = C.copy()
        C[:] = kept[key]

    report, _ = graded(kernel, sizes=sizes)
    assert (report.verdict, report.kind) == (Verdict.WRONG_ANSWER, WrongKind.WRONG_VALUE)


def test_the_launch_uses_the_constant_of_the_submission(graded):
    _, runner = graded(multiply, sizes=[{"M": 17, "N": 1, "K": 3}])
    (launch,) = runner.plans[0].steps
    assert isinstance(launch, Launch)
    assert (launch.grid, launch.block) == ((1, 3, 1), (8, 8, 1))


def test_sizes_given_by_hand_run_with_every_family(graded):
    report, _ = graded(multiply, sizes=[{"M": 17, "N": 1, "K": 3}])
    assert [(dict(c.sizes), c.family) for c in report.cases] == [
        ({"M": 17, "N": 1, "K": 3}, "exact"),
        ({"M": 17, "N": 1, "K": 3}, "normal"),
    ]


def test_a_fault_ends_the_cases_and_is_shrunk_and_named(graded):
    def kernel(sizes, inputs, C):
        if sizes["M"] % 16:
            return out_of_bounds()
        return multiply(sizes, inputs, C)

    report, runner = graded(kernel, tile=16)
    assert (report.verdict, report.fault.fault, report.line) == (
        Verdict.RUNTIME_ERROR,
        FaultClass.OUT_OF_BOUNDS,
        3,
    )
    assert len(report.cases) < 12
    assert report.cases[-1].verdict is Verdict.RUNTIME_ERROR
    assert dict(report.smallest.sizes) == {"M": 1, "N": 1, "K": 1}
    assert report.fault.text == "C[0] = A[0];  // the third line"
    assert "M is not a multiple of TILE (16)" in report.pattern
    assert "Reads A out of bounds: A[289] of 289 elements" in report.headline
    assert "line 3, thread (1,16,0) of block (0,1,0)" in report.headline
    assert any("48 threads" in line for line in report.explanation)
    assert len(runner.prepared) <= len(report.cases) + USUAL_SEARCH.trials.runs


def test_two_dimensional_arrays_are_named_by_row_and_column(graded):
    report, _ = graded(lambda *_: out_of_bounds(), sizes=[{"M": 17, "N": 17, "K": 1}])
    # Shrunk to 1 × 1, where element 289 is in row 289.
    assert "that is A[289,0] of 1 × 1" in report.headline


def test_wrong_answers_go_on_through_all_cases_and_show_the_pattern(graded):
    def kernel(sizes, inputs, C):
        multiply(sizes, inputs, C)
        if sizes["M"] != sizes["K"]:
            C[-1, -1] += 100

    report, _ = graded(kernel)
    assert (report.verdict, report.kind) == (Verdict.WRONG_ANSWER, WrongKind.WRONG_VALUE)
    assert len(report.cases) == 12
    assert {case.verdict for case in report.cases} == {Verdict.ACCEPTED, Verdict.WRONG_ANSWER}
    assert sorted(report.smallest.sizes.values()) == [1, 1, 2]
    assert "fails whenever M != K" in report.pattern
    assert report.smallest.outputs[0].wrong == 1
    assert report.headline.startswith("Wrong answer")


def test_an_element_left_alone_is_unwritten_after_two_runs(graded):
    def kernel(sizes, inputs, C):
        kept = C[-1, 0].copy()
        multiply(sizes, inputs, C)
        C[-1, 0] = kept

    report, runner = graded(kernel, cases=2)
    assert (report.verdict, report.kind) == (Verdict.WRONG_ANSWER, WrongKind.UNWRITTEN_OUTPUT)
    assert dict(report.smallest.sizes) == {"M": 1, "N": 1, "K": 1}
    assert {poison for *_, poison in runner.prepared} == {Poison.NAN, Poison.FINITE}


def test_an_element_that_happens_to_be_written_with_the_poison_is_wrong_not_unwritten(graded):
    def kernel(sizes, inputs, C):
        multiply(sizes, inputs, C)
        C.view(np.uint32)[0, 0] = BITS[Poison.NAN][4]

    report, _ = graded(kernel, cases=2)
    assert (report.verdict, report.kind) == (Verdict.WRONG_ANSWER, WrongKind.WRONG_VALUE)


def test_a_changed_input_is_named_even_where_the_result_is_right(graded):
    def kernel(sizes, inputs, C):
        multiply(sizes, inputs, C)
        inputs["B"][-1, 0] += 1

    report, _ = graded(kernel, cases=2)
    assert (report.verdict, report.kind) == (Verdict.WRONG_ANSWER, WrongKind.CHANGED_INPUT)
    assert "B[0,0]" in report.headline.replace(" ", "")


def test_a_changed_input_explains_wrong_values_elsewhere(graded):
    def kernel(sizes, inputs, C):
        multiply(sizes, inputs, C)
        if sizes["M"] > 40:
            inputs["A"][0, 0] += 1
        else:
            C[0, 0] += 100

    assert graded(kernel)[0].kind is WrongKind.CHANGED_INPUT


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (RunStatus.TIME, Verdict.TIME_LIMIT_EXCEEDED),
        (RunStatus.MEMORY, Verdict.MEMORY_LIMIT_EXCEEDED),
        (RunStatus.CRASHED, Verdict.INTERNAL_ERROR),
    ],
)
@pytest.mark.parametrize("raised", [False, True])
def test_what_ends_a_run_ends_the_grading_without_further_runs(graded, status, verdict, raised):
    def kernel(sizes, inputs, C):
        if raised:
            return RunnerStopped(status, "it went on and on")
        return Run(status, lines=(3, 2), message="it went on and on")

    report, runner = graded(kernel)
    assert (report.verdict, len(report.cases), len(runner.prepared)) == (verdict, 1, 1)
    assert "it went on and on" in report.headline
    assert report.line == (None if raised else 3)
    assert report.explanation
    assert runner.closed == 1


def test_a_program_that_can_not_be_loaded_is_a_report_too(graded):
    report, runner = graded(multiply, load=RunnerStopped(RunStatus.CRASHED, "the emulator broke", "a traceback"))
    assert (report.verdict, report.cases) == (Verdict.INTERNAL_ERROR, ())
    assert "the emulator broke" in report.headline
    assert report.explanation[-1] == "For a bug report: a traceback"
    assert runner.closed == 1


def test_a_block_too_large_is_a_launch_failure_at_its_define(graded):
    source = SOURCE.replace("#define TILE 8", "// sizes\n#define TILE 33")
    report, _ = graded(multiply, source=source, tile=33)
    assert (report.verdict, report.fault.fault) == (Verdict.RUNTIME_ERROR, FaultClass.LAUNCH_FAILURE)
    assert (report.line, report.fault.text) == (2, "#define TILE 33")
    assert "Block (33, 33) has 1089 threads; a block has at most 1024" in report.headline


def test_errors_of_the_compiler_are_a_report_with_the_first_line(problem):
    found = (
        Diagnostic("warning", "variable unused", line=1),
        Diagnostic("error", 'expected a ";"', line=3, column=7, hint="see the line above"),
        Diagnostic("error", "and another", line=4),
    )

    def compiled(problem, gpu):
        raise CompileFailure(found, "the log")

    submission = make_submission("mine.cu", SOURCE.encode())
    report = grade(problem, submission, Options(device="emulator"), language=PlayedKernel(compiled))
    assert (report.verdict, report.line, report.cases) == (Verdict.COMPILE_ERROR, 3, ())
    assert report.diagnostics == found
    assert report.headline == 'Does not compile: line 3: expected a ";" (and 1 more)'


def test_an_interrupt_closes_the_runner(graded, monkeypatch):
    seen = []

    def kernel(sizes, inputs, C):
        raise KeyboardInterrupt

    monkeypatch.setattr(PythonRunner, "close", lambda self: seen.append(self))
    with pytest.raises(KeyboardInterrupt):
        graded(kernel)
    assert len(seen) == 1


def test_output_of_the_kernel_is_shown_once_and_capped(graded):
    def kernel(sizes, inputs, C):
        multiply(sizes, inputs, C)
        return "x" * 5000

    printed = graded(kernel)[0].printed
    assert printed.startswith("x" * 4000)
    assert printed.endswith("(1,000 more characters)")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"device": "gpu"}, "no NVIDIA GPU was found"),
        ({"device": "abacus"}, "'abacus'"),
        ({"cases": 0}, "0 cases"),
        ({"sizes": [{"M": 8192, "N": 8192, "K": 8192}]}, "too large for the emulator"),
        ({"sizes": [{"M": 0, "N": 1, "K": 1}]}, "out of range"),
        ({"sizes": [{"M": 1}]}, "missing"),
    ],
)
def test_what_can_not_be_graded_is_refused_in_words(problem, options, words):
    choose = partial(choose_device, present=())
    with pytest.raises(UsageError, match=words) as refused:
        grade(problem, make_submission("mine.cu", SOURCE.encode()), Options(**options), choose=choose)
    assert refused.value.hint


@pytest.mark.parametrize("required", [True, False])
def test_host_code_of_a_submission_asks_for_the_sandbox(problem, monkeypatch, required):
    asked = []

    class Sandbox:
        @staticmethod
        def find(required):
            asked.append(required)
            raise ToolMissing("bubblewrap is not installed", "type: apt install bubblewrap")

    # A grading finds it itself, and this machine's may work.
    monkeypatch.setattr(conductor, "Sandbox", Sandbox)
    source = SOURCE + 'extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {}\n'
    with pytest.raises(ToolMissing, match="bubblewrap"):
        grade(problem, make_submission("mine.cu", source.encode()), Options(require_sandbox=required))
    assert asked == [required]


def test_a_report_is_plain_json(graded):
    report, _ = graded(lambda *_: out_of_bounds())
    data = json.loads(to_json(replace(report, score=None)))
    assert (data["verdict"], data["fault"]["fault"], data["line"]) == ("runtime_error", "out_of_bounds", 3)
