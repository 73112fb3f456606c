"""Issues asynchronous copies from global to shared memory (cp.async): checks bounds, finds bytes and cells."""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator import layout
from grader.run.emulator.layout import CELL, CONTEXT, COPY, RECORD_BYTES, TAG_SHIFT, WARP
from grader.run.emulator.native.copies import (
    cell_count,
    entry_at,
    lane_pointer,
    offset_of,
    settle_routine,
    sweep_routine,
)
from grader.run.emulator.native.flow import for_each_index, where
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, splat
from grader.run.emulator.native.records import Kind, access_info, warp_record
from grader.run.emulator.native.regions import CheckedAccess, Region, log2, region_at
from grader.run.emulator.native.resolve import RESOLVED, for_each_lane, next_lane, report, resolver

_BOTH = [("ptr", "ctx"), ("ptr", "warp")]
_VECTOR = f"<{LANES} x i64>"


@dataclass(frozen=True)
class CopyKind:
    """A kind of copy: `size` bytes per lane; granules of the race checks in bytes, 0 if they are off."""

    size: int
    shared_granule: int = 0
    global_granule: int = 0

    @property
    def checked(self) -> bool:
        return self.shared_granule > 0

    def side(self, space: str) -> CheckedAccess:
        """Returns one of its two accesses, as the race checks see it."""
        target = space == "shared"
        kind = Kind(not target, target, deferred=True)
        return CheckedAccess(kind, space, self.size, 1, self.shared_granule, self.global_granule)


def issue_routine(module: IrModule, copied: CopyKind) -> str:
    """Returns the routine `(ctx, warp, targets, sources, bytes, mask, site, source site)`: lanes begin a copy.

    `bytes` are copied from the source; the rest of the target becomes 0. Lanes out of bounds end in a fault.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [*_BOTH, (_VECTOR, "target"), (_VECTOR, "source"), (f"<{LANES} x i32>", "bytes")]
        arguments += [("i32", "mask"), ("i32", "site"), ("i32", "source_site")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        _Issue(f, copied).emit()
        return f

    return module.routine(f"copy_issue_{copied.size}{'_checked' * copied.checked}", build)


class _Issue:
    def __init__(self, f: IrFunction, copied: CopyKind) -> None:
        self.f = f
        self.copied = copied

    def emit(self) -> None:
        f = self.f
        living = f.let(f"xor i32 {f.load('i32', '%warp', WARP['dead'])}, -1")
        active = f.let(f"and i32 %mask, {living}")
        count = f.load("i32", "%warp", WARP["copy_count"])
        with where(f, f.let(f"icmp uge i32 {count}, {layout.COPIES}"), "full"):
            # A copy may complete at any time: the oldest does now.
            oldest = entry_at(f, "%warp", "0")
            inputs = ["ptr %ctx", "ptr %warp", f"ptr {oldest}", f"i32 {f.load('i32', oldest)}", "i1 false"]
            f.call(settle_routine(f.module), "void", inputs)
            f.call(sweep_routine(f.module), "void", ["ptr %ctx", "ptr %warp"])
        entry = entry_at(f, "%warp", f.load("i32", "%warp", WARP["copy_count"]))
        f.store_lanes(V("i32", "%bytes"), entry, COPY["bytes"])
        good = self._places(entry, "shared", "target", V("i64", "%target"), active, "%site")
        good = self._places(entry, "global", "source", V("i64", "%source"), good, "%source_site")
        with where(f, f.let(f"icmp ne i32 {good}, 0"), "some"):
            self._append(entry, good)
        f.do("ret void")

    def _places(self, entry: str, space: str, side: str, address: V, lanes: str, site: str) -> str:
        """Finds each lane's host address; returns the lanes whose access is within bounds and aligned."""
        f, size = self.f, self.copied.size
        f.store_lanes(address, "%warp", WARP["scratch"])
        f.store_lanes(splat("i64", 0), entry, COPY[f"{side}_cell"])
        good, outside, misaligned = (f.alloca("i32", align=4) for _ in range(3))
        for variable in (good, outside, misaligned):
            f.store("i32", "0", variable)
        lane, head, after = for_each_lane(f, lanes)
        bit = f.let(f"shl i32 1, {lane}")
        own = f.load("i64", f.field("%warp", WARP["scratch"]), offset_of(f, lane, 8))
        needed = str(size)
        if space == "global":
            needed = f.let(f"zext i32 {f.load('i32', lane_pointer(f, entry, 'bytes', lane, 4))} to i64")
        pair = f.call(
            resolver(f.module, space, space == "shared"),
            RESOLVED,
            ["ptr %ctx", "ptr %warp", f"i32 {lane}", f"i64 {own}"],
        )
        host, room = (f.let(f"extractvalue {RESOLVED} {pair}, {part}") for part in (0, 1))
        fits = f.let(f"icmp uge i64 {room}, {needed}")
        straight = f.let(f"icmp eq i64 {f.let(f'and i64 {own}, {size - 1}')}, 0")
        nothing = f.let(f"icmp eq i64 {needed}, 0")
        check, over, askew, fine = (f.name_block(n) for n in ("check", "over", "askew", "fine"))
        f.branch(fits, check, over)
        f.block(over)
        f.store("i32", f.let(f"or i32 {f.load('i32', outside)}, {bit}"), outside)
        f.goto(head)
        f.block(check)
        f.branch(f.let(f"or i1 {straight}, {nothing}"), fine, askew)
        f.block(askew)
        f.store("i32", f.let(f"or i32 {f.load('i32', misaligned)}, {bit}"), misaligned)
        f.goto(head)
        f.block(fine)
        f.store("i32", f.let(f"or i32 {f.load('i32', good)}, {bit}"), good)
        f.store("i64", host, lane_pointer(f, entry, side, lane))
        if self.copied.checked:
            self._cell(entry, space, side, lane, own, nothing)
        next_lane(f, head, after)
        report(f, layout.EVENT_OUT_OF_BOUNDS, site, f.load("i32", outside))
        report(f, layout.EVENT_MISALIGNED, site, f.load("i32", misaligned))
        return f.load("i32", good)

    def _cell(self, entry: str, space: str, side: str, lane: str, address: str, nothing: str) -> None:
        """Records where the cells of a lane's side are, and marks those of the source as being read."""
        f, access = self.f, self.copied.side(space)
        wanted = f.let(f"icmp ne i32 {f.load('i32', '%ctx', CONTEXT['sanitize'])}, 0")
        if space == "global":
            wanted = f.let(f"and i1 {wanted}, {f.let(f'xor i1 {nothing}, true')}")
        with where(f, wanted, "known"):
            region = region_at(f, access, address)
            with where(f, f.let(f"icmp ne i64 {region.records}, 0"), "watched"):
                first = self._first(region, access, address)
                if space == "global":
                    plane = f.let(f"mul i64 {region.plane}, {CELL['earlier']}")
                    first = f.let(f"add i64 {first}, {plane}")
                f.store("i64", first, lane_pointer(f, entry, f"{side}_cell", lane))
                if space == "global":
                    self._mark_source(entry, access, lane, first)

    def _first(self, region: Region, access: CheckedAccess, address: str) -> str:
        f = self.f
        piece = f.let(f"lshr i64 {f.let(f'sub i64 {address}, {region.base}')}, {log2(access.granule)}")
        return f.let(f"add i64 {region.records}, {f.let(f'mul i64 {piece}, {RECORD_BYTES}')}")

    def _mark_source(self, entry: str, access: CheckedAccess, lane: str, first: str) -> None:
        f = self.f
        own = f.let(f"shl i64 {f.let(f'zext i32 {lane} to i64')}, {TAG_SHIFT}")
        known = f.let(f"or i64 {warp_record(f)}, {access_info(f, access.kind, '%source_site')}")
        record = f.let(f"or i64 {known}, {own}")
        bytes_ = f.load("i32", lane_pointer(f, entry, "bytes", lane, 4))
        cells = f.let(f"inttoptr i64 {first} to ptr")
        with for_each_index(f, cell_count(f, bytes_, str(log2(access.granule))), "mark") as at:
            f.store("i64", record, cells, offset_of(f, at, RECORD_BYTES))

    def _append(self, entry: str, good: str) -> None:
        f, copied = self.f, self.copied
        f.store("i32", good, entry, COPY["mask"])
        f.store("i32", str(copied.size), entry, COPY["size"])
        f.store("i64", f.load("i64", "%ctx", CONTEXT["now"]), entry, COPY["now"])
        cells = max(copied.size // copied.shared_granule, 1) if copied.checked else 0
        f.store("i32", str(cells), entry, COPY["cells"])
        f.store("i32", str(log2(copied.global_granule)) if copied.checked else "0", entry, COPY["shift"])
        open_group = f.load_lanes("i32", f.load("ptr", "%warp", WARP["copies"]))
        f.store_lanes(open_group, entry, COPY["group"])
        f.store_lanes(splat("i32", 0), entry, COPY["barrier"])
        count = f.load("i32", "%warp", WARP["copy_count"])
        f.store("i32", f.let(f"add i32 {count}, 1"), "%warp", WARP["copy_count"])
        # While copies are pending, reads of shared memory are checked one by one.
        left = f.load("i32", "%ctx", CONTEXT["unwritten"])
        f.store("i32", f.let(f"add i32 {left}, 1"), "%ctx", CONTEXT["unwritten"])
