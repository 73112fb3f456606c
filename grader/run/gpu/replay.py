"""Replays a Plan on the GPU: a loaded cubin's kernels, launched with the plan's raw argument bytes.

It enqueues and checks each launch; the caller finds out whether the kernels finish.
"""

from __future__ import annotations

import base64
import ctypes
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from math import prod
from typing import Any

from grader.core.plan import ALL_STREAMS, TENSOR_MAP_BYTES
from grader.run.gpu import libcuda
from grader.run.gpu.faults import OUT_OF_MEMORY
from grader.run.gpu.lanes import Lanes

MOST_WITHOUT_ASKING = 48 << 10
"""Bytes. Dynamic shared memory beyond this has to be allowed for a kernel (CUDA C++ Programming Guide, 20.7.3)."""

Enqueue = Callable[[int], None]
"""Enqueues one step on a CUstream."""


class LaunchError(Exception):
    """CUDA refused a launch. `status` is the CUresult, `cause` CuPy's error with CUDA's words."""

    def __init__(self, kernel: str, cause: Exception) -> None:
        super().__init__(str(cause))
        self.kernel = kernel
        self.cause = cause
        self.status = status_of(cause)


class Kernels:
    """The kernels of loaded modules. An image is machine code, or PTX for the driver to compile; empty it is none.

    `symbols`: each kernel's symbol, by the name that plans use. Variables are those of the first image.
    """

    def __init__(self, image: bytes, symbols: Mapping[str, str]) -> None:
        from cupy.cuda import runtime

        # Starts CUDA on this thread, which loading a module requires.
        runtime.setDevice(0)
        runtime.free(0)
        self._modules: list[int] = []
        self._functions: dict[str, int] = {}
        self._unloadable: dict[str, RuntimeError] = {}
        self._has_variables = bool(image)
        self._load(image, symbols)

    def extend(self, image: bytes, symbols: Mapping[str, str]) -> None:
        """Loads another image; kernels that are loaded already are left. An image that CUDA does not take, which a
        submission's process may hand over, is told of when a kernel of it is launched."""
        try:
            self._load(image, symbols)
        except RuntimeError as error:
            if status_of(error) == OUT_OF_MEMORY:
                raise
            self._unloadable |= dict.fromkeys(symbols, error)

    def _load(self, image: bytes, symbols: Mapping[str, str]) -> None:
        from cupy.cuda import driver

        new = {name: symbol for name, symbol in symbols.items() if name not in self._functions}
        if image and (new or not symbols):
            module = driver.moduleLoadData(image)
            self._modules.append(module)
            self._functions |= {name: driver.moduleGetFunction(module, symbol) for name, symbol in new.items()}

    def function(self, name: str) -> int:
        """Returns the driver's handle of a kernel. Raises CUDA's error for one of an image that it does not take."""
        if name in self._unloadable:
            raise self._unloadable[name]
        return int(self._functions[name])

    def variable(self, name: str) -> tuple[int, int] | None:
        """Returns the address and size of a variable in device memory; None if the module has none of this name."""
        return libcuda.find_variable(self._modules[0], name) if self._has_variables else None

    def describe(self, names: Iterable[str] | None = None) -> list[dict[str, Any]]:
        """Returns what a block or thread of each kernel takes, or of those with these names, from the driver."""
        from cupy.cuda import driver

        attributes = {
            "registers": driver.CU_FUNC_ATTRIBUTE_NUM_REGS,
            "shared_bytes": driver.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
            "local_bytes": driver.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
        }
        return [
            {"name": name, **{key: driver.funcGetAttribute(a, function) for key, a in attributes.items()}}
            for name, function in self._functions.items()
            if names is None or name in names
        ]

    def unload(self) -> None:
        from cupy.cuda import driver

        for module in self._modules:
            driver.moduleUnload(module)


class Replay:
    """A plan's steps, as `step_to_json` makes them, prepared to be enqueued any number of times. Raises LaunchError.

    Uploads wait in GPU memory, so that a replay copies within it: neither the bus nor the host's memory is timed, and a
    graph holds no pointer into host memory.
    """

    def __init__(self, kernels: Kernels, steps: Sequence[Mapping[str, Any]]) -> None:
        self.last = ""
        """The kernel of the last launch that was enqueued."""
        self._kernels = kernels
        self._staged: list[int] = []
        make = {"launch": self._launch, "memset": self._memset, "copy": self._copy, "upload": self._upload}
        self._steps = [(step, make[step["do"]](step) if step["do"] in make else None) for step in steps]

    def enqueue(self, stream: int) -> None:
        """Enqueues the steps on one CUstream, in their order: one of those that the plan's streams allow."""
        for _, enqueue in self._steps:
            if enqueue is not None:
                enqueue(stream)

    def enqueue_forked(self, stream: Any) -> None:
        """Enqueues the steps on a CuPy stream, and what overlaps in the plan on other streams.

        The stream waits for all of them. It may be one that is being captured.
        """
        if all(step.get("stream", 0) == 0 for step, enqueue in self._steps if enqueue is not None):
            self.enqueue(stream.ptr)
            return
        lanes = Lanes(stream, _side_stream, _mark)
        for step, enqueue in self._steps:
            do = step["do"]
            if enqueue is not None:
                enqueue(lanes.stream(step["stream"]).ptr)
            elif do == "record_event":
                lanes.record_event(step["event"], step["stream"])
            elif do == "wait_event":
                lanes.wait_event(step["event"], step["stream"])
            elif do == "synchronize":
                lanes.synchronize(step["stream"])
            elif do == "free":
                # As cudaFree does.
                lanes.synchronize(ALL_STREAMS)
        lanes.join()

    def free(self) -> None:
        """Frees the uploads. Nothing that was enqueued or captured may run afterwards."""
        from cupy.cuda import runtime

        while self._staged:
            runtime.free(self._staged.pop())

    def _launch(self, step: Mapping[str, Any]) -> Enqueue:
        from cupy.cuda import driver

        name, shared, cluster = step["kernel"], step["shared_bytes"], step["cluster"]
        try:
            function = self._kernels.function(name)
            values = _arguments(step)
            wanted = libcuda.parameter_bytes(function)
            # CUDA reads as many bytes as the machine code says, and the plan was checked by what was told of it.
            if wanted is not None and wanted != [len(value) for value in values]:
                raise RuntimeError(f"its machine code takes arguments of {wanted} bytes")
            if shared > MOST_WITHOUT_ASKING:
                driver.funcSetAttribute(function, driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared)
            if prod(cluster) > libcuda.PORTABLE_CLUSTER:
                driver.funcSetAttribute(function, libcuda.NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)
        except RuntimeError as error:
            raise LaunchError(name, error) from None
        pointers = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
        plain = not step["cooperative"] and not any(cluster)

        def enqueue(stream: int) -> None:
            self.last = name
            # The values live as long as this function.
            place = ctypes.addressof(pointers) if values else 0
            try:
                if plain:
                    driver.launchKernel(function, *step["grid"], *step["block"], shared, stream, place, 0)
                else:
                    more = (step["cooperative"], cluster)
                    libcuda.launch(function, step["grid"], step["block"], shared, stream, place, *more)
            except RuntimeError as error:
                raise LaunchError(name, error) from None

        return enqueue

    def _memset(self, step: Mapping[str, Any]) -> Enqueue | None:
        from cupy.cuda import runtime

        # A graph has no empty steps.
        return partial(runtime.memsetAsync, step["address"], step["value"], step["size"]) if step["size"] else None

    def _copy(self, step: Mapping[str, Any]) -> Enqueue | None:
        return _copies(step["target"], step["source"], step["size"])

    def _upload(self, step: Mapping[str, Any]) -> Enqueue | None:
        from cupy.cuda import runtime

        data = base64.b64decode(step["data"])
        if not data:
            return None
        self._staged.append(runtime.malloc(len(data)))
        source = ctypes.create_string_buffer(data, len(data))
        runtime.memcpy(self._staged[-1], ctypes.addressof(source), len(data), runtime.memcpyHostToDevice)
        # From pageable memory it may still be in progress, and a stream may not wait for the default one.
        runtime.streamSynchronize(0)
        return _copies(step["target"], self._staged[-1], len(data))


def _copies(target: int, source: int, size: int) -> Enqueue | None:
    from cupy.cuda import runtime

    return partial(_copy_within, runtime, target, source, size) if size else None


def _copy_within(runtime: Any, target: int, source: int, size: int, stream: int) -> None:
    runtime.memcpyAsync(target, source, size, runtime.memcpyDeviceToDevice, stream)


def _arguments(step: Mapping[str, Any]) -> list[Any]:
    """Returns the arguments' bytes in memory, with the tensor maps in their places."""
    values = [ctypes.create_string_buffer(data, len(data)) for data in map(bytes.fromhex, step["arguments"])]
    for placed in step["tensor_maps"]:
        value, offset = values[placed["argument"]], placed["offset"]
        assert 0 <= offset <= len(value) - TENSOR_MAP_BYTES
        value[offset : offset + TENSOR_MAP_BYTES] = libcuda.encode_tensor_map(placed["map"])
    return values


@lru_cache
def _side_stream(number: int) -> Any:
    import cupy

    return cupy.cuda.Stream(non_blocking=True)


def _mark() -> Any:
    import cupy

    return cupy.cuda.Event(disable_timing=True)


def status_of(error: Exception) -> int:
    """Returns the number of CUDA's error; 0 for another error."""
    return int(getattr(error, "status", 0))
