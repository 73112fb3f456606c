"""Barrier objects in shared memory (PTX ISA, "mbarrier"). Those of other blocks of a cluster are not supported."""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.native.block_barriers import MOST, SIZE, Operation, barrier_routine, initial_state
from grader.run.emulator.native.ir import V, splat
from grader.run.emulator.native.records import Kind
from grader.run.emulator.ops.common import Row
from grader.run.emulator.ptx.syntax import Instruction, Operand
from grader.run.emulator.ptx.traits import Memory, Traits
from grader.run.emulator.ptx.types import B32, B64
from grader.run.emulator.translate.emitter import Emitter
from grader.run.emulator.translate.sanitizer import check_kind

_USE = Kind(True, True, atomic=True)
_LOOK = Kind(True, False, atomic=True)
_ONE, _ZERO = splat("i64", 1), splat("i64", 0)


def shared_address_of(e: Emitter, operand: Operand) -> V:
    """Returns the shared-space address of an operand, which is generic if the instruction names no space."""
    address = e.address(operand)
    if any(m.startswith("shared") for m in e.instruction.modifiers):
        return address
    return e.f.op("sub", address, splat("i64", layout.SHARED_WINDOW))


def barrier_object(e: Emitter, i: Instruction) -> None:
    """Emits any mbarrier instruction. Raises UnsupportedPtx for other blocks' objects."""
    if "shared::cluster" in i.modifiers:
        raise e.unsupported()
    operations = {
        "init": _init,
        "inval": _invalidate,
        "arrive": _arrive,
        "arrive_drop": _arrive,
        "expect_tx": _bytes_only,
        "complete_tx": _bytes_only,
        "test_wait": _test,
        "try_wait": _test,
        "pending_count": _pending_count,
    }
    operations[i.modifiers[0]](e, i)


def _call(e: Emitter, operation: Operation, address: V, a: V, b: V = _ZERO) -> V:
    inputs = ["ptr %ctx", "ptr %warp", str(address), f"i32 {e.mask_bits}", f"i32 {e.site()}", str(a), str(b)]
    return V("i64", e.f.call(barrier_routine(e.f.module, operation), a.type, inputs))


def _granule(e: Emitter) -> int:
    return e.checks.shared_granule if e.checks is not None else 0


def _wide(e: Emitter, operand: Operand) -> V:
    return e.f.cast("zext", e.read(operand, B32), "i64")


def _init(e: Emitter, i: Instruction) -> None:
    address, count = shared_address_of(e, i.operands[0]), _wide(e, i.operands[1])
    state = initial_state(e.f, count)
    check_kind(e, Kind(False, True), "shared", SIZE, 1, address, [state])
    _call(e, Operation("init"), address, state)


def _invalidate(e: Emitter, i: Instruction) -> None:
    address = shared_address_of(e, i.operands[0])
    check_kind(e, _USE, "shared", SIZE, 1, address, [])
    _call(e, Operation("inval"), address, _ZERO)


def _check_ready(e: Emitter, address: V) -> None:
    """Checks that the object has been initialised: its upper half tells, because arrivals leave no record there."""
    upper = e.f.op("add", address, splat("i64", SIZE // 2))
    check_kind(e, _LOOK, "shared", SIZE // 2, 1, upper, [])


def emit_arrival(e: Emitter, address: V, count: V, bytes_: V = _ZERO, drops: bool = False, releases: bool = True) -> V:
    """Emits an arrival of `count` and `bytes_` (i64 lanes); returns the state before it."""
    _check_ready(e, address)
    check_kind(e, _USE, "shared", SIZE // 2, 1, address, [])
    return _call(e, Operation("arrive", releases, drops=drops, granule=_granule(e)), address, count, bytes_)


def _arrive(e: Emitter, i: Instruction) -> None:
    """Emits an arrival. It may count for several or, with `expect_tx`, announce bytes that the phase waits for."""
    address = shared_address_of(e, i.operands[1])
    more = _wide(e, i.operands[2]) if len(i.operands) > 2 else _ONE
    announces = "expect_tx" in i.modifiers
    count, bytes_ = (_ONE, more) if announces else (more, _ZERO)
    drops, releases = i.modifiers[0] == "arrive_drop", "relaxed" not in i.modifiers
    e.write(i.operands[0], emit_arrival(e, address, count, bytes_, drops, releases))


def _bytes_only(e: Emitter, i: Instruction) -> None:
    bytes_ = _wide(e, i.operands[1])
    if i.modifiers[0] == "complete_tx":
        bytes_ = e.f.op("sub", _ZERO, bytes_)
    emit_arrival(e, shared_address_of(e, i.operands[0]), _ZERO, bytes_, releases=False)


def _test(e: Emitter, i: Instruction) -> None:
    f, address = e.f, shared_address_of(e, i.operands[1])
    parity = "parity" in i.modifiers
    asked = _wide(e, i.operands[2]) if parity else e.read(i.operands[2], B64)
    _check_ready(e, address)
    acquires = "relaxed" not in i.modifiers
    operation = Operation(
        "test_parity" if parity else "test", acquires=acquires, waits=id(i) in e.waits, granule=_granule(e)
    )
    over = f.compare("icmp ne", _call(e, operation, address, asked), _ZERO)
    e.write(i.operands[0], over)
    waiting = f.let(f"and i32 {e.mask_bits}, {f.bits(f.invert(over))}")
    e.give_way(f.let(f"icmp ne i32 {waiting}, 0"))


def _pending_count(e: Emitter, i: Instruction) -> None:
    e.write(i.operands[0], e.f.op("and", e.read(i.operands[1], B64), splat("i64", MOST)))


def _row(verb: str, polls: bool = False) -> Row:
    return Row(barrier_object, Traits(memory=Memory.BARRIER_OBJECT, verb=verb, polls=polls))


TABLE = {
    ("mbarrier", ""): _row("arrival"),
    ("mbarrier.init", ""): _row("initialisation"),
    ("mbarrier.inval", ""): _row("invalidation"),
    ("mbarrier.test_wait", ""): _row("wait", polls=True),
    ("mbarrier.try_wait", ""): _row("wait", polls=True),
}
