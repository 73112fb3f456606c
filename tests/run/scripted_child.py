"""Stands in for the emulator's process: does what the program's image says, such as "crash" or "hang"."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from grader.plan.poison import Poison, make_poisoned
from grader.problem import load_problem
from grader.sandbox.serving import serve, shared_memory

FAULT = {
    "fault": "out_of_bounds",
    "message": "reads past the end",
    "line": 3,
    "access": "read",
    "array": "input",
    "index": 8,
    "extent": 8,
    "block": [0, 0, 0],
    "thread": [8, 0, 0],
    "threads": 2,
    "kernel": "map_kernel",
    "instruction": "ld.global.f32",
}


class Script:
    def __init__(self):
        self.outputs = shared_memory()
        self.image = ""

    def __call__(self, request):
        do = request["do"]
        if self.image == f"crash in {do}":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.image == f"kill in {do}":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.image == f"hang in {do}":
            time.sleep(600)
        if self.image == f"mistake in {do}":
            raise ValueError("a mistake of the judge's own")
        if self.image == f"memory in {do}":
            return {"error": "too much memory"}
        return getattr(self, do)(request)

    def open(self, request):
        if request.get("hang"):
            time.sleep(600)
        self.problem = load_problem(Path(request["folder"]))
        return {}

    def load(self, request):
        self.image = request["image"]
        return {"kernels": [{"name": name, "shared_bytes": 64} for name in request["symbols"]]}

    def translate(self, request):
        return {}

    def prepare(self, request):
        self.prepared = request
        return {"addresses": {"input": 1 << 40, "output": 2 << 40}}

    def execute(self, request):
        if self.image == "fault":
            return {"status": "fault", "fault": FAULT, "instructions": 5, "seconds": 0.1}
        if self.image == "limit":
            return {"status": "limit", "lines": [7, 0, 9], "instructions": 100, "seconds": 0.5}
        (output,) = self.problem.outputs.values()
        array = make_poisoned(output.shape(self.prepared["sizes"]), np.dtype("f4"), Poison(self.prepared["poison"]))
        array[0] = len(request["steps"])
        os.pwrite(self.outputs, b"gap-" + array.tobytes(), 0)
        return {
            "status": "done",
            "outputs": {"output": 4},
            "changed": {"input": [1]} if self.image == "changes" else {},
            "instructions": request["instructions"],
            "printed": "hello",
            "seconds": 0.25,
        }


if __name__ == "__main__":
    serve(Script())
