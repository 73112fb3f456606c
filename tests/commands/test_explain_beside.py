"""`kgrade explain A.cu B.cu`: whose files they are, and what is shown of both."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.commands.whose_files import problem_and_files
from grader.core.errors import UsageError
from grader.store.workspace import Workspace

from .conftest import Kgrade

SUBMISSIONS = Path(__file__).parents[2] / "problems" / "matmul" / "submissions"
NAIVE, TILED = (str(SUBMISSIONS / "accepted" / name) for name in ("1_naive.cu", "2_tiled.cu"))
SMALL = ("--size", "M=32,N=32,K=32", "--seed", "3", "--model-size", "M=256,N=256,K=256")


def test_two_files_stand_side_by_side(kgrade: Kgrade, workspace: Path) -> None:
    data = kgrade("explain", NAIVE, TILED, *SMALL, "--json").json
    assert data["problem"] == "matmul" and [each["file"] for each in data["files"]] == ["1_naive.cu", "2_tiled.cu"]
    assert all(each["model"]["sizes"] == {"M": 256, "N": 256, "K": 256} for each in data["files"])
    groups = data["groups"]
    source = [Path(file).read_text().split("\n") for file in (NAIVE, TILED)]
    for group in (each for each in groups if each["same"]):
        first, second = (
            [line.strip() for line in text[group[name]["start"] - 1 : group[name]["end"] - 1]]
            for text, name in zip(source, ("first", "second"), strict=True)
        )
        assert first == second
    # Each line is in one group, so that their sums are those of the kernels.
    for name, each in zip(("first", "second"), data["files"], strict=True):
        (kernel,) = each["kernels"]
        assert sum(group[name]["totals"]["executed"] for group in groups) == kernel["totals"]["executed"]
        assert 0 < sum(group[name]["seconds"] for group in groups) <= each["model"]["seconds"] * (1 + 1e-9)
    # Only the second has a tile in shared memory.
    assert not any(group["first"]["totals"]["wavefronts"] for group in groups)
    assert any(group["second"]["totals"]["wavefronts"] for group in groups if not group["same"])


def test_in_a_terminal(kgrade: Kgrade, workspace: Path) -> None:
    out = kgrade("explain", "matmul", NAIVE, TILED, *SMALL[:4], "--no-model").out
    assert "A  1_naive.cu" in out and "B  2_tiled.cu" in out and "model time" not in out
    rows = {line.split("  ")[1].strip(): line.split() for line in out.splitlines() if line.startswith("  ")}
    assert rows["barriers"][1:] == ["128"] and len(rows["instructions"]) == 3
    assert all(len(line) <= 80 for line in out.splitlines())


def test_what_does_not_run_to_its_end_is_reported(kgrade: Kgrade, workspace: Path) -> None:
    faulty = next((SUBMISSIONS / "compile_error").glob("*.cu"))
    answer = kgrade("explain", str(faulty), NAIVE, *SMALL)
    assert answer.code == 1 and "compile_error" in answer.out
    refused = kgrade("explain", NAIVE, TILED, "--html", "x.html")
    assert refused.code == 2 and "--html has no effect with two files" in refused.err


def test_whose_files_they_are(workspace: Path) -> None:
    here = Workspace(workspace)
    assert problem_and_files(here, ("matmul", "a.cu")) == ("matmul", ("a.cu",))
    assert problem_and_files(here, (NAIVE, TILED)) == ("matmul", (NAIVE, TILED))
    # By the kernel that no other problem has, where neither a comment nor the folder says it.
    file = workspace / "mine.cu"
    assert problem_and_files(here, (str(file),)) == ("matmul", (str(file),))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("mine.cu", "other.cu"), "mine.cu is for matmul, other.cu for zip"),
        (("nothing.cu",), "it is not known which problem it is for"),
        (("matmul",), "0 files; one is explained"),
        (("matmul", "a.cu", "b.cu", "c.cu"), "3 files"),
    ],
)
def test_what_is_not_known_is_asked_for(workspace: Path, words: tuple[str, ...], message: str) -> None:
    (workspace / "other.cu").write_text("// kgrade: zip\n")
    (workspace / "nothing.cu").write_text("int main();\n")
    with pytest.raises(UsageError, match=message):
        problem_and_files(Workspace(workspace), words)
