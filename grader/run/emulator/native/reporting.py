"""Limits reports of one kind of event: a place that races everywhere must neither take long nor hide others."""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, REPORT
from grader.run.emulator.native.ir import IrFunction, IrModule

MOST_REPORTS = 64
"""The most reports by one worker of one kind of event, at one place of the program, in one array."""
MOST_RACES = 8
"""The same of races, of which each pair of places has its own: an unrolled loop has hundreds of pairs."""
_MIX = 0x9E3779B97F4A7C15 - (1 << 64)
"""Fibonacci hashing: 2^64 over the golden ratio."""
_BITS = layout.REPORT_ENTRIES.bit_length() - 1
_EVENT, _SLOT, _SITE = 59, 46, 32


def should_report_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, event, site, detail) -> i1`: whether to report an event at the address in the context.

    Events with the same 32 bits of `detail` count as alike.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), *(("i32", part) for part in ("event", "site", "detail"))]
        f = IrFunction(owner, name, "i1", arguments, attributes="nounwind noinline cold")
        at = f.load("i64", "%ctx", CONTEXT["at"])
        of_global = f.let(f"lshr i64 {at}, {layout.SLOT_BITS}")
        of_shared = f.let(f"add i64 {f.let(f'lshr i64 {at}, {layout.SHARED_SLOT_BITS}')}, {layout.SLOT_COUNT}")
        shared = f.let(f"icmp eq i64 {of_global}, 0")
        key = f.let("zext i32 %detail to i64")
        for part, shift in (
            (f.let(f"select i1 {shared}, i64 {of_shared}, i64 {of_global}"), _SLOT),
            (f.let("zext i32 %site to i64"), _SITE),
            (f.let("zext i32 %event to i64"), _EVENT),
        ):
            key = f.let(f"or i64 {key}, {f.let(f'shl i64 {part}, {shift}')}")
        first = f.let(f"lshr i64 {f.let(f'mul i64 {key}, {_MIX}')}, {64 - _BITS}")
        index = f.alloca("i64", align=8)
        f.store("i64", "0", index)
        f.goto("next")
        f.block("next")
        tried = f.load("i64", index)
        f.branch(f.let(f"icmp ult i64 {tried}, {layout.REPORT_ENTRIES}"), "look", "silent")
        f.block("look")
        f.store("i64", f.let(f"add i64 {tried}, 1"), index)
        place = f.let(f"and i64 {f.let(f'add i64 {first}, {tried}')}, {layout.REPORT_ENTRIES - 1}")
        entry = f.field(f.load("ptr", "%ctx", CONTEXT["reports"]), f.let(f"mul i64 {place}, {layout.REPORT.size}"))
        known = f.load("i64", entry, REPORT["key"])
        fits = f.let(f"or i1 {f.let(f'icmp eq i64 {known}, 0')}, {f.let(f'icmp eq i64 {known}, {key}')}")
        f.branch(fits, "found", "next")
        f.block("found")
        f.store("i64", key, entry, REPORT["key"])
        times = f.load("i32", entry, REPORT["times"])
        single = f.let(f"icmp eq i32 %event, {layout.EVENT_UNINITIALIZED}")
        most = f.let(f"select i1 {single}, i32 {MOST_REPORTS}, i32 {MOST_RACES}")
        f.branch(f.let(f"icmp uge i32 {times}, {most}"), "silent", "tell")
        f.block("tell")
        f.store("i32", f.let(f"add i32 {times}, 1"), entry, REPORT["times"])
        f.do("ret i1 true")
        f.block("silent")
        f.do("ret i1 false")
        return f

    return module.routine("should_report", build)
