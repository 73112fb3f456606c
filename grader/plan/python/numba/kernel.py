"""numba's kernels, whose launches go to the tape.

What is compiled is kept by all that decides about it, because each call of solve() has functions of its own.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba.core.errors import NumbaError
from numba.cuda import dispatcher, types
from numba.cuda.args import In, Out, wrap_arg
from numba.cuda.cudadrv import devicearray

from grader.plan.python.driver import Memo
from grader.plan.python.numba.arrays import device_array
from grader.plan.python.numba.compiled import Attributes, Compiled, attributes, finished, key_of, missing, target
from grader.plan.python.tape import Tape

_PLACE = re.compile(r'^File ".*", line (\d+):', re.MULTILINE)
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_COMPILERS = ("cuda.bindings.nvvm", "cuda.bindings.nvrtc", "cuda.bindings.nvjitlink")


class RecordedKernel(dispatcher._Kernel):
    """Takes the place of numba's _Kernel, which would be loaded to a GPU and launched there."""

    tape: Callable[[], Tape]
    memo: Memo

    def __init__(self, py_func: Any, argtypes: Any, **options: Any) -> None:
        self._made_of = py_func, argtypes, options
        key = key_of(py_func, argtypes, options)
        compiled = self.memo.get(key) if key else None
        if compiled is None:
            super().__init__(py_func, argtypes, **options)
            compiled = finished(self._codelibrary, self.entry_name, self.signature, options)
            absent = missing(compiled.ptx)
            if absent:
                hint = "call functions of this file and of numba"
                self.tape().refuse(py_func.__name__, f"the kernel calls {absent}(), whose code it does not have", hint)
            if key and not self.launch_config_sensitive:
                self.memo[key] = compiled
        self._restore(compiled)

    def _restore(self, compiled: Compiled) -> None:
        """Makes this the kernel of `compiled`, with what numba's dispatcher asks of one."""
        self.compiled = compiled
        self.py_func, _, options = self._made_of
        self.objectmode, self.entry_point, self.debug, self.lineinfo = False, None, False, True
        self.extensions = options.get("extensions") or []
        self.entry_name, self.signature, self.cooperative = compiled.symbol, compiled.signature, compiled.cooperative
        self.launch_config_sensitive = getattr(self, "launch_config_sensitive", False)
        self._codelibrary = _Library(self)

    def bind(self) -> None:
        """Nothing is loaded."""

    def launch(self, args: Any, griddim: Any, blockdim: Any, stream: int = 0, sharedmem: int = 0) -> None:
        if self.compiled.target != target():
            # A kernel of numba's own, such as that of an assignment, outlives the call of solve() that compiled it.
            py_func, argtypes, options = self._made_of
            self.__init__(py_func, argtypes, **options)  # type: ignore[misc]
        tape, compiled = self.tape(), self.compiled
        after: list[Callable[[], object]] = []
        values: list[Any] = []
        for kind, value in zip(self.argument_types, args, strict=True):
            self._prepare_args(kind, value, stream, after, values)
        sizes, cubin = compiled.parameter_bytes, compiled.cubin() if tape.machine_code else b""
        packed = [_packed(value, size) for value, size in zip(values, sizes, strict=True)]
        handle = tape.kernel(self.py_func.__name__, compiled.symbol, sizes, compiled.ptx, cubin)
        tape.launch(handle, griddim, blockdim, packed, sharedmem, stream, cooperative=self.cooperative)
        for write_back in after:
            write_back()

    def _prepare_args(self, ty: Any, val: Any, stream: int, retr: Any, kernelargs: list[Any]) -> None:
        """Appends an argument's parameters. An array of the host is copied to the device and back, as numba does."""
        if isinstance(ty, (types.Array, types.Record)):
            hint = wrap_arg(val)
            host, copied = hint.value, not isinstance(hint, Out) or hint.copy_input
            array, new = devicearray.auto_device(device_array(host), copy=copied)
            written = new and isinstance(hint, Out)
            # Also holds the array, which must not be freed before the launch.
            retr.append(lambda: array.copy_to_host(host) if written else array)
            if isinstance(ty, types.Record):
                kernelargs.append(array.device_ctypes_pointer.value or 0)
                return
            val = In(array)
        super()._prepare_args(ty, val, stream, retr, kernelargs)

    def attributes(self) -> Attributes:
        """What is known of the kernel, on the device of the call that is under way."""
        tape = self.tape()
        return attributes(self.compiled, tape.device, tape.machine_code)


class _Library:
    """What numba asks of a kernel's code library once it is compiled."""

    def __init__(self, kernel: RecordedKernel) -> None:
        self._kernel = kernel

    def get_cufunc(self) -> Any:
        return _Function(self._kernel)

    def get_asm_str(self, cc: Any = None) -> str:
        return self._kernel.compiled.ptx


class _Function:
    """A loaded kernel, as far as numba asks: its attributes, by both of the ways there."""

    def __init__(self, kernel: RecordedKernel) -> None:
        self.name = kernel.entry_name
        self.attrs = self.attributes = kernel.attributes()
        self.kernel = self.handle = self


def install(tape: Callable[[], Tape], memo: Memo) -> None:
    """Lets numba's dispatchers make recorded kernels, with lines, of arguments from anywhere."""
    RecordedKernel.tape, RecordedKernel.memo = staticmethod(tape), memo
    dispatcher._Kernel = RecordedKernel
    made, called, specialized = _of_dispatcher("__init__", "call", "specialize")

    def initialize(self: Any, py_func: Any, targetoptions: dict[str, Any], *more: Any, **others: Any) -> None:
        # debug=True adds a word for errors that is read back after each launch; of it, only the lines are wanted.
        made(self, py_func, {**targetoptions, "lineinfo": True, "debug": False}, *more, **others)

    def call(self: Any, args: Sequence[Any], launch_config: Any) -> None:
        called(self, tuple(device_array(value) for value in args), launch_config)

    def specialize(self: Any, *args: Any) -> Any:
        return specialized(self, *(device_array(value) for value in args))

    kind = dispatcher.CUDADispatcher
    kind.__init__, kind.call, kind.specialize = initialize, call, specialize
    # A cache in files would outlive what it is of.
    kind.enable_caching = lambda self: None


def compile_failure(error: BaseException) -> tuple[str, int] | None:
    """The message and the line of an error of numba's compiler; None for any other."""
    if type(error).__module__.startswith(_COMPILERS):
        return f"NVIDIA's compiler refuses what numba makes of the kernel: {str(error).splitlines()[0]}", 0
    # numba and numba-cuda each have an UnsupportedBytecodeError, which is no NumbaError.
    if not isinstance(error, NumbaError) and type(error).__name__ != "UnsupportedBytecodeError":
        return None
    lines = [line.strip() for line in _ADDRESS.sub("", str(error)).splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in", "File ", "^", "<source"))]
    places = _PLACE.findall(str(error))
    line = int(places[-1]) if places else getattr(getattr(error, "loc", None), "line", 0) or 0
    return (said[0] if said else type(error).__name__), line


def _of_dispatcher(*names: str) -> list[Any]:
    """numba's own methods, also where a driver was installed before."""
    kind = dispatcher.CUDADispatcher
    kept = kind.__dict__.get("kgrade_usual") or {name: getattr(kind, name) for name in names}
    kind.kgrade_usual = kept
    return [kept[name] for name in names]


def _packed(value: Any, size: int) -> bytes:
    """The bytes of one parameter."""
    if isinstance(value, (bool, np.bool_)):
        return bytes([bool(value)])
    if isinstance(value, (int, np.integer)):
        return (int(value) & (1 << 8 * size) - 1).to_bytes(size, "little")
    if isinstance(value, np.generic):
        return value.tobytes()
    assert isinstance(value, ctypes._SimpleCData)
    return bytes(value)
