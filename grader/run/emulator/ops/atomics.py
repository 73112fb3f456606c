"""`atom` and `red` on global and shared memory, lane by lane (PTX ISA, "atom", "red").

All are sequentially consistent, the strongest order that the modifiers can ask for.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT, WARP
from grader.run.emulator.native.half_arithmetic import half_operation
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, splat
from grader.run.emulator.native.resolve import checked_host, for_each_lane, next_lane, report
from grader.run.emulator.ops.common import Row
from grader.run.emulator.ops.halves import half_format
from grader.run.emulator.ops.memory import state_space
from grader.run.emulator.ptx.syntax import Instruction, type_of
from grader.run.emulator.ptx.traits import Memory, Traits
from grader.run.emulator.ptx.types import PtxType
from grader.run.emulator.translate.counting import count_access
from grader.run.emulator.translate.emitter import FLOAT_BITS, LLVM_FLOAT, Emitter
from grader.run.emulator.translate.sanitizer import check_atomic, emit_acquire

_OPERATIONS = {
    "add": "add",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "exch": "xchg",
    "cas": "cas",
    "min": "min",
    "max": "max",
    "inc": "uinc_wrap",
    "dec": "udec_wrap",
}


@dataclass(frozen=True)
class Atomic:
    """An atomic operation. `operation` is LLVM's, or "cas" or "half_add"; `t` is the LLVM type it works on."""

    operation: str
    space: str
    t: str
    size: int
    half: PtxType | None = None

    @property
    def name(self) -> str:
        return f"atomic_{self.operation}_{self.space}_{self.half.name if self.half else self.t}"


def _atomic(e: Emitter, i: Instruction) -> Atomic:
    kind = type_of(i)
    operation = _OPERATIONS[next(m for m in i.modifiers if m in _OPERATIONS)]
    if kind.width > 64:
        raise e.unsupported()
    if kind.is_float and kind.bits == 16:
        if operation != "add":
            raise e.unsupported()
        return Atomic("half_add", state_space(i), kind.integer, kind.bytes, kind)
    if kind.is_float:
        return Atomic(
            "f" + operation if operation == "add" else operation,
            state_space(i),
            LLVM_FLOAT[kind.kind, kind.bits],
            kind.bytes,
        )
    if operation in ("min", "max"):
        operation = operation if kind.is_signed else "u" + operation
    return Atomic(operation, state_space(i), kind.integer, kind.bytes)


def _emit(e: Emitter, i: Instruction, address_at: int) -> V:
    f = e.f
    atomic = _atomic(e, i)
    kind = type_of(i)
    address = e.address(i.operands[address_at])
    values = [e.read(o, kind) for o in i.operands[address_at + 1 :][: 2 if atomic.operation == "cas" else 1]]
    routine = _routine(f.module, atomic)
    check_atomic(e, atomic.space, atomic.size, address)
    count_access(e, "atomic", atomic.space, atomic.size, address)
    arguments = ["ptr %ctx", "ptr %warp", str(address), f"i32 {e.mask_bits}", f"i32 {e.site()}"]
    t = FLOAT_BITS.get(atomic.t, atomic.t)
    before = e.waits_so_far()
    result = V(t, f.call(routine, f"<{LANES} x {t}>", arguments + [str(v) for v in values]))
    e.settle_waits(before)
    emit_acquire(e, address, atomic.size)
    if e.recorder is not None:
        e.recorder.atomic(atomic.space, atomic.size, address, result)
    return result


def atom(e: Emitter, i: Instruction) -> None:
    e.write(i.operands[0], _emit(e, i, 1))


def red(e: Emitter, i: Instruction) -> None:
    _emit(e, i, 0)


def _routine(module: IrModule, atomic: Atomic) -> str:
    """Returns the routine `(ctx, warp, addresses, mask, site, values[, values]) -> previous contents`.

    It sets the block's waits back if it changes memory: then the block does not wait, or no longer.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        t = FLOAT_BITS.get(atomic.t, atomic.t)
        vector = f"<{LANES} x {t}>"
        arguments = [
            ("ptr", "ctx"),
            ("ptr", "warp"),
            (f"<{LANES} x i64>", "address"),
            ("i32", "mask"),
            ("i32", "site"),
        ]
        arguments += [(vector, "value0")] + ([(vector, "value1")] if atomic.operation == "cas" else [])
        f = IrFunction(owner, name, vector, arguments, attributes="nounwind noinline")
        dead = f.load("i32", "%warp", WARP["dead"])
        mask = f.let(f"and i32 %mask, {f.let(f'xor i32 {dead}, -1')}")
        f.store_lanes(V("i64", "%address"), "%warp", WARP["scratch"])
        outside, misaligned = f.alloca("i32", align=4), f.alloca("i32", align=4)
        f.store("i32", "0", outside)
        f.store("i32", "0", misaligned)
        old = f.alloca(vector)
        f.store_lanes(splat(t, 0), old)
        lane, head, after = for_each_lane(f, mask)
        wide = f.let(f"zext i32 {lane} to i64")
        address = f.load("i64", f.field("%warp", WARP["scratch"]), f.let(f"mul i64 {wide}, 8"))
        host = checked_host(f, atomic.space, lane, address, atomic.size, head, outside, misaligned, writes=True)
        before = _operate(f, atomic, t, host, lane)
        now = f.let(f"load volatile {t}, ptr {host}")
        waits = f.load("i64", "%ctx", CONTEXT["waits"])
        f.store(
            "i64",
            f.let(f"select i1 {f.let(f'icmp eq {t} {now}, {before}')}, i64 {waits}, i64 0"),
            "%ctx",
            CONTEXT["waits"],
        )
        f.store(t, before, old, f.let(f"mul i64 {wide}, {atomic.size}"))
        next_lane(f, head, after)
        report(f, layout.EVENT_OUT_OF_BOUNDS, "%site", f.load("i32", outside))
        report(f, layout.EVENT_MISALIGNED, "%site", f.load("i32", misaligned))
        f.do(f"ret {f.load_lanes(t, old)}")
        return f

    return module.routine(atomic.name, build)


def _operate(f: IrFunction, atomic: Atomic, t: str, host: str, lane: str) -> str:
    """Emits one lane's atomic; returns the previous bits."""
    value = f.let(f"extractelement <{LANES} x {t}> %value0, i32 {lane}")
    if atomic.operation == "cas":
        new = f.let(f"extractelement <{LANES} x {t}> %value1, i32 {lane}")
        pair = f.let(f"cmpxchg ptr {host}, {t} {value}, {t} {new} seq_cst seq_cst")
        return f.let(f"extractvalue {{ {t}, i1 }} {pair}, 0")
    if atomic.half is not None:
        return _half_add(f, atomic.half, t, host, value)
    if atomic.t == t:
        return f.let(f"atomicrmw {atomic.operation} ptr {host}, {t} {value} seq_cst, align {atomic.size}")
    number = f.let(f"bitcast {t} {value} to {atomic.t}")
    if atomic.operation == "xchg":
        return f.let(f"atomicrmw xchg ptr {host}, {t} {value} seq_cst, align {atomic.size}")
    before = f.let(f"atomicrmw {atomic.operation} ptr {host}, {atomic.t} {number} seq_cst, align {atomic.size}")
    return f.let(f"bitcast {atomic.t} {before} to {t}")


def _half_add(f: IrFunction, kind: PtxType, t: str, host: str, value: str) -> str:
    """Adds 16-bit floats, each of a pair by itself, by compare-and-swap: no processor has an atomic for them."""
    form = half_format(kind)
    again, done = f.name_block("again"), f.name_block("done")
    addends = _halves(f, t, value, kind.packed)
    f.goto(again)
    f.block(again)
    before = f.let(f"load atomic {t}, ptr {host} monotonic, align {kind.bytes}")
    pairs = zip(_halves(f, t, before, kind.packed), addends, strict=True)
    sums = [half_operation(f, "add", form, f.spread("i32", a), f.spread("i32", b)) for a, b in pairs]
    new = "0"
    for index, total in enumerate(sums):
        part = f.let(f"and i32 {f.let(f'extractelement {total}, i32 0')}, 65535")
        new = f.let(f"or i32 {new}, {f.let(f'shl i32 {part}, {16 * index}')}")
    if t == "i16":
        new = f.let(f"trunc i32 {new} to i16")
    pair = f.let(f"cmpxchg ptr {host}, {t} {before}, {t} {new} seq_cst seq_cst")
    f.branch(f.let(f"extractvalue {{ {t}, i1 }} {pair}, 1"), done, again)
    f.block(done)
    return before


def _halves(f: IrFunction, t: str, value: str, count: int) -> list[str]:
    """Returns the 16-bit numbers in a value as i32, low first."""
    if t == "i16":
        return [f.let(f"zext i16 {value} to i32")]
    return [f.let(f"and i32 {f.let(f'lshr i32 {value}, {16 * index}')}, 65535") for index in range(count)]


TABLE = {
    ("atom", ""): Row(atom, Traits(memory=Memory.ATOMIC)),
    ("red", ""): Row(red, Traits(memory=Memory.ATOMIC, result=False)),
}
