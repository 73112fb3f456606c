"""The device, the context and the memory that numba finds: the device is the one that the tape plays."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from numba.cuda.core import config
from numba.cuda.cudadrv import devices
from numba.cuda.cudadrv import driver as cuda_driver

from grader.plan.python.numba.functions import HANDLE, Full, PlayedDriver, number_of
from grader.plan.python.tape import OutOfMemory, Refusal, Tape

ONLY_DEVICE = "there is one device, and its memory is not the host's"
IMPORTING = (8, 9)
"""The compute capability while a file is imported outside of a recording, to see whether it compiles."""


class PlayedDevice(cuda_driver.Device):
    """The device of the tape. Its attributes are asked of PlayedDriver by their names, each time."""

    def __init__(self) -> None:
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
            return _tape().device.capability
        except Refusal:
            # Signatures are compiled at the import, which is tried once before anything is recorded.
            return IMPORTING

    @property
    def name(self) -> str:
        return _tape().device.name

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
        tape = _tape()
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
        raise Refusal(call, ONLY_DEVICE, "use cuda.device_array(), cuda.to_device(), copy_to_host()")


def install(tape: Callable[[], Tape]) -> None:
    """Puts the played driver into the place of CUDA's, wherever numba holds it."""
    played = cuda_driver.driver
    played.__class__ = PlayedDriver
    played.tape = tape
    played.forget()
    played.is_initialized, played.initialization_error = True, None
    if 0 not in played.devices:
        played.devices[0] = PlayedDevice()
    cuda_driver._logger = cuda_driver.make_logger()
    cuda_driver._memory_manager = PlayedMemory
    cuda_driver._to_core_stream = number_of
    cuda_driver.Stream.add_callback = _refuse_callback
    # Grids are small where sizes are; what is slow is the coach's to say.
    config.CUDA_LOW_OCCUPANCY_WARNINGS = 0


@contextlib.contextmanager
def one_call() -> Iterator[None]:
    """A context of its own for a call of solve(): streams, events and memory of earlier ones are unknown to it."""
    played = cuda_driver.driver
    played.forget()
    played.devices[0].primary_context = None
    devices._runtime._set_attached_context(None)
    memory = devices.get_context().memory_manager
    try:
        yield
        # numba frees by and by; what solve() dropped is freed when it returns.
        memory.deallocations.clear()
    finally:
        memory.open = False


def _tape() -> Tape:
    tape: Tape = cuda_driver.driver.tape()
    return tape


def _refuse_callback(self: Any, callback: Any, arg: Any = None) -> NoReturn:
    hint = "put the work into kernels, or after stream.synchronize()"
    raise Refusal("stream.add_callback()", "a plan holds no code of the host", hint)


def _allocated(tape: Tape, size: int) -> int:
    try:
        return tape.allocate(size)
    except OutOfMemory as full:
        raise Full(str(full)) from full
