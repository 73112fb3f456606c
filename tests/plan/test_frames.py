"""Frames of a recorder, and those that no recorder sends."""

from __future__ import annotations

import json
import socket
import struct
import threading
import tracemalloc
from typing import Any

import pytest

from grader.core.plan import ALL_STREAMS, Copy, Free, Launch, Memset, Synchronize, Upload, WaitEvent
from grader.plan.frames import FRAME_LIMIT, Hurried, Line, Malformed, parse, parse_error, parse_step, parse_steps, text

LAUNCH: dict[str, Any] = {
    "op": "launch", "kernel": "k", "grid": [1, 2, 3], "block": [4, 5, 6], "shared": 7, "arguments": ["00ff", ""],
    "cooperative": True, "cluster": [0, 0, 0], "tensor_maps": [], "stream": 8, "at": [],
}  # fmt: skip
MAP = {
    "dtype": 7, "rank": 2, "address": 64, "dims": [4, 4], "strides": [16], "box": [4, 4], "element_strides": [1, 1],
    "interleave": 0, "swizzle": 0, "l2": 0, "oob": 0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "step"),
    [
        (LAUNCH, Launch("k", (1, 2, 3), (4, 5, 6), 7, (b"\0\xff", b""), 8, cooperative=True)),
        ({"op": "memset", "address": 1, "value": 255, "size": 3, "stream": 0}, Memset(1, 255, 3)),
        ({"op": "copy", "target": 1, "source": 2, "size": 3, "stream": 4}, Copy(1, 2, 3, 4)),
        ({"op": "upload", "target": 1, "data": "0a0b", "stream": 0}, Upload(1, b"\n\x0b")),
        ({"op": "free", "address": 2**64 - 1, "stream": 0}, Free(2**64 - 1)),
        ({"op": "sync_event", "event": 3}, WaitEvent(3, ALL_STREAMS)),
        ({"op": "sync_stream", "stream": 3}, Synchronize(3)),
        ({"op": "sync_device", "stream": 3}, Synchronize(ALL_STREAMS)),
    ],
)
def test_a_step(fields: dict[str, Any], step: object) -> None:
    assert parse_step(fields) == step


@pytest.mark.parametrize(
    "payload",
    [
        b'{"op":"steps","steps":[' + b"{}," * 1_100_000 + b"{}]}",
        b'{"op":"steps","steps":[' + b"999," * 1_100_000 + b"9]}",
        b'{"op":"' + "\U0001f600".encode() + b"a" * (5 << 20) + b'"}',
        b'{"op":"\\ud83d\\ude00' + b"a" * (5 << 20) + b'"}',
        '{"op":"end"}'.encode("utf-16"),
    ],
    ids=["objects", "numbers", "wide", "escaped", "utf-16"],
)
def test_a_frame_takes_little_more_memory_than_its_bytes(payload: bytes) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(Malformed):
            parse(payload)
        assert tracemalloc.get_traced_memory()[1] < 2 * len(payload) + (1 << 20)
    finally:
        tracemalloc.stop()
    assert len(parse(b'{"op":"upload","data":"' + b"0a" * (5 << 20) + b'"}')["data"]) == 10 << 20


def test_tensor_maps_of_a_launch() -> None:
    launch = parse_step(
        {**LAUNCH, "arguments": ["00" * 200], "tensor_maps": [{"argument": 0, "offset": 64, "map": MAP}]}
    )
    assert isinstance(launch, Launch)
    (placed,) = launch.tensor_maps
    assert (placed.argument, placed.offset, placed.tensor_map.strides) == (0, 64, (16,))


@pytest.mark.parametrize(
    "change",
    [
        {"op": "exec"},
        {"op": None},
        {"kernel": 3},
        {"grid": [1, 2]},
        {"grid": [1, 2, -1]},
        {"grid": [1, 2, True]},
        {"grid": [1, 2, 2**31]},
        {"block": "111"},
        {"shared": 2**31},
        {"stream": -1},
        {"arguments": ["0"]},
        {"arguments": ["0 0 "]},
        {"arguments": ["zz"]},
        {"arguments": [["00"]]},
        {"arguments": ["00"] * 5000},
        {"tensor_maps": [{"argument": 0, "offset": 0, "map": MAP}]},
        {"tensor_maps": [{"argument": 2, "offset": 0, "map": MAP}]},
        {"tensor_maps": [MAP]},
        {"arguments": ["00" * 128], "tensor_maps": [{"argument": 0, "offset": 0, "map": {**MAP, "rank": 0}}]},
        {"arguments": ["00" * 128], "tensor_maps": [{"argument": 0, "offset": 0, "map": {**MAP, "strides": []}}]},
        {"arguments": ["00" * 128], "tensor_maps": [{"argument": 0, "offset": 0, "map": {**MAP, "dims": [4, 2**33]}}]},
    ],
    ids=str,
)
def test_a_step_that_no_recorder_sends(change: dict[str, Any]) -> None:
    with pytest.raises(Malformed):
        parse_step({**LAUNCH, **change})


@pytest.mark.parametrize(
    "payload",
    [b"", b"[]", b"1", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 50_000, b'{"a":1.5}', b'{"a":NaN}', b'{"a":1e999}',
     b'{"a":' + b"9" * 5000 + b"}"],
)  # fmt: skip
def test_no_frame(payload: bytes) -> None:
    with pytest.raises(Malformed):
        parse(payload)


def test_more_steps_than_allowed() -> None:
    frame = {"steps": [{"op": "free", "address": 1, "stream": 0, "at": []}] * 3}
    assert len(parse_steps(frame, 3)) == 3
    with pytest.raises(Malformed):
        parse_steps(frame, 2)


def test_texts_can_be_shown() -> None:
    assert text({"m": "a\x1b[2Jb\u202e\n" + "x" * 5000}, "m").startswith("a?[2Jb?\nxxx")
    assert len(text({"m": "x" * 5000}, "m")) == 2000
    with pytest.raises(Malformed):
        parse_error({"call": "c", "code": -1, "at": []})


def frame(data: dict[str, Any]) -> bytes:
    payload = json.dumps(data).encode()
    return struct.pack("<I", len(payload)) + payload


@pytest.fixture
def ends() -> Any:
    judge, process = socket.socketpair()
    with judge, process:
        yield judge, process


def test_frames_in_pieces_and_the_end(ends: tuple[socket.socket, socket.socket]) -> None:
    judge, process = ends
    data = frame({"op": "end"})
    line = Line(judge, 5.0)

    def send() -> None:
        for i in range(len(data)):
            process.sendall(data[i : i + 1])

    sender = threading.Thread(target=send)
    sender.start()
    assert line.receive() == {"op": "end"}
    sender.join()
    process.sendall(data[:-1])
    process.close()
    assert line.receive() is None


def test_a_frame_too_long_is_not_waited_for(ends: tuple[socket.socket, socket.socket]) -> None:
    judge, process = ends
    process.sendall(struct.pack("<I", FRAME_LIMIT + 1))
    with pytest.raises(Malformed):
        Line(judge, 5.0).receive()


def test_silence_ends(ends: tuple[socket.socket, socket.socket]) -> None:
    judge, process = ends
    process.sendall(frame({"op": "end"})[:6])
    with pytest.raises(Hurried):
        Line(judge, 0.05).receive()
