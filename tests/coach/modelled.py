"""Small kernels with what explain says of them: counted with few blocks, and sampled for the model with many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from grader.coach.advice import Advice, Subject
from grader.coach.coach import Explanation, KernelExplanation
from grader.coach.gains import with_gains
from grader.coach.lines import by_line, total
from grader.coach.review import review
from grader.compile.cubin import KernelFacts
from grader.core.verdict import Form, Verdict
from grader.model.calibration import calibration_of
from grader.model.device import SamplingDevice
from grader.model.gpus import gpu_named
from grader.model.model import Sampled, TimedLaunch, time_of_launches, timed_launches
from grader.model.sampling import read_launches
from grader.run import emulator
from grader.run.emulated_device import EmulatedDevice
from grader.run.emulator.counts import LaunchCounts
from tests.emulator.harness import compile_ptx

LENGTH = 1 << 22
HEAD = "#include <cuda_fp16.h>\n#include <mma.h>\n"
SMALL = (2, 2, 1)
"""The grid that is counted."""


@dataclass(frozen=True)
class Sketch:
    """Kernels that are launched in their order, all with the same grid and block; `source` has a `k` each.

    Parameters are x, z, y: arrays of floats. What a kernel takes of an SM is told, since nothing is assembled.
    """

    source: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int] = (256, 1, 1)
    names: tuple[str, ...] = ("k",)
    shared_bytes: int = 0
    registers: int = 32
    length: int = LENGTH
    """Of y."""


@cache
def timed(sketch: Sketch, gpu: str = "H200") -> tuple[TimedLaunch, ...]:
    """Its launches with their model times."""
    image, symbols = _compiled(sketch)
    device = SamplingDevice(image, symbols, emulator.Objects())
    _run(device, sketch, sketch.grid)
    shared = {one["name"]: one["shared_bytes"] for one in device.describe()}
    facts = {n: KernelFacts(n, (8, 8, 8), sketch.registers, shared[n], 0, 1024) for n in sketch.names}
    sampled = Sampled({"N": sketch.length}, tuple(read_launches(device.samples)), facts)
    chosen = gpu_named(gpu)
    return timed_launches(sampled, chosen, calibration_of(chosen))


@cache
def told(sketch: Sketch, gpu: str = "H200") -> Explanation:
    """What explain says of it."""
    chosen, launches = gpu_named(gpu), timed(sketch, gpu)
    found = Explanation(
        problem="p",
        title="P",
        file="a.cu",
        source=sketch.source,
        form=Form.KERNEL,
        sizes={},
        target="sm_90",
        verdict=Verdict.ACCEPTED,
        headline="Accepted",
        kernels=_counted(sketch),
        model=time_of_launches(chosen, {"N": sketch.length}, launches),
    )
    return with_gains(found, launches, calibration_of(chosen))


@cache
def _compiled(sketch: Sketch) -> tuple[str, dict[str, str]]:
    head = HEAD if "half" in sketch.source else ""
    image = compile_ptx(head + sketch.source.replace("GLOBAL", 'extern "C" __global__'))
    return image, {name: name for name in sketch.names}


@cache
def _counted(sketch: Sketch) -> tuple[KernelExplanation, ...]:
    device = EmulatedDevice(*_compiled(sketch), emulator.Objects(), count=True)
    _run(device, sketch, SMALL if sketch.grid[1] > 1 else (4, 1, 1))
    return tuple(_explained(shape["kernel"], counts, sketch) for shape, counts in device.counted)


def _run(device: EmulatedDevice, sketch: Sketch, grid: Sequence[int]) -> None:
    lengths = {"x": LENGTH, "z": LENGTH, "y": sketch.length}
    addresses = device.place({name: np.ones(length, "f4") for name, length in lengths.items()}, 0)
    steps = [
        {
            "do": "launch",
            "kernel": name,
            "grid": list(grid),
            "block": list(sketch.block),
            "shared_bytes": sketch.shared_bytes,
            "arguments": [addresses[array].to_bytes(8, "little").hex() for array in "xzy"],
            "cooperative": False,
            "cluster": [0, 0, 0],
            "tensor_maps": [],
            "stream": 0,
        }
        for name in sketch.names
    ]
    answer = device.run(steps, 1 << 40, 60.0)
    assert answer["status"] == "done", answer


def _explained(name: str, counts: LaunchCounts, sketch: Sketch) -> KernelExplanation:
    lines, totals = by_line(counts), total(counts.rows)
    u, v, w = sketch.block
    found = review(Subject(lines, counts.arrays, totals, None, u * v * w, {}))
    return KernelExplanation(
        name, (4, 1, 1), sketch.block, 1, 4, totals, lines, counts.arrays, None, found.advice, found.good
    )


def seconds(sketch: Sketch, gpu: str = "H200") -> float:
    """Its model time."""
    model = told(sketch, gpu).model
    assert model is not None and model.seconds is not None
    return model.seconds


def advice(sketch: Sketch, gpu: str = "H200") -> list[Advice]:
    """All of its advice, kernel by kernel."""
    return [one for kernel in told(sketch, gpu).kernels for one in kernel.advice]
