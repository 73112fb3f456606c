"""A right, a wrong and a racy kernel graded on the emulator: what `make quick` runs of all gradings."""

from __future__ import annotations

from pathlib import Path

import pytest
from quick import ALWAYS, ROOT, slow_files

from grader.core.verdict import FaultClass, Verdict, WrongKind
from grader.judge.conductor import Options, grade
from grader.languages.registry import make_submission
from grader.problem import load_problem

MATMUL = ROOT / "problems" / "matmul"


@pytest.mark.parametrize(
    "file, verdict, fault",
    [
        ("accepted/2_tiled.cu", Verdict.ACCEPTED, None),
        ("wrong_answer/rows_and_columns_swapped.cu", Verdict.WRONG_ANSWER, WrongKind.UNWRITTEN_OUTPUT),
        ("runtime_error/missing_barrier_after_use.cu", Verdict.RUNTIME_ERROR, FaultClass.DATA_RACE),
    ],
)
def test_three_kernels_get_their_verdicts(file: str, verdict: Verdict, fault: object, tmp_path: Path) -> None:
    submission = make_submission("mine.cu", (MATMUL / "submissions" / file).read_bytes())
    report = grade(load_problem(MATMUL), submission, Options(seed=11, cache=tmp_path, device="emulator"))
    assert (report.verdict, report.fault.fault if report.fault else report.kind) == (verdict, fault)


def test_the_quickest_files_come_first_and_these_kernels_always() -> None:
    assert (ROOT / ALWAYS).samefile(__file__)
    seconds = {"a": 3.0, "b": 1.0, "c": 2.0, ALWAYS: 50.0}
    assert slow_files(seconds, 53.5) == {"a"}
    assert slow_files(seconds, 10.0) == {"a", "b", "c"}
