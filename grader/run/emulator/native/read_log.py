"""Defers the checks of reads of shared memory until somebody writes in the same epoch, which is rare.

A barrier discards the deferred reads: nothing later can conflict with them.
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, LOG
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V


def log_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, addresses, mask, site, routine)`, which appends a read to the log.

    `routine` checks the read later. The caller has made sure that there is room.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [
            ("ptr", "ctx"),
            ("ptr", "warp"),
            (f"<{LANES} x i64>", "address"),
            ("i32", "mask"),
            ("i32", "site"),
            ("ptr", "routine"),
        ]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        count = f.load("i32", "%ctx", CONTEXT["log_count"])
        f.store("i32", f.let(f"add i32 {count}, 1"), "%ctx", CONTEXT["log_count"])
        entry = _entry(f, count)
        # Addresses in shared memory have 32 bits.
        f.store_lanes(f.cast("trunc", V("i64", "%address"), "i32"), entry, LOG["address"])
        for field, t, value in (
            ("routine", "ptr", "%routine"),
            ("warp", "ptr", "%warp"),
            ("mask", "i32", "%mask"),
            ("site", "i32", "%site"),
            ("time", "i32", f.load("i32", "%ctx", CONTEXT["time"])),
        ):
            f.store(t, value, entry, LOG[field])
        f.do("ret void")
        return f

    return module.routine("log_read", build)


def replay_routine(module: IrModule) -> str:
    """Returns the routine `(ctx)`, called on a write.

    It checks all deferred reads of this epoch; later ones are checked at once.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", [("ptr", "ctx")], attributes="nounwind noinline")
        f.store("i32", f.load("i32", "%ctx", CONTEXT["epoch"]), "%ctx", CONTEXT["dirty"])
        time = f.load("i32", "%ctx", CONTEXT["time"])
        count = f.load("i32", "%ctx", CONTEXT["log_count"])
        f.store("i32", "0", "%ctx", CONTEXT["log_count"])
        index = f.alloca("i32", align=4)
        f.store("i32", "0", index)
        f.goto("next")
        f.block("next")
        at = f.load("i32", index)
        f.branch(f.let(f"icmp ult i32 {at}, {count}"), "one", "done")
        f.block("one")
        f.store("i32", f.let(f"add i32 {at}, 1"), index)
        entry = _entry(f, at)
        f.store("i32", f.load("i32", entry, LOG["time"]), "%ctx", CONTEXT["time"])
        address = f.cast("zext", f.load_lanes("i32", entry, LOG["address"]), "i64")
        routine, warp = f.load("ptr", entry, LOG["routine"]), f.load("ptr", entry, LOG["warp"])
        mask, site = f.load("i32", entry, LOG["mask"]), f.load("i32", entry, LOG["site"])
        f.do(f"call void {routine}(ptr %ctx, ptr {warp}, {address}, i32 {mask}, i32 {site})")
        f.goto("next")
        f.block("done")
        f.store("i32", time, "%ctx", CONTEXT["time"])
        f.do("ret void")
        return f

    return module.routine("replay_reads", build)


def _entry(f: IrFunction, index: str) -> str:
    offset = f.let(f"mul i64 {f.let(f'zext i32 {index} to i64')}, {layout.LOG.size}")
    return f.field(f.load("ptr", "%ctx", CONTEXT["log"]), offset)


def is_dirty(f: IrFunction) -> str:
    """Returns whether somebody has written to shared memory in this epoch."""
    epoch = f.load("i32", "%ctx", CONTEXT["epoch"])
    return f.let(f"icmp eq i32 {f.load('i32', '%ctx', CONTEXT['dirty'])}, {epoch}")
