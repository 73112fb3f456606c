"""A process that records submissions, for tests that run several at once or stop one in the middle.

`python -m store.writer DATABASE USER COUNT` prints the number of each submission once it is recorded.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import grader
from grader.core.errors import KgradeError
from grader.core.report import CaseResult, Report
from grader.core.verdict import Form, Verdict
from grader.store.database import Store

TESTS = Path(__file__).parents[1]
ROOT = Path(grader.__file__).parents[1]


def make_report(**changes: Any) -> Report:
    values: dict[str, Any] = {
        "problem": "zip",
        "title": "Vector addition",
        "form": Form.KERNEL,
        "device": "emulator",
        "user": "ada",
        "file": "add.cu",
        "source": "// add\n",
        "source_hash": "",
        "submitted": "2026-03-01T12:00:00+00:00",
        "seed": 7,
        "verdict": Verdict.ACCEPTED,
        "headline": "All 12 cases are right.",
        "cases": (CaseResult({"N": 17}, "normal", 3, Verdict.ACCEPTED),),
    }
    return Report(**(values | changes))


def start(
    database: Path, user: str, count: int, *, before: Sequence[str] = (), script: str = ""
) -> subprocess.Popen[str]:
    """Starts the writer, or another script, in a process of its own; `before` goes in front of it."""
    what = ["-c", script] if script else ["-m", "store.writer"]
    return subprocess.Popen(
        [*before, sys.executable, *what, str(database), user, str(count)],
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{TESTS}", "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def main(database: str, user: str, count: str) -> None:
    try:
        store = Store(Path(database))
        for number in range(int(count)):
            # A source of its own and of some size, so that a write is more than one page.
            source = f"// {user} {number}\n" + "x" * 20_000
            print(store.add(make_report(user=user, source=source)), flush=True)
    except KgradeError as error:
        print(type(error).__name__, error.message, error.hint, sep="\n", file=sys.stderr)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main(*sys.argv[1:])
