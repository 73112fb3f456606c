"""What a kernel's parameters are: arrays of a scalar type over named sizes, and the sizes themselves.

Only declarations live here; numbers are drawn in `sizes` and `inputs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from grader.errors import ProblemError


@dataclass(frozen=True)
class DType:
    """A scalar type: its name here, in C, and in NumPy."""

    name: str
    c_type: str
    numpy: str
    itemsize: int


f32 = DType("f32", "float", "float32", 4)

Dimension = str | int


@dataclass(frozen=True)
class Array:
    """A row-major array. A dimension is the name of a size or a fixed number."""

    dtype: DType
    dimensions: tuple[Dimension, ...]
    output: bool = False

    def shape(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(d if isinstance(d, int) else sizes[d] for d in self.dimensions)

    def nbytes(self, sizes: Mapping[str, int]) -> int:
        return prod(self.shape(sizes)) * self.dtype.itemsize

    @property
    def c_type(self) -> str:
        return f"{self.dtype.c_type}*" if self.output else f"const {self.dtype.c_type}*"


@dataclass(frozen=True)
class Size:
    """An `int` parameter and the range, both ends included, that cases draw it from."""

    low: int
    high: int
    c_type = "int"


Parameter = Array | Size


def array(dtype: DType, *dimensions: Dimension) -> Array:
    """An input array, `const` in the kernel's signature."""
    return Array(_checked(dtype), _dimensions(dimensions))


def out(dtype: DType, *dimensions: Dimension) -> Array:
    """An output array: the kernel writes every element of it."""
    return Array(_checked(dtype), _dimensions(dimensions), output=True)


def size(low: int, high: int) -> Size:
    """A size from `low` to `high`, both included."""
    for value in (low, high):
        if isinstance(value, bool) or not isinstance(value, int):
            raise ProblemError(f"size({low!r}, {high!r}): both ends have to be whole numbers")
    if not 1 <= low <= high <= 2**31 - 1:
        raise ProblemError(f"size({low}, {high}): the ends have to satisfy 1 <= low <= high <= 2147483647")
    return Size(low, high)


def _checked(dtype: DType) -> DType:
    if not isinstance(dtype, DType):
        raise ProblemError(f'array type {dtype!r} is unknown; use f32, as in array(f32, "N")')
    return dtype


def _dimensions(dimensions: tuple[Dimension, ...]) -> tuple[Dimension, ...]:
    if not dimensions:
        raise ProblemError('an array needs at least one dimension, as in array(f32, "N")')
    for dimension in dimensions:
        fixed = isinstance(dimension, int) and not isinstance(dimension, bool) and dimension >= 1
        if not fixed and not isinstance(dimension, str):
            raise ProblemError(f"array dimension {dimension!r} is neither the name of a size nor a number from 1 up")
    return dimensions
