"""Measures the wall time of `kgrade test matmul FILE` on the emulator for a file in each language.

    python benchmarks/languages.py --repeats 5

Run it on an idle machine. "Alone" is the command as a person types it, which imports the language each time; with a
"fork server" a process that has imported it is forked, as `kgrade watch`, workers and `kgrade verify` do. Each file was
graded before, so that its kernels are compiled and translated; "first" is the grading that did that. Seeds differ, and
so do sizes: what a size forces is compiled then. Medians; the verdict is checked each time.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from grader.core.verdict import Verdict
from grader.judge.conductor import Options, grade
from grader.languages.registry import language_of, read_submission
from grader.problem import load_problem
from grader.run.templates import use_templates
from grader.sandbox import Sandbox
from grader.sandbox.template import end_templates

FOLDER = Path(__file__).resolve().parent.parent / "problems" / "matmul"
FILES = (
    "2_tiled.cu",
    "solve_naive.cu",
    "triton_1_tiles.py",
    "cutile_tiles.py",
    "cute_shared_tiles.py",
    "numba_tiled.py",
)
SEEDS = (11, 12, 13)
"""Sizes are drawn by them. All are graded before anything is measured."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--repeats", type=int, default=5)
    given = arguments.parse_args()
    packages = Path(os.environ.get("KGRADE_PACKAGES", Path.home() / ".cache" / "kgrade" / "packages"))
    table = Table("file", "language", "first, s", "alone, s", "fork server, s")
    for name in FILES:
        file = FOLDER / "submissions" / "accepted" / name
        language = language_of(read_submission(file))
        if language.missing():
            print(f"{name} is left out: {language.missing()}", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as folder:
            # What is installed once a machine is not part of a grading.
            os.environ |= {"KGRADE_CACHE": folder, "KGRADE_PACKAGES": str(packages)}
            first, *_ = (seconds_of(by_command, file, seed) for seed in SEEDS)
            alone = [seconds_of(by_command, file, SEEDS[n % len(SEEDS)]) for n in range(given.repeats)]
            use_templates(Sandbox.find())
            seconds_of(by_fork, file, SEEDS[0])
            forked = [seconds_of(by_fork, file, SEEDS[n % len(SEEDS)]) for n in range(given.repeats)]
            end_templates()
        figures = (first, statistics.median(alone), statistics.median(forked))
        table.add_row(name, str(language.name), *(f"{seconds:.2f}" for seconds in figures))
    Console().print(table)


def seconds_of(how: Callable[[Path, int], None], file: Path, seed: int) -> float:
    began = time.perf_counter()
    how(file, seed)
    return time.perf_counter() - began


def by_command(file: Path, seed: int) -> None:
    command = [sys.executable, "-m", "grader", "test", "matmul", str(file), "--device", "emulator", "--seed", str(seed)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def by_fork(file: Path, seed: int) -> None:
    report = grade(load_problem(FOLDER), read_submission(file), Options(seed=seed, device="emulator"))
    if report.verdict is not Verdict.ACCEPTED:
        raise SystemExit(f"{file.name}: {report.headline}")


if __name__ == "__main__":
    main()
