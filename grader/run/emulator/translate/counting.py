"""Where the counters enter the code of a kernel: its basic blocks, its accesses to memory, its branches.

What is counted an access is decided in `native/counting.py`; here is which row of the counters it belongs to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.run.emulator.counter_layout import BLOCK, BLOCK_BYTES, BLOCKS, ROW, ROW_BYTES, rows_at
from grader.run.emulator.layout import CONTEXT
from grader.run.emulator.native.counting import Counted, add_to, count_routine, ones
from grader.run.emulator.native.ir import V
from grader.run.emulator.ptx.syntax import Instruction

if TYPE_CHECKING:
    from grader.run.emulator.translate.emitter import Emitter


@dataclass
class Counting:
    """The rows of a kernel's counters: each instruction, and the basic block that it is in."""

    blocks: int
    rows: list[tuple[Instruction, int]] = field(default_factory=list)

    def begin(self, instruction: Instruction, block: int) -> None:
        """The instructions that follow count in a new row."""
        self.rows.append((instruction, block))

    @property
    def row(self) -> int:
        """Where the current row is."""
        return rows_at(self.blocks) + (len(self.rows) - 1) * ROW_BYTES


def count_block(e: Emitter, block: int) -> None:
    """Counts that the active lanes execute a basic block."""
    if e.counting is None:
        return
    buffer = e.f.load("ptr", "%ctx", CONTEXT["counters"])
    here = BLOCKS + block * BLOCK_BYTES
    add_to(e.f, buffer, here + BLOCK["executed"], "1")
    add_to(e.f, buffer, here + BLOCK["threads"], ones(e.f, e.active_bits))


def count_access(e: Emitter, role: str, space: str, size: int, address: V, lanes: str | None = None) -> None:
    """Counts a request to shared or global memory, by these lanes or by all that are active."""
    if e.counting is None or space == "local" or "const" in e.instruction.modifiers:
        return
    routine = count_routine(e.f.module, Counted(role, space, size))
    told = ["ptr %ctx", "ptr %warp", str(address), f"i32 {lanes or e.mask_bits}", f"i64 {e.counting.row}"]
    e.f.call(routine, "void", told)


def count_branch(e: Emitter, lanes: str, taken: str) -> None:
    """Counts whether a branch sends some of the lanes one way and some another."""
    if e.counting is None:
        return
    f = e.f
    some = f.let(f"icmp ne i32 {f.let(f'and i32 {taken}, {lanes}')}, 0")
    apart = f.let(f"xor i32 {taken}, -1")
    others = f.let(f"icmp ne i32 {f.let(f'and i32 {lanes}, {apart}')}, 0")
    split = f.let(f"zext i1 {f.let(f'and i1 {some}, {others}')} to i64")
    add_to(f, f.load("ptr", "%ctx", CONTEXT["counters"]), e.counting.row + ROW["divergent"], split)
