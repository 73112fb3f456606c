"""Turns the bytes of a variable into its value, as its type says."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from grader.replay.model import Type

Value = int | float | bool | list["Value"] | dict[str, "Value"] | None
"""None has no value yet; a list is an array, a dict a struct or a vector; a pointer is its address."""

FLOATS = {2: "<e", 4: "<f", 8: "<d"}


def decode(types: Sequence[Type], number: int, data: bytes, known: NDArray[np.bool_]) -> Value:
    """The value of the type `number` in `data`; None if one of a scalar's bytes is not `known`."""
    type = types[number]
    if type.kind == "array":
        size = types[type.element].size
        return [
            decode(types, type.element, data[at : at + size], known[at : at + size])
            for at in range(0, type.count * size, max(size, 1))
        ]
    if type.kind in ("struct", "vector"):
        members: dict[str, Value] = {}
        for member in type.members:
            end = member.offset + types[member.type].size
            members[member.name] = decode(types, member.type, data[member.offset : end], known[member.offset : end])
        return members
    if not known[: type.size].all() or not len(data):
        return None
    return scalar(type, int.from_bytes(data[: type.size], "little"))


def scalar(type: Type, bits: int) -> int | float | bool:
    """The number that `bits` are in a scalar or a pointer of this type."""
    bits &= (1 << 8 * type.size) - 1
    if type.encoding == "bfloat16":
        return _float("<f", bits << 16, 4)
    if type.encoding == "float" and type.size in FLOATS:
        return _float(FLOATS[type.size], bits, type.size)
    if type.encoding == "bool":
        return bool(bits)
    if type.encoding in ("signed", "char") and bits >> 8 * type.size - 1:
        return bits - (1 << 8 * type.size)
    return bits


def _float(format: str, bits: int, size: int) -> float:
    (value,) = struct.unpack(format, bits.to_bytes(size, "little"))
    return float(value)
