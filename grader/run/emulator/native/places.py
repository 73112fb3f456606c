"""Places that threads synchronise through: the time of the last release at each address.

An acquisition takes the latest release of its place. Addresses are hashed to slots, so two places may share one: then
more is taken as ordered than is.
"""

from __future__ import annotations

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

    def _table(self) -> str:
        f = self.f
        if self.far:
            return f.field(f.load("ptr", "%ctx", CONTEXT["launch"]), LAUNCH["places"])
        return f.field("%ctx", CONTEXT["places"])

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

    def latest(self, active: str) -> str:
        """Returns the time of the last release at the places of these lanes."""
        f = self.f
        base = f.spread("i64", f.let(f"ptrtoint ptr {self._table()} to i64"))
        found = splat("i32", 0)
        for word in range(self.words):
            pointers = f.let(f"inttoptr {f.op('add', base, self._slots(word))} to <{LANES} x ptr>")
            arguments = [f"<{LANES} x ptr> {pointers}", "i32 4", str(f.mask(active)), str(splat("i32", 0))]
            name = f"llvm.masked.gather.v{LANES}i32.v{LANES}p0"
            found = f.map("llvm.umax", found, V("i32", f.intrinsic(name, f"<{LANES} x i32>", arguments)))
        return f.reduce("umax", found)

    def release(self, active: str, time: str) -> None:
        """Stores a time at the places of these lanes, unless a later one is there. Other cores may do so meanwhile."""
        f = self.f
        table = self._table()
        for word in range(self.words):
            f.store_lanes(self._slots(word), "%warp", WARP["scratch"])
            lane, head, after = for_each_lane(f, active)
            wide = f.let(f"mul i64 {f.let(f'zext i32 {lane} to i64')}, 8")
            slot = f.field(table, f.load("i64", f.field("%warp", WARP["scratch"]), wide))
            known = f.let(f"load atomic i32, ptr {slot} monotonic, align 4")
            with where(f, f.let(f"icmp ult i32 {known}, {time}"), "later"):
                f.do(f"atomicrmw umax ptr {slot}, i32 {time} seq_cst")
            next_lane(f, head, after)
