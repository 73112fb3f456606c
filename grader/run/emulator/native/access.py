"""Emits checked loads and stores of a whole warp: exact bounds per array, and natural alignment.

The usual patterns (in each half of the warp, neighbouring lanes or one common address) become plain vector accesses;
all others use gather and scatter; faults and narrow types go lane by lane. LLVM cannot look into the routines, which
may call Python, so it neither merges nor moves accesses. Volatile accesses therefore need nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, WARP
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, lanes, splat
from grader.run.emulator.native.resolve import checked_host, for_each_lane, next_lane, report, table_entry

HALF = LANES // 2


@dataclass(frozen=True)
class Access:
    """A kind of access: `count` components of `width` bytes each. `space` is shared, global, local or generic."""

    store: bool
    space: str
    width: int
    count: int = 1

    @property
    def size(self) -> int:
        return self.width * self.count

    @property
    def lane_type(self) -> str:
        return f"i{8 * self.width}"

    @property
    def vector_type(self) -> str:
        return f"<{LANES} x {self.lane_type}>"

    @property
    def returns(self) -> str:
        if self.store:
            return "void"
        return self.vector_type if self.count == 1 else "{ " + ", ".join([self.vector_type] * self.count) + " }"

    @property
    def name(self) -> str:
        verb = "store" if self.store else "load"
        return f"{verb}_{self.space}_{self.width}x{self.count}"


def access_routine(module: IrModule, access: Access) -> str:
    """Returns the routine `(ctx, warp, addresses, mask, site[, values…]) -> values`, defined on first use."""

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [
            ("ptr", "ctx"),
            ("ptr", "warp"),
            (f"<{LANES} x i64>", "address"),
            ("i32", "mask"),
            ("i32", "site"),
        ]
        if access.store:
            arguments += [(access.vector_type, f"value{c}") for c in range(access.count)]
        f = IrFunction(owner, name, access.returns, arguments, attributes="nounwind noinline")
        _Body(f, access).emit()
        return f

    return module.routine(access.name, build)


class _Body:
    def __init__(self, f: IrFunction, access: Access) -> None:
        self.f = f
        self.access = access
        self.address = V("i64", "%address")

    def emit(self) -> None:
        f, access = self.f, self.access
        dead = f.load("i32", "%warp", WARP["dead"])
        mask = f.let(f"and i32 %mask, {f.let(f'xor i32 {dead}, -1')}")
        f.branch(f.let(f"icmp eq i32 {mask}, 0"), "none", "some", unlikely=True)
        f.block("none")
        self._return([splat(access.lane_type, 0)] * access.count)
        f.block("some")
        vectorised = 4 <= access.width <= 8
        if access.space != "local":
            self._table(mask, vectorised)
        elif vectorised:
            self._local(mask)
        else:
            f.goto("slow")
        f.block("slow")
        self._lane_by_lane(mask)

    def _return(self, values: list[V]) -> None:
        f, access = self.f, self.access
        if access.store:
            f.do("ret void")
        elif access.count == 1:
            f.do(f"ret {values[0]}")
        else:
            packed = "poison"
            for index, value in enumerate(values):
                packed = f.let(f"insertvalue {access.returns} {packed}, {value}, {index}")
            f.do(f"ret {access.returns} {packed}")

    # Arrays of the global and shared tables

    def _table(self, mask: str, vectorised: bool) -> None:
        f, access = self.f, self.access
        if not vectorised and access.count > 1:
            f.goto("slow")
            return
        leader = f.intrinsic("llvm.cttz.i32", "i32", [f"i32 {mask}", "i1 true"])
        first = f.let(f"extractelement {self.address}, i32 {leader}")
        delta, base, size = self._entry(first)
        if access.count == 1:
            self._patterns(mask, delta, base, size)
        if not vectorised:
            f.goto("slow")
            return
        limit = self._limit(size, access.size)
        offset = f.op("sub", self.address, f.spread("i64", base))
        inside = f.compare("icmp ult", offset, f.spread("i64", limit))
        self._gather_scatter(mask, inside, f.op("add", self.address, f.spread("i64", delta)))

    def _entry(self, first: str) -> tuple[str, str, str]:
        f, access = self.f, self.access
        if access.space != "generic":
            return table_entry(f, access.space, first, access.store)
        window = f.let(f"lshr i64 {first}, {layout.SLOT_BITS}")
        f.do(f"switch i64 {window}, label %global [ i64 1, label %shared i64 2, label %slow ]")
        f.block("shared")
        inner = f.let(f"sub i64 {first}, {layout.SHARED_WINDOW}")
        s_delta, s_base, s_size = table_entry(f, "shared", inner, access.store)
        s_base = f.let(f"add i64 {s_base}, {layout.SHARED_WINDOW}")
        s_delta = f.let(f"sub i64 {s_delta}, {layout.SHARED_WINDOW}")
        f.goto("found")
        f.block("global")
        g_delta, g_base, g_size = table_entry(f, "global", first, access.store)
        f.goto("found")
        f.block("found")
        pairs = ((s_delta, g_delta), (s_base, g_base), (s_size, g_size))
        delta, base, size = (f.let(f"phi i64 [ {s}, %shared ], [ {g}, %global ]") for s, g in pairs)
        return delta, base, size

    def _limit(self, size: str, needed: int) -> str:
        """Returns the offset below which `needed` bytes fit into an array of `size` bytes."""
        return self.f.intrinsic("llvm.usub.sat.i64", "i64", [f"i64 {size}", f"i64 {needed - 1}"])

    def _patterns(self, mask: str, delta: str, base: str, size: str) -> None:
        """Handles full warps whose halves are contiguous or uniform; all others continue in the block `general`."""
        f, access = self.f, self.access
        f.branch(f.let(f"icmp eq i32 {mask}, -1"), "full", "general")
        f.block("full")
        halves = lanes("i32", [0] * HALF + [HALF] * HALF)
        starts = V("i64", f.let(f"shufflevector {self.address}, {splat('i64', 0)}, {halves}"))
        relative = f.op("sub", self.address, starts)
        low = f.let(f"extractelement {self.address}, i32 0")
        high = f.let(f"extractelement {self.address}, i32 {HALF}")
        steps = lanes("i64", [(lane % HALF) * access.width for lane in range(LANES)])
        contiguous = f.bits(f.compare("icmp eq", relative, steps))
        f.branch(f.let(f"icmp eq i32 {contiguous}, -1"), "contiguous", "scattered")
        f.block("contiguous")
        self._both_inside(low, high, base, self._limit(size, HALF * access.width), "contiguous.in")
        f.block("contiguous.in")
        self._halves(self._host(low, delta), self._host(high, delta), uniform=False)
        f.block("scattered")
        if access.store:
            f.goto("general")
        else:
            uniform = f.bits(f.compare("icmp eq", relative, splat("i64", 0)))
            f.branch(f.let(f"icmp eq i32 {uniform}, -1"), "uniform", "general")
            f.block("uniform")
            self._both_inside(low, high, base, self._limit(size, access.width), "uniform.in")
            f.block("uniform.in")
            self._halves(self._host(low, delta), self._host(high, delta), uniform=True)
        f.block("general")

    def _host(self, address: str, delta: str) -> str:
        return self.f.let(f"inttoptr i64 {self.f.let(f'add i64 {address}, {delta}')} to ptr")

    def _both_inside(self, low: str, high: str, base: str, limit: str, then: str) -> None:
        f = self.f
        fits = [f.let(f"icmp ult i64 {f.let(f'sub i64 {a}, {base}')}, {limit}") for a in (low, high)]
        misaligned = f.let(f"and i64 {f.let(f'or i64 {low}, {high}')}, {self.access.width - 1}")
        straight = f.let(f"icmp eq i64 {misaligned}, 0")
        both = f.let(f"and i1 {fits[0]}, {fits[1]}")
        f.branch(f.let(f"and i1 {both}, {straight}"), then, "general")

    def _halves(self, low: str, high: str, uniform: bool) -> None:
        f, access = self.f, self.access
        t, half, align = access.lane_type, f"<{HALF} x {access.lane_type}>", access.width
        joined = "<" + ", ".join(f"i32 {i}" for i in range(LANES)) + ">"
        if access.store:
            for pointer, start in ((low, 0), (high, HALF)):
                picked = "<" + ", ".join(f"i32 {start + i}" for i in range(HALF)) + ">"
                part = f.let(
                    f"shufflevector {access.vector_type} %value0, {access.vector_type} poison, <{HALF} x i32> {picked}"
                )
                f.do(f"store {half} {part}, ptr {pointer}, align {align}")
            f.do("ret void")
            return
        parts = []
        for pointer in (low, high):
            if uniform:
                value = f.let(f"load {t}, ptr {pointer}, align {align}")
                one = f.let(f"insertelement {half} poison, {t} {value}, i32 0")
                parts.append(f.let(f"shufflevector {half} {one}, {half} poison, <{HALF} x i32> zeroinitializer"))
            else:
                parts.append(f.let(f"load {half}, ptr {pointer}, align {align}"))
        whole = f.let(f"shufflevector {half} {parts[0]}, {half} {parts[1]}, <{LANES} x i32> {joined}")
        f.do(f"ret {access.vector_type} {whole}")

    def _gather_scatter(self, mask: str, inside: V, host: V) -> None:
        f, access = self.f, self.access
        low = f.op("and", self.address, splat("i64", access.size - 1))
        good = f.op("and", inside, f.compare("icmp eq", low, splat("i64", 0)))
        bad = f.let(f"and i32 {mask}, {f.let(f'xor i32 {f.bits(good)}, -1')}")
        f.branch(f.let(f"icmp eq i32 {bad}, 0"), "quick", "slow")
        f.block("quick")
        active = f.mask(mask)
        pointers = f"<{LANES} x ptr>"
        suffix = f"v{LANES}{access.lane_type}.v{LANES}p0"
        values = []
        for component in range(access.count):
            there = f.op("add", host, splat("i64", component * access.width)) if component else host
            where = f.let(f"inttoptr {there} to {pointers}")
            align = f"i32 {access.width}"
            if access.store:
                f.intrinsic(
                    f"llvm.masked.scatter.{suffix}",
                    "void",
                    [f"{access.vector_type} %value{component}", f"{pointers} {where}", align, str(active)],
                )
            else:
                passed = splat(access.lane_type, 0)
                arguments = [f"{pointers} {where}", align, str(active), str(passed)]
                values.append(V(access.lane_type, f.intrinsic(f"llvm.masked.gather.{suffix}", passed.type, arguments)))
        self._return(values)

    # Local memory: each lane has its own

    def _local(self, mask: str) -> None:
        f = self.f
        limit = self._limit(f.load("i64", "%ctx", CONTEXT["local_bytes"]), self.access.size)
        inside = f.compare("icmp ult", self.address, f.spread("i64", limit))
        stride = f.spread("i64", f.load("i64", "%ctx", CONTEXT["local_stride"]))
        start = f.op("mul", stride, lanes("i64", range(LANES)))
        base = f.op("add", start, f.spread("i64", f.load("i64", "%warp", WARP["local"])))
        self._gather_scatter(mask, inside, f.op("add", base, self.address))

    # Lane by lane

    def _lane_by_lane(self, mask: str) -> None:
        f, access = self.f, self.access
        f.store_lanes(self.address, "%warp", WARP["scratch"])
        outside, misaligned = f.alloca("i32", align=4), f.alloca("i32", align=4)
        f.store("i32", "0", outside)
        f.store("i32", "0", misaligned)
        columns = [f.alloca(f"[{LANES} x {access.lane_type}]") for _ in range(access.count)]
        for index, column in enumerate(columns):
            initial = V(access.lane_type, f"%value{index}") if access.store else splat(access.lane_type, 0)
            f.store_lanes(initial, column)
        lane, head, after = for_each_lane(f, mask)
        wide = f.let(f"zext i32 {lane} to i64")
        address = f.load("i64", f.field("%warp", WARP["scratch"]), f.let(f"mul i64 {wide}, 8"))
        host = checked_host(f, access.space, lane, address, access.size, head, outside, misaligned, access.store)
        for index, column in enumerate(columns):
            own = f.field(column, f.let(f"mul i64 {wide}, {access.width}"))
            there = f.field(host, index * access.width)
            source, target = (own, there) if access.store else (there, own)
            value = f.let(f"load {access.lane_type}, ptr {source}, align {access.width}")
            f.do(f"store {access.lane_type} {value}, ptr {target}, align {access.width}")
        next_lane(f, head, after)
        report(f, layout.EVENT_OUT_OF_BOUNDS, "%site", f.load("i32", outside))
        report(f, layout.EVENT_MISALIGNED, "%site", f.load("i32", misaligned))
        self._return([] if access.store else [f.load_lanes(access.lane_type, column) for column in columns])
