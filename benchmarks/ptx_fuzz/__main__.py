"""Runs many random PTX programs on the emulator, between guard pages, in processes that may die.

    PYTHONPATH=benchmarks python -m ptx_fuzz --programs 100000 --state build/ptx_fuzz.json

A process that dies by a signal, that says nothing for too long, or that ends in an exception of its own is a finding:
its program is kept, and the next process goes on behind it. With --state a run that was stopped goes on where it was.
--show NUMBER prints a program; --barriers makes programs mostly of barriers, exits and branches. Exit status: 0
without findings, 1 with some.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import selectors
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from grader.compile.compiler import Compiler
from grader.compile.toolkit import find_toolkit
from grader.core.errors import JudgeError
from grader.run.emulator.aligned import GUARDS
from ptx_fuzz.child import program

ROOT = Path(__file__).parents[2]
SILENCE = 90.0
"""Seconds without a word after which a program hangs: several times what the slowest one takes on a busy machine."""
BATCH = 2000
"""Programs of one process, each of which first compiles the routines that they share, for a quarter of a minute."""


@dataclass
class Tally:
    """What a run has come to. `next` is the number of the first program that has not run."""

    seed: int
    next: int = 0
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    def add(self, outcome: str) -> None:
        self.outcomes[
            re.sub(r"\d+|@\S+|[\w$%]+@\d+", "#", outcome)[:90] if outcome.startswith("refused") else outcome
        ] += 1

    @property
    def programs(self) -> int:
        return sum(self.outcomes.values())

    @property
    def refused(self) -> int:
        return sum(count for name, count in self.outcomes.items() if name.startswith("refused"))


def run_batch(seed: int, first: int, last: int, corpus: str, optimised: int, barriers: bool) -> list[tuple[int, str]]:
    """(Number, outcome) of each program; those of a process that died begin with "finding"."""
    results: list[tuple[int, str]] = []
    while first < last:
        given = [*map(str, (seed, first, last)), corpus, str(optimised), str(int(barriers))]
        command = [sys.executable, "-m", "ptx_fuzz.child", *given]
        paths = os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])
        environment = {**os.environ, GUARDS: "1", "PYTHONPATH": paths}
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=environment)
            done = _listen(process)
            results += done
            if process.returncode == 0 and len(done) == last - first:
                break
            errors.seek(0)
            words = " ".join(errors.read()[-300:].split())
            how = "hang" if process.returncode == -9 else f"exit status {process.returncode}"
            first += len(done)
            results.append((first, f"finding: {how} {words}"))
            first += 1
    return results


def _listen(process: subprocess.Popen[bytes]) -> list[tuple[int, str]]:
    """What a process says, until it ends or says nothing for too long."""
    assert process.stdout is not None
    found: list[tuple[int, str]] = []
    rest = b""
    with selectors.DefaultSelector() as selector, process:
        selector.register(process.stdout, selectors.EVENT_READ)
        while selector.select(SILENCE):
            data = os.read(process.stdout.fileno(), 1 << 16)
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                word, number, *outcome = line.decode(errors="replace").split(" ", 2)
                if word == "end":
                    found.append((int(number), outcome[0].replace("exception", "finding: exception", 1)))
        else:
            process.kill()
    return found


def compile_corpus(folder: Path, patterns: list[str]) -> None:
    """The PTX of the CUDA files that these patterns name, those that compile by themselves."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, file in enumerate(sorted({file for pattern in patterns for file in ROOT.glob(pattern)})):
        target = folder / f"{number}_{file.stem}.ptx"
        if file.suffix == ".ptx":
            target.write_text(file.read_text())
        elif not target.exists():
            try:
                target.write_text(Compiler(find_toolkit(), file.name).compile(file.read_text()).ptx)
            except JudgeError:
                continue


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--corpus", type=Path, help="folder of PTX to change; made from --sources where it is empty")
    parser.add_argument("--sources", nargs="*", default=["problems/*/submissions/*/*.cu", "tests/emulator/kernels/*"])
    parser.add_argument(
        "--optimised", type=int, default=50, help="each so many programs, one as students' are compiled"
    )
    parser.add_argument("--state", type=Path, help="file that keeps what a run has come to")
    parser.add_argument("--show", type=int, help="print the program of this number")
    parser.add_argument("--barriers", action="store_true", help="programs made mostly of barriers and exits")
    given = parser.parse_args()
    corpus = str(given.corpus) if given.corpus else "-"
    if given.corpus and not any(given.corpus.glob("*.ptx")):
        compile_corpus(given.corpus, given.sources)
    if given.show is not None:
        print(program(given.seed, given.show, corpus, given.barriers))
        return 0
    tally = Tally(given.seed)
    if given.state and given.state.exists():
        known = json.loads(given.state.read_text())
        tally = Tally(**{**known, "outcomes": Counter(known["outcomes"])})
    firsts = range(tally.next, given.programs, BATCH)
    began = time.monotonic()
    with ThreadPoolExecutor(given.jobs) as pool:
        tasks = [
            pool.submit(
                run_batch,
                tally.seed,
                first,
                min(first + BATCH, given.programs),
                corpus,
                given.optimised,
                given.barriers,
            )
            for first in firsts
        ]
        for task in tasks:
            for number, outcome in task.result():
                tally.add(outcome if not outcome.startswith("finding") else "finding")
                if outcome.startswith("finding"):
                    tally.findings.append(f"{number}: {outcome}")
                    print(f"program {number}: {outcome}", flush=True)
                tally.next = number + 1
            if given.state:
                given.state.parent.mkdir(parents=True, exist_ok=True)
                seconds = tally.seconds + time.monotonic() - began
                given.state.write_text(json.dumps({**vars(tally), "seconds": seconds}))
    tally.seconds += time.monotonic() - began
    _print(tally)
    return 1 if tally.findings else 0


def _print(tally: Tally) -> None:
    ran = tally.programs - tally.refused
    print(f"{tally.programs} programs in {tally.seconds:.0f} s, {ran} ran, {len(tally.findings)} findings")
    for outcome, count in tally.outcomes.most_common(40):
        print(f"{count:8d}  {outcome}")


if __name__ == "__main__":
    sys.exit(main())
