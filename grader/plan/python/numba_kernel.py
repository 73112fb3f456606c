"""numba's compiled kernels: PTX, for a GPU a cubin as well, and launches that go to the tape.

numba itself compiles, in this process: libnvvm makes the PTX, nvJitLink the cubin. What is compiled is kept by all
that decides about it, because each call of solve() has functions of its own.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba.cuda import dispatcher, types
from numba.cuda.args import In, Out, wrap_arg
from numba.cuda.core import errors
from numba.cuda.cudadrv import devicearray, devices
from numba.cuda.cudadrv import driver as cuda_driver

from grader.plan.python.driver import Memo
from grader.plan.python.fingerprint import Unknown, fingerprint
from grader.plan.python.numba_arrays import device_array
from grader.plan.python.numba_device import REGISTERS_PER_BLOCK, THREADS_PER_BLOCK
from grader.plan.python.tape import Tape

_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.[a-z](\d+)\s+(?:\.ptr[^,\n)]*\s)?[\w$]+(?:\[(\d+)\])?")
_DECLARED = r"\.%s\s+(?:\.align\s+\d+\s+)?\.b(\d+)\s+[\w$]+\[(\d+)\]"
_REGISTER_COUNT = re.compile(rb"\x04\x2f\x08\x00.{4}(.{4})", re.DOTALL)
"""EIATTR_REGCOUNT in a cubin's .nv.info: a symbol and its number."""
_EXTERNAL = re.compile(r"^\.extern \.func[^;]*?\b(\w+)\s*\n?\(", re.MULTILINE)
_KNOWN_EXTERNALS = {"vprintf", "malloc", "free", "__assertfail"}
_PLACE = re.compile(r'^File "(.*)", line (\d+):', re.MULTILINE)
_WARP = 32


@dataclass(frozen=True)
class _Compiled:
    """One kernel for one list of types and one compute capability."""

    ptx: str
    symbol: str
    parameter_bytes: tuple[int, ...]
    signature: Any
    cooperative: bool
    max_registers: int | None
    cubins: list[bytes] = field(default_factory=list)


@dataclass(frozen=True)
class _Attributes:
    """A kernel's attributes by the names of cuda.core and of numba: sizes in bytes, `regs` of a thread."""

    regs: int
    shared: int
    local: int
    const: int
    maxthreads: int

    @property
    def max_threads_per_block(self) -> int:
        return self.maxthreads


class RecordedKernel(dispatcher._Kernel):
    """Takes the place of numba's _Kernel, which would be loaded to a GPU and launched there."""

    tape: Callable[[], Tape]
    memo: Memo

    def __init__(self, py_func: Any, argtypes: Any, **options: Any) -> None:
        key = _key(py_func, argtypes, options)
        compiled = self.memo.get(key) if key else None
        if compiled is None:
            super().__init__(py_func, argtypes, **options)
            compiled = self._finish(options)
            if key and not self.launch_config_sensitive:
                self.memo[key] = compiled
        self._restore(compiled, py_func, options)

    def _finish(self, options: dict[str, Any]) -> _Compiled:
        """What is kept of a kernel that was just compiled."""
        library, registers = self._codelibrary, options.get("max_registers")
        ptx = library.get_asm_str()
        if library._linking_files:
            ptx = _linked(library, registers)
        unknown = sorted(set(_EXTERNAL.findall(ptx)) - _KNOWN_EXTERNALS)
        if unknown:
            hint = "write it with blocks and cuda.syncthreads(), and a kernel for each step"
            self.tape().refuse(self.py_func.__name__, f"the kernel calls {unknown[0]}, which is no code of its own", hint)
        sizes = parameter_bytes(ptx, self.entry_name)
        return _Compiled(ptx, self.entry_name, sizes, self.signature, self.cooperative, registers)

    def _restore(self, compiled: _Compiled, py_func: Any, options: dict[str, Any]) -> None:
        """Makes this the kernel of `compiled`, with what numba's dispatcher asks of one."""
        self.compiled = compiled
        self.py_func = py_func
        self.objectmode, self.entry_point, self.debug, self.lineinfo = False, None, False, True
        self.extensions = options.get("extensions") or []
        self.entry_name, self.signature, self.cooperative = compiled.symbol, compiled.signature, compiled.cooperative
        self.launch_config_sensitive = getattr(self, "launch_config_sensitive", False)
        self._codelibrary = _Library(self)

    def bind(self) -> None:
        """Nothing is loaded."""

    def launch(self, args: Any, griddim: Any, blockdim: Any, stream: int = 0, sharedmem: int = 0) -> None:
        tape, compiled = self.tape(), self.compiled
        after: list[Callable[[], object]] = []
        values: list[Any] = []
        for kind, value in zip(self.argument_types, args, strict=True):
            self._prepare_args(kind, value, stream, after, values)
        handle = tape.kernel(self.py_func.__name__, compiled.symbol, compiled.parameter_bytes, compiled.ptx, self.cubin())
        packed = [_packed(value, size) for value, size in zip(values, compiled.parameter_bytes, strict=True)]
        tape.launch(handle, griddim, blockdim, packed, sharedmem, stream, cooperative=self.cooperative)
        for write_back in after:
            write_back()

    def _prepare_args(self, ty: Any, val: Any, stream: int, retr: Any, kernelargs: list[Any]) -> None:
        """Appends an argument's parameters. An array of the host is copied to the device and back, as numba does."""
        if isinstance(ty, (types.Array, types.Record)):
            hint = wrap_arg(val)
            host, copied = hint.value, not isinstance(hint, Out) or hint.copy_input
            array, new = devicearray.auto_device(device_array(host), copy=copied)
            if new and isinstance(hint, Out):
                retr.append(lambda: array.copy_to_host(host))
            if isinstance(ty, types.Record):
                kernelargs.append(array.device_ctypes_pointer.value or 0)
                return
            val = In(array)
        super()._prepare_args(ty, val, stream, retr, kernelargs)

    def cubin(self) -> bytes:
        """Machine code for the device; none where the emulator runs the PTX."""
        compiled = self.compiled
        if not self.tape().machine_code:
            return b""
        if not compiled.cubins:
            linker = cuda_driver._Linker(compiled.max_registers, lineinfo=True, cc=_target(), lto=False)
            linker.add_ptx(compiled.ptx.encode())
            compiled.cubins.append(bytes(linker.complete().code))
        return compiled.cubins[0]

    def attributes(self) -> _Attributes:
        """What cudaFuncGetAttributes would tell; without machine code, the registers are those of a small kernel."""
        ptx, device = self.compiled.ptx, self.tape().device
        found = [int.from_bytes(count, "little") for count in _REGISTER_COUNT.findall(self.cubin())]
        registers = max(found, default=_WARP)
        bound = re.search(r"\.maxntid\s+(\d+)(?:,\s*(\d+))?(?:,\s*(\d+))?", ptx)
        fitting = device.attributes.get(REGISTERS_PER_BLOCK, 65536) // registers // _WARP * _WARP
        threads = min(device.attributes.get(THREADS_PER_BLOCK, 1024), fitting)
        if bound:
            threads = min(threads, math.prod(int(size or 1) for size in bound.groups()))
        sizes = [_declared(ptx, space) for space in ("shared", "local", "const")]
        return _Attributes(registers, *sizes, threads)


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
    if not isinstance(error, (errors.NumbaError, errors.UnsupportedBytecodeError)):
        return None
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in", "File ", "^", "<source"))]
    places = _PLACE.findall(str(error))
    line = int(places[-1][1]) if places else getattr(getattr(error, "loc", None), "line", 0) or 0
    return (said[0] if said else type(error).__name__), line


def parameter_bytes(ptx: str, symbol: str) -> tuple[int, ...]:
    """The size in bytes of each parameter of a kernel."""
    entry = ptx[re.search(rf"\.entry\s+{re.escape(symbol)}\b", ptx).end() :]  # type: ignore[union-attr]
    head = entry[: entry.index("{")]
    return tuple(int(bits) // 8 * int(count or 1) for bits, count in _PARAMETER.findall(head))


def _of_dispatcher(*names: str) -> list[Any]:
    """numba's own methods, also where a driver was installed before."""
    kind = dispatcher.CUDADispatcher
    kept = kind.__dict__.get("kgrade_usual") or {name: getattr(kind, name) for name in names}
    kind.kgrade_usual = kept
    return [kept[name] for name in names]


def _key(py_func: Any, argtypes: Any, options: dict[str, Any]) -> tuple[Any, ...] | None:
    """All that decides what comes of a kernel; None if that can't be told."""
    try:
        plain = sorted((name, repr(value)) for name, value in options.items() if name not in ("link", "extensions"))
        if options.get("link"):
            return None
        return "numba", fingerprint(py_func, _unwrapped), repr(argtypes), tuple(plain), _target()
    except Unknown:
        return None


def _unwrapped(value: Any) -> Any:
    """What decides about an object of numba that a kernel names."""
    if isinstance(value, dispatcher.CUDADispatcher):
        options = sorted((name, repr(one)) for name, one in value.targetoptions.items())
        return "dispatcher", value.py_func, options
    if isinstance(value, types.Type):
        return "type", repr(value)
    if isinstance(value, devicearray.DeviceNDArrayBase):
        return "device array", value.device_ctypes_pointer.value, value.shape, value.strides, str(value.dtype)
    module = type(value).__module__ or ""
    if module.startswith("numba.") and hasattr(value, "__name__"):
        return "numba's", value.__module__, value.__name__
    return value


def _target() -> tuple[Any, ...]:
    major, minor = devices.get_context().device.compute_capability
    return (major, minor, "a" if (major, minor) >= (9, 0) else "")


def _linked(library: Any, registers: int | None) -> str:
    """The PTX of a kernel and of the CUDA C++ that it calls, linked as LTO-IR."""
    linker = cuda_driver._Linker(registers, lineinfo=True, cc=_target(), lto=True)
    library._link_all(linker, _target(), ignore_nonlto=False)
    return str(linker.get_linked_ptx().decode().strip("\0"))


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


def _declared(ptx: str, space: str) -> int:
    """The bytes that a text declares in a state space."""
    return sum(int(bits) // 8 * int(count) for bits, count in re.findall(_DECLARED % re.escape(space), ptx))
