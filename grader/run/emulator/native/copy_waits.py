"""Waits for asynchronous copies from global to shared memory: by groups, or by a barrier object that tracks them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from grader.run.emulator.layout import CONTEXT, COPY, WARP
from grader.run.emulator.native.copies import entry_at, move_routine, settle_routine, sweep_routine
from grader.run.emulator.native.flow import for_each_index, where
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, splat
from grader.run.emulator.native.read_log import is_dirty, replay_routine

_BOTH = [("ptr", "ctx"), ("ptr", "warp")]


@contextmanager
def _each_copy(f: IrFunction, warp: str) -> Iterator[str]:
    with for_each_index(f, f.load("i32", warp, WARP["copy_count"]), "copy") as at:
        yield entry_at(f, warp, at)


@contextmanager
def _each_warp(f: IrFunction) -> Iterator[str]:
    warps, stride = f.load("ptr", "%ctx", CONTEXT["warps"]), f.load("i64", "%ctx", CONTEXT["warp_stride"])
    with for_each_index(f, f.load("i32", "%ctx", CONTEXT["warp_count"]), "warp") as at:
        yield f.field(warps, f.let(f"mul i64 {f.let(f'zext i32 {at} to i64')}, {stride}"))


def _note_reads(f: IrFunction) -> None:
    """Records the deferred reads of this epoch, because copies that complete write in it."""
    wanted = f.let(f"icmp ne i32 {f.load('i32', '%ctx', CONTEXT['sanitize'])}, 0")
    quiet = f.let(f"and i1 {wanted}, {f.let(f'xor i1 {is_dirty(f)}, true')}")
    with where(f, quiet, "quiet"):
        f.call(replay_routine(f.module), "void", ["ptr %ctx"])


def commit_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, mask)`: these lanes close a group and open the next."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", [*_BOTH, ("i32", "mask")], attributes="nounwind noinline")
        groups = f.load("ptr", "%warp", WARP["copies"])
        one = f.cast("zext", f.mask("%mask"), "i32")
        f.store_lanes(f.op("add", f.load_lanes("i32", groups), one), groups)
        f.do("ret void")
        return f

    return module.routine("copy_commit", build)


def wait_routine(module: IrModule, checked: bool) -> str:
    """Returns the routine `(ctx, warp, mask, count)`: these lanes wait for all but their last `count` closed groups."""

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [*_BOTH, ("i32", "mask"), ("i32", "count")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        some = f.let(f"icmp ne i32 {f.load('i32', '%warp', WARP['copy_count'])}, 0")
        with where(f, some, "some"):
            if checked:
                _note_reads(f)
            groups = f.load_lanes("i32", f.load("ptr", "%warp", WARP["copies"]))
            limit = f.op("sub", groups, f.spread("i32", "%count"))
            with _each_copy(f, "%warp") as entry:
                earlier = f.bits(f.compare("icmp slt", f.load_lanes("i32", entry, COPY["group"]), limit))
                waited = f.let(f"and i32 {earlier}, %mask")
                over = f.let(f"and i32 {waited}, {f.load('i32', entry, COPY['mask'])}")
                with where(f, f.let(f"icmp ne i32 {over}, 0"), "over"):
                    inputs = ["ptr %ctx", "ptr %warp", f"ptr {entry}", f"i32 {over}", "i1 false"]
                    f.call(settle_routine(owner), "void", inputs)
            f.call(sweep_routine(owner), "void", ["ptr %ctx", "ptr %warp"])
        f.do("ret void")
        return f

    return module.routine("copy_wait", build)


def track_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, addresses, mask)`: a barrier object tracks each lane's copies so far.

    Their bytes move at once. For the race checks they stay pending until somebody has waited for the barrier.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [*_BOTH, (f"<{LANES} x i64>", "address"), ("i32", "mask")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        barriers = f.cast("trunc", V("i64", "%address"), "i32")
        with _each_copy(f, "%warp") as entry:
            known = f.load_lanes("i32", entry, COPY["barrier"])
            free = f.bits(f.compare("icmp eq", known, splat("i32", 0)))
            mine = f.let(f"and i32 {f.load('i32', entry, COPY['mask'])}, %mask")
            lanes = f.let(f"and i32 {free}, {mine}")
            with where(f, f.let(f"icmp ne i32 {lanes}, 0"), "free"):
                f.call(move_routine(owner), "void", [f"ptr {entry}", f"i32 {lanes}"])
                f.store_lanes(f.select(f.mask(lanes), barriers, known), entry, COPY["barrier"])
                f.store("i32", "1", "%ctx", CONTEXT["tracked"])
        f.do("ret void")
        return f

    return module.routine("copy_track", build)


def end_phase_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, barrier)`, called when a phase of the barrier at this shared address ends.

    It marks the copies that the barrier tracks as complete (bit 0 of their barrier address).
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("i32", "barrier")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        with (
            where(f, f.let(f"icmp ne i32 {f.load('i32', '%ctx', CONTEXT['tracked'])}, 0"), "tracked"),
            _each_warp(f) as warp,
            _each_copy(f, warp) as entry,
        ):
            known = f.load_lanes("i32", entry, COPY["barrier"])
            here = f.cast("zext", f.compare("icmp eq", known, f.spread("i32", "%barrier")), "i32")
            f.store_lanes(f.op("or", known, here), entry, COPY["barrier"])
        f.do("ret void")
        return f

    return module.routine("copy_phase_over", build)


def settle_phases_routine(module: IrModule, checked: bool) -> str:
    """Returns the routine `(ctx, barrier)`, called after a wait for the barrier.

    It orders the copies that the barrier tracked in ended phases.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("i32", "barrier")]
        f = IrFunction(owner, name, "void", arguments, attributes="nounwind noinline")
        over = f.let("or i32 %barrier, 1")
        with where(f, f.let(f"icmp ne i32 {f.load('i32', '%ctx', CONTEXT['tracked'])}, 0"), "tracked"):
            if checked:
                _note_reads(f)
            f.store("i32", "0", "%ctx", CONTEXT["tracked"])
            with _each_warp(f) as warp:
                with _each_copy(f, warp) as entry:
                    known = f.load_lanes("i32", entry, COPY["barrier"])
                    ended = f.bits(f.compare("icmp eq", known, f.spread("i32", over)))
                    lanes = f.let(f"and i32 {ended}, {f.load('i32', entry, COPY['mask'])}")
                    with where(f, f.let(f"icmp ne i32 {lanes}, 0"), "ended"):
                        inputs = ["ptr %ctx", f"ptr {warp}", f"ptr {entry}", f"i32 {lanes}", "i1 true"]
                        f.call(settle_routine(owner), "void", inputs)
                    tracked = f.bits(f.compare("icmp ne", known, splat("i32", 0)))
                    left = f.let(f"and i32 {tracked}, {f.load('i32', entry, COPY['mask'])}")
                    more = f.let(f"or i32 {f.load('i32', '%ctx', CONTEXT['tracked'])}, {left}")
                    f.store("i32", more, "%ctx", CONTEXT["tracked"])
                f.call(sweep_routine(owner), "void", ["ptr %ctx", f"ptr {warp}"])
        f.do("ret void")
        return f

    return module.routine("copy_phase_waited", build)


def drain_routine(module: IrModule) -> str:
    """Returns the routine `(ctx)`, which completes the copies that nobody waited for when the block ends."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", [("ptr", "ctx")], attributes="nounwind noinline")
        with _each_warp(f) as warp:
            with _each_copy(f, warp) as entry:
                lanes = f.load("i32", entry, COPY["mask"])
                inputs = ["ptr %ctx", f"ptr {warp}", f"ptr {entry}", f"i32 {lanes}", "i1 false"]
                f.call(settle_routine(owner), "void", inputs)
            f.store("i32", "0", warp, WARP["copy_count"])
            f.store_lanes(splat("i32", 0), f.load("ptr", warp, WARP["copies"]))
        f.store("i32", "0", "%ctx", CONTEXT["tracked"])
        f.do("ret void")
        return f

    return module.routine("copy_drain", build)


def drain(f: IrFunction) -> None:
    """Completes the copies of the block that has ended, if the kernel makes any."""
    with where(f, f.let(f"icmp ne i32 {f.load('i32', '%ctx', CONTEXT['copies'])}, 0"), "copies"):
        f.call(drain_routine(f.module), "void", ["ptr %ctx"])
