"""`kgrade check` as typed: which files it grades, what it prints at their lines, and with which code it ends."""

from __future__ import annotations

import json
import re
from pathlib import Path

from grader.core.errors import ToolMissing

from .conftest import Judge, Kgrade
from .samples import faulty_report

ROOT = Path(__file__).parents[2]
WORKED = ROOT / "problems" / "matmul" / "submissions"


def test_right_and_wrong_files_are_graded_by_the_folder_they_lie_in(kgrade: Kgrade, workspace: Path) -> None:
    good, bad = WORKED / "accepted" / "1_naive.cu", WORKED / "runtime_error" / "missing_bounds_check.cu"
    few = ("--cases", "1", "--device", "emulator", "--seed", "7")
    answer = kgrade("check", str(good), str(bad), *few, "--sarif", "out/found.sarif")
    assert answer.code == 1 and answer.err == ""
    (line,) = answer.out.splitlines()
    assert line.startswith(f"{bad}:14: Reads B out of bounds")
    (run,) = json.loads(Path("out/found.sarif").read_text())["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["out_of_bounds"]
    assert list((workspace / "submissions").iterdir()) == []


def test_accepted_files_print_nothing(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    answer = kgrade("check", "--problem", "matmul", "mine.cu", "./mine.cu", "mine.cu")
    assert answer == type(answer)(0, "", "")
    assert [problem.name for problem, _, _ in judge.asked] == ["matmul", "matmul"]


def test_a_comment_says_the_problem(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    judge.report = faulty_report()
    Path("mine.cu").write_text("// kgrade: matmul\n" + Path("mine.cu").read_text())
    answer = kgrade("check", "--github", "mine.cu")
    assert answer.code == 1
    assert re.fullmatch(r"::error file=mine.cu,line=4,title=kgrade%3A out_of_bounds::Writes C .*\n", answer.out)


def test_a_file_that_cannot_be_graded_keeps_no_other_from_it(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    (workspace / "matmul").mkdir()
    (workspace / "mine.cu").rename(workspace / "matmul" / "mine.cu")
    (workspace / "other.cu").write_text("int x;\n")
    answer = kgrade("check", "other.cu", "missing.cu", "matmul/mine.cu")
    assert answer.code == 2
    first, second = answer.out.splitlines()
    assert first.startswith("other.cu:1: ") and "--problem" in first
    assert second.startswith("missing.cu:1: missing.cu does not exist")
    assert len(judge.asked) == 1


def test_links_are_not_followed(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    secret = workspace.parent / "elsewhere"
    secret.mkdir()
    (secret / "key.cu").write_text("token\n")
    (workspace / "linked.cu").symlink_to(secret / "key.cu")
    (workspace / "kernels").symlink_to(secret)
    answer = kgrade("check", "--problem", "matmul", "linked.cu", str(workspace / "linked.cu"), "kernels/key.cu")
    assert answer.code == 2
    assert [line.split(": ")[1] for line in answer.out.splitlines()] == [
        "linked.cu is a link; Give the path of the file itself.",
        f"{workspace / 'linked.cu'} is a link; Give the path of the file itself.",
        "kernels is a link; Give the path of the file itself.",
    ]
    assert judge.asked == []


def test_a_failure_of_the_judge_ends_it(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    judge.raises = ToolMissing("no compiler", "pip install it")
    answer = kgrade("check", "--problem", "matmul", "mine.cu")
    assert (answer.code, answer.out) == (3, "")
    assert "no compiler" in answer.err


def test_wrong_usage(kgrade: Kgrade, judge: Judge, workspace: Path) -> None:
    assert "Did you mean 'matmul'?" in kgrade("check", "--problem", "matmull", "mine.cu").err
    assert kgrade("check").code == 2
    answer = kgrade("check", "--problem", "matmul", "mine.cu", "--sarif", "mine.cu/x.sarif")
    assert answer.code == 2 and "can't be written" in answer.err


def test_the_hook_for_pre_commit_installs_what_the_emulator_needs() -> None:
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    extra = re.search(r"^cuda13 = (\[.+\])$", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert extra and f"additional_dependencies: {extra[1]}" in hook
    assert "entry: kgrade check --device emulator\n" in hook
