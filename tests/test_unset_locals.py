"""The second pass over right kernels: local variables without a value are told, and nothing else is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.compile.compiler import CompileFailure
from grader.compile.program import Program
from grader.core.limits import Limits
from grader.core.plan import Plan
from grader.core.report import Report
from grader.core.verdict import FaultClass, Verdict
from grader.judge.conductor import Options, grade
from grader.judge.grading import Grading
from grader.judge.unset_locals import CHECK, LocalsPass
from grader.languages.cuda import CudaKernel
from grader.languages.language import Language
from grader.languages.registry import make_submission
from grader.plan.planner import HarnessPlanner
from grader.plan.runner import Run, Runner, RunnerStopped, RunStatus
from grader.problem import load_problem
from grader.problem.cases import Case
from grader.run.device import Part
from grader.run.devices import EmulatorDevice, deal
from grader.run.emulator_runner import EmulatorRunner
from grader.sandbox import Sandbox
from tests.plan.recorded import require_nvcc, shared_cache
from tests.played_languages import DebugBuild

ZIP = Path(__file__).parents[1] / "problems" / "zip"
KERNEL = """__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    float added = a[i] + b[i], sum;
    if (CONDITION) sum = added;
    output[i] = sum;
}
"""
LINE = 6


SOLVE = """
extern "C" void solve(const float* a, const float* b, float* output, int N) {
    zip_kernel<<<(N + 255) / 256, 256>>>(a, b, output, N);
    cudaDeviceSynchronize();
}
"""


def graded(condition: str, cache: Path, *more: str, language: Language | None = None) -> Report:
    options = Options(seed=3, cache=cache, device="emulator", sizes=[{"N": 3}, {"N": 200}])
    source = KERNEL.replace("CONDITION", condition) + "".join(more)
    return grade(load_problem(ZIP), make_submission("mine.cu", source.encode()), options, language=language)


def test_what_the_compiler_folds_away_is_found(tmp_path: Path) -> None:
    """Thread 150's sum may be anything, so that the optimised build adds for it as well."""
    report = graded("i != 150", tmp_path)
    assert report.verdict is Verdict.RUNTIME_ERROR and report.fault is not None
    assert (report.fault.fault, report.line) == (FaultClass.UNINITIALIZED_READ, LINE)
    assert "`sum`" in report.fault.message
    assert report.smallest is not None and report.smallest.sizes == {"N": 200}


WRONG = """__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sumSUM;
    for (int k = 0; k < 2; k++) sum += k == 0 ? a[min(i, N - 1)] : -b[min(i, N - 1)];
    if (i < N) output[i] = sum;
}
"""


@pytest.mark.parametrize(("start", "fault"), [("", FaultClass.UNINITIALIZED_READ), (" = 0.0f", None)])
def test_a_wrong_answer_names_the_variable_without_a_value(
    start: str, fault: FaultClass | None, tmp_path: Path
) -> None:
    options = Options(seed=3, cache=tmp_path, device="emulator", sizes=[{"N": 3}, {"N": 200}])
    source = WRONG.replace("SUM", start)
    report = grade(load_problem(ZIP), make_submission("mine.cu", source.encode()), options)
    assert (report.fault.fault if report.fault is not None else None) is fault
    if fault is None:
        assert report.verdict is Verdict.WRONG_ANSWER
    else:
        assert report.fault is not None and "`sum`" in report.fault.message and report.line == 4


class Elsewhere:
    """A runner that is not the emulator's, as far as the judge knows; its runs are the emulator's."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner, name)


class Beside(EmulatorDevice):
    """The emulator helps another runner, which decides."""

    def start(self, *given: Any) -> Sequence[Part]:
        (helping,), (deciding,) = super().start(*given), super().start(*given)
        other: Any = Elsewhere(deciding.runner)
        return [replace(helping, helps="on the emulator", emulated=False), replace(deciding, runner=other)]


@pytest.mark.parametrize(("start", "fault"), [("", FaultClass.UNINITIALIZED_READ), (" = 0.0f", None)])
def test_a_wrong_answer_of_another_device_names_the_variable_too(
    start: str, fault: FaultClass | None, tmp_path: Path
) -> None:
    options = Options(seed=3, cache=tmp_path, sizes=[{"N": 3}, {"N": 200}], timed=False)
    submission = make_submission("mine.cu", WRONG.replace("SUM", start).encode())
    report = grade(load_problem(ZIP), submission, options, choose=lambda words: Beside())
    assert (report.fault.fault if report.fault is not None else None) is fault
    assert report.verdict is (Verdict.WRONG_ANSWER if fault is None else Verdict.RUNTIME_ERROR)


def test_a_value_on_the_paths_that_are_taken_is_enough(tmp_path: Path) -> None:
    report = graded("i < N", tmp_path)
    assert report.verdict is Verdict.ACCEPTED and CHECK in report.checks


@pytest.fixture(scope="module")
def solve_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_nvcc()
    return shared_cache(tmp_path_factory)


@pytest.mark.parametrize(("condition", "line"), [("i != 150", LINE), ("i < N", None)])
def test_files_with_their_own_solve_have_the_pass_too(condition: str, line: int | None, solve_cache: Path) -> None:
    report = graded(condition, solve_cache, SOLVE)
    assert report.line == line
    if line is None:
        assert report.verdict is Verdict.ACCEPTED and CHECK in report.checks
    else:
        assert report.fault is not None and report.fault.fault is FaultClass.UNINITIALIZED_READ
        assert "`sum`" in report.fault.message and report.fault.kernel == "zip_kernel"


def test_a_kernel_in_an_unnamed_namespace_has_the_pass_too(solve_cache: Path) -> None:
    """Its name differs from one build to the next, so that the debug build's own solve() has to launch it."""
    begin, end = "namespace {\n", "}\n"
    options = Options(seed=3, cache=solve_cache, device="emulator", sizes=[{"N": 200}])
    source = begin + KERNEL.replace("CONDITION", "i != 150") + end + SOLVE
    report = grade(load_problem(ZIP), make_submission("mine.cu", source.encode()), options)
    assert report.fault is not None and report.fault.fault is FaultClass.UNINITIALIZED_READ
    assert report.line == LINE + 1


def test_files_with_large_libraries_are_left_out(solve_cache: Path) -> None:
    report = graded("i != 150", solve_cache, "#include <cub/version.cuh>\n", SOLVE)
    assert report.verdict is Verdict.ACCEPTED and CHECK not in report.checks


def test_a_debug_build_that_fails_says_nothing(tmp_path: Path) -> None:
    def fail(program: Program) -> Program:
        raise CompileFailure([], "")

    report = graded("i != 150", tmp_path, language=DebugBuild(fail))
    assert report.verdict is Verdict.ACCEPTED and CHECK not in report.checks


def test_what_the_emulator_does_not_know_of_it_says_nothing(tmp_path: Path) -> None:
    def unknown(program: Program) -> Program:
        return replace(program, image=program.image.replace("add.f32", "frobnicate.f32"))

    assert graded("i != 150", tmp_path, language=DebugBuild(unknown)).verdict is Verdict.ACCEPTED


class DyingRunner(EmulatorRunner):
    """Its process is killed in the middle of the first run."""

    dies = True

    def execute(self, plan: Plan, limits: Limits) -> Run:
        if self.dies:
            self.dies = False
            self.close()
            raise RunnerStopped(RunStatus.CRASHED, "killed")
        return super().execute(plan, limits)


@pytest.mark.parametrize(
    ("condition", "line", "dies"), [("i != 150", LINE, 0), ("i < N", None, 0), ("i != 150", None, 1)]
)
def test_beside_a_part_that_decides_it_runs_in_a_thread(
    condition: str, line: int | None, dies: int, tmp_path: Path
) -> None:
    problem = load_problem(ZIP)
    submission = make_submission("mine.cu", KERNEL.replace("CONDITION", condition).encode())
    language = CudaKernel()
    program = language.compile(problem, submission, tmp_path, None, Sandbox.find())
    case = Case({"N": 200}, "normal", 1)
    parts = EmulatorDevice().start(problem, Sandbox.find(), tmp_path, lambda text: None)
    (alone,) = deal(parts, problem, [case])
    part = replace(alone, helps="on the emulator")
    if dies:
        part.close()
        part = replace(part, runner=DyingRunner(problem.folder, Sandbox.find(), tmp_path / "kernels"))
    locals_pass = LocalsPass(problem, submission, language, tmp_path, Sandbox.find())
    try:
        assert locals_pass.found() is None
        locals_pass.begin(part, program)
        found = locals_pass.found()
        assert (found.line if found is not None else None) == line
        # The runner has the submission's own build again, which happens to be right.
        grading = Grading(part, problem, submission, program, HarnessPlanner(problem, program.constants))
        assert grading.examiner.examine(case).verdict is Verdict.ACCEPTED
    finally:
        locals_pass.close()
        part.close()
