"""Compares the counts of `kgrade explain` with those that Nsight Compute reads from a GPU's counters.

    python benchmarks/ncu_comparison.py --counts counts.json          # ours alone; needs no GPU
    python benchmarks/ncu_comparison.py --ncu [--counts counts.json]  # measures, and prints both as Markdown

Each file is run once at one small size, with the same inputs on both sides. Nothing is timed, and the GPU's clocks are
left as they are.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ncu_run import find_ncu, measure, version_of
from ncu_table import Pair, counts_of, markdown, of_kernel, paired

from grader.coach.counting import count
from grader.core.paths import cache_folder
from grader.core.verdict import Form
from grader.languages.registry import language_of, read_submission
from grader.machine.gpus import find_gpus
from grader.plan.device_table import EMULATED
from grader.plan.planner import HarnessPlanner, RecordingPlanner
from grader.plan.recorder import LibraryRecorder
from grader.problem import Problem, load_problem
from grader.problem.cases import Case, case_seed
from grader.problem.inputs import families
from grader.sandbox import Sandbox

REPOSITORY = Path(__file__).resolve().parent.parent
SEED = 1


@dataclass(frozen=True)
class Subject:
    """One file at one size."""

    problem: str
    file: str
    sizes: Mapping[str, int]

    @property
    def path(self) -> Path:
        own = REPOSITORY / "benchmarks" / "kernels" / self.file
        return own if own.exists() else self._problem / "submissions" / "accepted" / self.file

    @property
    def _problem(self) -> Path:
        return REPOSITORY / "problems" / self.problem

    def load(self) -> Problem:
        return load_problem(self._problem)

    @property
    def name(self) -> str:
        return f"{self.problem}/{Path(self.file).stem}"


SUBJECTS = (
    Subject("map", "access_patterns.cu", {"N": 16384}),
    Subject("map", "3_vectorised.cu", {"N": 20001}),
    Subject("zip", "1_simple.cu", {"N": 10007}),
    Subject("transpose", "1_naive.cu", {"M": 96, "N": 160}),
    Subject("transpose", "tiled.cu", {"M": 96, "N": 160}),
    Subject("transpose", "2_padded.cu", {"M": 96, "N": 160}),
    Subject("transpose", "solve_plain.cu", {"M": 97, "N": 161}),
    Subject("transpose", "solve_copy_of_vectors.cu", {"M": 96, "N": 160}),
    Subject("gemv", "1_thread_a_row.cu", {"M": 256, "N": 96}),
    Subject("gemv", "2_warp_a_row.cu", {"M": 256, "N": 96}),
    Subject("matmul", "1_naive.cu", {"M": 64, "N": 64, "K": 64}),
    Subject("matmul", "2_tiled.cu", {"M": 64, "N": 64, "K": 64}),
    Subject("matmul", "6_vectorised.cu", {"M": 128, "N": 64, "K": 128}),
    Subject("matmul", "ladder_6_register_blocked.cu", {"M": 128, "N": 64, "K": 128}),
    Subject("reduce", "solve_two_kernels.cu", {"N": 20000}),
    Subject("softmax", "2_shared_trees.cu", {"M": 24, "N": 300}),
    Subject("prefix_sum", "2_doubling_steps.cu", {"M": 24, "N": 300}),
    Subject("stencil_2d", "solve_2_shared_halo.cu", {"H": 70, "W": 100}),
    Subject("convolution_1d", "3_shared_halo.cu", {"N": 5000, "K": 31}),
    Subject("spmv_csr", "1_thread_a_row.cu", {"M": 200, "N": 150, "NNZ": 3000}),
)
"""Coalesced, strided, unaligned, broadcast and 16 bytes wide; shared with conflicts of 1, 2, 8 and 32 ways and 16 bytes
wide; sums without atomics; branches that split warps. The first file has most of them, each in a kernel of its own."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", type=Path, metavar="FILE.json", help="writes our counts; with --ncu reads them")
    parser.add_argument("--ncu", action="store_true", help="measures with ncu and compares")
    parser.add_argument("--only", default="", metavar="TEXT", help="only files whose problem/name contains this")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="so many files at once; ncu itself takes turns"
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keeps what ncu says of each file")
    given = parser.parse_args()
    chosen = [subject for subject in SUBJECTS if given.only in subject.name]
    if given.ncu:
        compare(chosen, json.loads(given.counts.read_text()) if given.counts else {}, given.keep, given.jobs)
    elif given.counts:
        given.counts.write_text(json.dumps({one.name: counted(one) for one in chosen}, indent=1) + "\n")
    else:
        parser.error("choose --counts FILE.json, --ncu, or both")


def compare(chosen: Sequence[Subject], known: Mapping[str, Any], keep: Path | None, jobs: int) -> None:
    """Prints every count of every kernel, and says of the files that could not be compared why."""
    ncu, gpus = find_ncu(), find_gpus()
    if not gpus:
        sys.exit("there is no NVIDIA GPU here; --counts FILE.json needs none")
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)

    def both(subject: Subject) -> tuple[dict[str, Any], dict[str, dict[str, int]]]:
        problem = subject.load()
        asked = {"sizes": dict(subject.sizes), **inputs_of(problem)}
        log = None if keep is None else keep / f"{subject.name.replace('/', '-')}.txt"
        here = known.get(subject.name) or counted(subject)
        return here, measure(problem, subject.path, asked, ncu, gpus[0], log)

    with ThreadPoolExecutor(jobs) as pool:
        found = [(subject, pool.submit(both, subject)) for subject in chosen]
        pairs, kernels, failed = collected(found)
    if pairs:
        print(f"{gpus[0].name}, Nsight Compute {version_of(ncu)}: {kernels} kernels\n\n{markdown(pairs)}")
    if failed:
        sys.exit(f"{failed} files or kernels could not be compared")


def collected(
    found: Sequence[tuple[Subject, Future[tuple[dict[str, Any], dict[str, dict[str, int]]]]]],
) -> tuple[list[Pair], int, int]:
    """The counts of both sides, how many kernels they are of, and how many files or kernels could not be compared."""
    pairs: list[Pair] = []
    kernels = failed = 0
    for subject, answer in found:
        try:
            here, measured = answer.result()
        except Exception as error:
            failed += 1
            say(f"{subject.name}: {type(error).__name__}: {error}")
            continue
        for symbol, own in here.items():
            label = f"{subject.name}: {own['kernel']}{arguments(symbol)}"
            theirs = of_kernel(measured, symbol, own["kernel"])
            if theirs is None:
                failed += 1
                say(f"{label}: ncu tells of {', '.join(measured)}, and not of {symbol}")
                continue
            kernels += 1
            pairs += paired(label, own["counts"], theirs)
        say(f"{subject.name}: compared")
    return pairs, kernels, failed


def counted(subject: Subject) -> dict[str, Any]:
    """Our counts by the symbol of each kernel, of all its launches."""
    problem, cache = subject.load(), cache_folder()
    submission = read_submission(subject.path)
    sandbox = Sandbox.find()
    program = language_of(submission).compile(problem, submission, cache, None, sandbox)
    planner = (
        HarnessPlanner(problem, program.constants)
        if program.form is Form.KERNEL
        else RecordingPlanner(problem, LibraryRecorder(program, sandbox, cache), lambda: EMULATED)
    )
    found: dict[str, Any] = {}
    case = Case(dict(subject.sizes), **inputs_of(problem))
    for kernel in count(problem, program, planner, case, sandbox, cache):
        own = found.setdefault(kernel.symbol, {"kernel": kernel.name, "counts": {}})
        for name, value in counts_of(kernel.counts.rows).items():
            own["counts"][name] = own["counts"].get(name, 0) + value
    return found


def inputs_of(problem: Problem) -> dict[str, Any]:
    """The inputs' family and seed: those of `kgrade explain --seed 1`."""
    return {"family": families(problem)[0], "seed": case_seed(SEED, 0)}


def arguments(symbol: str) -> str:
    """A template's arguments that are ints or vectors, in C++'s words: of one template they tell the kernels apart."""
    found = re.findall(r"I6(float\d)|Li(\d+)E", symbol)
    return f"<{', '.join(vector or number for vector, number in found)}>" if found else ""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
