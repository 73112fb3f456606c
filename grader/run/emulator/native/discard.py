"""Discards memory (discard.L2): its bytes become undefined, as if nobody had written them."""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, RECORD_BYTES, WARP
from grader.run.emulator.native.flow import for_each_index, where
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V
from grader.run.emulator.native.records import Kind
from grader.run.emulator.native.regions import CheckedAccess, log2, region_at
from grader.run.emulator.native.resolve import checked_host, for_each_lane, next_lane, report

SIZE = 128
"""Bytes of a line, the only size that exists."""
_PATTERN = -1
"""The byte that fills a line: floats made of it are NaN."""


def discard_routine(module: IrModule, granule: int) -> str:
    """Returns the routine `(ctx, warp, addresses, mask, site)`: each lane discards a line.

    `granule`: bytes per cell of the race checks, 0 if they are off.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "warp"), (f"<{LANES} x i64>", "address"), ("i32", "mask"), ("i32", "site")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        owner.declare("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"])
        living = f.let(f"xor i32 {f.load('i32', '%warp', WARP['dead'])}, -1")
        f.store_lanes(V("i64", "%address"), "%warp", WARP["scratch"])
        outside, misaligned = f.alloca("i32", align=4), f.alloca("i32", align=4)
        f.store("i32", "0", outside)
        f.store("i32", "0", misaligned)
        lane, head, after = for_each_lane(f, f.let(f"and i32 %mask, {living}"))
        offset = f.let(f"mul i64 {f.let(f'zext i32 {lane} to i64')}, 8")
        address = f.load("i64", f.field("%warp", WARP["scratch"]), offset)
        host = checked_host(f, "global", lane, address, SIZE, head, outside, misaligned, writes=True)
        f.do(f"call void @llvm.memset.p0.i64(ptr {host}, i8 {_PATTERN}, i64 {SIZE}, i1 false)")
        if granule:
            _forget(f, granule, address)
        next_lane(f, head, after)
        report(f, layout.EVENT_OUT_OF_BOUNDS, "%site", f.load("i32", outside))
        report(f, layout.EVENT_MISALIGNED, "%site", f.load("i32", misaligned))
        f.do("ret void")
        return f

    return module.routine("discard", build)


def _forget(f: IrFunction, granule: int, address: str) -> None:
    region = region_at(f, CheckedAccess(Kind(False, True), "global", SIZE, 1, granule, granule), address)
    wanted = f.let(f"icmp ne i32 {f.load('i32', '%ctx', CONTEXT['sanitize'])}, 0")
    with where(f, f.let(f"and i1 {wanted}, {f.let(f'icmp ne i64 {region.records}, 0')}"), "watched"):
        piece = f.let(f"lshr i64 {f.let(f'sub i64 {address}, {region.base}')}, {log2(granule)}")
        first = f.let(f"add i64 {region.records}, {f.let(f'mul i64 {piece}, {RECORD_BYTES}')}")
        cells = f.let(f"inttoptr i64 {first} to ptr")
        with for_each_index(f, str(SIZE // granule), "cell") as at:
            place = f.field(cells, f.let(f"mul i64 {f.let(f'zext i32 {at} to i64')}, {RECORD_BYTES}"))
            f.do(f"store atomic i64 0, ptr {place} monotonic, align 8")
