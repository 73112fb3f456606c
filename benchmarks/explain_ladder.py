"""What each step of the worked matrix multiplications improves, by the counts of `kgrade explain`.

    python benchmarks/explain_ladder.py

Nothing is timed: the counts are the same on every machine. An arrow marks a count that is at least a tenth better than
in the step that this one was made from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from grader import reporting
from grader.coach.coach import KernelExplanation, explain
from grader.submission import read_submission
from grader.workspace import builtin_folder, cache_folder, find_workspace

SIZES = {"M": 256, "N": 256, "K": 256}
SEED = 1
BETTER = 0.9
MADE_FROM = {"7_three_tf32": "2_tiled"}
"""The step that a file begins at, where it is not the one before."""
THOUSAND = 1000

Value = Callable[[KernelExplanation], float]
COLUMNS: tuple[tuple[str, Value, bool], ...] = (
    ("instr.", lambda kernel: kernel.totals.executed, False),
    ("requests", lambda kernel: kernel.totals.requests, False),
    ("sectors", lambda kernel: kernel.totals.sectors, False),
    ("FLOP/byte", lambda kernel: kernel.totals.intensity or 0.0, True),
    ("shared", lambda kernel: kernel.totals.shared_requests, False),
    ("wavefronts", lambda kernel: kernel.totals.wavefronts, False),
    ("conflicts", lambda kernel: kernel.totals.wavefronts - kernel.totals.ideal_wavefronts, False),
    ("barriers", lambda kernel: kernel.totals.barriers, False),
)
"""A heading, the count, and whether more of it is better."""


def counted(file: Path) -> KernelExplanation:
    problem = find_workspace(None).load("matmul")
    submission = read_submission(file)
    report = reporting.blank(problem, submission, "", SEED, "emulator")
    (kernel,) = explain(problem, submission, report, SIZES, cache_folder()).kernels
    return kernel


def is_better(value: float, before: float, more: bool) -> bool:
    """Whether a count improved; one that was 0 before has nothing to be compared with."""
    return before > 0 and (value * BETTER >= before if more else value <= BETTER * before)


def cells(kernel: KernelExplanation, before: KernelExplanation | None) -> Sequence[str]:
    found = []
    for _, value, more in COLUMNS:
        now = value(kernel)
        mark = "" if before is None or not is_better(now, value(before), more) else ("↑ " if more else "↓ ")
        found.append(f"{mark}{now:,.2f}" if more else f"{mark}{now / THOUSAND:,.0f}")
    return found


def main() -> None:
    files = sorted((builtin_folder("problems") / "matmul" / "submissions" / "accepted").glob("[0-9]_*.cu"))
    sizes = ", ".join(f"{name}={value}" for name, value in SIZES.items())
    table = Table(title=f"matmul, {sizes}: what each step does, in thousands", title_justify="left")
    table.add_column("step", no_wrap=True)
    for heading, _, _ in COLUMNS:
        table.add_column(heading, justify="right", no_wrap=True)
    found: dict[str, KernelExplanation] = {}
    before = ""
    for file in files:
        found[file.stem] = counted(file)
        before = MADE_FROM.get(file.stem, before)
        table.add_row(file.stem, *cells(found[file.stem], found.get(before)))
        before = file.stem
    Console(width=120, highlight=False).print(table)


if __name__ == "__main__":
    main()
