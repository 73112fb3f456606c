"""Parses the JSON frames of a recorder process, with bounds on everything: steps, questions, the end of a recording.

Hostile code shares that process and may write anything, so no length, number or name is trusted here. Whether the
steps make sense is checked by grader.plan.validate.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.core.plan import (
    ALL_STREAMS,
    TENSOR_MAP_BYTES,
    Copy,
    Free,
    Launch,
    Memset,
    PlacedTensorMap,
    RecordEvent,
    Step,
    Synchronize,
    TensorMap,
    Upload,
    WaitEvent,
)
from grader.core.report import Dim3
from grader.sandbox.children import json_text

FRAME_LIMIT = 160 << 20
"""Largest frame in bytes: a single upload of 64 MiB in hexadecimal, and some room."""
TOTAL_LIMIT = 320 << 20
"""Largest total of all frames of one recording, in bytes."""

_MOST_VALUES = 1 << 20
"""JSON values in one frame; a recorder's batches have some ten thousand."""
_LARGEST_MIXED = 4 << 20
"""Bytes. A larger frame must be one upload in hexadecimal, all ASCII: a single other character makes Python store
the text with up to four bytes per character."""

_WORD = 2**64 - 1
_INT = 2**31 - 1
_TEXT_LIMIT = 2000
_DIGITS = 20


class Malformed(Exception):
    """A frame that no recorder sends, so the submission wrote it."""


class Hurried(Exception):
    """No frame arrived in time."""


@dataclass(frozen=True)
class Recorded:
    """A step and the call stack that led to it: offsets in the submission's library, innermost first."""

    step: Step
    at: tuple[int, ...]


@dataclass(frozen=True)
class CallError:
    """A runtime call that returned an error: CUDA's code, name and text, and in `message` what was wrong.

    `earlier` is the call stack of the earlier call that is to blame, such as the cudaFree() of the memory.
    """

    call: str
    code: int
    name: str
    words: str
    message: str
    at: tuple[int, ...]
    earlier: tuple[int, ...] = ()


class Line:
    """The judge's end of the channel: receives whole frames, within limits on time (seconds) and bytes."""

    def __init__(self, channel: socket.socket, seconds: float) -> None:
        self._channel = channel
        self._until = time.monotonic() + seconds
        self._left = TOTAL_LIMIT

    def receive(self) -> dict[str, Any] | None:
        """Returns the next frame, None if the process has closed its end. Raises Hurried, Malformed."""
        header = self._read(4)
        if header is None:
            return None
        (size,) = struct.unpack("<I", header)
        if size > min(FRAME_LIMIT, self._left):
            raise Malformed(f"a frame of {size} bytes")
        self._left -= size
        payload = self._read(size)
        return None if payload is None else parse(payload)

    def send(self, payload: bytes) -> None:
        """Sends an answer. If the process has ended, the next `receive` shows it. Raises Hurried."""
        try:
            self._channel.settimeout(self._remaining())
            self._channel.sendall(struct.pack("<I", len(payload)) + payload)
        except TimeoutError as error:
            raise Hurried from error
        except OSError:
            return

    def wait_longer(self, seconds: float) -> None:
        """Extends the deadline by the time that the judge itself took."""
        self._until += seconds

    def _read(self, size: int) -> bytes | None:
        data = bytearray()
        while len(data) < size:
            try:
                self._channel.settimeout(self._remaining())
                piece = self._channel.recv(min(size - len(data), 1 << 20))
            except TimeoutError as error:
                raise Hurried from error
            except OSError:
                return None
            if not piece:
                return None
            data += piece
        return bytes(data)

    def _remaining(self) -> float:
        remaining = self._until - time.monotonic()
        if remaining <= 0:
            raise Hurried
        return remaining


def parse(payload: bytes, largest_mixed: int = _LARGEST_MIXED) -> dict[str, Any]:
    """Parses one frame. Raises Malformed if it is no JSON object or holds fractions or numbers beyond 64 bits."""
    if len(payload) > largest_mixed and (not payload.isascii() or b"\\" in payload):
        raise Malformed("a large frame that is no upload")
    try:
        text = json_text(payload, _MOST_VALUES)
        frame = json.loads(text, parse_int=_short, parse_float=_refused, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise Malformed("no JSON of a recorder") from error
    if not isinstance(frame, dict):
        raise Malformed("no JSON object")
    return frame


def parse_steps(frame: Mapping[str, Any], most: int) -> list[Recorded]:
    """Parses a batch of at most `most` steps. Raises Malformed."""
    return [Recorded(parse_step(_object(fields)), places(fields)) for fields in _list(frame, "steps", most)]


def parse_step(fields: Mapping[str, Any]) -> Step:
    """Parses one step of the plan. Raises Malformed."""
    make = _STEPS.get(text(fields, "op"))
    if make is None:
        raise Malformed("a step that no recorder sends")
    step: Step = make(fields)
    return step


def parse_error(fields: Any) -> CallError:
    fields = _object(fields)
    name, words, message = (text(fields, key) for key in ("name", "words", "message"))
    earlier = _numbers(fields, "earlier", _WORD, 8) if "earlier" in fields else ()
    return CallError(text(fields, "call"), number(fields, "code", _INT), name, words, message, places(fields), earlier)


def parse_errors(frame: Mapping[str, Any], most: int = 64) -> tuple[CallError, ...]:
    return tuple(parse_error(fields) for fields in _list(frame, "errors", most))


def places(fields: Mapping[str, Any]) -> tuple[int, ...]:
    return _numbers(fields, "at", _WORD, 8)


def text(fields: Mapping[str, Any], key: str) -> str:
    """A text to show: cut to a length, and without control characters. Raises Malformed."""
    value = fields.get(key, "")
    if not isinstance(value, str):
        raise Malformed(f"{key} is no text")
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in value[:_TEXT_LIMIT])


def number(fields: Mapping[str, Any], key: str, most: int = _WORD) -> int:
    return _number(fields.get(key), key, most)


def stream(fields: Mapping[str, Any]) -> int:
    return number(fields, "stream", _INT)


def _launch(fields: Mapping[str, Any]) -> Launch:
    arguments = tuple(_bytes(value) for value in _list(fields, "arguments", 4096))
    return Launch(
        kernel=_name(fields, "kernel"),
        grid=_dim3(fields, "grid"),
        block=_dim3(fields, "block"),
        shared_bytes=number(fields, "shared", _INT),
        arguments=arguments,
        stream=stream(fields),
        cooperative=fields.get("cooperative") is True,
        cluster=_dim3(fields, "cluster"),
        tensor_maps=tuple(_placed_map(_object(placed), arguments) for placed in _list(fields, "tensor_maps", 256)),
    )


def _placed_map(fields: Mapping[str, Any], arguments: Sequence[bytes]) -> PlacedTensorMap:
    argument = number(fields, "argument", len(arguments) - 1)
    offset = number(fields, "offset", len(arguments[argument]) - TENSOR_MAP_BYTES)
    given = _object(fields.get("map"))
    rank = number(given, "rank", 5)
    if rank < 1:
        raise Malformed("a tensor map of rank 0")
    tensor_map = TensorMap(
        dtype=number(given, "dtype", 255),
        rank=rank,
        address=number(given, "address"),
        dims=_numbers(given, "dims", 2**32, rank, rank),
        strides=_numbers(given, "strides", 2**40, rank - 1, rank - 1),
        box=_numbers(given, "box", 256, rank, rank),
        element_strides=_numbers(given, "element_strides", 8, rank, rank),
        **{key: number(given, key, 255) for key in ("interleave", "swizzle", "l2", "oob")},
    )
    return PlacedTensorMap(argument, offset, tensor_map)


_STEPS: Mapping[str, Any] = {
    "launch": _launch,
    "memset": lambda f: Memset(number(f, "address"), number(f, "value", 255), number(f, "size"), stream(f)),
    "copy": lambda f: Copy(number(f, "target"), number(f, "source"), number(f, "size"), stream(f)),
    "upload": lambda f: Upload(number(f, "target"), _bytes(f.get("data")), stream(f)),
    "free": lambda f: Free(number(f, "address"), stream=stream(f)),
    "record_event": lambda f: RecordEvent(number(f, "event", _INT), stream(f)),
    "wait_event": lambda f: WaitEvent(number(f, "event", _INT), stream(f)),
    "sync_event": lambda f: WaitEvent(number(f, "event", _INT), ALL_STREAMS),
    "sync_stream": lambda f: Synchronize(stream(f)),
    "sync_device": lambda f: Synchronize(ALL_STREAMS),
}


def _short(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError("a number beyond 64 bits")
    return int(digits)


def _refused(digits: str) -> float:
    raise ValueError(f"{digits[:_DIGITS]} is no whole number")


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Malformed("no JSON object")
    return value


def _list(fields: Mapping[str, Any], key: str, most: int) -> list[Any]:
    value = fields.get(key)
    if not isinstance(value, list) or len(value) > most:
        raise Malformed(f"{key} is no list of at most {most}")
    return value


def _number(value: Any, key: str, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise Malformed(f"{key} is no number from 0 to {most}")
    return value


def _numbers(fields: Mapping[str, Any], key: str, most: int, count: int, least: int = 0) -> tuple[int, ...]:
    values = _list(fields, key, count)
    if len(values) < least:
        raise Malformed(f"{key} has fewer than {least} numbers")
    return tuple(_number(value, key, most) for value in values)


def _dim3(fields: Mapping[str, Any], key: str) -> Dim3:
    x, y, z = _numbers(fields, key, _INT, 3, 3)
    return (x, y, z)


def _name(fields: Mapping[str, Any], key: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str):
        raise Malformed(f"{key} is no name")
    return value


def _bytes(value: Any) -> bytes:
    # bytes.fromhex() alone would skip spaces.
    if not isinstance(value, str) or (value and not value.isalnum()):
        raise Malformed("no hexadecimal bytes")
    try:
        return bytes.fromhex(value)
    except ValueError as error:
        raise Malformed("no hexadecimal bytes") from error
