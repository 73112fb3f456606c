"""Tries advice in the model of time: each change on the launch that takes most of its kernel's time.

Advice of sampled launches joins that of counts; all is ranked by what it gains, and what gains little is not said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from grader.coach.advice import Advice, Tried
from grader.coach.coach import OF_TILES, OF_TILES_REMEDIES, Explanation, KernelExplanation
from grader.coach.fusing import fusion
from grader.coach.modelled import ModelCheck, Modelled
from grader.coach.products import blocked, tensor_cores, warp_groups
from grader.coach.waiting import barriers, double_buffering, shuffles
from grader.coach.whole_grid import block_order, occupancy, small_grid, tail
from grader.compile.submission import Submission
from grader.core.verdict import LanguageName
from grader.model.calibration import Calibration, calibration_of
from grader.model.gpus import ModelGpu
from grader.model.model import (
    ModelTime,
    TimedLaunch,
    move_seconds,
    sample_case,
    time_of_launches,
    timed_launches,
)
from grader.model.pipes import UnknownInstructionError
from grader.model.sampling import CannotSampleError
from grader.problem import Problem

LEAST_GAIN = 0.03
"""Advice that saves less than this part of the model time is left out: the model is not that exact."""
CHECKS: tuple[ModelCheck, ...] = (
    *(blocked, tensor_cores, warp_groups, double_buffering, shuffles, barriers),
    *(small_grid, tail, block_order, occupancy),
)
"""Checks of sampled launches. To add one, write a function from a Modelled to Advice with a change."""
COMPILERS_OWN = ("shuffles", "barriers", "wgmma")
"""What compilers of whole tiles decide."""


def with_model(
    explanation: Explanation,
    problem: Problem,
    submission: Submission,
    sizes: dict[str, int],
    gpu: ModelGpu,
    cache: Path,
    seed: int,
    require_sandbox: bool = False,
) -> Explanation:
    """The explanation with the model time at these sizes, and with advice by its gain."""
    try:
        sampled = sample_case(problem, submission, sizes, gpu, cache, seed, require_sandbox)
        values = calibration_of(gpu)
        launches = timed_launches(sampled, gpu, values)
    except CannotSampleError as error:
        return replace(explanation, model=ModelTime(gpu, dict(sizes), None, why_not=str(error)))
    except UnknownInstructionError as error:
        return replace(explanation, model=ModelTime(gpu, dict(sizes), None, why_not=f"the model does not know {error}"))
    model = time_of_launches(gpu, sampled.sizes, launches, move_seconds(sampled.moves, gpu, values))
    return with_gains(replace(explanation, model=model), launches, values)


def with_gains(explanation: Explanation, launches: Sequence[TimedLaunch], values: Calibration) -> Explanation:
    """The explanation, which has a model time, with advice by its gain in the model."""
    model = explanation.model
    if model is None or not model.seconds:
        return explanation
    fused = list(fusion(launches, model.seconds, model.gpu, values))
    kernels = []
    for kernel in explanation.kernels:
        own = [one for one in launches if one.time.kernel == kernel.name]
        own = [one for one in own if one.prepared.launch.block == kernel.block] or own
        if not own:
            kernels.append(kernel)
            continue
        between = [advice for place, advice in fused if launches[place] in own]
        found = list(_tried(kernel, own, model, values, explanation.language))
        kernels.append(replace(kernel, advice=_ranked([*found, *between])))
    return replace(explanation, kernels=tuple(kernels))


def _tried(
    kernel: KernelExplanation,
    own: Sequence[TimedLaunch],
    model: ModelTime,
    values: Calibration,
    language: LanguageName,
) -> Iterator[Advice]:
    total, gpu = model.seconds or 0.0, model.gpu
    seconds = sum(one.time.seconds * one.count for one in own)
    if seconds < LEAST_GAIN * total:
        return
    largest = max(own, key=lambda one: one.time.seconds * one.count)
    subject = Modelled(largest.prepared, largest.time, gpu)
    counted = [one for one in kernel.advice if one.kind != "occupancy"]
    for one in [*counted, *(advice for check in CHECKS for advice in check(subject))]:
        if language in OF_TILES and one.kind in COMPILERS_OWN:
            continue
        if one.kind == "occupancy" and language is not LanguageName.CUDA:
            # The model does not know the registers of a kernel that was compiled to PTX alone.
            continue
        changed = one.tried.after if one.tried else _changed(one, largest, gpu, values)
        after = total - seconds * (1 - changed / largest.time.seconds)
        remedy = OF_TILES_REMEDIES.get(one.kind, one.remedy) if language in OF_TILES else one.remedy
        yield replace(one, remedy=remedy, tried=Tried(gpu.name, total, after))


def _changed(one: Advice, launch: TimedLaunch, gpu: ModelGpu, values: Calibration) -> float:
    """The time of a launch with the advice's change; its time as it is where the model can't tell."""
    if one.change is None:
        return launch.time.seconds
    try:
        return launch.changed(one.change, gpu, values)
    except UnknownInstructionError:
        return launch.time.seconds


def _ranked(found: Sequence[Advice]) -> tuple[Advice, ...]:
    worth = [one for one in found if one.tried is not None and one.tried.saved >= LEAST_GAIN]
    return tuple(sorted(worth, key=lambda one: one.tried.after if one.tried else 0.0))
