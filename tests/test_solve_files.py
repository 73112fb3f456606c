"""Files with their own solve(): each under tests/solve/ uses a part of CUDA's host side, and gets its declared verdict.

What their first lines mean is told in tests/solve/README.md. On a GPU: pytest -m gpu tests/test_solve_files.py.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from grader.compile.toolkit import find_host_compiler, find_nvcc
from grader.core.errors import ToolMissing
from grader.core.limits import Effort, Limits, Search
from grader.core.report import Report, from_json, to_json
from grader.core.verdict import FaultClass, Form, Verdict, WrongKind
from grader.judge.conductor import Options, grade
from grader.judge.verify import Expectation, compare, expectation_met_by
from grader.languages.registry import read_submission
from grader.machine.cuda_packages import cutlass_command
from grader.machine.gpus import Gpu, find_gpus
from grader.problem import Problem, load_problem
from grader.run.device import Part
from grader.run.devices import GpuPart
from grader.sandbox import Sandbox
from grader.terminal.report import print_report
from tests.plan.recorded import shared_cache
from tests.played_devices import adjusted
from tests.played_languages import with_time

FOLDER = Path(__file__).parent / "solve"
PROBLEMS = Path(__file__).parents[1] / "problems"
SEED = 20260103
HOST_SECONDS = 3.0
"""For solve(), and for all kernels that it launches meanwhile, where it does not come to an end."""
COMPILE_SECONDS = 300.0
"""CUB's and Thrust's templates take ten seconds of an idle processor, CUTLASS's a minute."""
ONE_SIDED = {"unsupported_calls", "tensor_maps"}
"""What has no right use; and what multiplies TF32 only, in a problem of fp32."""

_FIELD = re.compile(r"^// ([a-z ]+): (.*)$", re.MULTILINE)
_HERE = re.compile(r"//\s*<-\s*here\s*$")
_FIELDS = {"problem", "expect", "on gpu", "sizes", "needs", "says"}
_NEED = re.compile(r"gpu|sm_(\d+)|cutlass")


@dataclass(frozen=True)
class SolveFile:
    """One file, and what it declares of itself."""

    file: Path
    fields: dict[str, str]

    @property
    def feature(self) -> str:
        return self.file.parent.name

    @property
    def name(self) -> str:
        return f"{self.feature}/{self.file.stem}"

    @property
    def needs(self) -> list[str]:
        return self.fields.get("needs", "").split()

    def expected(self, on_gpu: bool) -> list[Expectation]:
        """What may come out. A fault that only a GPU finds has no line."""
        text = self.file.read_text(encoding="utf-8")
        here = [number for number, line in enumerate(text.splitlines(), 1) if _HERE.search(line)]
        assert len(here) <= 1
        differs = on_gpu and "on gpu" in self.fields
        line = here[0] if here and not differs else None
        return [_expectation(one, line) for one in self.fields["on gpu" if differs else "expect"].split("|")]

    def missing(self, gpu: Gpu | None) -> str:
        """Why it can't be graded here, or nothing."""
        for need in self.needs:
            if need == "gpu" and gpu is None:
                return "there is no NVIDIA GPU here; where there is one: make test-gpu"
            newest = re.fullmatch(r"sm_(\d+)", need)
            if newest and gpu is not None and 10 * gpu.capability[0] + gpu.capability[1] < int(newest[1]):
                return f"it needs a GPU of {need} or newer"
            if need == "cutlass" and not _has_cutlass():
                return f"the headers of CUTLASS are not installed; type: {cutlass_command()}"
        return ""

    def grade(self, device: str, cache: Path) -> Report:
        sizes = [
            {name: int(value) for name, value in (pair.split("=") for pair in case.split(","))}
            for case in self.fields["sizes"].split()
        ]
        options = Options(seed=SEED, sizes=sizes, device=device, user="tester", cache=cache)
        submission = read_submission(self.file)
        return grade(
            *(copy.copy(_problem(self.fields["problem"])), submission, options),
            choose=adjusted(self._hurry),
            language=with_time(submission, COMPILE_SECONDS),
        )

    def _hurry(self, part: Part) -> Part:
        """No search for where a failure lies: the sizes are given. What never ends is not waited for."""
        hurried = replace(part, search=Search(trials=Effort(2, 0.1), shrinking=Effort(1, 0.05)))
        if self.fields["expect"] != Verdict.TIME_LIMIT_EXCEEDED:
            return hurried
        hurried = replace(hurried, solve_seconds=HOST_SECONDS)
        return hurried if isinstance(part, GpuPart) else replace(hurried, limits=lambda *_: Limits(HOST_SECONDS))


def _expectation(text: str, line: int | None) -> Expectation:
    verdict, _, detail = text.strip().partition(" ")
    assert not detail or detail in {*FaultClass, *WrongKind}
    return Expectation(Verdict(verdict), detail, line)


def _has_cutlass() -> bool:
    try:
        return any((folder / "cutlass" / "cutlass.h").is_file() for folder in find_nvcc().includes)
    except ToolMissing:
        return False


def _missing_tool() -> str:
    try:
        find_host_compiler(find_nvcc())
    except ToolMissing as missing:
        return f"{missing.message} ({missing.hint})"
    sandbox = Sandbox.find()
    return "" if sandbox.protects else f"{sandbox.reason} (scripts/install-test-packages)"


def read_solve_file(file: Path) -> SolveFile:
    opening = file.read_text(encoding="utf-8").split("\n//\n")[0]
    return SolveFile(file, dict(_FIELD.findall(opening)))


@lru_cache(maxsize=8)
def _problem(name: str) -> Problem:
    return load_problem(PROBLEMS / name)


FILES = [read_solve_file(file) for file in sorted(FOLDER.glob("*/*.cu"))]
GPUS = find_gpus()
MISSING = _missing_tool()
needs_tools = pytest.mark.skipif(bool(MISSING), reason=MISSING)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_cache(tmp_path_factory)


def check(report: Report, expected: list[Expectation], says: str = "") -> None:
    got = expectation_met_by(report)
    assert not all(compare(one, got) for one in expected), f"{got}: {report.headline}"
    assert from_json(to_json(report)).verdict is report.verdict
    shown = StringIO()
    print_report(report, Console(file=shown, width=100, highlight=False, emoji=False, markup=False))
    text = " ".join(shown.getvalue().split())
    assert str(report.verdict) in text and says in text, text


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_declares_what_it_gets(file: SolveFile) -> None:
    assert {"problem", "expect", "sizes"} <= set(file.fields) <= _FIELDS
    assert read_submission(file.file).form is Form.SOLVE
    assert all(_NEED.fullmatch(need) for need in file.needs)
    verdicts = {one.verdict for one in [*file.expected(on_gpu=False), *file.expected(on_gpu=True)]}
    assert Verdict.INTERNAL_ERROR not in verdicts


@pytest.mark.parametrize("feature", sorted({file.feature for file in FILES}))
def test_every_feature_is_used_well_and_wrongly(feature: str) -> None:
    verdicts = [one.verdict for file in FILES if file.feature == feature for one in file.expected(on_gpu=False)]
    assert any(verdict is not Verdict.ACCEPTED for verdict in verdicts)
    assert Verdict.ACCEPTED in verdicts or feature in ONE_SIDED


@needs_tools
@pytest.mark.parametrize("file", [file for file in FILES if not file.needs], ids=lambda file: file.name)
def test_a_file_on_the_emulator(file: SolveFile, cache: Path) -> None:
    check(file.grade("emulator", cache), file.expected(on_gpu=False), file.fields.get("says", ""))


@needs_tools
@pytest.mark.gpu
@pytest.mark.skipif(not GPUS, reason="there is no NVIDIA GPU here; where there is one: make test-gpu")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_on_a_gpu(file: SolveFile, cache: Path) -> None:
    missing = file.missing(GPUS[0])
    if missing:
        pytest.skip(missing)
    check(file.grade("gpu", cache), file.expected(on_gpu=True))
