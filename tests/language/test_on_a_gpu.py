"""Scalars, flags and every type on a GPU: the worked files get their verdicts there, and the right ones are timed."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.core.verdict import Verdict
from grader.judge.conductor import Options, grade
from grader.judge.verify import compare, expectation_met_by, read_expectation
from grader.languages.registry import read_submission
from grader.machine.gpus import find_gpus
from grader.problem import load_problem
from grader.store.workspace import builtin_folder

FOLDERS = [*sorted((Path(__file__).parent / "set").iterdir()), builtin_folder("templates") / "problem"]
FILES = [(folder, file) for folder in FOLDERS for file in sorted((folder / "submissions").glob("*/*.cu"))]

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not find_gpus(), reason="there is no NVIDIA GPU here; where there is one: make test-gpu"),
]


@pytest.mark.parametrize(("folder", "file"), FILES, ids=lambda path: path.name)
def test_worked_files_get_the_declared_verdict(folder: Path, file: Path) -> None:
    report = grade(load_problem(folder), read_submission(file), Options(seed=20260101, device="gpu"))
    assert not compare(read_expectation(file), expectation_met_by(report)), report.headline
    if report.verdict is Verdict.ACCEPTED:
        # Every timed output that was looked at was right, with the scalars of its replays.
        assert report.measurement is not None, report.diagnostics
        assert all(size.verified >= 20 for size in report.measurement.sizes)
