"""Checks an access of a warp lane by lane: what vectors found doubtful, and what they do not know."""

from __future__ import annotations

from grader.run.emulator.layout import CONTEXT, RECORD_BYTES, WARP
from grader.run.emulator.native.cells import cell_routine
from grader.run.emulator.native.ir import LANES, IrFunction, V
from grader.run.emulator.native.regions import Shadowed, log2, region_at
from grader.run.emulator.native.resolve import RESOLVED, for_each_lane, next_lane, resolver


def check_one_by_one(f: IrFunction, access: Shadowed, addresses: V, active: str) -> None:
    """Checks the lanes of `active`, and has each see what those before it write."""
    f.store_lanes(addresses, "%warp", WARP["scratch"])
    columns = []
    for t, value in access.values:
        column = f.alloca(f"[{LANES} x i{8 * access.width}]")
        f.do(f"store {t} %{value}, ptr {column}, align 64")
        columns.append(column)
    lane, head, after = for_each_lane(f, active)
    wide = f.let(f"zext i32 {lane} to i64")
    address = f.load("i64", f.field("%warp", WARP["scratch"]), f.let(f"mul i64 {wide}, 8"))
    arguments = ["ptr %ctx", "ptr %warp", f"i32 {lane}", f"i64 {address}"]
    pair = f.call(resolver(f.module, access.space, access.kind.writes), RESOLVED, arguments)
    host = f.let(f"extractvalue {RESOLVED} {pair}, 0")
    room = f.let(f"extractvalue {RESOLVED} {pair}, 1")
    fits = f.let(f"icmp uge i64 {room}, {access.size}")
    straight = f.let(f"icmp eq i64 {f.let(f'and i64 {address}, {access.size - 1}')}, 0")
    f.branch(f.let(f"and i1 {fits}, {straight}"), "good", head)
    f.block("good")
    region = region_at(f, access, address)
    f.branch(f.let(f"icmp eq i64 {region.records}, 0"), head, "known")
    f.block("known")
    f.store("i64", address, "%ctx", CONTEXT["at"])
    there = f.let(f"inttoptr i64 {host} to ptr")
    same = "true" if columns else "false"
    for component, column in enumerate(columns):
        t = f"i{8 * access.width}"
        new = f.load(t, column, f.let(f"mul i64 {wide}, {access.width}"))
        old = f.load(t, there, component * access.width)
        same = f.let(f"and i1 {same}, {f.let(f'icmp eq {t} {new}, {old}')}")
        # The lanes behind this one find what it writes.
        f.store(t, new, there, component * access.width)
    piece = f.let(f"lshr i64 {f.let(f'sub i64 {address}, {region.base}')}, {log2(access.granule)}")
    start = f.let(f"add i64 {region.records}, {f.let(f'mul i64 {piece}, {RECORD_BYTES}')}")
    cells = f.let(f"inttoptr i64 {start} to ptr")
    told = ["ptr %ctx", "ptr %warp", f"i32 {lane}"]
    shared = "true" if access.space == "shared" else "false"
    for cell in range(access.cells):
        at = f.field(cells, cell * RECORD_BYTES)
        which = [f"ptr {at}", f"i64 {region.plane}", f"i1 {shared}", "i32 %site", f"i1 {same}"]
        f.call(cell_routine(f.module, access.kind_of(cell)), "void", [*told, *which])
    next_lane(f, head, after)
