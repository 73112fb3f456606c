"""What each step from a naive to a tensor-core matrix multiplication improves, by the counts of `kgrade explain`.

    python benchmarks/explain_ladder.py

Nothing is timed: the counts are the same on every machine. All steps make the same multiplications, the last ones with
elements of 16 bits. An arrow marks a count that is at least a tenth better than in the step before, a double arrow the
one that the step is there for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from grader import reporting
from grader.coach.coach import KernelExplanation, explain
from grader.coach.lines import Totals
from grader.submission import read_submission
from grader.workspace import builtin_folder, cache_folder, find_workspace

SIZES = {"M": 256, "N": 256, "K": 256}
SEED = 1
BETTER = 0.9
THOUSAND = 1000


@dataclass(frozen=True)
class Count:
    """A count of a kernel, and whether more of it is better. It is shown in thousands, or with `digits` as it is."""

    name: str
    value: Callable[[Totals], float]
    more: bool = False
    digits: int | None = None

    def shown(self, totals: Totals) -> str:
        value = self.value(totals)
        if not value:
            return "0"
        if self.digits is not None:
            return f"{value:,.{self.digits}f}"
        return f"{value / THOUSAND:,.0f}" if value >= 100 * THOUSAND else f"{value / THOUSAND:,.1f}"

    def is_better(self, totals: Totals, before: Totals) -> bool:
        now, then = self.value(totals), self.value(before)
        return then > 0 and (now * BETTER >= then if self.more else now <= BETTER * then)


INSTRUCTIONS = Count("instr.", lambda totals: totals.executed)
WASTE = Count("÷ ideal", lambda totals: totals.sectors / totals.ideal_sectors, digits=2)
SECTORS = Count("sectors", lambda totals: totals.sectors)
WAITED = Count("waited", lambda totals: totals.requests - totals.copies)
INTENSITY = Count("FLOP/byte", lambda totals: totals.intensity or 0.0, more=True, digits=2)
SHARED = Count("shared", lambda totals: totals.shared_requests)
WAVEFRONTS = Count("waves", lambda totals: totals.wavefronts)
CONFLICTS = Count("conflicts", lambda totals: totals.wavefronts - totals.ideal_wavefronts)
BARRIERS = Count("barriers", lambda totals: totals.barriers)
COUNTS = (INSTRUCTIONS, SECTORS, WASTE, WAITED, INTENSITY, SHARED, WAVEFRONTS, CONFLICTS, BARRIERS)

STEPS: dict[str, Sequence[tuple[str, Count | None]]] = {
    "matmul": (
        ("ladder_1_naive", None),
        ("ladder_2_coalesced", WASTE),
        ("ladder_3_shared_tile", SECTORS),
        ("ladder_4_padded", CONFLICTS),
        ("ladder_5_vectorised", SHARED),
        ("ladder_6_register_blocked", WAVEFRONTS),
        ("ladder_7_double_buffered", WAITED),
        ("ladder_8_warp_tiles", WAVEFRONTS),
    ),
    "matmul_fp16": (("ladder_1_wmma", INSTRUCTIONS), ("ladder_2_mma_sync", CONFLICTS)),
}
"""The files of each problem in their order, each with the count that it is there for."""


def counted(problem_name: str, file: Path) -> KernelExplanation:
    problem = find_workspace(None).load(problem_name)
    submission = read_submission(file)
    report = reporting.blank(problem, submission, "", SEED, "emulator")
    (kernel,) = explain(problem, submission, report, SIZES, cache_folder()).kernels
    return kernel


def cells(totals: Totals, before: Totals | None, own: Count | None) -> Sequence[str]:
    found = []
    for count in COUNTS:
        better = before is not None and count.is_better(totals, before)
        arrow = ("⇓ ⇑" if count is own else "↓ ↑").split()[count.more] + " " if better else ""
        found.append(f"{arrow}{count.shown(totals)}")
    return found


def main() -> None:
    accepted = {name: builtin_folder("problems") / name / "submissions" / "accepted" for name in STEPS}
    sizes = ", ".join(f"{name}={value}" for name, value in SIZES.items())
    table = Table(title=f"{sizes}: what each step does, in thousands", title_justify="left")
    table.add_column("step", no_wrap=True)
    for count in COUNTS:
        table.add_column(count.name, justify="right", no_wrap=True)
    before: Totals | None = None
    for problem, steps in STEPS.items():
        for stem, own in steps:
            totals = counted(problem, accepted[problem] / f"{stem}.cu").totals
            label = stem.removeprefix("ladder_") + (", fp16" if problem.endswith("fp16") else "")
            table.add_row(label, *cells(totals, before, own))
            before = totals
        table.add_section()
    Console(width=120, highlight=False).print(table)


if __name__ == "__main__":
    main()
