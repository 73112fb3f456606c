"""Places that threads synchronise through: what the releases at each address cover.

An acquisition takes the releases of its place. A place has the time of the latest of them, and a clock: by warp of the
block, or by block of the launch, how far they cover it. Addresses are hashed to slots, so two places may share one:
then more is taken as ordered than is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, LAUNCH, WARP
from grader.run.emulator.native.flow import where
from grader.run.emulator.native.ir import LANES, IrFunction, V, splat
from grader.run.emulator.native.resolve import for_each_lane, next_lane

ARGUMENTS = [("ptr", "ctx"), ("ptr", "warp"), (f"<{LANES} x i64>", "address"), ("i32", "mask")]
_GOLDEN = 2654435761
"""Knuth's multiplier for 32-bit hashes, 2^32 over the golden ratio."""
_OF_SLOT = 0x85EBCA6B
"""An odd number without a pattern: the first multiplier of MurmurHash3's finalizer."""


@dataclass(frozen=True)
class Places:
    """The place table of a block, or of the launch if `far`, for an access of `words` words to `%address`."""

    f: IrFunction
    words: int
    far: bool

    def _table(self, field: str) -> str:
        f = self.f
        if self.far:
            return f.field(f.load("ptr", "%ctx", CONTEXT["launch"]), LAUNCH[field])
        return f.field("%ctx", CONTEXT[field])

    def _slots(self, word: int) -> V:
        """Returns, by lane, the byte offset of the slot of word number `word`."""
        f = self.f
        bits = layout.FAR_PLACE_BITS if self.far else layout.PLACE_BITS
        address = V("i64", "%address")
        number = f.cast("trunc", f.op("lshr", address, splat("i64", 2)), "i32")
        # Addresses of different arrays may differ only in the array slot. Shared memory has slot 0, generic or not.
        slot = f.op("lshr", address, splat("i64", layout.SLOT_BITS))
        window = f.compare("icmp eq", slot, splat("i64", layout.SHARED_WINDOW >> layout.SLOT_BITS))
        slot = f.cast("trunc", f.select(window, splat("i64", 0), slot), "i32")
        number = f.op("add", number, f.op("mul", slot, splat("i32", _OF_SLOT)))
        mixed = f.op("mul", f.op("add", number, splat("i32", word)), splat("i32", _GOLDEN))
        offset = f.op("shl", f.op("lshr", mixed, splat("i32", 32 - bits)), splat("i32", 2))
        return f.cast("zext", offset, "i64")

    @contextmanager
    def _each(self, word: int, active: str) -> Iterator[tuple[str, str]]:
        """Emits the body for the slots of these lanes; yields the addresses of the slot's time and of its clock.

        Lanes in a row that share a slot count as one.
        """
        f = self.f
        f.store_lanes(self._slots(word), "%warp", WARP["scratch"])
        times, clocks = self._table("places"), self._table("place_clocks")
        last = f.alloca("i64", align=8)
        f.store("i64", "-1", last)
        lane, head, after = for_each_lane(f, active)
        wide = f.let(f"mul i64 {f.let(f'zext i32 {lane} to i64')}, 8")
        offset = f.load("i64", f.field("%warp", WARP["scratch"]), wide)
        with where(f, f.let(f"icmp ne i64 {offset}, {f.load('i64', last)}"), "slot"):
            f.store("i64", offset, last)
            yield f.field(times, offset), f.field(clocks, f.let(f"mul i64 {offset}, {LANES}"))
        next_lane(f, head, after)

    def latest(self, active: str) -> V:
        """Returns by lane the time of the last release at its place, 0 for none and for lanes that are not active."""
        f = self.f
        base = f.spread("i64", f.let(f"ptrtoint ptr {self._table('places')} to i64"))
        found = splat("i32", 0)
        for word in range(self.words):
            pointers = f.let(f"inttoptr {f.op('add', base, self._slots(word))} to <{LANES} x ptr>")
            arguments = [f"<{LANES} x ptr> {pointers}", "i32 4", str(f.mask(active)), str(splat("i32", 0))]
            name = f"llvm.masked.gather.v{LANES}i32.v{LANES}p0"
            found = f.map("llvm.umax", found, V("i32", f.intrinsic(name, f"<{LANES} x i32>", arguments)))
        return found

    def clock(self, active: str) -> V:
        """Returns what the releases at the places of these lanes cover."""
        f = self.f
        known = f.alloca(f"<{LANES} x i32>")
        f.store_lanes(splat("i32", 0), known)
        for word in range(self.words):
            with self._each(word, active) as (time, clock):
                there = f.compare("icmp ne", f.spread("i32", f.load("i32", time)), splat("i32", 0))
                more = f.select(there, f.load_lanes("i32", clock), splat("i32", 0))
                f.store_lanes(f.map("llvm.umax", f.load_lanes("i32", known), more), known)
        return f.load_lanes("i32", known)

    def release(self, active: str, clock: V) -> None:
        """Adds a release to the places of these lanes. Other cores may do so meanwhile if the table is the launch's."""
        f = self.f
        latest = f.reduce("umax", clock)
        for word in range(self.words):
            with self._each(word, active) as (time, known):
                if self.far:
                    self._raise_together(known, clock)
                    before = f.let(f"load atomic i32, ptr {time} monotonic, align 4")
                    with where(f, f.let(f"icmp ult i32 {before}, {latest}"), "later"):
                        f.do(f"atomicrmw umax ptr {time}, i32 {latest} seq_cst")
                else:
                    before = f.load("i32", time)
                    fresh = f.let(f"icmp eq i32 {before}, 0")
                    old = f.let(f"select i1 {fresh}, {splat('i32', 0)}, {f.load_lanes('i32', known)}")
                    f.store_lanes(f.map("llvm.umax", V("i32", old), clock), known)
                    both = [f"i32 {before}", f"i32 {latest}"]
                    f.store("i32", f.intrinsic("llvm.umax.i32", "i32", both), time)

    def _raise_together(self, known: str, clock: V) -> None:
        """Raises the entries of the clock at `known` that are below those of `clock`."""
        f = self.f
        values = f.alloca(f"<{LANES} x i32>")
        f.store_lanes(clock, values)
        later = f.bits(f.compare("icmp ult", f.load_lanes("i32", known), clock))
        number, head, after = for_each_lane(f, later)
        place = f.let(f"shl i64 {f.let(f'zext i32 {number} to i64')}, 2")
        f.do(f"atomicrmw umax ptr {f.field(known, place)}, i32 {f.load('i32', values, place)} seq_cst")
        next_lane(f, head, after)
