"""The rows of a kernel's counters, as its translation hands them out."""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.run.emulator.counter_layout import ROW, rows_at
from grader.run.emulator.ptx.syntax import Instruction


@dataclass
class CounterRows:
    """The rows of a kernel's counters: each instruction, and the basic block that it is in."""

    blocks: int
    rows: list[tuple[Instruction, int]] = field(default_factory=list)

    def begin(self, instruction: Instruction, block: int) -> None:
        """The instructions that follow count in a new row."""
        self.rows.append((instruction, block))

    @property
    def row(self) -> int:
        """Where the current row is."""
        return rows_at(self.blocks) + (len(self.rows) - 1) * ROW.size
