"""`kgrade new-problem`: the folder passes `kgrade verify` as it is made, with a scalar, in both forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.cli import run
from grader.judge.verify import missing_for, missing_here, works_of
from grader.problem import load_problem
from grader.store.workspace import builtin_folder

SOURCE = builtin_folder("templates") / "problem"
FILES = sorted(str(file.relative_to(SOURCE / "submissions")) for file in (SOURCE / "submissions").rglob("*.cu"))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("workspace")
    for name in ("problems", "submissions"):
        (root / name).mkdir()
    assert run(["--workspace", str(root), "new-problem", "saxpy"]) == 0
    return root


@pytest.mark.parametrize("file", [*FILES, "trivial kernels"])
def test_what_is_made_passes_verify(file: str, workspace: Path) -> None:
    (work,) = (one for one in works_of("saxpy", workspace / "problems" / "saxpy") if one.name == f"saxpy/{file}")
    missing = missing_for(work, missing_here())
    if missing:
        pytest.skip(missing)
    outcome = work.verify()
    assert outcome.passed, f"{outcome.got}: {outcome.mismatch}"


def test_the_name_stands_everywhere(workspace: Path) -> None:
    problem = load_problem(workspace / "problems" / "saxpy")
    assert problem.title == "Saxpy" and problem.statement.startswith("# Saxpy\n")
    assert problem.signature == "saxpy_kernel(int N, float a, const float* x, const float* y, float* result)"
    assert "xample_kernel" not in problem.statement + problem.starter


def test_it_says_what_to_change_and_how_to_go_on(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--workspace", str(workspace), "new-problem", "2d-blur"]) == 0
    said = capsys.readouterr().out
    made = sorted(file.name for file in (workspace / "problems" / "2d-blur").iterdir())
    assert made == ["problem.py", "starter.cu", "statement.md", "submissions"]
    assert all(name in said for name in made) and "kgrade verify 2d-blur" in said
    assert load_problem(workspace / "problems" / "2d-blur").kernel == "kernel_2d_blur"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("saxpy", "there is a problem 'saxpy'"),
        ("zip", "there is a problem 'zip'"),
        ("../up", "'../up' can't be a problem's name"),
        ("Saxpy", "'Saxpy' can't be a problem's name"),
    ],
)
def test_names_that_can_t_be_taken(name: str, said: str, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(workspace.rglob("*"))
    assert run(["--workspace", str(workspace), "new-problem", name]) == 2
    assert said in capsys.readouterr().err
    assert sorted(workspace.rglob("*")) == before
