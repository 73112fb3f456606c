"""The C types of a kernel's values, and how their bits become numbers."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

Number = int | float


@dataclass(frozen=True)
class CType:
    """Any type: `size` in bytes, `name` as C++ writes it."""

    name: str
    size: int


@dataclass(frozen=True)
class Scalar(CType):
    """`encoding` is "signed", "unsigned", "float", "bfloat", "bool" or "char"."""

    encoding: str = "signed"

    @property
    def real(self) -> bool:
        return self.encoding in ("float", "bfloat")

    @property
    def unsigned(self) -> bool:
        return self.encoding in ("unsigned", "bool")


@dataclass(frozen=True)
class Pointer(CType):
    """`to` is None for void."""

    to: CType | None = None


@dataclass(frozen=True)
class Array(CType):
    element: CType = CType("", 0)
    count: int = 0


@dataclass(frozen=True)
class Member:
    """A member of a structure, `offset` bytes from its begin."""

    name: str
    type: CType
    offset: int


@dataclass(frozen=True)
class Struct(CType):
    """A structure, a class, or one of CUDA's vectors such as float4."""

    members: tuple[Member, ...] = ()


BOOL = Scalar("bool", 1, "bool")
CHAR = Scalar("char", 1, "char")
INT = Scalar("int", 4)
UNSIGNED = Scalar("unsigned int", 4, "unsigned")
LONG = Scalar("long long", 8)
UNSIGNED_LONG = Scalar("unsigned long long", 8, "unsigned")
FLOAT = Scalar("float", 4, "float")
DOUBLE = Scalar("double", 8, "float")

_WIDTHS: dict[str, tuple[int, str]] = {
    "bool": (1, "bool"),
    "char": (1, "char"),
    "signed char": (1, "signed"),
    "unsigned char": (1, "unsigned"),
    "short": (2, "signed"),
    "unsigned short": (2, "unsigned"),
    "int": (4, "signed"),
    "unsigned int": (4, "unsigned"),
    "long": (8, "signed"),
    "unsigned long": (8, "unsigned"),
    "long long": (8, "signed"),
    "unsigned long long": (8, "unsigned"),
    "float": (4, "float"),
    "double": (8, "float"),
    "half": (2, "float"),
    "__half": (2, "float"),
    "__nv_bfloat16": (2, "bfloat"),
    "nv_bfloat16": (2, "bfloat"),
    "int8_t": (1, "signed"),
    "uint8_t": (1, "unsigned"),
    "int16_t": (2, "signed"),
    "uint16_t": (2, "unsigned"),
    "int32_t": (4, "signed"),
    "uint32_t": (4, "unsigned"),
    "int64_t": (8, "signed"),
    "uint64_t": (8, "unsigned"),
    "size_t": (8, "unsigned"),
    "ptrdiff_t": (8, "signed"),
}

_SPELLINGS = {
    "unsigned": "unsigned int",
    "signed": "int",
    "signed int": "int",
    "short int": "short",
    "short unsigned int": "unsigned short",
    "unsigned short int": "unsigned short",
    "long int": "long",
    "long unsigned int": "unsigned long",
    "unsigned long int": "unsigned long",
    "long long int": "long long",
    "long long unsigned int": "unsigned long long",
    "unsigned long long int": "unsigned long long",
}


def scalar_named(name: str) -> Scalar | None:
    """The scalar type of a C++ name such as `unsigned int` or `size_t`, None if it is none."""
    words = " ".join(word for word in name.split() if word not in ("const", "volatile"))
    words = _SPELLINGS.get(words, words)
    if words not in _WIDTHS:
        return None
    size, encoding = _WIDTHS[words]
    return Scalar(words, size, encoding)


def pointer_to(to: CType | None) -> Pointer:
    return Pointer(f"{'void' if to is None else to.name}*", 8, to)


def number_of(bits: int, type: CType) -> Number:
    """The number that `bits`, an unsigned integer of the type's size, stand for."""
    if isinstance(type, Scalar):
        if type.encoding == "float" and type.size in (2, 4, 8):
            return _float_of(bits, type.size)
        if type.encoding == "bfloat":
            return _float_of(bits << 16, 4)
        if type.encoding == "bool":
            return int(bits != 0)
        if not type.unsigned and bits >> (8 * type.size - 1):
            return bits - (1 << 8 * type.size)
    return bits


def converted(number: Number, type: CType) -> Number:
    """A number as a conversion to this type leaves it: rounded, cut off or wrapped around, as CUDA does."""
    if isinstance(type, Scalar) and type.real:
        return _rounded(float(number), type)
    if isinstance(type, Scalar) and type.encoding == "bool":
        return int(number != 0)
    unsigned = not isinstance(type, Scalar) or type.unsigned
    if isinstance(number, float):
        return _integer_of(number, type.size, unsigned)
    bits = number & ((1 << 8 * type.size) - 1)
    return bits if unsigned or not bits >> (8 * type.size - 1) else bits - (1 << 8 * type.size)


def text_of(number: Number, type: CType) -> str:
    """A number as C++ would write it: floats with the digits that their type needs, characters beside their code."""
    if isinstance(type, Pointer):
        return f"{number:#x}"
    if isinstance(type, Scalar):
        if type.real:
            return _float_text(float(number), type)
        if type.encoding == "bool":
            return "true" if number else "false"
        if type.encoding == "char" and 32 <= number < 127:
            return f"{number} {chr(int(number))!r}"
    return str(number)


def _float_text(number: float, type: Scalar) -> str:
    if not math.isfinite(number):
        return "nan" if number != number else "inf" if number > 0 else "-inf"
    digits = {8: 17, 4: 9}.get(type.size, 5)
    for precision in range(1, digits + 1):
        near = float(f"{number:.{precision}g}")
        if _rounded(near, type) == number:
            return repr(near).removesuffix(".0")
    return repr(number)


_FORMATS = {2: ("<e", "<H"), 4: ("<f", "<I"), 8: ("<d", "<Q")}


def _float_of(bits: int, size: int) -> float:
    real, integer = _FORMATS[size]
    value: float = struct.unpack(real, struct.pack(integer, bits & ((1 << 8 * size) - 1)))[0]
    return value


def _rounded(number: float, type: Scalar) -> float:
    if type.size == 8 or not math.isfinite(number):
        return number
    if type.encoding == "bfloat":
        bits: int = struct.unpack("<I", struct.pack("<f", _rounded(number, FLOAT)))[0]
        bits += 0x7FFF + (bits >> 16 & 1)
        return _float_of(bits & 0xFFFF0000, 4)
    try:
        value: float = struct.unpack(_FORMATS[type.size][0], struct.pack(_FORMATS[type.size][0], number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
    return value


def _integer_of(number: float, size: int, unsigned: bool) -> int:
    """A GPU's conversion of a float: towards zero, to the nearest bound beyond the range, NaN to 0."""
    if number != number:
        return 0
    low, high = (0, (1 << 8 * size) - 1) if unsigned else (-(1 << (8 * size - 1)), (1 << (8 * size - 1)) - 1)
    if math.isinf(number):
        return high if number > 0 else low
    return min(max(int(number), low), high)
