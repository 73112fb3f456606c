"""Enters what a warp does into the journal of its launch, while there is room, or over the oldest; see journal.py."""

from __future__ import annotations

from grader.run.emulator.layout import CONTEXT, ENTRY_OF_JOURNAL, JOURNAL, JOURNAL_ROW, WARP
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V

_NO_ROW = "-1"


def note_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, site, lanes)`, which enters a site for these lanes, if any are left."""

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "warp"), ("i32", "site"), ("i32", "lanes")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        alive = _alive(f)
        journal = _journal(f, alive)
        f.branch(f.let(f"icmp ne i64 {f.load('i64', journal, JOURNAL['watched_bytes'])}, 0"), "leave", "all")
        f.block("all")
        _enter(f, journal, alive, _NO_ROW)
        return f

    return module.routine("note", build)


def note_values_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, site, lanes, addresses, values)`, which enters them for these lanes.

    Lanes that a fault has ended are left out.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        vector = f"<{LANES} x i64>"
        arguments = [("ptr", "ctx"), ("ptr", "warp"), ("i32", "site"), ("i32", "lanes")]
        arguments += [(vector, "addresses"), (vector, "values")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        alive = _alive(f)
        journal = _journal(f, alive)
        watched, size = (f.load("i64", journal, JOURNAL[name]) for name in ("watched", "watched_bytes"))
        offset = f.op("sub", V("i64", "%addresses"), f.spread("i64", watched))
        inside = f.bits(f.compare("icmp ult", offset, f.spread("i64", size)))
        all_ = f.let(f"icmp eq i64 {size}, 0")
        wanted = f.let(f"and i32 {alive}, {f.let(f'select i1 {all_}, i32 -1, i32 {inside}')}")
        f.branch(f.let(f"icmp eq i32 {wanted}, 0"), "leave", "some")
        f.block("some")
        row = f.load("i64", journal, JOURNAL["row_count"])
        at = _place(f, journal, row, "row_capacity", "row")
        f.store("i64", f.let(f"add i64 {row}, 1"), journal, JOURNAL["row_count"])
        place = f.field(f.load("ptr", journal, JOURNAL["rows"]), f.let(f"mul i64 {at}, {JOURNAL_ROW.size}"))
        f.store_lanes(V("i64", "%addresses"), place, JOURNAL_ROW["addresses"])
        f.store_lanes(V("i64", "%values"), place, JOURNAL_ROW["values"])
        _enter(f, journal, wanted, f.let(f"trunc i64 {at} to i32"))
        return f

    return module.routine("note_values", build)


def _alive(f: IrFunction) -> str:
    """Returns the lanes that no fault has ended."""
    dead = f.load("i32", "%warp", WARP["dead"])
    return f.let(f"and i32 %lanes, {f.let(f'xor i32 {dead}, -1')}")


def _journal(f: IrFunction, lanes: str) -> str:
    """Returns the launch's journal; without one, or without lanes, the routine ends."""
    journal = f.load("ptr", "%ctx", CONTEXT["journal"])
    missing = f.let(f"icmp eq ptr {journal}, null")
    nobody = f.let(f"icmp eq i32 {lanes}, 0")
    f.branch(f.let(f"or i1 {missing}, {nobody}"), "leave", "noted")
    f.block("leave")
    f.do("ret void")
    f.block("noted")
    return journal


def _enter(f: IrFunction, journal: str, lanes: str, row: str) -> None:
    count = f.load("i64", journal, JOURNAL["count"])
    at = _place(f, journal, count, "capacity", "room")
    f.store("i64", f.let(f"add i64 {count}, 1"), journal, JOURNAL["count"])
    entry = f.field(f.load("ptr", journal, JOURNAL["entries"]), f.let(f"mul i64 {at}, {ENTRY_OF_JOURNAL.size}"))
    f.store("i64", f.load("i64", "%ctx", CONTEXT["block"]), entry, ENTRY_OF_JOURNAL["block"])
    f.store("i32", "%site", entry, ENTRY_OF_JOURNAL["site"])
    f.store("i32", f.load("i32", "%warp", WARP["index"]), entry, ENTRY_OF_JOURNAL["warp"])
    f.store("i32", lanes, entry, ENTRY_OF_JOURNAL["mask"])
    f.store("i32", row, entry, ENTRY_OF_JOURNAL["row"])
    f.do("ret void")
    f.block("full")
    # Nobody reads what would follow.
    f.do(f"store volatile i32 1, ptr {f.load('ptr', '%ctx', CONTEXT['stop'])}")
    f.do("ret void")


def _place(f: IrFunction, journal: str, number: str, capacity: str, room: str) -> str:
    """Goes on in the block `room`; returns where number `number` goes there: round and round, if the last are kept."""
    most = f.load("i64", journal, JOURNAL[capacity])
    fits = f.let(f"icmp ult i64 {number}, {most}")
    keeps_last = f.let(f"icmp ne i64 {f.load('i64', journal, JOURNAL['keeps_last'])}, 0")
    f.branch(f.let(f"or i1 {fits}, {keeps_last}"), room, "full")
    f.block(room)
    return f.let(f"urem i64 {number}, {most}")
