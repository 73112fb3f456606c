"""A worker in a process of its own, whose judge gives addresses and keeps the bytes of the device's memory.

Of kernels it runs those that copy between strides. Called as a program, it imports the languages once, and answers each
question, a line, in a fork of itself.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import math
import os
import signal
import struct
import subprocess
import sys
import traceback
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from grader.plan.device_table import EMULATED
from grader.plan.python.tape import MAJOR, MINOR
from grader.plan.python.torch.strided_copy import DIMENSIONS

ROOT = Path(__file__).parents[3]
ARRAYS = 1 << 40
STRIDE = 1 << 24
SECONDS = 120


def require(*packages: str) -> None:
    """Skips a test where one of these packages is missing."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"the Python package {package} is missing (pip install {package})")


def record(text: str, shape: tuple[int, ...] = (8,), gpu: tuple[int, int] | None = None) -> dict[str, Any]:
    """Records solve(x, n) of this text with an array of floats 0, 1, 2, … and its first size, for the emulator or for a
    GPU of this compute capability.

    The answer has the last frame of each request, the steps, the kernels' names, the notes, what was printed, and the
    array after all steps.
    """
    require("torch", "triton")
    # What is compiled is written to the working directory, which is a folder of its own in the sandbox.
    with TemporaryDirectory() as folder:
        server = _server()
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(json.dumps({"text": text, "shape": shape, "folder": folder, "gpu": gpu}) + "\n")
        server.stdin.flush()
        line = server.stdout.readline()
    answer: dict[str, Any] = json.loads(line)
    assert "failed" not in answer, answer["failed"]
    return answer


@lru_cache
def _server() -> subprocess.Popen[str]:
    """The process that answers this one's questions; it ends with its standard input."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.plan.python.played"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    atexit.register(server.communicate)
    return server


class Judge:
    """Answers a worker. `pieces` are the bytes of the device's memory by address."""

    def __init__(self) -> None:
        self.pieces: dict[int, bytearray] = {}
        self.steps: list[dict[str, Any]] = []
        self.kernels: list[str] = []
        self.notes: list[str] = []
        self._asked: Mapping[str, Any] = {}

    def send(self, message: Mapping[str, Any]) -> None:
        self._asked = message
        if message["op"] == "kernel":
            self.kernels.append(message["name"])
        if message["op"] == "note":
            self.notes.append(message["text"])
        for step in message.get("steps", ()):
            self.steps.append(step)
            getattr(self, f"_{step['op']}", lambda **_: None)(**step)

    def receive(self) -> dict[str, Any]:
        asked = self._asked
        if asked["op"] == "alloc":
            return {"payload": f"address {self.place(bytearray(b'?' * asked['size']))}".encode().hex()}
        return {"payload": bytes(self.at(asked["address"], asked["size"])).hex()}

    def place(self, data: bytearray) -> int:
        address = ARRAYS + STRIDE * len(self.pieces)
        self.pieces[address] = data
        return address

    def at(self, address: int, size: int) -> memoryview:
        base = address - (address - ARRAYS) % STRIDE
        offset = address - base
        assert 0 <= offset <= offset + size <= len(self.pieces[base]), "beyond the end"
        return memoryview(self.pieces[base])[offset : offset + size]

    def _memset(self, address: int, value: int, size: int, **_: Any) -> None:
        self.at(address, size)[:] = bytes([value]) * size

    def _copy(self, target: int, source: int, size: int, **_: Any) -> None:
        self.at(target, size)[:] = bytes(self.at(source, size))

    def _upload(self, target: int, data: str, **_: Any) -> None:
        self.at(target, len(data) // 2)[:] = bytes.fromhex(data)

    def _free(self, address: int, **_: Any) -> None:
        assert address in self.pieces

    def _launch(self, kernel: str, arguments: list[str], **_: Any) -> None:
        if not kernel.startswith("kgrade_copy_"):
            return
        item = int(kernel.removeprefix("kgrade_copy_").partition(".")[0]) // 8
        target, source, count, *rest = (struct.unpack("<q", bytes.fromhex(one))[0] for one in arguments)
        shape, to, of = rest[:DIMENSIONS], rest[DIMENSIONS : 2 * DIMENSIONS], rest[2 * DIMENSIONS :]
        assert math.prod(shape) == count
        for place in np.ndindex(*shape):
            a, b = (sum(i * step for i, step in zip(place, steps, strict=True)) for steps in (to, of))
            self.at(target + a, item)[:] = bytes(self.at(source + b, item))


def main() -> None:
    from grader.plan.python.triton.child import preload

    preload()
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            # In time even where a test's text hangs.
            signal.alarm(SECONDS)
            try:
                told = _answer(json.loads(line))
            except BaseException:
                told = {"failed": traceback.format_exc()[-3000:]}
            with os.fdopen(writing, "w") as pipe:
                json.dump(told, pipe)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            answer = pipe.read()
        _, status = os.waitpid(child, 0)
        print(answer or json.dumps({"failed": f"the fork ended with status {status}"}), flush=True)


def _answer(question: Mapping[str, Any]) -> dict[str, Any]:
    from grader.plan.python.child import Worker

    os.chdir(question["folder"])
    os.environ["HOME"] = question["folder"]
    judge = Judge()
    device: dict[str, Any] = {
        "name": EMULATED.name,
        "memory": EMULATED.total_memory,
        "attributes": {str(number): value for number, value in EMULATED.attributes.items()},
    }
    gpu = question["gpu"]
    if gpu is not None:
        device["attributes"] |= {str(MAJOR): gpu[0], str(MINOR): gpu[1]}
    worker = Worker(judge)
    worker.load("triton", {}, "", torch=False)
    answer: dict[str, Any] = {"opened": worker.open(question["text"], "mine.py", ["x", "n"], device)}
    if answer["opened"]["op"] == "end":
        shape = question["shape"]
        address = judge.place(bytearray(np.arange(math.prod(shape), dtype=np.float32).tobytes()))
        array = {"name": "x", "dtype": "float32", "shape": shape, "address": address}
        size = {"name": "n", "kind": "int64", "value": shape[0]}
        answer["solved"] = worker.solve([array, size], device, gpu is not None)
        answer["solved"].pop("kept")
        answer["x"] = np.frombuffer(judge.pieces[address], np.float32).tolist()
    return {**answer, "steps": judge.steps, "kernels": judge.kernels, "notes": judge.notes}


if __name__ == "__main__":
    main()
