"""Checks the accesses of a whole warp at once where nothing contradicts them.

Doubtful accesses go to the block `slow`, before anything is recorded.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, TAG_SHIFT, WARP
from grader.run.emulator.native.ir import LANES, IrFunction, V, splat
from grader.run.emulator.native.planes import ANY, Cells
from grader.run.emulator.native.readers import HEAD_SHIFT, NO_PLANES, own_plane, room_left
from grader.run.emulator.native.records import (
    STRONG,
    TIME_MASK,
    VOLATILE,
    WRITTEN_BEFORE,
    Kind,
    access_info,
    warp_record,
)

_THREAD = splat("i64", 1 << TAG_SHIFT)


@dataclass(frozen=True)
class Warp:
    """The access at hand: its lanes (i32), their addresses (i64 lanes), and the address of the first lane."""

    active: str
    address: V
    leader: str


class QuickCheck:
    """Emits the check of one kind of access to shared or global memory."""

    def __init__(self, f: IrFunction, kind: Kind, shared: bool, cells: Cells, warp: Warp) -> None:
        self.f = f
        self.kind = kind
        self.shared = shared
        self.cells = cells
        self.warp = warp
        self._warp_tag = f.spread("i64", warp_record(f))
        since = f.load("i64", "%ctx", CONTEXT["since"])
        self._since = f.spread("i64", since)
        if shared:
            self._never = f.spread("i64", f.load("i64", "%ctx", CONTEXT["never"]))
        else:
            self._never = splat("i64", WRITTEN_BEFORE)
            self._begin = f.spread("i64", f.load("i64", "%ctx", CONTEXT["begin"]))
            chunk = f.load("i64", "%ctx", CONTEXT["chunk"])
            self._chunk = f.spread("i64", chunk)
            age = f.intrinsic("llvm.usub.sat.i64", "i64", [f"i64 {since}", f"i64 {chunk}"])
            self._age = f.spread("i64", age)

    def _tag(self, lane: V) -> V:
        return self.f.op("or", self._warp_tag, self.f.op("shl", lane, splat("i64", TAG_SHIFT)))

    def _live(self, record: V) -> V:
        """Returns whether a record is of this epoch or, in global memory, of another block of this launch."""
        f = self.f
        if self.shared:
            return f.compare("icmp uge", record, self._since)
        unordered = f.compare("icmp uge", f.op("sub", record, self._chunk), self._age)
        return f.op("and", unordered, f.compare("icmp uge", record, self._begin))

    def _foreign(self, record: V, tag: V) -> V:
        return self.f.compare("icmp uge", self.f.op("xor", record, tag), _THREAD)

    def _concurrent(self, record: V, tag: V) -> V:
        return self.f.op("and", self._live(record), self._foreign(record, tag))

    def _unwritten(self, record: V) -> V:
        return self.f.compare("icmp ult", record, self._never)

    def _slow_if(self, *doubtful: tuple[V, V | None]) -> None:
        """Goes to `slow` if any lane is in doubt.

        Each pair is a doubt and the record it is about. A record that the warp already knows of is in order.
        """
        quick, doubt = self.f.name_block("quick"), self.f.name_block("doubt")
        self._branch([one for one, _ in doubtful], quick, doubt)
        self.f.block(doubt)
        left = [one if record is None else self._unheard(one, record) for one, record in doubtful]
        self._branch(left, quick, "slow")
        self.f.block(quick)

    def _branch(self, doubtful: list[V], none: str, some: str) -> None:
        f = self.f
        joined = doubtful[0]
        for one in doubtful[1:]:
            joined = f.op("or", joined, one)
        bits = f.bits(f.op("and", joined, self.cells.active))
        f.branch(f.let(f"icmp eq i32 {bits}, 0"), none, some)

    def _unheard(self, doubtful: V, record: V) -> V:
        """Narrows `doubtful` to records of another epoch, or of a time that the warp does not know yet."""
        f = self.f
        number = f.op("and", f.op("lshr", record, splat("i64", TAG_SHIFT + 5)), splat("i64", LANES - 1))
        base = f.spread("i64", f.let(f"ptrtoint ptr {f.field('%warp', WARP['heard'])} to i64"))
        places = f.op("add", base, f.op("shl", number, splat("i64", 2)))
        arguments = [f"<{LANES} x ptr> {f.let(f'inttoptr {places} to <{LANES} x ptr>')}", "i32 4"]
        arguments += [str(self.cells.active), str(splat("i32", 0))]
        name = f"llvm.masked.gather.v{LANES}i32.v{LANES}p0"
        heard = V("i32", f.intrinsic(name, f"<{LANES} x i32>", arguments))
        index = f.spread("i64", f.let(f"zext i32 {f.load('i32', '%warp', WARP['index'])} to i64"))
        own = f.compare("icmp eq", number, index)
        limit = f.select(own, f.spread("i32", f.load("i32", "%warp", WARP["full"])), heard)
        # In the time of the current chunk's records.
        limit = f.map("llvm.usub.sat", limit, f.spread("i32", f.load("i32", "%ctx", CONTEXT["base"])))
        time = f.op("and", record, splat("i64", TIME_MASK))
        now = f.spread("i64", f.load("i64", "%ctx", CONTEXT["now"]))
        epoch = f.op("lshr", f.op("xor", record, now), splat("i64", layout.EPOCH_SHIFT))
        elsewhen = f.compare("icmp ne", epoch, splat("i64", 0))
        later = f.compare("icmp uge", time, f.cast("zext", limit, "i64"))
        return f.op("and", doubtful, f.op("or", elsewhen, later))

    def _stamp(self) -> V:
        return self.f.spread("i64", access_info(self.f, self.kind))

    # Reads

    def check_read(self) -> None:
        """Checks that each lane reads a written value, and is ordered after the write."""
        cells = self.cells
        with cells.each_chunk():
            written = cells.load("write")
            other = self._concurrent(written, self._tag(cells.lane()))
            if self.kind.strong:
                other = self.f.op("and", other, self._plain(written))
            doubtful: list[tuple[V, V | None]] = [(other, written), (self._unwritten(written), None)]
            if self.kind.cached:
                doubtful.append((self.f.compare("icmp uge", written, self._begin), None))
            self._slow_if(*doubtful)

    def note_read(self) -> None:
        """Records the read of each lane."""
        f, cells = self.f, self.cells
        time = f.spread("i64", f.let(f"zext i32 {f.load('i32', '%ctx', CONTEXT['time'])} to i64"))
        alike = f.bits(f.compare("icmp eq", self.warp.address, f.spread("i64", self.warp.leader)))
        active = self.warp.active
        uniform = f.let(f"icmp eq i32 {f.let(f'and i32 {alike}, {active}')}, {active}")
        together = f.spread("i64", f.let(f"zext i32 {active} to i64"))
        stamped = f.op("or", self._warp_tag, self._stamp())
        with cells.each_chunk():
            record, readers = cells.load("read"), cells.load("readers")
            own = V("i64", f.let(f"select i1 {uniform}, {together}, {cells.sharers(cells.lane())}"))
            mine = f.invert(self._foreign(record, self._warp_tag))
            at = f.op("and", record, splat("i64", TIME_MASK))
            same = f.op("and", mine, f.compare("icmp eq", at, time))
            joined = f.op("or", f.op("and", readers, self._kept(record, same)), own)
            known_already = f.op("and", same, f.compare("icmp eq", joined, readers))
            if self.kind.strong:
                # A plain read by the warp tells more.
                known_already = f.op("or", known_already, f.op("and", mine, self._weak(record)))
            changed = f.op("and", f.invert(known_already), cells.active)
            note, done = f.name_block("note"), f.name_block("noted")
            f.branch(f.let(f"icmp eq i32 {f.bits(changed)}, 0"), done, note)
            f.block(note)
            foreign = f.op("and", f.op("and", self._live(record), f.invert(mine)), changed)
            earlier = cells.load("earlier")
            early = f.op("and", self._live(earlier), changed)
            several = f.op("or", foreign, early)
            keep, replace = f.name_block("keep"), f.name_block("replace")
            f.branch(f.let(f"icmp eq i32 {f.bits(several)}, 0"), replace, keep)
            f.block(keep)
            apart = f.op("and", self._foreign(earlier, self._warp_tag), self._foreign(earlier, record))
            taken = f.op("and", early, apart)
            if self.shared:
                self._note_in_plane(several, f.op("or", stamped, self._lane_of(joined)))
            else:
                full = f.let(f"icmp eq i32 {f.bits(f.op('and', foreign, taken))}, 0")
                f.branch(f.let(f"or i1 {full}, {f.let(f'xor i1 {room_left(f)}, true')}"), f"{keep}.on", "slow")
                f.block(f"{keep}.on")
            reader = f.op("or", record, self._lane_of(readers))
            cells.store("earlier", reader, f.op("and", foreign, f.invert(taken)))
            f.goto(replace)
            f.block(replace)
            # Lanes that have nothing new may store the same again, unless what is there tells more.
            where = changed if self.kind.strong else None
            cells.store("read", stamped, where)
            cells.store("readers", joined, where)
            f.goto(done)
            f.block(done)

    def _lane_of(self, readers: V) -> V:
        """Returns the first of these lanes, at its place in a record."""
        f = self.f
        lane = f.op("and", f.map("llvm.cttz", readers, tail=["i1 false"]), splat("i64", LANES - 1))
        return f.op("shl", lane, splat("i64", TAG_SHIFT))

    def _kept(self, record: V, same: V) -> V:
        """Returns the bits of the readers that stay: all for reads at one time; the list head within a launch."""
        f = self.f
        rest = splat("i64", 0)
        if not self.shared:
            of_launch = f.compare("icmp uge", record, self._begin)
            rest = f.select(of_launch, splat("i64", -1 << HEAD_SHIFT), rest)
        return f.select(same, splat("i64", -1), rest)

    def _note_in_plane(self, several: V, record: V) -> None:
        f = self.f
        planes = f.load("i64", "%ctx", CONTEXT["reader_planes"])
        made, known, noted = f.name_block("made"), f.name_block("known"), f.name_block("noted")
        f.branch(f.let(f"icmp eq i64 {planes}, 0"), "slow", made)
        f.block(made)
        f.branch(f.let(f"icmp eq i64 {planes}, {NO_PLANES}"), noted, known)
        f.block(known)
        self.cells.beyond = own_plane(f, planes)
        self.cells.store("beyond", record, several)
        f.goto(noted)
        f.block(noted)

    # Writes

    def write(self) -> None:
        """Checks and records the write of each lane."""
        f, cells = self.f, self.cells
        fresh, before = f.alloca("i32", align=4), f.alloca(f"<{LANES} x i64>")
        f.store("i32", "0", fresh)
        with cells.each_chunk():
            written = self._check_write()
            count = f.intrinsic("llvm.ctpop.i32", "i32", [f"i32 {self._unwritten_bits(written)}"])
            f.store("i32", f.let(f"add i32 {f.load('i32', fresh)}, {count}"), fresh)
            f.store_lanes(written, before)
        if not self.kind.atomic:
            self._single(before)
        with cells.each_chunk():
            cells.store("write", f.op("or", self._tag(cells.lane()), self._stamp()))
        if self.shared:
            left = f.load("i32", "%ctx", CONTEXT["unwritten"])
            f.store("i32", f.let(f"sub i32 {left}, {f.load('i32', fresh)}"), "%ctx", CONTEXT["unwritten"])

    def _unwritten_bits(self, written: V) -> str:
        return self.f.bits(self.f.op("and", self._unwritten(written), self.cells.active))

    def _plain(self, record: V) -> V:
        f = self.f
        return f.compare("icmp eq", f.op("and", record, splat("i64", STRONG)), splat("i64", 0))

    def _weak(self, record: V) -> V:
        """Returns whether a record is weak: not even strong for the threads of its own block."""
        f = self.f
        return f.compare("icmp eq", f.op("and", record, splat("i64", STRONG | VOLATILE)), splat("i64", 0))

    def _check_write(self) -> V:
        f, cells = self.f, self.cells
        lane = cells.lane()
        written, record, readers = (cells.load(plane) for plane in ("write", "read", "readers"))
        alone = f.op(
            "and",
            f.invert(self._foreign(record, self._warp_tag)),
            f.compare("icmp eq", readers, f.op("shl", splat("i64", 1), lane)),
        )
        read = f.op("and", self._live(record), f.invert(alone))
        other = self._concurrent(written, self._tag(lane))
        unset: list[tuple[V, V | None]] = []
        if self.kind.atomic:
            if not self.kind.of_block:
                other = f.op("and", other, self._plain(written))
                read = f.op("and", read, self._plain(record))
            unset.append((self._unwritten(written), None))
            # A plain write that is not over for everybody is kept when this one takes its place.
            recent = self._since if self.shared else self._begin
            fresh = f.op("and", self._weak(written), f.compare("icmp uge", written, recent))
            unset.append((fresh, None))
        earlier = cells.load("earlier")
        early = self._live(earlier)
        if self.shared:
            planes = f.spread("i64", f.load("i64", "%ctx", CONTEXT["reader_planes"]))
            several = f.op("and", early, f.compare("icmp ugt", planes, splat("i64", NO_PLANES)))
        else:
            listed = f.compare("icmp ugt", readers, splat("i64", (1 << HEAD_SHIFT) - 1))
            several = f.op("and", listed, f.compare("icmp uge", record, self._begin))
        self._slow_if((other, written), (read, record), (early, earlier), (several, None), *unset)
        return written

    def _single(self, before: str) -> None:
        """Finds lanes that write to one place by storing their tags; such lanes go to `slow`."""
        f, cells = self.f, self.cells
        single, several, look = f.name_block("single"), f.name_block("several"), f.name_block("look")
        f.branch(f.let(f"icmp eq i32 {cells.mode}, {ANY}"), look, single)
        f.block(look)
        tag = self._tag(cells.lane())
        if cells.count == 1:
            old = f.load_lanes("i64", before)
        else:
            old = cells.load("write")
        cells.store("write", tag)
        lost = f.compare("icmp ne", cells.load("write"), tag)
        bits = f.bits(f.op("and", lost, cells.active))
        f.branch(f.let(f"icmp eq i32 {bits}, 0"), single, several)
        f.block(several)
        cells.store("write", old)
        f.goto("slow")
        f.block(single)
