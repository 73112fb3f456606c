"""Declarations of a kernel's parameters: arrays of a scalar type over named sizes, the sizes, choices and scalars.

Their values are drawn in `sizes` and `inputs`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from grader.core.errors import ProblemError
from grader.problem.arrays import gap_below, narrow, ulp
from grader.problem.coded import BF16, E4M3, E5M2, Coded
from grader.problem.expressions import inline, names_in, value_of
from grader.problem.values import Values


@dataclass(frozen=True)
class DType:
    """A scalar type: its names here, in C and in NumPy. `limits` is the range of an integer type.

    For a `coded` type, NumPy only stores the bits.
    """

    name: str
    c_type: str
    numpy: str
    itemsize: int
    limits: tuple[int, int] | None = None
    coded: Coded | None = None

    @property
    def whole(self) -> bool:
        return self.limits is not None


f32 = DType("f32", "float", "float32", 4)
f16 = DType("f16", "half", "float16", 2)
f64 = DType("f64", "double", "float64", 8)
bf16 = DType("bf16", "__nv_bfloat16", "uint16", 2, coded=BF16)
e4m3 = DType("e4m3", "__nv_fp8_e4m3", "uint8", 1, coded=E4M3)
e5m2 = DType("e5m2", "__nv_fp8_e5m2", "uint8", 1, coded=E5M2)
i64 = DType("i64", "long long", "int64", 8, (-(2**63), 2**63 - 1))
i32 = DType("i32", "int", "int32", 4, (-(2**31), 2**31 - 1))
u32 = DType("u32", "unsigned int", "uint32", 4, (0, 2**32 - 1))
i8 = DType("i8", "signed char", "int8", 1, (-128, 127))
u8 = DType("u8", "unsigned char", "uint8", 1, (0, 255))

DTYPES = (f64, f32, f16, bf16, e4m3, e5m2, i64, i32, u32, i8, u8)
INDICES = (i32, i64)
"""Types of indices and counts: arrays of these without a range are made together by `@problem.structure`."""

Dimension = str | int


@dataclass(frozen=True)
class Array:
    """A row-major array. A dimension is the name of a size, an expression of sizes, or a fixed number.

    `values` is the range of an input's values; None leaves it to the input family. A `structured` input is made by
    `@problem.structure`, whatever its type.
    """

    dtype: DType
    dimensions: tuple[Dimension, ...]
    output: bool = False
    values: Values | None = None
    structured: bool = False

    def shape(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(d if isinstance(d, int) else value_of(d, sizes) for d in self.dimensions)

    @property
    def named(self) -> tuple[str, ...]:
        """The sizes named in the dimensions."""
        return tuple(name for d in self.dimensions if isinstance(d, str) for name in names_in(d))

    def inlined(self, computed: Mapping[str, str]) -> Array:
        """The array with the names of computed sizes replaced by their expressions."""
        dimensions = tuple(inline(d, computed) if isinstance(d, str) else d for d in self.dimensions)
        return replace(self, dimensions=dimensions, values=self.values and self.values.inlined(computed))

    def nbytes(self, sizes: Mapping[str, int]) -> int:
        return prod(self.shape(sizes)) * self.dtype.itemsize

    @property
    def c_type(self) -> str:
        return f"{self.dtype.c_type}*" if self.output else f"const {self.dtype.c_type}*"

    def numbers(self, values: Any) -> Any:
        """Decodes a stored NumPy or CuPy array of this type to numbers; numbers are returned unchanged."""
        coded = self.dtype.coded
        return values if coded is None or values.dtype != coded.numpy else coded.decode(values)

    def rounded(self, values: Any) -> Any:
        """Rounds float64 values to the nearest numbers of this type."""
        coded = self.dtype.coded
        return narrow(values, self.dtype.numpy) if coded is None else coded.round(values)

    def stored(self, values: Any) -> Any:
        """Converts numbers to the form in which an array of this type stores them."""
        coded = self.dtype.coded
        return narrow(values, self.dtype.numpy) if coded is None else coded.encode(values)

    def ulp(self, numbers: Any) -> Any:
        """The gap between the magnitude of each number and the next larger number of this type, in float64."""
        coded = self.dtype.coded
        return ulp(numbers) if coded is None else coded.ulp(numbers)

    def gap_below(self, numbers: Any) -> Any:
        """The gap between the magnitude of each number and the next smaller number of this type, in float64."""
        coded = self.dtype.coded
        return gap_below(numbers) if coded is None else coded.gap_below(numbers)


@dataclass(frozen=True)
class Size:
    """An `int` parameter and the range, both ends included, that cases draw it from.

    A choice is one of a few equally likely values and does not affect the size of a case. `index_of` names a choice
    that the value must stay below. `product_of` names a choice: the size is the product of that many lengths, minus
    `less`.
    """

    low: int
    high: int
    is_choice: bool = False
    index_of: str = ""
    product_of: str = ""
    less: int = 0
    c_type: str = "int"


@dataclass(frozen=True)
class Computed:
    """An `int` parameter computed from sizes by an expression."""

    expression: str
    c_type = "int"


@dataclass(frozen=True)
class Scalar:
    """A by-value number that is no size: each case draws it from `low` to `high`, both included."""

    dtype: DType
    low: float
    high: float

    @property
    def c_type(self) -> str:
        return self.dtype.c_type

    def draw(self, family: str, word: int) -> float | int:
        """Turns 64 random bits into a value for an input family; "special" has few values, "exact" powers of two."""
        few = {"special": (self.low, self.high, 0, 1, -1), "exact": (1, -1, 2, -2, 0.5, -0.5)}.get(family, ())
        among = [value for value in few if self.low <= value <= self.high and not (self.dtype.whole and value % 1)]
        if among:
            return self._typed(among[word % len(among)])
        if self.dtype.whole:
            return int(self.low) + word % (int(self.high) - int(self.low) + 1)
        return self._typed(self.low + (word >> 11) * ((self.high - self.low) / (2**53 - 1)))

    def register(self, value: float | int) -> tuple[str, int]:
        """The `kind` and `bits` in which it is passed, as in `plan.recording.Argument`."""
        if self.dtype.whole:
            return "int64", int(value) & (2**64 - 1)
        bits = np.array(value, self.dtype.numpy).view(f"u{self.dtype.itemsize}")
        return self.dtype.numpy, int(bits)

    def _typed(self, value: float | int) -> float | int:
        """Rounds a value to the nearest number of this type."""
        return int(value) if self.dtype.whole else float(np.array(value, self.dtype.numpy))


Parameter = Array | Size | Computed | Scalar


def array(dtype: DType, *dimensions: Dimension, values: Values | None = None, structured: bool = False) -> Array:
    """An input array, `const` in the kernel's signature. `values` is its range: see `grader.problem.values`.

    `structured=True` has `@problem.structure` make it; i32 and i64 arrays without a range need not say so.
    """
    if values is not None and not isinstance(values, Values):
        raise ProblemError(f'values={values!r} is none of integers(low, high), below("N"), uniform(low, high)')
    if values is not None and structured:
        raise ProblemError(f"values={values!r}, structured=True: @problem.structure makes the array; remove one")
    return Array(_checked(dtype), _dimensions(dimensions), values=values, structured=structured)


def out(dtype: DType, *dimensions: Dimension) -> Array:
    """An output array: the kernel writes every element of it."""
    return Array(_checked(dtype), _dimensions(dimensions), output=True)


def size(low: int, high: int) -> Size:
    """A size from `low` to `high`, both included."""
    _check_range("size", low, high, least=1)
    return Size(low, high)


def product(low: int, high: int, of: str, less: int = 0) -> Size:
    """A size that is the product of several lengths, such as the elements of a tensor: as many as the choice `of`,

    minus `less`. A product of no lengths is 1.
    """
    _check_range("product", low, high, least=1)
    return Size(low, high, product_of=of, less=less)


def choice(low: int, high: int) -> Size:
    """A parameter that selects, such as the number of a function: drawn uniformly from `low` to `high`."""
    _check_range("choice", low, high, least=0)
    return Size(low, high, is_choice=True)


def index(of: str, most: int) -> Size:
    """A choice from 0 to below another choice `of`, such as one of its dimensions; `most` is the upper end of `of`."""
    _check_range("index", 0, most - 1, least=0)
    return Size(0, most - 1, is_choice=True, index_of=of)


def flag() -> Size:
    """A `bool` parameter: a choice between 0 and 1."""
    return Size(0, 1, is_choice=True, c_type="bool")


def computed(expression: str) -> Computed:
    """A parameter computed from sizes, such as the rows of an output: computed("(H - K) // S + 1")."""
    if not isinstance(expression, str):
        raise ProblemError(
            f'computed({expression!r}): an expression of sizes is needed, as in computed("ceil_div(N, 4)")'
        )
    return Computed(expression)


def scalar(dtype: DType, low: float, high: float) -> Scalar:
    """A number from `low` to `high`, both included, such as the factor of a scaled sum: scalar(f32, -2, 2)."""
    if dtype not in SCALARS:
        raise ProblemError(f"scalar({dtype!r}, ...): its type is one of {', '.join(one.name for one in SCALARS)}")
    ends = [end for end in (low, high) if isinstance(end, (int, float)) and not isinstance(end, bool)]
    least, most = dtype.limits or (-float(np.finfo(dtype.numpy).max), float(np.finfo(dtype.numpy).max))
    fit = len(ends) == 2 and all(math.isfinite(end) and (not dtype.whole or end == int(end)) for end in ends)
    if not fit or not least <= low < high <= most:
        raise ProblemError(
            f"scalar({dtype.name}, {low!r}, {high!r}): the ends have to be numbers of the type, "
            "the first less than the second"
        )
    return Scalar(dtype, low, high)


SCALARS = (f32, f64, i32, i64, u32)
"""The types of by-value numbers."""


def _check_range(kind: str, low: int, high: int, least: int) -> None:
    for value in (low, high):
        if isinstance(value, bool) or not isinstance(value, int):
            raise ProblemError(f"{kind}({low!r}, {high!r}): both ends have to be whole numbers")
    if not least <= low <= high <= 2**31 - 1:
        raise ProblemError(f"{kind}({low}, {high}): the ends have to satisfy {least} <= low <= high <= 2147483647")


def _checked(dtype: DType) -> DType:
    if not isinstance(dtype, DType):
        known = ", ".join(one.name for one in DTYPES)
        raise ProblemError(f'array type {dtype!r} is unknown; use one of {known}, as in array(f32, "N")')
    return dtype


def _dimensions(dimensions: tuple[Dimension, ...]) -> tuple[Dimension, ...]:
    if not dimensions:
        raise ProblemError('an array needs at least one dimension, as in array(f32, "N")')
    for dimension in dimensions:
        fixed = isinstance(dimension, int) and not isinstance(dimension, bool) and dimension >= 1
        if not fixed and not isinstance(dimension, str):
            raise ProblemError(
                f"array dimension {dimension!r} is neither an expression of sizes nor a number from 1 up"
            )
    return dimensions
