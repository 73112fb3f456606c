"""Records of accesses: 64 bits with the thread and its time, and in the low half site, step and kind of the access."""

from __future__ import annotations

from dataclasses import dataclass, fields

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, LAUNCH, TAG_SHIFT, WARP
from grader.run.emulator.native.ir import IrFunction

# The low half of a record: time, site, and the flags of strong accesses.
TIME_MASK = (1 << 16) - 1
SITE_SHIFT = 16
SITE_MASK = (1 << 14) - 1
VOLATILE, STRONG = 1 << 30, 1 << 31
OF_BLOCK = VOLATILE
"""VOLATILE without STRONG marks an access that is strong only for threads of its own block (scope cta)."""
PENDING = -1 << layout.EPOCH_SHIFT
"""The epoch of an asynchronous access until it has been waited for: nothing orders it."""
WRITTEN_BEFORE = 1 << TAG_SHIFT
"""The record of global memory that was written by the host or by a launch without race checks."""
UNOWNED = (layout.LAST_EPOCH << layout.EPOCH_SHIFT) | (SITE_MASK << SITE_SHIFT)
"""The record of memory of the heap that no thread has: every access is in no order with it, as with a pending one."""


@dataclass(frozen=True)
class Kind:
    """An access as the race checks see it."""

    reads: bool
    writes: bool
    atomic: bool = False
    volatile: bool = False
    deferred: bool = False
    """It proceeds asynchronously to the thread that began it."""
    padding: bool = False
    """The bytes read need no value: they may be a struct's padding."""
    of_block: bool = False
    """A strong access whose scope is `cta`."""
    counts: bool = False
    """A strong write of a sum of what the thread has read there: it loses what others write in between."""

    waits: bool = False
    """A strong read that the thread repeats until another one has set a flag."""
    looks: bool = False
    """A strong read that is none of these, in a kernel that has some."""

    cached: bool = False
    """A read through the read-only cache, which may hold what was there before the launch."""

    @property
    def strong(self) -> bool:
        return self.atomic or self.volatile

    @property
    def flags(self) -> int:
        """The flags of the access's records, with the epoch PENDING for an asynchronous access."""
        if self.of_block:
            return OF_BLOCK
        strength = (STRONG if self.strong else 0) | (VOLATILE if self.volatile else 0)
        return strength | (PENDING if self.deferred else 0)

    @property
    def name(self) -> str:
        return "_".join(field.name for field in fields(self) if getattr(self, field.name))


def store_at(f: IrFunction, record: str) -> str:
    """Returns what kind of store the site of a record is, from the record's low half (i32): an i8, 0 for none."""
    site = f.let(f"and i32 {f.let(f'lshr i32 {record}, {SITE_SHIFT}')}, {SITE_MASK}")
    stores = f.load("ptr", f.load("ptr", "%ctx", CONTEXT["launch"]), LAUNCH["stores"])
    return f.load("i8", f.field(stores, f.let(f"zext i32 {site} to i64")))


def access_info(f: IrFunction, kind: Kind, site: str = "%site") -> str:
    """Returns flags, site and time of the current access, as the low half of a record (i64)."""
    placed = f.let(f"shl i32 {site}, {SITE_SHIFT}")
    known = f.let(f"or i32 {placed}, {f.load('i32', '%ctx', CONTEXT['time'])}")
    return f.let(f"or i64 {f.let(f'zext i32 {known} to i64')}, {kind.flags}")


def warp_record(f: IrFunction) -> str:
    """Returns the record of the warp's lane 0 at this time, without flags, site and time."""
    number = f.let(f"zext i32 {f.load('i32', '%warp', WARP['index'])} to i64")
    return f.let(f"or i64 {f.load('i64', '%ctx', CONTEXT['now'])}, {f.let(f'shl i64 {number}, {TAG_SHIFT + 5}')}")
