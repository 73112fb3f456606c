"""What a PTX instruction costs a quarter of an SM: issue slots, cycles of a pipe, and latency.

PTX instructions stand for those of the machine code that the assembler makes of them: a 64-bit addition for two, a
conversion of an address space for none. An instruction that this does not know gets no cost, and its kernel no time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    """What one execution by a warp costs. `slots` are cycles of issue; `pipe` is busy for `busy` cycles."""

    slots: float
    pipe: str
    busy: float
    latency: float


FREE = Cost(0.0, "", 0.0, 0.0)

_DIVISION = {32: 20, 64: 70, 16: 20}
"""Instructions of an integer division or remainder by a variable, by its bits."""
_PRECISE = 8
"""Instructions besides the special one, of a root, a quotient or a reciprocal that is rounded correctly."""
_PRECISE_DOUBLE = 20
_APPROXIMATE_DIVISION = 2


def cost_of(row: Row, sm: Sm, values: Calibration) -> Cost:
    """The cost of an instruction that is no access to memory. Raises UnknownInstructionError."""
    if row.traits.matrix is MatrixRole.PRODUCT:
        return _product(row, sm, values)
    if row.traits.barrier is Barrier.WARP:
        return Cost(1.0, "", 0.0, values.latency_branch)
    costs = _COSTS.get(row.opcode)
    if costs is None:
        raise UnknownInstructionError(f"{row.text} (line {row.line})" if row.line else row.text)
    return costs(row, sm, values)


def _cycles(results: float) -> float:
    """Cycles that a quarter of an SM takes for a warp, at this many results of the SM a cycle."""
    return LANES * PARTITIONS / results


def _type_of(row: Row) -> str:
    return next((m for m in reversed(row.modifiers) if m in TYPES), "b32")


def _is_float(kind: str) -> bool:
    return TYPES[kind].is_float or kind in ("f16x2", "bf16x2", "f32x2")


def _words(kind: str) -> int:
    return 2 if TYPES[kind].bits * TYPES[kind].packed >= 64 else 1


def _nothing(row: Row, sm: Sm, values: Calibration) -> Cost:
    return FREE


def _move(row: Row, sm: Sm, values: Calibration) -> Cost:
    if "tid" in row.text or "clock" in row.text:
        return Cost(1.0, "alu", _cycles(16), values.latency_special_register)
    return FREE


def _branch(row: Row, sm: Sm, values: Calibration) -> Cost:
    return Cost(1.0, "", 0.0, values.latency_branch)


def _fence(row: Row, sm: Sm, values: Calibration) -> Cost:
    return Cost(1.0, "", 0.0, values.latency_fence)


def _integer(row: Row, sm: Sm, values: Calibration) -> Cost:
    count = _words(_type_of(row))
    return Cost(count, "alu", count * _cycles(sm.integer), count * values.latency_arithmetic)


def _add(row: Row, sm: Sm, values: Calibration) -> Cost:
    """Additions, in integers or in floating point."""
    kind = _type_of(row)
    return _floating(kind, sm, values) if _is_float(kind) else _integer(row, sm, values)


def _compare(row: Row, sm: Sm, values: Calibration) -> Cost:
    """Comparisons and what chooses by them, which single precision leaves to the integers' pipe."""
    kind = _type_of(row)
    if not _is_float(kind):
        return _integer(row, sm, values)
    if kind == "f64":
        return _floating(kind, sm, values)
    return Cost(1.0, "alu", _cycles(sm.integer), values.latency_arithmetic)


def _sign(row: Row, sm: Sm, values: Calibration) -> Cost:
    # In floating point mostly a modifier of an operand.
    return FREE if _is_float(_type_of(row)) else _integer(row, sm, values)


def _divide(row: Row, sm: Sm, values: Calibration) -> Cost:
    kind = _type_of(row)
    if _is_float(kind):
        return _special(row, sm, values, _APPROXIMATE_DIVISION)
    count = _DIVISION.get(TYPES[kind].bits, 20)
    return Cost(count, "alu", count * _cycles(sm.integer), count * values.latency_arithmetic)


def _count_bits(row: Row, sm: Sm, values: Calibration) -> Cost:
    return Cost(1.0, "special", _cycles(16) * _words(_type_of(row)), values.latency_special)


def _shuffle(row: Row, sm: Sm, values: Calibration) -> Cost:
    return Cost(1.0, "shared", _cycles(sm.shuffle), values.latency_shuffle)


def _vote(row: Row, sm: Sm, values: Calibration) -> Cost:
    return Cost(1.0, "alu", _cycles(sm.integer), values.latency_shuffle)


def _match(row: Row, sm: Sm, values: Calibration) -> Cost:
    return Cost(1.0, "alu", LANES * _cycles(sm.integer), values.latency_shuffle)


def _reduce(row: Row, sm: Sm, values: Calibration) -> Cost:
    return Cost(1.0, "special", _cycles(16), values.latency_shuffle)


def _video(row: Row, sm: Sm, values: Calibration) -> Cost:
    return Cost(4.0, "alu", 4 * _cycles(sm.integer), 4 * values.latency_arithmetic)


def _floating(kind: str, sm: Sm, values: Calibration) -> Cost:
    if kind == "f64":
        return Cost(1.0, "double", _cycles(sm.fp64), values.latency_double)
    if kind in ("f16", "bf16", "f16x2", "bf16x2"):
        return Cost(1.0, "half", _cycles(sm.half), values.latency_arithmetic + 1)
    count = 2 if kind == "f32x2" else 1
    return Cost(count, "multiply", count * _cycles(sm.fp32), values.latency_arithmetic)


def _multiply(row: Row, sm: Sm, values: Calibration) -> Cost:
    kind = _type_of(row)
    if _is_float(kind):
        return _floating(kind, sm, values)
    # A 32-bit product is one instruction, also a wide one; of 64 bits it is three and two additions.
    wide = "wide" in row.modifiers
    count = 5 if TYPES[kind].bits == 64 and not wide else 1
    return Cost(count, "multiply", count * _cycles(sm.multiply), (count + wide) * values.latency_arithmetic)


def _special(row: Row, sm: Sm, values: Calibration, besides: int = 0) -> Cost:
    """A function of the special unit, with so many instructions besides where it is approximate."""
    if _type_of(row) == "f64":
        count = _PRECISE_DOUBLE
        return Cost(count, "double", count * _cycles(sm.fp64), count * values.latency_double)
    exact = "approx" not in row.modifiers and "full" not in row.modifiers
    more = _PRECISE if exact else besides
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


_COSTS: Mapping[str, Callable[[Row, Sm, Calibration], Cost]] = {
    **dict.fromkeys(
        (
            *("cvta", "pmevent", "createpolicy", "isspacep", "griddepcontrol", "applypriority", "prefetch"),
            *("prefetchu", "discard", "nanosleep", "%barrier_result", "trap"),
        ),
        _nothing,
    ),
    "mov": _move,
    **dict.fromkeys(("bra", "brx", "ret", "exit", "call"), _branch),
    **dict.fromkeys(("membar", "fence"), _fence),
    **dict.fromkeys(
        (
            *("and", "or", "xor", "not", "cnot", "lop3", "shl", "shr", "shf", "bfe", "bfi", "bmsk", "szext", "prmt"),
            *("selp", "slct", "sad", "addc", "subc", "copysign", "testp"),
        ),
        _integer,
    ),
    **dict.fromkeys(("add", "sub"), _add),
    **dict.fromkeys(("set", "setp", "min", "max"), _compare),
    **dict.fromkeys(("abs", "neg"), _sign),
    **dict.fromkeys(("mul", "mad", "mul24", "mad24", "madc", "dp2a", "dp4a", "fma"), _multiply),
    **dict.fromkeys(("div", "rem"), _divide),
    **dict.fromkeys(("ex2", "lg2", "sin", "cos", "tanh", "rcp", "sqrt", "rsqrt"), _special),
    "cvt": _conversion,
    **dict.fromkeys(("popc", "clz", "brev", "bfind", "fns"), _count_bits),
    **dict.fromkeys(("shfl", "movmatrix"), _shuffle),
    **dict.fromkeys(("vote", "activemask"), _vote),
    "match": _match,
    "redux": _reduce,
    **dict.fromkeys(
        (
            *("vabsdiff2", "vabsdiff4", "vadd2", "vadd4", "vmax2", "vmax4", "vmin2", "vmin4", "vsub2", "vsub4"),
            *("vavrg2", "vavrg4", "vset2", "vset4"),
            *("vabsdiff", "vadd", "vmad", "vmax", "vmin", "vset", "vshl", "vshr", "vsub"),
        ),
        _video,
    ),
}
"""How each opcode's cost is found, but for matrix products and barriers of warps, which their traits tell."""
