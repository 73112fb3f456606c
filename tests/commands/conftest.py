"""Commands are run as the shell runs them, in a workspace of their own, with a judge that answers at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import grader.judge.conductor
from grader.cli import run
from grader.compile.submission import Submission
from grader.core.report import Report
from grader.problem import Problem
from grader.run import head_start

from .samples import SOURCE, accepted_report


@dataclass(frozen=True)
class Answer:
    """What a command line printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Kgrade = Callable[..., Answer]


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the places of the person who runs it."""
    for name in ("KGRADE_WORKSPACE", "KGRADE_USER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KGRADE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LOGNAME", "ada")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace that is the working folder, with one file to grade."""
    root = tmp_path / "workspace"
    for name in ("problems", "submissions"):
        (root / name).mkdir(parents=True)
    (root / "mine.cu").write_text(SOURCE)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def kgrade(capsys: pytest.CaptureFixture[str]) -> Kgrade:
    """`kgrade("list", "--user", "ada")` as typed in a shell."""

    def call(*arguments: str) -> Answer:
        capsys.readouterr()
        code = run(arguments)
        return Answer(code, *capsys.readouterr())

    return call


@dataclass
class Judge:
    """Stands in for the judge: returns `report` for whatever is graded, and keeps what it was asked."""

    report: Report
    asked: list[tuple[Problem, Submission, grader.judge.conductor.Options]]
    raises: BaseException | None = None

    def grade(
        self,
        problem: Problem,
        submission: Submission,
        options: grader.judge.conductor.Options,
        progress: Callable[[str], None] = lambda text: None,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> Report:
        meanwhile()
        self.asked.append((problem, submission, options))
        progress("case 1 of 12: M=1,N=1,K=1")
        if self.raises is not None:
            raise self.raises
        return replace(
            self.report,
            problem=problem.name,
            title=problem.title,
            user=options.user,
            file=submission.path_name,
            source=submission.text,
            source_hash=sha256(submission.text.encode()).hexdigest(),
        )


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    fake = Judge(accepted_report(), [])
    monkeypatch.setattr(grader.judge.conductor, "grade", fake.grade)
    # Nothing will be asked of the processes.
    monkeypatch.setattr(head_start, "begin", lambda *_: None)
    return fake
