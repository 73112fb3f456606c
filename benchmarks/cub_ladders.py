"""The worked steps of sorting, scanning and adding up beside CUB, and the share of the measured bandwidth they reach.

    python benchmarks/cub_ladders.py [--only PROBLEM] [--files PATTERN]

Each problem's steps and CUB's own algorithm, in the form of a submission (benchmarks/kernels/cub_*.cu), are timed in
turns in one run of `kgrade bench`. Needs a GPU, and nvcc with CUDA's headers for CUB. Bytes are those of the problem's
cost: what has to move at least, so that a sort in four passes can't reach a quarter.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from catalogue_table import FOLDER, sizes_of
from model_time import bench_times

from grader.boards.words import duration
from grader.core.paths import cache_folder
from grader.machine.gpus import Gpu, find_gpus
from grader.problem import load_problem
from grader.run.gpu.ceilings import ceilings

KERNELS = Path(__file__).parent / "kernels"
LADDERS = {
    "radix_sort": ("solve_[2-9]_*.cu", "N=16777216"),
    "exclusive_scan": ("solve_[2-9]_*.cu", "N=50000000"),
    "prefix_sum": ("*[3-9]_*.cu", "M=100,N=1000000"),
    "reduce": ("[2-9]_*.cu", "N=100000000"),
}
"""The steps of each problem, without those that one block or thread makes alone, and the size."""


def rows_of(problem: str, pattern: str | None, gpu: Gpu) -> Iterator[str]:
    """Lines of the ladder's table: a head, and a line for each step and for CUB."""
    usual, size = LADDERS[problem]
    steps = (FOLDER / problem / "submissions" / "accepted").glob(pattern or usual)
    files = sorted((file.name for file in steps), key=lambda name: name.removeprefix("solve_"))
    library = KERNELS / f"cub_{problem}.cu"
    times = bench_times(problem, [*files, *([str(library)] if library.exists() else [])], ["--size", size])
    reached, _ = ceilings(gpu, cache_folder(), precision=load_problem(FOLDER / problem).precision)
    least = load_problem(FOLDER / problem).cost_of(sizes_of(size)).bytes / reached.bandwidth
    cub = times.get((library.name, size))
    yield f"| {problem}, {size.replace(',', ', ')} | time | × CUB | of {reached.bandwidth / 1e12:.2f} TB/s |"
    yield "|---|---:|---:|---:|"
    for (file, _), seconds in times.items():
        beside = f"{cub / seconds:.3f}" if cub else "–"
        name = "CUB" if file == library.name else f"`{file}`"
        yield f"| {name} | {duration(seconds)} | {beside} | {least / seconds:.1%} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=LADDERS, help="measures this one alone")
    parser.add_argument("--files", metavar="PATTERN", help="these steps alone")
    asked = parser.parse_args()
    gpus = find_gpus()
    if not gpus:
        sys.exit("no NVIDIA GPU was found on this machine; kgrade doctor says what a GPU needs")
    for ladder in LADDERS:
        if asked.only in (None, ladder):
            print("\n".join(rows_of(ladder, asked.files, gpus[0])), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
