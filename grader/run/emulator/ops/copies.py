"""Asynchronous copies from global to shared memory (PTX ISA, "Asynchronous copy", non-bulk)."""

from __future__ import annotations

from dataclasses import replace

from grader.run.emulator.native.copy_issue import CopyKind, issue_routine
from grader.run.emulator.native.copy_waits import commit_routine, track_routine, wait_routine
from grader.run.emulator.native.ir import V, splat
from grader.run.emulator.native.records import SITE_MASK, Kind
from grader.run.emulator.ops.block_barriers import emit_arrival, shared_address_of
from grader.run.emulator.ops.common import Row
from grader.run.emulator.ptx.syntax import Immediate, Instruction, Register
from grader.run.emulator.ptx.traits import Memory, Traits
from grader.run.emulator.ptx.types import B32, PRED
from grader.run.emulator.translate.counting import count_access
from grader.run.emulator.translate.emitter import Emitter
from grader.run.emulator.translate.sanitizer import check_kind

_SIZES = (4, 8, 16)


def copy_asynchronously(e: Emitter, i: Instruction) -> None:
    """Emits any non-bulk cp.async instruction. Raises UnsupportedPtx for others."""
    if i.modifiers[:1] != ("async",) or {"bulk", "reduce"} & set(i.modifiers):
        raise e.unsupported()
    if "mbarrier" in i.modifiers:
        _track(e, i)
    elif "commit_group" in i.modifiers:
        _commit(e)
    elif "wait_group" in i.modifiers and isinstance(i.operands[0], Immediate):
        _wait(e, i.operands[0].value)
    elif "wait_all" in i.modifiers:
        _commit(e)
        _wait(e, 0)
    elif "shared" in i.modifiers or "shared::cta" in i.modifiers:
        _copy(e, i)
    else:
        raise e.unsupported()


def _commit(e: Emitter) -> None:
    e.f.call(commit_routine(e.f.module), "void", ["ptr %ctx", "ptr %warp", f"i32 {e.mask_bits}"])


def _wait(e: Emitter, count: int) -> None:
    routine = wait_routine(e.f.module, e.checks is not None)
    e.f.call(routine, "void", ["ptr %ctx", "ptr %warp", f"i32 {e.mask_bits}", f"i32 {count}"])


def _sides(i: Instruction) -> tuple[Instruction, Instruction]:
    """Returns the copy's write and its read as separate instructions, for findings to name."""
    ways = {"shared", "shared::cta", "global"}
    rest = tuple(m for m in i.modifiers if m not in ways)
    return replace(i, modifiers=(*rest, "shared")), replace(i, modifiers=(*rest, "global"))


def _copied_bytes(e: Emitter, i: Instruction, size: int) -> tuple[V, bool]:
    """Returns how many bytes of the source each lane copies, and whether that may be fewer than `size`."""
    f = e.f
    hint = any(m.endswith("cache_hint") for m in i.modifiers)
    options = i.operands[3 : -1 if hint else None]
    whole = splat("i32", size)
    if not options:
        return whole, False
    option = options[0]
    if isinstance(option, Immediate):
        return splat("i32", min(max(option.value, 0), size)), option.value < size
    if isinstance(option, Register) and e.type_of(option.name).kind == "pred":
        return f.select(e.read(option, PRED), splat("i32", 0), whole), True
    return f.map("llvm.umin", e.read(option, B32), whole), True


def _copy(e: Emitter, i: Instruction) -> None:
    f = e.f
    size = i.operands[2].value if isinstance(i.operands[2], Immediate) else 0
    if size not in _SIZES:
        raise e.unsupported()
    target, source = shared_address_of(e, i.operands[0]), e.address(i.operands[1])
    bytes_, partial = _copied_bytes(e, i, size)
    target_side, source_side = _sides(i)
    site, source_site = e.site_of(target_side), e.site_of(source_side)
    # A lane that copies no byte, only zeros, makes no access to global memory.
    some = f.compare("icmp ne", bytes_, splat("i32", 0)) if partial else None
    asking = f.let(f"and i32 {e.mask_bits}, {f.bits(some)}") if some is not None else None
    count_access(e, "load", "global", size, source, asking)
    count_access(e, "store", "shared", size, target)
    checks = e.checks if e.checks is not None and source_site <= SITE_MASK else None
    if checks is not None:
        _check_source(e, source, bytes_, partial, size, source_site)
        check_kind(e, Kind(False, True, deferred=True), "shared", size, 1, target, [], site)
    copied = CopyKind(size, checks.shared_granule, checks.global_granule) if checks is not None else CopyKind(size)
    inputs = ["ptr %ctx", "ptr %warp", str(target), str(source), str(bytes_), f"i32 {e.mask_bits}"]
    f.call(issue_routine(f.module, copied), "void", [*inputs, f"i32 {site}", f"i32 {source_site}"])
    if e.recorder is not None:
        e.recorder.copy(size, target, source, bytes_ if partial else None)


def _check_source(e: Emitter, source: V, bytes_: V, partial: bool, size: int, site: int) -> None:
    """Checks the read of the source: all of it for most lanes, word by word for those that copy less."""
    f, kind = e.f, Kind(True, False)
    if not partial:
        check_kind(e, kind, "global", size, 1, source, [], site)
        return
    everything = f.bits(f.compare("icmp eq", bytes_, splat("i32", size)))
    check_kind(e, kind, "global", size, 1, source, [], site, everything)
    less = f.let(f"xor i32 {everything}, -1")
    for begin in range(0, size - 4, 4):
        there = f.bits(f.compare("icmp uge", bytes_, splat("i32", begin + 4)))
        word = f.op("add", source, splat("i64", begin))
        check_kind(e, kind, "global", 4, 1, word, [], site, f.let(f"and i32 {less}, {there}"))


def _track(e: Emitter, i: Instruction) -> None:
    """cp.async.mbarrier.arrive: without `noinc`, the barrier expects one more arrival, which is this one."""
    address = shared_address_of(e, i.operands[0])
    inputs = ["ptr %ctx", "ptr %warp", str(address), f"i32 {e.mask_bits}"]
    e.f.call(track_routine(e.f.module), "void", inputs)
    emit_arrival(e, address, splat("i64", 1 if "noinc" in i.modifiers else 0))


def _row(memory: Memory, verb: str) -> Row:
    return Row(copy_asynchronously, Traits(memory=memory, verb=verb, asynchronous=True, result=False))


# For the race checks, the two sides of a copy are separate instructions.
TABLE = {
    ("cp", ""): _row(Memory.COPY, "write"),
    ("cp.global", ""): _row(Memory.COPY, "read"),
    ("cp.mbarrier", ""): _row(Memory.BARRIER_OBJECT, "arrival"),
}
