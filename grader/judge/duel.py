"""Programs of one problem timed in turns on a GPU, and what they wrote meanwhile checked.

The samples come from the runner; which of the programs are right at all was found out before. Nobody is ranked here.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from grader.compile.program import Program
from grader.core.errors import JudgeError
from grader.core.plan import Plan
from grader.judge.timing import STEERED, Check, WrongWhileTimed, image_of
from grader.languages.registry import language_of
from grader.machine.gpus import Gpu
from grader.measure.duel import Contest, from_data
from grader.measure.samples import BASELINE
from grader.measure.statistics import StoppingRule
from grader.plan.planner import Planner
from grader.plan.runner import RunnerStopped, RunStatus
from grader.plan.sets import SetPlans
from grader.plan.stopped import RecordingStopped
from grader.problem import Problem
from grader.problem.cases import gpu_limits_of
from grader.run.gpu.duel_runner import ContestRunner
from grader.run.gpu.referee import Referee
from grader.sandbox import Sandbox

VERIFIED = 10
"""How many timed outputs of each are checked, or as many as it has turns at being watched. They decide no rank."""
_RULE = StoppingRule()


class ContenderFailed(Exception):
    """One contender can't be timed. The others can, in a contest of their own."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.message = message


@dataclass(frozen=True)
class Timed:
    """A contest, and in words what is wrong with the timed outputs of some contenders, by name."""

    contest: Contest
    wrong: Mapping[str, str] = field(default_factory=dict)


class Contests:
    """Holds contests of one problem's programs on one GPU. Close it when there are no more.

    Each is timed until `rule` ends it, and `verified` timed outputs of each contender are checked.
    """

    def __init__(
        self,
        problem: Problem,
        gpu: Gpu,
        cache: Path,
        make_runner: Callable[[Gpu, Path, Sandbox], ContestRunner] = ContestRunner,
        make_referee: Callable[[Gpu, Problem], Referee] = Referee,
        *,
        rule: StoppingRule = _RULE,
        verified: int = VERIFIED,
    ) -> None:
        self._problem = problem
        self._rule = rule
        self._verified = verified
        self._sandbox = Sandbox.find()
        self._cache = cache
        self._runner = make_runner(gpu, problem.folder, self._sandbox)
        try:
            self._referee = make_referee(gpu, problem)
        except BaseException:
            self._runner.close()
            raise

    def hold(self, sizes: Mapping[str, int], programs: Mapping[str, Program], *, library: bool = False) -> Timed:
        """Time these programs at one size, and the problem's library call beside them where asked for.

        Raises ContenderFailed; RunnerStopped where nobody can be blamed; JudgeError for times that can't be true.
        """
        contenders: dict[str, dict[str, Any] | None] = {name: image_of(program) for name, program in programs.items()}
        if library:
            contenders[BASELINE] = None
        checks = _Checks(self._problem, sizes, self._runner, self._referee, tuple(contenders))
        request = {
            "sizes": checks.numbers,
            "sigma": checks.sigma,
            "limit": gpu_limits_of(self._problem, sizes).seconds,
            "verified": self._verified,
            "rule": asdict(self._rule),
            "structure": checks.structure,
            "contenders": [
                {"name": name, "seed": checks.seed_of(name), "program": program} for name, program in contenders.items()
            ],
        }
        began = time.monotonic()
        planners = self._planners(programs)
        plans = {name: SetPlans(self._problem, checks.numbers, planner) for name, planner in planners.items()}

        def record(question: Mapping[str, Any]) -> Plan:
            name = question["contender"]
            try:
                return plans[name].plan(question["addresses"], self._runner)
            except RecordingStopped as stop:
                raise ContenderFailed(name, stop.message) from None

        try:
            answer = self._runner.contest(request, checks.kept, record)
        finally:
            for planner in planners.values():
                planner.close()
        took = time.monotonic() - began
        if "stopped" in answer:
            raise ContenderFailed(answer["stopped"], answer["message"])
        if "failed" in answer:
            raise RunnerStopped(RunStatus.CRASHED, answer["failed"])
        contest = from_data(answer["contest"])
        if contest.names != tuple(contenders):
            raise JudgeError(f"the runner timed {contest.names}; asked for were {tuple(contenders)}")
        if not contest.event_seconds <= min(contest.wall_seconds, took):
            raise JudgeError(
                f"the GPU's events add up to {contest.event_seconds:.3f} s within {took:.3f} s; "
                "these times are not used"
            )
        checks.demand(min(self._verified, len(contest.rounds) // len(contenders)))
        steered = {name for name in checks.wrong if name in planners and planners[name].steered}
        return Timed(contest, {**checks.wrong, **dict.fromkeys(steered, STEERED)})

    def _planners(self, programs: Mapping[str, Program]) -> dict[str, Planner]:
        """What plans those whose launch code is their own."""
        recorded = {name: program for name, program in programs.items() if language_of(program).launches_itself}
        if not recorded:
            return {}
        # Before the contest: in the middle of it the runner answers for the contender at hand alone.
        table = self._runner.device_table()
        return {
            name: language_of(program).planner(self._problem, program, lambda: table, self._sandbox, self._cache)
            for name, program in recorded.items()
        }

    def close(self) -> None:
        self._runner.close()
        self._referee.close()


class _Checks:
    """Every contender's kept outputs, each checked against the inputs that this replay had."""

    def __init__(
        self,
        problem: Problem,
        sizes: Mapping[str, int],
        runner: ContestRunner,
        referee: Referee,
        names: tuple[str, ...],
    ) -> None:
        self.structure = secrets.randbits(63)
        self._checks = {name: Check(problem, sizes, runner, referee, self.structure) for name in names}
        self.wrong: dict[str, str] = {}

    @property
    def sigma(self) -> float:
        return next(iter(self._checks.values())).sigma

    @property
    def numbers(self) -> dict[str, Any]:
        """What is passed by value: they share a structure's seed, and so the scalars."""
        return next(iter(self._checks.values())).numbers

    def seed_of(self, name: str) -> int:
        return self._checks[name].seed

    def kept(self, message: Mapping[str, Any]) -> str:
        """What the runner is to do after keeping these outputs: the contest goes on though one is wrong."""
        name = message["contender"]
        if name in self.wrong:
            return "go_on"
        try:
            return self._checks[name].kept(message)
        except WrongWhileTimed as wrong:
            self.wrong[name] = wrong.result.message
            return "go_on"

    def demand(self, least: int) -> None:
        """Raises JudgeError where fewer outputs came than had to."""
        for name, check in self._checks.items():
            if check.verified < least and name not in self.wrong:
                raise JudgeError(f"{check.verified} timed outputs of {name} were checked; {least} are needed")
