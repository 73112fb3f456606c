"""The ctypes in a challenge's signature: which are arrays, their C names, and the register values of numbers.

Matching them with tensor types is left to `tensors`.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Mapping
from typing import Any

from grader.core.errors import ProblemError
from grader.problem.challenges.manifest import ARRAY

C_TYPES: Mapping[Any, str] = {
    ctypes.c_float: "float",
    ctypes.c_double: "double",
    ctypes.c_bool: "bool",
    ctypes.c_char: "char",
    ctypes.c_int8: "signed char",
    ctypes.c_uint8: "unsigned char",
    ctypes.c_int16: "short",
    ctypes.c_uint16: "unsigned short",
    ctypes.c_int32: "int",
    ctypes.c_uint32: "unsigned int",
    ctypes.c_int64: "long",
    ctypes.c_uint64: "unsigned long",
}
"""On 64-bit Linux, c_long, c_longlong and c_ssize_t are the same class as c_int64, and c_size_t as c_uint64."""

FLOATS: Mapping[Any, tuple[str, str, str]] = {
    ctypes.c_float: ("float32", "<f", "<I"),
    ctypes.c_double: ("float64", "<d", "<Q"),
}
_WORD = 2**64 - 1


def element_of(ctype: Any) -> Any | None:
    """The element type of an array type; None for c_void_p, which has none. Raises TypeError for a number's type."""
    if ctype is ctypes.c_void_p:
        return None
    if isinstance(ctype, type) and issubclass(ctype, ctypes._Pointer):
        return ctype._type_
    raise TypeError


def is_array(ctype: Any) -> bool:
    try:
        element_of(ctype)
    except TypeError:
        return False
    return True


def check_known(name: str, ctype: Any) -> None:
    """Raises ProblemError for a type that a parameter of solve() can't have here."""
    element = element_of(ctype) if is_array(ctype) else ctype
    if element is not None and element not in C_TYPES:
        known = ", ".join(one.__name__ for one in C_TYPES)
        said = getattr(ctype, "__name__", repr(ctype))
        raise ProblemError(
            f"get_solve_signature: {name} has the type {said}", f"known are {known}, POINTER of these, and c_void_p"
        )


def number_type(ctype: Any) -> str:
    """The C type of a number. An unsigned 64-bit number is usually a size, so it is shown as size_t."""
    return "size_t" if ctype is ctypes.c_uint64 else C_TYPES[ctype]


def kind_of(ctype: Any) -> str:
    """The `kind` of a Parameter of this type."""
    if is_array(ctype):
        return ARRAY
    return FLOATS[ctype][0] if ctype in FLOATS else "int64"


def register(name: str, ctype: Any, value: Any) -> int:
    """The register bits in which solve() gets a number. Raises ProblemError if the type can't hold the value."""
    number = value[0] if isinstance(value, bytes) and len(value) == 1 else value
    try:
        if ctype in FLOATS:
            _, narrow, word = FLOATS[ctype]
            return int(struct.unpack(word, struct.pack(narrow, float(number)))[0])
        if isinstance(number, float) and number.is_integer():
            number = int(number)
        if ctype is ctypes.c_char:
            fits = isinstance(number, int) and -128 <= number <= 255
        else:
            fits = isinstance(number, (int, bool)) and ctype(number).value == number
    except (TypeError, ValueError, OverflowError, struct.error):
        fits = False
    if not fits:
        raise ProblemError(f"{name} is {value!r}, which is no {ctype.__name__}")
    return int(number) & _WORD
