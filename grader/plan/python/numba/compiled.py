"""What numba compiled of a kernel: its PTX, for a GPU a cubin as well, and what both tell of it.

All of it is made in this process: libnvvm makes the PTX, nvJitLink the cubin. A kernel that calls CUDA C++, as half
precision and the grid's barrier do, is linked with that from LTO-IR, which NVRTC makes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numba.cuda import dispatcher, types
from numba.cuda.cudadrv import devicearray, devices
from numba.cuda.cudadrv import driver as cuda_driver
from numba.cuda.cudadrv.linkable_code import CUSource

from grader.plan.python.numba.fingerprint import Unknown, fingerprint
from grader.plan.python.numba.functions import REGISTERS_PER_BLOCK, THREADS_PER_BLOCK
from grader.plan.python.tape import Device

_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.[a-z](\d+)\s+(?:\.ptr[^,\n)]*\s)?[\w$]+(?:\[(\d+)\])?")
_DECLARED = r"\.%s\s+(?:\.align\s+\d+\s+)?\.b(\d+)\s+[\w$]+\[(\d+)\]"
_BOUND = re.compile(r"\.maxntid\s+(\d+)(?:,\s*(\d+))?(?:,\s*(\d+))?")
_REGISTER_COUNT = re.compile(rb"\x04\x2f\x08\x00.{4}(.{4})", re.DOTALL)
"""EIATTR_REGCOUNT in a cubin's .nv.info: a symbol and its number."""
_EXTERNAL = re.compile(r"^\.extern \.func[^;]*?\b(\w+)\s*\n?\(", re.MULTILINE)
_KNOWN_EXTERNALS = {"vprintf", "malloc", "free", "__assertfail"}
_VERSION_FLAG = re.compile(r'i32 \d, !"Debug Info Version"')
_LANES = 32
_SMALL = 32
"""The registers of a thread where there is no machine code that tells."""
_GRID_GROUP = """
#include <cooperative_groups.h>
extern "C" __device__ unsigned long long cudaCGGetIntrinsicHandle(enum cudaCGScope scope) { return scope; }
extern "C" __device__ cudaError_t cudaCGSynchronize(unsigned long long handle, unsigned flags) {
    cooperative_groups::this_grid().sync();
    return cudaSuccess;
}
"""
"""What numba's grid group calls of CUDA's device runtime, by the barrier of CUDA C++: no library is needed then."""

Target = tuple[int, int, str]


@dataclass(frozen=True)
class Compiled:
    """One kernel for one list of types and one compute capability, its `target`."""

    ptx: str
    symbol: str
    parameter_bytes: tuple[int, ...]
    signature: Any
    cooperative: bool
    max_registers: int | None
    target: Target
    cubins: list[bytes] = field(default_factory=list)

    def cubin(self) -> bytes:
        """Its machine code, made when it is first asked for."""
        if not self.cubins:
            linker = cuda_driver._Linker(self.max_registers, lineinfo=True, cc=self.target, lto=False)
            linker.add_ptx(self.ptx.encode())
            self.cubins.append(bytes(linker.complete().code))
        return self.cubins[0]


@dataclass(frozen=True)
class Attributes:
    """A kernel's attributes by the names of cuda.core and of numba: sizes in bytes, `regs` of a thread."""

    regs: int
    shared: int
    local: int
    const: int
    maxthreads: int

    @property
    def max_threads_per_block(self) -> int:
        return self.maxthreads


def target() -> Target:
    """The compute capability to compile for, with the suffix that numba gives it."""
    major, minor = devices.get_context().device.compute_capability
    return major, minor, "a" if (major, minor) >= (9, 0) else ""


def key_of(py_func: Any, argtypes: Any, options: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """All that decides what comes of a kernel; None if that can't be told."""
    if options.get("link"):
        return None
    plain = sorted((name, repr(value)) for name, value in options.items() if name not in ("link", "extensions"))
    try:
        return "numba", fingerprint(py_func, _unwrapped), repr(argtypes), tuple(plain), target()
    except Unknown:
        return None


def finished(library: Any, symbol: str, signature: Any, options: Mapping[str, Any]) -> Compiled:
    """What is kept of the code library of a kernel that numba has just lowered."""
    registers, cooperative = options.get("max_registers"), library.use_cooperative
    ptx = library.get_asm_str()
    if cooperative:
        library._linking_files.add(CUSource(_GRID_GROUP, "grid_group.cu"))
        library.needs_cudadevrt = False
    if library._linking_files:
        ptx = _linked(library, registers)
    return Compiled(ptx, symbol, parameter_bytes(ptx, symbol), signature, cooperative, registers, target())


def missing(ptx: str) -> str:
    """The first function that a text calls and does not have; empty if there is none."""
    return min(set(_EXTERNAL.findall(ptx)) - _KNOWN_EXTERNALS, default="")


def parameter_bytes(ptx: str, symbol: str) -> tuple[int, ...]:
    """The size in bytes of each parameter of a kernel."""
    _, _, entry = ptx.partition(f".entry {symbol}(")
    head, _, _ = entry.partition("{")
    return tuple(int(bits) // 8 * int(count or 1) for bits, count in _PARAMETER.findall(head))


def attributes(compiled: Compiled, device: Device, machine_code: bool) -> Attributes:
    """What cudaFuncGetAttributes would tell; without machine code, the registers are those of a small kernel."""
    counts = _REGISTER_COUNT.findall(compiled.cubin()) if machine_code else []
    registers = max((int.from_bytes(count, "little") for count in counts), default=_SMALL)
    fitting = device.attributes.get(REGISTERS_PER_BLOCK, 65536) // max(registers, 1) // _LANES * _LANES
    threads = min(device.attributes.get(THREADS_PER_BLOCK, 1024), fitting)
    bound = _BOUND.search(compiled.ptx)
    if bound:
        threads = min(threads, math.prod(int(size or 1) for size in bound.groups()))
    shared, local, const = (_declared(compiled.ptx, space) for space in ("shared", "local", "const"))
    return Attributes(registers, shared, local, const, threads)


def _declared(ptx: str, space: str) -> int:
    """The bytes that a text declares in a state space."""
    return sum(int(bits) // 8 * int(count) for bits, count in re.findall(_DECLARED % space, ptx))


def _linked(library: Any, registers: int | None) -> str:
    """The PTX of a kernel and of the CUDA C++ that it calls, linked as LTO-IR."""
    linker = cuda_driver._Linker(registers, lineinfo=True, cc=target(), lto=True)
    # With lines, numba's modules and NVRTC's differ in what a linker should do about another version of debug
    # information, which it refuses. The version is the same.
    library._llvm_strs = [_VERSION_FLAG.sub(r'i32 1, !"Debug Info Version"', text) for text in library.llvm_strs]
    library._link_all(linker, target(), ignore_nonlto=False)
    return str(linker.get_linked_ptx().decode().strip("\0"))


def _unwrapped(value: Any) -> Any:
    """What decides about an object of numba that a kernel names."""
    if isinstance(value, dispatcher.CUDADispatcher):
        return "dispatcher", value.py_func, sorted((name, repr(one)) for name, one in value.targetoptions.items())
    if isinstance(value, types.Type):
        return "type", repr(value)
    if isinstance(value, devicearray.DeviceNDArrayBase):
        return "device array", value.device_ctypes_pointer.value, value.shape, value.strides, str(value.dtype)
    if (type(value).__module__ or "").startswith("numba.") and hasattr(value, "__name__"):
        return "numba's", value.__module__, value.__name__
    return value
