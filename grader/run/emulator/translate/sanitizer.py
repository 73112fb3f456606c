"""Places the race checks in a kernel's code: at accesses to shared and global memory, and at what orders threads."""

from __future__ import annotations

from dataclasses import replace

from grader.run.emulator.layout import CONTEXT
from grader.run.emulator.native.between_blocks import acquire_routine
from grader.run.emulator.native.epochs import tick_routine
from grader.run.emulator.native.fences import fence_routine
from grader.run.emulator.native.ir import V
from grader.run.emulator.native.meetings import meet_routine
from grader.run.emulator.native.order import publish_routine
from grader.run.emulator.native.records import SITE_MASK, Kind
from grader.run.emulator.native.regions import CheckedAccess
from grader.run.emulator.native.shadow import shadow_routine
from grader.run.emulator.ptx.syntax import Address, Symbol
from grader.run.emulator.translate.emitter import Emitter
from grader.run.emulator.translate.granules import is_guess, needed_bytes
from grader.run.emulator.translate.users import lanes_of_users

_STRONG = {"relaxed", "acquire", "release", "acq_rel", "mmio"}
_RELEASES = {"release", "acq_rel", "sc"}
_OF_BLOCK = {"cta", "cluster"}
_WORD = 4


def check_access(e: Emitter, space: str, width: int, count: int, store: bool, address: V, values: list[V]) -> None:
    """Emits the checks of a load or store and, if it is strong, its synchronisation."""
    if e.checks is None or "const" in e.instruction.modifiers:
        return
    modifiers = set(e.instruction.modifiers)
    guess = not store and is_guess(e.checks, e.function.name, e.instruction)
    counts = store and e.instruction in e.checks.counts
    volatile = "volatile" in modifiers and not (store and _is_variable(e))
    strong = guess or bool((_STRONG | {"volatile"}) & modifiers)
    of_block = strong and not guess and _is_of_block(e)
    kind = Kind(not store, store, strong and not volatile, volatile, of_block=of_block, cached="nc" in modifiers)
    waits = not store and kind.strong and e.instruction in e.checks.waits
    looks = not store and kind.strong and not guess and not waits and bool(e.checks.waits)
    kind = replace(kind, counts=counts and kind.strong, waits=waits, looks=looks)
    if kind.strong and not guess:
        publish(e, address, width * count, store)
        if store and e.checks.waits:
            # Which of two stores came first: a value or its flag.
            e.f.call(tick_routine(e.f.module), "i32", ["ptr %ctx"])
    needed = -1 if store else needed_bytes(e.checks, e.function.name, e.instruction, width)
    if kind.strong and not store:
        # A read that depends on what another one saw comes after it in any case, and no cache is in its way.
        e.f.store("i32", "1", "%ctx", CONTEXT["far_looking"])
    copies = e.checks.copies.get(e.function.name)
    lanes = "-1" if store or strong or copies is None else lanes_of_users(e, copies)
    check_kind(e, kind, space, width, count, address, values, lanes=lanes, needed=needed)
    if kind.strong and not store:
        e.f.store("i32", "0", "%ctx", CONTEXT["far_looking"])


def _is_of_block(e: Emitter) -> bool:
    """Whether the scope of an access is no wider than its block."""
    return bool(_OF_BLOCK & set(e.instruction.modifiers))


def _is_variable(e: Emitter) -> bool:
    """Whether all lanes access one variable: a volatile one that they write is a flag that they share."""
    return any(isinstance(o, Address) and isinstance(o.base, Symbol) for o in e.instruction.operands)


def check_atomic(e: Emitter, space: str, size: int, address: V) -> None:
    """Emits the checks of an atomic.

    An exchange counts as a write only: it is often the first access to a lock that nobody has initialised.
    """
    publish(e, address, size, store=True)
    if e.instruction.traits.result:
        # A lane sees what lanes of its own warp release by the same instruction.
        publish(e, address, size, store=False)
    reads = "exch" not in e.instruction.modifiers
    check_kind(e, Kind(reads, True, atomic=True, of_block=_is_of_block(e)), space, size, 1, address, [])


def publish(e: Emitter, address: V, size: int, store: bool) -> None:
    """Emits the synchronisation before a strong access: it may publish, or acquire within the block."""
    if e.checks is not None:
        if _RELEASES & set(e.instruction.modifiers):
            emit_fence(e)
        routine = publish_routine(e.f.module, _words(size), store, far=not _is_of_block(e))
        e.f.call(routine, "void", ["ptr %ctx", "ptr %warp", str(address), f"i32 {e.mask_bits}"])


def emit_acquire(e: Emitter, address: V, size: int) -> None:
    """Emits the synchronisation after an access that may have seen what other blocks published."""
    modifiers = set(e.instruction.modifiers)
    shows = (e.instruction.traits.is_atomic and e.instruction.traits.result) or {"volatile", *_STRONG} & modifiers
    if e.checks is not None and shows and not _is_of_block(e):
        # An atomic counts as an acquisition whatever its order: many kernels rely on that, NVIDIA's samples among them.
        relaxed = not e.instruction.traits.is_atomic and "acquire" not in modifiers
        routine = acquire_routine(e.f.module, _words(size), relaxed)
        e.f.call(routine, "void", ["ptr %ctx", "ptr %warp", str(address), f"i32 {e.mask_bits}"])


def _words(size: int) -> int:
    return max(size // _WORD, 1)


def emit_fence(e: Emitter) -> None:
    """Emits a fence of the active lanes for the race checks."""
    if e.checks is not None:
        inputs = ["ptr %ctx", "ptr %warp", f"i32 {e.mask_bits}"]
        e.f.call(fence_routine(e.f.module, not _is_of_block(e)), "void", inputs)


def emit_meeting(e: Emitter, together: str) -> None:
    """Emits that the lanes of `together` (bits) meet."""
    if e.checks is not None:
        e.f.call(meet_routine(e.f.module), "void", ["ptr %ctx", "ptr %warp", f"i32 {together}"])


def check_kind(
    e: Emitter,
    kind: Kind,
    space: str,
    width: int,
    count: int,
    address: V,
    values: list[V],
    site: int | None = None,
    lanes: str = "-1",
    needed: int = -1,
) -> None:
    """Emits the check of one kind of access.

    `site`: that of the instruction by default. `lanes`: a further mask (i32). `needed`: the bytes that need a value, as
    bits.
    """
    if e.checks is None or space not in ("shared", "global", "generic"):
        return
    site = e.site() if site is None else site
    if site >= SITE_MASK:
        # The last one is that of UNOWNED.
        return
    access = CheckedAccess(kind, space, width, count, e.checks.shared_granule, e.checks.global_granule, needed)
    mask = e.mask_bits if lanes == "-1" else e.f.let(f"and i32 {e.mask_bits}, {lanes}")
    arguments = ["ptr %ctx", "ptr %warp", str(address), f"i32 {mask}", f"i32 {site}"]
    inputs = [str(v) for v in values] if access.compares else []
    e.f.call(shadow_routine(e.f.module, access), "void", [*arguments, *inputs])
