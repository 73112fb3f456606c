"""Attacks by submissions in Python: each file of tests/attacks_python tries one and gets what its first lines declare.

`# expect: VERDICT [KIND] | …` is what may come out on the emulator. `# sizes:` are the cases, `# seconds:` how long a
call of solve() may take. `# first:` grades the file on other sizes before, as `open` or as `hidden` cases, and
`# hidden: yes` grades it on hidden cases. A file prints LEAKED where it sees what it must not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from grader.core.errors import SourceError
from grader.core.limits import Effort, Limits, Search
from grader.core.report import Report, from_json, to_json
from grader.core.verdict import FaultClass, LanguageName, Verdict, WrongKind
from grader.judge.conductor import Options, grade
from grader.judge.verify import Expectation, compare, expectation_met_by
from grader.languages.python import PythonLanguage
from grader.languages.registry import make_submission, read_submission
from grader.problem import Problem, load_problem
from grader.run.device import Part
from grader.terminal.report import print_report
from tests.played_devices import adjusted

pytest.importorskip("triton")
pytest.importorskip("torch")

FOLDER = Path(__file__).parent / "attacks_python"
PROBLEM = Path(__file__).parents[1] / "problems" / "zip"
SEED = 20260102
SECONDS = 20.0
"""For a call of solve() that is expected to end, on a loaded machine."""
LIMITS = Limits(seconds=4.0, instructions=6_000_000)
SECRET = "leaked-by-the-environment"
LARGEST_REPORT = 100_000
"""Characters of a report without the source."""

_FIELD = re.compile(r"^# ([a-z]+): (.*)$", re.MULTILINE)
_FIELDS = {"expect", "seconds", "sizes", "first", "hidden"}
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
"""What could steer a terminal or turn its text around; a line's end is none of it."""


@dataclass(frozen=True)
class Attack:
    """One file: what it declares of itself."""

    file: Path

    @cached_property
    def fields(self) -> dict[str, str]:
        return dict(_FIELD.findall(self.file.read_text(encoding="utf-8").split("\n#\n")[0]))

    @property
    def expected(self) -> list[Expectation]:
        return [_expectation(one) for one in self.fields["expect"].split("|")]

    def grade(self, cache: Path) -> Report:
        submission = read_submission(self.file)
        how, _, sizes = self.fields.get("first", "").partition(" ")
        if how:
            first = graded(submission, self._seconds, cache, _sizes(sizes), how == "hidden")
            assert first.verdict is Verdict.ACCEPTED, first.headline
        sizes = self.fields.get("sizes", "N=1000")
        return graded(submission, self._seconds, cache, _sizes(sizes), "hidden" in self.fields)

    @property
    def _seconds(self) -> float:
        return float(self.fields.get("seconds", SECONDS))


def graded(submission, seconds, cache, sizes=({"N": 1000},), hidden=False) -> Report:
    options = Options(seed=SEED, sizes=sizes, device="emulator", user="attacker", cache=cache, fresh_modules=hidden)
    language = PythonLanguage(submission.language, "triton", "triton", seconds)
    return grade(_problem(), submission, options, choose=adjusted(_hurry), language=language)


def _hurry(part: Part) -> Part:
    """Shorter limits, and hardly a search for where a failure lies."""
    search = Search(trials=Effort(0, 0.0), shrinking=Effort(0, 0.0))
    return replace(part, limits=lambda *_: LIMITS, search=search)


@lru_cache
def _problem() -> Problem:
    return load_problem(PROBLEM)


def _sizes(text: str) -> list[dict[str, int]]:
    return [{"N": int(case.removeprefix("N="))} for case in text.split()]


def _expectation(text: str) -> Expectation:
    verdict, _, detail = text.strip().partition(" ")
    assert not detail or detail in {*FaultClass, *WrongKind}
    return Expectation(Verdict(verdict), detail)


def check(report: Report, expected: list[Expectation]) -> None:
    """What came out is expected, and what is shown of it is bounded and steers nobody's screen."""
    got = expectation_met_by(report)
    assert not all(compare(one, got) for one in expected), f"{got}: {report.headline}"
    told = to_json(replace(report, source=""))
    assert from_json(told).verdict is report.verdict
    assert "LEAKED" not in told
    assert SECRET not in told
    assert "Traceback" not in told
    assert len(told) < LARGEST_REPORT
    assert not any("\n" in one.message for one in report.diagnostics if one.severity == "note")
    shown = StringIO()
    print_report(report, Console(file=shown, width=100, highlight=False, emoji=False, markup=False))
    assert not _CONTROL.search(shown.getvalue())


ATTACKS = [Attack(file) for file in sorted(FOLDER.glob("*.py"))]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("attacks")


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KGRADE_TOKEN", "KGRADE_DATABASE", "KGRADE_OTHER", "AWS_SECRET"):
        monkeypatch.setenv(name, SECRET)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.file.stem)
def test_an_attack(attack: Attack, cache: Path) -> None:
    assert set(attack.fields) <= _FIELDS
    check(attack.grade(cache), attack.expected)


HONEST = (FOLDER / "annotations_that_run.py").read_text(encoding="utf-8")
TEXTS = {
    "cyclic brackets": ("(" * 100_000, Verdict.COMPILE_ERROR),
    "deep": ("x = " + "-" * 200_000 + "1", Verdict.COMPILE_ERROR),
    "deep attributes": ("def solve(a, b, output, N): a" + ".b" * 200_000, None),
    "half a million decorators": ("@x\n" * 300_000 + "def solve(a, b, output, N): pass", None),
    "decorators deep in each other": ("@" + "x(" * 90 + ")" * 90 + "\ndef solve(a, b, output, N): pass", None),
    "a long dotted name": ("from " + "a." * 20_000 + "a import " + "b," * 100_000 + "c", None),
    "digits": ("x = " + "9" * 900_000, Verdict.COMPILE_ERROR),
    "open string": ('x = """' + "\\" * 900_000, Verdict.COMPILE_ERROR),
    "f-strings": ("x = f'" + "{" * 900_000, Verdict.COMPILE_ERROR),
    "indented": ("  x = 1\n y = 2\n", Verdict.COMPILE_ERROR),
    "tabs": ("if 1:\n\tx = 1\n        y = 2\n", Verdict.COMPILE_ERROR),
    "byte order mark": ("\ufeff" + HONEST, Verdict.ACCEPTED),
    "line ends of Windows": (HONEST.replace("\n", "\r\n"), Verdict.ACCEPTED),
    "line ends of old Macs": (HONEST.replace("\n", "\r"), Verdict.ACCEPTED),
    "a coding that is not": ("# -*- coding: utf-7 -*-\n" + HONEST, Verdict.ACCEPTED),
    "a coding that nobody knows": ("# coding: \x1b[2J\n" + HONEST, Verdict.ACCEPTED),
    "names that are not ASCII": (HONEST.replace("add", "ädd"), None),
    "form feeds and separators": (HONEST.replace("\n\n\n", "\n\x0c\n\u2028\x85\n"), None),
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_text(text: str, cache: Path) -> None:
    words, verdict = TEXTS[text]
    report = graded(make_submission("x.py", words.encode(), LanguageName.TRITON), SECONDS, cache)
    assert report.verdict is (verdict or report.verdict)
    assert report.verdict is not Verdict.INTERNAL_ERROR, report.headline
    check(report, [Expectation(report.verdict)])


@pytest.mark.parametrize(
    "data", [b"\0", b"import triton\0", b"\xff\xfea\0", b"\xe4 = 1", b"", b" \n", b"x" * (2 << 20)]
)
def test_bytes_that_are_no_text(data: bytes) -> None:
    with pytest.raises(SourceError):
        make_submission("x.py", data)


NAMES = [
    "x" * 4000,
    "../../etc/passwd",
    "a'b\"c",
    "a\nb\x1b[2J",
    "<script>",
    "",
    "\udcff",
    "x\u202ey",
    "<string>",
    "-",
    "💥",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_name(name: str, cache: Path) -> None:
    submission = make_submission(f"{name}.py", HONEST.encode(), LanguageName.TRITON)
    check(graded(submission, SECONDS, cache), [Expectation(Verdict.ACCEPTED)])
