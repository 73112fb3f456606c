"""Two functions have the same fingerprint if, and only if, the same comes of compiling them."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

from grader.plan.python.numba.fingerprint import Unknown, fingerprint

TEXT = """
import math
SCALE = 2
TABLE = (1, 2)
def helper(x):
    return x + OFFSET
OFFSET = 1
def kernel(x):
    return helper(x) * SCALE + math.pi + TABLE[0]
"""


def made(text: str, **known: Any) -> types.FunctionType:
    names: dict[str, Any] = dict(known)
    exec(compile(text, "submission.py", "exec"), names)
    kernel: types.FunctionType = names["kernel"]
    return kernel


def of(text: str, **known: Any) -> str:
    return fingerprint(made(text, **known), lambda value: value)


def test_a_fresh_import_is_the_same() -> None:
    assert of(TEXT) == of(TEXT)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SCALE = 2", "SCALE = 2.0"),
        ("(1, 2)", "(1, 3)"),
        ("OFFSET = 1", "OFFSET = 3"),
        ("x + OFFSET", "x - OFFSET"),
        ("helper(x) *", "helper(x) +"),
        ("\ndef kernel", "\n\ndef kernel"),
    ],
)
def test_what_it_names_decides(old: str, new: str) -> None:
    assert old in TEXT
    assert of(TEXT) != of(TEXT.replace(old, new))


def test_what_it_does_not_name_decides_nothing() -> None:
    assert of(TEXT) == of(TEXT + "OTHER = 5\n")


def test_values_of_arrays_decide() -> None:
    text = "def kernel(x):\n    return TABLE[x]\n"
    ones = of(text, TABLE=np.ones(3, np.float32))
    assert ones == of(text, TABLE=np.ones(3, np.float32))
    assert ones != of(text, TABLE=np.zeros(3, np.float32))
    assert ones != of(text, TABLE=np.ones(3, np.float64))


def test_free_variables_decide() -> None:
    text = "def outer(scale):\n    def inner(x):\n        return x * scale\n    return inner\nkernel = outer({})\n"
    assert of(text.format(2)) == of(text.format(2))
    assert of(text.format(2)) != of(text.format(3))


def test_functions_may_call_each_other() -> None:
    text = "def kernel(x):\n    return other(x - 1) if x else 0\ndef other(x):\n    return kernel(x) + 1\n"
    assert of(text) == of(text)
    assert of(text) != of(text.replace("+ 1", "+ 2"))


def test_a_value_that_may_change_unseen_has_none() -> None:
    with pytest.raises(Unknown, match="object"):
        of("def kernel(x):\n    return VALUE\n", VALUE=object())
