"""Places the counters in a kernel's code: at its basic blocks, memory accesses and branches.

`native/counting.py` decides what an access costs; this module decides which row it counts in.
"""

from __future__ import annotations

from grader.run.emulator.counter_layout import BLOCK, BLOCKS, ROW
from grader.run.emulator.layout import CONTEXT
from grader.run.emulator.native.counting import CountedAccess, add_to, count_routine, popcount, trace_step
from grader.run.emulator.native.ir import V
from grader.run.emulator.translate.emitter import Emitter


def count_block(e: Emitter, block: int) -> None:
    """Counts an execution of a basic block by the active lanes."""
    if e.counting is None:
        return
    buffer = e.f.load("ptr", "%ctx", CONTEXT["counters"])
    here = BLOCKS + block * BLOCK.size
    add_to(e.f, buffer, here + BLOCK["executed"], "1")
    add_to(e.f, buffer, here + BLOCK["threads"], popcount(e.f, e.active_bits))
    trace_step(e.f, buffer, block)


def count_access(e: Emitter, role: str, space: str, size: int, address: V, lanes: str | None = None) -> None:
    """Counts a request to memory by `lanes`, or by all active lanes. Of constants and of a thread's own memory there
    are no sectors, only how many different places the lanes ask for."""
    if e.counting is None:
        return
    if space == "local" or "const" in e.instruction.modifiers:
        space = "words"
    routine = count_routine(e.f.module, CountedAccess(role, space, size))
    inputs = ["ptr %ctx", "ptr %warp", str(address), f"i32 {lanes or e.mask_bits}", f"i64 {e.counting.row}"]
    e.f.call(routine, "void", inputs)


def count_branch(e: Emitter, lanes: str, taken: str) -> None:
    """Counts a branch as divergent if it sends some lanes one way and some another."""
    if e.counting is None:
        return
    f = e.f
    some = f.let(f"icmp ne i32 {f.let(f'and i32 {taken}, {lanes}')}, 0")
    apart = f.let(f"xor i32 {taken}, -1")
    others = f.let(f"icmp ne i32 {f.let(f'and i32 {lanes}, {apart}')}, 0")
    split = f.let(f"zext i1 {f.let(f'and i1 {some}, {others}')} to i64")
    add_to(f, f.load("ptr", "%ctx", CONTEXT["counters"]), e.counting.row + ROW["divergent"], split)
