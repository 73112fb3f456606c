"""The yardstick itself, held against NumPy: instructions by the table, kernels where the answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from .cases import CASES, Case
from .harness import assert_expected, kernel_ptx, on_oracle
from .instructions import FAMILIES, Family, Row
from .instructions.rows import Array, dtype, mismatches, same_bits
from .operands import corner_cases, random_bits, typed
from .oracle.lanes import vector
from .oracle.ptx import split
from .oracle.scalar import semantics


def plain(row: Row) -> bool:
    """One instruction without constants among its operands: the scalar rule alone gives the result."""
    operands = split(row.text.partition(" ")[2])
    return ";" not in row.text and all(operand[0] == "{" and operand[-1] == "}" for operand in operands)


def by_scalar_rule(row: Row, operands: list[Array]) -> Array:
    rule = semantics(row.opcode)
    bits = [o.view(f"u{o.dtype.itemsize}").tolist() for o in operands]
    results = [rule(*values) for values in zip(*bits, strict=True)]
    firsts = [r[0] if isinstance(r, tuple) else r for r in results]
    size = np.dtype(dtype(row.output)).itemsize
    return np.array([r & ((1 << 8 * size) - 1) for r in firsts], f"u{size}").view(dtype(row.output))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
def test_scalar_rules_equal_numpy(family: Family) -> None:
    tuples = corner_cases(family.inputs, 150) + random_bits(family.inputs, 1, 60)
    operands = typed(tuples, family.inputs)
    wrong = []
    for row in filter(plain, family.rows):
        defined = row.domain(*operands) if row.domain else np.ones(len(tuples), bool)
        kept = [o[defined] for o in operands]
        wrong += mismatches(row, kept, by_scalar_rule(row, kept))
    assert not wrong, "\n".join(wrong)


def with_lane_rules(family: Family) -> bool:
    return any(plain(row) and vector(row.opcode) for row in family.rows)


@pytest.mark.parametrize("family", [family for family in FAMILIES if with_lane_rules(family)], ids=lambda f: f.name)
def test_lane_rules_equal_scalar_rules(family: Family) -> None:
    rows = [row for row in family.rows if plain(row) and vector(row.opcode)]
    operands = typed(corner_cases(family.inputs, 100) + random_bits(family.inputs, 2, 100), family.inputs)
    lanes = [o.view(f"u{o.dtype.itemsize}").astype("u8") for o in operands]
    for row in rows:
        rule = vector(row.opcode)
        assert rule
        with np.errstate(all="ignore"):
            got = rule(*lanes).astype(f"u{np.dtype(dtype(row.output)).itemsize}").view(dtype(row.output))
        same = same_bits(row.output, got, by_scalar_rule(row, operands))
        assert same.all(), row.opcode


@pytest.mark.parametrize("case", [c for c in CASES if c.expect], ids=lambda c: c.kernel)
def test_kernel_equals_numpy(case: Case) -> None:
    assert_expected(case, on_oracle(kernel_ptx(case.file), case).arrays)
