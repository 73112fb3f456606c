"""numba's device arrays over addresses: those of the problem, and those that other libraries hand in."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.cuda.cudadrv import devicearray, devices
from numba.cuda.cudadrv import driver as cuda_driver

from grader.plan.python.driver import ITEM_BYTES, DeviceArray
from grader.plan.python.tape import Tape

Extents = tuple[int, ...]


def of_problem(array: DeviceArray, tape: Tape) -> Any:
    """The argument of solve() for an array of the problem. Raises Refusal for a type that numba's arrays lack."""
    if array.dtype.startswith("float8") or (array.dtype == "bfloat16" and not _has_bfloat16()):
        tape.refuse(
            f"the parameter {array.name}",
            f"numba has no arrays of {array.dtype}",
            "pip install ml_dtypes" if array.dtype == "bfloat16" else "write this file in CUDA C++, Triton or CuTe",
        )
    return _over(array.address, array.shape, _contiguous(array.shape, ITEM_BYTES[array.dtype]), np.dtype(array.dtype))


def device_array(value: Any) -> Any:
    """What a kernel gets for `value`: numba's view of anything that lies on the device, else the value itself.

    On the device is what has `data_ptr()`, `stride()` in elements, `shape` and `dtype` (a tensor), or
    `__cuda_array_interface__`.
    """
    if isinstance(value, (int, float, bool, np.ndarray, np.generic, devicearray.DeviceNDArrayBase)):
        return value
    if callable(getattr(value, "data_ptr", None)) and callable(getattr(value, "stride", None)):
        dtype = np.dtype(str(value.dtype).rpartition(".")[2])
        strides = tuple(step * dtype.itemsize for step in value.stride())
        return _over(value.data_ptr(), tuple(value.shape), strides, dtype, value)
    described = getattr(value, "__cuda_array_interface__", None)
    if described is None:
        return value
    shape, dtype = tuple(described["shape"]), np.dtype(described["typestr"])
    strides = described.get("strides") or _contiguous(shape, dtype.itemsize)
    return _over(described["data"][0], shape, tuple(strides), dtype, value)


def _over(address: int, shape: Extents, strides: Extents, dtype: np.dtype[Any], owner: Any = None) -> Any:
    """A device array over memory that numba does not free. `strides` are in bytes."""
    size = cuda_driver.memory_size_from_info(shape, strides, dtype.itemsize)
    pointer = cuda_driver.binding.CUdeviceptr(address)
    memory = cuda_driver.MemoryPointer(devices.get_context(), pointer, size=size, owner=owner)
    return devicearray.DeviceNDArray(shape=shape, strides=strides, dtype=dtype, gpu_data=memory)


def _contiguous(shape: Extents, itemsize: int) -> Extents:
    """Strides in bytes where elements lie one behind the other, the last index fastest."""
    return tuple(math.prod(shape[place + 1 :]) * itemsize for place in range(len(shape)))


def _has_bfloat16() -> bool:
    try:
        np.dtype("bfloat16")
    except TypeError:
        return False
    return True
