"""The GitHub Action: its step as a runner carries it out."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

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
    ("file", "code", "begins"),
    [
        ("accepted/2_tiled.cu", 0, ""),
        ("runtime_error/missing_bounds_check.cu", 1, "::error file="),
        ("none.cu", 2, "::error file="),
    ],
)
def test_the_step_marks_the_line_and_fails(
    file: str, code: int, begins: str, runner: dict[str, str], tmp_path: Path
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
    assert done.returncode == code, done.stderr
    assert done.stdout.startswith(begins)
    if code == 1:
        assert f"::error file={WORKED / file},line=" in done.stdout


def test_installing_imports_nothing_of_the_checkout(runner: dict[str, str], tmp_path: Path) -> None:
    """A student's repository may hold a folder "venv"; `python3 -m venv` would run what is in it."""
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv" / "__init__.py").touch()
    (tmp_path / "venv" / "__main__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    programs = Path(runner["RUNNER_TEMP"]) / "kgrade" / "bin"
    (programs / "pip").write_text("#!/bin/sh\n")
    (programs / "pip").chmod(0o755)
    (programs / "python3").write_text('#!/bin/sh\nexec /usr/bin/env -i "$PYTHON3" -S "$@" --help\n')
    (programs / "python3").chmod(0o755)
    environment = {**runner, "PATH": f"{programs}:{runner['PATH']}", "PYTHON3": sys.executable, "CUDA": "13"}
    step = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"][0]
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    subprocess.run(command, check=True, env=environment | {"GITHUB_ACTION_PATH": str(ROOT)}, cwd=tmp_path)
    assert not (tmp_path / "ran").exists()


def test_the_example_uses_it() -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    inputs = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    example = yaml.safe_load((ROOT / "deploy" / "github" / "classroom.yml").read_text())
    (used,) = [step for step in example["jobs"]["matmul"]["steps"] if step["uses"].startswith("OWNER/kgrade@")]
    assert set(used["with"]) <= set(inputs)
