"""Files for challenges, each under submissions/ in the folder of its verdict, graded on the emulator.

A file is called after its challenge, and after a "-" by its fault; its first line says which kind is expected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from grader.boards.pages import render_report
from grader.compile.toolkit import find_host_compiler, find_nvcc
from grader.core.errors import ToolMissing, UsageError
from grader.core.limits import Limits
from grader.core.report import Report, from_json, to_json
from grader.core.verdict import Verdict
from grader.judge.conductor import Options, grade
from grader.languages.registry import make_submission, read_submission
from grader.plan.poison import Poison
from grader.problem import Problem
from grader.run.device import Part
from grader.run.emulator_runner import EmulatorRunner
from grader.sandbox import Sandbox
from grader.terminal.report import print_report
from tests.plan.recorded import shared_cache
from tests.played_devices import adjusted

from .conftest import SEED, Make, needs_torch

FOLDER = Path(__file__).parent / "submissions"
FILES = sorted(FOLDER.glob("*/*.cu"))


def _missing_tool() -> str:
    try:
        find_host_compiler(find_nvcc())
    except ToolMissing as missing:
        return f"{missing.message} ({missing.hint})"
    return ""


MISSING = _missing_tool()
pytestmark = [needs_torch, pytest.mark.skipif(bool(MISSING), reason=MISSING)]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_cache(tmp_path_factory)


def as_it_is(part: Part) -> Part:
    return part


def graded(file: Path, make: Make, cache: Path, adjust: Callable[[Part], Part] = as_it_is, **options: object) -> Report:
    problem = make(file.stem.partition("-")[0])
    given = Options(seed=SEED, device="emulator", user="ada", cache=cache)
    return grade(problem, read_submission(file), replace(given, **options), choose=adjusted(adjust))


def printed(report: Report) -> str:
    console = Console(file=StringIO(), width=100, force_terminal=False)
    print_report(report, console)
    return console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_file_gets_its_verdict(file: Path, make: Make, cache: Path) -> None:
    report = graded(file, make, cache)
    assert report.verdict == Verdict(file.parent.name), printed(report)
    if report.verdict is not Verdict.ACCEPTED:
        expected = file.read_text().splitlines()[0].removeprefix("// expect: ")
        assert str(report.fault.fault if report.fault else report.kind or "-") == expected
    assert from_json(to_json(report)) == report
    assert report.title in render_report(report)


def test_a_kernel_alone_is_told_what_is_missing(make: Make, cache: Path) -> None:
    report = graded(FOLDER / "compile_error" / "1_saxpy-kernel_alone.cu", make, cache)
    assert report.headline == "Does not compile: there is no solve()"


def test_every_challenge_for_one_gpu_has_a_right_file() -> None:
    right = {file.stem.partition("_")[0] for file in FILES if file.parent.name == "accepted"}
    assert right == {str(number) for number in range(1, 15)}


def left_out(report: Report) -> str:
    """What the report says of the tests that were too large."""
    begin = "too large for the emulator, so not run: "
    return next(one.message for one in report.diagnostics if one.message.startswith(begin))


def test_what_an_emulator_can_not_run_is_said(make: Make, cache: Path) -> None:
    report = graded(FOLDER / "accepted" / "13_triad.cu", make, cache)
    assert [case.sizes["test"] for case in report.cases] == [2, 1, 3]
    assert report.headline == "Accepted: right in the 3 of 4 tests that the emulator can run"
    assert left_out(report).endswith(", performance test")


def test_where_all_tests_ran_nothing_is_said(make: Make, cache: Path) -> None:
    report = graded(FOLDER / "accepted" / "11_compaction.cu", make, cache)
    assert len(report.cases) == 5
    assert report.headline == "Accepted: every case is right, run on the emulator"
    assert report.diagnostics == ()


def test_one_test_alone_can_be_tried(make: Make, cache: Path) -> None:
    report = graded(FOLDER / "wrong_answer" / "1_saxpy-forgets_y.cu", make, cache, sizes=[{"test": 3}])
    assert [case.sizes for case in report.cases] == [{"test": 3}]
    assert "kgrade test --problems DIR 1_saxpy 1_saxpy-forgets_y.cu --case test=3" in printed(
        replace(report, problem_set="DIR")
    )


@pytest.mark.parametrize(
    ("test", "said"), [(13, "out of range; it goes from 1 to 7"), (7, "test=7, n=5000000, performance test, is")]
)
def test_a_test_that_is_not_there_is_told(test: int, said: str, make: Make, cache: Path) -> None:
    with pytest.raises(UsageError, match=said):
        graded(FOLDER / "accepted" / "1_saxpy.cu", make, cache, sizes=[{"test": test}])


def test_a_large_test_without_an_end_says_nothing_on_an_emulator(make: Make, cache: Path) -> None:
    # The last functional test has 120,000 bytes and 1,000,000 products, the one before a twentieth: few fit into what
    # each warp may execute beside the limit.
    def hurry(part: Part) -> Part:
        return replace(part, limits=lambda *_: Limits(seconds=30.0, instructions=1_000))

    report = graded(FOLDER / "accepted" / "10_matrix_product.cu", make, cache, hurry)
    assert report.verdict is Verdict.ACCEPTED
    assert [case.sizes["test"] for case in report.cases] == [2, 1, 3, 4, 5]
    assert "functional test 5; " in left_out(report)
    assert left_out(report).endswith(", performance test")
    file = FOLDER / "accepted" / "10_matrix_product.cu"
    report = graded(file, make, cache, lambda part: replace(hurry(part), sure_bytes=200_000))
    assert (report.verdict, report.cases[-1].sizes) == (Verdict.TIME_LIMIT_EXCEEDED, {"test": 6})


def test_a_file_that_ends_in_no_test_is_never_accepted(make: Make, cache: Path) -> None:
    def hurry(part: Part) -> Part:
        return replace(part, limits=lambda *_: Limits(seconds=30.0, instructions=300_000), sure_bytes=0)

    report = graded(FOLDER / "time_limit_exceeded" / "10_matrix_product-endless.cu", make, cache, hurry)
    assert report.verdict is Verdict.TIME_LIMIT_EXCEEDED


def test_a_challenge_that_is_too_large_throughout_is_refused(make: Make, cache: Path) -> None:
    problem = make("1", most_bytes=1)
    options = Options(seed=SEED, device="emulator", cache=cache)
    with pytest.raises(UsageError, match="each test of set:1_saxpy is too large for the emulator"):
        grade(problem, read_submission(FOLDER / "accepted" / "1_saxpy.cu"), options)


def test_who_leaves_alone_what_the_reference_writes_is_wrong(make: Make, cache: Path) -> None:
    # Only what the reference itself leaves alone may be left alone.
    text = (
        (FOLDER / "accepted" / "11_compaction.cu")
        .read_text()
        .replace("*count = found;", "if (found > 1) *count = found;")
    )
    submission = make_submission("mine.cu", text.encode())
    report = grade(make("11"), submission, Options(seed=SEED, device="emulator", cache=cache))
    assert (report.verdict, report.kind) == (Verdict.WRONG_ANSWER, "wrong_value")
    # It holds the zero that the test hands over.
    assert report.smallest is not None and report.smallest.message == "count[0] is 0, expected 1"


class NotingRunner(EmulatorRunner):
    """Notes for which sizes it made inputs, one after another."""

    prepared: list[dict[str, int]]

    def prepare(
        self, problem: Problem, sizes: Mapping[str, int], family: str, seed: int, poison: Poison = Poison.NAN
    ) -> dict[str, int]:
        if dict(sizes) not in self.prepared[-1:]:
            self.prepared.append(dict(sizes))
        return super().prepare(problem, sizes, family, seed, poison)


def test_a_failure_is_not_tried_at_other_numbers(make: Make, cache: Path) -> None:
    prepared: list[dict[str, int]] = []

    def note(part: Part) -> Part:
        part.close()
        runner = NotingRunner(problem.folder, Sandbox.find(), cache / "kernels")
        runner.prepared = prepared
        return replace(part, runner=runner)

    problem, file = make("9"), FOLDER / "wrong_answer" / "9_bfloat_add-subtracts.cu"
    options = Options(seed=SEED, device="emulator", cache=cache)
    report = grade(problem, read_submission(file), options, choose=adjusted(note))
    assert report.smallest == report.cases[0] and report.pattern == ""
    # The failing case once more, in the debug build: a variable without a value may be its cause.
    assert prepared == [*(case.sizes for case in report.cases), report.cases[0].sizes]
