"""Attacks on the judge: each file under tests/attacks/ tries one, and gets the verdict that its first lines declare.

What the lines mean is told in tests/attacks/README.md. On a GPU: pytest -m gpu -n 8 tests/test_attacks.py; -k takes
some of them.
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

from grader.core.limits import Effort, Limits, Search
from grader.core.report import Report, from_json, to_json
from grader.core.verdict import FaultClass, Verdict, WrongKind
from grader.judge.conductor import Options, grade
from grader.judge.timing import VERIFIED
from grader.judge.verify import Expectation, compare, expectation_met_by
from grader.languages.registry import read_submission
from grader.machine.gpus import find_gpus
from grader.problem import Problem, load_problem
from grader.run.device import Part
from grader.run.devices import GpuPart
from grader.terminal.report import print_report
from tests.played_devices import adjusted
from tests.played_languages import with_time

FOLDER = Path(__file__).parent / "attacks"
PROBLEMS = Path(__file__).parents[1] / "problems"
SEED = 20260102
CASES = 5
COMPILE_SECONDS = 8.0
LIMITS = Limits(seconds=2.0, instructions=6_000_000)
GPU_LIMITS = Limits(seconds=3.0)
"""For one launch of these small kernels: those that take longer never end."""
ROWS = {*range(1, 5), *range(6, 9), *range(11, 21), 22, 24, 25}
"""The cheats that a kernel can try, by their numbers in tests/attacks/README.md."""
SECRET = "root:x:0:0"
"""Begins the file that some attacks try to include."""

CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
"""What could steer a terminal; a line's end is none of it."""

_FIELD = re.compile(r"^// ([a-z ]+): (.*)$", re.MULTILINE)
_HERE = re.compile(r"//\s*<-\s*here\s*$")
_FIELDS = {"expect", "on gpu", "problem", "sizes", "timed", "needs", "row"}
_ROW_OF_README = re.compile(r"^\| (\d+) \|", re.MULTILINE)


@dataclass(frozen=True)
class Attack:
    """One folder: what its file declares of itself."""

    name: str
    file: Path
    fields: dict[str, str]

    @property
    def expected(self) -> list[Expectation]:
        """What may come out on the emulator."""
        text = self.file.read_text(encoding="utf-8")
        here = [number for number, line in enumerate(text.splitlines(), 1) if _HERE.search(line)]
        return _expectations(self.fields["expect"], here[0] if here else None)

    @property
    def expected_on_gpu(self) -> list[Expectation]:
        """What may come out on a GPU, which names no line."""
        return _expectations(self.fields.get("on gpu", self.fields["expect"]), None)

    @property
    def needs(self) -> str:
        return self.fields.get("needs", "")

    @property
    def rows(self) -> set[int]:
        """The cheats that it tries; none for an attack on the emulator or the compiler."""
        named = self.fields["row"]
        return set() if named == "emulator" else {int(row) for row in named.split(",")}

    @property
    def timed(self) -> list[dict[str, int]]:
        """The sizes at which it is timed on a GPU."""
        return _sizes(self.fields.get("timed", ""))

    @property
    def for_gpu(self) -> bool:
        """Whether a GPU has anything to say: what is for the emulator fails before one is asked."""
        return bool(self.rows) or "on gpu" in self.fields

    def grade(self, device: str, cache: Path) -> Report:
        problem = copy.copy(_problem(self.fields["problem"]))
        problem.benchmarks = tuple(self.timed)
        options = Options(
            cases=CASES,
            seed=SEED,
            # Sizes that are given are never timed: a GPU draws them where it is to time.
            sizes=() if device == "gpu" and self.timed else _sizes(self.fields.get("sizes", "")),
            device=device,
            user="attacker",
            cache=cache,
            timed=bool(self.timed),
        )
        submission = read_submission(self.file)
        language = with_time(submission, COMPILE_SECONDS)
        return grade(problem, submission, options, choose=adjusted(_hurry), language=language)


def _hurry(part: Part) -> Part:
    """Shorter limits, and no search for where a failure lies: it takes most of the time and is of no interest here."""
    limits = GPU_LIMITS if isinstance(part, GpuPart) else LIMITS
    search = Search(trials=Effort(4, 0.2), shrinking=Effort(2, 0.1))
    return replace(part, limits=lambda *_: limits, search=search)


def _sizes(text: str) -> list[dict[str, int]]:
    return [
        {name: int(value) for name, value in (pair.split("=") for pair in case.split(","))} for case in text.split()
    ]


def _expectations(text: str, line: int | None) -> list[Expectation]:
    alternatives = []
    for alternative in text.split("|"):
        verdict, _, detail = alternative.strip().partition(" ")
        assert not detail or detail in {*FaultClass, *WrongKind}
        alternatives.append(Expectation(Verdict(verdict), detail, line))
    return alternatives


def read_attack(folder: Path) -> Attack:
    file = folder / "submission.cu"
    opening = file.read_text(encoding="utf-8").split("\n//\n")[0]
    return Attack(folder.name, file, dict(_FIELD.findall(opening)))


@lru_cache(maxsize=8)
def _problem(name: str) -> Problem:
    return load_problem(PROBLEMS / name)


ATTACKS = [read_attack(folder) for folder in sorted(FOLDER.iterdir()) if folder.is_dir()]


def check(attack: Attack, report: Report, expected: list[Expectation]) -> None:
    got = expectation_met_by(report)
    assert not all(compare(one, got) for one in expected), f"{got}: {report.headline}"
    assert from_json(to_json(report)).verdict is report.verdict
    assert SECRET not in to_json(replace(report, source=""))
    shown = StringIO()
    print_report(report, Console(file=shown, width=100, highlight=False, emoji=False, markup=False))
    assert not CONTROL.search(shown.getvalue())


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("attacks")


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_declares_what_it_tries(attack: Attack) -> None:
    assert set(attack.fields) <= _FIELDS
    assert {"expect", "problem", "row"} <= set(attack.fields)
    assert (PROBLEMS / attack.fields["problem"]).is_dir()
    assert attack.needs in ("", "gpu")
    # Only a GPU times.
    assert not attack.timed or attack.for_gpu
    assert Verdict.INTERNAL_ERROR not in {one.verdict for one in [*attack.expected, *attack.expected_on_gpu]}


def test_every_cheat_is_tried_and_told() -> None:
    files: dict[int, list[str]] = {}
    for attack in ATTACKS:
        for row in attack.rows:
            files.setdefault(row, []).append(attack.name)
    assert sorted(files.keys() & ROWS) == sorted(ROWS)
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert sorted(map(int, _ROW_OF_README.findall(readme))) == sorted(files)


@pytest.mark.parametrize("attack", [a for a in ATTACKS if not a.needs], ids=lambda attack: attack.name)
def test_an_attack_on_the_emulator(attack: Attack, cache: Path) -> None:
    check(attack, attack.grade("emulator", cache), attack.expected)


@pytest.mark.gpu
@pytest.mark.skipif(not find_gpus(), reason="there is no NVIDIA GPU here; where there is one: make test-gpu")
@pytest.mark.parametrize("attack", [a for a in ATTACKS if a.for_gpu], ids=lambda attack: attack.name)
def test_an_attack_on_a_gpu(attack: Attack, cache: Path) -> None:
    report = attack.grade("gpu", cache)
    check(attack, report, attack.expected_on_gpu)
    if attack.timed and report.verdict is Verdict.ACCEPTED:
        assert report.measurement is not None, report.diagnostics
        assert min(size.verified for size in report.measurement.sizes) >= VERIFIED
