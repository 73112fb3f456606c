"""Asynchronous copies from global to shared memory (cp.async): the list of pending copies, and their completion.

Each warp has a list. Bytes move when a copy is waited for, so that whoever reads earlier finds the old contents. Until
then the race checks treat the target's cells as written, and the source's as read, by an access that nothing orders.
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, COPY, RECORD_BYTES, TAG_SHIFT, WARP
from grader.run.emulator.native.flow import for_each_index, where
from grader.run.emulator.native.ir import IrFunction, IrModule, splat
from grader.run.emulator.native.records import PENDING
from grader.run.emulator.native.resolve import for_each_lane, next_lane

_BOTH = [("ptr", "ctx"), ("ptr", "warp")]
_RECORD_MASK = (1 << layout.EPOCH_SHIFT) - 1
_PENDING_TAG = PENDING >> TAG_SHIFT
"""The upper half of a pending record with its thread bits 0, as a negative i32."""


def offset_of(f: IrFunction, index: str, size: int) -> str:
    """Returns the byte offset of element `index` (i32), `size` bytes each, as an i64."""
    return f.let(f"mul i64 {f.let(f'zext i32 {index} to i64')}, {size}")


def entry_at(f: IrFunction, warp: str, index: str) -> str:
    """Returns the address of a copy in a warp's list, by its index (i32)."""
    start = f.field(f.load("ptr", warp, WARP["copies"]), layout.COPY_LIST["copies"])
    return f.field(start, offset_of(f, index, layout.COPY.size))


def lane_pointer(f: IrFunction, entry: str, name: str, lane: str, size: int = 8) -> str:
    """Returns the address of lane `lane`'s element in field `name` of an entry; `size` is the bytes of an element."""
    return f.field(f.field(entry, COPY[name]), offset_of(f, lane, size))


def cell_count(f: IrFunction, size: str, shift: str) -> str:
    """Returns the number of cells that `size` bytes cover; `shift` is log2 of the granule."""
    more = f.let(f"sub i32 {f.let(f'shl i32 1, {shift}')}, 1")
    return f.let(f"lshr i32 {f.let(f'add i32 {size}, {more}')}, {shift}")


def move_routine(module: IrModule) -> str:
    """Returns the routine `(copy, lanes)`, which moves the bytes of these lanes' copies."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", [("ptr", "copy"), ("i32", "lanes")], attributes="nounwind noinline")
        owner.declare("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"])
        owner.declare("llvm.memcpy.p0.p0.i64", "void", ["ptr", "ptr", "i64", "i1"])
        size = f.load("i32", "%copy", COPY["size"])
        lane, head, after = for_each_lane(f, "%lanes")
        source, target = (f.load("ptr", lane_pointer(f, "%copy", side, lane)) for side in ("source", "target"))
        bytes_ = f.load("i32", lane_pointer(f, "%copy", "bytes", lane, 4))
        wide = f.let(f"zext i32 {bytes_} to i64")
        f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {wide}, i1 false)")
        rest = f.let(f"zext i32 {f.let(f'sub i32 {size}, {bytes_}')} to i64")
        f.do(f"call void @llvm.memset.p0.i64(ptr {f.field(target, wide)}, i8 0, i64 {rest}, i1 false)")
        next_lane(f, head, after)
        f.do("ret void")
        return f

    return module.routine("copy_move", build)


def settle_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, copy, lanes, issued)`: these lanes' pending accesses become ordinary.

    `issued`: they count as made when the copy was issued, as for copies that a barrier object has tracked.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [*_BOTH, ("ptr", "copy"), ("i32", "lanes"), ("i1", "issued")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        mask = f.load("i32", "%copy", COPY["mask"])
        f.store("i32", f.let(f"and i32 {mask}, {f.let('xor i32 %lanes, -1')}"), "%copy", COPY["mask"])
        tracked = f.compare("icmp ne", f.load_lanes("i32", "%copy", COPY["barrier"]), splat("i32", 0))
        moved = f.bits(tracked)
        unmoved = f.let(f"and i32 %lanes, {f.let(f'xor i32 {moved}, -1')}")
        f.call(move_routine(owner), "void", ["ptr %copy", f"i32 {unmoved}"])
        cells = f.load("i32", "%copy", COPY["cells"])
        with where(f, f.let(f"icmp ne i32 {cells}, 0"), "checked"):
            lane, head, after = for_each_lane(f, "%lanes")
            inputs = ["ptr %ctx", "ptr %warp", f"i32 {lane}"]
            bytes_ = f.load("i32", lane_pointer(f, "%copy", "bytes", lane, 4))
            read = cell_count(f, bytes_, f.load("i32", "%copy", COPY["shift"]))
            begun, now = f.load("i64", "%copy", COPY["now"]), f.load("i64", "%ctx", CONTEXT["now"])
            # Times count from the base of their chunk.
            moved_on = f.let(f"icmp ult i64 {begun}, {f.load('i64', '%ctx', CONTEXT['chunk'])}")
            epoch = f.let(f"select i1 {f.let(f'and i1 %issued, {moved_on}')}, i64 {begun}, i64 {now}")
            inputs += [f"i64 {epoch}", "i1 %issued"]
            for side, count in (("target", cells), ("source", read)):
                first = f.load("i64", lane_pointer(f, "%copy", f"{side}_cell", lane))
                f.call(stamp_routine(owner), "void", [*inputs, f"i64 {first}", f"i32 {count}"])
            next_lane(f, head, after)
        f.do("ret void")
        return f

    return module.routine("copy_settle", build)


def stamp_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, lane, epoch, issued, cells, count)`.

    It turns the lane's pending records in these cells into ordinary ones.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [*_BOTH, ("i32", "lane"), ("i64", "epoch"), ("i1", "issued"), ("i64", "cells"), ("i32", "count")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        number = f.load("i32", "%warp", WARP["index"])
        thread = f.let(f"or i32 {f.let(f'shl i32 {number}, 5')}, %lane")
        pending = f.let(f"or i32 {thread}, {_PENDING_TAG}")
        time = f.let(f"zext i32 {f.load('i32', '%ctx', CONTEXT['time'])} to i64")
        cells = f.let("inttoptr i64 %cells to ptr")
        known = f.let("icmp ne i64 %cells, 0")
        with for_each_index(f, f.let(f"select i1 {known}, i32 %count, i32 0"), "cell") as at:
            place = f.field(cells, offset_of(f, at, RECORD_BYTES))
            record = f.let(f"load atomic i64, ptr {place} monotonic, align 8")
            tag = f.let(f"trunc i64 {f.let(f'lshr i64 {record}, {TAG_SHIFT}')} to i32")
            with where(f, f.let(f"icmp eq i32 {tag}, {pending}"), "own"):
                kept = f.let(f"and i64 {record}, {_RECORD_MASK}")
                undated = f.let(f"and i64 {kept}, {_RECORD_MASK & ~0xFFFF}")
                dated = f.let(f"or i64 {undated}, {time}")
                chosen = f.let(f"select i1 %issued, i64 {kept}, i64 {dated}")
                f.do(f"store atomic i64 {f.let(f'or i64 {chosen}, %epoch')}, ptr {place} monotonic, align 8")
        f.do("ret void")
        return f

    return module.routine("copy_stamp", build)


def sweep_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp)`, which removes completed copies from the warp's list."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", _BOTH, attributes="nounwind noinline")
        owner.declare("llvm.memmove.p0.p0.i64", "void", ["ptr", "ptr", "i64", "i1"])
        count = f.load("i32", "%warp", WARP["copy_count"])
        kept = f.alloca("i32", align=4)
        f.store("i32", "0", kept)
        with for_each_index(f, count, "sweep") as at:
            entry = entry_at(f, "%warp", at)
            with where(f, f.let(f"icmp ne i32 {f.load('i32', entry, COPY['mask'])}, 0"), "keep"):
                to = f.load("i32", kept)
                f.store("i32", f.let(f"add i32 {to}, 1"), kept)
                with where(f, f.let(f"icmp ne i32 {to}, {at}"), "move"):
                    place = entry_at(f, "%warp", to)
                    inputs = f"ptr {place}, ptr {entry}, i64 {layout.COPY.size}, i1 false"
                    f.do(f"call void @llvm.memmove.p0.p0.i64({inputs})")
        left = f.load("i32", kept)
        f.store("i32", left, "%warp", WARP["copy_count"])
        waiting = f.load("i32", "%ctx", CONTEXT["unwritten"])
        gone = f.let(f"sub i32 {count}, {left}")
        f.store("i32", f.let(f"sub i32 {waiting}, {gone}"), "%ctx", CONTEXT["unwritten"])
        f.do("ret void")
        return f

    return module.routine("copy_sweep", build)
