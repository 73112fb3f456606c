"""What orders threads of different blocks: a fence, then an atomic or the like, then another block's atomic.

A launch has a clock that each release moves on. A block keeps its last releases; what a warp has seen is the clock of
the last release at a place that it has looked at since. Where more releases were made than are kept, what they may
cover is taken as ordered.
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, LAUNCH, RELEASE, WARP
from grader.run.emulator.native.epochs import LAST_TIME
from grader.run.emulator.native.ir import IrFunction, IrModule
from grader.run.emulator.native.places import ARGUMENTS, Places

_BOTH = [("ptr", "ctx"), ("ptr", "warp")]


def _releases(f: IrFunction, block: str) -> str:
    table = f.load("ptr", f.load("ptr", "%ctx", CONTEXT["launch"]), LAUNCH["releases"])
    return f.field(table, f.let(f"mul i64 {block}, {layout.BLOCK_RELEASES_BYTES}"))


def _entry(f: IrFunction, releases: str, index: str) -> str:
    wrapped = f.let(f"and i32 {index}, {layout.RELEASES - 1}")
    return f.field(releases, f.let(f"zext i32 {f.let(f'mul i32 {wrapped}, {layout.RELEASE_BYTES}')} to i64"))


def release_routine(module: IrModule) -> str:
    """`(ctx, warp)`: a release of what the warp's last fence came after, once."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", _BOTH, attributes="nounwind noinline")
        fenced = f.load("i32", "%warp", WARP["far_fenced"])
        published = f.load("i32", "%warp", WARP["far_published"])
        f.branch(f.let(f"icmp ugt i32 {fenced}, {published}"), "new", "old")
        f.block("new")
        f.store("i32", fenced, "%warp", WARP["far_published"])
        clock = f.field(f.load("ptr", "%ctx", CONTEXT["launch"]), LAUNCH["clock"])
        now = f.let(f"add i32 {f.let(f'atomicrmw add ptr {clock}, i32 1 seq_cst')}, 1")
        releases = _releases(f, f.load("i64", "%ctx", CONTEXT["block"]))
        count = f.load("i32", releases, layout.RELEASE_COUNT)
        entry = _entry(f, releases, count)
        f.store("i32", f.load("i32", "%warp", WARP["index"]), entry, RELEASE["warp"])
        # A fence is cumulative: it also publishes what other warps of the block have handed to this one.
        taken = [
            f"i32 {f.load('i32', '%ctx', CONTEXT['epoch_time'])}",
            f"i32 {f.load('i32', '%warp', WARP['acquired'])}",
        ]
        heard = f.reduce("umax", f.load_lanes("i32", "%warp", WARP["heard"]))
        taken = [f"i32 {f.intrinsic('llvm.umax.i32', 'i32', taken)}", f"i32 {heard}"]
        f.store("i32", f.intrinsic("llvm.umax.i32", "i32", taken), entry, RELEASE["block_time"])
        f.store("i32", fenced, entry, RELEASE["warp_time"])
        f.store("i32", now, entry, RELEASE["clock"])
        f.store("i32", now, "%warp", WARP["far_release"])
        place = f.field(releases, layout.RELEASE_COUNT)
        f.do(f"store atomic i32 {f.let(f'add i32 {count}, 1')}, ptr {place} release, align 4")
        f.goto("old")
        f.block("old")
        f.do("ret void")
        return f

    return module.routine("release_far", build)


def acquire_routine(module: IrModule, words: int) -> str:
    """`(ctx, warp, addresses, mask)`: after an atomic or the like: the warp has seen all that is published there."""

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "void", ARGUMENTS, attributes="nounwind noinline")
        wanted = f.load("i32", "%ctx", CONTEXT["sanitize"])
        f.branch(f.let(f"icmp eq i32 {wanted}, 0"), "off", "on")
        f.block("off")
        f.do("ret void")
        f.block("on")
        f.do("fence acquire")
        living = f.let(f"xor i32 {f.load('i32', '%warp', WARP['dead'])}, -1")
        known = Places(f, words, far=True).latest(f.let(f"and i32 %mask, {living}"))
        for field, place in ((WARP["far_acquired"], "%warp"), (CONTEXT["far_pending"], "%ctx")):
            both = [f"i32 {f.load('i32', place, field)}", f"i32 {known}"]
            f.store("i32", f.intrinsic("llvm.umax.i32", "i32", both), place, field)
        f.do("ret void")
        return f

    return module.routine(f"acquire_far_{words}", build)


def seen_routine(module: IrModule) -> str:
    """`(ctx, warp, block, other, time) -> i1`: whether this warp has seen what a warp of that block did then."""

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [*_BOTH, ("i64", "block"), ("i32", "other"), ("i32", "time")]
        f = IrFunction(owner, name, "i1", arguments, attributes="nounwind noinline cold")
        releases = _releases(f, "%block")
        place = f.field(releases, layout.RELEASE_COUNT)
        count = f.let(f"load atomic i32, ptr {place} acquire, align 4")
        kept = f.intrinsic("llvm.umin.i32", "i32", [f"i32 {count}", f"i32 {layout.RELEASES}"])
        own = f.load("i32", "%warp", WARP["far_acquired"])
        all_of_block = f.load("i32", "%ctx", CONTEXT["far_acquired"])
        acquired = f.intrinsic("llvm.umax.i32", "i32", [f"i32 {own}", f"i32 {all_of_block}"])
        index = f.alloca("i32", align=4)
        f.store("i32", "0", index)
        # The clock of a block that runs very long stands still.
        f.branch(f.let(f"icmp uge i32 %time, {LAST_TIME}"), "yes", "next")
        f.block("next")
        at = f.load("i32", index)
        f.branch(f.let(f"icmp ult i32 {at}, {kept}"), "look", "all")
        f.block("look")
        f.store("i32", f.let(f"add i32 {at}, 1"), index)
        entry = _entry(f, releases, at)
        covered = self_covered(f, entry)
        in_time = f.let(f"icmp ule i32 {f.load('i32', entry, RELEASE['clock'])}, {acquired}")
        f.branch(f.let(f"and i1 {covered}, {in_time}"), "yes", "next")
        f.block("all")
        lost = f.let(f"icmp ugt i32 {count}, {layout.RELEASES}")
        oldest = _entry(f, releases, count)
        f.do(f"ret i1 {f.let(f'and i1 {lost}, {self_covered(f, oldest)}')}")
        f.block("yes")
        f.do("ret i1 true")
        return f

    def self_covered(f: IrFunction, entry: str) -> str:
        by_block = f.let(f"icmp ult i32 %time, {f.load('i32', entry, RELEASE['block_time'])}")
        same = f.let(f"icmp eq i32 %other, {f.load('i32', entry, RELEASE['warp'])}")
        by_warp = f.let(f"icmp ult i32 %time, {f.load('i32', entry, RELEASE['warp_time'])}")
        return f.let(f"or i1 {by_block}, {f.let(f'and i1 {same}, {by_warp}')}")

    return module.routine("seen_far", build)
