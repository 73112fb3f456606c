"""What PTX and machine code have in common: accesses to memory, floating point, shuffles and barriers of a source line.

The assembler unrolls loops, merges and drops instructions. What stays are the bytes that a line's accesses move and the
results that it computes: from how often PTX does that follows how often each basic block of the machine code runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from grader.model.sampling import Row
from grader.run.emulator.ptx.traits import Barrier, MatrixRole, Memory
from grader.run.emulator.ptx.types import TYPES
from grader.sass import Instruction

LOADS, STORES, ATOMICS, COPIES = "load", "store", "atomic", "copy"
SHUFFLE = "shuffle"
GLOBAL, SHARED, LOCAL = "global", "shared", "local"

_ACCESSES = {
    "LDG": (LOADS, GLOBAL),
    "LD": (LOADS, GLOBAL),
    "STG": (STORES, GLOBAL),
    "ST": (STORES, GLOBAL),
    "LDS": (LOADS, SHARED),
    "LDSM": (LOADS, SHARED),
    "STS": (STORES, SHARED),
    "STSM": (STORES, SHARED),
    "LDL": (LOADS, LOCAL),
    "STL": (STORES, LOCAL),
    "LDGSTS": (COPIES, GLOBAL),
    "ATOM": (ATOMICS, GLOBAL),
    "ATOMG": (ATOMICS, GLOBAL),
    "RED": (ATOMICS, GLOBAL),
    "REDG": (ATOMICS, GLOBAL),
    "ATOMS": (ATOMICS, SHARED),
}
_WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
_FLOATS = {"FFMA": 1, "FADD": 1, "FMUL": 1, "HFMA2": 1, "HADD2": 1, "HMUL2": 1, "DFMA": 1, "DADD": 1, "DMUL": 1}
_KINDS_OF_WORK = {
    "shfl": SHUFFLE,
    **dict.fromkeys(("fma", "add", "sub", "mul"), "float"),
    **dict.fromkeys(("div", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh", "rem"), "long"),
}
"""What opcodes of PTX compute; of "long" ones the assembler makes many instructions."""
_SHAPES = {"884": 8 * 8 * 4, "1684": 16 * 8 * 4, "1688": 16 * 8 * 8, "16816": 16 * 8 * 16, "16832": 16 * 8 * 32}


@dataclass(frozen=True)
class Anchor:
    """A kind of work of one source line; of loads and stores in global memory those of one width in bytes.

    The assembler merges accesses to shared memory, and none to global memory: instances of a template are told apart.
    """

    line: int
    kind: str
    space: str = ""
    width: float = 0.0


@dataclass(frozen=True)
class Amount:
    """How much of an anchor's work one execution does: bytes of a lane, products, or 1."""

    anchor: Anchor
    work: float
    strength: float
    """How far the two kinds of code agree in it: 1 for what the assembler leaves as it is."""


def of_row(row: Row) -> Amount | None:
    """The work of a PTX instruction; None for what the assembler may do otherwise."""
    traits = row.traits
    if traits.matrix is MatrixRole.PRODUCT:
        products = _products(row)
        return Amount(Anchor(row.line, "product"), products, 1.0) if products else None
    if traits.barrier is Barrier.BLOCK:
        return Amount(Anchor(row.line, "barrier"), 1.0, 1.0)
    anchor = is_of(row)
    if anchor is not None:
        if traits.matrix is not MatrixRole.NONE:
            return None
        moved = 1.0 if anchor.kind in (ATOMICS, COPIES) else _bytes(row.modifiers)
        return Amount(anchor, moved, 1.0)
    work = _KINDS_OF_WORK.get(row.opcode)
    kind = next((m for m in reversed(row.modifiers) if m in TYPES), "b32")
    if work == SHUFFLE:
        return Amount(Anchor(row.line, work), 1.0, 1.0)
    if work == "float" and TYPES[kind].is_float:
        return Amount(Anchor(row.line, work), 1.0, 0.2)
    return None


_KINDS = {Memory.LOAD: LOADS, Memory.STORE: STORES, Memory.ATOMIC: ATOMICS, Memory.COPY: COPIES}


def is_of(row: Row) -> Anchor | None:
    """What an access of PTX is compared by; None for other instructions, and for parameters and constants."""
    kind = _KINDS.get(row.traits.memory)
    if kind is None or {"param", "const"} & set(row.modifiers):
        return None
    space = LOCAL if "local" in row.modifiers else SHARED if _is_shared(row) else GLOBAL
    return Anchor(row.line, kind, space, _bytes(row.modifiers) if _keeps_width(kind, space) else 0.0)


def is_long(row: Row) -> bool:
    """Whether the assembler makes many instructions of it, so that its line's floating point can't be compared."""
    return _KINDS_OF_WORK.get(row.opcode) == "long"


def of_instruction(one: Instruction) -> Amount | None:
    """The work of an instruction of the machine code."""
    name = one.name
    if name in _ACCESSES:
        kind, space = _ACCESSES[name]
        work = 1.0 if kind in (ATOMICS, COPIES) else width_of(one)
        return Amount(Anchor(one.line, kind, space, work if _keeps_width(kind, space) else 0.0), work, 1.0)
    if name in ("HMMA", "IMMA", "DMMA", "BMMA"):
        return Amount(Anchor(one.line, "product"), products_of(one), 1.0)
    if name == "BAR":
        return Amount(Anchor(one.line, "barrier"), 1.0, 1.0)
    if name == "SHFL":
        return Amount(Anchor(one.line, SHUFFLE), 1.0, 1.0)
    if name in _FLOATS:
        return Amount(Anchor(one.line, "float"), 1.0, 0.2)
    return None


def width_of(one: Instruction) -> float:
    """The bytes that a lane of an access moves."""
    if one.name in ("LDSM", "STSM"):
        return 4.0 * next((int(m) for m in one.modifiers if m in ("2", "4")), 1)
    return float(next((_WIDTHS[m] for m in one.modifiers if m in _WIDTHS), 4))


def products_of(one: Instruction) -> float:
    """The multiplications of a matrix product of a warp."""
    shape = next((_SHAPES[m] for m in one.modifiers if m in _SHAPES), 0)
    return float(shape or _SHAPES["16816"])


def _products(row: Row) -> float:
    shape = next((m for m in row.modifiers if m.startswith("m") and "n" in m and "k" in m), "")
    sides = [int(part) for part in shape.replace("m", " ").replace("n", " ").replace("k", " ").split()]
    return float(prod(sides)) if len(sides) == 3 else 0.0


def _bytes(modifiers: Sequence[str]) -> float:
    kind = next((m for m in reversed(modifiers) if m in TYPES), "b32")
    count = 4 if "v4" in modifiers else 2 if "v2" in modifiers else 1
    return float(count * TYPES[kind].bytes)


def _keeps_width(kind: str, space: str) -> bool:
    return space == GLOBAL and kind in (LOADS, STORES)


def _is_shared(row: Row) -> bool:
    return "shared" in row.modifiers or row.shared_requests > row.requests
