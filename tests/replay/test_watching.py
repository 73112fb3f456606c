"""A failing grading's report holds the replay of its smallest failing case; a verdict never depends on it."""

from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.compile.program import Program
from grader.core.report import CaseResult, Diagnostic, Report
from grader.core.verdict import FaultClass, Verdict
from grader.judge.conductor import Options, grade
from grader.judge.watching import NOTHING, add_replay, can_be_watched
from grader.languages.language import Language
from grader.languages.registry import language_of, make_submission
from grader.problem import load_problem
from grader.replay.packing import unpack
from grader.replay.record import CALLS_BEFORE
from grader.sandbox import Sandbox
from tests.played_languages import DebugBuild

ZIP = Path(__file__).parents[2] / "problems" / "zip"
KERNEL = """__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (CONDITION) output[i] = a[i] + b[i];
}
"""


def graded(condition: str, cache: Path, language: Language | None = None, **options: Any) -> Report:
    given = Options(
        **{"seed": 3, "cache": cache, "device": "emulator", "sizes": [{"N": 40}], "replay": True, **options}
    )
    source = KERNEL.replace("CONDITION", condition)
    return grade(load_problem(ZIP), make_submission("mine.cu", source.encode()), given, language=language)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def test_a_fault_is_watched_at_the_smallest_sizes_that_fail(cache: Path) -> None:
    report = graded("i <= N", cache)
    assert report.fault is not None and report.fault.fault is FaultClass.OUT_OF_BOUNDS
    assert report.replay is not None and report.replay.marks == ("fault",)
    assert report.smallest is not None and report.smallest.sizes == {"N": 1}
    assert "N=1" in report.replay.subject and "line 3" in report.replay.ending
    assert 0 < len(report.replay.packed) < 100_000


def test_a_wrong_answer_is_watched_where_it_is_written(cache: Path) -> None:
    report = graded("i < N && i != 0", cache)
    assert report.verdict is Verdict.WRONG_ANSWER
    assert report.replay is not None and "output[0]" in report.replay.causes[0]


def test_only_what_failed_and_was_asked_for_is_recorded(cache: Path) -> None:
    assert graded("i < N", cache).replay is None
    assert graded("i <= N", cache, replay=False).replay is None
    assert graded("i <", cache).replay is None


def test_a_grading_with_little_time_left_is_not_recorded(cache: Path) -> None:
    report = graded("i <= N", cache, deadline=29.0)
    assert report.verdict is Verdict.RUNTIME_ERROR and report.replay is None


def test_a_later_call_is_watched_after_the_calls_before_it(cache: Path) -> None:
    file = Path(__file__).parents[1] / "solve" / "later_calls" / "graph_of_the_first_call.cu"
    given = Options(seed=3, cache=cache, device="emulator", sizes=[{"N": 1}, {"N": 40}], replay=True)
    report = grade(load_problem(ZIP), make_submission(file.name, file.read_bytes()), given)
    assert report.smallest is not None and len(report.smallest.after) == 4
    assert report.replay is not None and report.replay.causes == ("No thread of this block wrote output[0].",)
    assert CALLS_BEFORE.format(4) in unpack(b64decode(report.replay.packed)).remarks


ENDLESS = """#include <cuda_runtime.h>
extern "C" void solve(const float* a, const float* b, float* output, int N) {
    for (volatile int left = N; left > 0;) { }
}
__global__ void never(float* output) { output[0] = 1; }
"""


def test_a_solve_that_launches_nothing_and_does_not_return_has_no_replay_and_says_so(cache: Path) -> None:
    result = CaseResult({"N": 5}, "normal", 3, Verdict.TIME_LIMIT_EXCEEDED)
    report = replace(graded("i < N", cache), verdict=Verdict.TIME_LIMIT_EXCEEDED, smallest=result)
    submission = make_submission("mine.cu", ENDLESS.encode())
    given = load_problem(ZIP), submission, language_of(submission), cache, Sandbox.find()
    watched = add_replay(report, *given)
    assert watched.replay is None and watched.diagnostics[-1] == Diagnostic("note", NOTHING)


def test_a_mistake_of_the_recording_leaves_the_verdict(cache: Path) -> None:
    def fail(program: Program) -> Program:
        raise ZeroDivisionError("made up")

    language = DebugBuild(fail)
    report = graded("i != N + 1 && i <= N", cache, language=language)
    assert report.verdict is Verdict.RUNTIME_ERROR and report.replay is None
    assert any("made up" in one.message and one.severity == "warning" for one in report.diagnostics)


def test_what_the_emulator_cannot_run_is_not_recorded(cache: Path) -> None:
    report = graded("i <= N", cache, replay=False)
    assert can_be_watched(report, load_problem(ZIP))
    assert report.smallest is not None
    large = replace(report, smallest=replace(report.smallest, sizes={"N": 100_000_000}))
    assert not can_be_watched(large, load_problem(ZIP))
    assert not can_be_watched(replace(report, verdict=Verdict.INTERNAL_ERROR), load_problem(ZIP))
