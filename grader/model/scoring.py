"""The score by model time: times at the problem's benchmark sizes, and their share of the speed of light.

A score is computed as that of a GPU is, with the data sheet's figures in place of measured ones. Nothing that goes
wrong here changes a verdict: it is a reason why there is no time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from grader.compile.submission import Submission
from grader.core.crash import write_crash_log
from grader.core.errors import KgradeError
from grader.core.report import Interval, Modelled, ModelSize, Report
from grader.judge.deadline import Deadline, DeadlinePassed
from grader.measure.score import PARTS, geometric_mean, share_of, speed_of_light
from grader.model.calibration import calibration_of
from grader.model.gpus import ModelGpu, gpu_named
from grader.model.kernel import WORDS
from grader.model.model import ModelTime, model_time
from grader.problem import Problem
from grader.problem.cases import format_numbers
from grader.sass import has_nvdisasm

SEED = 0
"""The seed of the inputs, the same for all entries, so that a kernel whose work depends on them gets the same time; a
contest with hidden seeds has another."""
REVISION = 8
"""The number of the model's arithmetic. A change that gives other times raises it, and they are ranked apart."""

Progress = Callable[[str], None]
Timer = Callable[..., ModelTime]


@lru_cache(maxsize=32)
def revision_of(gpu: ModelGpu) -> str:
    """A word for all that a time depends on besides the submission: the model, the GPU's figures, its calibration, and
    whether there is a disassembler.
    """
    figures = json.dumps([asdict(gpu), asdict(gpu.sm), asdict(calibration_of(gpu))], sort_keys=True)
    code = "" if has_nvdisasm() else "-ptx"
    return f"{REVISION}{code}-{sha256(figures.encode()).hexdigest()[:8]}"


def with_model_time(
    report: Report,
    problem: Problem,
    submission: Submission,
    gpu: str,
    cache: Path,
    progress: Progress,
    *,
    seconds: float,
    require_sandbox: bool = False,
    proved: bool = False,
    seed: int = SEED,
    timer: Timer | None = None,
) -> Report:
    """The report with the model times on the GPU of that name, where the emulator accepted; any other as it is.

    After `seconds` it ends, and the report says so. `proved`: sizes whose results can't be seen to be right have none.
    """
    if not report.ranks_by_model:
        return report
    found = modelled(
        *(problem, submission, problem.benchmarks, gpu_named(gpu), cache, progress),
        seconds=seconds,
        require_sandbox=require_sandbox,
        proved=proved,
        seed=seed,
        timer=timer or model_time,
    )
    return replace(report, model=found)


def modelled(
    problem: Problem,
    submission: Submission,
    sizes: Sequence[Mapping[str, int]],
    gpu: ModelGpu,
    cache: Path,
    progress: Progress,
    *,
    seconds: float,
    require_sandbox: bool = False,
    proved: bool = False,
    seed: int = SEED,
    timer: Timer = model_time,
) -> Modelled:
    """The model times at these sizes, one after another, ended after `seconds`; the first failure ends it too.

    Sizes that are left out for every submission are so in the score.
    """
    found = Modelled(gpu.name, gpu.calibrated, revision_of(gpu))
    if not sizes:
        return replace(found, why_not="the problem names no benchmark sizes")
    done: list[ModelSize] = []
    left_out: list[ModelSize] = []
    try:
        with Deadline(seconds, progress) as deadline:
            for number, each in enumerate(sizes, 1):
                words = f"computing the model time on {gpu.name}, {number} of {len(sizes)}: {format_numbers(each)}"
                deadline.progress(words)
                time = timer(problem, submission, each, gpu, cache, seed, require_sandbox, proved)
                done.append(_size(problem, time))
                if time.left_out:
                    left_out.append(done[-1])
                elif time.seconds is None:
                    break
    except DeadlinePassed:
        done.append(ModelSize(dict(sizes[len(done)]), None, why_not=f"it took longer than {seconds:g} s"))
    except KgradeError as error:
        done.append(ModelSize(dict(sizes[len(done)]), None, why_not=error.message))
    except Exception as error:
        # The verdict stands, whatever is wrong with the model.
        message, _ = write_crash_log(error, ["model time"])
        done.append(ModelSize(dict(sizes[len(done)]), None, why_not=message))
    return _scored(replace(found, sizes=tuple(done)), left_out)


def light_of(problem: Problem, sizes: Mapping[str, int], gpu: ModelGpu) -> float:
    """The shortest time in seconds that this size can take on this GPU, by its data sheet."""
    return _lights(problem, sizes, gpu)[0]


def _lights(problem: Problem, sizes: Mapping[str, int], gpu: ModelGpu) -> tuple[float, float]:
    """That time, and the one by products of split numbers on tensor cores where the problem takes them."""
    values, cost, sm = calibration_of(gpu), problem.cost_of(sizes), gpu.sm
    tensor = sm.tensor * gpu.tensor_share
    rates = {"fp32": float(sm.fp32), "fp16": tensor, "int8": tensor * sm.tensor_of["s8"]}
    usual = rates[problem.precision]
    light, least = (
        speed_of_light(
            flops=cost.flops,
            bytes=cost.bytes,
            bandwidth=gpu.bandwidth * values.dram_share,
            rate=2.0 * rate * gpu.sms * gpu.clock,
            floor=values.launch_seconds,
        )
        for rate in (usual, max(usual, tensor / PARTS) if problem.splits else usual)
    )
    return light, least


def _size(problem: Problem, time: ModelTime) -> ModelSize:
    if time.seconds is None:
        return ModelSize(dict(time.sizes), None, why_not=time.why_not)
    share = None
    if problem.cost_is_known:
        light, least = _lights(problem, time.sizes, time.gpu)
        share = share_of(light, time.seconds, least).value
    return ModelSize(dict(time.sizes), Interval(time.seconds, time.low, time.high), WORDS[time.bound], share)


def _scored(found: Modelled, left_out: Sequence[ModelSize]) -> Modelled:
    counted = [size for size in found.sizes if size not in left_out]
    failed = next((size for size in counted or found.sizes if size.time is None), None)
    if failed is not None:
        return replace(found, why_not=f"{failed.why_not} (with {format_numbers(failed.sizes)})")
    shares = [size.share for size in counted if size.share is not None]
    if len(shares) < len(counted):
        return replace(found, why_not="the problem does not say how much work it is")
    return replace(found, score=geometric_mean(shares))
