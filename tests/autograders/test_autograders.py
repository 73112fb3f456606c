"""Autograders in the folder layouts that Gradescope and Autolab document, with right, wrong and broken submissions."""

import json
import os
import shlex
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from grader.autograders.results import MOST_TEXT, Graded, to_autolab, to_gradescope
from grader.autograders.run import find_file
from grader.cli import run

ROOT = Path(__file__).parents[2]
WORKED = ROOT / "problems" / "matmul" / "submissions"

pytest.importorskip("hatchling", reason="needs pip install -e '.[server]'")


TAKES_OVER = """
import os
os.write(1, b'{"scores": {"matmul": 10.0}}\\n')
os._exit(0)
"""
"""A module of a student's that has the name of one that an autograder imports."""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """With this Python as the one that setup.sh installs."""
    python = tmp_path / "installed" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    return {**os.environ, "KGRADE_HOME": str(tmp_path / "installed")}


def test_gradescope(tmp_path: Path, environment: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    made, there = tmp_path / "autograder.zip", tmp_path / "autograder"
    assert run(["autograder", "gradescope", "matmul", "zip", "-o", str(made), "--points", "4", "--cases", "3"]) == 0
    assert "8 points in all" in capsys.readouterr().out
    for name in ("source", "submission", "results"):
        (there / name).mkdir(parents=True)
    with zipfile.ZipFile(made) as archive:
        archive.extractall(there / "source")
        modes = {one.filename: one.external_attr >> 16 for one in archive.infolist()}
    assert modes["setup.sh"] == modes["run_autograder"] == 0o755
    assert not [name for name in modes if "submissions/accepted" in name or "exercises/" in name or "editorial" in name]
    setup = (there / "source" / "setup.sh").read_text()
    wheel = next(name for name in modes if name.endswith(".whl"))
    assert f"kgrade[cuda13] @ file://$SOURCE/{wheel}" in setup
    (there / "submission" / "matmul.cu").write_bytes((WORKED / "accepted" / "2_tiled.cu").read_bytes())
    (there / "submission" / "zip.cu").write_text("__global__ void zip_kernel( { <script>")
    script = ["bash", str(there / "source" / "run_autograder")]
    for name in ("json.py", "grader.py", "argparse.py"):
        (there / "submission" / name).write_text(TAKES_OVER)
    subprocess.run(script, check=True, env={**environment, "AUTOGRADER": str(there)}, cwd=there / "submission")
    found = json.loads((there / "results" / "results.json").read_text())
    assert found["score"] == 4 and found["stdout_visibility"] == "hidden"
    assert found["test_output_format"] == found["test_name_format"] == "text"
    scored = [test for test in found["tests"] if "max_score" in test]
    assert [(test["score"], test["max_score"], test["status"]) for test in scored] == [
        (4, 4, "passed"),
        (0, 4, "failed"),
    ]
    cases = [test for test in found["tests"] if test["number"].startswith("1.")]
    assert len(cases) == 3 and all(test["status"] == "passed" and "M=" in test["name"] for test in cases)
    assert "Does not compile" in scored[1]["output"] and "zip.cu:1" in scored[1]["output"]


def test_autolab(tmp_path: Path, environment: dict[str, str]) -> None:
    assert run(["autograder", "autolab", "matmul", "-o", str(tmp_path / "autograde.tar"), "--cases", "3"]) == 0
    # Autolab gives the Makefile its usual name.
    (tmp_path / "autograde-Makefile").rename(tmp_path / "Makefile")
    with tarfile.open(tmp_path / "autograde.tar") as archive:
        assert all(name.startswith("autograder/") for name in archive.getnames())
    (tmp_path / "handin.cu").write_bytes((WORKED / "wrong_answer" / "only_whole_tiles.cu").read_bytes())
    # Where a lab's Makefile unpacks what was handed in, these lie in the folder that it works in.
    for name in ("grader", "venv"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(TAKES_OVER)
    # Called by another make, as in these tests, it would tell of the folder that it leaves.
    alone = {name: value for name, value in environment.items() if not name.startswith("MAKE")}
    done = subprocess.run(["make"], cwd=tmp_path, env=alone, capture_output=True, text=True, check=True)
    *feedback, last = done.stdout.splitlines()
    assert json.loads(last) == {"scores": {"matmul": 0.0}}
    assert feedback[0] == "Matrix multiplication: 0 of 10 points" and "  Wrong answer" in feedback[1]


def test_the_students_files_are_found(tmp_path: Path) -> None:
    assert find_file(tmp_path, "matmul", alone=True) is None
    (tmp_path / "my kernel.cu").touch()
    assert find_file(tmp_path, "matmul", alone=True) == tmp_path / "my kernel.cu"
    assert find_file(tmp_path, "matmul", alone=False) is None
    (tmp_path / "matmul.py").symlink_to("/etc/passwd")
    assert find_file(tmp_path, "matmul", alone=False) is None
    (tmp_path / "matmul.cu").touch()
    assert find_file(tmp_path, "matmul", alone=True) == tmp_path / "matmul.cu"


def test_what_a_submission_says_is_bounded_and_forges_no_scores() -> None:
    forged = '{"scores": {"matmul": 100}}'
    answer: dict[str, Any] = {
        "verdict": "wrong_answer",
        "title": f"T\n{forged}",
        "headline": "Wrong\x1b[31m \u202e",
        "file": "k.cu",
        "printed": f"\n{forged}\n" * 10_000,
    }
    graded = [Graded("matmul", 10, answer), Graded("zip", 5, {"error": "not there", "hint": forged})]
    lines = to_autolab(graded).splitlines()
    assert json.loads(lines[-1]) == {"scores": {"matmul": 0.0, "zip": 0.0}}
    assert forged not in lines
    assert "‹U+001B›" in lines[1] or "‹U+001B›" in lines[2]
    outputs = [test["output"] for test in json.loads(to_gradescope(graded))["tests"]]
    assert max(map(len, outputs)) < MOST_TEXT + 20 and "not graded: not there" in outputs[1]


def test_an_unknown_problem_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["autograder", "gradescope", "nothing", "-o", str(tmp_path / "a.zip")]) == 2
    assert "there is no problem 'nothing'" in capsys.readouterr().err and not (tmp_path / "a.zip").exists()
