"""Checks a warp's access lane by lane: the accesses that vectors found doubtful or cannot check."""

from __future__ import annotations

from grader.run.emulator.layout import CONTEXT, RECORD_BYTES, WARP
from grader.run.emulator.native.cells import DIFFERENT, NOT_YET_SAME, SAME, cell_routine
from grader.run.emulator.native.ir import LANES, IrFunction, V
from grader.run.emulator.native.regions import CheckedAccess, log2, region_at
from grader.run.emulator.native.resolve import RESOLVED, for_each_lane, next_lane, resolver


def check_one_by_one(f: IrFunction, access: CheckedAccess, addresses: V, active: str) -> None:
    """Checks the lanes of `active` in order; each lane sees what the lanes before it write."""
    f.store_lanes(addresses, "%warp", WARP["scratch"])
    columns, t = [], f"i{8 * access.width}"
    for vector, value in access.values:
        column = f.alloca(f"[{LANES} x {t}]")
        f.do(f"store {vector} %{value}, ptr {column}, align 64")
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
    piece = f.let(f"lshr i64 {f.let(f'sub i64 {address}, {region.base}')}, {log2(access.granule)}")
    start = f.let(f"add i64 {region.records}, {f.let(f'mul i64 {piece}, {RECORD_BYTES}')}")
    cells = f.let(f"inttoptr i64 {start} to ptr")
    there = f.let(f"inttoptr i64 {host} to ptr")
    new = [f.load(t, column, f.let(f"mul i64 {wide}, {access.width}")) for column in columns]
    inputs = ["ptr %ctx", "ptr %warp", f"i32 {lane}"]
    shared = "true" if access.space == "shared" else "false"
    for cell in range(access.cells):
        check, again, checked = (f.name_block(hint) for hint in ("check", "again", "checked"))
        f.goto(check)
        f.block(check)
        value = _compare_values(f, t, there, access, new) if new else str(DIFFERENT)
        which = [f"ptr {f.field(cells, cell * RECORD_BYTES)}", f"i64 {region.plane}", f"i1 {shared}", "i32 %site"]
        routine = cell_routine(f.module, access.kind_of(cell))
        f.branch(f.call(routine, "i1", [*inputs, *which, f"i32 {value}"]), again, checked)
        f.block(again)
        left = f.load("i32", "%ctx", CONTEXT["patience"])
        f.store("i32", f.let(f"sub i32 {left}, 1"), "%ctx", CONTEXT["patience"])
        f.goto(check)
        f.block(checked)
    for component, one in enumerate(new):
        # The lanes after this one compare with what it writes.
        f.store(t, one, there, component * access.width)
    next_lane(f, head, after)


def _compare_values(f: IrFunction, t: str, there: str, access: CheckedAccess, new: list[str]) -> str:
    """Compares the values to be written with memory: DIFFERENT, SAME, or NOT_YET_SAME while there is patience left.

    Another worker records its write before making it, so it may be about to write the same value.
    """
    same = "true"
    for component, one in enumerate(new):
        same = f.let(f"and i1 {same}, {f.let(f'icmp eq {t} {one}, {f.load(t, there, component * access.width)}')}")
    different = str(DIFFERENT)
    if access.space != "shared":
        left = f.load("i32", "%ctx", CONTEXT["patience"])
        patient = f.let(f"icmp ne i32 {left}, 0")
        different = f.let(f"select i1 {patient}, i32 {NOT_YET_SAME}, i32 {DIFFERENT}")
    return f.let(f"select i1 {same}, i32 {SAME}, i32 {different}")
