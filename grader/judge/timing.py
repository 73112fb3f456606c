"""The measuring part of a grading: each benchmark size timed on the GPU, timed outputs checked, figures drawn from it.

The samples come from the runner; nothing of them counts before the outputs of replays that nobody could know
beforehand have been compared with the reference, here or by the referee.
"""

from __future__ import annotations

import base64
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader.compile.compiler import CompileFailure
from grader.compile.program import Program
from grader.core.errors import JudgeError, SourceError
from grader.core.plan import Plan
from grader.core.report import CaseResult, Ceilings, Measurement, SizeMeasurement
from grader.core.verdict import Verdict
from grader.judge.examiner import result_of_run, result_of_stop
from grader.languages.language import Language
from grader.languages.registry import language_of, read_submission
from grader.measure.overall import least_of, share_of_light
from grader.measure.samples import BASELINE, CANDIDATE, Timing
from grader.measure.score import PARTS
from grader.measure.statistics import ratio_interval, summarise
from grader.plan.planner import Planner
from grader.plan.runner import Run, RunnerStopped
from grader.plan.sets import SetPlans
from grader.plan.stopped import RecordingStopped
from grader.problem import Problem
from grader.problem.cases import Case, format_numbers, gpu_limits_of
from grader.problem.harness import LaunchRefused
from grader.run.child_runner import symbols_of
from grader.run.device import Stopwatch
from grader.run.gpu.ceilings import Figures, ceilings, is_outdated
from grader.run.gpu.gpu_runner import GpuRunner
from grader.run.gpu.referee import Referee
from grader.run.gpu.refill import replay_key
from grader.run.gpu.timed_inputs import FAMILY, make_timed
from grader.sandbox import Sandbox

VERIFIED = 20
"""How many timed outputs are checked at least. Of a kernel that is wrong in half of its replays, all of these are
right once in 2^20 times.
"""

STEERED = (
    "solve() copies results to the host and launches by what they are, so that the launches of one run are not those "
    "of the next; times need one plan for all inputs"
)

TRIED = "kgrade verify tries it"

Progress = Callable[[str], None]
MeasureCeilings = Callable[..., tuple[Ceilings, Figures]]
MakePlanner = Callable[[Language, Program], Planner]


@dataclass(frozen=True)
class Timed:
    """What measuring came to: figures, or the failure of a timed replay, or neither and `note` says why."""

    measurement: Measurement | None = None
    failure: CaseResult | None = None
    note: str = ""
    hint: str = ""


@dataclass(frozen=True)
class _Baseline:
    """The worked submission that times are compared with, compiled; what plans it, if its own code launches it."""

    name: str
    image: dict[str, Any]
    planner: Planner


class Measurer:
    """Times one program, which is right, on all benchmark sizes of its problem. `make_planner` is for the baseline."""

    def __init__(
        self,
        problem: Problem,
        program: Program,
        source: str,
        stopwatch: Stopwatch,
        cache: Path,
        planner: Planner,
        make_planner: MakePlanner,
        ceilings: MeasureCeilings = ceilings,
    ) -> None:
        self._problem = problem
        self._program = program
        self._source = source
        self._runner = stopwatch.runner
        self._referee = stopwatch.referee
        self._gpu = stopwatch.gpu
        self._cache = cache
        self._planner = planner
        self._make_planner = make_planner
        self._ceilings = ceilings

    def run(self, progress: Progress) -> Timed:
        """Times every size. Whatever fails on the judge's side leaves the verdict alone and is told in the note."""
        try:
            return self._run(progress)
        except JudgeError as error:
            return Timed(note=error.message, hint=error.hint)

    def _run(self, progress: Progress) -> Timed:
        if not self._problem.benchmarks:
            return Timed(note="the problem names no benchmark sizes")
        progress("measuring what this GPU can do")
        reached = self._reached()
        baseline = self._compile_baseline()
        found: list[SizeMeasurement] = []
        null = None
        for number, sizes in enumerate(self._problem.benchmarks, 1):
            progress(f"timing {number} of {len(self._problem.benchmarks)}: {format_numbers(sizes)}")
            check = Check(self._problem, sizes, self._runner, self._referee)
            began = time.monotonic()
            try:
                timing = self._time(sizes, check, baseline, null=number == 1)
            except RunnerStopped as stop:
                return Timed(failure=result_of_run(Case(sizes, FAMILY, 0), stop.as_run(), self._source))
            except WrongWhileTimed as wrong:
                if self._planner.steered:
                    return Timed(note=STEERED)
                return Timed(failure=wrong.result)
            except RecordingStopped as stop:
                return Timed(failure=result_of_stop(Case(sizes, FAMILY, 0), stop, self._source))
            if isinstance(timing, Run):
                return Timed(failure=result_of_run(Case(sizes, FAMILY, 0), timing, self._source))
            _check_plausible(timing, check.verified, time.monotonic() - began)
            null = null or ratio_interval(timing.null)
            found.append(self._size(sizes, timing, check.verified))
        measurement = Measurement(tuple(found), reached, null)
        known = self._problem.cost_is_known
        if known and any(is_outdated(least_of(size, reached), size.time.value) for size in found):
            progress("measuring what this GPU can do")
            measurement = replace(measurement, ceilings=self._reached(fresh=True))
        return Timed(_with_shares(measurement) if known else measurement)

    def _reached(self, fresh: bool = False) -> Ceilings:
        problem = self._problem
        reached, figures = self._ceilings(self._gpu, self._cache, precision=problem.precision, fresh=fresh)
        return replace(reached, split_flops=figures.fp16 / PARTS) if problem.splits else reached

    def _time(self, sizes: Mapping[str, int], check: Check, baseline: _Baseline | None, null: bool) -> Timing | Run:
        plans = SetPlans(self._problem, check.numbers, self._planner)
        of_baseline = None if baseline is None else SetPlans(self._problem, check.numbers, baseline.planner)

        def record(question: Mapping[str, Any]) -> Plan:
            if question["side"] != BASELINE:
                return plans.plan(question["addresses"], self._runner)
            assert baseline is not None and of_baseline is not None
            try:
                return of_baseline.plan(question["addresses"], self._runner)
            except (LaunchRefused, RecordingStopped) as error:
                # Not the candidate's failure.
                raise JudgeError(f"the baseline {baseline.name} can't be timed: {error}", TRIED) from None

        return self._runner.measure(
            {
                "sizes": dict(check.numbers),
                "constants": constants_of(self._program),
                "seed": check.seed,
                "sigma": check.sigma,
                "limit": gpu_limits_of(self._problem, sizes).seconds,
                "verified": VERIFIED,
                "null": null,
                "baseline": None if baseline is None else baseline.image,
            },
            check.kept,
            record,
        )

    def _compile_baseline(self) -> _Baseline | None:
        """The worked submission that times are compared with; None where there is none, or a library call."""
        if self._problem.baseline_file is None:
            return None
        name = f"{self._problem.name}/{self._problem.baseline_file}"
        try:
            worked = read_submission(self._problem.folder / "submissions" / self._problem.baseline_file)
            language = language_of(worked)
            program = language.compile(self._problem, worked, self._cache, self._gpu, Sandbox.find())
        except (OSError, SourceError, CompileFailure) as error:
            raise JudgeError(f"the baseline {name} can't be compiled: {error}", TRIED) from None
        try:
            return _Baseline(name, image_of(program), self._make_planner(language, program))
        except RunnerStopped as stop:
            raise JudgeError(f"the GPU's process told nothing of the GPU: {stop}", "kgrade doctor tries it") from None

    def _size(self, sizes: Mapping[str, int], timing: Timing, verified: int) -> SizeMeasurement:
        summary, cost = summarise(timing.quads), self._problem.cost_of(sizes)
        return SizeMeasurement(
            sizes=dict(sizes),
            time=summary.time,
            ratio=summary.ratio,
            flops=cost.flops,
            bytes=cost.bytes,
            sol=0.0 if self._problem.cost_is_known else None,
            quads=summary.quads,
            dropped=summary.dropped,
            verified=verified,
            floor=timing.floor,
            clock_mhz=summary.clock_mhz,
            throttled=timing.throttled,
        )


class WrongWhileTimed(Exception):
    """Outputs of a timed replay are wrong."""

    def __init__(self, result: CaseResult) -> None:
        super().__init__(result.message)
        self.result = result


class Check:
    """Checks outputs of timed replays of one size, each against the inputs that this replay had.

    `structure` is the seed of structures where they are not this check's own.
    """

    def __init__(
        self,
        problem: Problem,
        sizes: Mapping[str, int],
        runner: GpuRunner,
        referee: Referee,
        structure: int | None = None,
    ) -> None:
        self.seed = secrets.randbits(63)
        self._structure = self.seed if structure is None else structure
        self.sigma = 3.0 if problem.gates.kind == "elementwise" else 1.0
        self.verified = 0
        self.numbers = Case(sizes, FAMILY, self._structure).numbers(problem)
        """What is passed by value in all replays: the sizes, and scalars that nobody knew before."""
        self._problem = problem
        self._sizes = sizes
        self._runner = runner
        self._referee = referee
        self._seen: set[tuple[int, int]] = set()

    def kept(self, message: Mapping[str, Any]) -> str:
        """What the runner is to do after keeping these outputs. Raises WrongWhileTimed."""
        replay, buffer_set = int(message["replay"]), int(message["buffer_set"])
        result = None
        if "outputs" in message:
            result = self._check_here(replay, buffer_set, message["outputs"])
        elif message["handle"] is not None:
            result = self._referee.check_kept(
                self.numbers, self.seed, self.sigma, self._structure, replay, buffer_set, message["handle"]
            )
        if result is None:
            return "hand_over"
        if result.verdict is not Verdict.ACCEPTED:
            raise WrongWhileTimed(result)
        if (replay, buffer_set) in self._seen:
            raise JudgeError(f"the runner handed over replay {replay} of buffer set {buffer_set} twice")
        self._seen.add((replay, buffer_set))
        self.verified += 1
        return "go_on"

    def _check_here(self, replay: int, buffer_set: int, offsets: Mapping[str, int]) -> CaseResult:
        """The same by the processor."""
        from grader.check import check_case

        outputs = self._runner.read_outputs(self._problem, self._sizes, offsets)
        key = replay_key(self.seed, CANDIDATE, replay)
        made = make_timed(self._problem, self._sizes, key, buffer_set, self.sigma, self._structure)
        verdict, kind, message, checks = check_case(self._problem, self.numbers, FAMILY, made, outputs)
        scalars = {name: self.numbers[name] for name in self._problem.scalars}
        sizes = dict(self._sizes)
        return CaseResult(sizes, FAMILY, key, verdict, kind, message=message, outputs=checks, scalars=scalars)


def image_of(program: Program) -> dict[str, Any]:
    """A program as the runner's process is told it, beside the one that it has loaded."""
    return {
        "image": base64.b64encode(program.cubin).decode(),
        "symbols": symbols_of(program),
        "constants": constants_of(program),
    }


def constants_of(program: Program) -> dict[str, int] | None:
    """The launch constants by which the runner plans; None where the judge records the plans."""
    return None if language_of(program).launches_itself else dict(program.constants)


def _check_plausible(timing: Timing, verified: int, wall_seconds: float) -> None:
    """Raises JudgeError for times that can't be: the judge has a clock of its own."""
    if not timing.consistent or timing.event_seconds > wall_seconds:
        raise JudgeError(
            f"the GPU's events add up to {timing.event_seconds:.3f} s within {wall_seconds:.3f} s; "
            "these times are not used"
        )
    if verified < min(VERIFIED, len(timing.quads)):
        raise JudgeError(f"{verified} timed outputs were checked; {VERIFIED} are needed, so these times are not used")


def _with_shares(measurement: Measurement) -> Measurement:
    """Adds each size's share of the speed of light by these ceilings."""
    shares = [share_of_light(size, measurement.ceilings).value for size in measurement.sizes]
    sizes = tuple(replace(size, sol=share) for size, share in zip(measurement.sizes, shares, strict=True))
    return replace(measurement, sizes=sizes)
