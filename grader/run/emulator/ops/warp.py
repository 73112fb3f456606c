"""Warp-wide operations: shfl, vote, match, redux, activemask, bar.warp (PTX ISA, "Parallel Synchronization").

translate/convergence.py has brought the participating lanes together before: they are the active ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from grader.run.emulator import layout
from grader.run.emulator.layout import WARP
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, lanes, splat
from grader.run.emulator.native.resolve import report
from grader.run.emulator.ops.common import Row
from grader.run.emulator.ptx.syntax import Immediate, Instruction, Operand, Pair, type_of
from grader.run.emulator.ptx.traits import Barrier, Traits
from grader.run.emulator.ptx.types import B32, PRED, PtxType
from grader.run.emulator.translate.barriers import read_barrier_result
from grader.run.emulator.translate.cfg import BARRIER_RESULT
from grader.run.emulator.translate.emitter import Emitter

_LANE_IDS = list(range(LANES))
_UNDEFINED = 0x7E5A5A5A
"""For lanes that take the value of one that has exited or that their mask leaves out. It is far from usual values as
an integer, a float (7e37), halves and the upper word of a double, and no NaN, which a maximum ignores."""
_SIGNS = [lane.bit_count() % 2 << 31 for lane in _LANE_IDS]
"""The sign of such a value by lane: the lane whose number differs in one bit has the other one, so that along a tree
neither a maximum nor a minimum ignores all of them."""
_SHUFFLES: dict[str, Callable[[int, int, int, int], tuple[int, bool]]] = {
    "up": lambda lane, by, low, most: (lane - by, lane - by >= most),
    "down": lambda lane, by, low, most: (lane + by, lane + by <= most),
    "bfly": lambda lane, by, low, most: (lane ^ by, lane ^ by <= most),
    "idx": lambda lane, by, low, most: (low | by, low | by <= most),
}


def _constant_source(mode: str, lane: int, b: int, c: int) -> tuple[int, bool]:
    """Returns (source lane, predicate) of a shuffle with constant operands (PTX ISA, "shfl.sync")."""
    segment, clamp = c >> 8 & 31, c & 31
    by = b & 31
    most = (lane & segment) | (clamp & ~segment)
    low = lane & segment
    source, inside = _SHUFFLES[mode](lane, by & ~segment if mode == "idx" else by, low, most)
    return (source if inside else lane), inside


def _variable_source(e: Emitter, mode: str, b: V, c: V) -> tuple[V, V]:
    f = e.f
    lane = lanes("i32", _LANE_IDS)
    by = f.op("and", b, splat("i32", 31))
    clamp = f.op("and", c, splat("i32", 31))
    segment = f.op("and", f.op("lshr", c, splat("i32", 8)), splat("i32", 31))
    low = f.op("and", lane, segment)
    most = f.op("or", low, f.op("and", clamp, f.invert(segment)))
    if mode == "up":
        source = f.op("sub", lane, by)
        inside = f.compare("icmp sge", source, most)
    else:
        if mode == "idx":
            source = f.op("or", low, f.op("and", by, f.invert(segment)))
        else:
            source = f.op("add" if mode == "down" else "xor", lane, by)
        inside = f.compare("icmp sle", source, most)
    return f.select(inside, source, lane), inside


def shuffle(e: Emitter, i: Instruction) -> None:
    f = e.f
    mode = next(m for m in i.modifiers if m in _SHUFFLES)
    value = e.read(i.operands[1], B32)
    b, c = i.operands[2], i.operands[3]
    if isinstance(b, Immediate) and isinstance(c, Immediate):
        sources = [_constant_source(mode, lane, b.value, c.value) for lane in _LANE_IDS]
        source = lanes("i32", [source for source, _ in sources])
        result = V("i32", f.let(f"shufflevector {value}, {value}, {source}"))
        inside = V("i1", "<" + ", ".join(f"i1 {'true' if ok else 'false'}" for _, ok in sources) + ">")
    else:
        source, inside = _variable_source(e, mode, e.read(b, B32), e.read(c, B32))
        result = _pick_lanes(e, value, source)
    if e.checks is not None:
        result = _undefined_from_the_absent(e, i, source, result)
    target = i.operands[0]
    if isinstance(target, Pair):
        e.write(target.second, inside)
        target = target.first
    e.write(target, result)


def _undefined_from_the_absent(e: Emitter, i: Instruction, source: V, result: V) -> V:
    """Returns the result with values that nobody expects where the source lane takes no part, and reports such lanes.

    It has exited, or the mask of the lane that takes does not name it.

    They may not use the value, so that it is a remark; who does gets something wrong.
    """
    f = e.f
    present = f.spread("i32", f.load("i32", "%warp", WARP["alive"]))
    if i.traits.synchronises:
        present = f.op("and", present, e.read(i.operands[-1], B32))
    there = f.op("and", f.op("lshr", present, source), splat("i32", 1))
    left = f.compare("icmp eq", there, splat("i32", 0))
    gone = f.let(f"and i32 {f.bits(left)}, {e.active_bits}")
    report(f, layout.EVENT_ABSENT, str(e.site()), gone)
    return f.select(left, lanes("i32", [_UNDEFINED ^ sign for sign in _SIGNS]), result)


def _pick_lanes(e: Emitter, value: V, source: V) -> V:
    """Returns value[source] for each lane, through memory."""
    f = e.f
    f.store_lanes(value, "%warp", WARP["scratch"])
    base = f.let(f"ptrtoint ptr {f.field('%warp', WARP['scratch'])} to i64")
    offsets = f.op("mul", f.cast("zext", source, "i64"), splat("i64", 4))
    places = f.op("add", f.spread("i64", base), offsets)
    pointers = f.let(f"inttoptr {places} to <{LANES} x ptr>")
    arguments = [f"<{LANES} x ptr> {pointers}", "i32 4", str(splat("i1", 1)), str(splat("i32", 0))]
    name = f"llvm.masked.gather.v{LANES}i32.v{LANES}p0"
    return V("i32", f.intrinsic(name, f"<{LANES} x i32>", arguments))


def vote(e: Emitter, i: Instruction) -> None:
    f = e.f
    holds = f.let(f"and i32 {f.bits(e.read(i.operands[1], PRED))}, {e.active_bits}")
    if "ballot" in i.modifiers:
        e.write(i.operands[0], f.spread("i32", holds))
        return
    every = f.let(f"icmp eq i32 {holds}, {e.active_bits}")
    some = f.let(f"icmp ne i32 {holds}, 0")
    none = f.let(f"xor i1 {some}, true")
    answers = {"all": every, "any": some, "uni": f.let(f"or i1 {every}, {none}")}
    e.write(i.operands[0], f.spread("i1", answers[next(m for m in i.modifiers if m in answers)]))


def match(e: Emitter, i: Instruction) -> None:
    f = e.f
    kind = type_of(i)
    value = e.read(i.operands[1], kind)
    if "any" in i.modifiers:
        routine = _match_any(f.module, kind)
        e.write(i.operands[0], V("i32", f.call(routine, f"<{LANES} x i32>", [str(value), f"i32 {e.active_bits}"])))
        return
    leader = f.intrinsic("llvm.cttz.i32", "i32", [f"i32 {e.active_bits}", "i1 true"])
    first = f.spread(value.t, f.let(f"extractelement {value}, i32 {leader}"))
    same = f.let(f"and i32 {f.bits(f.compare('icmp eq', value, first))}, {e.active_bits}")
    agreed = f.let(f"icmp eq i32 {same}, {e.active_bits}")
    target: Operand = i.operands[0]
    if isinstance(target, Pair):
        e.write(target.second, f.spread("i1", agreed))
        target = target.first
    e.write(target, f.spread("i32", f.let(f"select i1 {agreed}, i32 {e.active_bits}, i32 0")))


def _match_any(module: IrModule, kind: PtxType) -> str:
    """Returns the routine `(values, active) -> masks`: for each lane, the active lanes that hold the same value."""

    def build(owner: IrModule, name: str) -> IrFunction:
        vector = f"<{LANES} x {kind.integer}>"
        arguments = [(vector, "values"), ("i32", "active")]
        f = IrFunction(owner, name, f"<{LANES} x i32>", arguments, attributes="nounwind noinline")
        values = V(kind.integer, "%values")
        result = splat("i32", 0)
        for lane in range(LANES):
            one = f.spread(kind.integer, f.let(f"extractelement {values}, i32 {lane}"))
            same = f.let(f"and i32 {f.bits(f.compare('icmp eq', values, one))}, %active")
            result = V("i32", f.let(f"insertelement {result}, i32 {same}, i32 {lane}"))
        f.do(f"ret {result}")
        return f

    return module.routine(f"match_any_{kind.integer}", build)


def reduce(e: Emitter, i: Instruction) -> None:
    """redux: add, min, max, and, or, xor over the participating lanes."""
    f = e.f
    kind = type_of(i)
    operation = next(m for m in i.modifiers if m in ("add", "min", "max", "and", "or", "xor"))
    prefix = ("s" if kind.is_signed else "u") if operation in ("min", "max") else ""
    identity = {"and": -1, "umin": -1, "smin": 0x7FFFFFFF, "smax": -0x80000000}.get(prefix + operation, 0)
    value = f.select(e.active, e.read(i.operands[1], kind), splat("i32", identity))
    e.write(i.operands[0], f.spread("i32", f.reduce(prefix + operation, value)))


def active_mask(e: Emitter, i: Instruction) -> None:
    e.write(i.operands[0], e.f.spread("i32", e.active_bits))


def warp_barrier(e: Emitter, i: Instruction) -> None:
    """Emits a fence: the lanes are together already, and what they wrote becomes visible to each other."""
    e.f.do("fence seq_cst")


def _fold_vote(modifiers: Sequence[str], sources: Sequence[int | None]) -> int | None:
    """Folds a vote that a lane's own condition decides."""
    own = sources[0]
    if own is None or "pred" not in modifiers:
        return None
    if "all" in modifiers and not own:
        return 0
    return 1 if "any" in modifiers and own else None


# These are silent, because only some lanes may use what is exchanged.
_EXCHANGE = Traits(exchanges=True, silent=True)
_VOTE = replace(_EXCHANGE, fold=_fold_vote)
_OF_BLOCK = Traits(barrier=Barrier.BLOCK, result=False)
_OF_WARP = Traits(barrier=Barrier.WARP, synchronises=True, idle=True, result=False)

# Barriers of the block end a basic block: translation.py emits them.
TABLE = {
    ("shfl", ""): Row(shuffle, _EXCHANGE),
    ("shfl.sync", ""): Row(shuffle, replace(_EXCHANGE, synchronises=True)),
    ("vote", ""): Row(vote, _VOTE),
    ("vote.sync", ""): Row(vote, replace(_VOTE, synchronises=True)),
    ("match", ""): Row(match, _EXCHANGE),
    ("match.sync", ""): Row(match, replace(_EXCHANGE, synchronises=True)),
    ("redux", ""): Row(reduce, _EXCHANGE),
    ("redux.sync", ""): Row(reduce, replace(_EXCHANGE, synchronises=True)),
    ("activemask", ""): Row(active_mask, Traits(idle=True)),
    ("bar", ""): Row(None, _OF_BLOCK),
    ("bar.warp", ""): Row(warp_barrier, _OF_WARP),
    ("barrier", ""): Row(None, _OF_BLOCK),
    ("barrier.warp", ""): Row(warp_barrier, _OF_WARP),
    (BARRIER_RESULT, ""): Row(read_barrier_result, Traits()),
}
