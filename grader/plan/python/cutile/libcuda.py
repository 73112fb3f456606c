"""CUDA's driver as far as cuTile's launch calls it, without a GPU: kernels are loaded and launched by name only.

cuTile looks its functions up with cuGetProcAddress, whose address its module `_load_libcuda` tells. With ours there,
the launch derives from its arguments what to compile, and packs them, by itself.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from ctypes import POINTER, c_char_p, c_int, c_uint, c_uint64, c_void_p
from typing import Any

from grader.plan.python.cutile.compiler import Compiled
from grader.plan.python.tape import Refusal, Tape

DRIVER_VERSION = 13000
SUCCESS, INVALID_VALUE, NOT_SUPPORTED, UNKNOWN = 0, 1, 801, 999
CONTEXT = 1
"""The handle of the only context."""
NULL_STREAMS = (0, 1, 2)
"""The default stream by its three handles."""
CLUSTER_DIMENSION = 4
"""The launch attribute that gives the size of a cluster, by its number in CUlaunchAttributeID (cuda.h)."""
_ERRORS = {
    INVALID_VALUE: b"invalid argument",
    NOT_SUPPORTED: b"operation not supported",
    UNKNOWN: b"unknown error",
}


class _Attribute(ctypes.Structure):
    """CUlaunchAttribute."""

    _fields_ = (("number", c_int), ("pad", c_int), ("value", c_uint * 16))


class _Config(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = (
        ("grid", c_uint * 3),
        ("block", c_uint * 3),
        ("shared_bytes", c_uint),
        ("stream", c_void_p),
        ("attributes", POINTER(_Attribute)),
        ("attribute_count", c_uint),
    )


class PlayedLibrary:
    """The functions of the driver, as C calls them. `tape` is that of the call of solve() that is under way.

    An exception can't pass through C: it is kept in `raised`, for the caller of cuTile's launch.
    """

    def __init__(self, tape: Callable[[], Tape]) -> None:
        self.raised: BaseException | None = None
        self._tape = tape
        self._kernels: list[Compiled] = []
        self._pinned: dict[int, Any] = {}
        self._tapes: list[Tape] = []
        self._messages = {number: ctypes.create_string_buffer(text) for number, text in _ERRORS.items()}
        self._functions: dict[str, Any] = {}
        lookup = ctypes.CFUNCTYPE(c_int, c_char_p, c_void_p, c_int, c_uint64, c_void_p)
        self._lookup = lookup(self._find)

    @property
    def lookup_address(self) -> int:
        """The address of the pointer to cuGetProcAddress."""
        return ctypes.addressof(self._lookup)

    def image(self, kernel: Compiled) -> bytes:
        """What the driver loads for a kernel, instead of its machine code."""
        self._kernels.append(kernel)
        return str(len(self._kernels)).encode()

    def _find(self, name: bytes, target: int, version: int, flags: int, status: int) -> int:
        told = name.decode()
        if told not in self._functions:
            types, function = self._known().get(told, ((), self._unknown(told)))
            self._functions[told] = ctypes.CFUNCTYPE(c_int, *types)(self._guarded(function))
        _put(target, c_void_p, ctypes.cast(self._functions[told], c_void_p).value)
        return SUCCESS

    def _guarded(self, function: Callable[..., int | None]) -> Callable[..., int]:
        def guarded(*values: Any) -> int:
            try:
                return function(*values) or SUCCESS
            except BaseException as error:
                self.raised = error
                return UNKNOWN

        return guarded

    def _unknown(self, name: str) -> Callable[..., int]:
        def refuse(*_: Any) -> int:
            raise Refusal(name, f"cuTile calls {name}, which has no place in a recording", "use cuda.tile.launch()")

        return refuse

    def _known(self) -> Mapping[str, tuple[Sequence[Any], Callable[..., int | None]]]:
        nothing: Callable[..., None] = lambda *_: None  # noqa: E731
        pointer, number = c_void_p, c_uint64
        return {
            "cuInit": ((c_uint,), nothing),
            "cuDriverGetVersion": ((pointer,), lambda target: _put(target, c_int, DRIVER_VERSION)),
            "cuGetErrorString": ((c_int, pointer), self._error_string),
            "cuDeviceGetCount": ((pointer,), lambda target: _put(target, c_int, 1)),
            "cuDeviceGet": ((pointer, c_int), lambda target, ordinal: _put(target, c_int, 0)),
            "cuDeviceGetAttribute": ((pointer, c_int, c_int), self._attribute),
            "cuCtxGetCurrent": ((pointer,), lambda target: _put(target, c_void_p, CONTEXT)),
            "cuCtxSetCurrent": ((pointer,), nothing),
            "cuCtxPushCurrent": ((pointer,), nothing),
            "cuCtxPopCurrent": ((pointer,), lambda target: _put(target, c_void_p, CONTEXT)),
            "cuCtxGetDevice": ((pointer,), lambda target: _put(target, c_int, 0)),
            "cuCtxGetId": ((pointer, pointer), self._context_number),
            "cuCtxSynchronize": ((), lambda: self._tape().synchronize()),
            "cuPointerGetAttribute": ((pointer, c_int, number), self._pointer_attribute),
            "cuStreamGetCtx": ((pointer, pointer), lambda stream, target: _put(target, c_void_p, CONTEXT)),
            "cuStreamGetId": ((pointer, pointer), lambda stream, target: _put(target, c_uint64, 0)),
            "cuStreamIsCapturing": ((pointer, pointer), lambda stream, target: _put(target, c_int, 0)),
            "cuStreamSynchronize": ((pointer,), lambda stream: self._tape().synchronize(stream or 0)),
            "cuStreamWaitEvent": ((pointer, pointer, c_uint), nothing),
            "cuEventCreate": ((pointer, c_uint), lambda target, flags: _put(target, c_void_p, CONTEXT)),
            "cuEventDestroy": ((pointer,), nothing),
            "cuEventRecord": ((pointer, pointer), nothing),
            "cuEventQuery": ((pointer,), nothing),
            "cuLibraryLoadData": ((pointer, pointer, *(pointer, pointer, c_uint) * 2), self._load),
            "cuLibraryUnload": ((pointer,), nothing),
            "cuLibraryGetKernel": ((pointer, pointer, c_char_p), lambda target, one, name: _put(target, c_void_p, one)),
            "cuKernelGetFunction": ((pointer, pointer), lambda target, one: _put(target, c_void_p, one)),
            "cuKernelGetAttribute": ((pointer, c_int, pointer, c_int), lambda target, *_: _put(target, c_int, 0)),
            "cuKernelSetAttribute": ((c_int, c_int, pointer, c_int), nothing),
            "cuLaunchKernel": ((pointer, *[c_uint] * 7, pointer, pointer, pointer), self._launch),
            "cuLaunchKernelEx": ((POINTER(_Config), pointer, pointer, pointer), self._launch_extended),
            "cuMemAlloc": ((pointer, number), lambda target, size: _put(target, c_uint64, self._tape().allocate(size))),
            "cuMemFree": ((number,), lambda address: self._tape().free(address)),
            "cuMemAllocHost": ((pointer, number), self._allocate_host),
            "cuMemFreeHost": ((pointer,), nothing),
            "cuMemcpyHtoDAsync": ((number, pointer, number, pointer), self._upload),
        }

    def _error_string(self, error: int, target: int) -> None:
        message = self._messages.get(error, self._messages[UNKNOWN])
        _put(target, c_void_p, ctypes.addressof(message))

    def _attribute(self, target: int, attribute: int, device: int) -> int:
        known = self._tape().device.attributes
        if attribute not in known:
            return INVALID_VALUE
        _put(target, c_int, known[attribute])
        return SUCCESS

    def _pointer_attribute(self, target: int, attribute: int, address: int) -> int:
        if attribute != 1:
            return NOT_SUPPORTED
        _put(target, c_void_p, CONTEXT)
        return SUCCESS

    def _context_number(self, context: int, target: int) -> None:
        """A number for each recording: what cuTile keeps by context, such as buffers, belongs to one recording."""
        tape = self._tape()
        if not any(tape is one for one in self._tapes):
            self._tapes.append(tape)
        _put(target, c_uint64, len(self._tapes))

    def _load(self, target: int, image: int, *_: Any) -> None:
        _put(target, c_void_p, int(ctypes.string_at(image)))

    def _allocate_host(self, target: int, size: int) -> None:
        buffer = ctypes.create_string_buffer(size)
        self._pinned[ctypes.addressof(buffer)] = buffer
        _put(target, c_void_p, ctypes.addressof(buffer))

    def _upload(self, address: int, source: int, size: int, stream: int | None) -> None:
        self._tape().upload(address, ctypes.string_at(source, size), stream_number(stream or 0))

    def _launch(self, kernel: int, *values: Any) -> int:
        *dimensions, stream, parameters, _ = values
        return self._record(kernel, dimensions[:3], dimensions[3:6], stream, parameters)

    def _launch_extended(self, config: Any, kernel: int, parameters: int, _: int) -> int:
        told = config.contents
        for place in range(told.attribute_count):
            one = told.attributes[place]
            if one.number == CLUSTER_DIMENSION and tuple(one.value[:3]) != (1, 1, 1):
                hint = "use cuda.tile.launch(); clusters of a kernel come from its num_ctas"
                raise Refusal("launch", f"the launch asks for clusters of {tuple(one.value[:3])} blocks", hint)
        return self._record(kernel, list(told.grid), list(told.block), told.stream, parameters)

    def _record(
        self, number: int, grid: Sequence[int], block: Sequence[int], stream: int | None, parameters: int
    ) -> int:
        if not all(grid):
            raise ValueError(f"a grid of {tuple(grid)} blocks, where each number has to be at least 1")
        kernel, tape = self._kernels[number - 1], self._tape()
        places = (c_void_p * len(kernel.parameter_bytes)).from_address(parameters)
        values = [ctypes.string_at(place, size) for place, size in zip(places, kernel.parameter_bytes, strict=True)]
        handle = tape.kernel(kernel.name, kernel.symbol, kernel.parameter_bytes, kernel.ptx, kernel.cubin)
        if kernel.cubin:
            # A GPU's driver knows from the machine code that this is cuTile's. It takes its blocks as one thread each,
            # and adds by itself: threads, clusters, shared memory, tensor maps.
            tape.launch(handle, grid, block, values, stream=stream_number(stream or 0))
        else:
            memory, cluster = kernel.shared_bytes, kernel.cluster
            tape.launch(handle, grid, kernel.block, values, memory, stream_number(stream or 0), cluster)
        return SUCCESS


def stream_number(stream: int) -> int:
    """The number of a stream in a recording. Raises Refusal for one that can't be there."""
    if stream not in NULL_STREAMS:
        raise Refusal("launch", f"{stream:#x} is not a stream of this device", "launch on stream 0")
    return 0


def _put(target: int, kind: Any, value: Any) -> None:
    ctypes.cast(target, POINTER(kind))[0] = value
