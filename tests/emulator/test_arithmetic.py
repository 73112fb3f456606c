"""Every arithmetic instruction of the emulator against NumPy, on the values where arithmetic goes wrong."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .emulated import emulate
from .instructions import FAMILIES, Family
from .instructions.rows import mismatches
from .operands import corner_cases, random_bits, seeds, tuples, typed


def check(family: Family, rows: list[tuple[int, ...]]) -> None:
    operands = typed(rows, family.inputs)
    results = emulate(family, operands)
    wrong = [text for row, got in zip(family.rows, results, strict=True) for text in mismatches(row, operands, got)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
def test_corner_cases(family: Family) -> None:
    check(family, corner_cases(family.inputs))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
@given(data=st.data(), seed=seeds())
def test_any_operands(family: Family, data: st.DataObject, seed: int) -> None:
    check(family, data.draw(tuples(family.inputs)) + random_bits(family.inputs, seed, 40))
