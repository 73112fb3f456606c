"""Traces as JSON, and packed for the store and for pages."""

from __future__ import annotations

import gzip
import json
import zlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.core.errors import JudgeError
from grader.replay.model import Accesses, Bits, Column, GlobalArray, Steps, Variable, Waits
from grader.replay.trace import Trace

if TYPE_CHECKING:
    from cattrs import Converter

MAX_BYTES = 32 << 20
"""A trace's JSON: more is refused when a packed one is read."""


def to_json(trace: Trace) -> str:
    """The trace as JSON. A column is a list of numbers; `value`, which has 64 bits, one of hexadecimal strings."""
    return json.dumps(_converter().unstructure(trace), allow_nan=False, separators=(",", ":"))


def from_json(text: str) -> Trace:
    """The inverse of `to_json`. Raises JudgeError."""
    try:
        return _converter().structure(json.loads(text), Trace)
    except Exception as error:
        raise JudgeError(f"this is no replay that this version of kgrade can read: {type(error).__name__}") from error


SMALL, QUICK = 6, 1
"""Levels of gzip: for keeping, and for another process that unpacks it at once."""


def pack(trace: Trace, level: int = SMALL) -> bytes:
    """The JSON, compressed with gzip; the same bytes for the same trace."""
    return gzip.compress(to_json(trace).encode(), level, mtime=0)


def unpack(data: bytes) -> Trace:
    """The inverse of `pack`. Raises JudgeError, also for more than MAX_BYTES."""
    reader = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        text = reader.decompress(data, MAX_BYTES)
    except zlib.error as error:
        raise JudgeError(f"this is no packed replay: {error}") from error
    if not reader.eof:
        raise JudgeError(f"a replay is at most {MAX_BYTES:,} bytes unpacked, and whole")
    return from_json(text.decode("utf-8", "replace"))


@lru_cache(maxsize=1)
def _converter() -> Converter:
    from cattrs import Converter
    from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

    converter = Converter()
    for columns in (Steps, Accesses, Waits):
        converter.register_unstructure_hook(columns, _columns)
        converter.register_structure_hook(columns, _from_columns)
    # JSON has no NaN or infinity: they are stored as strings that float() reads back.
    converter.register_unstructure_hook(float, lambda x: x if np.isfinite(x) else str(x))
    converter.register_structure_hook(float, lambda x, _: float(x))
    # Bits are written in hexadecimal: numbers in JSON lose those beyond 53.
    to, back = override(unstruct_hook=_to_hexadecimal), override(struct_hook=_from_hexadecimal)
    converter.register_unstructure_hook(GlobalArray, make_dict_unstructure_fn(GlobalArray, converter, elements=to))
    converter.register_structure_hook(GlobalArray, make_dict_structure_fn(GlobalArray, converter, elements=back))
    converter.register_unstructure_hook(Variable, make_dict_unstructure_fn(Variable, converter, initial=to))
    converter.register_structure_hook(Variable, make_dict_structure_fn(Variable, converter, initial=back))
    return converter


def _columns(columns: Any) -> dict[str, list[int] | list[str]]:
    return {name: _column(column) for name, column in vars(columns).items()}


def _column(column: Column | Bits) -> list[int] | list[str]:
    return [f"{bits:x}" for bits in column.tolist()] if column.dtype == np.uint64 else column.tolist()


def _from_columns(data: Any, kind: type) -> Any:
    return kind(
        **{
            name: np.array([int(bits, 16) for bits in column], np.uint64)
            if name == "value"
            else np.array(column, np.int64)
            for name, column in data.items()
        }
    )


def _to_hexadecimal(bits: dict[int, int] | int | None) -> dict[str, str] | str | None:
    if isinstance(bits, dict):
        return {str(index): f"{each:x}" for index, each in bits.items()}
    return None if bits is None else f"{bits:x}"


def _from_hexadecimal(bits: dict[str, str] | str | None, _: Any) -> dict[int, int] | int | None:
    if isinstance(bits, dict):
        return {int(index): int(each, 16) for index, each in bits.items()}
    return None if bits is None else int(bits, 16)
