"""Does ahead what takes time once: CuPy's code for making cases takes a third of a second to load.

A process rehearses while others are busy. The cases are the same each time, so they reveal no seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from grader.problem import Problem
from grader.problem.cases import Case, draw_cases
from grader.problem.inputs import families, make_inputs
from grader.run.gpu.philox import GpuPlace
from grader.run.handover import first_changes

SEED = 0


def start_cuda() -> None:
    """Starts CUDA, and meanwhile loads what CuPy 14 loads at its first operation, SciPy included if it is installed."""
    from cupy.cuda import runtime

    with ThreadPoolExecutor(1, "kgrade-cuda") as beside:
        started = beside.submit(runtime.free, 0)
        import cupyx  # noqa: F401
    started.result()


def rehearse(problem: Problem) -> Iterator[tuple[Case, Mapping[str, Any]]]:
    """Yields a case of each family of inputs, and its inputs as CuPy arrays."""
    count = len(families(problem))
    # A problem with its own tests returns them all, small to large.
    for case in draw_cases(problem, SEED, count, given=())[:count]:
        inputs = make_inputs(problem, case.sizes, case.family, case.seed, GpuPlace())
        first_changes(inputs, inputs.items())
        yield case, inputs


def rehearse_timing(problem: Problem) -> None:
    """Loads the instruments and, if a library is the baseline, its kernels: each at the first launch of its size."""
    import cupy

    from grader.run.gpu.timed import Contender, call_library
    from grader.run.gpu.timing import instruments_of

    stream = instruments_of(cupy.cuda.Device().id).stream
    for sizes in problem.benchmarks if problem.calls_library else ():
        contender = Contender(problem, sizes, call_library(problem, sizes), SEED)
        try:
            contender.make_set(0).launch(stream)
            stream.synchronize()
        finally:
            contender.free()
