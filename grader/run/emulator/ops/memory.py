"""Loads and stores of all state spaces, address conversion, fences and prefetches (PTX ISA, "Data Movement")."""

from __future__ import annotations

from grader.run.emulator import layout
from grader.run.emulator.layout import CONTEXT
from grader.run.emulator.native import discard as discarding
from grader.run.emulator.native.access import Access, access_routine
from grader.run.emulator.native.ir import V, splat
from grader.run.emulator.native.records import Kind
from grader.run.emulator.ops.common import Row
from grader.run.emulator.ptx.syntax import Address, Group, Immediate, Instruction, Operand, Symbol, type_of
from grader.run.emulator.ptx.traits import PURE, Memory, Traits
from grader.run.emulator.ptx.types import TYPES, PtxType
from grader.run.emulator.translate.cfg import hands_over
from grader.run.emulator.translate.counting import count_access
from grader.run.emulator.translate.emitter import Emitter
from grader.run.emulator.translate.parameters import read_area, write_area
from grader.run.emulator.translate.sanitizer import check_access, check_kind, emit_acquire, emit_fence

_SPACES = {
    "global": "global",
    "const": "global",
    "shared": "shared",
    "shared::cta": "shared",
    "local": "local",
}
_VECTORS = {"v2": 2, "v4": 4, "v8": 8}


def state_space(i: Instruction) -> str:
    """Returns the space an access names (global, shared or local; constants are global), or "generic"."""
    return next((_SPACES[m] for m in i.modifiers if m in _SPACES), "generic")


def _shape(i: Instruction) -> tuple[PtxType, int]:
    """Returns (type of a component, number of components); a 128-bit component counts as two of 64."""
    kind = type_of(i)
    count = next((_VECTORS[m] for m in i.modifiers if m in _VECTORS), 1)
    if kind.width == 128:
        return TYPES["b64"], 2 * count
    return kind, count


def _access(i: Instruction, store: bool) -> tuple[Access, PtxType]:
    kind, count = _shape(i)
    return Access(store, state_space(i), kind.bytes, count), kind


def _components(operand: Operand) -> tuple[Operand, ...]:
    return operand.items if isinstance(operand, Group) else (operand,)


def call_access(e: Emitter, access: Access, address: V, values: list[V]) -> list[V]:
    """Emits a checked access for the lanes of the instruction; returns the vectors loaded, as integers."""
    f = e.f
    routine = access_routine(f.module, access)
    check_access(e, access.space, access.width, access.count, access.store, address, values)
    count_access(e, "store" if access.store else "load", access.space, access.size, address)
    arguments = ["ptr %ctx", "ptr %warp", str(address), f"i32 {e.mask_bits}", f"i32 {e.site()}"]
    result = f.call(routine, access.returns, [*arguments, *(str(v) for v in values)])
    if not access.store:
        emit_acquire(e, address, access.size)
    if not access.store and access.count == 1:
        values = [V(access.lane_type, result)]
    elif not access.store:
        parts = range(access.count)
        values = [V(access.lane_type, f.let(f"extractvalue {access.returns} {result}, {c}")) for c in parts]
    if e.recorder is not None:
        e.recorder.access(access.store, access.space, access.width, address, values)
    return [] if access.store else values


def load(e: Emitter, i: Instruction) -> None:
    """Emits ld and ldu. Raises UnsupportedPtx for 128-bit types, and for .nc beside global memory."""
    if any(m.startswith("param") for m in i.modifiers) and _is_named_parameter(i.operands[1]):
        _load_parameter(e, i)
        return
    access, kind = _access(i, store=False)
    if type_of(i).width == 128 or ("nc" in i.modifiers and access.space != "global"):
        raise e.unsupported()
    values = call_access(e, access, e.address(i.operands[1]), [])
    for target, value in zip(_components(i.operands[0]), values, strict=True):
        # A register may be wider than the loaded type: the value is then extended as the type says.
        e.write(target, value, kind.is_signed)
    if "acquire" in i.modifiers:
        e.f.do("fence seq_cst")


def store(e: Emitter, i: Instruction) -> None:
    """Emits st. Raises UnsupportedPtx for 128-bit types."""
    if any(m.startswith("param") for m in i.modifiers):
        _store_parameter(e, i)
        return
    access, kind = _access(i, store=True)
    if type_of(i).width == 128:
        raise e.unsupported()
    if "release" in i.modifiers:
        e.f.do("fence seq_cst")
    values = [e.read(source, kind) for source in _components(i.operands[1])]
    call_access(e, access, e.address(i.operands[0]), values)
    if hands_over(i):
        # A thread that waits for others only looks.
        before = e.waits_so_far()
        none = e.f.let(f"icmp eq i32 {e.mask_bits}, 0")
        e.f.store("i64", e.f.let(f"select i1 {none}, i64 {before}, i64 0"), "%ctx", CONTEXT["waits"])
        e.settle_waits(before)


def _is_named_parameter(operand: Operand) -> bool:
    return isinstance(operand, Address) and isinstance(operand.base, Symbol)


def _load_parameter(e: Emitter, i: Instruction) -> None:
    f = e.f
    kind, count = _shape(i)
    operand = i.operands[1]
    assert isinstance(operand, Address) and isinstance(operand.base, Symbol)
    name = operand.base.name
    own = e.storage.parameters.get(name) if e.function.entry else None
    for index, target in enumerate(_components(i.operands[0])[:count]):
        offset = operand.offset + index * kind.bytes
        if name in e.frame.areas:
            value = read_area(e, e.frame.areas[name], offset, kind.width)
        elif own is not None and own.holds(offset, kind.bytes):
            pointer = f.load("ptr", "%ctx", CONTEXT["parameters"])
            value = f.spread(kind.integer, f.load(kind.integer, pointer, own.at + offset))
        else:
            raise e.unsupported(f"this part of the parameter {name}")
        e.write(target, value, kind.is_signed)


def _store_parameter(e: Emitter, i: Instruction) -> None:
    kind, count = _shape(i)
    operand = i.operands[0]
    if not (isinstance(operand, Address) and isinstance(operand.base, Symbol)):
        raise e.unsupported()
    area = e.frame.areas[operand.base.name]
    for index, source in enumerate(_components(i.operands[1])[:count]):
        write_area(e, area, operand.offset + index * kind.bytes, e.read(source, kind))


def convert_address(e: Emitter, i: Instruction) -> None:
    """cvta: converts between addresses of a space and generic ones; global and constant ones coincide."""
    kind = TYPES["b64"]
    value = e.read(i.operands[1], kind)
    space = next((m for m in i.modifiers if m not in ("to", "u64", "u32")), "global")
    window = {
        "shared": layout.SHARED_WINDOW,
        "shared::cta": layout.SHARED_WINDOW,
        "local": layout.LOCAL_WINDOW,
    }.get(space)
    if window is not None:
        opcode = "sub" if "to" in i.modifiers else "add"
        value = e.f.op(opcode, value, splat("i64", window))
    e.write(i.operands[0], value)


def is_space(e: Emitter, i: Instruction) -> None:
    f = e.f
    window = f.op("lshr", e.read(i.operands[1], TYPES["b64"]), splat("i64", layout.SLOT_BITS))
    space = next(m for m in i.modifiers)
    if space.startswith("shared"):
        result = f.compare("icmp eq", window, splat("i64", 1))
    elif space == "local":
        result = f.compare("icmp eq", window, splat("i64", 2))
    elif space == "global":
        result = f.compare("icmp uge", window, splat("i64", layout.PARAMETER_SLOT))
    else:
        raise e.unsupported()
    e.write(i.operands[0], result)


def fence(e: Emitter, i: Instruction) -> None:
    emit_fence(e)
    e.f.do("fence seq_cst")


def make_policy(e: Emitter, i: Instruction) -> None:
    """createpolicy: what caches should keep has no effect on results."""
    e.write(i.operands[0], splat("i64", 0))


def discard(e: Emitter, i: Instruction) -> None:
    """Discards a line: its contents are dropped without being written back."""
    size = i.operands[1]
    if state_space(i) != "global" or not isinstance(size, Immediate) or size.value != discarding.SIZE:
        raise e.unsupported()
    address, site = e.address(i.operands[0]), e.site()
    # For other threads it is a write, checked first; only then are the line's records cleared.
    check_kind(e, Kind(False, True, deferred=True), "global", discarding.SIZE, 1, address, [], site)
    routine = discarding.discard_routine(e.f.module, e.checks.global_granule if e.checks is not None else 0)
    e.f.call(routine, "void", ["ptr %ctx", "ptr %warp", str(address), f"i32 {e.mask_bits}", f"i32 {site}"])


def sleep(e: Emitter, i: Instruction) -> None:
    """nanosleep: the warp yields to other warps, for any length of time."""
    e.give_way("true")


def ignore_hint(e: Emitter, i: Instruction) -> None:
    """Emits nothing: hints to caches and schedulers have no effect on results."""


_LOADS = Traits(memory=Memory.LOAD)
_HINTS = Traits(memory=Memory.HINT, result=False, idle=True)
_FENCES = Traits(orders=True, result=False)

TABLE = {
    ("ld", ""): Row(load, _LOADS),
    ("ldu", ""): Row(load, _LOADS),
    ("st", ""): Row(store, Traits(memory=Memory.STORE, result=False)),
    ("cvta", ""): Row(convert_address, PURE),
    ("isspacep", ""): Row(is_space, PURE),
    ("membar", ""): Row(fence, _FENCES),
    ("fence", ""): Row(fence, _FENCES),
    ("prefetch", ""): Row(ignore_hint, _HINTS),
    ("prefetchu", ""): Row(ignore_hint, _HINTS),
    ("applypriority", ""): Row(ignore_hint, _HINTS),
    ("createpolicy", ""): Row(make_policy, Traits(memory=Memory.HINT, idle=True)),
    ("discard", ""): Row(discard, Traits(memory=Memory.DISCARD, result=False)),
    ("nanosleep", ""): Row(sleep, Traits(idle=True, result=False)),
    ("pmevent", ""): Row(ignore_hint, Traits(idle=True, result=False)),
    ("griddepcontrol", ""): Row(ignore_hint, Traits(result=False)),
}
