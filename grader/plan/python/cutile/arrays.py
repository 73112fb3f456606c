"""Arrays of the device as cuTile takes them: those that solve() is called with, and those of another library."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping, Sequence
from typing import Any

from grader.plan.python.driver import ITEM_BYTES, DeviceArray

_CUDA = 2
_CODES: Mapping[str, int] = {
    "int": 0,
    "uint": 1,
    "float": 2,
    "bfloat": 4,
    "bool": 6,
    "float8_e4m3fn": 10,
    "float8_e5m2": 12,
    "float8_e8m0fnu": 14,
}
"""DLPack's codes of types (dlpack.h): by the name without its bits, or the whole of it."""
_LETTERS = {"f": "float", "i": "int", "u": "uint", "b": "bool"}
"""Those of __cuda_array_interface__, which has no bfloat16 and no float8."""


class _Tensor(ctypes.Structure):
    """DLTensor, and what follows it in DLManagedTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


_keep = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda tensor: None)
"""Deletes nothing: the array itself owns what the capsule points to."""

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class CutileArray:
    """An array of the device without memory behind it: `dtype` is NumPy's name, `strides` are in elements.

    It speaks DLPack, which is the one protocol of cuTile's that has every type.
    """

    def __init__(self, address: int, shape: Sequence[int], dtype: str, strides: Sequence[int] | None = None) -> None:
        self.shape = tuple(int(size) for size in shape)
        self.dtype = dtype
        self.ndim = len(self.shape)
        self.size = math.prod(self.shape)
        self.itemsize = ITEM_BYTES[dtype]
        whole = tuple(math.prod(self.shape[place + 1 :]) for place in range(self.ndim))
        self.strides = whole if strides is None else tuple(int(step) for step in strides)
        self._address = address

    def __len__(self) -> int:
        return self.shape[0]

    def data_ptr(self) -> int:
        """The address of the first element."""
        return self._address

    def stride(self, dimension: int | None = None) -> Any:
        """The strides in elements, or that of one dimension."""
        return self.strides if dimension is None else self.strides[dimension]

    def numel(self) -> int:
        """The number of elements."""
        return self.size

    def element_size(self) -> int:
        """The size of an element in bytes."""
        return self.itemsize

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        letter = next((one for one, word in _LETTERS.items() if self.dtype.rstrip("0123456789") == word), None)
        if letter is None:
            raise AttributeError(f"__cuda_array_interface__ has no {self.dtype}; pass the array itself")
        return {
            "version": 3,
            "typestr": f"{'|' if self.itemsize == 1 else '<'}{letter}{self.itemsize}",
            "shape": self.shape,
            "strides": tuple(step * self.itemsize for step in self.strides),
            "data": (self._address, False),
        }

    def __dlpack__(self, **_: Any) -> Any:
        numbers = ctypes.c_int64 * max(self.ndim, 1)
        self._numbers = numbers(*self.shape), numbers(*self.strides)
        self._tensor = _Tensor(
            data=self._address,
            device_type=_CUDA,
            ndim=self.ndim,
            code=_CODES.get(self.dtype, _CODES.get(self.dtype.rstrip("0123456789"), 0)),
            bits=8 * self.itemsize,
            lanes=1,
            shape=ctypes.addressof(self._numbers[0]),
            strides=ctypes.addressof(self._numbers[1]),
            deleter=ctypes.cast(_keep, ctypes.c_void_p).value,
        )
        return _new_capsule(ctypes.addressof(self._tensor), b"dltensor", None)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, 0


def array_of(array: DeviceArray) -> CutileArray:
    """An array of the problem."""
    return CutileArray(array.address, array.shape, array.dtype)


def as_argument(value: Any) -> Any:
    """What cuTile's launch is given for an argument: an array of any library becomes one of ours, in lists and tuples
    too; all else stays."""
    if isinstance(value, CutileArray):
        return value
    if type(value) in (tuple, list):
        return type(value)(as_argument(one) for one in value)
    if hasattr(value, "data_ptr") and hasattr(value, "shape"):
        strides = value.stride() if callable(getattr(value, "stride", None)) else getattr(value, "strides", None)
        # torch's types are named torch.float32.
        return CutileArray(value.data_ptr(), value.shape, str(value.dtype).rpartition(".")[2], strides)
    told = getattr(value, "__cuda_array_interface__", None)
    if isinstance(told, dict):
        size = int(told["typestr"][2:])
        word = _LETTERS[told["typestr"][1]]
        dtype = word if word == "bool" else f"{word}{8 * size}"
        steps = told.get("strides")
        return CutileArray(told["data"][0], told["shape"], dtype, steps and [step // size for step in steps])
    return value
