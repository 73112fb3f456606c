"""Commands are run as the shell runs them, in a workspace of their own, with a judge that answers at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from grader.boards.filing import Filing
from grader.cli import run
from grader.commands.engines import Engines
from grader.compile.submission import Submission
from grader.core.report import Interval, Modelled, ModelSize, Report
from grader.doctor.machine import examine
from grader.doctor.part import Finding, Part
from grader.judge.conductor import Options
from grader.measure.score import geometric_mean
from grader.model.gpus import ModelGpu
from grader.problem import Problem
from grader.sandbox import Sandbox
from grader.store.workspace import Workspace

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


class PlayedEngines(Engines):
    """kgrade's own, but for those that a test has put in their place."""

    def __init__(self) -> None:
        self.judge: Judge | None = None
        self.make_filing: Callable[[Workspace], Filing] = super().filing
        self.watched: Callable[[Path], Iterator[None]] = super().saves
        self.parts: Sequence[Part] | None = None
        self.model: Callable[[str], float | None] | BaseException | None = None
        self.modelled_for: list[tuple[str, float]] = []

    def filing(self, workspace: Workspace) -> Filing:
        return self.make_filing(workspace)

    def saves(self, path: Path) -> Iterator[None]:
        return self.watched(path)

    def examine(self, workspace: Workspace) -> list[Finding]:
        return examine(workspace, self.parts)

    def begin(self, device: str, folder: Path, sandbox: Sandbox) -> None:
        # Nothing will be asked of the processes.
        if self.judge is None:
            super().begin(device, folder, sandbox)

    def grade(
        self,
        problem: Problem,
        submission: Submission,
        options: Options,
        progress: Callable[[str], None] = lambda text: None,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> Report:
        grade = super().grade if self.judge is None else self.judge.grade
        return grade(problem, submission, options, progress, meanwhile)

    def modelled(
        self,
        problem: Problem,
        submission: Submission,
        sizes: Sequence[Mapping[str, int]],
        gpu: ModelGpu,
        progress: Callable[[str], None],
        *,
        seconds: float,
        require_sandbox: bool = False,
    ) -> Modelled:
        """What `model` says of the text; without it there is no time."""
        if isinstance(self.model, BaseException):
            raise self.model
        self.modelled_for.append((gpu.name, seconds))
        microseconds = self.model(submission.text) if self.model else None
        return model_times(sizes, microseconds, gpu.name)


def model_times(sizes: Sequence[Mapping[str, int]], microseconds: float | None, gpu: str = "H200") -> Modelled:
    """Model times of a file, so many microseconds at the first size and twice as many at each further one."""
    if microseconds is None:
        found = ModelSize(dict(sizes[0]), None, why_not="the model does not know frob.b32")
        return Modelled(gpu, "", "1-played", (found,), why_not=found.why_not)
    times = [microseconds * 1e-6 * 2**place for place in range(len(sizes))]
    found_sizes = tuple(
        ModelSize(dict(each), Interval(time, 0.75 * time, 1.25 * time), "DRAM", 1e-5 / time)
        for each, time in zip(sizes, times, strict=True)
    )
    return Modelled(gpu, "", "1-played", found_sizes, geometric_mean([size.share or 1.0 for size in found_sizes]))


@pytest.fixture
def engines() -> PlayedEngines:
    return PlayedEngines()


@pytest.fixture
def kgrade(capsys: pytest.CaptureFixture[str], engines: Engines) -> Kgrade:
    """`kgrade("list", "--user", "ada")` as typed in a shell."""

    def call(*arguments: str) -> Answer:
        capsys.readouterr()
        code = run(arguments, engines)
        return Answer(code, *capsys.readouterr())

    return call


@dataclass
class Judge:
    """Stands in for the judge: returns `report` for whatever is graded, and keeps what it was asked."""

    report: Report
    asked: list[tuple[Problem, Submission, Options]]
    raises: BaseException | None = None

    def grade(
        self,
        problem: Problem,
        submission: Submission,
        options: Options,
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
def judge(engines: PlayedEngines) -> Judge:
    engines.judge = Judge(accepted_report(), [])
    return engines.judge
