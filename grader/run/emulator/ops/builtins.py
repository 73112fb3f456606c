"""Calls into the device runtime: `printf` (vprintf), `assert` (__assertfail), and memory of the heap."""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.heap import ALIGN
from grader.run.emulator.layout import WARP
from grader.run.emulator.native.ir import splat
from grader.run.emulator.native.resolve import report
from grader.run.emulator.ops.common import Row
from grader.run.emulator.ptx.syntax import Group, Instruction, Symbol
from grader.run.emulator.ptx.traits import Flow, Traits
from grader.run.emulator.translate.cfg import ALIGNED_MALLOC, FREE, callee, is_heap_call
from grader.run.emulator.translate.emitter import Emitter
from grader.run.emulator.translate.parameters import read_area, write_area


def _groups(i: Instruction) -> list[list[str]]:
    return [
        [item.name for item in operand.items if isinstance(item, Symbol)]
        for operand in i.operands
        if isinstance(operand, Group)
    ]


def call_runtime(e: Emitter, i: Instruction) -> None:
    """Emits a call of vprintf, __assertfail or the heap's functions, as an event."""
    if is_heap_call(i):
        _use_heap(e, i)
        return
    name = callee(i)
    arguments = _groups(i)[-1]
    pointers = [read_area(e, e.frame.areas[argument], 0, 64) for argument in arguments[:2]]
    for pointer, place in zip(pointers, ("scratch", "scratch2"), strict=True):
        e.f.store_lanes(pointer, "%warp", WARP[place])
    if name == "vprintf":
        report(e.f, layout.EVENT_PRINTF, str(e.site()), e.mask_bits)
        write_area(e, e.frame.areas[_groups(i)[0][0]], 0, splat("i32", 1))
    else:
        report(e.f, layout.EVENT_ASSERT, str(e.site()), e.mask_bits)


def _use_heap(e: Emitter, i: Instruction) -> None:
    """malloc(size), the same with an alignment after it, or free(address): Python puts the results into `scratch`."""
    f, name = e.f, callee(i)
    *results, arguments = _groups(i)
    f.store_lanes(read_area(e, e.frame.areas[arguments[0]], 0, 64), "%warp", WARP["scratch"])
    align = read_area(e, e.frame.areas[arguments[1]], 0, 64) if name == ALIGNED_MALLOC else splat("i64", ALIGN)
    f.store_lanes(align, "%warp", WARP["scratch2"])
    living = f.let(f"xor i32 {f.load('i32', '%warp', WARP['dead'])}, -1")
    lanes = f.let(f"and i32 {e.mask_bits}, {living}")
    report(f, layout.EVENT_FREE if name == FREE else layout.EVENT_MALLOC, str(e.site()), lanes)
    for (result,) in results:
        write_area(e, e.frame.areas[result], 0, f.load_lanes("i64", "%warp", WARP["scratch"]))


# Calls of the program's own functions end a basic block: translation.py emits them.
TABLE = {("call", ""): Row(call_runtime, Traits(flow=Flow.CALL, result=False, silent=True))}
