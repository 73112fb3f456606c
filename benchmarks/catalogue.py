"""docs/catalogue.md: times and shares of the speed of light of all worked files of all problems.

    python benchmarks/catalogue.py --measure --save build/catalogue.json --table docs/catalogue.md
    python benchmarks/catalogue.py --from build/catalogue.json --table docs/catalogue.md
    python benchmarks/catalogue.py --from build/model.json --table docs/catalogue.md

`--measure` runs `kgrade bench` for each problem on this machine's GPU, which has to be the one that `--gpu` names.
With `--quick` files are taken for right and timed to the percent, some seconds a problem (benchmarks/quick_times.py).
`--from` takes what was saved here, or what `benchmarks/model_time.py --measure --save` has saved. Files in CUDA C++
alone: `--python` times the others too; `--files 'solve_*'` and `--size N=1000` choose among files and sizes. After
`--seconds` of a problem the next one begins.
`scripts/refresh-editorials --times` reads the same files.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from catalogue_table import FOLDER, Timed, page, read_rows, share, sizes_of, write_rows
from model_table import Modelled
from model_time import measured
from quick_times import quick_times

from grader.core.errors import UsageError
from grader.problem import load_problem


@dataclass(frozen=True)
class Choice:
    """What is timed: files of these names, in CUDA C++ alone or in Python too, at these sizes or each problem's own."""

    pattern: str
    python: bool
    sizes: Sequence[Mapping[str, int]]
    seconds: float
    """What a problem may take with --quick."""

    def files(self, problem: str) -> list[Path]:
        suffixes = {".cu", ".py"} if self.python else {".cu"}
        folder = FOLDER / problem / "submissions" / "accepted"
        return sorted(file for file in folder.glob(self.pattern) if file.suffix in suffixes)


def timed_in_full(problems: Sequence[str], gpu: str, choice: Choice) -> Iterator[tuple[str, list[Timed]]]:
    """Each problem's rows, timed by `kgrade bench`."""
    for problem in problems:
        cases = choice.sizes or load_problem(FOLDER / problem).benchmarks
        sizes = [",".join(f"{name}={size}" for name, size in case.items()) for case in cases]
        files = [file.name for file in choice.files(problem)]
        rows = measured([Modelled(problem, file, size, None) for file in files for size in sizes])
        times = {(row.file, row.sizes): row.measured for row in rows if row.measured is not None}
        yield problem, with_shares(problem, times, gpu)


def timed_quickly(problems: Sequence[str], gpu: str, choice: Choice) -> Iterator[tuple[str, list[Timed]]]:
    """Each problem's rows, without what `kgrade bench` does beside timing."""
    files = {problem: choice.files(problem) for problem in problems}
    for problem, times in quick_times([FOLDER / problem for problem in problems], files, choice.seconds, choice.sizes):
        yield problem, with_shares(problem, times, gpu)


def with_shares(problem: str, times: Mapping[tuple[str, str], float], gpu: str) -> list[Timed]:
    """The rows of times in seconds by file and size."""
    loaded = load_problem(FOLDER / problem)
    return [
        Timed(problem, file, size, seconds, share(loaded, sizes_of(size), seconds, gpu), gpu)
        for (file, size), seconds in times.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--measure", action="store_true")
    source.add_argument("--from", dest="source", type=Path, metavar="FILE")
    parser.add_argument("--gpu", default="H200")
    parser.add_argument("--only", action="append", default=[], metavar="PROBLEM")
    parser.add_argument("--files", default="*", metavar="PATTERN")
    parser.add_argument("--size", action="append", default=[], metavar="NAME=NUMBER,…")
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=float, default=20.0, help="what a problem may take with --quick")
    parser.add_argument("--save", type=Path, metavar="FILE")
    parser.add_argument("--table", type=Path, metavar="FILE")
    parser.add_argument("--note", default="", help="what else to say of how the times were taken")
    given = parser.parse_args()
    try:
        rows = read_rows(given.source, given.gpu) if given.source else []
    except (OSError, ValueError, UsageError) as error:
        sys.exit(f"{given.source}: {error}")
    if given.only:
        rows = [row for row in rows if row.problem in given.only]
    if given.measure:
        problems = given.only or sorted(path.parent.name for path in FOLDER.glob("*/problem.py"))
        measure = timed_quickly if given.quick else timed_in_full
        choice = Choice(given.files, given.python, [sizes_of(size) for size in given.size], given.seconds)
        try:
            for problem, own in measure(problems, given.gpu, choice):
                rows += own
                print(f"{problem}: {len(own)} times", file=sys.stderr, flush=True)
                if given.save:
                    write_rows(given.save, rows)
        except UsageError as error:
            sys.exit(f"{error.message}; {error.hint}")
    elif given.save:
        write_rows(given.save, rows)
    text = page(rows, given.gpu, given.note)
    if given.table:
        given.table.write_text(text, encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
