"""Records a replay of every faulty worked submission: its size, how long it takes, and whether it shows the fault.

    python benchmarks/replay.py                       # all problems
    python benchmarks/replay.py matmul softmax
    python benchmarks/replay.py --only missing_barrier
    python benchmarks/replay.py --jobs 2 --save build/replay.jsonl

A replay shows the fault if it has a step at the line of the report, or if the report names none, a mark, and doesn't
end before. Files that fail before a kernel runs have none. Time is that beyond the grading; `cpu` is that of all
processes that take part. With `--save` each row goes into a file of lines at once, and files that have a row there are
passed over: the same command goes on where it was cut off. `--seconds` begins no file after so many. To grade takes ten
times as long as to record: with `--reports` a later run finds the reports of this one in that folder.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import median

from processor_time import ProcessorClock

from grader.core.errors import KgradeError
from grader.core.paths import cache_folder
from grader.core.report import Report, from_json, to_json
from grader.core.verdict import FaultClass, Verdict, WrongKind
from grader.judge.conductor import Options, grade
from grader.judge.verify import NO_PATTERN, SEED
from grader.judge.watching import can_be_watched
from grader.languages.registry import language_of, read_submission
from grader.problem import Problem, load_problem
from grader.replay.packing import pack
from grader.replay.record import BEYOND, record_replay
from grader.replay.trace import Trace
from grader.run.templates import use_templates
from grader.sandbox import Sandbox

PROBLEMS = Path(__file__).resolve().parent.parent / "problems"
MOST_BYTES = 2 << 20
MOST_SECONDS = 3.0
BEFORE_A_KERNEL = (FaultClass.LAUNCH_FAILURE, FaultClass.UNSUPPORTED_CALL, FaultClass.ILLEGAL_INSTRUCTION)
NOT_GRADED = "NOT GRADED"
CLOCK = ProcessorClock()


@dataclass(frozen=True)
class Row:
    """One worked submission; `steps` is None if there is no replay, `watched` tells whether a case ran and failed.
    `problem` says what is wrong with it."""

    name: str
    steps: int | None = None
    size: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    problem: str = ""
    watched: bool = True

    def __str__(self) -> str:
        size = f"{self.size / 1024:7.1f} KiB {self.steps or 0:7,} steps"
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
    if BEYOND in trace.remarks:
        return "ENDS TOO EARLY"
    if fault is not None and fault.fault is FaultClass.DATA_RACE and trace.marks[0].kind != "race":
        return "(the race's two accesses are not in this block)"
    return ""


def name_of(file: Path) -> str:
    """A file as rows name it."""
    return f"{file.parents[2].name}/{file.parent.name}/{file.name}"


def graded(problem: Problem, file: Path, kept: Path | None) -> Report:
    """The report of a file, as it is kept if it is."""
    place = None if kept is None else kept / f"{name_of(file).replace('/', '-')}.json"
    if place is not None and place.exists():
        return from_json(place.read_text(encoding="utf-8"))
    options = Options(12, SEED, device="emulator", search=NO_PATTERN)
    report = grade(problem, read_submission(file), options)
    if place is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(to_json(report), encoding="utf-8")
    return report


def measure(file: Path, kept: Path | None) -> Row:
    """Grades one file and records it."""
    problem, name = load_problem(file.parents[2]), name_of(file)
    try:
        submission, report = read_submission(file), graded(problem, file, kept)
    except KgradeError as error:
        print(f"{name}: not graded: {error.message}", file=sys.stderr)
        return Row(name, problem=NOT_GRADED)
    if not can_be_watched(report, problem):
        return Row(name, watched=False)
    assert report.smallest is not None
    language = language_of(submission)
    # A grading has left that in the cache, which a kept report does not show.
    language.compile(problem, submission, cache_folder(), None, Sandbox.find())
    began, spent = time.monotonic(), CLOCK()
    trace = record_replay(problem, submission, report.smallest, language, cache_folder(), Sandbox.find())
    size = len(pack(trace)) if trace is not None else 0
    steps = None if trace is None else len(trace)
    return Row(name, steps, size, time.monotonic() - began, CLOCK() - spent, missing(report, trace))


def begin() -> None:
    """Starts a process that measures files: with what all gradings share in the cache, as after any of them."""
    use_templates(Sandbox.find())
    problem = load_problem(PROBLEMS / "matmul")
    for name in ("2_tiled.cu", "solve_naive.cu"):
        accepted = read_submission(problem.folder / "submissions" / "accepted" / name)
        grade(problem, accepted, Options(1, SEED, device="emulator", search=NO_PATTERN))


def measured(files: Sequence[Path], jobs: int, until: float, kept: Path | None) -> Iterator[Row]:
    """The rows of files as they come, begun before the time `until`."""
    if jobs == 1:
        begin()
        yield from (measure(file, kept) for file in files if time.monotonic() < until)
        return
    # Spawned: a forked copy of a process that has threads may deadlock.
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=begin) as pool:
        left, running = iter(files), set[Future[Row]]()
        while True:
            while len(running) < jobs and time.monotonic() < until and (file := next(left, None)) is not None:
                running.add(pool.submit(measure, file, kept))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (one.result() for one in done)


def saved_rows(file: Path | None) -> list[Row]:
    """The rows that a file has already."""
    if file is None or not file.exists():
        return []
    return [Row(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def save(file: Path, row: Row) -> None:
    """Adds a row to a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(asdict(row)) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*")
    parser.add_argument("--only", default="", help="files whose name has this in it")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="files at a time; times are then no measure")
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep rows there, and go on where they end")
    parser.add_argument("--reports", type=Path, metavar="FOLDER", help="keep reports there, and grade no file twice")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no file after so many seconds")
    asked = parser.parse_args()
    files = list(faulty_files(asked.problems, asked.only))
    names = {name_of(file) for file in files}
    rows = [row for row in saved_rows(asked.save) if row.name in names]
    known = {row.name for row in rows}
    left = [file for file in files if name_of(file) not in known]
    for row in measured(left, max(asked.jobs, 1), time.monotonic() + asked.seconds, asked.reports):
        rows.append(row)
        if row.watched:
            print(row, flush=True)
        if asked.save is not None and row.problem != NOT_GRADED:
            save(asked.save, row)
    watched = [row for row in rows if row.watched]
    shown = [row for row in watched if row.steps is not None]
    bad = [row for row in watched if row.problem.isupper() or row.size > MOST_BYTES]
    late = [row for row in watched if row.cpu > MOST_SECONDS]
    print(f"{len(rows)} of {len(files)} files, of which {len(watched)} ran a case and failed")
    if shown:
        print(
            f"{len(shown)} of them have a replay; largest {max(row.size for row in shown) / 1024:.0f} KiB; "
            f"slowest {max(row.cpu for row in shown):.1f} s of processor time, median "
            f"{median(row.cpu for row in shown):.1f} s; {len(late)} over {MOST_SECONDS:g} s; "
            f"{len(bad)} that lack something"
        )
    for row in bad:
        print(f"lacks something: {row}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
