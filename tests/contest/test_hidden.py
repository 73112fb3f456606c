"""Under hidden seeds nothing but one word depends on a hidden case: what a submission can learn of them is one bit."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.contest import judging
from grader.contest.hidden import only_verdict
from grader.contest.judging import HIDDEN_STEP, MachineJudge, rounded_up
from grader.core.report import FaultReport, KernelInfo, from_json, to_data
from grader.core.verdict import FaultClass, Verdict, WrongKind
from grader.store.workspace import Workspace

from .site_samples import SLUG, accepted, open_hall, wrong
from .test_worker import JOB

ROOT = Path(__file__).parents[2]
HIDDEN = replace(JOB, problem="zip", hidden_seed=17, text="__global__ void zip_kernel() {}")


@pytest.fixture
def graded() -> Iterator[list[Any]]:
    """Reports in the place of gradings, after a list of what was asked: without the hidden seed, and with it."""
    reports: list[Any] = [[]]
    yield reports
    assert not reports


@pytest.fixture
def machine(tmp_path: Path, graded: list[Any]) -> MachineJudge:
    asked = graded[0]

    def grade(problem: object, submission: object, options: Any, progress: Any) -> Any:
        asked.append(options)
        progress(f"case {len(asked)} of 2: N=4711")
        return graded.pop(0)

    machine = MachineJudge(Workspace(ROOT), "emulator", tmp_path, grade=grade)
    machine.hidden_seconds = 0.01
    return machine


def faulty() -> Any:
    """A failure of which everything was chosen by a hidden size."""
    fault = FaultReport(FaultClass.OUT_OF_BOUNDS, "index 4711", 42, "x[4711]", "k4711", "write", "output", 4711, 4711)
    told = {"fault": fault, "line": 42, "printed": "N=4711", "seconds": 47.11, "pattern": "N=4711"}
    kernels = (KernelInfo("k4711", 1, 2, 3, 4, 0.4711, "4711"),)
    return replace(wrong(), verdict=Verdict.RUNTIME_ERROR, headline="4711", kernels=kernels, **told)


def test_how_long_hidden_cases_took_tells_few_bits() -> None:
    told = [rounded_up(tenths / 10, 5.0, 299.0) for tenths in range(1, 2990)]
    assert sorted(set(told)) == [5, 10, 20, 40, 80, 160, 300]
    assert all(tenths / 10 <= seconds for tenths, seconds in enumerate(told, 1))
    # A grading that went beyond its deadline is not held up by more than a step.
    assert rounded_up(301.0, 5.0, 299.0) == 305
    assert rounded_up(12.0, 5.0, 10.0) == 15


def test_what_fails_without_hidden_cases_is_told_in_full(machine: MachineJudge, graded: list[Any]) -> None:
    (asked,) = graded
    graded[:] = [faulty()]
    outcome = machine(HIDDEN, lambda text: None)
    assert outcome.is_open and outcome.verdict == "runtime_error" and "4711" in (outcome.report or "")
    # With a seed of its own, so that nothing of the contest's is in it; it may be watched.
    assert [(each.seed, each.fresh_modules, each.replay) for each in asked] == [(None, False, True)]


def test_a_problem_is_the_same_until_its_folder_changes(tmp_path: Path) -> None:
    """By the object the judge knows hidden cases again, and by the folder it sees that they are others."""
    folder, graded = tmp_path / "problems" / "zip", []

    def grade(problem: object, *asked: object) -> Any:
        graded.append(problem)
        return accepted()

    shutil.copytree(ROOT / "problems" / "zip", folder)
    machine = MachineJudge(Workspace(tmp_path), "emulator", tmp_path, grade=grade)
    machine.hidden_seconds = 0.01
    machine(HIDDEN, lambda text: None)
    machine(HIDDEN, lambda text: None)
    definition = folder / "problem.py"
    definition.write_text(f"{definition.read_text()}\n# Another one.\n")
    machine(HIDDEN, lambda text: None)
    assert [each is graded[0] for each in graded] == [True, True, True, True, False, False]


@pytest.mark.parametrize(
    "found",
    [
        faulty,
        wrong,
        lambda: replace(faulty(), verdict=Verdict.TIME_LIMIT_EXCEEDED),
        lambda: replace(faulty(), verdict=Verdict.MEMORY_LIMIT_EXCEEDED),
        lambda: replace(wrong(), kind=WrongKind.LOW_PRECISION),
        lambda: replace(faulty(), verdict=Verdict.REJECTED),
    ],
)
def test_all_that_fails_in_a_hidden_case_looks_alike(
    found: Any, machine: MachineJudge, graded: list[Any], tmp_path: Path
) -> None:
    (asked,) = graded
    report = replace(found(), problem="zip", title="Zip", file=JOB.file, user=JOB.account)
    graded[:] = [accepted(), report]
    said: list[str] = []
    outcome = machine(HIDDEN, said.append)
    assert (outcome.verdict, outcome.is_open, outcome.score) == ("wrong_answer", False, None)
    assert said == ["case 1 of 2: N=4711", HIDDEN_STEP, HIDDEN_STEP]
    assert [(each.seed, each.fresh_modules, each.timed) for each in asked] == [(None, False, True), (17, True, False)]
    assert [each.replay for each in asked] == [True, False]
    with open_hall(tmp_path / "hall", hidden_seeds=(8123,)) as hall:
        number = hall.submit("ada")
        job = hall.database.queue.claim("emulator", "stub")
        assert job is not None and hall.database.queue.finish(job, replace(outcome, colours=None))
        page = hall.signed_in("ada").get(f"/contests/{SLUG}/submissions/{number}").text
        data = hall.program("ada").get(f"/api/submissions/{number}").json()
        assert "4711" not in page and "4711" not in str(data)
        told = dict.fromkeys(["fault", "line", "kind", "smallest", "measurement", "time", "score"])
        told |= {
            "cases": [],
            "kernels": [],
            "diagnostics": [],
            "printed": "",
            "pattern": "",
            "seconds": 0.0,
            "launch": {},
        }
        assert {name: data["report"][name] for name in told} == told
        assert data["report"]["headline"] == "Fails in a hidden case" and data["verdict"] == "wrong_answer"
        # Staff see what it was.
        whole = hall.program("tutor").get(f"/api/submissions/{number}").json()["report"]
        assert whole["verdict"] == report.verdict.value and whole["headline"] == report.headline


def test_what_passes_is_told_as_it_was_without_hidden_cases(machine: MachineJudge, graded: list[Any]) -> None:
    seen = replace(accepted(), score=0.5, seconds=1.0)
    hidden = replace(accepted(), score=0.1, seconds=47.11, printed="N=4711", kernels=faulty().kernels)
    graded[:] = [seen, hidden]
    outcome = machine(HIDDEN, lambda text: None)
    assert outcome.is_open and outcome.verdict == "accepted" and outcome.report is not None
    assert from_json(outcome.report) == replace(seen, source="", checks=(*seen.checks, judging.HIDDEN_CHECK))


def test_a_failure_of_the_judge_stays_one(machine: MachineJudge, graded: list[Any]) -> None:
    graded[:] = [accepted(), replace(faulty(), verdict=Verdict.INTERNAL_ERROR)]
    outcome = machine(HIDDEN, lambda text: None)
    assert (outcome.verdict, outcome.is_open) == ("internal_error", False)
    told = only_verdict(from_json(outcome.report or ""))
    assert told.verdict is Verdict.INTERNAL_ERROR and "4711" not in str(to_data(told))


COUNTS = """\
__device__ int calls;
__global__ void zip_kernel(const float* a, const float* b, float* output, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 && calls++ > 1) return;
    if (i < N) output[i] = a[i] + b[i];
}
"""
"""Leaves an element out where an earlier case left a note: each case runs once, or twice where it leaves one out."""


@pytest.mark.parametrize(("fresh", "verdict"), [(True, Verdict.ACCEPTED), (False, Verdict.WRONG_ANSWER)])
def test_no_case_finds_what_an_earlier_one_left(fresh: bool, verdict: Verdict, tmp_path: Path) -> None:
    from grader.judge.conductor import Options, grade
    from grader.languages.registry import make_submission

    options = Options(cases=4, seed=3, device="emulator", cache=tmp_path, fresh_modules=fresh)
    report = grade(Workspace(ROOT).load("zip"), make_submission("counts.cu", COUNTS.encode()), options)
    assert report.verdict is verdict, report.headline
