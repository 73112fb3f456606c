"""Where the race checks enter the code of a kernel: accesses to shared memory, and what orders threads."""

from __future__ import annotations

from grader.run.emulator.native.cells import SITE_MASK, Kind
from grader.run.emulator.native.ir import V
from grader.run.emulator.native.order import fence_routine, meet_routine, publish_routine
from grader.run.emulator.native.shadow import Shadowed, shadow_routine
from grader.run.emulator.ops.common import types_of
from grader.run.emulator.translate.cfg import Program, is_block_barrier
from grader.run.emulator.translate.emitter import Emitter

_ELSEWHERE = {"global", "const", "local", "param", "param::entry", "param::func"}
_STRONG = {"relaxed", "acquire", "release", "acq_rel", "mmio"}
_RELEASES = {"release", "acq_rel", "sc"}
_CELL = 4


def shared_granule(program: Program) -> int:
    """Bytes of the narrowest access that may be to shared memory, 4 at most: two of these are never one cell."""
    narrowest = _CELL
    for block in program.blocks:
        for instruction in block.instructions:
            if instruction.opcode in ("ld", "ldu", "st", "atom", "red"):
                kinds = types_of(instruction)
                if kinds and not _ELSEWHERE & set(instruction.modifiers):
                    narrowest = min(narrowest, kinds[-1].bytes)
    return narrowest


def has_barrier(program: Program) -> bool:
    return any(is_block_barrier(instruction) for block in program.blocks for instruction in block.instructions)


def check_access(e: Emitter, space: str, width: int, count: int, store: bool, address: V, values: list[V]) -> None:
    """Emits the checks of a load or store, and what it publishes."""
    modifiers = set(e.instruction.modifiers)
    kind = Kind(not store, store, bool(_STRONG & modifiers), "volatile" in modifiers)
    if kind.strong:
        publish(e)
    _check(e, Shadowed(kind, space, width, count, e.granule), address, values)


def check_atomic(e: Emitter, space: str, size: int, address: V) -> None:
    """The same of an atomic. An exchange reads too, but of a lock that nobody has set it is often the first."""
    publish(e)
    reads = "exch" not in e.instruction.modifiers
    _check(e, Shadowed(Kind(reads, True, atomic=True), space, size, 1, e.granule), address, [])


def publish(e: Emitter) -> None:
    """An operation that other threads are meant to see."""
    if e.granule:
        if _RELEASES & set(e.instruction.modifiers):
            fenced(e)
        e.f.call(publish_routine(e.f.module), "void", ["ptr %ctx", "ptr %warp"])


def fenced(e: Emitter) -> None:
    if e.granule:
        e.f.call(fence_routine(e.f.module), "void", ["ptr %ctx", "ptr %warp"])


def lanes_meet(e: Emitter, together: str) -> None:
    if e.granule:
        e.f.call(meet_routine(e.f.module), "void", ["ptr %ctx", "ptr %warp", f"i32 {together}"])


def _check(e: Emitter, access: Shadowed, address: V, values: list[V]) -> None:
    if not e.granule or access.space not in ("shared", "generic"):
        return
    site = e.site()
    if site > SITE_MASK:
        return
    arguments = ["ptr %ctx", "ptr %warp", str(address), f"i32 {e.mask_bits}", f"i32 {site}"]
    e.f.call(shadow_routine(e.f.module, access), "void", [*arguments, *(str(v) for v in values)])
