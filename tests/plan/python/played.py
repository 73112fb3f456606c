"""A worker in a process of its own, whose judge gives addresses and keeps the bytes of the device's memory.

Of kernels it runs those that copy between strides. Called as a program, it reads a question and writes an answer.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import struct
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from grader.plan.device_table import EMULATED
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


def record(text: str, shape: tuple[int, ...] = (8,)) -> dict[str, Any]:
    """Records solve(x, n) of this text with an array of floats 0, 1, 2, … and its first size.

    The answer has the last frame of each request, the steps, the kernels' names, what was printed, and the array after
    all steps.
    """
    require("torch", "triton")
    question = json.dumps({"text": text, "shape": shape})
    # What is compiled is written to the working directory, which is a folder of its own in the sandbox.
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "tests.plan.python.played"],
            input=question,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": folder},
        )
    assert done.returncode == 0, done.stderr[-3000:]
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


class Judge:
    """Answers a worker. `pieces` are the bytes of the device's memory by address."""

    def __init__(self) -> None:
        self.pieces: dict[int, bytearray] = {}
        self.steps: list[dict[str, Any]] = []
        self.kernels: list[str] = []
        self._asked: Mapping[str, Any] = {}

    def send(self, message: Mapping[str, Any]) -> None:
        self._asked = message
        if message["op"] == "kernel":
            self.kernels.append(message["name"])
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
    from grader.plan.python.child import Worker

    question = json.load(sys.stdin)
    judge = Judge()
    device = {
        "name": EMULATED.name,
        "memory": EMULATED.total_memory,
        "attributes": {str(number): value for number, value in EMULATED.attributes.items()},
    }
    worker = Worker(judge)
    worker.load("triton", {}, "")
    answer: dict[str, Any] = {"opened": worker.open(question["text"], "mine.py", ["x", "n"], device)}
    if answer["opened"]["op"] == "end":
        shape = question["shape"]
        address = judge.place(bytearray(np.arange(math.prod(shape), dtype=np.float32).tobytes()))
        array = {"name": "x", "dtype": "float32", "shape": shape, "address": address}
        size = {"name": "n", "kind": "int64", "value": shape[0]}
        answer["solved"] = worker.solve([array, size], device, False)
        answer["solved"].pop("kept")
        answer["x"] = np.frombuffer(judge.pieces[address], np.float32).tolist()
    print(json.dumps({**answer, "steps": judge.steps, "kernels": judge.kernels}))


if __name__ == "__main__":
    main()
