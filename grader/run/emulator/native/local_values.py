"""Tracks which bytes of each thread's local memory have a value: one byte of shadow for each, set by stores."""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, WARP
from grader.run.emulator.native.flow import for_each_index, where
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V
from grader.run.emulator.native.resolve import for_each_lane, next_lane

_ARGUMENTS = [("ptr", "ctx"), ("ptr", "warp"), (f"<{LANES} x i64>", "address"), ("i32", "mask"), ("i32", "size")]


def read_values_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, generic addresses, mask, size) -> lanes`.

    The result has the lanes that read local memory no byte of which has a value. One byte suffices, because the padding
    of a struct that is copied whole never gets a value.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "i32", _ARGUMENTS, attributes="nounwind noinline")
        found, known = f.alloca("i32", align=4), f.alloca("i8", align=1)
        f.store("i32", "0", found)
        lane, head, after = for_each_lane(f, "%mask")
        place, inside = _place(f, lane)
        with where(f, inside, "local"):
            f.store("i8", "0", known)
            with for_each_index(f, "%size", "byte") as at:
                one = f.load("i8", f.field(place, f.let(f"zext i32 {at} to i64")))
                f.store("i8", f.let(f"or i8 {f.load('i8', known)}, {one}"), known)
            none = f.let(f"icmp eq i8 {f.load('i8', known)}, 0")
            unset = f.let(f"zext i1 {none} to i32")
            bit = f.let(f"shl i32 {unset}, {lane}")
            f.store("i32", f.let(f"or i32 {f.load('i32', found)}, {bit}"), found)
        next_lane(f, head, after)
        f.do(f"ret i32 {f.load('i32', found)}")
        return f

    return module.routine("local_values_read", build)


def write_values_routine(module: IrModule) -> str:
    """Returns the routine `(ctx, warp, generic addresses, mask, size, unset) -> lanes`: those that write local memory.

    What the lanes of `unset` write has no value.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        f = IrFunction(owner, name, "i32", [*_ARGUMENTS, ("i32", "unset")], attributes="nounwind noinline")
        owner.declare("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"])
        found = f.alloca("i32", align=4)
        f.store("i32", "0", found)
        lane, head, after = for_each_lane(f, "%mask")
        place, inside = _place(f, lane)
        with where(f, inside, "local"):
            unset = f.let(f"and i32 {f.let(f'lshr i32 %unset, {lane}')}, 1")
            value = f.let(f"trunc i32 {f.let(f'xor i32 {unset}, 1')} to i8")
            size = f.let("zext i32 %size to i64")
            f.do(f"call void @llvm.memset.p0.i64(ptr {place}, i8 {value}, i64 {size}, i1 false)")
            f.store("i32", f.let(f"or i32 {f.load('i32', found)}, {f.let(f'shl i32 1, {lane}')}"), found)
        next_lane(f, head, after)
        f.do(f"ret i32 {f.load('i32', found)}")
        return f

    return module.routine("local_values_write", build)


def _place(f: IrFunction, lane: str) -> tuple[str, str]:
    """Returns the shadow of the first byte of a lane's access, and whether all of the access is in local memory."""
    address = f.let(f"extractelement {V('i64', '%address')}, i32 {lane}")
    offset = f.let(f"sub i64 {address}, {layout.LOCAL_WINDOW}")
    size, stride = (f.load("i64", "%ctx", CONTEXT[name]) for name in ("local_bytes", "local_stride"))
    most = f.let(f"add i64 {offset}, {f.let('zext i32 %size to i64')}")
    inside = f.let(f"and i1 {f.let(f'icmp ult i64 {offset}, {size}')}, {f.let(f'icmp ule i64 {most}, {size}')}")
    number = f.load("i32", "%warp", WARP["index"])
    thread = f.let(f"or i32 {f.let(f'shl i32 {number}, 5')}, {lane}")
    own = f.let(f"mul i64 {f.let(f'zext i32 {thread} to i64')}, {stride}")
    base = f.field(f.load("ptr", "%ctx", CONTEXT["local_values"]), own)
    return f.field(base, offset), inside


def forget_values(f: IrFunction) -> None:
    """Marks all local memory as without a value, at the start of a block."""
    f.module.declare("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"])
    known = f.load("ptr", "%ctx", CONTEXT["local_values"])
    with where(f, f.let(f"icmp ne ptr {known}, null"), "values"):
        threads = f.let(f"mul i32 {f.load('i32', '%ctx', CONTEXT['warp_count'])}, {LANES}")
        size = f.let(f"mul i64 {f.let(f'zext i32 {threads} to i64')}, {f.load('i64', '%ctx', CONTEXT['local_stride'])}")
        f.do(f"call void @llvm.memset.p0.i64(ptr {known}, i8 0, i64 {size}, i1 false)")
