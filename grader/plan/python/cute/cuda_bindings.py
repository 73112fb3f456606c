"""NVIDIA's cuda.bindings without a driver: memory and waiting are recorded, the rest is refused by name."""

from __future__ import annotations

import ctypes
import inspect
import struct
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from grader.plan.python.tape import Tape

HINT = "leave devices, contexts, streams and modules to the language, and launch on the default stream"

_HOST_TO_DEVICE, _DEVICE_TO_HOST, _DEVICE_TO_DEVICE = 1, 2, 3


def play_bindings(tape: Callable[[], Tape]) -> None:
    """Puts the recording into cuda.bindings.driver and cuda.bindings.runtime for the rest of the process."""
    from cuda.bindings import driver, runtime

    known = _Known(tape)
    _play(driver, driver.CUresult.CUDA_SUCCESS, _driver_calls(known, driver), tape)
    _play(runtime, runtime.cudaError_t.cudaSuccess, _runtime_calls(known, runtime), tape)


def _play(module: ModuleType, success: Any, calls: Mapping[str, Callable[..., Any]], tape: Callable[[], Tape]) -> None:
    """Replaces each function of a module: those of `calls` answer `success` and their result, the rest refuse."""
    for name, usual in list(vars(module).items()):
        if not name.startswith("cu") or inspect.isclass(usual) or not callable(usual):
            continue
        setattr(module, name, _answering(success, calls[name]) if name in calls else _refusing(module, name, tape))


def _answering(success: Any, does: Callable[..., Any]) -> Callable[..., Any]:
    def call(*given: Any) -> tuple[Any, ...]:
        answer = does(*given)
        return (success,) if answer is None else (success, answer)

    return call


def _refusing(module: ModuleType, name: str, tape: Callable[[], Tape]) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> None:
        tape().refuse(f"{module.__name__}.{name}", "solve() calls CUDA past the kernels' language", HINT)

    return refuse


class _Known:
    """What both modules offer. Sizes are in bytes, addresses are anything that int() takes."""

    def __init__(self, tape: Callable[[], Tape]) -> None:
        self._tape = tape

    def attribute(self, number: Any) -> int:
        return self._tape().device.attributes.get(int(number), 0)

    def allocate(self, size: Any) -> int:
        return self._tape().allocate(int(size))

    def free(self, address: Any, *_: Any) -> None:
        if int(address):
            self._tape().free(int(address))

    def fill(self, width: int) -> Callable[..., None]:
        """A fill of `count` elements of `width` bytes."""

        def fill(address: Any, value: Any, count: Any, stream: Any = 0) -> None:
            pattern = struct.pack("<Q", int(value) & (1 << 8 * width) - 1)[:width]
            self._tape().fill(int(address), pattern, int(count), int(stream))

        return fill

    def copy(self, target: Any, source: Any, size: Any, stream: Any = 0) -> None:
        self._tape().copy(int(target), int(source), int(size), int(stream))

    def upload(self, target: Any, source: Any, size: Any, stream: Any = 0) -> None:
        self._tape().upload(int(target), _bytes_of(source, int(size)), int(stream))

    def read(self, target: Any, source: Any, size: Any, stream: Any = 0) -> None:
        _store(target, self._tape().read(int(source), int(size), int(stream)))

    def copy_any(self, target: Any, source: Any, size: Any, kind: Any, stream: Any = 0) -> None:
        ways = {_HOST_TO_DEVICE: self.upload, _DEVICE_TO_HOST: self.read, _DEVICE_TO_DEVICE: self.copy}
        if int(kind) not in ways:
            self._tape().refuse("cudaMemcpy", f"a copy of kind {int(kind)} names no direction", "name the direction")
        ways[int(kind)](target, source, size, stream)

    def wait(self, stream: Any = None) -> None:
        self._tape().synchronize(None if stream is None else int(stream))


def _driver_calls(known: _Known, driver: ModuleType) -> Mapping[str, Callable[..., Any]]:
    def new(size: Any, stream: Any = 0) -> Any:
        return driver.CUdeviceptr(known.allocate(size))

    fills = {f"cuMemsetD{8 * width}": known.fill(width) for width in (1, 2, 4)}
    return {
        **_both(fills),
        **_both({"cuMemcpyDtoD": known.copy, "cuMemcpyHtoD": known.upload, "cuMemcpyDtoH": known.read}),
        **_both({"cuMemAlloc": new, "cuMemFree": known.free}),
        "cuStreamSynchronize": known.wait,
        "cuCtxSynchronize": known.wait,
        "cuInit": lambda _: None,
        "cuDriverGetVersion": lambda: 13000,
        "cuDeviceGet": lambda number: driver.CUdevice(number),
        "cuDeviceGetCount": lambda: 1,
        "cuDeviceGetAttribute": lambda number, _: known.attribute(number),
    }


def _runtime_calls(known: _Known, runtime: ModuleType) -> Mapping[str, Callable[..., Any]]:
    def new(size: Any, stream: Any = 0) -> int:
        return known.allocate(size)

    return {
        **_both({"cudaMalloc": new, "cudaFree": known.free}),
        **_both({"cudaMemset": known.fill(1), "cudaMemcpy": known.copy_any}),
        "cudaStreamSynchronize": known.wait,
        "cudaDeviceSynchronize": known.wait,
        "cudaGetLastError": lambda: None,
        "cudaGetDevice": lambda: 0,
        "cudaSetDevice": lambda _: None,
        "cudaGetDeviceCount": lambda: 1,
        "cudaDeviceGetAttribute": lambda number, _: known.attribute(number),
        "cudaLibraryUnload": lambda _: None,
        "cudaGetErrorName": lambda error: error.name.encode(),
        "cudaGetErrorString": lambda error: error.name.encode(),
    }


def _both(calls: Mapping[str, Callable[..., Any]]) -> Mapping[str, Callable[..., Any]]:
    """Each call, and the same on a stream."""
    return {**calls, **{f"{name}Async": does for name, does in calls.items()}}


def _bytes_of(memory: Any, size: int) -> bytes:
    """The bytes of host memory that is given by its address or as an object with a buffer."""
    return ctypes.string_at(memory, size) if isinstance(memory, int) else bytes(memoryview(memory).cast("B")[:size])


def _store(memory: Any, data: bytes) -> None:
    if isinstance(memory, int):
        ctypes.memmove(memory, data, len(data))
    else:
        memoryview(memory).cast("B")[: len(data)] = data
