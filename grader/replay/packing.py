"""Traces packed for the store and for pages: a head in JSON, then the columns as bytes, compressed with gzip."""

from __future__ import annotations

import gzip
import json
import struct
import zlib
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.core.errors import JudgeError
from grader.replay import columns
from grader.replay.model import GLOBAL, SPACES, Accesses, Column, Steps, Variable, Waits
from grader.replay.trace import Trace

if TYPE_CHECKING:
    from cattrs import Converter

MAX_BYTES = 32 << 20
"""A trace before it is compressed: more is refused when a packed one is read."""
SMALL, QUICK = 6, 1
"""Levels of gzip: for keeping, and for another process that unpacks it at once."""
_GROUPS: dict[str, type] = {"steps": Steps, "reads": Accesses, "writes": Accesses, "waits": Waits}
_LENGTH = struct.Struct("<I")
_VALUE = "value"
"""The column of accesses that is stored by itself."""


def pack(trace: Trace, level: int = SMALL) -> bytes:
    """The trace as bytes; the same ones for the same trace."""
    arrays = tuple(replace(array, elements={}) for array in trace.arrays)
    head = _converter().unstructure(replace(trace, arrays=arrays))
    text = json.dumps(head, allow_nan=False, separators=(",", ":")).encode()
    pieces = [
        columns.column(getattr(getattr(trace, group), name)) for group, kind in _GROUPS.items() for name in _names(kind)
    ]
    indices = [np.array(list(array.elements), np.int64) for array in trace.arrays]
    bits = [np.array(list(array.elements.values()), np.uint64) for array in trace.arrays]
    first = replace(_first(trace, indices), value=np.concatenate([*bits, np.zeros(0, np.uint64)]))
    pieces += map(columns.column, indices)
    values = columns.values((first, trace.reads, trace.writes), trace.block_dim)
    return gzip.compress(b"".join((_LENGTH.pack(len(text)), text, *pieces, values)), level, mtime=0)


def unpack(data: bytes) -> Trace:
    """The inverse of `pack`. Raises JudgeError, also for more than MAX_BYTES."""
    reader = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        whole = reader.decompress(data, MAX_BYTES)
    except zlib.error as error:
        raise JudgeError(f"this is no packed replay: {error}") from error
    if not reader.eof:
        raise JudgeError(f"a replay is at most {MAX_BYTES:,} bytes unpacked, and whole")
    try:
        return _unpacked(whole)
    except Exception as error:
        raise JudgeError(f"this is no replay that this version of kgrade can read: {type(error).__name__}") from error


def _unpacked(whole: bytes) -> Trace:
    begin = _LENGTH.size + _LENGTH.unpack_from(whole)[0]
    trace = _converter().structure(json.loads(whole[_LENGTH.size : begin]), Trace)
    reader = columns.Reader(whole, begin)
    found = {group: kind(**{name: reader.column() for name in _names(kind)}) for group, kind in _GROUPS.items()}
    trace = replace(trace, **found)
    indices = [reader.column() for _ in trace.arrays]
    values = reader.values((_first(trace, indices), trace.reads, trace.writes), trace.block_dim)
    bits = np.split(values[0], np.cumsum([len(each) for each in indices]))
    arrays = tuple(
        replace(array, elements=dict(zip(index.tolist(), value.tolist(), strict=True)))
        for array, index, value in zip(trace.arrays, indices, bits[:-1], strict=True)
    )
    reads, writes = replace(trace.reads, value=values[1]), replace(trace.writes, value=values[2])
    return replace(trace, arrays=arrays, reads=reads, writes=writes)


def _first(trace: Trace, indices: Sequence[Column]) -> Accesses:
    """What arrays hold at first as accesses of nobody, without their values."""
    counts = [len(index) for index in indices]
    sizes = np.array([trace.types[array.type].size for array in trace.arrays], np.int64)
    size, target = np.repeat(sizes, counts), np.repeat(np.arange(len(counts)), counts)
    nobody = np.full(len(target), -1)
    places = np.concatenate([*indices, np.zeros(0, np.int64)]) * size
    return Accesses(nobody, nobody, nobody * 0 + SPACES.index(GLOBAL), target, places, size, call=nobody)


def _names(kind: type) -> list[str]:
    """The columns that are stored one by one, in order."""
    return [field.name for field in fields(kind) if field.name != _VALUE]


@lru_cache(maxsize=1)
def _converter() -> Converter:
    from cattrs import Converter
    from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

    converter = Converter(detailed_validation=False)
    for group in set(_GROUPS.values()):
        # What columns there are, for the page's script.
        converter.register_unstructure_hook(group, lambda columns: _names(type(columns)))
        converter.register_structure_hook(group, _no_columns)
    # JSON has no NaN or infinity: they are stored as strings that float() reads back.
    converter.register_unstructure_hook(float, lambda x: x if np.isfinite(x) else str(x))
    converter.register_structure_hook(float, lambda x, _: float(x))
    # Bits are written in hexadecimal: numbers in JSON lose those beyond 53.
    to, back = override(unstruct_hook=_to_hexadecimal), override(struct_hook=_from_hexadecimal)
    converter.register_unstructure_hook(Variable, make_dict_unstructure_fn(Variable, converter, initial=to))
    converter.register_structure_hook(Variable, make_dict_structure_fn(Variable, converter, initial=back))
    return converter


def _no_columns(names: list[str], kind: type) -> Any:
    """Columns that are still to be read. Raises ValueError for others than this version has."""
    if names != _names(kind):
        raise ValueError("columns of another version")
    return kind()


def _to_hexadecimal(bits: int | None) -> str | None:
    return None if bits is None else f"{bits:x}"


def _from_hexadecimal(bits: str | None, _: Any) -> int | None:
    return None if bits is None else int(bits, 16)
