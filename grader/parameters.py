"""What a kernel's parameters are: arrays of a scalar type over named sizes, the sizes themselves, and choices.

Only declarations live here; numbers are drawn in `sizes` and `inputs`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from grader.errors import ProblemError
from grader.values import Values


@dataclass(frozen=True)
class DType:
    """A scalar type: its name here, in C, and in NumPy. `limits` are the ends of a whole number's range."""

    name: str
    c_type: str
    numpy: str
    itemsize: int
    limits: tuple[int, int] | None = None

    @property
    def whole(self) -> bool:
        return self.limits is not None


f32 = DType("f32", "float", "float32", 4)
f16 = DType("f16", "half", "float16", 2)
i32 = DType("i32", "int", "int32", 4, (-(2**31), 2**31 - 1))
i8 = DType("i8", "signed char", "int8", 1, (-128, 127))
u8 = DType("u8", "unsigned char", "uint8", 1, (0, 255))

Dimension = str | int

_SUM = re.compile(r"([A-Za-z_]\w*)\s*\+\s*(\d+)")


@dataclass(frozen=True)
class Array:
    """A row-major array. A dimension is the name of a size, such a name and a number more, or a fixed number.

    `values` says what an input may hold; None leaves it to the family of inputs.
    """

    dtype: DType
    dimensions: tuple[Dimension, ...]
    output: bool = False
    values: Values | None = None

    def shape(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(
            d if isinstance(d, int) else sizes[name] + more for d in self.dimensions for name, more in (_parts(d),)
        )

    @property
    def named(self) -> tuple[str, ...]:
        """The sizes that the dimensions name."""
        return tuple(_parts(d)[0] for d in self.dimensions if isinstance(d, str))

    def nbytes(self, sizes: Mapping[str, int]) -> int:
        return prod(self.shape(sizes)) * self.dtype.itemsize

    @property
    def c_type(self) -> str:
        return f"{self.dtype.c_type}*" if self.output else f"const {self.dtype.c_type}*"

    @property
    def checked_as(self) -> str:
        """NumPy's name of the type that `numbers` gives."""
        return self.dtype.numpy

    def numbers(self, values: Any) -> Any:
        """The numbers that an array of this type in NumPy's or CuPy's memory stands for."""
        return values


@dataclass(frozen=True)
class Size:
    """An `int` parameter and the range, both ends included, that cases draw it from.

    A choice is one of a few values, all of them as likely, and says nothing of how large a case is. `index_of`
    names the choice that it has to stay below. `product_of` names the choice that says of how many lengths a size is
    the product, `less` of them left out.
    """

    low: int
    high: int
    is_choice: bool = False
    index_of: str = ""
    product_of: str = ""
    less: int = 0
    c_type = "int"


Parameter = Array | Size


def array(dtype: DType, *dimensions: Dimension, values: Values | None = None) -> Array:
    """An input array, `const` in the kernel's signature. `values` bounds what it holds: see `grader.values`."""
    if values is not None and not isinstance(values, Values):
        raise ProblemError(f'values={values!r} is none of integers(low, high), below("N"), uniform(low, high)')
    return Array(_checked(dtype), _dimensions(dimensions), values=values)


def out(dtype: DType, *dimensions: Dimension) -> Array:
    """An output array: the kernel writes every element of it."""
    return Array(_checked(dtype), _dimensions(dimensions), output=True)


def size(low: int, high: int) -> Size:
    """A size from `low` to `high`, both included."""
    _check_range("size", low, high, least=1)
    return Size(low, high)


def product(low: int, high: int, of: str, less: int = 0) -> Size:
    """A size that is the product of several lengths, as many as the choice `of` says: the elements of a tensor.

    `less` is how many fewer they are. A product of no lengths is 1.
    """
    _check_range("product", low, high, least=1)
    return Size(low, high, product_of=of, less=less)


def choice(low: int, high: int) -> Size:
    """A parameter that selects, such as the number of a function: drawn evenly from `low` to `high`."""
    _check_range("choice", low, high, least=0)
    return Size(low, high, is_choice=True)


def index(of: str, most: int) -> Size:
    """A choice from 0 to one less than another choice, such as a dimension of as many; that one is `most` at most."""
    _check_range("index", 0, most - 1, least=0)
    return Size(0, most - 1, is_choice=True, index_of=of)


def _check_range(kind: str, low: int, high: int, least: int) -> None:
    for value in (low, high):
        if isinstance(value, bool) or not isinstance(value, int):
            raise ProblemError(f"{kind}({low!r}, {high!r}): both ends have to be whole numbers")
    if not least <= low <= high <= 2**31 - 1:
        raise ProblemError(f"{kind}({low}, {high}): the ends have to satisfy {least} <= low <= high <= 2147483647")


def _checked(dtype: DType) -> DType:
    if not isinstance(dtype, DType):
        raise ProblemError(f'array type {dtype!r} is unknown; use f32, as in array(f32, "N"), f16, i32, i8 or u8')
    return dtype


def _dimensions(dimensions: tuple[Dimension, ...]) -> tuple[Dimension, ...]:
    if not dimensions:
        raise ProblemError('an array needs at least one dimension, as in array(f32, "N")')
    for dimension in dimensions:
        fixed = isinstance(dimension, int) and not isinstance(dimension, bool) and dimension >= 1
        if not fixed and not isinstance(dimension, str):
            raise ProblemError(f"array dimension {dimension!r} is neither the name of a size nor a number from 1 up")
    return dimensions


def _parts(dimension: Dimension) -> tuple[str, int]:
    """The name in a dimension and what is added to it: ("M", 1) for "M + 1"."""
    found = _SUM.fullmatch(str(dimension))
    return (found[1], int(found[2])) if found else (str(dimension), 0)
