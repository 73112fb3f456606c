"""CUDA's driver as numba calls it: its functions record, and its device is the one that the tape plays."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from numba.cuda.core import config
from numba.cuda.cudadrv import devices
from numba.cuda.cudadrv import driver as cuda_driver

from grader.plan.python.tape import OutOfMemory, Refusal, Tape

HANDLE = 1
"""Of the only context."""
LEGACY_STREAM = 1
FIRST_STREAM = 3
"""1 and 2 stand for the legacy stream and that of each thread."""
ONLY_DEVICE = "there is one device, and its memory is not the host's"
IMPORTING = (8, 9)
"""The compute capability while a file is imported outside of a recording, to see whether it compiles."""

THREADS_PER_BLOCK, SHARED_PER_BLOCK, REGISTERS_PER_BLOCK, MULTIPROCESSORS = 1, 8, 12, 16
THREADS_PER_SM, SHARED_PER_SM, REGISTERS_PER_SM, BLOCKS_PER_SM, RESERVED_SHARED = 39, 81, 82, 106, 111
"""Numbers of CUdevice_attribute (cuda.h)."""


class Full(cuda_driver.CudaAPIError, OutOfMemory):
    """No room on the device, as numba tells it: it then frees what waits to be freed, and tries again."""

    def __init__(self, message: str) -> None:
        super().__init__(cuda_driver.binding.CUresult.CUDA_ERROR_OUT_OF_MEMORY, message)


class PlayedDriver(cuda_driver.Driver):
    """The functions of CUDA's driver that numba calls. Any other is refused by its name."""

    tape: Callable[[], Tape]
    contexts = 0
    streams: Iterator[int]
    events: Iterator[int]
    recorded: dict[int, int]
    """The stream in which each event was recorded last."""

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
        return self.tape().device.attributes.get(int(attribute), 0)

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
        return min(
            known.get(THREADS_PER_SM, 0) // threads,
            known.get(BLOCKS_PER_SM, 32),
            known.get(SHARED_PER_SM, 0) // max(bytes_of_block, 1),
            known.get(REGISTERS_PER_SM, 0) // registers,
        )


class PlayedDevice(cuda_driver.Device):
    """The device of the tape. Its attributes are asked of PlayedDriver by their names, each time."""

    def __init__(self, tape: Callable[[], Tape]) -> None:
        self._tape = tape
        self.id = 0
        self.uuid = "GPU-00000000-0000-0000-0000-000000000000"
        self.primary_context = None

    def __getattr__(self, name: str) -> int:
        code = getattr(cuda_driver.binding.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        asked: int = cuda_driver.driver.cuDeviceGetAttribute(code, self.id)
        return asked

    @property
    def compute_capability(self) -> tuple[int, int]:
        try:
            return self._tape().device.capability
        except Refusal:
            # Signatures are compiled at the import, which is tried once before anything is recorded.
            return IMPORTING

    @property
    def name(self) -> str:
        return self._tape().device.name

    def get_primary_context(self) -> Any:
        if self.primary_context is None:
            self.primary_context = cuda_driver.Context(weakref.proxy(self), HANDLE)
        return self.primary_context


class PlayedMemory(cuda_driver.NumbaCUDAMemoryManager):
    """Allocates scratch from the tape. It belongs to one call of solve(), as its context does."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.open = True

    def initialize(self) -> None:
        try:
            super().initialize()
        except Refusal:
            # Outside of a recording there is no memory, and nothing that would wait to be freed.
            self.deallocations.memory_capacity = 0

    def memalloc(self, size: int) -> Any:
        tape = cuda_driver.driver.tape()
        pointer = self._attempt_allocation(lambda: cuda_driver.binding.CUdeviceptr(_allocated(tape, size)))

        def free(freed: Any) -> None:
            # An array that outlives its call of solve() is nothing to the next one's recording.
            if self.open:
                tape.free(int(freed))

        def finalize() -> None:
            self.allocations.pop(pointer, None)
            self.deallocations.add_item(free, pointer, size)

        memory = cuda_driver.AutoFreePointer(weakref.proxy(self.context), pointer, size, finalizer=finalize)
        self.allocations[pointer] = memory
        return memory.own()

    def memhostalloc(self, size: int, mapped: bool = False, portable: bool = False, wc: bool = False) -> Any:
        if mapped:
            self._refuse("cuda.mapped_array()")
        return bytearray(size)

    def mempin(self, owner: Any, pointer: Any, size: int, mapped: bool = False) -> Any:
        if mapped:
            self._refuse("cuda.mapped()")
        return owner

    def memallocmanaged(self, size: int, attach_global: bool) -> NoReturn:
        self._refuse("cuda.managed_array()")

    def get_ipc_handle(self, memory: Any) -> NoReturn:
        self._refuse("get_ipc_handle()")

    def _refuse(self, call: str) -> NoReturn:
        cuda_driver.driver.tape().refuse(call, ONLY_DEVICE, "use cuda.device_array(), cuda.to_device(), copy_to_host()")


def install(tape: Callable[[], Tape]) -> None:
    """Puts the played driver into the place of CUDA's, wherever numba holds it."""
    played = cuda_driver.driver
    played.__class__ = PlayedDriver
    played.tape = tape
    _forget(played)
    played.is_initialized, played.initialization_error = True, None
    played.devices.clear()
    played.devices[0] = PlayedDevice(tape)
    cuda_driver._logger = cuda_driver.make_logger()
    cuda_driver._memory_manager = PlayedMemory
    cuda_driver._to_core_stream = number_of
    # Grids are small where sizes are; what is slow is the coach's to say.
    config.CUDA_LOW_OCCUPANCY_WARNINGS = 0


@contextlib.contextmanager
def one_call() -> Iterator[None]:
    """A context of its own for a call of solve(): streams, events and memory of earlier ones are unknown to it."""
    played = cuda_driver.driver
    _forget(played)
    played.devices[0].primary_context = None
    devices._runtime._set_attached_context(None)
    memory = devices.get_context().memory_manager
    try:
        yield
        # numba frees by and by; what solve() dropped is freed when it returns.
        memory.deallocations.clear()
    finally:
        memory.open = False


def number_of(stream: Any) -> int:
    """The tape's number of a stream: numba's, another library's, a handle, or 0."""
    if isinstance(stream, int):
        handle = stream
    elif hasattr(stream, "__cuda_stream__"):
        handle = int(stream.__cuda_stream__()[1])
    elif hasattr(stream, "cuda_stream"):
        handle = stream.cuda_stream
    elif isinstance(stream, cuda_driver.binding.CUstream):
        handle = int(stream)
    else:
        raise TypeError(f"expected a stream of cuda.stream(), or 0, got {type(stream).__name__}")
    return 0 if handle == LEGACY_STREAM else handle


def _forget(played: PlayedDriver) -> None:
    played.streams, played.events = itertools.count(FIRST_STREAM), itertools.count(1)
    played.recorded, played.contexts = {}, 0


def _allocated(tape: Tape, size: int) -> int:
    try:
        return tape.allocate(size)
    except OutOfMemory as full:
        raise Full(str(full)) from full
