"""Checks a whole warp's access to shared memory against what is known of it, before the access is made.

Vectors of plain accesses that nothing contradicts are checked and noted at once; all else goes lane by lane.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator import layout
from grader.run.emulator.layout import CELL, CONTEXT, WARP
from grader.run.emulator.native.cells import THREADS, TIME_MASK, Kind, cell_routine, info
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, lanes, splat
from grader.run.emulator.native.order import THREAD_BITS
from grader.run.emulator.native.resolve import RESOLVED, for_each_lane, next_lane, resolver, table_entry

_QUICK_CELLS = 4
HALF = LANES // 2
# How the cells of a warp's lanes lie.
ANY, NEAR, ONE = range(3)


@dataclass(frozen=True)
class Shadowed:
    """A kind of access: `count` components of `width` bytes, in a space; `granule` is the bytes of a cell."""

    kind: Kind
    space: str
    width: int
    count: int
    granule: int

    @property
    def size(self) -> int:
        return self.width * self.count

    @property
    def cells(self) -> int:
        return self.size // self.granule

    @property
    def compares(self) -> bool:
        """Whether the values to be written are known, to be compared with those that are there."""
        return self.kind.writes and not self.kind.atomic

    @property
    def name(self) -> str:
        return f"shadow_{self.kind.name}_{self.space}_{self.width}x{self.count}"


def shadow_routine(module: IrModule, access: Shadowed) -> str:
    """`(ctx, warp, addresses, mask, site[, values…])`, where plain writes give their values."""

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [
            ("ptr", "ctx"),
            ("ptr", "warp"),
            (f"<{LANES} x i64>", "address"),
            ("i32", "mask"),
            ("i32", "site"),
        ]
        if access.compares:
            arguments += [(f"<{LANES} x i{8 * access.width}>", f"value{c}") for c in range(access.count)]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        _Check(f, access).emit()
        return f

    return module.routine(access.name, build)


class _Check:
    def __init__(self, f: IrFunction, access: Shadowed) -> None:
        self.f = f
        self.access = access
        self.address = V("i64", "%address")

    def emit(self) -> None:
        f, access = self.f, self.access
        wanted = f.let(f"icmp ne i32 {f.load('i32', '%ctx', CONTEXT['sanitize'])}, 0")
        living = f.let(f"xor i32 {f.load('i32', '%warp', WARP['dead'])}, -1")
        active = f.let(f"select i1 {wanted}, i32 {f.let(f'and i32 %mask, {living}')}, i32 0")
        if access.space == "generic":
            window = f.op("lshr", self.address, splat("i64", layout.SLOT_BITS))
            shared = f.bits(f.compare("icmp eq", window, splat("i64", 1)))
            active = f.let(f"and i32 {active}, {shared}")
            self.address = f.op("sub", self.address, splat("i64", layout.SHARED_WINDOW))
        f.branch(f.let(f"icmp eq i32 {active}, 0"), "none", "some")
        f.block("none")
        f.do("ret void")
        f.block("some")
        if access.kind.strong or access.cells > _QUICK_CELLS:
            f.goto("slow")
        else:
            self._quick(active)
        f.block("slow")
        self._lane_by_lane(active)
        f.do("ret void")

    # All lanes at once

    def _quick(self, active: str) -> None:
        f, access = self.f, self.access
        leader = f.intrinsic("llvm.cttz.i32", "i32", [f"i32 {active}", "i1 true"])
        first = f.let(f"extractelement {self.address}, i32 {leader}")
        delta, base, size = table_entry(f, "shared", first)
        limit = f.intrinsic("llvm.usub.sat.i64", "i64", [f"i64 {size}", f"i64 {access.size - 1}"])
        offset = f.op("sub", self.address, f.spread("i64", base))
        inside = f.compare("icmp ult", offset, f.spread("i64", limit))
        low = f.op("and", self.address, splat("i64", access.size - 1))
        good = f.bits(f.op("and", inside, f.compare("icmp eq", low, splat("i64", 0))))
        bad = f.let(f"and i32 {active}, {f.let(f'xor i32 {good}, -1')}")
        f.branch(f.let(f"icmp eq i32 {bad}, 0"), "inside", "slow")
        f.block("inside")
        start = f.let(f"sub i64 {delta}, {f.load('i64', '%ctx', CONTEXT['shared_host'])}")
        piece = f.op("lshr", f.op("add", self.address, f.spread("i64", start)), splat("i64", _log2(access.granule)))
        scaled = f.op("mul", piece, splat("i64", layout.CELL_FIELD_BYTES))
        self.cells = f.op("add", scaled, f.spread("i64", f.load("i64", "%ctx", CONTEXT["shadow"])))
        self.active = f.mask(active)
        self.epoch = f.load("i32", "%ctx", CONTEXT["epoch"])
        number = f.let(f"shl i32 {f.load('i32', '%warp', WARP['index'])}, 5")
        whole = f.let(f"or i32 {f.let(f'shl i32 {self.epoch}, {THREAD_BITS}')}, {number}")
        self.warp_tag = f.spread("i32", whole)
        self.tag = f.op("or", self.warp_tag, lanes("i32", range(LANES)))
        self.bit = lanes("i32", [_signed(1 << lane) for lane in range(LANES)])
        self._choose(active)
        if access.kind.writes:
            self._quick_write()
        else:
            self._quick_read(active, first)
        f.do("ret void")

    def _plane(self, field: str) -> str:
        return self.f.let(f"mul i64 {self.f.load('i64', '%ctx', CONTEXT['plane'])}, {CELL[field]}")

    def _choose(self, active: str) -> None:
        """How the lanes' cells lie: in each half of a full warp neighbours, or one; or in any way."""
        f = self.f
        self.own = self.bit
        if self.access.cells != 1:
            return
        halves = lanes("i32", [0] * HALF + [HALF] * HALF)
        starts = V("i64", f.let(f"shufflevector {self.cells}, {splat('i64', 0)}, {halves}"))
        relative = f.op("sub", self.cells, starts)
        steps = lanes("i64", [(lane % HALF) * layout.CELL_FIELD_BYTES for lane in range(LANES)])
        near = f.let(f"icmp eq i32 {f.bits(f.compare('icmp eq', relative, steps))}, -1")
        one = f.let(f"icmp eq i32 {f.bits(f.compare('icmp eq', relative, splat('i64', 0)))}, -1")
        full = f.let(f"icmp eq i32 {active}, -1")
        kind = f.let(f"select i1 {near}, i32 {NEAR}, i32 {f.let(f'select i1 {one}, i32 {ONE}, i32 {ANY}')}")
        self.mode = f.let(f"select i1 {full}, i32 {kind}, i32 {ANY}")
        self.starts = [f.let(f"extractelement {self.cells}, i32 {lane}") for lane in (0, HALF)]
        # The lanes that share a cell, as far as the pattern tells.
        equal = f.let(f"icmp eq i64 {self.starts[0]}, {self.starts[1]}")
        both = f.op("or", self.bit, lanes("i32", [_signed(1 << (lane + HALF) % LANES) for lane in range(LANES)]))
        half = lanes("i32", [0xFFFF] * HALF + [_signed(0xFFFF0000)] * HALF)
        neighbours = V("i32", f.let(f"select i1 {equal}, {both}, {self.bit}"))
        sharers = V("i32", f.let(f"select i1 {equal}, {splat('i32', -1)}, {half}"))
        is_one = f.let(f"icmp eq i32 {self.mode}, {ONE}")
        is_near = f.let(f"icmp eq i32 {self.mode}, {NEAR}")
        rest = V("i32", f.let(f"select i1 {is_near}, {neighbours}, {self.bit}"))
        self.own = V("i32", f.let(f"select i1 {is_one}, {sharers}, {rest}"))

    def _load(self, cell: int, *fields: str) -> list[V]:
        f = self.f
        if self.access.cells != 1:
            return [self._gather(cell, field) for field in fields]
        near, one, general, join = (f.name_block(n) for n in ("near", "one", "general", "join"))
        f.do(f"switch i32 {self.mode}, label %{general} [ i32 {NEAR}, label %{near} i32 {ONE}, label %{one} ]")
        f.block(near)
        found = [[self._load_near(field) for field in fields]]
        f.goto(join)
        f.block(one)
        found.append([self._load_one(field) for field in fields])
        f.goto(join)
        f.block(general)
        found.append([self._gather(cell, field) for field in fields])
        f.goto(join)
        f.block(join)
        names = (near, one, general)
        columns = zip(*found, strict=True)
        return [
            V(
                "i32",
                f.let(
                    f"phi {column[0].type} " + ", ".join(f"[ {v.r}, %{n} ]" for v, n in zip(column, names, strict=True))
                ),
            )
            for column in columns
        ]

    def _at(self, start: str, field: str) -> str:
        return self.f.let(f"inttoptr i64 {self.f.let(f'add i64 {start}, {self._plane(field)}')} to ptr")

    def _load_near(self, field: str) -> V:
        f = self.f
        t = f"<{HALF} x i32>"
        low, high = (f.let(f"load {t}, ptr {self._at(start, field)}, align 4") for start in self.starts)
        order = lanes("i32", range(LANES))
        return V("i32", f.let(f"shufflevector {t} {low}, {t} {high}, {order}"))

    def _load_one(self, field: str) -> V:
        f = self.f
        low, high = (f.load("i32", self._at(start, field)) for start in self.starts)
        first = lanes("i1", [1] * HALF + [0] * HALF)
        return f.select(first, f.spread("i32", low), f.spread("i32", high))

    def _store(self, cell: int, values: dict[str, V], where: V | None = None) -> None:
        """Sets fields of the lanes' cells, of those `where` only."""
        f = self.f
        if self.access.cells != 1:
            for field, value in values.items():
                self._scatter(cell, field, value, where)
            return
        near, one, general, join = (f.name_block(n) for n in ("near", "one", "general", "join"))
        f.do(f"switch i32 {self.mode}, label %{general} [ i32 {NEAR}, label %{near} i32 {ONE}, label %{one} ]")
        f.block(near)
        for field, value in values.items():
            self._store_near(field, value, where)
        f.goto(join)
        f.block(one)
        for field, value in values.items():
            self._store_one(field, value, where)
        f.goto(join)
        f.block(general)
        for field, value in values.items():
            self._scatter(cell, field, value, where)
        f.goto(join)
        f.block(join)

    def _store_near(self, field: str, value: V, where: V | None) -> None:
        f = self.f
        for start, offset in zip(self.starts, (0, HALF), strict=True):
            picked = f"<{HALF} x i32> <" + ", ".join(f"i32 {offset + lane}" for lane in range(HALF)) + ">"
            part = f.let(f"shufflevector {value}, {value.type} poison, {picked}")
            pointer = self._at(start, field)
            if where is None:
                f.do(f"store <{HALF} x i32> {part}, ptr {pointer}, align 4")
                continue
            mask = f.let(f"shufflevector {where}, {where.type} poison, {picked}")
            arguments = [f"<{HALF} x i32> {part}", f"ptr {pointer}", "i32 4", f"<{HALF} x i1> {mask}"]
            f.intrinsic(f"llvm.masked.store.v{HALF}i32.p0", "void", arguments)

    def _store_one(self, field: str, value: V, where: V | None) -> None:
        f = self.f
        for start, lane in zip(self.starts, (0, HALF), strict=True):
            new, pointer = f.let(f"extractelement {value}, i32 {lane}"), self._at(start, field)
            if where is not None:
                wanted = f.let(f"extractelement {where}, i32 {lane}")
                new = f.let(f"select i1 {wanted}, i32 {new}, i32 {f.load('i32', pointer)}")
            f.store("i32", new, pointer)

    def _pointers(self, cell: int, field: str) -> str:
        f = self.f
        moved = f.op("add", self.cells, f.spread("i64", self._plane(field)))
        moved = f.op("add", moved, splat("i64", cell * layout.CELL_FIELD_BYTES)) if cell else moved
        return f"<{LANES} x ptr> {f.let(f'inttoptr {moved} to <{LANES} x ptr>')}"

    def _gather(self, cell: int, field: str) -> V:
        arguments = [self._pointers(cell, field), "i32 4", str(self.active), str(splat("i32", 0))]
        name = f"llvm.masked.gather.v{LANES}i32.v{LANES}p0"
        return V("i32", self.f.intrinsic(name, f"<{LANES} x i32>", arguments))

    def _scatter(self, cell: int, field: str, value: V, where: V | None = None) -> None:
        arguments = [str(value), self._pointers(cell, field), "i32 4", str(where or self.active)]
        self.f.intrinsic(f"llvm.masked.scatter.v{LANES}i32.v{LANES}p0", "void", arguments)

    def _now(self, tag: V) -> V:
        f = self.f
        return f.compare("icmp eq", f.op("lshr", tag, splat("i32", THREAD_BITS)), f.spread("i32", self.epoch))

    def _concurrent(self, tag: V) -> V:
        """Whether a tag is of this epoch and another thread."""
        f = self.f
        differing = f.op("sub", f.op("xor", tag, self.tag), splat("i32", 1))
        return f.compare("icmp ult", differing, splat("i32", THREADS - 1))

    def _slow_if(self, doubtful: list[V]) -> None:
        f = self.f
        some = doubtful[0]
        for one in doubtful[1:]:
            some = f.op("or", some, one)
        bits = f.bits(f.op("and", some, self.active))
        quick = f.name_block("quick")
        f.branch(f.let(f"icmp eq i32 {bits}, 0"), quick, "slow")
        f.block(quick)

    def _quick_read(self, active: str, first: str) -> None:
        f, access = self.f, self.access
        doubtful = []
        begin = f.spread("i32", f.load("i32", "%ctx", CONTEXT["first"]))
        for cell in range(access.cells):
            (written,) = self._load(cell, "write")
            doubtful += [self._concurrent(written), f.compare("icmp ult", written, begin)]
        self._slow_if(doubtful)
        time = f.spread("i32", f.load("i32", "%ctx", CONTEXT["time"]))
        alike = f.bits(f.compare("icmp eq", self.address, f.spread("i64", first)))
        uniform = f.let(f"icmp eq i32 {f.let(f'and i32 {alike}, {active}')}, {active}")
        together = f.spread("i32", active)
        own = V("i32", f.let(f"select i1 {uniform}, {together}, {self.own}"))
        access_info = f.spread("i32", info(f, access.kind))
        for cell in range(access.cells):
            tag, known, readers = self._load(cell, "read", "read_info", "readers")
            mine = f.compare("icmp eq", tag, self.warp_tag)
            at = f.op("and", known, splat("i32", TIME_MASK))
            same = f.op("and", mine, f.compare("icmp eq", at, time))
            joined = f.op("or", f.select(same, readers, splat("i32", 0)), own)
            known_already = f.op("and", same, f.compare("icmp eq", joined, readers))
            changed = f.op("and", f.invert(known_already), self.active)
            note, done = f.name_block("note"), f.name_block("noted")
            f.branch(f.let(f"icmp eq i32 {f.bits(changed)}, 0"), done, note)
            f.block(note)
            foreign = f.op("and", f.op("and", self._now(tag), f.invert(mine)), self.active)
            keep, replace = f.name_block("keep"), f.name_block("replace")
            f.branch(f.let(f"icmp eq i32 {f.bits(foreign)}, 0"), replace, keep)
            f.block(keep)
            lane = f.op("and", f.map("llvm.cttz", readers, tail=["i1 false"]), splat("i32", LANES - 1))
            self._store(cell, {"earlier": f.op("or", tag, lane), "earlier_info": known}, foreign)
            f.goto(replace)
            f.block(replace)
            self._store(cell, {"read": self.warp_tag, "read_info": access_info, "readers": joined})
            f.goto(done)
            f.block(done)

    def _quick_write(self) -> None:
        f, access = self.f, self.access
        doubtful, before = [], []
        for cell in range(access.cells):
            written, tag, readers, earlier = self._load(cell, "write", "read", "readers", "earlier")
            before.append(written)
            alone = f.op("and", f.compare("icmp eq", tag, self.warp_tag), f.compare("icmp eq", readers, self.bit))
            read = f.op("and", self._now(tag), f.invert(alone))
            doubtful += [self._concurrent(written), read, self._now(earlier)]
        self._slow_if(doubtful)
        # Lanes that write to one place: the tag of the last of them is left.
        self._store(0, {"write": self.tag})
        (left,) = self._load(0, "write")
        lost = f.compare("icmp ne", left, self.tag)
        bits = f.bits(f.op("and", lost, self.active))
        f.branch(f.let(f"icmp eq i32 {bits}, 0"), "single", "several")
        f.block("several")
        self._store(0, {"write": before[0]})
        f.goto("slow")
        f.block("single")
        access_info = f.spread("i32", info(f, access.kind))
        for cell in range(access.cells):
            self._store(cell, {"write": self.tag, "write_info": access_info} if cell else {"write_info": access_info})

    # One lane after the other

    def _lane_by_lane(self, active: str) -> None:
        f, access = self.f, self.access
        f.store_lanes(self.address, "%warp", WARP["scratch"])
        columns = []
        if access.compares:
            for component in range(access.count):
                column = f.alloca(f"[{LANES} x i{8 * access.width}]")
                f.store_lanes(V(f"i{8 * access.width}", f"%value{component}"), column)
                columns.append(column)
        lane, head, after = for_each_lane(f, active)
        wide = f.let(f"zext i32 {lane} to i64")
        address = f.load("i64", f.field("%warp", WARP["scratch"]), f.let(f"mul i64 {wide}, 8"))
        arguments = ["ptr %ctx", "ptr %warp", f"i32 {lane}", f"i64 {address}"]
        pair = f.call(resolver(f.module, "shared"), RESOLVED, arguments)
        host = f.let(f"extractvalue {RESOLVED} {pair}, 0")
        room = f.let(f"extractvalue {RESOLVED} {pair}, 1")
        fits = f.let(f"icmp uge i64 {room}, {access.size}")
        straight = f.let(f"icmp eq i64 {f.let(f'and i64 {address}, {access.size - 1}')}, 0")
        f.branch(f.let(f"and i1 {fits}, {straight}"), "good", head)
        f.block("good")
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
        start = f.let(f"sub i64 {host}, {f.load('i64', '%ctx', CONTEXT['shared_host'])}")
        piece = f.let(f"lshr i64 {start}, {_log2(access.granule)}")
        cells = f.field(f.load("ptr", "%ctx", CONTEXT["shadow"]), f.let(f"mul i64 {piece}, {layout.CELL_FIELD_BYTES}"))
        for cell in range(access.cells):
            at = f.field(cells, cell * layout.CELL_FIELD_BYTES)
            told = ["ptr %ctx", "ptr %warp", f"i32 {lane}", f"ptr {at}", "i32 %site", f"i1 {same}"]
            f.call(cell_routine(f.module, access.kind), "void", told)
        next_lane(f, head, after)


def _signed(bits: int) -> int:
    return bits - (1 << 32) if bits >> 31 else bits


def _log2(number: int) -> int:
    return number.bit_length() - 1
