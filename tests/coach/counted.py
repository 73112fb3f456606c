"""Small kernels, counted and looked through by the coach."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import numpy as np

from grader.coach.advice import Advice, Subject
from grader.coach.lines import by_line, total
from grader.coach.review import Review, review
from grader.coach.target import Resources
from grader.run.emulator import LaunchCounts, Memory, Module
from tests.emulator.harness import compile_ptx

LENGTH = 1 << 16


def run(body: str, block: tuple[int, int, int] = (256, 1, 1), grid: int = 4) -> LaunchCounts:
    """Launches a kernel of this body on arrays of floats; `t` is the thread's number in its row, `i` in the grid.

    The body's first line is line 3.
    """
    parameters = "const float* x, const float* z, float* y"
    head = f'extern "C" __global__ void k({parameters}) {{\n    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n'
    module = Module(compile_ptx(f"{head}{body}\n}}\n"), count=True)
    memory = Memory()
    addresses = [struct.pack("<Q", memory.place(name, np.ones(LENGTH, "f4"))) for name in ("x", "z", "y")]
    result = module.launch("k", (grid, 1, 1), block, addresses, memory)
    assert result.counts is not None and result.status == "done", result
    return result.counts


def reviewed(
    body: str,
    block: tuple[int, int, int] = (256, 1, 1),
    grid: int = 4,
    resources: Resources | None = None,
    row_lengths: Mapping[str, int] | None = None,
) -> Review:
    """All that the coach says of such a kernel."""
    counts = run(body, block, grid)
    threads = block[0] * block[1] * block[2]
    return review(
        Subject(by_line(counts), counts.arrays, total(counts.rows), resources, threads, dict(row_lengths or {}))
    )


def advised(body: str, kind: str, **options: object) -> list[Advice]:
    """Its advice of one kind."""
    return [one for one in reviewed(body, **options).advice if one.kind == kind]  # type: ignore[arg-type]
