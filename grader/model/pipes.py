"""What a PTX instruction costs a quarter of an SM: issue slots, cycles of a pipe, and latency.

PTX instructions stand for those of the machine code that the assembler makes of them: a 64-bit addition for two, a
conversion of an address space for none. An instruction that this does not know gets no cost, and its kernel no time.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from grader.model.calibration import Calibration
from grader.model.gpus import Sm
from grader.model.sampling import Row
from grader.run.emulator.ptx.traits import Barrier, MatrixRole
from grader.run.emulator.ptx.types import TYPES

PARTITIONS = 4
"""Schedulers of an SM, each with a quarter of its units: since Volta."""
LANES = 32


class UnknownInstructionError(Exception):
    """The model has no row for this instruction."""


@dataclass(frozen=True)
class Cost:
    """Of one execution by a warp. `slots` are cycles of issue; `pipe` is busy for `busy` cycles."""

    slots: float
    pipe: str
    busy: float
    latency: float


FREE = Cost(0.0, "", 0.0, 0.0)

_FREE = {
    *("cvta", "pmevent", "createpolicy", "isspacep", "griddepcontrol", "applypriority", "prefetch", "prefetchu"),
    *("discard", "nanosleep", "%barrier_result", "trap"),
}
_ALU = {
    *("and", "or", "xor", "not", "cnot", "lop3", "shl", "shr", "shf", "bfe", "bfi", "bmsk", "szext", "prmt", "selp"),
    *("slct", "set", "setp", "min", "max", "abs", "neg", "sad", "add", "sub", "addc", "subc", "copysign", "testp"),
}
_MULTIPLY = {"mul", "mad", "mul24", "mad24", "madc", "dp2a", "dp4a", "fma"}
_SPECIAL = {"ex2", "lg2", "sin", "cos", "tanh", "rcp", "sqrt", "rsqrt", "div"}
_COUNT = {"popc", "clz", "brev", "bfind", "fns"}
_TOGETHER = {"shfl", "movmatrix"}
_VOTES = {"vote", "activemask", "match"}
_VIDEO = {
    *("vabsdiff2", "vabsdiff4", "vadd2", "vadd4", "vmax2", "vmax4", "vmin2", "vmin4", "vsub2", "vsub4"),
}
_DIVISION = {32: 20, 64: 70, 16: 20}
"""Instructions of an integer division or remainder by a variable, by its bits."""
_PRECISE = 8
"""Instructions besides the special one, of a root, a quotient or a reciprocal that is rounded correctly."""
_PRECISE_DOUBLE = 20


def cost_of(row: Row, sm: Sm, values: Calibration) -> Cost:
    """The cost of an instruction that is no access to memory. Raises UnknownInstructionError."""
    opcode, kind = row.opcode, _type_of(row)
    arithmetic = values.latency_arithmetic
    if opcode in _FREE or (opcode == "mov" and "tid" not in row.text and "clock" not in row.text):
        return FREE
    if opcode == "mov":
        return Cost(1.0, "alu", _cycles(16), values.latency_special_register)
    if row.traits.matrix is MatrixRole.PRODUCT:
        return _product(row, sm, values)
    if row.traits.barrier is Barrier.WARP:
        return Cost(1.0, "", 0.0, values.latency_branch)
    if opcode in ("bra", "brx", "ret", "exit", "call"):
        return Cost(1.0, "", 0.0, values.latency_branch)
    if opcode in ("div", "rem") and not _is_float(kind):
        count = _DIVISION.get(TYPES[kind].bits, 20)
        return Cost(count, "alu", count * _cycles(sm.integer), count * arithmetic)
    if opcode in _SPECIAL:
        return _special(row, kind, sm, values)
    if _is_float(kind) and opcode in ("add", "sub", "mul", "fma", "mad", "min", "max", "set", "setp", "abs", "neg"):
        return _floating(opcode, kind, sm, values)
    if opcode in _ALU:
        count = _words(kind)
        return Cost(count, "alu", count * _cycles(sm.integer), count * arithmetic)
    if opcode in _MULTIPLY:
        return _multiply(row, kind, sm, arithmetic)
    if opcode == "cvt":
        return _conversion(row, sm, values)
    if opcode in _COUNT:
        return Cost(1.0, "special", _cycles(16) * _words(kind), values.latency_special)
    if opcode in _TOGETHER:
        return Cost(1.0, "shared", _cycles(sm.shuffle), values.latency_shuffle)
    if opcode in _VOTES:
        count = LANES if opcode == "match" else 1
        return Cost(1.0, "alu", count * _cycles(sm.integer), values.latency_shuffle)
    if opcode == "redux":
        return Cost(1.0, "special", _cycles(16), values.latency_shuffle)
    if opcode in _VIDEO:
        return Cost(4.0, "alu", 4 * _cycles(sm.integer), 4 * arithmetic)
    if opcode in ("membar", "fence"):
        return Cost(1.0, "", 0.0, values.latency_fence)
    raise UnknownInstructionError(f"{row.text} (line {row.line})" if row.line else row.text)


def _cycles(results: float) -> float:
    """Cycles that a quarter of an SM takes for a warp, at this many results of the SM a cycle."""
    return LANES * PARTITIONS / results


def _type_of(row: Row) -> str:
    return next((m for m in reversed(row.modifiers) if m in TYPES), "b32")


def _is_float(kind: str) -> bool:
    return TYPES[kind].is_float or kind in ("f16x2", "bf16x2", "f32x2")


def _words(kind: str) -> int:
    return 2 if TYPES[kind].bits * TYPES[kind].packed >= 64 else 1


def _floating(opcode: str, kind: str, sm: Sm, values: Calibration) -> Cost:
    if opcode in ("abs", "neg"):
        # Mostly a modifier of an operand.
        return FREE
    if opcode in ("min", "max", "set", "setp") and kind != "f64":
        return Cost(1.0, "alu", _cycles(sm.integer), values.latency_arithmetic)
    if kind == "f64":
        return Cost(1.0, "double", _cycles(sm.fp64), values.latency_double)
    if kind in ("f16", "bf16", "f16x2", "bf16x2"):
        return Cost(1.0, "half", _cycles(sm.half), values.latency_arithmetic + 1)
    count = 2 if kind == "f32x2" else 1
    return Cost(count, "multiply", count * _cycles(sm.fp32), values.latency_arithmetic)


def _multiply(row: Row, kind: str, sm: Sm, arithmetic: float) -> Cost:
    # A 32-bit product is one instruction, also a wide one; of 64 bits it is three and two additions.
    wide = "wide" in row.modifiers
    count = 5 if TYPES[kind].bits == 64 and not wide else 1
    return Cost(count, "multiply", count * _cycles(sm.multiply), (count + wide) * arithmetic)


def _special(row: Row, kind: str, sm: Sm, values: Calibration) -> Cost:
    if kind == "f64":
        count = _PRECISE_DOUBLE
        return Cost(count, "double", count * _cycles(sm.fp64), count * values.latency_double)
    exact = "approx" not in row.modifiers and "full" not in row.modifiers
    more = _PRECISE if exact else 2 if row.opcode == "div" else 0
    latency = values.latency_special + more * values.latency_arithmetic
    return Cost(1.0 + more, "special", _cycles(sm.special), latency)


def _conversion(row: Row, sm: Sm, values: Calibration) -> Cost:
    kinds = [m for m in row.modifiers if m in TYPES]
    floats = [TYPES[kind].is_float for kind in kinds[:2]]
    if not any(floats):
        # To 64 bits: the upper word. To fewer: mostly nothing, the register is read in part.
        return Cost(1.0, "alu", _cycles(sm.integer), values.latency_arithmetic) if _words(kinds[0]) > 1 else FREE
    if all(floats) and "f64" not in kinds:
        return Cost(1.0, "alu", _cycles(sm.convert), values.latency_arithmetic + 1)
    return Cost(1.0, "special", _cycles(16), values.latency_special)


def _product(row: Row, sm: Sm, values: Calibration) -> Cost:
    shape = next((m for m in row.modifiers if m.startswith("m") and "n" in m and "k" in m), "")
    sides = [int(part) for part in shape.replace("m", " ").replace("n", " ").replace("k", " ").split()]
    kinds = [m for m in row.modifiers if m in TYPES or m in ("tf32", "e4m3", "e5m2")]
    # The product's modifiers name sums and factors; those of a wmma of halves name its sums alone.
    kind = next((k for k in kinds if k not in ("f32", "s32")), "f16")
    factor = sm.tensor_of.get(kind, 0.0)
    if len(sides) != 3 or not factor:
        raise UnknownInstructionError(f"{row.text} on this GPU")
    busy = prod(sides) / (sm.tensor / PARTITIONS * factor)
    return Cost(1.0 if busy <= 32 else 2.0, "tensor", busy, max(values.latency_tensor, busy + 16))
