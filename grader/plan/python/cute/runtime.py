"""CUDA's runtime as CuTe DSL's compiled host code calls it: it has no device, and launches go to the tape.

The host part of a `@cute.jit` function is machine code that the DSL's execution engine makes in this process. It calls
a few functions by name; the engine takes these for them.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from grader.plan.python.tape import Tape

FAILED = 999
"""cudaErrorUnknown: what a call answers whose failure is raised once the host code has returned."""
COOPERATIVE, CLUSTER = 2, 4
"""The numbers of cudaLaunchAttributeID that a plan holds."""
TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN = 128, 64

_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)")
_PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+(\d+)\s+)?\.[a-z](\d+)\s+(?:\.ptr[^,\n]*?\s)?([\w$]+)(?:\[(\d+)\])?\s*(?:,|$)"
)
_LOAD = re.compile(r"\bld\.param(?:\.v(\d))?\.[a-z]+(\d+)\s[^\[;]*\[([\w$]+)(?:\+(\d+))?\]")
_POINTER, _INT, _LONG = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel: its size in bytes, and a mask that is 0xFF where the kernel reads and else 0."""

    size: int
    read: bytes

    def seen(self, value: bytes) -> bytes:
        """An argument without the bytes that no thread reads.

        Compiled host code leaves what it likes in the gaps of a structure, which may look like half an address.
        """
        return bytes(byte & mask for byte, mask in zip(value, self.read, strict=True))


@dataclass(frozen=True)
class Kernels:
    """What one compilation made: PTX, machine code where it was asked for, and by the symbol of each kernel the name
    of its function, the line that launches it, and its parameters."""

    ptx: str
    cubin: bytes
    names: Mapping[str, str]
    lines: Mapping[str, int]
    parameters: Mapping[str, Sequence[Parameter]]


def parameters_of(ptx: str) -> dict[str, list[Parameter]]:
    """The parameters of each `.entry` of a text, by the entry's symbol."""
    found = {}
    for entry in _ENTRY.finditer(ptx):
        body = ptx[entry.end() : ptx.find("\n}", entry.end())]
        loads: dict[str, list[tuple[int, int]]] = {}
        for count, bits, name, offset in _LOAD.findall(body):
            loads.setdefault(name, []).append((int(offset or 0), int(count or 1) * int(bits) // 8))
        found[entry[1]] = [
            _parameter(int(bits) // 8 * int(count or 1), int(align or 0), loads.get(name, []), _uses(name, body))
            for align, bits, name, count in _PARAMETER.findall(entry[2])
        ]
    return found


def _parameter(size: int, align: int, loads: Sequence[tuple[int, int]], uses: int) -> Parameter:
    if (size, align) == (TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN):
        # Host code itself encodes the half of it that is in use, from the address on.
        return Parameter(size, b"\xff" * (size // 2) + bytes(size // 2))
    if uses != len(loads):
        # Its address is taken: anything may be read.
        return Parameter(size, b"\xff" * size)
    read = bytearray(size)
    for offset, width in loads:
        read[offset : offset + width] = b"\xff" * width
    return Parameter(size, bytes(read))


def _uses(name: str, body: str) -> int:
    return len(re.findall(rf"\b{re.escape(name)}\b", body))


class _Config(ctypes.Structure):
    """cudaLaunchConfig_t."""

    _fields_ = (
        *(("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3)),
        *(("shared_bytes", _LONG), ("stream", _POINTER), ("attributes", _POINTER), ("count", ctypes.c_uint)),
    )


class _Attribute(ctypes.Structure):
    """cudaLaunchAttribute: a number and a union of 64 bytes."""

    _fields_ = (("id", _INT), ("padding", _INT), ("value", ctypes.c_uint * 16))


class HostRuntime:
    """The functions, and what they have handed out: libraries and kernels, by the numbers that stand for pointers."""

    def __init__(self, tape: Callable[[], Tape]) -> None:
        self._tape = tape
        self._loading: Kernels | None = None
        self._libraries: list[Kernels] = []
        self._kernels: list[tuple[Kernels, str]] = []
        self._failure: BaseException | None = None
        self._functions = {name: self._guarded(kinds, does) for name, (kinds, does) in self._table().items()}

    def bind(self, engine: Any) -> None:
        """Gives an execution engine the functions, before anything is looked up in it."""
        for name, function in self._functions.items():
            engine.raw_register_runtime(name, ctypes.cast(function, _POINTER))

    @contextmanager
    def loading(self, kernels: Kernels | None) -> Any:
        """What host code loads as a library within are these kernels."""
        self._loading = kernels
        try:
            yield
        finally:
            self._loading = None

    def check(self) -> None:
        """Raises what a call of the host code has raised, if one has: an exception can't cross machine code."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _guarded(self, kinds: Sequence[Any], does: Callable[..., None]) -> Any:
        def run(*given: Any) -> int:
            if self._failure is None:
                try:
                    does(*given)
                    return 0
                except BaseException as failure:
                    self._failure = failure
            return FAILED

        return ctypes.CFUNCTYPE(_INT, *kinds)(run)

    def _table(self) -> Mapping[str, tuple[Sequence[Any], Callable[..., None]]]:
        """The functions by name: the types of their arguments, and what they do."""
        p, i = _POINTER, _INT
        return {
            "_cudaLibraryLoadData": ((p, p, p, p, i, p, p, i), self._load),
            "_cudaLibraryGetKernel": ((p, p, ctypes.c_char_p), self._find),
            "_cudaLaunchKernelEx": ((p, p, p), self._launch),
            "_cudaKernelSetAttributeForDevice": ((p, i, i, i), _nothing),
            "_cudaFuncSetAttribute": ((p, i, i), _nothing),
            "_cuKernelGetAttribute": ((p, i, p, i), lambda value, *_: _store_int(value, 0)),
            "_cudaGetDevice": ((p,), lambda device: _store_int(device, 0)),
            "_cudaDeviceGetAttribute": ((p, i, i), self._attribute),
        }

    def _load(self, library: int, *_: Any) -> None:
        assert self._loading is not None
        self._libraries.append(self._loading)
        _store_long(library, len(self._libraries))

    def _find(self, kernel: int, library: int, symbol: bytes) -> None:
        self._kernels.append((self._libraries[library - 1], symbol.decode()))
        _store_long(kernel, len(self._kernels))

    def _launch(self, config: int, kernel: int, arguments: int) -> None:
        tape = self._tape()
        asked = _Config.from_address(config)
        kernels, symbol = self._kernels[kernel - 1]
        parameters = kernels.parameters[symbol]
        places = (_POINTER * len(parameters)).from_address(arguments) if parameters else ()
        values = [one.seen(ctypes.string_at(place, one.size)) for one, place in zip(parameters, places, strict=True)]
        attributes = (_Attribute * asked.count).from_address(asked.attributes) if asked.count else ()
        chosen = {one.id: one.value for one in attributes}
        tape.launch(
            tape.kernel(kernels.names[symbol], symbol, [one.size for one in parameters], kernels.ptx, kernels.cubin),
            list(asked.grid),
            list(asked.block),
            values,
            shared_bytes=asked.shared_bytes,
            stream=asked.stream or 0,
            cluster=list(chosen[CLUSTER][:3]) if CLUSTER in chosen else (0, 0, 0),
            cooperative=bool(COOPERATIVE in chosen and chosen[COOPERATIVE][0]),
            line=kernels.lines.get(symbol, 0),
        )

    def _attribute(self, value: int, number: int, _: int) -> None:
        _store_int(value, self._tape().device.attributes.get(number, 0))


def _nothing(*_: Any) -> None:
    """Nothing is loaded, so nothing has attributes."""


def _store_int(to: int, value: int) -> None:
    _INT.from_address(to).value = value


def _store_long(to: int, value: int) -> None:
    ctypes.c_uint64.from_address(to).value = value
