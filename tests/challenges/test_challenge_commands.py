"""`--problems DIR` as it is typed: a list, a statement, a starter, and a submission with its page and its record."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.machine.gpus import Gpu
from grader.store.database import Store
from tests.commands.conftest import Judge, Kgrade, engines, judge, kgrade, own_places, workspace
from tests.played_gpus import install_gpus
from tests.test_measuring import H200

from .conftest import SET, needs_torch
from .test_faulty_challenges import GOOD
from .test_grading_challenges import FOLDER, MISSING

__all__ = ["engines", "judge", "kgrade", "own_places", "workspace"]

DIR = str(SET)


def test_list_shows_the_set_and_how_far_you_are(kgrade: Kgrade, workspace: Path) -> None:
    answer = kgrade("list", "--problems", DIR, "--difficulty", "hard")
    assert answer.code == 0
    rows = answer.out.splitlines()
    assert rows[0].split() == ["problem", "title", "difficulty", "tags", "yours"]
    assert [row.split()[0] for row in rows[1:]] == ["13_triad", "14_rotate", "15_two_gpus"]
    assert "needs 2 GPUs" in rows[3]


def test_list_refuses_a_difficulty_that_the_set_lacks(kgrade: Kgrade, workspace: Path) -> None:
    answer = kgrade("list", "--problems", DIR, "--difficulty", "medum")
    assert answer.code == 2 and "Did you mean 'medium'?" in answer.err


def test_a_folder_that_is_no_set_is_told(kgrade: Kgrade, workspace: Path) -> None:
    for command in (["list"], ["show", "1"], ["init", "1"], ["test", "1", "mine.cu"], ["submit", "1", "mine.cu"]):
        answer = kgrade(*command, "--problems", ".")
        assert (answer.code, answer.err.splitlines()[0]) == (
            2,
            "kgrade: . is no set of problems: it has no folder challenges/",
        )


def test_show_lays_the_statement_out(kgrade: Kgrade, workspace: Path) -> None:
    answer = kgrade("show", "--problems", DIR, "saxpy")
    assert answer.code == 0
    assert "Replace each element of y by a times that of x, plus itself." in answer.out
    assert "kgrade init --problems" in answer.out


def test_init_writes_the_challenges_own_starter(kgrade: Kgrade, workspace: Path) -> None:
    answer = kgrade("init", "--problems", DIR, "1")
    assert answer.out == f"wrote 1_saxpy.cu\nnext: kgrade test --problems {DIR} 1_saxpy 1_saxpy.cu\n"
    starter = SET / "challenges" / "easy" / "1_saxpy" / "starter" / "starter.cu"
    assert (workspace / "1_saxpy.cu").read_text() == starter.read_text()
    assert kgrade("init", "--problems", DIR, "1").code == 2
    assert "own solve()" in kgrade("init", "--problems", DIR, "1", "--form", "kernel").err


@needs_torch
def test_init_makes_a_starter_where_there_is_none(kgrade: Kgrade, workspace: Path) -> None:
    assert kgrade("init", "--problems", DIR, "8", "-o", "half.cu").code == 0
    assert (workspace / "half.cu").read_text() == (
        "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n\n// x, scale, y: arrays in the GPU's memory\n"
        'extern "C" void solve(const half* x, const half* scale, half* y, int rows, int columns) {\n}\n'
    )


@needs_torch
def test_submit_grades_a_challenge_under_a_name_of_its_own(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    answer = kgrade("submit", "--problems", DIR, "1", "mine.cu", "--device", "emulator", "--seed", "5")
    assert answer.code == 0
    problem, _, options = judge.asked[0]
    assert (problem.name, options.seed) == ("set:1_saxpy", 5)
    entry = Store(workspace / "submissions" / "kgrade.db").summaries()[0]
    assert (entry.problem, entry.title) == ("set:1_saxpy", "Saxpy")
    row = next(row for row in kgrade("list", "--problems", DIR).out.splitlines() if row.startswith("1_saxpy"))
    assert row.split()[-1] == "accepted"
    assert "set:1_saxpy" in kgrade("leaderboard").out
    assert "set:1_saxpy" in kgrade("history", "set:1_saxpy").out
    assert kgrade("leaderboard", "set:1_saxpy").code == 0
    assert kgrade("leaderboard", "--html", "site").code == 0
    page = next((workspace / "site" / "problems").glob("set-1_saxpy-*.html"))
    assert "submissions/1.html" in page.read_text()
    index = (workspace / "site" / "index.html").read_text()
    assert f"problems/{page.name}" in index
    report = (workspace / "submissions" / "reports" / "1.html").read_text()
    assert f"kgrade test --problems {DIR} 1_saxpy mine.cu --seed" in report.replace("&#39;", "'")


@needs_torch
@pytest.mark.parametrize(("gpus", "large"), [([], False), ([H200], True)])
def test_large_tests_are_made_for_a_gpu_alone(
    gpus: list[Gpu], large: bool, kgrade: Kgrade, judge: Judge, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_gpus(monkeypatch, gpus)
    assert kgrade("test", "--problems", DIR, "1", "mine.cu", "--case", "test=3").code == 0
    problem, _, _ = judge.asked[0]
    assert problem.name == "set:1_saxpy"
    assert problem.tests == {number: number < 7 or large for number in range(1, 8)}


@needs_torch
@pytest.mark.parametrize("asked", [False, True])
def test_a_large_test_is_made_for_an_emulator_where_it_is_asked_for(
    asked: bool, kgrade: Kgrade, judge: Judge, workspace: Path, write_set: Callable[..., Path]
) -> None:
    # Its functional test has 16 MB.
    large = '[{"x": torch.ones(2_000_000), "y": torch.zeros(2_000_000), "n": 2_000_000}]'
    root = str(write_set(copy=GOOD.replace("[self.generate_example_test()]", large)))
    chosen = ("--case", "test=2") if asked else ()
    assert kgrade("test", "--problems", root, "1", "mine.cu", "--device", "emulator", *chosen).code == 0
    assert judge.asked[0][0].tests[2] == asked


def test_problems_has_no_effect_in_a_contest(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    answer = kgrade("submit", "--problems", DIR, "1", "mine.cu", "--contest", "x")
    assert answer.code == 2 and "--problems has no effect with --contest" in answer.err


@pytest.mark.parametrize("command", ["submit", "test"])
def test_a_number_of_cases_has_no_effect_on_a_challenge(
    command: str, kgrade: Kgrade, judge: Judge, workspace: Path
) -> None:
    answer = kgrade(command, "--problems", DIR, "1", "mine.cu", "--cases", "3")
    assert answer.code == 2 and "--cases has no effect with --problems" in answer.err and judge.asked == []


def test_watch_tells_an_unknown_challenge_at_once(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    answer = kgrade("watch", "--problems", DIR, "saxpi", "mine.cu")
    assert answer.code == 2 and "Did you mean '1_saxpy'?" in answer.err


@needs_torch
@pytest.mark.skipif(bool(MISSING), reason=MISSING)
def test_a_right_and_a_faulty_file_from_end_to_end(kgrade: Kgrade, workspace: Path) -> None:
    right, wrong = FOLDER / "accepted" / "1_saxpy.cu", FOLDER / "wrong_answer" / "1_saxpy-forgets_y.cu"
    asked = ("--problems", DIR, "1_saxpy", "--device", "emulator", "--json")
    accepted = kgrade("submit", *asked, str(right))
    assert (accepted.code, accepted.json["verdict"], accepted.json["problem_set"]) == (0, "accepted", DIR)
    assert accepted.json["cases"][0]["sizes"] == {"test": 2}
    refused = kgrade("test", *asked, str(wrong))
    assert (refused.code, refused.json["verdict"], refused.json["kind"]) == (1, "wrong_answer", "wrong_value")
    again = kgrade("test", *asked, str(wrong), "--seed", str(refused.json["seed"]))
    assert again.json["smallest"]["message"] == refused.json["smallest"]["message"]
