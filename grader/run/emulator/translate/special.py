"""Special registers (PTX ISA, "Special Registers"): thread and block indices, lane masks, clocks."""

from __future__ import annotations

from grader.run.emulator.layout import CONTEXT, WARP
from grader.run.emulator.native.ir import LANES, IrFunction, V, lanes, splat

_AXES = {"x": 0, "y": 1, "z": 2}
_LANE_MASKS = {
    "%lanemask_eq": [1 << lane for lane in range(LANES)],
    "%lanemask_lt": [(1 << lane) - 1 for lane in range(LANES)],
    "%lanemask_le": [(2 << lane) - 1 for lane in range(LANES)],
    "%lanemask_gt": [0xFFFFFFFF & ~((2 << lane) - 1) for lane in range(LANES)],
    "%lanemask_ge": [0xFFFFFFFF & ~((1 << lane) - 1) for lane in range(LANES)],
}
_CONTEXT_WORDS = {"%dynamic_smem_size": "dynamic_shared", "%total_smem_size": "total_shared"}
_WORKSPACE = {"%envreg1": 32, "%envreg2": 0}
"""The driver's registers in which cooperative_groups finds its workspace: the address's bits from this one on."""
PROCESSORS = 24
"""The SMs of the emulated device, the same number as programs on the host see (grader/plan/device_table.py)."""
_STARTED = 1_750_000_000_000_000_000
"""The start of the global timer, in ns since 1970: no GPU's is near 0."""
_CONSTANTS = {
    "WARP_SZ": LANES,
    "%nwarpid": 48,
    "%nsmid": PROCESSORS,
    "%gridid": 1,
    "%reserved_smem_offset_begin": 0,
    "%reserved_smem_offset_end": 0,
    "%reserved_smem_offset_cap": 0,
    "%reserved_smem_offset_0": 0,
    "%reserved_smem_offset_1": 0,
}


def _axis(f: IrFunction, family: str, axis: int) -> V:
    if family == "%tid":
        table = f.load("ptr", "%warp", WARP["tid"])
        return f.load_lanes("i32", table, 4 * LANES * axis)
    return f.spread("i32", f.load("i32", "%ctx", CONTEXT[family[1:]] + 4 * axis))


def _slot(f: IrFunction) -> str:
    """Returns the warp's place on its multiprocessor, which is what %warpid tells.

    Several blocks reside side by side, and nothing makes the first one begin at a multiple of its warps.
    """
    warps, number = f.load("i32", "%ctx", CONTEXT["warp_count"]), f.load("i64", "%ctx", CONTEXT["block"])
    after, width = f.let(f"add i64 {number}, 1"), f.let(f"add i32 {warps}, 1")
    begin = f.let(f"mul i64 {after}, {f.let(f'zext i32 {width} to i64')}")
    index = f.let(f"zext i32 {f.load('i32', '%warp', WARP['index'])} to i64")
    place = f.let(f"urem i64 {f.let(f'add i64 {begin}, {index}')}, {_CONSTANTS['%nwarpid']}")
    return f.let(f"trunc i64 {place} to i32")


def read_special(f: IrFunction, name: str) -> V | None:
    """Returns the value of a special register; None for any other name."""
    family, _, axis = name.partition(".")
    if family in ("%tid", "%ntid", "%ctaid", "%nctaid") and axis in _AXES:
        return _axis(f, family, _AXES[axis])
    if name == "%laneid":
        return lanes("i32", range(LANES))
    if name == "%warpid":
        return f.spread("i32", _slot(f))
    if name in _LANE_MASKS:
        return lanes("i32", [v - (v >> 31 << 32) for v in _LANE_MASKS[name]])
    if name in _CONTEXT_WORDS:
        return f.spread("i32", f.load("i32", "%ctx", CONTEXT[_CONTEXT_WORDS[name]]))
    if name in _WORKSPACE:
        word = f.load("i64", "%ctx", CONTEXT["workspace"])
        part = f.let(f"lshr i64 {word}, {_WORKSPACE[name]}")
        return f.spread("i32", f.let(f"trunc i64 {part} to i32"))
    if name == "%smid":
        number = f.let(f"urem i64 {f.load('i64', '%ctx', CONTEXT['block'])}, {PROCESSORS}")
        return f.spread("i32", f.let(f"trunc i64 {number} to i32"))
    if name in _CONSTANTS:
        return splat("i32", _CONSTANTS[name])
    if name in ("%clock64", "%globaltimer", "%clock", "%clock_hi", "%globaltimer_lo", "%globaltimer_hi"):
        return _clock(f, name)
    return None


def _clock(f: IrFunction, name: str) -> V:
    """Returns a clock, counted in instructions of this worker; each reading is later than the one before."""
    executed = f.load("i64", "%ctx", CONTEXT["instructions"])
    ticks = f.let(f"add i64 {f.load('i64', '%ctx', CONTEXT['clock'])}, 16")
    f.store("i64", ticks, "%ctx", CONTEXT["clock"])
    now = f.let(f"add i64 {executed}, {ticks}")
    if "globaltimer" in name:
        now = f.let(f"add i64 {now}, {_STARTED}")
    if name in ("%clock64", "%globaltimer"):
        return f.spread("i64", now)
    word = f.let(f"lshr i64 {now}, 32") if name.endswith("_hi") else now
    return f.spread("i32", f.let(f"trunc i64 {word} to i32"))
