"""The rows of a kernel's counters, as its translation allocates them."""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.run.emulator.counter_layout import ROW, rows_at
from grader.run.emulator.ptx.syntax import Instruction


@dataclass
class CounterRows:
    """The rows of a kernel's counters: each instruction, and the number of its basic block."""

    blocks: int
    rows: list[tuple[Instruction, int]] = field(default_factory=list)

    def begin(self, instruction: Instruction, block: int) -> None:
        """Starts a new row, for the accesses that follow."""
        self.rows.append((instruction, block))

    @property
    def row(self) -> int:
        """The byte offset of the current row."""
        return rows_at(self.blocks) + (len(self.rows) - 1) * ROW.size
