"""Measures how well the times of separate `kgrade submit` runs agree, and how long a run takes, on this machine's GPU.

    python benchmarks/submit_repeatability.py --repeats 20

A workspace of its own gets a problem whose benchmark sizes take kernels of about 300, 10 and 2 µs, and one of saxpy's
kind with 1,000 elements. Each run is a process of its own. Spread is max / min - 1 over the runs.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
BENCHMARKS = re.compile(r"    benchmarks=\[.*?\],\n(?=\))", re.DOTALL)
SIZES = {
    "matmul": (
        "accepted/2_tiled.cu",
        "[dict(M=1024, N=1024, K=1024), dict(M=256, N=256, K=256), dict(M=33, N=32, K=33)]",
    ),
    "zip": ("accepted/1_simple.cu", "[dict(N=1_000), dict(N=300_000)]"),
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--repeats", type=int, default=20)
    arguments.add_argument("--parts", nargs="+", choices=[*SIZES, "wall"], default=[*SIZES, "wall"])
    given = arguments.parse_args()
    show_spreads([part for part in given.parts if part in SIZES], given.repeats)
    if "wall" in given.parts:
        show_walls()


def show_spreads(problems: list[str], repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        (workspace / "submissions").mkdir()
        for problem, (_, sizes) in SIZES.items():
            shutil.copytree(REPOSITORY / "problems" / problem, workspace / "problems" / problem)
            definition = workspace / "problems" / problem / "problem.py"
            definition.write_text(BENCHMARKS.sub(f"    benchmarks={sizes},\n", definition.read_text()))
        for problem in problems:
            file, _ = SIZES[problem]
            print(f"{problem} {file}")
            show(workspace, problem, str(REPOSITORY / "problems" / problem / "submissions" / file), repeats)


def show_walls() -> None:
    print("matmul as it is, wall time of kgrade submit matmul")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(REPOSITORY / "problems", Path(folder) / "problems")
        (Path(folder) / "submissions").mkdir()
        for name in ("2_tiled", "6_vectorised"):
            file = str(REPOSITORY / "problems" / "matmul" / "submissions" / "accepted" / f"{name}.cu")
            submit(Path(folder), "matmul", file)
            walls = sorted(submit(Path(folder), "matmul", file)[1] for _ in range(5))
            print(f"  {name}: median {walls[2]:.2f} s, {walls[0]:.2f} to {walls[-1]:.2f} s")


def show(workspace: Path, problem: str, file: str, repeats: int) -> None:
    """Runs them and prints a line a size."""
    submit(workspace, problem, file)
    times: dict[str, list[float]] = defaultdict(list)
    nulls = []
    for _ in range(repeats):
        report, _ = submit(workspace, problem, file)
        nulls.append(report["measurement"]["null_ratio"]["value"])
        for size in report["measurement"]["sizes"]:
            times[str(size["sizes"])].append(size["time"]["value"])
    for sizes, values in times.items():
        spread = max(values) / min(values) - 1
        print(f"  {sizes}: {min(values) * 1e6:.3f} to {max(values) * 1e6:.3f} µs, spread {spread:.3%}")
    print(f"  baseline against itself: {min(nulls):.4f} to {max(nulls):.4f}")


def submit(workspace: Path, problem: str, file: str) -> tuple[dict, float]:
    """One run: its report and its wall time in seconds."""
    command = [sys.executable, "-m", "grader", "--workspace", str(workspace), "submit", problem, file, "--json"]
    began = time.perf_counter()
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    wall = time.perf_counter() - began
    report = json.loads(done.stdout)
    if report["verdict"] != "accepted" or report["measurement"] is None:
        sys.exit(f"{file}: {report['verdict']}: {report['headline']} {report['diagnostics']}")
    return report, wall


main()
