"""Measures what the emulator takes from PTX to machine code, with race checks: parsing, translating, LLVM.

    python benchmarks/translation.py [FILE of matmul's submissions ...]

Each file is graded once, to get the PTX that reaches the emulator's process. The longest of it is then loaded, and its
kernels are compiled in this process, where the routines that all kernels share are there already, as in a worker. All
times are processor time, medians of `--repeats`.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from grader.core.verdict import Verdict
from grader.judge.conductor import Options, grade
from grader.languages.registry import read_submission
from grader.problem import load_problem
from grader.run import head_start
from grader.run.emulator import Objects, prime
from grader.run.emulator.engine import has_masked_stores
from grader.run.emulator.module import Module
from grader.run.emulator.ptx.parser import parse_module
from grader.run.emulator.translation import translate
from grader.sandbox.children import Child

FOLDER = Path(__file__).resolve().parent.parent / "problems" / "matmul"
FILES = ("accepted/2_tiled.cu", "accepted/cutile_tiles.py")

_sent: list[str] = []


class Listening(Child):
    """A process whose images are noted."""

    def send(self, message: Mapping[str, Any], seconds: float | None = None) -> None:
        if "image" in message:
            _sent.append(message["image"])
        super().send(message, seconds)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("files", nargs="*", default=FILES)
    arguments.add_argument("--repeats", type=int, default=5)
    given = arguments.parse_args()
    shared = Objects()
    prime(shared)
    known = shared.take_new()
    table = Table("file", "PTX, bytes", "parse, s", "translate, s", "LLVM, s", "in all, s")
    for file in given.files:
        ptx = longest_image(file)
        rows = [seconds_of(ptx, known) for _ in range(given.repeats)]
        medians = [statistics.median(column) for column in zip(*rows, strict=True)]
        table.add_row(file, f"{len(ptx):,}", *(f"{seconds:.3f}" for seconds in (*medians, sum(medians))))
    Console().print(table)


def longest_image(file: str) -> str:
    """The longest PTX that grading a file sends to the emulator, of a debug build only where there is no other."""
    _sent.clear()
    head_start.take = head_start.HeadStart(Listening).take
    with tempfile.TemporaryDirectory() as cache:
        submission = read_submission(FOLDER / "submissions" / file)
        report = grade(load_problem(FOLDER), submission, Options(6, 1, device="emulator", cache=Path(cache)))
    if report.verdict is not Verdict.ACCEPTED:
        raise SystemExit(f"{file} was not accepted: {report.headline}")
    return max(_sent, key=lambda image: (bool(image) and ".debug_info" not in image, len(image)))


def seconds_of(ptx: str, known: Mapping[str, bytes]) -> tuple[float, float, float]:
    """Seconds of parsing, of translating, and of LLVM."""
    objects = Objects()
    objects.learn(dict(known))
    began = time.process_time()
    module = parse_module(ptx)
    parsed = time.process_time()
    kernels = [name for name, function in module.functions.items() if function.entry]
    for kernel in kernels:
        translate(module, kernel, {}, has_masked_stores(), True)
    translated = time.process_time()
    loaded = Module(ptx, objects, sanitize=True)
    for kernel in kernels:
        loaded.prepare(kernel)
    both = time.process_time() - translated
    return parsed - began, translated - parsed, both - (translated - began)


if __name__ == "__main__":
    main()
