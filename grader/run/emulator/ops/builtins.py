"""Calls into the device runtime: `printf` (vprintf) and `assert` (__assertfail)."""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import WARP
from grader.run.emulator.native.ir import splat
from grader.run.emulator.native.resolve import report
from grader.run.emulator.ops.common import Row
from grader.run.emulator.ptx.syntax import Group, Instruction, Symbol
from grader.run.emulator.ptx.traits import Flow, Traits
from grader.run.emulator.translate.cfg import callee
from grader.run.emulator.translate.emitter import Emitter
from grader.run.emulator.translate.parameters import read_area, write_area


def _groups(i: Instruction) -> list[list[str]]:
    return [
        [item.name for item in operand.items if isinstance(item, Symbol)]
        for operand in i.operands
        if isinstance(operand, Group)
    ]


def call_runtime(e: Emitter, i: Instruction) -> None:
    """Emits a call of vprintf or __assertfail, as an event."""
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


# Calls of the program's own functions end a basic block: translation.py emits them.
TABLE = {("call", ""): Row(call_runtime, Traits(flow=Flow.CALL, result=False, silent=True))}
