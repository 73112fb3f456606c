"""Numbers as solve() gets them in registers, and types that no parameter of it can have."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import pytest

from grader.core.errors import ProblemError
from grader.problem.challenges.c_types import C_TYPES, check_known, is_array, kind_of, number_type, register


@pytest.mark.parametrize(
    ("ctype", "value", "bits"),
    [
        (ctypes.c_float, 1.5, struct.unpack("<I", struct.pack("<f", 1.5))[0]),
        (ctypes.c_float, 2, struct.unpack("<I", struct.pack("<f", 2.0))[0]),
        (ctypes.c_double, 0.1, struct.unpack("<Q", struct.pack("<d", 0.1))[0]),
        (ctypes.c_bool, True, 1),
        (ctypes.c_char, b"a", 97),
        (ctypes.c_char, -3, 2**64 - 3),
        (ctypes.c_int8, -128, 2**64 - 128),
        (ctypes.c_uint8, 255, 255),
        (ctypes.c_int16, -1, 2**64 - 1),
        (ctypes.c_uint16, 65535, 65535),
        (ctypes.c_int, -(2**31), 2**64 - 2**31),
        (ctypes.c_int, 7.0, 7),
        (ctypes.c_uint, 2**32 - 1, 2**32 - 1),
        (ctypes.c_longlong, -(2**63), 2**63),
        (ctypes.c_size_t, 2**64 - 1, 2**64 - 1),
    ],
)
def test_a_number_fills_its_register(ctype: Any, value: Any, bits: int) -> None:
    assert register("n", ctype, value) == bits


@pytest.mark.parametrize(
    ("ctype", "value"),
    [
        (ctypes.c_int, 2**31),
        (ctypes.c_uint, -1),
        (ctypes.c_int8, 128),
        (ctypes.c_uint8, 256),
        (ctypes.c_int, 1.5),
        (ctypes.c_int, "3"),
        (ctypes.c_int, None),
        (ctypes.c_float, 1e39),
        (ctypes.c_float, "x"),
        (ctypes.c_char, 256),
        (ctypes.c_bool, 2),
    ],
)
def test_a_number_that_the_type_does_not_hold_is_refused(ctype: Any, value: Any) -> None:
    with pytest.raises(ProblemError, match=f"n is .*, which is no {ctype.__name__}"):
        register("n", ctype, value)


def test_floats_go_in_registers_of_their_own() -> None:
    assert [kind_of(c) for c in (ctypes.c_float, ctypes.c_double, ctypes.c_bool)] == ["float32", "float64", "int64"]
    assert kind_of(ctypes.POINTER(ctypes.c_float)) == kind_of(ctypes.c_void_p) == "array"


def test_every_ctype_of_a_number_may_be_an_arrays_too() -> None:
    for ctype in C_TYPES:
        check_known("x", ctype)
        check_known("x", ctypes.POINTER(ctype))
        assert is_array(ctypes.POINTER(ctype)) and not is_array(ctype)
    assert number_type(ctypes.c_size_t) == "size_t"


class Pair(ctypes.Structure):
    _fields_ = [("a", ctypes.c_int)]


@pytest.mark.parametrize(
    "ctype", [Pair, ctypes.POINTER(Pair), int, "float", ctypes.POINTER(ctypes.POINTER(ctypes.c_int))]
)
def test_other_types_are_refused(ctype: Any) -> None:
    with pytest.raises(ProblemError, match="get_solve_signature: x has the type"):
        check_known("x", ctype)
