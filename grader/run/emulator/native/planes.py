"""Locates the cells of a warp's lanes, and loads and stores a plane of their records for all lanes at once.

In each half of a full warp the lanes' cells are often contiguous, or the same; otherwise they are gathered. An access
of several cells a lane is handled in chunks: 16 contiguous cells of each half, or one cell of each lane.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from grader.run.emulator import layout
from grader.run.emulator.layout import CELL
from grader.run.emulator.native.ir import LANES, IrFunction, V, lanes, splat

HALF = LANES // 2
ANY, NEAR, ONE = range(3)
_ORDER = lanes("i32", range(LANES))
_FIRST = lanes("i1", [1] * HALF + [0] * HALF)
_POSITION = lanes("i64", [lane % HALF for lane in range(LANES)])


class Cells:
    """The cells of one access.

    `first`: the address of each lane's first record (i64 lanes). `plane`: bytes from one plane to the next. `active`:
    the lanes, an i32. `count`: cells per lane.
    """

    def __init__(self, f: IrFunction, first: V, plane: str, active: str, count: int, writes: bool) -> None:
        self.f = f
        self.count = count
        self.active = f.mask(active)
        self._first = first
        self._plane = plane
        self._chunk = "0"
        self.beyond = ""
        """Byte offset of the plane "beyond" from the first one; set it before using that plane."""
        self._choose(active, writes)

    def _choose(self, active: str, writes: bool) -> None:
        f = self.f
        halves = lanes("i32", [0] * HALF + [HALF] * HALF)
        starts = V("i64", f.let(f"shufflevector {self._first}, {splat('i64', 0)}, {halves}"))
        relative = f.op("sub", self._first, starts)
        step = self.count * layout.RECORD_BYTES
        steps = lanes("i64", [lane % HALF * step for lane in range(LANES)])
        near = f.let(f"icmp eq i32 {f.bits(f.compare('icmp eq', relative, steps))}, -1")
        one = f.let(f"icmp eq i32 {f.bits(f.compare('icmp eq', relative, splat('i64', 0)))}, -1")
        full = f.let(f"icmp eq i32 {active}, -1")
        self._starts = [f.let(f"extractelement {self._first}, i32 {lane}") for lane in (0, HALF)]
        self._equal = f.let(f"icmp eq i64 {self._starts[0]}, {self._starts[1]}")
        same = ONE
        if writes:
            # Lanes that write to one place are checked one by one.
            gap = f.let(f"sub i64 {self._starts[0]}, {self._starts[1]}")
            distance = f.intrinsic("llvm.abs.i64", "i64", [f"i64 {gap}", "i1 false"])
            near = f.let(f"and i1 {near}, {f.let(f'icmp uge i64 {distance}, {HALF * step}')}")
            same = ANY
        kind = f.let(f"select i1 {near}, i32 {NEAR}, i32 {f.let(f'select i1 {one}, i32 {same}, i32 {ANY}')}")
        self.mode = f.let(f"select i1 {full}, i32 {kind}, i32 {ANY}")

    @contextmanager
    def each_chunk(self) -> Iterator[None]:
        """Emits the body once, to run for each chunk."""
        f = self.f
        if self.count == 1:
            yield
            return
        variable = f.alloca("i64", align=8)
        head, body, done = f.name_block("chunk"), f.name_block("cells"), f.name_block("chunks")
        f.store("i64", "0", variable)
        f.goto(head)
        f.block(head)
        at = f.load("i64", variable)
        f.branch(f.let(f"icmp ult i64 {at}, {self.count}"), body, done)
        f.block(body)
        f.store("i64", f.let(f"add i64 {at}, 1"), variable)
        self._chunk = at
        yield
        self._chunk = "0"
        f.goto(head)
        f.block(done)

    def lane(self) -> V:
        """Returns, by position, the lane that the cell belongs to."""
        f = self.f
        if self.count == 1:
            return lanes("i64", range(LANES))
        place = f.op("add", _POSITION, f.spread("i64", f.let(f"mul i64 {self._chunk}, {HALF}")))
        shared = f.op("lshr", place, splat("i64", self.count.bit_length() - 1))
        near = f.op("add", shared, lanes("i64", [0] * HALF + [HALF] * HALF))
        is_near = f.let(f"icmp eq i32 {self.mode}, {NEAR}")
        return V("i64", f.let(f"select i1 {is_near}, {near}, {lanes('i64', range(LANES))}"))

    def sharers(self, lane: V) -> V:
        """Returns, by position, the lanes (bits) that share the cell, as far as the pattern tells."""
        f = self.f
        bit = f.op("shl", splat("i64", 1), lane)
        other = f.op("shl", splat("i64", 1), f.op("xor", lane, splat("i64", HALF)))
        half = lanes("i64", [0xFFFF] * HALF + [0xFFFF0000] * HALF)
        near = V("i64", f.let(f"select i1 {self._equal}, {f.op('or', bit, other)}, {bit}"))
        one = V("i64", f.let(f"select i1 {self._equal}, {splat('i64', 0xFFFFFFFF)}, {half}"))
        is_one = f.let(f"icmp eq i32 {self.mode}, {ONE}")
        is_near = f.let(f"icmp eq i32 {self.mode}, {NEAR}")
        rest = V("i64", f.let(f"select i1 {is_near}, {near}, {bit}"))
        return V("i64", f.let(f"select i1 {is_one}, {one}, {rest}"))

    def load(self, plane: str) -> V:
        """Loads a plane of the chunk's cells."""
        f = self.f
        found = self._by_pattern(
            lambda: self._load_near(plane), lambda: self._load_one(plane), lambda: self._gather(plane)
        )
        choices = ", ".join(f"[ {value.r}, %{block} ]" for value, block in found if value is not None)
        return V("i64", f.let(f"phi <{LANES} x i64> {choices}"))

    def store(self, plane: str, value: V, where: V | None = None) -> None:
        """Stores a plane of the chunk's cells, only where `where` holds."""
        self._by_pattern(
            lambda: self._store_near(plane, value, where),
            lambda: self._store_one(plane, value, where),
            lambda: self._scatter(plane, value, where),
        )

    def _by_pattern(
        self, near: Callable[[], V | None], one: Callable[[], V | None], general: Callable[[], V | None]
    ) -> list[tuple[V | None, str]]:
        f = self.f
        names = [f.name_block(n) for n in ("near", "one", "general")]
        join = f.name_block("join")
        known = f"i32 {NEAR}, label %{names[0]} i32 {ONE}, label %{names[1]}"
        f.do(f"switch i32 {self.mode}, label %{names[2]} [ {known} ]")
        results = []
        for name, emit in zip(names, (near, one, general), strict=True):
            f.block(name)
            results.append((emit(), name))
            f.goto(join)
        f.block(join)
        return results

    def _moved(self, plane: str, bytes_a_chunk: int) -> str:
        """Returns the byte offset of a plane in this chunk from the first plane of the first chunk."""
        f = self.f
        moved = self.beyond if plane == "beyond" else f.let(f"mul i64 {self._plane}, {CELL[plane]}")
        if self.count == 1:
            return moved
        return f.let(f"add i64 {moved}, {f.let(f'mul i64 {self._chunk}, {bytes_a_chunk}')}")

    def _at(self, start: str, moved: str) -> str:
        return self.f.let(f"inttoptr i64 {self.f.let(f'add i64 {start}, {moved}')} to ptr")

    def _load_near(self, plane: str) -> V:
        f, t = self.f, f"<{HALF} x i64>"
        moved = self._moved(plane, HALF * layout.RECORD_BYTES)
        low, high = (f.let(f"load {t}, ptr {self._at(start, moved)}, align 8") for start in self._starts)
        return V("i64", f.let(f"shufflevector {t} {low}, {t} {high}, {_ORDER}"))

    def _load_one(self, plane: str) -> V:
        f = self.f
        moved = self._moved(plane, layout.RECORD_BYTES)
        low, high = (f.load("i64", self._at(start, moved)) for start in self._starts)
        return f.select(_FIRST, f.spread("i64", low), f.spread("i64", high))

    def _store_near(self, plane: str, value: V, where: V | None) -> None:
        f = self.f
        moved = self._moved(plane, HALF * layout.RECORD_BYTES)
        for start, offset in zip(self._starts, (0, HALF), strict=True):
            picked = f"<{HALF} x i32> <" + ", ".join(f"i32 {offset + lane}" for lane in range(HALF)) + ">"
            part = f.let(f"shufflevector {value}, {value.type} poison, {picked}")
            pointer = self._at(start, moved)
            if where is None:
                f.do(f"store <{HALF} x i64> {part}, ptr {pointer}, align 8")
                continue
            mask = f.let(f"shufflevector {where}, {where.type} poison, {picked}")
            arguments = [f"<{HALF} x i64> {part}", f"ptr {pointer}", "i32 8", f"<{HALF} x i1> {mask}"]
            f.intrinsic(f"llvm.masked.store.v{HALF}i64.p0", "void", arguments)

    def _store_one(self, plane: str, value: V, where: V | None) -> None:
        f = self.f
        moved = self._moved(plane, layout.RECORD_BYTES)
        for start, lane in zip(self._starts, (0, HALF), strict=True):
            new, pointer = f.let(f"extractelement {value}, i32 {lane}"), self._at(start, moved)
            if where is not None:
                wanted = f.let(f"extractelement {where}, i32 {lane}")
                new = f.let(f"select i1 {wanted}, i64 {new}, i64 {f.load('i64', pointer)}")
            f.store("i64", new, pointer)

    def _pointers(self, plane: str) -> str:
        f = self.f
        moved = f.op("add", self._first, f.spread("i64", self._moved(plane, layout.RECORD_BYTES)))
        return f"<{LANES} x ptr> {f.let(f'inttoptr {moved} to <{LANES} x ptr>')}"

    def _gather(self, plane: str) -> V:
        arguments = [self._pointers(plane), "i32 8", str(self.active), str(splat("i64", 0))]
        name = f"llvm.masked.gather.v{LANES}i64.v{LANES}p0"
        return V("i64", self.f.intrinsic(name, f"<{LANES} x i64>", arguments))

    def _scatter(self, plane: str, value: V, where: V | None) -> None:
        arguments = [str(value), self._pointers(plane), "i32 8", str(where or self.active)]
        self.f.intrinsic(f"llvm.masked.scatter.v{LANES}i64.v{LANES}p0", "void", arguments)
