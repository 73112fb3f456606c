"""CUDA's driver functions as numba calls them: they record, or are refused by name."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from numba.cuda.cudadrv import driver as cuda_driver

from grader.plan.python.tape import OutOfMemory, Tape

HANDLE = 1
"""The handle of the only context: one device is played, and it has no other."""
LEGACY_STREAM = 1
FIRST_STREAM = 3
"""1 and 2 stand for the legacy stream and that of each thread."""

THREADS_PER_BLOCK, REGISTERS_PER_BLOCK = 1, 12
THREADS_PER_SM, SHARED_PER_SM, REGISTERS_PER_SM, BLOCKS_PER_SM, RESERVED_SHARED = 39, 81, 82, 106, 111
"""Numbers of CUdevice_attribute (cuda.h)."""


class Full(cuda_driver.CudaAPIError, OutOfMemory):
    """No room on the device, as numba tells it: it then frees what waits to be freed, and tries again."""

    def __init__(self, message: str) -> None:
        super().__init__(cuda_driver.binding.CUresult.CUDA_ERROR_OUT_OF_MEMORY, message)

    def __str__(self) -> str:
        return str(self.msg)


class PlayedDriver(cuda_driver.Driver):
    """The functions of CUDA's driver that numba calls. Any other is refused by its name."""

    tape: Callable[[], Tape]
    contexts = 0
    streams: Iterator[int]
    events: Iterator[int]
    recorded: dict[int, int]
    """The stream in which each event was recorded last."""

    def forget(self) -> None:
        """Forgets the streams, events and contexts of an earlier call of solve()."""
        self.streams, self.events = itertools.count(FIRST_STREAM), itertools.count(1)
        self.recorded, self.contexts = {}, 0

    def __getattr__(self, name: str) -> NoReturn:
        if not name.startswith("cu"):
            raise AttributeError(name)
        hint = "use kernels, device arrays, copies, streams and events"
        self.tape().refuse(name, "numba calls this function of CUDA's driver, which can't be recorded", hint)

    def cuCtxGetCurrent(self) -> int:  # noqa: N802
        return HANDLE if self.contexts else 0

    def cuCtxGetDevice(self) -> int:  # noqa: N802
        return 0

    def cuCtxPushCurrent(self, handle: int) -> None:  # noqa: N802
        self.contexts += 1

    def cuCtxPopCurrent(self) -> int:  # noqa: N802
        self.contexts -= 1
        return HANDLE

    def cuCtxSynchronize(self) -> None:  # noqa: N802
        self.tape().synchronize()

    def cuDevicePrimaryCtxRelease(self, device: int) -> None:  # noqa: N802
        """The context is numba's own."""

    def cuDevicePrimaryCtxReset(self, device: int) -> None:  # noqa: N802
        """The context is numba's own."""

    def cuDeviceGetCount(self) -> int:  # noqa: N802
        return 1

    def cuDeviceGetAttribute(self, attribute: Any, device: int) -> int:  # noqa: N802
        number: int = int(attribute)
        return self.tape().device.attributes.get(number, 0)

    def cuDriverGetVersion(self) -> int:  # noqa: N802
        return 13000

    def cuMemGetInfo(self) -> tuple[int, int]:  # noqa: N802
        memory = self.tape().device.memory
        return memory, memory

    def cuMemcpyHtoD(self, target: int, source: int, size: int) -> None:  # noqa: N802
        self.cuMemcpyHtoDAsync(target, source, size, 0)

    def cuMemcpyHtoDAsync(self, target: int, source: int, size: int, stream: int) -> None:  # noqa: N802
        self.tape().upload(target, ctypes.string_at(source, size), number_of(stream))

    def cuMemcpyDtoH(self, target: int, source: int, size: int) -> None:  # noqa: N802
        self.cuMemcpyDtoHAsync(target, source, size, 0)

    def cuMemcpyDtoHAsync(self, target: int, source: int, size: int, stream: int) -> None:  # noqa: N802
        data = self.tape().read(source, size, number_of(stream))
        ctypes.memmove(target, data, min(len(data), size))

    def cuMemcpyDtoD(self, target: int, source: int, size: int) -> None:  # noqa: N802
        self.cuMemcpyDtoDAsync(target, source, size, 0)

    def cuMemcpyDtoDAsync(self, target: int, source: int, size: int, stream: int) -> None:  # noqa: N802
        self.tape().copy(target, source, size, number_of(stream))

    def cuMemsetD8(self, target: Any, value: int, size: int) -> None:  # noqa: N802
        self.cuMemsetD8Async(target, value, size, 0)

    def cuMemsetD8Async(self, target: Any, value: int, size: int, stream: Any) -> None:  # noqa: N802
        self.tape().fill(int(target), bytes([value & 0xFF]), size, number_of(stream))

    def cuStreamCreate(self, flags: int) -> Any:  # noqa: N802
        return cuda_driver.binding.CUstream(next(self.streams))

    def cuStreamDestroy(self, stream: Any) -> None:  # noqa: N802
        """Work that was put into it is in the plan."""

    def cuStreamQuery(self, stream: Any) -> None:  # noqa: N802
        """All is done: no time passes in a recording."""

    def cuStreamSynchronize(self, stream: int) -> None:  # noqa: N802
        self.tape().synchronize(number_of(stream))

    def cuEventCreate(self, flags: int) -> int:  # noqa: N802
        return next(self.events)

    def cuEventDestroy(self, event: int) -> None:  # noqa: N802
        self.recorded.pop(event, None)

    def cuEventRecord(self, event: int, stream: int) -> None:  # noqa: N802
        self.recorded[event] = number_of(stream)

    def cuEventQuery(self, event: int) -> None:  # noqa: N802
        """All is done: no time passes in a recording."""

    def cuEventSynchronize(self, event: int) -> None:  # noqa: N802
        if event in self.recorded:
            self.tape().synchronize(self.recorded[event])

    def cuStreamWaitEvent(self, stream: int, event: int, flags: int) -> None:  # noqa: N802
        # The tape has no events: that the host waits in between gives at least their order.
        self.cuEventSynchronize(event)

    def cuEventElapsedTime(self, start: int, end: int) -> float:  # noqa: N802
        return 0.0

    def cuProfilerStart(self) -> None:  # noqa: N802
        """Nothing is profiled here."""

    def cuProfilerStop(self) -> None:  # noqa: N802
        """Nothing is profiled here."""

    def cuOccupancyMaxActiveBlocksPerMultiprocessor(self, kernel: Any, threads: int, shared: int) -> int:  # noqa: N802
        """The blocks of a kernel that one SM has room for. `shared` is dynamic shared memory, in bytes."""
        known = self.tape().device.attributes
        attrs, threads = kernel.attrs, max(threads, 1)
        bytes_of_block = attrs.shared + shared + known.get(RESERVED_SHARED, 0)
        registers = max(attrs.regs, 1) * threads
        blocks: int = min(
            known.get(THREADS_PER_SM, 0) // threads,
            known.get(BLOCKS_PER_SM, 32),
            known.get(SHARED_PER_SM, 0) // max(bytes_of_block, 1),
            known.get(REGISTERS_PER_SM, 0) // registers,
        )
        return blocks


def number_of(stream: Any) -> int:
    """The tape's number of a stream: numba's, another library's, a handle, or 0."""
    if isinstance(stream, int):
        handle = stream
    elif hasattr(stream, "__cuda_stream__"):
        handle = int(stream.__cuda_stream__()[1])
    elif hasattr(stream, "cuda_stream"):
        handle = int(stream.cuda_stream)
    elif isinstance(stream, cuda_driver.binding.CUstream):
        handle = int(stream)
    else:
        raise TypeError(f"expected a stream of cuda.stream(), or 0, got {type(stream).__name__}")
    return 0 if handle == LEGACY_STREAM else handle
