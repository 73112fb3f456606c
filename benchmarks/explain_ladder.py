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

from grader.coach.coach import KernelExplanation, explain
from grader.core.paths import cache_folder
from grader.judge import reporting
from grader.languages.registry import read_submission
from grader.sandbox import Sandbox
from grader.store.workspace import builtin_folder, find_workspace

SIZES = {"M": 256, "N": 256, "K": 256}
SEED = 1
BETTER = 0.9
THOUSAND = 1000


@dataclass(frozen=True)
class Count:
    """A count of a kernel, and whether more of it is better. It is shown in thousands, or with `digits` as it is."""

    name: str
    value: Callable[[KernelExplanation], float]
    more: bool = False
    digits: int | None = None

    def shown(self, kernel: KernelExplanation) -> str:
        value = self.value(kernel)
        if not value:
            return "0"
        if self.digits is not None:
            return f"{value:,.{self.digits}f}"
        return f"{value / THOUSAND:,.0f}" if value >= 100 * THOUSAND else f"{value / THOUSAND:,.1f}"

    def is_better(self, kernel: KernelExplanation, before: KernelExplanation) -> bool:
        now, then = self.value(kernel), self.value(before)
        return then > 0 and (now * BETTER >= then if self.more else now <= BETTER * then)


def loads(kernel: KernelExplanation) -> int:
    """Requests that read global memory into registers."""
    rows = (row for line in kernel.lines for row in line.rows)
    return sum(row.requests for row in rows if row.opcode == "ld" or (row.opcode == "wmma" and "load" in row.modifiers))


def conflicts(kernel: KernelExplanation) -> int:
    return kernel.totals.wavefronts - kernel.totals.ideal_wavefronts


INSTRUCTIONS = Count("instr.", lambda kernel: kernel.totals.executed)
SECTORS = Count("sectors", lambda kernel: kernel.totals.sectors)
WASTE = Count("÷ ideal", lambda kernel: kernel.totals.sectors / kernel.totals.ideal_sectors, digits=2)
LOADS = Count("loads", loads)
INTENSITY = Count("FLOP/byte", lambda kernel: kernel.totals.intensity or 0.0, more=True, digits=2)
SHARED = Count("shared", lambda kernel: kernel.totals.shared_requests)
WAVEFRONTS = Count("waves", lambda kernel: kernel.totals.wavefronts)
CONFLICTS = Count("conflicts", conflicts)
BARRIERS = Count("barriers", lambda kernel: kernel.totals.barriers)
COUNTS = (INSTRUCTIONS, SECTORS, WASTE, LOADS, INTENSITY, SHARED, WAVEFRONTS, CONFLICTS, BARRIERS)

STEPS: dict[str, Sequence[tuple[str, Count | None]]] = {
    "matmul": (
        ("ladder_1_naive", None),
        ("ladder_2_coalesced", WASTE),
        ("ladder_3_shared_tile", SECTORS),
        ("ladder_4_padded", CONFLICTS),
        ("ladder_5_vectorised", SHARED),
        ("ladder_6_register_blocked", WAVEFRONTS),
        ("ladder_7_double_buffered", LOADS),
        ("ladder_8_warp_tiles", WAVEFRONTS),
    ),
    "matmul_fp16": (("ladder_1_wmma", INSTRUCTIONS), ("ladder_2_mma_sync", CONFLICTS)),
}
"""The files of each problem in their order, each with the count that it is there for."""


def counted(problem_name: str, file: Path) -> KernelExplanation:
    """The kernel that multiplies; one that only adds up what several blocks have is left out."""
    problem = find_workspace(None).load(problem_name)
    submission = read_submission(file)
    report = reporting.blank_report(problem, submission, "", SEED, "emulator", Sandbox.find())
    kernels = explain(problem, submission, report, SIZES, cache_folder()).kernels
    return max(kernels, key=lambda kernel: kernel.totals.executed)


def cells(kernel: KernelExplanation, before: KernelExplanation | None, own: Count | None) -> Sequence[str]:
    found = []
    for count in COUNTS:
        better = before is not None and count.is_better(kernel, before)
        arrow = ("⇓ ⇑" if count is own else "↓ ↑").split()[count.more] + " " if better else ""
        found.append(f"{arrow}{count.shown(kernel)}")
    return found


def main() -> None:
    accepted = {name: builtin_folder("problems") / name / "submissions" / "accepted" for name in STEPS}
    sizes = ", ".join(f"{name}={value}" for name, value in SIZES.items())
    table = Table(title=f"{sizes}: what each step does, in thousands", title_justify="left")
    table.add_column("step", no_wrap=True)
    for count in COUNTS:
        table.add_column(count.name, justify="right", no_wrap=True)
    before: KernelExplanation | None = None
    for problem, steps in STEPS.items():
        for stem, own in steps:
            kernel = counted(problem, accepted[problem] / f"{stem}.cu")
            label = stem.removeprefix("ladder_") + (", fp16" if problem.endswith("fp16") else "")
            table.add_row(label, *cells(kernel, before, own))
            before = kernel
        table.add_section()
    Console(width=120, highlight=False).print(table)


if __name__ == "__main__":
    main()
