"""Converts a test's values to tensors and NumPy arrays: tensors, numbers, and descriptions of tensors not yet made.

A description is recognised by its fields, so that a problem set may name its classes as it likes.
"""

from __future__ import annotations

import ctypes
from math import prod
from typing import Any

import numpy as np
import torch

from grader.core.errors import ProblemError
from grader.problem.challenges.c_types import C_TYPES, element_of
from grader.problem.challenges.manifest import ARRAY, Parameter

HALVES = {
    torch.float16: "half",
    torch.bfloat16: "__nv_bfloat16",
    torch.float8_e4m3fn: "__nv_fp8_e4m3",
    torch.float8_e5m2: "__nv_fp8_e5m2",
}
"""C types without a ctype: challenges declare c_uint16, c_uint8 or c_void_p for them."""
_BY_DTYPE = {
    torch.float32: "float",
    torch.float64: "double",
    torch.bool: "bool",
    torch.int8: "signed char",
    torch.uint8: "unsigned char",
    torch.int16: "short",
    torch.uint16: "unsigned short",
    torch.int32: "int",
    torch.uint32: "unsigned int",
    torch.int64: "long",
    torch.uint64: "unsigned long",
}
FILL = 0xA5
"""The byte that fills outputs to find out what the reference writes, and tensors made by torch.empty."""


def is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def is_description(value: Any) -> bool:
    """Whether the value describes a tensor that is still to be made."""
    return not is_tensor(value) and hasattr(value, "shape") and hasattr(value, "dtype")


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape in which an array is graded: a 0-d tensor has one element, complex numbers add a dimension of 2."""
    shape = tuple(int(length) for length in value.shape)
    pair = (2,) if dtype_of(value).is_complex else ()
    return (*shape, *pair) or (1,)


def dtype_of(value: Any) -> Any:
    """The PyTorch element type of a tensor or a description. Raises ProblemError if it is none."""
    dtype = value.dtype
    found = dtype if isinstance(dtype, torch.dtype) else getattr(torch, str(dtype).removeprefix("torch."), None)
    if not isinstance(found, torch.dtype):
        raise ProblemError(f"{type(value).__name__}: {dtype!r} is no type of a tensor")
    return found


def nbytes_of(value: Any) -> int:
    size = int(torch.empty((), dtype=dtype_of(value)).element_size())
    return prod(int(length) for length in value.shape) * size


def make(description: Any) -> Any:
    """Makes the tensor that a description asks for.

    `value` is a constant; `low` and `high` draw uniformly, `high` excluded; `mean` and `std` draw normal numbers.
    Without any of these it is an output, filled with zeros.
    """
    shape, dtype = tuple(description.shape), dtype_of(description)
    if hasattr(description, "value"):
        return torch.full(shape, description.value, dtype=dtype)
    if hasattr(description, "low") and hasattr(description, "high"):
        low, high = description.low, description.high
        if dtype.is_floating_point:
            return torch.empty(shape, dtype=torch.float32).uniform_(low, high).to(dtype)
        return torch.randint(int(low), int(high), shape).to(dtype)
    if hasattr(description, "mean") and hasattr(description, "std"):
        return torch.empty(shape, dtype=torch.float32).normal_(description.mean, description.std).to(dtype)
    return torch.zeros(shape, dtype=dtype)


def array_parameter(name: str, ctype: Any, direction: str, value: Any) -> Parameter:
    """The Parameter of an array. Raises ProblemError if declared type and tensor do not match."""
    if not is_tensor(value) and not is_description(value):
        raise ProblemError(f"{name} is {value!r}; a tensor is declared")
    dtype, element = dtype_of(value), element_of(ctype)
    c_type = HALVES.get(dtype) or (_BY_DTYPE.get(dtype) if element is None else C_TYPES[element])
    size = torch.empty((), dtype=dtype).element_size() // (2 if dtype.is_complex else 1)
    if c_type is None or (element is not None and ctypes.sizeof(element) != size):
        said = "c_void_p" if element is None else element.__name__
        raise ProblemError(f"{name} is declared as an array of {said}, and the tensor is one of {dtype}")
    return Parameter(name, direction, c_type, ARRAY, _numpy_name(dtype), _CODED.get(dtype, ""))


def as_numpy(tensor: Any) -> np.ndarray[Any, Any]:
    """The tensor's values as a NumPy array, with its Parameter's `dtype` and the shape of `shape_of`."""
    flat = tensor.detach().contiguous()
    flat = torch.view_as_real(flat) if flat.is_complex() else flat
    whole = _SAME_BITS.get(flat.dtype)
    array: np.ndarray[Any, Any] = (flat if whole is None else flat.view(whole)).numpy()
    return np.ascontiguousarray(array).view(_numpy_name(flat.dtype)).reshape(shape_of(tensor))


def in_double(value: Any) -> Any:
    """A copy of the tensor, floats as float64 and complex numbers as complex128; other values are returned as is."""
    if not is_tensor(value):
        return value
    wide = torch.complex128 if value.is_complex() else torch.float64 if value.is_floating_point() else value.dtype
    return value.detach().to(wide, copy=True)


def is_inexact(tensor: Any) -> bool:
    return bool(tensor.is_floating_point() or tensor.is_complex())


def is_undefined(start: np.ndarray[Any, Any]) -> bool:
    """Whether an array is uninitialised: still as torch.empty made it."""
    return bool((start.reshape(-1).view(np.uint8) == FILL).all())


def share_memory(first: Any, second: Any) -> bool:
    """Whether the memory ranges of two tensors overlap."""
    ranges = [
        (
            t.data_ptr(),
            t.data_ptr() + t.element_size() * (1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride(), strict=True))),
        )
        for t in (first, second)
    ]
    (begin, end), (other_begin, other_end) = ranges
    return bool(begin < other_end and other_begin < end)


def fill_bytes(tensor: Any) -> None:
    """Fills a dense tensor with the byte FILL; booleans, which can't hold it, are inverted."""
    if tensor.dtype is torch.bool:
        tensor.logical_not_()
    else:
        tensor.reshape(-1).view(torch.uint8).fill_(FILL)


_CODED = {torch.bfloat16: "bf16", torch.float8_e4m3fn: "e4m3", torch.float8_e5m2: "e5m2"}
"""Formats stored as raw bits, by their names in `grader.problem.coded`."""
_SAME_BITS = {
    torch.bool: torch.uint8,
    torch.bfloat16: torch.int16,
    torch.float8_e4m3fn: torch.uint8,
    torch.float8_e5m2: torch.uint8,
}
"""The type that a tensor is viewed as if NumPy lacks its type."""


def _numpy_name(dtype: Any) -> str:
    if dtype.is_complex:
        return {torch.complex64: "float32", torch.complex128: "float64"}[dtype]
    if dtype is torch.bfloat16:
        return "uint16"
    return str(_SAME_BITS.get(dtype, dtype)).removeprefix("torch.")
