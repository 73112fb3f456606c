"""Stands in for the GPU's process under memcheck: writes what memcheck would have written about such a run."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import numpy as np

from grader.problem import load_problem
from grader.sandbox.serving import serve, shared_memory

FINDING = """\
========= Invalid __global__ read of size 4 bytes
=========     at _Z10map_kernelPKfPfi+0x1b0 in mine.cu:4
=========     by thread ({},0,0) in block (0,0,0)
=========     Address {:#x} is out of bounds
=========     and is {} bytes after the nearest allocation at 0x10000000000 of size 32 bytes
=========
"""
INPUT = 1 << 40


class Watched:
    def __init__(self):
        self.outputs = shared_memory()
        self.log = Path(os.environ["TMPDIR"]) / "log"

    def __call__(self, request):
        return getattr(self, request["do"])(request)

    def open(self, request):
        self.problem = load_problem(Path(request["folder"]))
        return {}

    def load(self, request):
        self.symbols = request["symbols"]
        return {"kernels": [{"name": name} for name in self.symbols]}

    def prepare(self, request):
        return {"addresses": {"input": INPUT, "output": 2 * INPUT}}

    def execute(self, request):
        what = next(iter(self.symbols))
        if what == "findings":
            threading.Thread(target=self.find, daemon=True).start()
        if what == "trouble":
            self.write("========= Internal Sanitizer Error: The Sanitizer did not track the launch.\n")
        if what == "no log":
            self.log.unlink()
        if what in ("findings", "trap", "trouble"):
            return {"status": "fault", "fault": {"fault": "trap", "message": "CUDA stopped the kernel"}}
        if what == "refused":
            return {"status": "fault", "fault": {"fault": "launch_failure", "message": "CUDA refuses"}}
        if what == "endless":
            return {"status": "limit", "seconds": 1.0}
        os.pwrite(self.outputs, np.arange(8, dtype=np.float32).tobytes(), 0)
        return {"status": "done", "outputs": {"output": 0}}

    def find(self):
        # Later than the answer, and in pieces: it is another process that writes the log.
        time.sleep(0.3)
        for thread in (9, 8):
            text = FINDING.format(thread, INPUT + 4 * thread, 4 * thread - 31)
            for part in (text[:100], text[100:]):
                self.write(part)
                time.sleep(0.05)

    def write(self, text):
        with self.log.open("a") as file:
            file.write(text)


if __name__ == "__main__":
    serve(Watched())
