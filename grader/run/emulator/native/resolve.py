"""Finds the host memory behind an emulated address, one lane at a time.

This is the slow and exact way, for mixed address spaces, narrow accesses, atomics, and to find the lane at fault. Whole
vectors take the quick way in access.py.
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, WARP
from grader.run.emulator.native.ir import IrFunction, IrModule

RESOLVED = "{ i64, i64 }"
ARGUMENTS = [("ptr", "ctx"), ("ptr", "warp"), ("i32", "lane"), ("i64", "address")]


def slot_entry(f: IrFunction, space: str, address: str, writes: bool = False) -> str:
    """Returns the entry of the slot that holds `address`, in the global or shared table."""
    shared = space == "shared"
    bits, count = (
        (layout.SHARED_SLOT_BITS, layout.SHARED_SLOT_COUNT) if shared else (layout.SLOT_BITS, layout.SLOT_COUNT)
    )
    table = f.load("ptr", "%ctx", CONTEXT["shared_table" if shared else "globals"])
    if writes and not shared:
        table = f.field(table, layout.TABLE_BYTES)
    slot = f.let(f"lshr i64 {address}, {bits}")
    known = f.intrinsic("llvm.umin.i64", "i64", [f"i64 {slot}", f"i64 {count - 1}"])
    return f.field(table, f.let(f"mul i64 {known}, {layout.ENTRY.size}"))


def table_entry(f: IrFunction, space: str, address: str, writes: bool) -> tuple[str, str, str]:
    """Returns (delta, base, size) of the slot that holds `address` in the global or shared table.

    The size is 0 if an access that `writes` may not go there.
    """
    entry = slot_entry(f, space, address, writes)
    return (
        f.load("i64", entry, layout.ENTRY["delta"]),
        f.load("i64", entry, layout.ENTRY["base"]),
        f.load("i64", entry, layout.ENTRY["size"]),
    )


def _room(f: IrFunction, offset: str, size: str) -> str:
    """Returns the bytes from `offset` to the end of an array of `size` bytes; 0 outside of it."""
    inside = f.let(f"icmp ult i64 {offset}, {size}")
    return f.let(f"select i1 {inside}, i64 {f.let(f'sub i64 {size}, {offset}')}, i64 0")


def _result(f: IrFunction, host: str, room: str) -> None:
    pair = f.let(f"insertvalue {RESOLVED} poison, i64 {host}, 0")
    f.do(f"ret {RESOLVED} {f.let(f'insertvalue {RESOLVED} {pair}, i64 {room}, 1')}")


def _table_space(f: IrFunction, space: str, address: str, writes: bool) -> None:
    delta, base, size = table_entry(f, space, address, writes)
    offset = f.let(f"sub i64 {address}, {base}")
    _result(f, f.let(f"add i64 {address}, {delta}"), _room(f, offset, size))


def _local_space(f: IrFunction, address: str) -> None:
    base = f.load("i64", "%warp", WARP["local"])
    stride = f.load("i64", "%ctx", CONTEXT["local_stride"])
    size = f.load("i64", "%ctx", CONTEXT["local_bytes"])
    lane = f.let(f"mul i64 {f.let('zext i32 %lane to i64')}, {stride}")
    host = f.let(f"add i64 {f.let(f'add i64 {base}, {lane}')}, {address}")
    _result(f, host, _room(f, address, size))


def resolver(module: IrModule, space: str, writes: bool) -> str:
    """Returns the routine `(ctx, warp, lane, address) -> {host address, bytes of room}` for a state space.

    Host addresses come only from it or from `table_entry`: what may not be accessed has no room.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, RESOLVED, ARGUMENTS, attributes="nounwind noinline")
        if space == "local":
            _local_space(f, "%address")
        elif space == "generic":
            window = f.let(f"lshr i64 %address, {layout.SLOT_BITS}")
            f.do(f"switch i64 {window}, label %global [ i64 1, label %shared i64 2, label %local ]")
            f.block("shared")
            _table_space(f, "shared", f.let(f"sub i64 %address, {layout.SHARED_WINDOW}"), writes)
            f.block("local")
            _local_space(f, f.let(f"sub i64 %address, {layout.LOCAL_WINDOW}"))
            f.block("global")
            _table_space(f, "global", "%address", writes)
        else:
            _table_space(f, space, "%address", writes)
        return f

    return module.routine(f"resolve_{space}{'_to_write' * writes}", build)


def for_each_lane(f: IrFunction, mask: str) -> tuple[str, str, str]:
    """Opens a loop over the set bits of `mask`; returns (lane as i32, label to continue, label after the loop).

    The caller emits the body, then calls `next_lane`.
    """
    head, body, after = f.name_block("lane"), f.name_block("body"), f.name_block("after")
    rest = f.alloca("i32", align=4)
    f.store("i32", mask, rest)
    f.goto(head)
    f.block(head)
    left = f.load("i32", rest)
    f.branch(f.let(f"icmp eq i32 {left}, 0"), after, body)
    f.block(body)
    lane = f.intrinsic("llvm.cttz.i32", "i32", [f"i32 {left}", "i1 true"])
    f.store("i32", f.let(f"and i32 {left}, {f.let(f'sub i32 {left}, 1')}"), rest)
    return lane, head, after


def next_lane(f: IrFunction, head: str, after: str) -> None:
    """Closes the loop that `for_each_lane` opened."""
    f.goto(head)
    f.block(after)


def checked_host(
    f: IrFunction,
    space: str,
    lane: str,
    address: str,
    size: int,
    skip: str,
    outside: str,
    misaligned: str,
    writes: bool,
) -> str:
    """Returns the host address of a checked access of `size` bytes by one lane.

    A lane at fault has its bit set in the variable `outside` or `crooked`, and control goes to block `skip`.
    """
    pair = f.call(
        resolver(f.module, space, writes), RESOLVED, ["ptr %ctx", "ptr %warp", f"i32 {lane}", f"i64 {address}"]
    )
    host = f.let(f"extractvalue {RESOLVED} {pair}, 0")
    room = f.let(f"extractvalue {RESOLVED} {pair}, 1")
    bit = f.let(f"shl i32 1, {lane}")
    fits = f.let(f"icmp uge i64 {room}, {size}")
    low = f.let(f"and i64 {address}, {size - 1}")
    aligned = f.let(f"icmp eq i64 {low}, 0")
    good, check, over, askew = (f.name_block(n) for n in ("good", "check", "over", "askew"))
    # As on a GPU: a misaligned access may be out of bounds only because it is misaligned.
    f.branch(aligned, check, askew)
    f.block(check)
    f.branch(fits, good, over)
    f.block(over)
    f.store("i32", f.let(f"or i32 {f.load('i32', outside)}, {bit}"), outside)
    f.goto(skip)
    f.block(askew)
    f.store("i32", f.let(f"or i32 {f.load('i32', misaligned)}, {bit}"), misaligned)
    f.goto(skip)
    f.block(good)
    return f.let(f"inttoptr i64 {host} to ptr")


def event_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, kind, site, lanes)`, which calls Python.

    Lanes at fault make no further accesses and then exit. Remarks beyond MOST_REMARKS are dropped.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(
            owner,
            name,
            "void",
            [("ptr", "ctx"), ("ptr", "warp"), ("i32", "kind"), ("i32", "site"), ("i32", "lanes")],
            attributes="nounwind noinline cold",
        )
        remark = f.let(f"icmp uge i32 %kind, {layout.EVENT_SAME_VALUE}")
        remarks = f.load("i32", "%ctx", CONTEXT["remarks"])
        enough = f.let(f"and i1 {remark}, {f.let(f'icmp uge i32 {remarks}, {layout.MOST_REMARKS}')}")
        f.branch(enough, "enough", "reported")
        f.block("enough")
        f.do("ret void")
        f.block("reported")
        one = f.let(f"zext i1 {remark} to i32")
        f.store("i32", f.let(f"add i32 {remarks}, {one}"), "%ctx", CONTEXT["remarks"])
        callback = f.load("ptr", "%ctx", CONTEXT["event"])
        f.do(f"call void {callback}(ptr %ctx, ptr %warp, i32 %kind, i32 %site, i32 %lanes)")
        printed = f.let(f"icmp eq i32 %kind, {layout.EVENT_PRINTF}")
        harmless = f.let(f"or i1 {printed}, {f.let(f'icmp uge i32 %kind, {layout.EVENT_RACE}')}")
        dead = f.load("i32", "%warp", WARP["dead"])
        more = f.let(f"or i32 {dead}, %lanes")
        f.store("i32", f.let(f"select i1 {harmless}, i32 {dead}, i32 {more}"), "%warp", WARP["dead"])
        f.do("ret void")
        return f

    return module.routine("tell", build)


def report(f: IrFunction, kind: int, site: str, lanes: str) -> None:
    """Raises an event for `lanes` if there are any."""
    some, quiet = f.name_block("some"), f.name_block("quiet")
    f.branch(f.let(f"icmp eq i32 {lanes}, 0"), quiet, some)
    f.block(some)
    f.call(
        event_routine(f.module),
        "void",
        ["ptr %ctx", "ptr %warp", f"i32 {kind}", f"i32 {site}", f"i32 {lanes}"],
    )
    f.goto(quiet)
    f.block(quiet)
