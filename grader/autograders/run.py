"""Grades one student's files inside of an autograder and writes the results: python -m grader.autograders.run.

Each problem is graded by a `kgrade test` of its own, so that whatever ends one still leaves results.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.autograders.results import Graded, to_autolab, to_gradescope

SETTINGS, WORKSPACE = "autograder.json", "workspace"
SUFFIXES = (".cu", ".py")
MORE_SECONDS = 60.0
"""What a grading may take beyond its own deadline before it is ended."""


@dataclass(frozen=True)
class Settings:
    """What autograder.json says: the problems with their points, and how each is graded."""

    problems: Mapping[str, float]
    seed: int
    cases: int
    deadline: int

    def to_json(self) -> str:
        return json.dumps(vars(self), indent=2) + "\n"


FORMATS: Mapping[str, Callable[[Sequence[Graded]], str]] = {"gradescope": to_gradescope, "autolab": to_autolab}


def main() -> None:
    parser = argparse.ArgumentParser(description="Grade a submission inside of an autograder.")
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("source", type=Path, help=f"the folder with {SETTINGS} and {WORKSPACE}/")
    parser.add_argument("submission", type=Path, help="the folder with the student's files")
    parser.add_argument("--results", type=Path, help="the file to write; standard output without it")
    asked = parser.parse_args()
    settings = Settings(**json.loads((asked.source / SETTINGS).read_text(encoding="utf-8")))
    graded = [grade(asked.source, asked.submission, settings, problem) for problem in settings.problems]
    text = FORMATS[asked.format](graded)
    if asked.results is None:
        sys.stdout.write(text)
        return
    asked.results.parent.mkdir(parents=True, exist_ok=True)
    asked.results.write_text(text, encoding="utf-8")


def grade(source: Path, submission: Path, settings: Settings, problem: str) -> Graded:
    """Grades the student's file for one problem."""
    points = settings.problems[problem]
    file = find_file(submission, problem, alone=len(settings.problems) == 1)
    if file is None:
        error = f"there is no file {problem}.cu or {problem}.py among those that were handed in"
        return Graded(problem, points, {"error": error})
    command = [sys.executable, "-m", "grader", "--workspace", str(source / WORKSPACE), "test", problem, str(file)]
    command += ["--json", "--require-sandbox", "--user", "student"]
    command += ["--seed", str(settings.seed), "--cases", str(settings.cases), "--deadline", str(settings.deadline)]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=settings.deadline + MORE_SECONDS,
            check=False,
            env={**os.environ, "KGRADE_CACHE": str(cache_of(source))},
        )
        answer: Any = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        answer = {"error": f"grading took longer than {settings.deadline + MORE_SECONDS:.0f} s"}
    except ValueError:
        answer = {"error": "kgrade ended without an answer; tell whoever runs your course"}
    return Graded(problem, points, answer)


def find_file(folder: Path, problem: str, *, alone: bool) -> Path | None:
    """The student's file for `problem`: named after it, or the only one there is for an autograder's only problem.

    Links are left out: they could lead to files that are not the student's.
    """
    files = [path for path in sorted(folder.iterdir()) if path.suffix in SUFFIXES and _is_own(path)]
    named = [path for path in files if path.stem == problem]
    return named[0] if named else files[0] if alone and len(files) == 1 else None


def cache_of(source: Path) -> Path:
    """Where setup.sh left what is built once."""
    return source / "cache"


def _is_own(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


if __name__ == "__main__":
    main()
