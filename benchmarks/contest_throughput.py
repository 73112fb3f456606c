"""How many submissions of a contest one worker judges in an hour, beside an earlier commit of this repository.

    python benchmarks/contest_throughput.py [--against 48f9865] [--submissions 200]

Both judge the same texts on the emulator, one after the other, in one run: worked matrix products in the kernel form,
right and faulty in turn, each text its own, as those of two hundred students are. Run it on an idle machine. The cases
are open: with hidden ones a right submission is graded twice now, and its verdict comes at a multiple of five seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORKED = ROOT / "problems" / "matmul" / "submissions"
FILES = (
    *("accepted/1_naive.cu", "wrong_answer/rows_and_columns_swapped.cu"),
    *("accepted/2_tiled.cu", "runtime_error/missing_bounds_check.cu"),
    *("accepted/3_wide_tiles.cu", "runtime_error/missing_barrier_after_use.cu"),
)

JUDGE = """
import json, sys, time
from collections import Counter
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
else:
    from grader.workspace import Workspace

texts, folder = json.load(sys.stdin), Path(sys.argv[1])
known = {"contest": "c", "problem": "matmul", "account": "ada", "hidden_seed": None, "grading_seconds": 300.0}
known |= {"run_id": None, "sizes": None}
judge = MachineJudge(Workspace(folder), "emulator")

def judged(number, name, text):
    given = {**known, "submission_id": number, "file": name, "text": text}
    return judge(Job(**{field.name: given.get(field.name, 0) for field in fields(Job)}), lambda step: None).verdict

judged(0, "warm.cu", texts[0][1] + "// warm\\n")
began = time.monotonic()
found = Counter(judged(number, *pair) for number, pair in enumerate(texts, start=1))
print(json.dumps({"seconds": time.monotonic() - began, "verdicts": found}))
"""


@dataclass(frozen=True)
class Judged:
    """`seconds` of the wall for all submissions, and how many had each verdict."""

    seconds: float
    verdicts: dict[str, int]


def texts_of(count: int) -> list[tuple[str, str]]:
    """So many submissions: the worked files in turn, each with a line that no other has."""
    read = [(file.name, file.read_text(encoding="utf-8")) for file in (WORKED / name for name in FILES)]
    chosen = (read[number % len(read)] for number in range(count))
    return [(name, f"{text}// submission {number}\n") for number, (name, text) in enumerate(chosen)]


def judge_all(tree: Path, texts: list[tuple[str, str]]) -> Judged:
    """Has the checkout at `tree` judge these texts, with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPATH": str(tree), "KGRADE_CACHE": cache}
        done = subprocess.run(
            [sys.executable, "-c", JUDGE, str(tree)],
            input=json.dumps(texts),
            env=environment,
            cwd=tree,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return Judged(**json.loads(done.stdout))


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """A checkout of an earlier commit, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), commit], check=True)
        try:
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", default="48f9865", metavar="COMMIT")
    parser.add_argument("--submissions", type=int, default=200)
    chosen = parser.parse_args()
    texts = texts_of(chosen.submissions)
    with checked_out(chosen.against) as earlier:
        rows = {"this one": judge_all(ROOT, texts), chosen.against: judge_all(earlier, texts)}
    for name, row in rows.items():
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(row.verdicts.items()))
        print(f"{name:10} {row.seconds:7.1f} s {3600 * len(texts) / row.seconds:7.0f} an hour   {verdicts}")
    now, before = rows.values()
    print(f"{before.seconds / now.seconds:.2f} times as many")


if __name__ == "__main__":
    main()
