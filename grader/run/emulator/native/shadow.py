"""Checks a whole warp's access to shared or global memory against the records of its cells, before the access is made.

Vectors of accesses that nothing contradicts are checked and recorded at once; all others go lane by lane. A generic
access is checked as one access of its lanes in shared memory and one of those in global memory.
"""

from __future__ import annotations

from dataclasses import replace

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, RECORD_BYTES, WARP
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, splat
from grader.run.emulator.native.one_by_one import check_one_by_one
from grader.run.emulator.native.planes import Cells
from grader.run.emulator.native.read_log import is_dirty, log_routine, replay_routine
from grader.run.emulator.native.regions import CheckedAccess, log2, region_at
from grader.run.emulator.native.vectors import QuickCheck, Warp

_ARGUMENTS = [
    ("ptr", "ctx"),
    ("ptr", "warp"),
    (f"<{LANES} x i64>", "address"),
    ("i32", "mask"),
    ("i32", "site"),
]


def shadow_routine(module: IrModule, access: CheckedAccess) -> str:
    """Returns the routine `(ctx, warp, addresses, mask, site[, values…])`; plain writes pass their values."""

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [*_ARGUMENTS, *access.values]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        if access.space == "generic":
            _split(f, access)
        else:
            _Check(f, access).emit()
        return f

    if access.space == "shared" and access.kind.of_block:
        # No other block can see it.
        access = replace(access, kind=replace(access.kind, of_block=False))

    return module.routine(access.name, build)


def _split(f: IrFunction, access: CheckedAccess) -> None:
    window = f.op("lshr", V("i64", "%address"), splat("i64", layout.SLOT_BITS))
    for space, condition, limit, base in (
        ("shared", "icmp eq", layout.SHARED_WINDOW >> layout.SLOT_BITS, layout.SHARED_WINDOW),
        ("global", "icmp uge", layout.PARAMETER_SLOT, 0),
    ):
        here = f.let(f"and i32 %mask, {f.bits(f.compare(condition, window, splat('i64', limit)))}")
        some, done = f.name_block("some"), f.name_block("done")
        f.branch(f.let(f"icmp eq i32 {here}, 0"), done, some)
        f.block(some)
        one = replace(access, space=space)
        address = f.op("sub", V("i64", "%address"), splat("i64", base))
        inputs = ["ptr %ctx", "ptr %warp", str(address), f"i32 {here}", "i32 %site"]
        f.call(shadow_routine(f.module, one), "void", [*inputs, *(f"{t} %{name}" for t, name in access.values)])
        f.goto(done)
        f.block(done)
    f.do("ret void")


class _Check:
    def __init__(self, f: IrFunction, access: CheckedAccess) -> None:
        self.f = f
        self.access = access
        self.shared = access.space == "shared"
        self.address = V("i64", "%address")

    def emit(self) -> None:
        f = self.f
        wanted = f.let(f"icmp ne i32 {f.load('i32', '%ctx', CONTEXT['sanitize'])}, 0")
        living = f.let(f"xor i32 {f.load('i32', '%warp', WARP['dead'])}, -1")
        active = f.let(f"select i1 {wanted}, i32 {f.let(f'and i32 %mask, {living}')}, i32 0")
        f.branch(f.let(f"icmp eq i32 {active}, 0"), "none", "some")
        f.block("none")
        f.do("ret void")
        f.block("some")
        if self.shared:
            self._defer(active)
        self._quick(active)
        f.block("slow")
        check_one_by_one(f, self.access, self.address, active)
        f.do("ret void")

    def _defer(self, active: str) -> None:
        """Defers a read to the log; a write has the log replayed."""
        f, kind = self.f, self.access.kind
        if kind.writes:
            f.branch(is_dirty(f), "at.once", "first")
            f.block("first")
            f.call(replay_routine(f.module), "void", ["ptr %ctx"])
            f.goto("at.once")
        elif not kind.strong:
            f.branch(is_dirty(f), "at.once", "quiet")
            f.block("quiet")
            full = f.let(f"icmp uge i32 {f.load('i32', '%ctx', CONTEXT['log_count'])}, {layout.LOG_ENTRIES}")
            f.branch(full, "full", "room", unlikely=True)
            f.block("full")
            f.call(replay_routine(f.module), "void", ["ptr %ctx"])
            f.goto("at.once")
            f.block("room")
            left = f.load("i32", "%ctx", CONTEXT["unwritten"])
            f.branch(f.let(f"icmp eq i32 {left}, 0"), "log", "at.once")
            f.block("log")
            self._log(active)
        else:
            f.goto("at.once")
        f.block("at.once")

    def _log(self, active: str) -> None:
        f = self.f
        inputs = ["ptr %ctx", "ptr %warp", str(self.address), f"i32 {active}", "i32 %site", f"ptr @{f.name}"]
        f.call(log_routine(f.module), "void", inputs)
        f.do("ret void")

    # All lanes at once

    def _quick(self, active: str) -> None:
        f, access = self.f, self.access
        leader = f.intrinsic("llvm.cttz.i32", "i32", [f"i32 {active}", "i1 true"])
        first = f.let(f"extractelement {self.address}, i32 {leader}")
        region = region_at(f, access, first)
        limit = f.intrinsic("llvm.usub.sat.i64", "i64", [f"i64 {region.size}", f"i64 {access.size - 1}"])
        offset = f.op("sub", self.address, f.spread("i64", region.base))
        inside = f.compare("icmp ult", offset, f.spread("i64", limit))
        if not self.shared:
            # Records are 0 for an array that this launch does not write and that was completely written before.
            missing = f.let(f"and i32 {active}, {f.let(f'xor i32 {f.bits(inside)}, -1')}")
            f.branch(f.let(f"icmp eq i64 {region.records}, 0"), "unwatched", "watched")
            f.block("unwatched")
            f.branch(f.let(f"icmp eq i32 {missing}, 0"), "none", "slow")
            f.block("watched")
        if access.kind.volatile or access.kind.waits or access.kind.looks:
            f.goto("slow")
            return
        low = f.op("and", self.address, splat("i64", access.size - 1))
        good = f.bits(f.op("and", inside, f.compare("icmp eq", low, splat("i64", 0))))
        bad = f.let(f"and i32 {active}, {f.let(f'xor i32 {good}, -1')}")
        f.branch(f.let(f"icmp eq i32 {bad}, 0"), "inside", "slow")
        f.block("inside")
        index = f.op("lshr", offset, splat("i64", log2(access.granule)))
        records = f.op("mul", index, splat("i64", RECORD_BYTES))
        cells = Cells(
            f,
            f.op("add", records, f.spread("i64", region.records)),
            region.plane,
            active,
            access.cells,
            access.kind.writes,
        )
        quick = QuickCheck(f, access.kind, self.shared, cells, Warp(active, self.address, first))
        if access.kind.writes:
            quick.write()
        else:
            quick.check_read()
            if self.shared and not access.kind.strong:
                note, later = f.name_block("note"), f.name_block("later")
                f.branch(is_dirty(f), note, later)
                f.block(later)
                self._log(active)
                f.block(note)
            quick.note_read()
        f.do("ret void")
