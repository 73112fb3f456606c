"""Samples one case of a compiled submission: what some blocks of each of its launches do, as plain data.

The case has its true inputs, whatever their size: kernels whose accesses depend on data do what they would do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import prod, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from grader.compile.program import Program
from grader.core.limits import Limits
from grader.core.plan import Copy, Memset, Plan, Upload, step_to_json
from grader.core.report import Dim3
from grader.model.blocks import SUMS
from grader.model.footprint import Footprint
from grader.model.paths import Step
from grader.plan.planner import Planner
from grader.plan.runner import Run, RunnerStopped
from grader.problem import Problem
from grader.problem.cases import Case
from grader.run.emulator.ptx.traits import Traits, traits_of
from grader.run.emulator_runner import EmulatorRunner
from grader.run.head_start import SAMPLER
from grader.run.limited import Limited
from grader.run.object_cache import COUNTING
from grader.sandbox import Sandbox

LIMITS = Limits(seconds=120.0, instructions=100_000_000)
PREPARE_SECONDS = 120.0
FEW = 10_000
"""Warp instructions, or sectors, of which it does not matter whether a sample shows them."""
TOO_LONG = (
    f"a sample of its blocks has not ended after {LIMITS.instructions:,} warp instructions or {LIMITS.seconds:g} s"
)


class CannotSampleError(Exception):
    """No sample is to be had of this submission; the text says why."""


@dataclass(frozen=True)
class Row:
    """One PTX instruction, and what one execution of it by a warp costs on average.

    `written` and `read` are registers. `sectors` and `wavefronts` are per execution, `lines` are those of a request,
    and `depth` the most sectors at one place of its lines. `reuse` has triples of a distance in sectors, the share of
    its sectors that were touched so long ago, and the distance in lines; `followed` is the share of its sectors that
    another warp has asked for just before. `words` are the different ones of constants,
    or places of threads' own memory. What is ideal would do for that many bytes. Changes alone set the last two: how
    many executions there are for each of its basic block, and what part of its latency passed before. With 1 all of a
    round passed, queues for memory included.
    """

    line: int
    text: str
    opcode: str
    modifiers: tuple[str, ...]
    block: int
    array: str
    written: tuple[str, ...]
    read: tuple[str, ...]
    guarded: bool
    executed: float
    requests: float
    sectors: float
    shared_requests: float
    wavefronts: float
    turns: float
    bytes: float
    lanes: float
    lines: float
    reuse: tuple[tuple[float, float, float], ...]
    depth: float = 0.0
    followed: float = 0.0
    words: float = 0.0
    ideal_sectors: float = 0.0
    ideal_wavefronts: float = 0.0
    share: float = 1.0
    ahead: float = 0.0

    @property
    def traits(self) -> Traits:
        return traits_of(self.opcode, self.modifiers)


@dataclass(frozen=True)
class Way:
    """The way of a warp through basic blocks, and how many warps of the block go it."""

    warps: int
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class LaunchSample:
    """One launch, by a sample of its blocks. Sums over the grid are `executed` times a row's share.

    `instructions` are those of the whole grid in warps, estimated with the relative error `spread`; those of the block
    whose ways are told are `typical`, and `traced` is the share of them that the ways have. `done` is the share of
    `instructions` that ran: 1 where all blocks did; where it is known, `hidden` is how many times as much all blocks
    did, or touched, as the sample says.
    """

    kernel: str
    handle: str
    """The name that plans use: of two kernels in Python that have one name and one symbol, each has another."""
    grid: Dim3
    block: Dim3
    shared_bytes: int
    sampled: int
    instructions: float
    typical: float
    spread: float
    rows: tuple[Row, ...]
    ways: tuple[Way, ...]
    footprints: tuple[Footprint, ...]
    edges: tuple[tuple[int, int], ...] = ()
    """The ways between its basic blocks, taken or not."""
    launches: int = 1
    done: float = 1.0
    hidden: float = 1.0
    traced: float = 1.0

    @property
    def blocks(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def working(self) -> float:
        """How many blocks like the typical one would do all the work: others may leave at once."""
        return min(float(self.blocks), self.instructions / self.typical) if self.typical else float(self.blocks)

    @property
    def idle(self) -> float:
        """How many blocks there are for each that works."""
        return self.blocks / max(self.working, 1.0)

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]


@dataclass(frozen=True)
class SampledKernel:
    """A kernel's symbol in the PTX that has it."""

    symbol: str
    image: str


class SamplingRunner(EmulatorRunner):
    """The emulator in a process that samples."""

    shared_key = COUNTING
    start_seconds = PREPARE_SECONDS

    def __init__(self, folder: Path, sandbox: Sandbox, cache: Path | None = None) -> None:
        super().__init__(folder, sandbox, cache, SAMPLER)

    def sample(self, plan: Plan, results: bool) -> Mapping[str, Any]:
        """Runs the plan's samples; returns the outcome, the launches and perhaps results. Raises RunnerStopped."""
        self._translate_for(plan.steps)
        asked = {"do": "sample", "steps": [step_to_json(step) for step in plan.steps], "limits": asdict(LIMITS)}
        return self._ask({**asked, "results": results}, self._wall_seconds(LIMITS))


def sample(
    problem: Problem,
    program: Program,
    planner: Planner,
    case: Case,
    sandbox: Sandbox,
    cache: Path,
    *,
    results: bool = False,
) -> tuple[tuple[LaunchSample, ...], Mapping[str, SampledKernel], Plan, Run]:
    """The launches of one case, in their order, their kernels by handle, the plan that they are of, and how they ended,
    with `results` as far as the sample wrote them.

    Raises CannotSampleError.
    """
    runner = SamplingRunner(problem.folder, sandbox, cache / "kernels")
    try:
        runner.load(program)
        addresses = runner.prepare(problem, case.sizes, case.family, case.seed)
        plan = planner.plan(case.numbers(problem), addresses, Limited(runner, LIMITS))
        told = runner.sample(plan, results)
        if told["status"] != "done":
            fault = told.get("fault") or {}
            raise CannotSampleError(fault.get("message") or TOO_LONG)
        names = runner.loaded
        launches = read_launches(told["launches"])
        named = tuple(replace(one, kernel=names[one.handle].name) for one in launches)
        kernels = {handle: SampledKernel(names[handle].symbol, runner.image_of(handle)) for handle in names}
        return named, {one.handle: kernels[one.handle] for one in named}, plan, runner.run_of(told)
    except RunnerStopped as stop:
        raise CannotSampleError(stop.message) from None
    finally:
        runner.close()


def moves_of(plan: Plan) -> tuple[int, ...]:
    """The bytes that each copy and fill of a plan reads and writes."""
    found = []
    for step in plan.steps:
        if isinstance(step, Memset):
            found.append(step.size)
        elif isinstance(step, Copy):
            found.append(2 * step.size)
        elif isinstance(step, Upload):
            found.append(len(step.data))
    return tuple(found)


def read_launches(told: Sequence[Mapping[str, Any]]) -> list[LaunchSample]:
    """The launches that the process tells; those that are like an earlier one share its numbers."""
    found: list[LaunchSample] = []
    for one in told:
        full = told[one["like"]] if "like" in one else one
        found.append(_launch(one, full))
    return found


def _launch(own: Mapping[str, Any], told: Mapping[str, Any]) -> LaunchSample:
    blocks, typical = told["blocks"], told["typical"]
    total = sum(block["weight"] for block in blocks)
    estimated = sum(block["instructions"] * block["weight"] for block in blocks)
    # A launch like another may have been counted itself.
    scale = own["instructions"] / (told["estimate"] or 1.0) if "instructions" in own else 1.0
    x, y, z = own["grid"]
    u, v, w = own["block"]
    everything = x * y * z / total * scale
    return LaunchSample(
        kernel=own["kernel"],
        handle=own["kernel"],
        grid=(x, y, z),
        block=(u, v, w),
        shared_bytes=own["shared_bytes"],
        sampled=len(blocks),
        instructions=estimated * everything,
        typical=float(blocks[typical]["instructions"]),
        spread=_spread(blocks) if len(blocks) < x * y * z else 0.0,
        rows=tuple(_rows(told, everything)),
        ways=tuple(
            Way(way["warps"], tuple(Step(block, weight) for block, weight in way["steps"])) for way in told["ways"]
        ),
        footprints=tuple(_footprint(one) for one in told["footprints"]),
        edges=tuple((before, after) for before, after in told["edges"]),
        done=own["done"],
        hidden=_hidden(own, estimated * everything),
        traced=told["traced"],
    )


def _hidden(told: Mapping[str, Any], instructions: float) -> float:
    if "all" not in told:
        return 1.0
    sectors = SUMS.index("sectors")
    weights = sum(block["weight"] for block in told["blocks"])
    touched = sum(row[sectors] * block["weight"] for block in told["blocks"] for row in block["rows"])
    touched *= prod(told["grid"]) / weights
    every = told["all"]
    return float(max(every["instructions"] / (instructions + FEW), every["sectors"] / (touched + FEW)))


def _spread(blocks: Sequence[Mapping[str, Any]]) -> float:
    """The standard error of the mean work of a block, relative to it."""
    most = max(block["weight"] for block in blocks)
    work = [float(block["instructions"]) for block in blocks if 2 * block["weight"] >= most]
    mean = sum(work) / len(work)
    if len(work) < 2 or not mean:
        return 0.0
    variance = sum((each - mean) ** 2 for each in work) / (len(work) - 1)
    return sqrt(variance / len(work)) / mean


def _rows(told: Mapping[str, Any], everything: float) -> list[Row]:
    reuse, followed = _reuse(told["reuse"]), _followed(told["reuse"])
    lines = {row: (lines, depth) for row, lines, depth in told["lines"]}
    found = []
    for number, (static, operands) in enumerate(zip(told["rows"], told["operands"], strict=True)):
        sums = {
            name: sum(block["rows"][number][place] * block["weight"] for block in told["blocks"]) * everything
            for place, name in enumerate(SUMS)
        }
        executed = sums["executed"]
        each: dict[str, Any] = {name: sums[name] / executed if executed else 0.0 for name in SUMS[2:]}
        found.append(
            Row(
                line=static["line"],
                text=static["text"],
                opcode=static["opcode"],
                modifiers=tuple(static["modifiers"]),
                block=static["block"],
                array=static["array"],
                written=tuple(operands["written"]),
                read=tuple(operands["read"]),
                guarded=operands["guarded"],
                executed=executed,
                lanes=sums["threads"] / executed if executed else 0.0,
                **each,
                lines=lines.get(number, (0.0, 0.0))[0],
                depth=lines.get(number, (0.0, 0.0))[1],
                reuse=reuse.get(number, ()),
                followed=followed.get(number, 0.0),
            )
        )
    return found


def _reuse(told: Mapping[str, Any]) -> dict[int, tuple[tuple[float, float, float], ...]]:
    """Returns, by row, (distance in sectors, share of its touches at that distance, distance in lines); the rest are
    first touches."""
    footprints, lines = told["footprints"], told["lines"]
    found = {}
    for row, bins in told["rows"]:
        touches = sum(count for _, count in bins)
        found[row] = tuple(
            (footprints[place], count / touches, lines[place]) for place, count in bins if 0 <= place < len(footprints)
        )
    return found


def _followed(told: Mapping[str, Any]) -> dict[int, float]:
    """Returns, by row, the share of its touches that find a sector on its way."""
    touches = {row: sum(count for _, count in bins) for row, bins in told["rows"]}
    return {row: count / touches[row] for row, count in told["followers"]}


def _footprint(told: Mapping[str, Any]) -> Footprint:
    x, y, z = told["origin"]
    return Footprint(
        name=told["name"],
        size=told["size"],
        starts=np.array(told["starts"], np.int64),
        ends=np.array(told["ends"], np.int64),
        origin=(x, y, z),
        steps=None if told["steps"] is None else tuple(told["steps"]),
        mean=told["mean"],
        apart=told["apart"],
        written=told["written"],
    )
