"""Rows of the instruction table: what to write, on which operands, and what should come out.

The rows themselves are in the modules beside this one, by kind of instruction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..exact import Array
from ..ptx_gen import WIDTH, Op

MODES = ("rn", "rz", "rm", "rp")
Reference = Callable[..., Any]
"""From operands, as arrays, to an array of results."""
Close = Callable[[Array, Array], Array]


@dataclass(frozen=True)
class Row:
    text: str
    inputs: tuple[str, ...]
    output: str
    reference: Reference
    allowed: Close | None = None
    """(got, wanted as double) -> which are close enough, for approximate instructions."""
    domain: Callable[..., Array] | None = None
    """Which operand tuples have a defined result."""

    @property
    def opcode(self) -> str:
        return self.text.split()[0]

    @property
    def op(self) -> Op:
        return Op(self.text, self.output)


def wanted(row: Row, operands: Sequence[Array]) -> Array:
    """What the reference says, in the result's own type; approximate results stay in double precision."""
    with np.errstate(all="ignore"):
        answer = row.reference(*operands)
        return np.asarray(answer) if row.allowed else answer.astype(dtype(row.output))


def mismatches(row: Row, operands: Sequence[Array], got: Array) -> list[str]:
    """What differs from the reference, in words; a NaN equals any other. Floats are compared by their bits."""
    with np.errstate(all="ignore"):
        want = wanted(row, operands)
        if row.allowed:
            beyond = np.abs(want) > np.finfo(dtype(row.output)).max
            want = np.where(beyond, np.copysign(np.inf, want), want)
            same = row.allowed(got.astype("f8"), want) | (np.isnan(got) & np.isnan(want))
        else:
            same = same_bits(row.output, got, want)
        if row.domain:
            same |= ~row.domain(*operands)
    texts = []
    for i in np.flatnonzero(~same)[:5]:
        given = ", ".join(shown(o[i]) for o in operands)
        texts.append(f"{row.text} with {given}: got {shown(got[i])}, expected {shown(want[i])}")
    return texts


def shown(x: Any) -> str:
    return f"{x!r} (0x{int(as_integers(np.array([x]))[0]):x})"


def as_integers(a: Array) -> Array:
    return a.view(f"u{a.dtype.itemsize}")


def same_bits(kind: str, got: Array, want: Array) -> Array:
    """Element by element, and half by half in packed types; one NaN is as good as another."""
    if kind.endswith("x2"):
        halves = same_bits(kind[:-2], got.view("u2"), want.view("u2"))
        return np.asarray(halves.reshape(-1, 2).all(axis=1))
    same: Array = np.equal(as_integers(got), as_integers(want))
    largest = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F80_0000, "f64": 0x7FF0_0000_0000_0000}.get(kind)
    if largest is None:
        return same
    sign = as_integers(got).dtype.type(1 << (8 * got.dtype.itemsize - 1))
    both: Array = same | ((as_integers(got) & ~sign > largest) & (as_integers(want) & ~sign > largest))
    return both


class Table(list[Row]):
    """A list of rows with a short way to add one."""

    def row(self, opcode: str, inputs: Sequence[str], output: str, reference: Reference, **options: Any) -> None:
        """The usual form: result first, then every operand in order. Other forms write their own text."""
        operands = ", ".join(f"{{{letter}}}" for letter in "abce"[: len(inputs)])
        text = opcode if "{d}" in opcode else f"{opcode} {{d}}, {operands}"
        self.append(Row(text, tuple(inputs), output, reference, **options))


def dtype(kind: str) -> str:
    if kind in ("f32", "f64", "f16"):
        return f"f{WIDTH[kind]}"
    return f"{'i' if kind[0] == 's' else 'u'}{WIDTH[kind]}"


def bits_of(kind: str) -> int:
    return 8 * WIDTH[kind]


def low_high(kind: str) -> tuple[int, int]:
    n = bits_of(kind)
    return (-(1 << (n - 1)), (1 << (n - 1)) - 1) if kind[0] == "s" else (0, (1 << n) - 1)


def clamped(kind: str, x: int) -> int:
    low, high = low_high(kind)
    return max(low, min(high, x))


def bitwise(reference: Reference, kind: str) -> Reference:
    """Lets a reference on bits take and give arrays of the kind's own type."""

    def apply(*arrays: Array) -> Array:
        unsigned = [a.view(f"u{a.dtype.itemsize}") for a in arrays]
        return reference(*unsigned).astype(f"u{WIDTH[kind]}").view(dtype(kind))

    return apply


def flat(a: Array) -> Array:
    return np.where(np.abs(a) < np.float32(2.0**-126), np.float32(0), a)


@dataclass(frozen=True, repr=False)
class Family:
    """Rows on the same operands and with the same base opcode: they share a module."""

    name: str
    rows: tuple[Row, ...]

    def __repr__(self) -> str:
        return self.name

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.rows[0].inputs


def families(rows: Iterable[Row]) -> list[Family]:
    groups: dict[tuple[str, tuple[str, ...], bool], list[Row]] = defaultdict(list)
    for r in rows:
        base = "carry" if ";" in r.text else r.opcode.partition(".")[0]
        groups[base, r.inputs, r.domain is not None].append(r)
    return [
        Family("-".join((base, *inputs, *(["domain"] if partial else []))), tuple(members))
        for (base, inputs, partial), members in groups.items()
    ]
