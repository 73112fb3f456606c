"""Model time of a submission: compiles it for a GPU's target, samples a case, and times each launch of the plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from grader.compile.compiler import CompileFailure
from grader.compile.cubin import KernelFacts
from grader.compile.program import Program
from grader.compile.submission import Submission
from grader.core.errors import JudgeError, KgradeError
from grader.core.verdict import LanguageName
from grader.languages.registry import language_of
from grader.machine.gpus import gpu_like
from grader.model.calibration import Calibration, calibration_of
from grader.model.gpus import ModelGpu
from grader.model.kernel import FASTER, SLOWER, KernelTime, Prepared, prepared, timed
from grader.model.pipes import UnknownInstructionError
from grader.model.proof import OTHER_PLAN, WHOLE, NoReferenceError, prove, reference
from grader.model.sampling import CannotSampleError, LaunchSample, SampledKernel, moves_of, sample
from grader.plan.device_table import EMULATED, DeviceTable
from grader.plan.runner import Run, RunnerStopped
from grader.plan.stopped import RecordingStopped
from grader.problem import Problem
from grader.problem.cases import Case, case_seed
from grader.problem.harness import LaunchRefused
from grader.run.emulator_runner import EmulatorRunner
from grader.run.gpu.timed_inputs import FAMILY
from grader.run.limited import Limited
from grader.sandbox import Sandbox
from grader.sass import MachineCode, disassemble, file_of
from grader.sass.cubins import cubin_of, facts_in

T = TypeVar("T")

CLOCK, SMS, L2, MAJOR, MINOR = 13, 16, 38, 75, 76
"""Numbers of CUdevice_attribute in cuda.h: kHz, SMs, bytes, and the parts of the compute capability."""


@dataclass(frozen=True)
class ModelTime:
    """The time of all launches of a case on a GPU, in seconds; `kernels` has one entry for each kernel and shape.

    `why_not` says why there is no time; then `seconds` is None. `left_out`: no submission has one at this size.
    """

    gpu: ModelGpu
    sizes: Mapping[str, int]
    seconds: float | None
    low: float = 0.0
    high: float = 0.0
    bound: str = ""
    kernels: tuple[tuple[KernelTime, int], ...] = ()
    why_not: str = ""
    left_out: bool = False


@dataclass(frozen=True)
class Sampled:
    """What a model time is computed from: the launches of a case, and what its kernels were compiled to, by handle."""

    sizes: Mapping[str, int]
    launches: tuple[LaunchSample, ...]
    facts: Mapping[str, KernelFacts]
    code: Mapping[str, MachineCode] = field(default_factory=dict)
    moves: tuple[int, ...] = ()
    """The bytes that each copy and fill beside the launches reads and writes."""
    more: float = 1.0
    """How many times as long it takes, because other blocks were seen to do more than those that were sampled."""
    unproved: str = ""
    """Why the results are not known to be right, if that was asked."""


def sample_case(
    problem: Problem,
    submission: Submission,
    sizes: Mapping[str, int],
    gpu: ModelGpu,
    cache: Path,
    seed: int = 0,
    require_sandbox: bool = False,
    proved: bool = False,
) -> Sampled:
    """Samples a case of a submission as it is compiled for a GPU; `proved` has its results compared with the reference.

    Raises CannotSampleError, and NoReferenceError.
    """
    sandbox = Sandbox.find(require_sandbox)
    try:
        program = language_of(submission).compile(problem, submission, cache, gpu_like(gpu.target), sandbox)
    except CompileFailure as failure:
        said = next((d.message for d in failure.diagnostics if d.severity == "error"), "no reason given")
        raise CannotSampleError(f"it does not compile for {gpu.target}: {said}") from None
    # What a GPU's time is measured with: other families have rows, lists or graphs as they hardly ever are.
    case = Case(dict(sizes), FAMILY, case_seed(seed, 0))
    references = reference(problem, case) if proved else None
    planner = language_of(program).planner(problem, program, lambda: _table(gpu, program.language), sandbox, cache)

    def run_all() -> Run:
        runner = EmulatorRunner(problem.folder, sandbox, cache / "kernels")
        try:
            runner.load(program)
            addresses = runner.prepare(problem, case.sizes, case.family, case.seed)
            whole = planner.plan(case.numbers(problem), addresses, Limited(runner, WHOLE))
            # A solve() that notices its second call could do there what the time of the first leaves out.
            if whole != plan:
                raise CannotSampleError(OTHER_PLAN)
            return runner.execute(whole, WHOLE)
        except RunnerStopped as stop:
            return stop.as_run()
        finally:
            runner.close()

    try:
        launches, kernels, plan, run = sample(problem, program, planner, case, sandbox, cache, results=proved)
        unproved, more = prove(references, launches, run, run_all) if references is not None else ("", 1.0)
    except (LaunchRefused, RecordingStopped, RunnerStopped, JudgeError) as stop:
        raise CannotSampleError(str(stop)) from None
    finally:
        planner.close()
        language_of(program).finish()
    facts, code, missing = _compiled(program, kernels, gpu, cache, sandbox)
    if proved and not unproved and facts.keys() != kernels.keys():
        # Its registers and shared memory say how many blocks run at once; a guess would be somebody's gain.
        unproved = f"what its kernels take of an SM is not known: {missing or 'they are not in the machine code'}"
    return Sampled(dict(sizes), launches, facts, code, moves_of(plan), more, unproved)


def model_time(
    problem: Problem,
    submission: Submission,
    sizes: Mapping[str, int],
    gpu: ModelGpu,
    cache: Path,
    seed: int = 0,
    require_sandbox: bool = False,
    proved: bool = False,
) -> ModelTime:
    """The model time of a submission on a GPU at these sizes; `why_not` is set where there is none.

    `proved`: there is none either unless the results at these sizes are seen to be right. Where the problem's own
    reference can't be had, no submission has one.
    """
    try:
        sampled = sample_case(problem, submission, sizes, gpu, cache, seed, require_sandbox, proved)
        if sampled.unproved:
            return ModelTime(gpu, dict(sizes), None, why_not=sampled.unproved)
        return time_of(sampled, gpu)
    except CannotSampleError as error:
        return ModelTime(gpu, dict(sizes), None, why_not=str(error))
    except NoReferenceError as error:
        return ModelTime(gpu, dict(sizes), None, why_not=f"left out: {error}", left_out=True)


@dataclass(frozen=True)
class TimedLaunch:
    """Launches that are alike: what one is computed from, its time, and how many there are."""

    prepared: Prepared
    time: KernelTime
    count: int

    def changed(self, change: Callable[[Prepared], Prepared], gpu: ModelGpu, values: Calibration) -> float:
        """The seconds of one launch after a change. Raises UnknownInstructionError.

        A change is one of PTX: nobody has assembled it. So it is timed in PTX beside the launch as it is, and the time
        by machine code is altered in proportion.
        """
        plain = replace(self.prepared, code=None)
        after = timed(change(plain), gpu, values).seconds
        if self.prepared.code is None:
            return after
        return after * self.time.seconds / timed(plain, gpu, values).seconds


def time_of(sampled: Sampled, gpu: ModelGpu, values: Calibration | None = None) -> ModelTime:
    """The model time of a sampled case; without one, `why_not` tells the instruction that is unknown."""
    values = values or calibration_of(gpu)
    try:
        launches = timed_launches(sampled, gpu, values)
    except UnknownInstructionError as error:
        return ModelTime(gpu, sampled.sizes, None, why_not=f"the model does not know {error}")
    return time_of_launches(gpu, sampled.sizes, launches, move_seconds(sampled.moves, gpu, values), sampled.more)


def timed_launches(sampled: Sampled, gpu: ModelGpu, values: Calibration) -> tuple[TimedLaunch, ...]:
    """The different launches of a case, in the order of their first. Raises UnknownInstructionError."""
    found: dict[tuple[object, ...], TimedLaunch] = {}
    for launch in sampled.launches:
        # With one number of instructions they may touch other places.
        touched = tuple((one.name, one.size, one.steps, one.mean, one.apart, one.written) for one in launch.footprints)
        shape = (launch.handle, launch.grid, launch.block, launch.shared_bytes)
        key = (*shape, launch.instructions, launch.rows, touched)
        if key in found:
            found[key] = replace(found[key], count=found[key].count + 1)
        else:
            given = prepared(launch, sampled.facts.get(launch.handle), gpu, sampled.code.get(launch.handle))
            found[key] = TimedLaunch(given, timed(given, gpu, values), 1)
    return tuple(found.values())


def move_seconds(moves: Sequence[int], gpu: ModelGpu, values: Calibration) -> float:
    """The seconds of copies and fills that move so many bytes each: as if DRAM served all."""
    return len(moves) * values.launch_seconds + sum(moves) / (gpu.bandwidth * values.dram_share)


def time_of_launches(
    gpu: ModelGpu, sizes: Mapping[str, int], launches: Sequence[TimedLaunch], moving: float = 0.0, more: float = 1.0
) -> ModelTime:
    """The model time of all these launches, `more` times as long, and of copies that take `moving` seconds."""
    if not launches:
        return ModelTime(gpu, sizes, None, why_not="it launches no kernel")
    kernels = tuple((one.time, one.count) for one in launches)
    seconds, low, high = (
        more * sum(getattr(time, name) * count for time, count in kernels) for name in ("seconds", "low", "high")
    )
    longest, count = max(kernels, key=lambda one: one[0].seconds * one[1])
    bound = longest.bound if longest.seconds * count >= moving else "dram"
    low, high = low + moving * (1 - FASTER), high + moving * (1 + SLOWER)
    return ModelTime(gpu, sizes, seconds + moving, low, high, bound, kernels)


def _table(gpu: ModelGpu, language: LanguageName) -> DeviceTable:
    """What a solve() is told of the device: the emulated one's properties, with this GPU's sizes.

    In CUDA C++ with its compute capability, too: one that has another way for such GPUs goes it, and has no time where
    the emulator can't. Compilers in Python make code of it, which has to be the emulator's.
    """
    own = {CLOCK: int(gpu.clock / 1e3), SMS: gpu.sms, L2: gpu.l2}
    if language is LanguageName.CUDA:
        own[MAJOR], own[MINOR] = gpu_like(gpu.target).capability
    return replace(EMULATED, attributes={**EMULATED.attributes, **own})


def _compiled(
    program: Program, kernels: Mapping[str, SampledKernel], gpu: ModelGpu, cache: Path, sandbox: Sandbox
) -> tuple[Mapping[str, KernelFacts], Mapping[str, MachineCode], str]:
    """The facts and the machine code of kernels by handle, and why some are missing: neither is there without an
    assembler, no code without a disassembler, and none that can't be read."""
    facts: dict[str, KernelFacts] = {}
    code: dict[str, MachineCode] = {}
    missing = ""
    for image in dict.fromkeys(kernel.image for kernel in kernels.values()):
        own = {handle: kernel.symbol for handle, kernel in kernels.items() if kernel.image == image}
        try:
            cubin = cubin_of(program, image, gpu.target, cache, sandbox)
            facts |= _by_handle(own, facts_in(cubin))
            code |= _by_handle(own, disassemble(cubin, file_of(image), cache, sandbox))
        except KgradeError as error:
            missing = f"{error.message} ({error.hint})" if error.hint else error.message
    return facts, code, missing


def _by_handle(symbols: Mapping[str, str], found: Mapping[str, T]) -> dict[str, T]:
    return {handle: found[symbol] for handle, symbol in symbols.items() if symbol in found}
