"""The native loop over blocks and warps; it calls the kernel by pointer.

One call takes blocks from a shared counter and runs them until none is left or the current one has to be suspended.
"""

from __future__ import annotations

from grader.run.emulator import layout, pace
from grader.run.emulator.layout import BARRIER, CONTEXT, WARP
from grader.run.emulator.native.copy_waits import drain
from grader.run.emulator.native.epochs import begin_block, begin_warp
from grader.run.emulator.native.ir import IrFunction, IrModule, splat
from grader.run.emulator.native.local_values import forget_values
from grader.run.emulator.native.threads import barrier_pointer, release_routine

ENTRY = "kgrade_blocks"


def driver_ir() -> str:
    """Returns the driver's LLVM IR, whose function `kgrade_blocks(ctx)` returns a status of `layout`."""
    module = IrModule()
    f = IrFunction(module, ENTRY, "i32", [("ptr", "ctx")], linkage="")
    _emit(f)
    module.add(f)
    return module.text()


def _wide(f: IrFunction, value: str) -> str:
    return f.let(f"zext i32 {value} to i64")


def _emit(f: IrFunction) -> None:
    warps = f.load("ptr", "%ctx", CONTEXT["warps"])
    stride = f.load("i64", "%ctx", CONTEXT["warp_stride"])
    count = f.load("i32", "%ctx", CONTEXT["warp_count"])
    kernel = f.load("ptr", "%ctx", CONTEXT["kernel"])
    stop = f.load("ptr", "%ctx", CONTEXT["stop"])
    index, progress, before = f.alloca("i32", align=4), f.alloca("i32", align=4), f.alloca("i64", align=8)
    status = f.alloca("i32", align=4)
    resume = f.load("i32", "%ctx", CONTEXT["resume"])
    f.store("i32", "0", "%ctx", CONTEXT["resume"])
    f.branch(f.let(f"icmp ne i32 {resume}, 0"), "round", "next.block")
    _next_block(f, warps, stride, count, index)

    f.block("round")
    f.store("i32", "0", progress)
    f.store("i32", "0", index)
    f.store("i64", f.load("i64", "%ctx", CONTEXT["instructions"]), before)
    f.goto("each.warp")
    f.block("each.warp")
    at = f.load("i32", index)
    f.branch(f.let(f"icmp ult i32 {at}, {count}"), "look", "round.end")
    f.block("look")
    warp = f.field(warps, f.let(f"mul i64 {_wide(f, at)}, {stride}"))
    f.store("i32", f.let(f"add i32 {at}, 1"), index)
    ready = f.load("i32", warp, WARP["ready"])
    f.branch(f.let(f"icmp eq i32 {ready}, 0"), "each.warp", "run")
    f.block("run")
    f.store("i32", "1", progress)
    f.let(f"call i32 {kernel}(ptr %ctx, ptr {warp})")
    f.goto("each.warp")

    f.block("round.end")
    executed = f.let(f"sub i64 {f.load('i64', '%ctx', CONTEXT['instructions'])}, {f.load('i64', before)}")
    remaining = f.load("ptr", "%ctx", CONTEXT["remaining"])
    left = f.let(f"atomicrmw sub ptr {remaining}, i64 {executed} monotonic")
    f.branch(f.let(f"icmp slt i64 {left}, {executed}"), "limit", "in.budget")
    f.block("in.budget")
    stopped = f.let(f"load volatile i32, ptr {stop}")
    f.branch(f.let(f"icmp ne i32 {stopped}, 0"), "stopped", "go.on")
    f.block("go.on")
    alive = f.load("i32", "%ctx", CONTEXT["alive"])
    f.branch(f.let(f"icmp eq i32 {alive}, 0"), "next.block", "some.alive")
    f.block("some.alive")
    f.branch(f.let(f"icmp eq i32 {f.load('i32', progress)}, 0"), "stuck", "moving")
    f.block("moving")
    total = f.load("i64", "%ctx", CONTEXT["instructions"])
    suspend_at = f.load("i64", "%ctx", CONTEXT["suspend_at"])
    f.branch(f.let(f"icmp ugt i64 {total}, {suspend_at}"), "suspend", "patient")
    f.block("patient")
    waits = f.load("i64", "%ctx", CONTEXT["waits"])
    suspend_waits = f.load("i64", "%ctx", CONTEXT["suspend_waits"])
    f.branch(f.let(f"icmp ugt i64 {waits}, {suspend_waits}"), "suspend", "asking")
    f.block("asking")
    polls = f.load("i32", "%ctx", CONTEXT["polls"])
    f.branch(f.let(f"icmp sgt i32 {polls}, {pace.MOST_POLLS}"), "polling", "round")

    # Threads that exited may have been the last that a barrier was waiting for.
    f.block("stuck")
    f.store("i32", "0", index)
    f.store("i32", "0", progress)
    f.goto("each.barrier")
    f.block("each.barrier")
    number = f.load("i32", index)
    f.branch(f.let(f"icmp ult i32 {number}, {layout.BARRIERS}"), "try", "tried")
    f.block("try")
    barrier = barrier_pointer(f, number)
    f.store("i32", f.let(f"add i32 {number}, 1"), index)
    everyone = f.let(f"icmp eq i32 {f.load('i32', barrier, BARRIER['expected'])}, 0")
    f.branch(everyone, "open", "each.barrier")
    f.block("open")
    opened = f.call(release_routine(f.module), "i32", ["ptr %ctx", f"i32 {number}"])
    f.store("i32", f.let(f"or i32 {f.load('i32', progress)}, {opened}"), progress)
    f.goto("each.barrier")
    f.block("tried")
    f.branch(f.let(f"icmp ne i32 {f.load('i32', progress)}, 0"), "round", "deadlock")

    ends = {
        "suspend": "SUSPENDED",
        "polling": "POLLING",
        "deadlock": "DEADLOCK",
        "limit": "LIMIT",
        "stopped": "STOPPED",
        "done": "DONE",
    }
    for block, name in ends.items():
        f.block(block)
        f.store("i32", str(getattr(layout, name)), status)
        f.goto("leave")
    f.block("leave")
    f.do(f"ret i32 {f.load('i32', status)}")


def _next_block(f: IrFunction, warps: str, stride: str, count: str, index: str) -> None:
    f.block("next.block")
    drain(f)
    counter = f.load("ptr", "%ctx", CONTEXT["next_block"])
    blocks = f.load("i64", "%ctx", CONTEXT["blocks"])
    begun = f.let(f"atomicrmw add ptr {counter}, i64 1 monotonic")
    f.branch(f.let(f"icmp ult i64 {begun}, {blocks}"), "begin", "done")
    f.block("begin")
    turned = f.let(f"add i64 {begun}, {f.load('i64', '%ctx', CONTEXT['first_block'])}")
    again = f.let(f"select i1 {f.let(f'icmp ult i64 {turned}, {blocks}')}, i64 0, i64 {blocks}")
    block = f.let(f"sub i64 {turned}, {again}")
    f.store("i64", block, "%ctx", CONTEXT["block"])
    rest = block
    for axis in range(3):
        extent = _wide(f, f.load("i32", "%ctx", CONTEXT["nctaid"] + 4 * axis))
        position = f.let(f"urem i64 {rest}, {extent}")
        f.store("i32", f.let(f"trunc i64 {position} to i32"), "%ctx", CONTEXT["ctaid"] + 4 * axis)
        rest = f.let(f"udiv i64 {rest}, {extent}")
    threads = f.load("i32", "%ctx", CONTEXT["block_threads"])
    f.store("i32", threads, "%ctx", CONTEXT["alive"])
    total = f.load("i64", "%ctx", CONTEXT["instructions"])
    own = f.load("i64", "%ctx", CONTEXT["slice"])
    end, shared_end = f.let(f"add i64 {total}, {own}"), f.load("i64", "%ctx", CONTEXT["suspend_at"])
    shares = f.let(f"icmp eq i64 {own}, 0")
    f.store("i64", f.let(f"select i1 {shares}, i64 {shared_end}, i64 {end}"), "%ctx", CONTEXT["suspend_at"])
    stirred = f.let(f"icmp ule i64 {blocks}, {pace.STIRRED_BLOCKS}")
    inside = f.let(f"icmp ult i64 {f.let(f'sub i64 {block}, 1')}, {f.let(f'sub i64 {blocks}, 2')}")
    few = f.let(f"icmp ule i64 {blocks}, {pace.FEW_BLOCKS}")
    stirred = f.let(f"and i1 {stirred}, {f.let(f'or i1 {inside}, {few}')}")
    for field in ("look_stirs", "set_stirs"):
        f.store("i32", f.let(f"select i1 {stirred}, i32 {pace.MOST_STIRS}, i32 0"), "%ctx", CONTEXT[field])
    f.store("i64", "0", "%ctx", CONTEXT["waits"])
    f.store("i32", "0", "%ctx", CONTEXT["polls"])
    f.store("i64", f.load("i64", "%ctx", CONTEXT["first_waits"]), "%ctx", CONTEXT["suspend_waits"])
    barriers = f.field("%ctx", CONTEXT["barriers"])
    size = layout.BARRIERS * layout.BARRIER.size
    _fill(f, barriers, 0, str(size))
    for number in range(layout.BARRIERS):
        f.store("i32", "1", barriers, number * layout.BARRIER.size + BARRIER["all"])
    _fill_shared(f)
    begin_block(f)
    forget_values(f)
    f.store("i32", "0", index)
    f.goto("reset")
    f.block("reset")
    at = f.load("i32", index)
    f.branch(f.let(f"icmp ult i32 {at}, {count}"), "reset.warp", "round")
    f.block("reset.warp")
    warp = f.field(warps, f.let(f"mul i64 {_wide(f, at)}, {stride}"))
    f.store_lanes(splat("i32", 0), warp, WARP["frame"])
    entry = f.load("i32", "%ctx", CONTEXT["entry"])
    f.store_lanes(f.spread("i32", entry), warp, WARP["pc"])
    for field in ("dead", "turn", "parked"):
        f.store("i32", "0", warp, WARP[field])
    _fill(f, f.field(warp, WARP["waiting"]), 0, "64")
    begin_warp(f, warp)
    first = f.let(f"shl i32 {at}, 5")
    here = f.intrinsic("llvm.usub.sat.i32", "i32", [f"i32 {threads}", f"i32 {first}"])
    missing = f.intrinsic("llvm.usub.sat.i32", "i32", ["i32 32", f"i32 {here}"])
    lanes = f.let(f"lshr i32 -1, {missing}")
    f.store("i32", lanes, warp, WARP["ready"])
    f.store("i32", lanes, warp, WARP["alive"])
    f.store("i32", f.let(f"add i32 {at}, 1"), index)
    f.goto("reset")


def _fill_shared(f: IrFunction) -> None:
    """Fills the shared memory of a block that begins: usually with NaNs, so that reading unwritten bytes shows."""
    shared, size = f.load("ptr", "%ctx", CONTEXT["shared_host"]), f.load("i64", "%ctx", CONTEXT["shared_bytes"])
    word = f.load("i32", "%ctx", CONTEXT["unset_shared"])
    f.branch(f.let(f"icmp eq i32 {word}, {layout.LEFT_OVER}"), "shared.filled", "shared.fill")
    f.block("shared.fill")
    _fill(f, shared, 0xFF, size)
    f.branch(f.let(f"icmp eq i32 {word}, -1"), "shared.filled", "shared.words")
    f.block("shared.words")
    index = f.alloca("i64")
    f.store("i64", "0", index)
    f.goto("shared.next")
    f.block("shared.next")
    at = f.load("i64", index)
    end = f.let(f"add i64 {at}, 4")
    f.branch(f.let(f"icmp ule i64 {end}, {size}"), "shared.word", "shared.filled")
    f.block("shared.word")
    f.do(f"store i32 {word}, ptr {f.let(f'getelementptr i8, ptr {shared}, i64 {at}')}, align 1")
    f.store("i64", end, index)
    f.goto("shared.next")
    f.block("shared.filled")


def _fill(f: IrFunction, pointer: str, value: int, size: str) -> None:
    f.module.declare("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"])
    f.do(f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 {value}, i64 {size}, i1 false)")
