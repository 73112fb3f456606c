"""Records a replay of every faulty worked submission: its size, how long it takes, and whether it shows the fault.

    python benchmarks/replay.py                       # all problems
    python benchmarks/replay.py matmul softmax
    python benchmarks/replay.py --only missing_barrier

A replay shows the fault if it has a step at the line of the report, or if the report names none, a mark. Files that
fail before a kernel runs have none. Time is that beyond the grading; `cpu` is this process's and its children's.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.core.errors import KgradeError
from grader.core.paths import cache_folder
from grader.core.report import Report
from grader.core.verdict import FaultClass, Verdict, WrongKind
from grader.judge.conductor import Options, grade
from grader.judge.verify import NO_PATTERN, SEED
from grader.judge.watching import can_be_watched
from grader.languages.registry import language_of, read_submission
from grader.problem import load_problem
from grader.replay.packing import pack
from grader.replay.record import record_replay
from grader.replay.trace import Trace
from grader.run.templates import use_templates
from grader.sandbox import Sandbox

PROBLEMS = Path(__file__).resolve().parent.parent / "problems"
MOST_BYTES = 2 << 20
MOST_SECONDS = 3.0
BEFORE_A_KERNEL = (FaultClass.LAUNCH_FAILURE, FaultClass.UNSUPPORTED_CALL, FaultClass.ILLEGAL_INSTRUCTION)


@dataclass(frozen=True)
class Row:
    """One worked submission; `trace` is None if there is none. `problem` says what is wrong with it."""

    name: str
    trace: Trace | None
    size: int
    seconds: float
    cpu: float
    problem: str

    def __str__(self) -> str:
        steps = len(self.trace) if self.trace is not None else 0
        size = f"{self.size / 1024:7.1f} KiB {steps:7,} steps"
        return f"{self.name:66} {size} {self.seconds:6.2f} s {self.cpu:6.2f} s cpu  {self.problem or 'shown'}"


def faulty_files(problems: Sequence[str], only: str) -> Iterator[Path]:
    """The worked submissions that compile and are wrong."""
    for folder in sorted(PROBLEMS.iterdir()):
        if problems and folder.name not in problems:
            continue
        for file in sorted(folder.glob("submissions/*/*")):
            ran_wrong = file.parent.name not in ("accepted", "compile_error")
            if ran_wrong and file.suffix in (".cu", ".py") and only in file.name:
                yield file


def missing(report: Report, trace: Trace | None) -> str:
    """What a replay of this report lacks; "" if nothing."""
    fault = report.fault
    if trace is None or not len(trace):
        # What solve() itself does wrong names no kernel, may be no fault but a crash, or a launch that it leaves out.
        crashed = fault is None and report.verdict is Verdict.RUNTIME_ERROR
        unlaunched = report.kind is WrongKind.UNWRITTEN_OUTPUT
        early = crashed or unlaunched or (fault is not None and (fault.fault in BEFORE_A_KERNEL or not fault.kernel))
        return "(no kernel ran)" if early or report.smallest is None else "NO REPLAY"
    if report.line is not None and report.line not in trace.steps.line.tolist():
        return f"NO STEP AT LINE {report.line}"
    if not trace.marks:
        return "NO MARK"
    if fault is not None and fault.fault is FaultClass.DATA_RACE and trace.marks[0].kind != "race":
        return "(the race's two accesses are not in this block)"
    return ""


def spent() -> float:
    """Processor seconds of this process and of its children that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def measure(file: Path, sandbox: Sandbox) -> Row | None:
    """Grades one file and records it; None if no case ran and failed."""
    problem = load_problem(file.parents[2])
    name = f"{problem.name}/{file.parent.name}/{file.name}"
    try:
        submission = read_submission(file)
        report = grade(problem, submission, Options(12, SEED, device="emulator", search=NO_PATTERN))
    except KgradeError as error:
        print(f"{name}: not graded: {error.message}", file=sys.stderr)
        return None
    if not can_be_watched(report, problem):
        return None
    assert report.smallest is not None
    began, cpu = time.monotonic(), spent()
    trace = record_replay(problem, submission, report.smallest, language_of(submission), cache_folder(), sandbox)
    size = len(pack(trace)) if trace is not None else 0
    return Row(name, trace, size, time.monotonic() - began, spent() - cpu, missing(report, trace))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("problems", nargs="*")
    parser.add_argument("--only", default="", help="files whose name has this in it")
    asked = parser.parse_args()
    sandbox = Sandbox.find()
    use_templates(sandbox)
    rows = []
    for file in faulty_files(asked.problems, asked.only):
        row = measure(file, sandbox)
        if row is not None:
            rows.append(row)
            print(row, flush=True)
    shown = [row for row in rows if row.trace is not None]
    bad = [row for row in rows if row.problem.isupper() or row.size > MOST_BYTES]
    late = [row for row in rows if row.seconds > MOST_SECONDS]
    if shown:
        print(
            f"{len(shown)} of {len(rows)} have a replay; largest {max(row.size for row in shown) / 1024:.0f} KiB; "
            f"slowest {max(row.seconds for row in shown):.1f} s, median "
            f"{sorted(row.seconds for row in shown)[len(shown) // 2]:.1f} s; {len(late)} over {MOST_SECONDS:g} s; "
            f"{len(bad)} that lack something"
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
