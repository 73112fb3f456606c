"""Where the race checks enter the code of a kernel: accesses to shared and global memory, and what orders threads."""

from __future__ import annotations

from grader.run.emulator.native.between_blocks import acquire_routine
from grader.run.emulator.native.cells import SITE_MASK, Kind
from grader.run.emulator.native.ir import V
from grader.run.emulator.native.order import fence_routine, meet_routine, publish_routine
from grader.run.emulator.native.regions import Shadowed
from grader.run.emulator.native.shadow import shadow_routine
from grader.run.emulator.translate.emitter import Emitter
from grader.run.emulator.translate.granules import is_guess

_STRONG = {"relaxed", "acquire", "release", "acq_rel", "mmio"}
_RELEASES = {"release", "acq_rel", "sc"}
_OF_BLOCK = {"cta", "cluster"}


def check_access(e: Emitter, space: str, width: int, count: int, store: bool, address: V, values: list[V]) -> None:
    """Emits the checks of a load or store, and what it publishes."""
    if e.checks is None or "const" in e.instruction.modifiers:
        return
    modifiers = set(e.instruction.modifiers)
    guess = not store and is_guess(e.checks, e.function.name, e.instruction)
    kind = Kind(not store, store, guess or bool(_STRONG & modifiers), "volatile" in modifiers)
    if kind.strong and not guess:
        publish(e)
    check_as(e, kind, space, width, count, address, values)


def check_atomic(e: Emitter, space: str, size: int, address: V) -> None:
    """The same of an atomic. An exchange reads too, but of a lock that nobody has set it is often the first."""
    publish(e)
    reads = "exch" not in e.instruction.modifiers
    check_as(e, Kind(reads, True, atomic=True), space, size, 1, address, [])


def publish(e: Emitter) -> None:
    """An operation that other threads are meant to see."""
    if e.checks is not None:
        if _RELEASES & set(e.instruction.modifiers):
            fenced(e)
        e.f.call(publish_routine(e.f.module), "void", ["ptr %ctx", "ptr %warp"])


def acquired(e: Emitter) -> None:
    """After an operation that may have shown what other blocks have published."""
    modifiers = set(e.instruction.modifiers)
    if e.checks is not None and (e.instruction.opcode == "atom" or {"volatile", *_STRONG} & modifiers):
        e.f.call(acquire_routine(e.f.module), "void", ["ptr %ctx", "ptr %warp"])


def fenced(e: Emitter) -> None:
    if e.checks is not None:
        far = not _OF_BLOCK & set(e.instruction.modifiers)
        e.f.call(fence_routine(e.f.module, far), "void", ["ptr %ctx", "ptr %warp"])


def lanes_meet(e: Emitter, together: str) -> None:
    if e.checks is not None:
        e.f.call(meet_routine(e.f.module), "void", ["ptr %ctx", "ptr %warp", f"i32 {together}"])


def check_as(
    e: Emitter,
    kind: Kind,
    space: str,
    width: int,
    count: int,
    address: V,
    values: list[V],
    site: int | None = None,
    lanes: str = "-1",
) -> None:
    """Emits the check of one kind of access, at a site of its own or at that of the instruction, by some lanes."""
    if e.checks is None or space not in ("shared", "global", "generic"):
        return
    site = e.site() if site is None else site
    if site > SITE_MASK:
        return
    access = Shadowed(kind, space, width, count, e.checks.shared_granule, e.checks.global_granule)
    mask = e.mask_bits if lanes == "-1" else e.f.let(f"and i32 {e.mask_bits}, {lanes}")
    arguments = ["ptr %ctx", "ptr %warp", str(address), f"i32 {mask}", f"i32 {site}"]
    e.f.call(shadow_routine(e.f.module, access), "void", [*arguments, *(str(v) for v in values)])
