"""Values that a flag hands over without a fence: both are volatile or relaxed, and nothing orders the two.

Strong accesses to one place are no data race, so only those count that a thread makes after it has waited for a flag
which the writer has set after the value. Other threads may look at what changes meanwhile; who has waited means to see
it.
"""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CHUNK, CONTEXT, TAG_SHIFT, WARP
from grader.run.emulator.native.epochs import THREAD_BITS, owner_of, time_routine
from grader.run.emulator.native.flow import where
from grader.run.emulator.native.ir import IrFunction, IrModule, splat
from grader.run.emulator.native.records import SITE_MASK, SITE_SHIFT, store_at

_PLACE_OF_SITE = SITE_MASK << SITE_SHIFT


def note_flag(f: IrFunction, record: str) -> None:
    """Emits that `%lane` waits for a flag and sees what the access of `record` has written there."""
    waited = f.load("i32", "%warp", WARP["waited"])
    with where(f, f.let(f"icmp eq i32 {waited}, 0"), "first_flag"):
        f.store_lanes(splat("i64", 0), "%warp", WARP["flags"])
        f.store("i32", "1", "%warp", WARP["waited"])
    f.store("i64", record, _flag_of_lane(f))
    f.store("i64", record, "%ctx", CONTEXT["flag_pending"])


def _flag_of_lane(f: IrFunction) -> str:
    return f.field(f.field("%warp", WARP["flags"]), f.let(f"shl i64 {f.let('zext i32 %lane to i64')}, 3"))


def handed_over_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, lane, record) -> i1`: whether a flag was meant to hand over a strong write.

    The lane, or one that it has met since, has waited for a flag that the writer has set after that.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "warp"), ("i32", "lane"), ("i64", "record")]
        f = IrFunction(owner, name, "i1", arguments, attributes="nounwind noinline cold")
        stored = f.let(f"icmp eq i8 {store_at(f, f.let('trunc i64 %record to i32'))}, {layout.STRONG_STORE}")
        f.branch(stored, "stored", "no")
        f.block("stored")
        waited = f.let(f"icmp ne i32 {f.load('i32', '%warp', WARP['waited'])}, 0")
        own = f.let(f"select i1 {waited}, i64 {f.load('i64', _flag_of_lane(f))}, i64 0")
        for flag, otherwise in ((own, "block"), (f.load("i64", "%ctx", CONTEXT["flag"]), "no")):
            known = f.name_block("known")
            f.branch(f.let(f"icmp ne i64 {flag}, 0"), known, otherwise)
            f.block(known)
            inputs = ["ptr %ctx", "ptr %warp", "i64 %record", f"i64 {flag}"]
            f.branch(f.call(_is_before_flag_routine(owner), "i1", inputs), "yes", otherwise)
            if otherwise != "no":
                f.block(otherwise)
        f.block("yes")
        f.do("ret i1 true")
        f.block("no")
        f.do("ret i1 false")
        return f

    return module.routine("handed_over", build)


def _is_before_flag_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, record, flag) -> i1`: whether one write comes before the other for its writer.

    Each strong store has a time of its own. A thread of another warp must have met the one that set the flag.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [("ptr", "ctx"), ("ptr", "warp"), ("i64", "record"), ("i64", "flag")]
        f = IrFunction(owner, name, "i1", arguments, attributes="nounwind noinline cold")
        records = ("%record", "%flag")
        epochs = [f.let(f"trunc i64 {f.let(f'lshr i64 {r}, {layout.EPOCH_SHIFT}')} to i32") for r in records]
        begin = f.load("i64", "%ctx", CONTEXT["begin"])
        known = [f.let(f"icmp ne i32 {epoch}, {layout.LAST_EPOCH}") for epoch in epochs]
        known += [f.let(f"icmp uge i64 {r}, {begin}") for r in records]
        all_known = known[0]
        for one in known[1:]:
            all_known = f.let(f"and i1 {all_known}, {one}")
        f.branch(all_known, "known", "no")
        f.block("known")
        blocks = [f.load("i32", owner_of(f, epoch), CHUNK["block"]) for epoch in epochs]
        threads = [
            f.let(f"and i32 {f.let(f'trunc i64 {shifted} to i32')}, {(1 << THREAD_BITS) - 1}")
            for shifted in (f.let(f"lshr i64 {r}, {TAG_SHIFT}") for r in records)
        ]
        warps = [f.let(f"lshr i32 {thread}, 5") for thread in threads]
        own_block = f.let(f"trunc i64 {f.load('i64', '%ctx', CONTEXT['block'])} to i32")
        elsewhere = f.let(f"icmp ne i32 {blocks[0]}, {own_block}")
        other_warp = f.let(f"icmp ne i32 {warps[0]}, {f.load('i32', '%warp', WARP['index'])}")
        apart = f.let(f"or i1 {elsewhere}, {other_warp}")
        sites = f.let(f"and i64 {f.let('xor i64 %record, %flag')}, {_PLACE_OF_SITE}")
        of_block = f.let(f"and i1 {f.let(f'icmp eq i32 {blocks[0]}, {blocks[1]}')}, {f.let(f'icmp ne i64 {sites}, 0')}")
        f.branch(f.let(f"and i1 {apart}, {of_block}"), "compare", "no")
        f.block("compare")
        times = [f.call(time_routine(owner), "i32", ["ptr %ctx", f"i64 {r}"]) for r in records]
        same_warp = f.let(f"icmp eq i32 {warps[0]}, {warps[1]}")
        met = f.let(f"or i1 {same_warp}, {f.let(f'icmp ult i32 {epochs[0]}, {epochs[1]}')}")
        before = f.let(f"icmp ult i32 {times[0]}, {times[1]}")
        f.do(f"ret i1 {f.let(f'and i1 {met}, {before}')}")
        f.block("no")
        f.do("ret i1 false")
        return f

    return module.routine("before_flag", build)
