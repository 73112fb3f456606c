"""Reads facts about kernels from a GPU's machine code: parameter sizes, registers, shared and local memory.

A cubin is an ELF file whose `.nv.info` sections hold attributes. NVIDIA does not document them; their numbers are those
that `cuobjdump -elf` prints with names.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.compile.elf import ElfError, Symbol, by_name, read_sections, read_symbols

PARAMETER_LIMIT = 32764
"""Most bytes of a kernel's parameters, since compute capability 7.0 (CUDA C++ Programming Guide, __global__)."""

MOST_THREADS = 1024
_REGISTERS_AN_SM = 65536
_WARPS_TOGETHER = 4
"""Registers are allocated to this many warps at once, one per scheduler."""

_MAX_THREADS, _FRAME_SIZE, _PARAMETER, _PARAMETER_BYTES, _REGISTERS, _PARAMETER_V2 = 0x05, 0x11, 0x17, 0x19, 0x2F, 0x45
"""The second form of the parameter attribute is for kernels with more than 4 KB of parameters."""
_CLUSTER = 0x3D

ATTRIBUTES_LIMIT = 1 << 20
"""Bytes of one section of attributes: 8,000 parameters of a kernel take an eighth. In memory each byte takes forty."""

_FIXED_FORMATS = (1, 2, 3)
"""An attribute's value has two bytes in these formats; in format 4 its size is stored with it."""

_SYSTEM_SHARED = 1024
"""Bytes of shared memory that CUDA itself reserves from compute capability 9.0 on, included in the section's size."""

_ENTRY = 0x10
"""Flag in a symbol's st_other: the function is a kernel."""


@dataclass(frozen=True)
class KernelFacts:
    """One kernel as compiled for a GPU; `shared_bytes` is static shared memory.

    `max_threads` is the largest block, by __launch_bounds__ and by registers. `cluster` is from __cluster_dims__,
    zeros if not given.
    """

    symbol: str
    parameter_bytes: tuple[int, ...]
    registers: int
    shared_bytes: int
    local_bytes: int
    max_threads: int
    cluster: tuple[int, int, int] = (0, 0, 0)


def read_cubin(data: bytes) -> Mapping[str, KernelFacts]:
    """Returns the kernels of a cubin by symbol. Raises ElfError."""
    named = by_name(read_sections(data))
    if ".symtab" not in named or ".strtab" not in named:
        raise ElfError("no symbols")
    symbols = list(read_symbols(named[".symtab"], named[".strtab"]))
    info = list(_attributes(named[".nv.info"].data)) if ".nv.info" in named else []
    registers, frames = (_of_functions(info, symbols, wanted) for wanted in (_REGISTERS, _FRAME_SIZE))
    reserved = _SYSTEM_SHARED if ".nv.shared.reserved.0" in named else 0
    found = {}
    entries = dict.fromkeys(one.name for one in symbols if one.other & _ENTRY and f".text.{one.name}" in named)
    for symbol in entries:
        own = named.get(f".nv.info.{symbol}")
        shared = named.get(f".nv.shared.{symbol}")
        attributes = list(_attributes(own.data)) if own else []
        count = registers.get(symbol, 0)
        found[symbol] = KernelFacts(
            symbol=symbol,
            parameter_bytes=_parameters(attributes),
            registers=count,
            shared_bytes=max(0, shared.size - reserved) if shared else 0,
            local_bytes=frames.get(symbol, 0),
            max_threads=min(_launch_bound(attributes), _threads_by_registers(count)),
            cluster=_cluster(attributes),
        )
    return found


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    if len(data) > ATTRIBUTES_LIMIT:
        raise ElfError(f"{len(data)} bytes of attributes")
    place = 0
    while place + 4 <= len(data):
        form, number, length = struct.unpack_from("<BBH", data, place)
        if form in _FIXED_FORMATS:
            yield number, data[place + 2 : place + 4]
            place += 4
        elif form == 4 and place + 4 + length <= len(data):
            yield number, data[place + 4 : place + 4 + length]
            place += 4 + length
        else:
            raise ElfError(f"an attribute of format {form} and {length} bytes")


def _parameters(attributes: list[tuple[int, bytes]]) -> tuple[int, ...]:
    total = next((int.from_bytes(value[:4], "little") for number, value in attributes if number == _PARAMETER_BYTES), 0)
    rows = sorted(_parameter(*one) for one in attributes if one[0] in (_PARAMETER, _PARAMETER_V2))
    if total > PARAMETER_LIMIT or [ordinal for ordinal, _, _ in rows] != list(range(len(rows))):
        raise ElfError(f"{len(rows)} parameters of {total} bytes")
    end = 0
    for _, offset, size in rows:
        if offset < end or offset + size > total:
            raise ElfError(f"a parameter of {size} bytes at {offset} of {total} bytes")
        end = offset + size
    return tuple(size for _, _, size in rows)


def _parameter(number: int, value: bytes) -> tuple[int, int, int]:
    """Returns (ordinal, offset, size) of a parameter."""
    if len(value) != 12:
        raise ElfError(f"a parameter's attribute of {len(value)} bytes")
    if number == _PARAMETER_V2:
        _, ordinal, offset, size, _ = struct.unpack("<IHHHH", value)
        return ordinal, offset, size
    _, ordinal, offset, word = struct.unpack("<IHHI", value)
    return ordinal, offset, word >> 18


def _of_functions(info: list[tuple[int, bytes]], symbols: list[Symbol], wanted: int) -> dict[str, int]:
    """Returns the values of a per-function attribute in the file's global section, by the function's symbol."""
    found = {}
    for number, value in info:
        if number == wanted and len(value) == 8:
            index, amount = struct.unpack("<II", value)
            if index >= len(symbols):
                raise ElfError(f"symbol {index} of {len(symbols)}")
            found[symbols[index].name] = amount
    return found


def _launch_bound(attributes: list[tuple[int, bytes]]) -> int:
    bounds = [struct.unpack("<III", v) for number, v in attributes if number == _MAX_THREADS and len(v) == 12]
    return min((x * y * z for x, y, z in bounds), default=MOST_THREADS)


def _cluster(attributes: list[tuple[int, bytes]]) -> tuple[int, int, int]:
    fixed = (struct.unpack("<III", value) for number, value in attributes if number == _CLUSTER and len(value) == 12)
    x, y, z = next(fixed, (0, 0, 0))
    return x, y, z


def _threads_by_registers(registers: int) -> int:
    each = max(1, -(-registers // 8)) * 8 * 32
    warps = _REGISTERS_AN_SM // each // _WARPS_TOGETHER * _WARPS_TOGETHER
    return min(MOST_THREADS, 32 * warps)
