"""Barriers of a block: `bar.sync`, `bar.arrive`, `bar.red` and their `barrier` spellings, named barriers included."""

from __future__ import annotations

from collections.abc import Callable

from grader.run.emulator import layout
from grader.run.emulator.layout import BARRIER
from grader.run.emulator.native.ir import splat
from grader.run.emulator.native.skipped_barriers import record_arrival_routine
from grader.run.emulator.native.threads import arrive_routine, barrier_pointer
from grader.run.emulator.ptx.syntax import Immediate, Instruction, Operand
from grader.run.emulator.ptx.types import B32, PRED
from grader.run.emulator.translate.convergence import lane_value
from grader.run.emulator.translate.dispatch import Dispatcher
from grader.run.emulator.translate.emitter import Emitter
from grader.run.emulator.translate.skips import Skips, is_full_barrier

_RESULTS = {"popc": "r_count", "and": "r_all", "or": "r_any"}


def _parts(instruction: Instruction) -> tuple[list[Operand], Operand | None]:
    """Returns ([barrier, thread count?], predicate) of a barrier instruction, without its destination."""
    operands = list(instruction.operands)
    if "red" not in instruction.modifiers:
        return operands, None
    return operands[1:-1], operands[-1]


def emit_barrier(
    emitter: Emitter,
    dispatcher: Dispatcher,
    instruction: Instruction,
    here: int,
    lanes_left: Callable[[], str],
    skips: Skips,
) -> None:
    """Ends a block with a barrier.

    Lanes with the same barrier number arrive together; the others return for theirs.
    """
    f = emitter.f
    if not {"sync", "arrive", "red"} & set(instruction.modifiers):
        raise emitter.unsupported()
    where, condition = _parts(instruction)
    numbers = emitter.read(where[0], B32) if where else splat("i32", 0)
    counts = emitter.read(where[1], B32) if len(where) > 1 else splat("i32", 0)
    holds = f.bits(emitter.read(condition, PRED)) if condition is not None else "0"
    emitter.flush()
    lanes = lanes_left()
    known = not where or (isinstance(where[0], Immediate) and 0 <= where[0].value < layout.BARRIERS)
    if known:
        number, group = str(where[0].value) if where and isinstance(where[0], Immediate) else "0", lanes
    else:
        leader = f.intrinsic("llvm.cttz.i32", "i32", [f"i32 {lanes}", "i1 true"])
        number = f.let(f"and i32 {lane_value(f, numbers, leader)}, {layout.BARRIERS - 1}")
        same = f.bits(f.compare("icmp eq", numbers, f.spread("i32", lane_value(f, numbers, leader))))
        group = f.let(f"and i32 {lanes}, {same}")
        dispatcher.set_counters(lanes, splat("i32", here))
    dispatcher.set_counters(group, splat("i32", here + 1))
    if isinstance(where[1] if len(where) > 1 else Immediate(0), Immediate):
        count = str(where[1].value) if len(where) > 1 and isinstance(where[1], Immediate) else "0"
    else:
        first = f.intrinsic("llvm.cttz.i32", "i32", [f"i32 {group}", "i1 true"])
        count = lane_value(f, counts, first)
    waits = 0 if "arrive" in instruction.modifiers else 1
    if skips.edges and is_full_barrier(instruction):
        inputs = [f"i32 {group}", f"ptr {barrier_pointer(f, number)}", f"i64 {skips.barriers.get(here, 0)}"]
        f.call(record_arrival_routine(f.module), "void", ["ptr %ctx", "ptr %warp", *inputs])
    arguments = [f"i32 {value}" for value in (group, number, count, holds, waits)]
    f.call(arrive_routine(f.module), "void", ["ptr %ctx", "ptr %warp", *arguments])
    dispatcher.schedule()


def read_barrier_result(emitter: Emitter, instruction: Instruction) -> None:
    """Reads the result of a `bar.red`, in the block after it."""
    f = emitter.f
    where, _ = _parts(instruction)
    operation = next(m for m in instruction.modifiers if m in _RESULTS)
    number = where[0]
    if not isinstance(number, Immediate) or not 0 <= number.value < layout.BARRIERS:
        raise emitter.unsupported(f"a bar.red whose barrier is not a constant below {layout.BARRIERS}")
    value = f.load("i32", barrier_pointer(f, str(number.value)), BARRIER[_RESULTS[operation]])
    vector = f.spread("i32", value)
    if operation == "popc":
        emitter.write(instruction.operands[0], vector)
    else:
        emitter.write(instruction.operands[0], f.compare("icmp ne", vector, splat("i32", 0)))
