"""`verify` in a terminal: what differs is told in full, what passed is counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from grader.commands.engines import Engines
from grader.judge.verify import Outcome, Work
from grader.languages.cuda import CudaSolve

from .conftest import Kgrade

WORST = Outcome(
    "zip/wrong_answer/a_name_that_is_much_longer_than_any_column_could_be.cu",
    "wrong_answer",
    "accepted",
    "wrong_answer was declared (every case is right)",
)


class VerifyingEngines(Engines):
    def __init__(self) -> None:
        self.outcomes = [
            Outcome("zip/accepted/1.cu", "accepted", "accepted"),
            Outcome("map/accepted/1.cu", "accepted", "accepted"),
        ]

    def verify(self, works: Sequence[Work], *, processes: int, seeds: int) -> Iterator[Outcome]:
        assert works
        assert processes >= 1
        assert seeds == 5
        yield from self.outcomes


@pytest.fixture
def engines() -> VerifyingEngines:
    return VerifyingEngines()


@pytest.fixture
def outcomes(engines: VerifyingEngines) -> list[Outcome]:
    """What verifying gives, whatever there is to verify."""
    return engines.outcomes


def test_all_as_declared(kgrade: Kgrade, workspace: Path, outcomes: list[Outcome]) -> None:
    answer = kgrade("verify")
    assert answer.code == 0
    assert [line.split() for line in answer.out.splitlines()] == [
        ["problem", "as", "declared", "of"],
        ["map", "1", "1"],
        ["zip", "1", "1"],
    ]
    assert "zip/accepted/1.cu: accepted" in kgrade("verify", "--all").out


def test_a_difference_is_told_in_full(kgrade: Kgrade, workspace: Path, outcomes: list[Outcome]) -> None:
    outcomes.append(WORST)
    answer = kgrade("verify", "zip")
    assert answer.code == 1
    assert f"{WORST.name}: accepted" in answer.out
    assert "wrong_answer was declared (every case is right)" in answer.out
    assert "zip                1   2" in answer.out


def test_what_can_not_be_compiled_here_is_told_once(
    kgrade: Kgrade, workspace: Path, outcomes: list[Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    lacks = "g++ is not installed (type: apt install g++)"
    # What a machine has is not an argument of the command.
    monkeypatch.setattr(CudaSolve, "missing", lambda self: lacks)
    answer = kgrade("verify", "zip")
    assert answer.code == 0
    assert answer.err.count(lacks) == 1
    assert "files with their own solve() are left out" in answer.err


def test_a_faulty_declaration_is_wrong_usage(kgrade: Kgrade, workspace: Path) -> None:
    folder = workspace / "problems" / "mine" / "submissions" / "correct"
    folder.mkdir(parents=True)
    (folder.parents[1] / "problem.py").write_text("")
    (folder / "a.cu").write_text("")
    answer = kgrade("verify", "mine")
    assert answer.code == 2
    assert "'correct' is not a verdict" in answer.err


def test_an_unknown_problem(kgrade: Kgrade, workspace: Path) -> None:
    answer = kgrade("verify", "matmull")
    assert answer.code == 2
    assert "Did you mean 'matmul'?" in answer.err
