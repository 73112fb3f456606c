"""kgrade as `pip install kgrade` brings it, without CuPy: what needs a compiler says what to type, the rest works."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from grader.cli import run
from grader.core.errors import ToolMissing
from grader.machine.own_install import extra_command
from grader.run.gpu import ceilings_child

from .conftest import Machine

KERNEL = "__global__ void map_kernel(const float* input, float* output, int N) {}\n"


@pytest.fixture(autouse=True)
def bare(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine without CuPy, and a workspace that is the working folder."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    for name in ("KGRADE_WORKSPACE", "KGRADE_USER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KGRADE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LOGNAME", "ada")
    root = tmp_path / "workspace"
    for name in ("problems", "submissions"):
        (root / name).mkdir(parents=True)
    (root / "mine.cu").write_text(KERNEL)
    monkeypatch.chdir(root)
    return machine


@pytest.mark.parametrize(
    "command",
    [["test", "map", "mine.cu"], ["submit", "map", "mine.cu"], ["watch", "map", "mine.cu"], ["verify", "map"]],
    ids=lambda command: command[0],
)
def test_what_grades_says_what_to_type(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*command, *(["--device", "emulator"] if command[0] != "verify" else [])]) == 3
    said = capsys.readouterr().err
    assert "kgrade: CUDA's packages are not installed" in said
    assert said.endswith(f"  type: {extra_command('cuda13')}\n")


@pytest.mark.parametrize(
    "command",
    [["list"], ["show", "map"], ["init", "map"], ["history"], ["leaderboard"], ["leaderboard", "--html", "site"]],
    ids=" ".join,
)
def test_what_grades_nothing_works(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command) == 0
    assert capsys.readouterr().err == ""


def test_the_ceilings_say_what_to_type(bare: Machine) -> None:
    bare.with_gpus("535.104.05", (8, 6))
    with pytest.raises(ToolMissing, match="CUDA's packages are not installed") as caught:
        ceilings_child.answer({"gpu": 0})
    assert caught.value.hint == f"type: {extra_command('cuda12-gpu')}"


def test_the_doctor_says_that_no_kernel_can_be_graded(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor"]) == 3
    said = capsys.readouterr().out
    assert "neither cuda13 nor cuda12 is installed" in said
    assert extra_command("cuda13") in said
