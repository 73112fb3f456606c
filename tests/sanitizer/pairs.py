"""Runs the kernels of the pairs: how they are launched stands in their opening lines.

`// launch: GRID BLOCK` is the usual way to say it; the kernel is called k, and takes `out`, `in` and the length of
both, or between them `tmp`. More launches follow after commas: `GRID BLOCK NAME`; `cooperative` says so of one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from grader.run.emulator import LaunchResult, Limits, Memory, Module
from tests.emulator.harness import compile_ptx

SIZE = 1024
PATIENT = Limits(instructions=1 << 36)
"""Blocks that wait for others count what they execute meanwhile, which is much on a busy machine."""
FIXED = "#define FIXED\n#line 1\n"
_LAUNCH = re.compile(r"^// launch: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Launch:
    grid: int = 1
    block: int = 128
    kernel: str = "k"
    cooperative: bool = False


def launches(source: str) -> list[Launch]:
    found = _LAUNCH.search(source)
    return [_launch(part.split()) for part in found[1].split(",")] if found else [Launch()]


def _launch(words: list[str]) -> Launch:
    cooperative = "cooperative" in words
    names = [word for word in words[2:] if word != "cooperative"]
    return Launch(int(words[0]), int(words[1]), names[0] if names else "k", cooperative)


def run(source: str, name: str, workers: int | None = None) -> LaunchResult:
    """What the last launch came to, or the first that did not end well."""
    memory = Memory()
    out, tmp = (memory.place(n, np.zeros(SIZE, "f4"), written=False) for n in ("out", "tmp"))
    given = memory.place("in", np.arange(SIZE, dtype="f4"))
    if "atomicAdd(&out" in source:
        memory.wrote(out, 4 * SIZE)
    places = [out, given, tmp] if "float* tmp" in source else [out, given]
    arguments = [*(place.to_bytes(8, "little") for place in places), np.int32(SIZE).tobytes()]
    module = Module(compile_ptx(source, name), sanitize=True)
    for launch in launches(source):
        result = module.launch(
            launch.kernel,
            (launch.grid, 1, 1),
            (launch.block, 1, 1),
            arguments,
            memory,
            shared_bytes=4096,
            limits=PATIENT,
            workers=workers,
            cooperative=launch.cooperative,
        )
        if result.status != "done":
            break
    return result
