"""What functions are called in the source, from the names that compilers make of them."""

from __future__ import annotations

import pytest

from grader.run.emulator.names import function_name


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("plain", "plain"),
        ("_Z5scalePf", "scale"),
        # A structure among the arguments is not its name.
        ("_Z5scalePf4Pair", "scale"),
        ("_ZL3addPf", "add"),
        ("_Z5scaleIfEvPT_", "scale"),
        ("_ZN3one3twoIfEEvT_", "two"),
        ("_ZNK4Pair3sumEv", "sum"),
        ("_ZN12_GLOBAL__N_13addEf", "add"),
        # numba's have a tag, and its array types.
        ("_ZN10submission5applyB2v1B7c8tJTIcE5ArrayIfLi1E1C7mutable7alignedE", "apply"),
        # Of an operator, and of what is no mangled name, nothing is guessed.
        ("_Zpl", "_Zpl"),
        ("_Z", "_Z"),
        ("_Z999999999", "_Z999999999"),
    ],
)
def test_a_function_has_its_own_name(symbol: str, name: str) -> None:
    assert function_name(symbol) == name
