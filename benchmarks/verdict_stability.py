"""Checks whether verdicts depend on luck: grades every worked file of the problems with many seeds on the emulator.

    python benchmarks/verdict_stability.py [--problems map zip] [--seeds 20] [--first 20] [--accepted] [--jobs 2]

An accepted file that some seed refuses is a false rejection, a faulty one that some seed gives another verdict is a
miss. Each grading is one line of the results file; what stands there is not graded again, so that an interrupted run
goes on. `--first` begins with a later seed than the tests have, `--accepted` leaves the faulty files out. Ends with an
error where anything differs that LUCK does not name.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from tempfile import gettempdir

from grader.judge.verify import (
    SEED,
    Outcome,
    Work,
    WorkedSubmission,
    missing_for,
    missing_here,
    start_process,
    works_of,
)
from grader.store.workspace import Workspace, builtin_folder

LUCK: Mapping[str, str] = {}
"""Faulty files whose verdict inherently depends on chance, and why."""

Key = tuple[str, int]


def read_results(file: Path) -> dict[Key, str]:
    """What each grading found that differs, by file and seed; empty for nothing."""
    if not file.is_file():
        return {}
    rows = (json.loads(line) for line in file.read_text().splitlines())
    return {(row["name"], row["seed"]): row["mismatch"] for row in rows}


def graded(work: Work, seed: int) -> tuple[Key, Outcome]:
    return (work.name, seed), work.verify(seed)


def run(todo: Sequence[tuple[Work, int]], jobs: int) -> Iterator[tuple[Key, Outcome]]:
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=start_process) as pool:
        for future in as_completed([pool.submit(graded, work, seed) for work, seed in todo]):
            yield future.result()


def table(works: Sequence[Work], results: Mapping[Key, str]) -> str:
    """A row a problem: gradings and differences, of accepted files and of the others."""
    rows = [f"{'problem':<22}{'accepted':>9}{'gradings':>9}{'refused':>8}{'faulty':>8}{'gradings':>9}{'missed':>7}"]
    sums = [0] * 6
    for problem in dict.fromkeys(work.problem for work in works):
        numbers = []
        for accepted in (True, False):
            names = {w.name for w in works if w.problem == problem and is_accepted(w) is accepted}
            found = [mismatch for (name, _), mismatch in results.items() if name in names]
            numbers += [len(names), len(found), sum(map(bool, found))]
        sums = [a + b for a, b in zip(sums, numbers, strict=True)]
        rows.append(row(problem, numbers))
    return "\n".join([*rows, row("all", sums)])


def row(name: str, numbers: Sequence[int]) -> str:
    return name.ljust(22) + "".join(str(n).rjust(width) for n, width in zip(numbers, (9, 9, 8, 8, 9, 7), strict=True))


def is_accepted(work: Work) -> bool:
    return isinstance(work, WorkedSubmission) and work.file.parent.name == "accepted"


def differing(results: Mapping[Key, str]) -> Iterator[str]:
    """Each file with differences: of how many seeds, and what the first of them found."""
    for name in dict.fromkeys(name for name, _ in results):
        own = {seed: mismatch for (other, seed), mismatch in results.items() if other == name}
        wrong = {seed: mismatch for seed, mismatch in own.items() if mismatch}
        if wrong:
            known = f" [by chance: {LUCK[name]}]" if name in LUCK else ""
            yield f"{name}: {len(wrong)} of {len(own)} seeds{known}: {wrong[min(wrong)]}"


def main() -> int:
    problems = Workspace(builtin_folder("problems").parent).problems
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", default=list(problems), choices=list(problems), metavar="NAME")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, metavar="N")
    parser.add_argument("--accepted", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results", type=Path, default=Path(gettempdir()) / "verdict_stability.jsonl")
    chosen = parser.parse_args()
    here = missing_here()
    works = [work for name in chosen.problems for work in works_of(name, problems[name]) if not missing_for(work, here)]
    if chosen.accepted:
        works = [work for work in works if is_accepted(work)]
    seeds = range(SEED + chosen.first, SEED + chosen.first + chosen.seeds)
    results = read_results(chosen.results)
    # Seed by seed, so that a run that is ended early has tried all files.
    todo = [(work, seed) for seed in seeds for work in works if (work.name, seed) not in results]
    with chosen.results.open("a") as file:
        for number, (key, outcome) in enumerate(run(todo, chosen.jobs), 1):
            results[key] = outcome.mismatch
            line = {"name": key[0], "seed": key[1], "mismatch": outcome.mismatch, "seconds": round(outcome.seconds, 2)}
            file.write(json.dumps(line) + "\n")
            file.flush()
            print(f"\r{number} of {len(todo)}", end="", file=sys.stderr)
    names = {work.name for work in works}
    seen = {key: mismatch for key, mismatch in results.items() if key[0] in names and key[1] in seeds}
    print(table(works, seen), *differing(seen), sep="\n")
    return 1 if any(mismatch and name not in LUCK for (name, _), mismatch in seen.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
