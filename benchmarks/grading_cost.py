"""Measures the cost of grading an accepted matrix product on the emulator: processor time and wall time.

    python benchmarks/grading_cost.py --repeats 9

Processor time is that of all processes of a grading, those forked from a template too. Others on the machine add to
it only by what they take from its caches; wall time wants an idle machine. "Alone" starts each process by itself, as a
lone `kgrade submit` does; "templates" forks them, as a worker does. A cold grading has an empty cache but for the
recorder and the emulator's own routines; a warm one has graded the file before. Each row has the median; the verdict is
checked each time.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from processor_time import ProcessorClock
from rich.console import Console
from rich.table import Table

from grader.core.memory import keep_freed_memory
from grader.core.threads import OF_A_JUDGE
from grader.core.verdict import Verdict
from grader.judge.conductor import Options, grade
from grader.languages.registry import read_submission
from grader.problem import load_problem
from grader.run.templates import use_templates
from grader.sandbox import Sandbox
from grader.sandbox.template import end_templates

FOLDER = Path(__file__).resolve().parent.parent / "problems" / "matmul"
FORMS = {"kernel form": "accepted/2_tiled.cu", "solve form": "accepted/solve_naive.cu"}
KEPT = ("recorder", "kernels/objects/shared.json")
"""The parts of a cache that a machine makes once."""
CLOCK = ProcessorClock()


@dataclass(frozen=True)
class Cost:
    """Seconds of one grading."""

    processor: float
    wall: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--repeats", type=int, default=9)
    given = arguments.parse_args()
    if not OF_A_JUDGE.items() <= os.environ.items():
        # As a judge's process has it; NumPy is loaded already.
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **OF_A_JUDGE})
    table = Table("form", "processes", "cache", "processor, s", "wall, s")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KGRADE_CACHE"] = folder
        keep_freed_memory()
        for form, file in FORMS.items():
            for processes in ("alone", "templates"):
                if processes == "templates":
                    use_templates(Sandbox.find())
                # Once for what is made once, and for what Python loads late.
                cost_of(file, seed=0)
                for cache in ("cold", "warm"):
                    costs = []
                    for seed in range(given.repeats):
                        if cache == "cold":
                            empty(Path(folder))
                        costs.append(cost_of(file, seed))
                    processor = statistics.median(cost.processor for cost in costs)
                    wall = statistics.median(cost.wall for cost in costs)
                    table.add_row(form, processes, cache, f"{processor:.2f}", f"{wall:.2f}")
                end_templates()
    Console().print(table)


def cost_of(file: str, seed: int) -> Cost:
    """Grades a worked file; the same seeds each time, so that rows compare."""
    began, busy = time.perf_counter(), CLOCK()
    submission = read_submission(FOLDER / "submissions" / file)
    report = grade(load_problem(FOLDER), submission, Options(seed=seed, device="emulator"))
    if report.verdict is not Verdict.ACCEPTED:
        raise SystemExit(f"{file} was not accepted: {report.headline}")
    return Cost(CLOCK() - busy, time.perf_counter() - began)


def empty(cache: Path) -> None:
    for file in sorted(cache.rglob("*"), reverse=True):
        inside = file.relative_to(cache)
        if not any(inside.is_relative_to(kept) or Path(kept).is_relative_to(inside) for kept in KEPT):
            shutil.rmtree(file) if file.is_dir() else file.unlink()


if __name__ == "__main__":
    main()
