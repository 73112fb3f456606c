"""Calls of CUDA's driver that CuPy has no binding for: launches with attributes, tensor maps, a variable's place.

The layouts and numbers are those of cuda.h (CUDA 12.0 to 13.0); errors are CuPy's own, as from its bindings.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

COOPERATIVE, CLUSTER_DIMENSION = 2, 4
"""CU_LAUNCH_ATTRIBUTE_…"""
NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14
"""CU_FUNC_ATTRIBUTE_…"""
PORTABLE_CLUSTER = 8
"""Blocks of a cluster that every GPU of compute capability 9.0 or more can run (CUDA C++ Programming Guide)."""
NOT_FOUND = 500
TENSOR_MAP_ALIGNMENT = 128
_MOST_PARAMETERS = 32764
"""Bytes of parameters that a kernel may have at most."""

_Three = ctypes.c_uint * 3


class AttributeValue(ctypes.Union):
    """CUlaunchAttributeValue: 64 bytes, of which these members are a part."""

    _fields_ = (("pad", ctypes.c_char * 64), ("cooperative", ctypes.c_int), ("cluster", _Three))


class Attribute(ctypes.Structure):
    """CUlaunchAttribute: the value begins at byte 8."""

    _fields_ = (("id", ctypes.c_int), ("pad", ctypes.c_char * 4), ("value", AttributeValue))


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = (
        ("grid", _Three),
        ("block", _Three),
        ("shared_bytes", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(Attribute)),
        ("count", ctypes.c_uint),
    )


class TensorMapBytes(ctypes.Structure):
    """CUtensorMap, which is opaque."""

    _fields_ = (("words", ctypes.c_uint64 * 16),)


def launch(
    function: int,
    grid: Sequence[int],
    block: Sequence[int],
    shared_bytes: int,
    stream: int,
    arguments: int,
    cooperative: bool,
    cluster: Sequence[int],
) -> None:
    """Calls cuLaunchKernelEx. `arguments` is the address of an array of pointers; a `cluster` of zeros is none."""
    attributes = (Attribute * 2)()
    config = LaunchConfig(_Three(*grid), _Three(*block), shared_bytes, stream, attributes, 0)
    if cooperative:
        attributes[config.count].id = COOPERATIVE
        attributes[config.count].value.cooperative = 1
        config.count += 1
    if any(cluster):
        attributes[config.count].id = CLUSTER_DIMENSION
        attributes[config.count].value.cluster = _Three(*cluster)
        config.count += 1
    _call("cuLaunchKernelEx", ctypes.byref(config), ctypes.c_void_p(function), ctypes.c_void_p(arguments), None)


def encode_tensor_map(asked: Mapping[str, Any]) -> bytes:
    """Returns the tensor map of a TensorMap's fields (cuTensorMapEncodeTiled)."""
    rank = asked["rank"]
    # The driver writes the map only to an address that is a multiple of 128 (64 before CUDA 13).
    room = ctypes.create_string_buffer(ctypes.sizeof(TensorMapBytes) + TENSOR_MAP_ALIGNMENT)
    place = -(-ctypes.addressof(room) // TENSOR_MAP_ALIGNMENT) * TENSOR_MAP_ALIGNMENT
    _call(
        "cuTensorMapEncodeTiled",
        ctypes.c_void_p(place),
        asked["dtype"],
        ctypes.c_uint32(rank),
        ctypes.c_void_p(asked["address"]),
        (ctypes.c_uint64 * rank)(*asked["dims"]),
        # The first dimension has no stride of its own; the driver requires an array all the same.
        (ctypes.c_uint64 * rank)(*asked["strides"]),
        (ctypes.c_uint32 * rank)(*asked["box"]),
        (ctypes.c_uint32 * rank)(*asked["element_strides"]),
        *(asked[name] for name in ("interleave", "swizzle", "l2", "oob")),
    )
    return ctypes.string_at(place, ctypes.sizeof(TensorMapBytes))


def find_variable(module: int, name: str) -> tuple[int, int] | None:
    """Returns the address and size of a variable of a loaded module; None if it has none of this name."""
    address, size = ctypes.c_uint64(), ctypes.c_size_t()
    status = _function("cuModuleGetGlobal_v2")(
        ctypes.byref(address), ctypes.byref(size), ctypes.c_void_p(module), name.encode()
    )
    if status == NOT_FOUND:
        return None
    _check(status)
    return address.value, size.value


def parameter_bytes(function: int) -> list[int] | None:
    """Returns the size of each parameter of a kernel; None if the driver can't tell, as those before CUDA 12.4."""
    try:
        ask = _function("cuFuncGetParamInfo")
    except AttributeError:
        return None
    sizes: list[int] = []
    offset, size = ctypes.c_size_t(), ctypes.c_size_t()
    handle, place, room = ctypes.c_void_p(function), ctypes.byref(offset), ctypes.byref(size)
    while len(sizes) < _MOST_PARAMETERS and not ask(handle, ctypes.c_size_t(len(sizes)), place, room):
        sizes.append(size.value)
    return sizes


@lru_cache
def _function(name: str) -> Callable[..., int]:
    # CuPy has loaded it already; the driver installs it under this name.
    function = getattr(ctypes.CDLL("libcuda.so.1"), name)
    function.restype = ctypes.c_int
    return function  # type: ignore[no-any-return]


def _call(name: str, *arguments: Any) -> None:
    _check(_function(name)(*arguments))


def _check(status: int) -> None:
    if status:
        from cupy.cuda import driver

        raise driver.CUDADriverError(status)
