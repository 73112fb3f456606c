"""Advice on a plan of several launches: kernels that hand arrays to each other through memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from grader.coach.advice import Advice, Tried
from grader.model.calibration import Calibration
from grader.model.change import without
from grader.model.footprint import Footprint
from grader.model.gpus import ModelGpu
from grader.model.model import TimedLaunch
from grader.model.sampling import Row
from grader.run.emulator.ptx.traits import Memory

SCRATCH = "scratch"
"""How the names of arrays begin that are no problem's."""


def fusion(
    launches: Sequence[TimedLaunch], total: float, gpu: ModelGpu, values: Calibration
) -> Iterator[tuple[int, Advice]]:
    """Finds launches whose blocks read what the same block of the launch before has written.

    Yields the place of the second one, with its advice.
    """
    for place, (first, second) in enumerate(pairwise(launches)):
        passed = [name for name in _written(first) if _is_passed_on(name, first, second)]
        if not passed or first.count != second.count:
            continue
        # An array of the problem itself has to be written all the same.
        own = [name for name in passed if name.startswith(SCRATCH)]
        before = first.changed(without(_accesses(own, Memory.STORE)), gpu, values)
        after = second.changed(without(_accesses(passed, Memory.LOAD)), gpu, values)
        left = before + after - values.launch_seconds
        gain = (first.time.seconds + second.time.seconds - left) * first.count
        names = " and ".join(passed)
        yield (
            place + 1,
            Advice(
                "fusion",
                None,
                f"{first.time.kernel} writes {names} to memory, and the same block of {second.time.kernel} reads it",
                "make one kernel of both: values stay in registers or shared memory, and a launch is saved",
                tried=Tried(gpu.name, total, total - gain),
            ),
        )


def _accesses(names: Sequence[str], memory: Memory) -> Callable[[Row], bool]:
    return lambda row: row.array in names and bool(row.requests) and row.traits.memory is memory


def _written(launch: TimedLaunch) -> list[str]:
    return [one.name for one in launch.prepared.launch.footprints if one.written > 0 and one.name]


def _is_passed_on(name: str, first: TimedLaunch, second: TimedLaunch) -> bool:
    """Whether each block of the second launch touches what the same block of the first has touched of an array."""
    one, other = _of(first, name), _of(second, name)
    if one is None or other is None or one.steps is None or other.steps is None:
        return False
    if not any(map(_accesses([name], Memory.LOAD), second.prepared.launch.rows)):
        return False
    grids = first.prepared.launch.grid, second.prepared.launch.grid
    return grids[0] == grids[1] and one.steps == other.steps and one.mean == other.mean


def _of(launch: TimedLaunch, name: str) -> Footprint | None:
    return next((one for one in launch.prepared.launch.footprints if one.name == name), None)
