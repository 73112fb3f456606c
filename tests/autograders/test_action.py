"""The GitHub Action: its step as a runner carries it out, and what a submission can't write into the log."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.autograders.annotations import annotate

ROOT = Path(__file__).parents[2]
WORKED = ROOT / "problems" / "matmul" / "submissions"


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """A runner's environment in which kgrade is installed."""
    programs = tmp_path / "temp" / "kgrade" / "bin"
    programs.mkdir(parents=True)
    for name, module in (("kgrade", "-m grader"), ("python", "")):
        line = f'PYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)} {module} "$@"'
        (programs / name).write_text(f"#!/bin/sh\n{line}\n")
        (programs / name).chmod(0o755)
    return {**os.environ, "RUNNER_TEMP": str(tmp_path / "temp"), "WORKSPACE": ""}


@pytest.mark.parametrize(
    ("file", "code", "level"),
    [
        ("accepted/2_tiled.cu", 0, "notice"),
        ("runtime_error/missing_bounds_check.cu", 1, "error"),
        ("none.cu", 3, "error"),
    ],
)
def test_the_step_marks_the_line_and_fails(
    file: str, code: int, level: str, runner: dict[str, str], tmp_path: Path
) -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    steps = action["runs"]["steps"]
    assert action["runs"]["using"] == "composite" and set(action["inputs"]) == {"problem", "file", "workspace", "cuda"}
    # What a workflow gives stands in no script, where it would be run.
    assert not [step for step in steps if "${{" in step["run"]]
    environment = {**runner, "PROBLEM": "matmul", "FILE": str(WORKED / file)}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps[-1]["run"]]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode != 0) == (code != 0), done.stderr
    assert done.stdout.startswith(f"::{level}")
    if code == 1:
        assert f"::error file={WORKED / file},line=" in done.stdout


def test_the_example_uses_it() -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    inputs = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    example = yaml.safe_load((ROOT / "deploy" / "github" / "classroom.yml").read_text())
    (used,) = [step for step in example["jobs"]["matmul"]["steps"] if step["uses"].startswith("OWNER/kgrade@")]
    assert set(used["with"]) <= set(inputs)


def test_a_submission_gives_no_commands() -> None:
    answer: dict[str, Any] = {
        "verdict": "wrong_answer",
        "headline": "Wrong\n::set-env name=PATH::/tmp 100%",
        "line": 3,
        "diagnostics": [{"severity": "note", "message": "\r\n::stop-commands::x", "line": None, "column": None}],
    }
    lines, code = annotate(answer, "a,b:c.cu")
    assert code == 1 and "\n" not in "".join(lines)
    assert lines[0] == "::error file=a%2Cb%3Ac.cu,line=3::Wrong%0A::set-env name=PATH::/tmp 100%25"
    assert lines[1].startswith("::notice file=a%2Cb%3Ac.cu::")
