"""Checks a whole warp's access to shared or global memory against what is known of it, before the access is made.

Vectors of accesses that nothing contradicts are checked and noted at once; all else goes lane by lane. A generic access
is one of its lanes in shared memory and one of those in global memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, RECORD_BYTES, WARP
from grader.run.emulator.native.cells import Kind, cell_routine
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, splat
from grader.run.emulator.native.planes import Cells
from grader.run.emulator.native.read_log import is_dirty, log_routine, replay_routine
from grader.run.emulator.native.resolve import RESOLVED, for_each_lane, next_lane, resolver, slot_entry, table_entry
from grader.run.emulator.native.vectors import Quick, Warp


@dataclass(frozen=True)
class Shadowed:
    """A kind of access: `count` components of `width` bytes, in a space; a granule is the bytes of a cell there."""

    kind: Kind
    space: str
    width: int
    count: int
    shared_granule: int
    global_granule: int

    @property
    def size(self) -> int:
        return self.width * self.count

    @property
    def granule(self) -> int:
        return self.shared_granule if self.space == "shared" else self.global_granule

    @property
    def cells(self) -> int:
        return max(self.size // self.granule, 1)

    @property
    def compares(self) -> bool:
        """Whether the values to be written are known, to be compared with those that are there."""
        return self.kind.writes and not self.kind.atomic

    @property
    def name(self) -> str:
        return f"shadow_{self.kind.name}_{self.space}_{self.width}x{self.count}"

    @property
    def values(self) -> list[tuple[str, str]]:
        columns = range(self.count if self.compares else 0)
        return [(f"<{LANES} x i{8 * self.width}>", f"value{c}") for c in columns]


_ARGUMENTS = [
    ("ptr", "ctx"),
    ("ptr", "warp"),
    (f"<{LANES} x i64>", "address"),
    ("i32", "mask"),
    ("i32", "site"),
]


def shadow_routine(module: IrModule, access: Shadowed) -> str:
    """`(ctx, warp, addresses, mask, site[, values…])`, where plain writes give their values."""

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [*_ARGUMENTS, *access.values]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        if access.space == "generic":
            _split(f, access)
        else:
            _Check(f, access).emit()
        return f

    return module.routine(access.name, build)


def _split(f: IrFunction, access: Shadowed) -> None:
    window = f.op("lshr", V("i64", "%address"), splat("i64", layout.SLOT_BITS))
    for space, condition, limit, base in (
        ("shared", "icmp eq", layout.SHARED_WINDOW >> layout.SLOT_BITS, layout.SHARED_WINDOW),
        ("global", "icmp uge", layout.PARAMETER_SLOT, 0),
    ):
        here = f.let(f"and i32 %mask, {f.bits(f.compare(condition, window, splat('i64', limit)))}")
        some, done = f.name_block("some"), f.name_block("done")
        f.branch(f.let(f"icmp eq i32 {here}, 0"), done, some)
        f.block(some)
        one = Shadowed(access.kind, space, access.width, access.count, access.shared_granule, access.global_granule)
        address = f.op("sub", V("i64", "%address"), splat("i64", base))
        told = ["ptr %ctx", "ptr %warp", str(address), f"i32 {here}", "i32 %site"]
        f.call(shadow_routine(f.module, one), "void", [*told, *(f"{t} %{name}" for t, name in access.values)])
        f.goto(done)
        f.block(done)
    f.do("ret void")


class _Check:
    def __init__(self, f: IrFunction, access: Shadowed) -> None:
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
            self._put_by(active)
        self._quick(active)
        f.block("slow")
        self._lane_by_lane(active)
        f.do("ret void")

    def _put_by(self, active: str) -> None:
        """Reads wait in the log; writes have it replayed."""
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
        told = ["ptr %ctx", "ptr %warp", str(self.address), f"i32 {active}", "i32 %site", f"ptr @{f.name}"]
        f.call(log_routine(f.module), "void", told)
        f.do("ret void")

    def _region(self, address: str) -> tuple[str, str, str, str, str]:
        """(base, size, host address minus emulated, first record, bytes of a plane) of the array at an address."""
        f = self.f
        if self.shared:
            delta, base, size = table_entry(f, "shared", address)
            inner = f.let(f"sub i64 {delta}, {f.load('i64', '%ctx', CONTEXT['shared_host'])}")
            start = f.let(f"add i64 {base}, {inner}")
            cell = f.let(f"lshr i64 {start}, {_log2(self.access.granule)}")
            shadow = f.let(
                f"add i64 {f.load('i64', '%ctx', CONTEXT['shadow'])}, {f.let(f'mul i64 {cell}, {RECORD_BYTES}')}"
            )
            return base, size, delta, shadow, f.load("i64", "%ctx", CONTEXT["plane"])
        entry = slot_entry(f, "global", address)
        delta = f.load("i64", entry, layout.ENTRY_DELTA)
        base, size = f.load("i64", entry, layout.ENTRY_BASE), f.load("i64", entry, layout.ENTRY_SIZE)
        whole = f.let(f"add i64 {size}, {self.access.granule - 1}")
        bytes_ = f.let(f"mul i64 {f.let(f'lshr i64 {whole}, {_log2(self.access.granule)}')}, {RECORD_BYTES}")
        plane = f.let(f"and i64 {f.let(f'add i64 {bytes_}, 63')}, -64")
        return base, size, delta, f.load("i64", entry, layout.ENTRY_SHADOW), plane

    # All lanes at once

    def _quick(self, active: str) -> None:
        f, access = self.f, self.access
        leader = f.intrinsic("llvm.cttz.i32", "i32", [f"i32 {active}", "i1 true"])
        first = f.let(f"extractelement {self.address}, i32 {leader}")
        base, size, _, shadow, plane = self._region(first)
        limit = f.intrinsic("llvm.usub.sat.i64", "i64", [f"i64 {size}", f"i64 {access.size - 1}"])
        offset = f.op("sub", self.address, f.spread("i64", base))
        inside = f.compare("icmp ult", offset, f.spread("i64", limit))
        if not self.shared:
            # An array that nobody writes in this launch, and all of which was written before.
            missing = f.let(f"and i32 {active}, {f.let(f'xor i32 {f.bits(inside)}, -1')}")
            f.branch(f.let(f"icmp eq i64 {shadow}, 0"), "unwatched", "watched")
            f.block("unwatched")
            f.branch(f.let(f"icmp eq i32 {missing}, 0"), "none", "slow")
            f.block("watched")
        if access.kind.strong and not access.kind.atomic:
            f.goto("slow")
            return
        low = f.op("and", self.address, splat("i64", access.size - 1))
        good = f.bits(f.op("and", inside, f.compare("icmp eq", low, splat("i64", 0))))
        bad = f.let(f"and i32 {active}, {f.let(f'xor i32 {good}, -1')}")
        f.branch(f.let(f"icmp eq i32 {bad}, 0"), "inside", "slow")
        f.block("inside")
        index = f.op("lshr", offset, splat("i64", _log2(access.granule)))
        records = f.op("mul", index, splat("i64", RECORD_BYTES))
        cells = Cells(f, f.op("add", records, f.spread("i64", shadow)), plane, active, access.cells, access.kind.writes)
        quick = Quick(f, access.kind, self.shared, cells, Warp(active, self.address, first))
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
            if not access.kind.strong:
                quick.note_read()
        f.do("ret void")

    # One lane after the other

    def _lane_by_lane(self, active: str) -> None:
        f, access = self.f, self.access
        f.store_lanes(self.address, "%warp", WARP["scratch"])
        columns = []
        for t, value in access.values:
            column = f.alloca(f"[{LANES} x i{8 * access.width}]")
            f.do(f"store {t} %{value}, ptr {column}, align 64")
            columns.append(column)
        lane, head, after = for_each_lane(f, active)
        wide = f.let(f"zext i32 {lane} to i64")
        address = f.load("i64", f.field("%warp", WARP["scratch"]), f.let(f"mul i64 {wide}, 8"))
        arguments = ["ptr %ctx", "ptr %warp", f"i32 {lane}", f"i64 {address}"]
        pair = f.call(resolver(f.module, access.space), RESOLVED, arguments)
        host = f.let(f"extractvalue {RESOLVED} {pair}, 0")
        room = f.let(f"extractvalue {RESOLVED} {pair}, 1")
        fits = f.let(f"icmp uge i64 {room}, {access.size}")
        straight = f.let(f"icmp eq i64 {f.let(f'and i64 {address}, {access.size - 1}')}, 0")
        f.branch(f.let(f"and i1 {fits}, {straight}"), "good", head)
        f.block("good")
        base, _, _, shadow, plane = self._region(address)
        f.branch(f.let(f"icmp eq i64 {shadow}, 0"), head, "known")
        f.block("known")
        f.store("i64", address, "%ctx", CONTEXT["at"])
        there = f.let(f"inttoptr i64 {host} to ptr")
        same = "true"
        for component, column in enumerate(columns):
            t = f"i{8 * access.width}"
            new = f.load(t, column, f.let(f"mul i64 {wide}, {access.width}"))
            old = f.load(t, there, component * access.width)
            same = f.let(f"and i1 {same}, {f.let(f'icmp eq {t} {new}, {old}')}")
            # The lanes behind this one find what it writes.
            f.store(t, new, there, component * access.width)
        piece = f.let(f"lshr i64 {f.let(f'sub i64 {address}, {base}')}, {_log2(access.granule)}")
        start = f.let(f"add i64 {shadow}, {f.let(f'mul i64 {piece}, {RECORD_BYTES}')}")
        cells = f.let(f"inttoptr i64 {start} to ptr")
        told = ["ptr %ctx", "ptr %warp", f"i32 {lane}"]
        shared = "true" if self.shared else "false"
        for cell in range(access.cells):
            at = f.field(cells, cell * RECORD_BYTES)
            which = [f"ptr {at}", f"i64 {plane}", f"i1 {shared}", "i32 %site", f"i1 {same}"]
            f.call(cell_routine(f.module, access.kind), "void", [*told, *which])
        next_lane(f, head, after)


def _log2(number: int) -> int:
    return number.bit_length() - 1
