"""Brings together the lanes that a `.sync` operation names: the preamble of the blocks that such operations open.

A lane that arrives early is parked at the block; the last to arrive runs the operation for all (PTX ISA, "membermask").
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import WARP
from grader.run.emulator.native.ir import LANES, IrFunction, V, lanes, splat
from grader.run.emulator.native.resolve import report
from grader.run.emulator.ptx.syntax import Immediate, Instruction, Operand
from grader.run.emulator.ptx.types import B32
from grader.run.emulator.translate.cfg import is_matrix, is_warp_barrier
from grader.run.emulator.translate.dispatch import Dispatcher
from grader.run.emulator.translate.emitter import Emitter

_LANE_BITS = lanes("i32", [1 << lane if lane < LANES - 1 else -(1 << lane) for lane in range(LANES)])


def member_mask(instruction: Instruction) -> Operand:
    """Returns the operand that names the participating lanes."""
    if is_matrix(instruction):
        return Immediate(-1)
    return instruction.operands[0 if is_warp_barrier(instruction) else -1]


def check_whole_warp(emitter: Emitter, instruction: Instruction, together: str) -> None:
    """Reports a matrix instruction in an incomplete warp, where it is undefined."""
    f = emitter.f
    complete = f.let(f"icmp eq i32 {together}, -1")
    report(f, layout.EVENT_WARP, str(emitter.site()), f.let(f"select i1 {complete}, i32 0, i32 {together}"))


def lane_value(f: IrFunction, vector: V, lane: str) -> str:
    """Returns the value of one lane of a vector, as a scalar."""
    return f.let(f"extractelement {vector}, i32 {lane}")


def gather_lanes(emitter: Emitter, dispatcher: Dispatcher, instruction: Instruction, here: int) -> str:
    """Emits the preamble; returns the lanes that execute the operation, in the block that follows."""
    f = emitter.f
    operand = member_mask(instruction)
    current = dispatcher.active()
    alive = f.load("i32", "%warp", WARP["alive"])
    quick, careful, proceed, together = (f.name_block(n) for n in ("quick", "careful", "proceed", "together"))
    if isinstance(operand, Immediate) and operand.value & 0xFFFFFFFF == 0xFFFFFFFF:
        f.branch(f.let(f"icmp eq i32 {current}, {alive}"), quick, careful)
    else:
        f.goto(careful)
    f.block(careful)
    members = emitter.read(operand, B32)
    leader = f.intrinsic("llvm.cttz.i32", "i32", [f"i32 {current}", "i1 true"])
    wanted = lane_value(f, members, leader)
    needed = f.let(f"and i32 {wanted}, {alive}")
    counters = f.load_lanes("i32", "%warp", WARP["pc"])
    at_this = f.bits(f.compare("icmp eq", counters, V("i32", f"splat (i32 {here})")))
    parked = f.load("i32", "%warp", WARP["parked"])
    waiting = f.let(f"and i32 {parked}, {at_this}")
    joined = f.let(f"or i32 {current}, {waiting}")
    if emitter.checks is not None:
        named = f.compare("icmp ne", f.op("and", members, _LANE_BITS), splat("i32", 0))
        outside = f.let(f"and i32 {current}, {f.let(f'xor i32 {f.bits(named)}, -1')}")
        report(f, layout.EVENT_MASK, str(emitter.sites.add(instruction)), outside)
    same_mask = f.bits(f.compare("icmp eq", members, f.spread("i32", wanted)))
    group = f.let(f"and i32 {joined}, {same_mask}")
    missing = f.let(f"and i32 {needed}, {f.let(f'xor i32 {group}, -1')}")
    others = f.let(f"and i32 {current}, {f.let(f'xor i32 {group}, -1')}")
    ready = f.load("i32", "%warp", WARP["ready"])
    wait = f.name_block("wait")
    f.branch(f.let(f"icmp eq i32 {missing}, 0"), together, wait)

    f.block(wait)
    mine = f.let(f"and i32 {current}, {group}")
    f.store("i32", f.let(f"or i32 {parked}, {mine}"), "%warp", WARP["parked"])
    f.store("i32", f.let(f"and i32 {ready}, {f.let(f'xor i32 {mine}, -1')}"), "%warp", WARP["ready"])
    dispatcher.park(current, here)

    f.block(together)
    f.store("i32", f.let(f"and i32 {parked}, {f.let(f'xor i32 {group}, -1')}"), "%warp", WARP["parked"])
    now_ready = f.let(f"or i32 {ready}, {group}")
    f.store("i32", now_ready, "%warp", WARP["ready"])
    # Lanes with another mask stay at this operation and are scheduled for it separately.
    dispatcher.set_counters(others, f.spread("i32", str(here)))
    f.store("i32", f.let(f"and i32 {now_ready}, {f.let(f'xor i32 {group}, -1')}"), dispatcher.others)
    f.goto(proceed)
    if isinstance(operand, Immediate) and operand.value & 0xFFFFFFFF == 0xFFFFFFFF:
        f.block(quick)
        f.goto(proceed)
        f.block(proceed)
        arrived = f.let(f"phi i32 [ {group}, %{together} ], [ {current}, %{quick} ]")
    else:
        f.block(proceed)
        arrived = group
    f.store("i32", arrived, dispatcher.current)
    return arrived
