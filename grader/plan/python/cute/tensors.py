"""Tensors of a device without memory, as CuTe DSL takes them: made from DLPack's description of an address."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from typing import Any

from cutlass.cute import runtime

from grader.plan.python.driver import ITEM_BYTES, DeviceArray

_CUDA = 2
"""kDLCUDA."""
_KINDS = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "bool": 6}
_FLOAT8 = {"float8_e4m3fn": 10, "float8_e5m2": 12}
_INTERFACE_TYPES = {"f": "float", "i": "int", "u": "uint", "b": "bool"}


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        *(("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("device_id", ctypes.c_int32)),
        *(("rank", ctypes.c_int32), ("kind", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)),
        *(("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64))),
        ("offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    """DLManagedTensor. Nobody frees it: `Described` owns it."""

    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


_capsule: Callable[..., Any] = ctypes.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)  # type: ignore[attr-defined]


class Described:
    """An array in device memory, by its address, shape and strides in elements; `dtype` is NumPy's or torch's name.

    It has what DLPack asks for. The DSL reads the description for as long as a tensor made of it lives.
    """

    def __init__(self, address: int, dtype: str, shape: Sequence[int], strides: Sequence[int]) -> None:
        rank = len(shape)
        kind = _FLOAT8.get(dtype, _KINDS.get(dtype.rstrip("0123456789"), -1))
        if kind < 0:
            raise TypeError(
                f"a kernel of CuTe DSL takes no array of {dtype}: float, int, uint and bool types are known"
            )
        self.address = address
        self.shape, self.strides = tuple(shape), tuple(strides)
        self._shape, self._strides = (ctypes.c_int64 * rank)(*shape), (ctypes.c_int64 * rank)(*strides)
        bits = 8 * ITEM_BYTES[dtype]
        described = _Tensor(address, _CUDA, 0, rank, kind, bits, 1, self._shape, self._strides, 0)
        self._managed = _Managed(described, None, None)

    def __dlpack__(self, **_: Any) -> Any:
        return _capsule(ctypes.addressof(self._managed), b"dltensor", None)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, 0


class DeviceTensor(runtime._Tensor):
    """A cute.Tensor of the device, which from_dlpack() takes again, as it takes any framework's."""

    def __init__(self, described: Described) -> None:
        super().__init__(described)
        self.described = described

    def __dlpack__(self, **_: Any) -> Any:
        return self.described.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.described.__dlpack_device__()


def tensor_of(array: DeviceArray) -> DeviceTensor:
    """An array of the problem as a call with a framework's tensor gives it: shape and strides are known only when it is
    launched, but for the last stride, which is 1.

    Like there, no more is promised of the address than that elements are aligned. If 16 bytes were, the compiler would
    read a fourth element beside three, beyond the end of the array; a submission that wants it aligns the pointer.
    """
    strides = [math.prod(array.shape[place + 1 :]) for place in range(len(array.shape))]
    made = DeviceTensor(Described(array.address, array.dtype, array.shape, strides))
    if array.shape:
        made.mark_layout_dynamic(leading_dim=len(array.shape) - 1)
    return made


def described(thing: object) -> Described | None:
    """Any other framework's array of the device: what has data_ptr(), shape, stride() and dtype, or
    `__cuda_array_interface__`. None for what is none."""
    if isinstance(thing, Described):
        return thing
    if isinstance(thing, DeviceTensor):
        return thing.described
    interface = getattr(thing, "__cuda_array_interface__", None) if not _on_host(thing) else None
    if interface is not None:
        return _of_interface(interface)
    if not callable(getattr(thing, "data_ptr", None)) or _on_host(thing):
        return None
    tensor: Any = thing
    return Described(
        tensor.data_ptr(), str(tensor.dtype).rpartition(".")[2], tuple(tensor.shape), tuple(tensor.stride())
    )


def _of_interface(interface: Any) -> Described:
    kind, size = interface["typestr"][1], int(interface["typestr"][2:])
    dtype = "bool" if kind == "b" else f"{_INTERFACE_TYPES.get(kind, kind)}{8 * size}"
    shape = tuple(interface["shape"])
    steps = interface.get("strides")
    strides = [step // size for step in steps] if steps else [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    return Described(interface["data"][0], dtype, shape, strides)


def _on_host(thing: object) -> bool:
    """Whether it says so itself, as torch's tensors do."""
    return getattr(getattr(thing, "device", None), "type", "cuda") != "cuda"
