"""How many submissions of a contest one worker judges in an hour, beside an earlier commit of this repository.

    python benchmarks/contest_throughput.py [--against 48f9865] [--submissions 200] [--own-launches]

Both judge the same texts on the emulator in one run, in turns: submission by submission, each goes first every other
time. The texts are as a class hands them in: six problems, right and faulty kernels, files that do not compile, and
each under a heading of its own length, so that its lines, and with them its PTX, are nobody else's. `--own-launches`
mixes in files with a solve() of their own, one in ten. `--against` is a commit or the folder of a checkout.

Wall time wants an idle machine; processor time is that of all processes of a judge, and does not. The cases are open:
with hidden ones a right submission is graded twice now, and its verdict comes at a multiple of five seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from processor_time import ProcessorClock

ROOT = Path(__file__).parents[1]
FILES = {
    "map": (
        *("accepted/1_simple.cu", "wrong_answer/last_element_missing.cu", "compile_error/syntax_error.cu"),
        *("accepted/3_vectorised.cu", "runtime_error/missing_bounds_check.cu", "accepted/2_grid_stride.cu"),
    ),
    "zip": ("accepted/1_simple.cu", "compile_error/wrong_parameters.cu", "accepted/idle_threads.cu"),
    "transpose": (
        *("accepted/1_naive.cu", "wrong_answer/one_guard_for_both.cu", "accepted/tiled.cu"),
        *("runtime_error/missing_barrier.cu", "compile_error/array_as_matrix.cu", "wrong_answer/plain_copy.cu"),
    ),
    "reduce": (
        *("accepted/1_atomic.cu", "runtime_error/missing_barrier_in_tree.cu", "accepted/2_shared_tree.cu"),
        *("wrong_answer/more_elements_than_threads.cu", "compile_error/undeclared_name.cu"),
        "accepted/3_warp_shuffle.cu",
    ),
    "matmul": (
        *("accepted/1_naive.cu", "wrong_answer/rows_and_columns_swapped.cu", "accepted/2_tiled.cu"),
        *("runtime_error/missing_bounds_check.cu", "compile_error/syntax_error.cu", "accepted/3_wide_tiles.cu"),
        *("runtime_error/missing_barrier_after_use.cu", "time_limit_exceeded/step_forgotten.cu"),
    ),
    "softmax": (
        *("accepted/1_one_thread_a_row.cu", "wrong_answer/largest_not_subtracted.cu", "accepted/2_shared_trees.cu"),
        *("runtime_error/barrier_between_the_trees_forgotten.cu", "compile_error/shared_size_from_a_parameter.cu"),
    ),
}
OWN_LAUNCHES = {
    "map": ("accepted/solve_plain.cu", "wrong_answer/solve_launch_forgotten.cu"),
    "matmul": ("accepted/solve_naive.cu", "wrong_answer/solve_grid_swapped.cu"),
}
MOST_LINES = 40
"""Lines of a heading: submissions of one file have different ones up to as many."""

JUDGE = """
import json, os, sys
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path

from grader.contest.jobs import Job
from grader.contest.judging import MachineJudge

if find_spec("grader.store.workspace"):
    from grader.run.templates import use_templates
    from grader.sandbox import Sandbox
    from grader.store.workspace import Workspace

    use_templates(Sandbox.find())
    if find_spec("grader.core.memory"):
        from grader.core.memory import keep_freed_memory

        keep_freed_memory()
else:
    from grader.workspace import Workspace

known = {"contest": "c", "account": "ada", "hidden_seed": None, "grading_seconds": 300.0, "run_id": None, "sizes": None}
known |= {"groups": (), "model_time": None, "model_scores": False}
judge = MachineJudge(Workspace(Path(sys.argv[1])), "emulator")
for line in sys.stdin:
    given = {**known, **json.loads(line)}
    job = Job(**{field.name: given.get(field.name, 0) for field in fields(Job)})
    print(judge(job, lambda step: None).verdict, flush=True)
"""


class Text(NamedTuple):
    """One submission: its problem, its file's name and what is in it."""

    problem: str
    file: str
    text: str


@dataclass
class Judge:
    """A checkout's judge, and the seconds its submissions took: of the wall, and of processors by verdict."""

    name: str
    process: subprocess.Popen[str]
    wall: float = 0.0
    processor: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @property
    def seconds(self) -> float:
        """Processor time of all."""
        return sum(map(sum, self.processor.values()))

    def judge(self, number: int, given: Text) -> str:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps({**given._asdict(), "submission_id": number}) + "\n")
        self.process.stdin.flush()
        verdict = self.process.stdout.readline().strip()
        if not verdict:
            raise SystemExit(f"the judge of {self.name} ended at {given.problem}/{given.file}")
        return verdict


def texts_of(count: int, own_launches: bool) -> list[Text]:
    """So many submissions, in an order that is always the same: each problem's files in turn."""
    lines = cycle(range(1, MOST_LINES + 1))
    turns = {problem: cycle(files) for problem, files in FILES.items()}
    solving = {problem: cycle(files) for problem, files in OWN_LAUNCHES.items()}
    texts = []
    for number, problem in zip(range(count), cycle(FILES), strict=False):
        rare = own_launches and number % 10 == 9
        name, files = (problem, turns) if not rare else (list(OWN_LAUNCHES)[number // 10 % len(OWN_LAUNCHES)], solving)
        file = ROOT / "problems" / name / "submissions" / next(files[name])
        heading = f"// Submission {number}.\n" * next(lines)
        texts.append(Text(name, file.name, heading + file.read_text(encoding="utf-8")))
    random.Random(1).shuffle(texts)
    return texts


@contextmanager
def judge_of(name: str, tree: Path) -> Iterator[Judge]:
    """The judge of the checkout at `tree`, with a cache of its own and warm: it has judged one submission."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPATH": str(tree), "KGRADE_CACHE": cache}
        command = [sys.executable, "-c", JUDGE, str(tree)]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=tree, text=True
        )
        with process:
            judge = Judge(name, process)
            worked = ROOT / "problems" / "matmul" / "submissions" / "accepted" / "4_double_buffered.cu"
            judge.judge(0, Text("matmul", worked.name, worked.read_text(encoding="utf-8")))
            yield judge


def take_turns(judges: list[Judge], texts: list[Text], clock: ProcessorClock) -> None:
    for number, text in enumerate(texts, start=1):
        for judge in judges if number % 2 else reversed(judges):
            began, busy = time.monotonic(), clock()
            verdict = judge.judge(number, text)
            judge.wall += time.monotonic() - began
            judge.processor[verdict].append(clock() - busy)


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """A checkout of an earlier commit, for as long as it is needed; a folder is one already."""
    if Path(commit).is_dir():
        yield Path(commit).absolute()
        return
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), commit], check=True)
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def main() -> None:
    clock = ProcessorClock()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", default="48f9865", metavar="COMMIT")
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--own-launches", action="store_true")
    chosen = parser.parse_args()
    texts = texts_of(chosen.submissions, chosen.own_launches)
    with (
        checked_out(chosen.against) as earlier,
        judge_of("this one", ROOT) as now,
        judge_of(Path(chosen.against).name, earlier) as before,
    ):
        take_turns([now, before], texts, clock)
        for judge in (now, before):
            print(
                f"{judge.name:14} {judge.wall:7.1f} s {3600 * len(texts) / judge.wall:6.0f} an hour, "
                f"processor {judge.seconds / len(texts):.2f} s each"
            )
            for verdict, seconds in sorted(judge.processor.items()):
                print(f"    {len(seconds):4} {verdict:20} {sum(seconds) / len(seconds):.2f} s each")
        print(
            f"{before.wall / now.wall:.2f} times as many by wall time, "
            f"{before.seconds / now.seconds:.2f} by processor time"
        )
        for judge in (now, before):
            assert judge.process.stdin is not None
            judge.process.stdin.close()


if __name__ == "__main__":
    main()
