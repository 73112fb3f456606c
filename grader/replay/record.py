"""Records what one block of a failing case did: a debug build of the submission on the emulator, in its own process.

The marks are found afterwards, in the Trace and the result of the case: see marks.py.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from grader.compile.compiler import CompileFailure
from grader.compile.program import Program
from grader.compile.submission import Submission
from grader.core.errors import JudgeError
from grader.core.limits import Limits
from grader.core.plan import Alloc, Launch, Plan, Step
from grader.core.report import CaseResult, Dim3
from grader.core.verdict import LanguageName, Verdict
from grader.languages.language import Language
from grader.plan.device_table import EMULATED
from grader.plan.planner import Planner
from grader.plan.poison import Poison
from grader.plan.runner import Runner, RunnerStopped, RunStatus
from grader.plan.series import plan_calls
from grader.plan.stopped import RecordingStopped
from grader.problem import Problem
from grader.problem.cases import Case
from grader.problem.harness import LaunchRefused
from grader.problem.inputs import draw_scalars
from grader.replay.marks import happens_again, is_shown, mark, mark_chosen, mark_end
from grader.replay.model import DEBUG, GRADED
from grader.replay.packing import unpack
from grader.replay.places import Place, Places
from grader.replay.runner import ReplayRunner
from grader.replay.trace import Trace
from grader.replay.writers import Element
from grader.run.limited import Limited
from grader.sandbox import Sandbox

LIMITS = Limits(seconds=3.0, instructions=64_000_000)
ROWS, ENDLESS_ROWS = 16_000, 4_000
"""Accesses that are recorded: of an endless loop a few rounds are enough."""
LIBRARIES = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"](cub|thrust|cute|cutlass)/", re.MULTILINE)
"""Their templates take a debug build tens of seconds."""
BUILD_DIFFERS = (
    "This is a debug build: the compiler has not reordered or merged anything, and every variable exists. It does what "
    "the graded build does, in more instructions; where threads race, the order may be another one."
)
NO_VARIABLES = (
    "This is the build that was graded. It has lines, lanes and memory; the compiler keeps no names of variables."
)
BLOCKS_BEFORE = "The blocks that begin before it were run first, without being recorded: this one may depend on them."
BLOCK_ALONE = "For the recording no other block of this launch was run: this one does not depend on them."
BLOCKS_ALONE = "For the recording no other blocks of this launch were run."
BEYOND = "What the report tells comes later than that; smaller sizes may show it."
TOO_LONG = "In a debug build, which has variables, the recording would end before what the report tells."
CUT = "The recording reached its limit here: the block would have gone on."
LAST = (
    "These are the block's last steps: the earlier ones are left out, and what they wrote is shown only where it is "
    "read again."
)
FIRST_LAUNCH = "solve() did not return; this is the first kernel that it launched."
CALLS_BEFORE = "solve() was called {} times before, in the same process: launches are counted from the first call on."
MOST_BEGUN = 64
"""Steps of a plan that has no end."""
HOST_SECONDS = 2.0
"""What the host code of a case that took too long gets."""


class _Noting(Limited):
    """Notes the steps that run while launch code is recorded, for what it reads."""

    def __init__(self, runner: Runner, limits: Limits) -> None:
        super().__init__(runner, limits)
        self.steps: list[Step] = []

    def read(self, steps: Sequence[Step], address: int, size: int) -> bytes:
        self.steps += steps
        return super().read(steps, address, size)


class _EndsBeforeError(Exception):
    """A recording ended before the wrong element was written."""


class Recorder:
    """Records cases of one submission. `close` ends the process."""

    def __init__(
        self, problem: Problem, submission: Submission, language: Language, cache: Path, sandbox: Sandbox
    ) -> None:
        self._problem, self._submission, self._language = problem, submission, language
        self._cache, self._sandbox = cache, sandbox
        self._runner = ReplayRunner(problem.folder, sandbox, cache / "kernels")
        self._begun: Plan | None = None
        """What a solve() that did not return began with."""
        self._places: Sequence[Place] | None = None
        """Where the case that is recorded failed, in any build, once that is known."""
        self._others: Sequence[Case] = ()
        """The calls before that of the case, in the same process."""

    def close(self) -> None:
        self._runner.close()

    def record(self, result: CaseResult, limits: Limits = LIMITS, block: Dim3 | None = None) -> Trace | None:
        """The trace of the block in which a case failed, or of `block` of that launch; None if there is none to be had.

        That is so if nothing can be compiled or run on the emulator, or if no kernel was launched. Raises UsageError
        for a block that is not in the grid, and JudgeError if the recording itself fails.
        """
        program, build = self._program()
        if program is None:
            return None
        case = Case(dict(result.sizes), result.family, result.seed)
        self._others = [Case(dict(call.sizes), call.family, call.seed) for call in result.after]
        self._places = None
        try:
            self._runner.load(program)
            host = self._host_of(program)
            try:
                trace = self._record(host, build, case, result, limits, block, may_end_before=build != DEBUG)
            except _EndsBeforeError:
                if shorter := self._shorter(case, result, limits):
                    return shorter
                self._runner.load(program)
                return self._record(host, build, case, result, limits, block)
            if build == DEBUG and trace is not None and BEYOND in trace.remarks:
                return self._shorter(case, result, limits) or trace
            return trace
        except (CompileFailure, LaunchRefused, RecordingStopped):
            return None
        except RunnerStopped as stopped:
            if stopped.status in (RunStatus.CRASHED, RunStatus.TIME):
                raise JudgeError(f"the recording failed: {stopped.message}", stopped.details) from stopped
            return None

    def _shorter(self, case: Case, result: CaseResult, limits: Limits) -> Trace | None:
        """The trace of the graded build, which takes fewer accesses, else its end; None if neither shows it."""
        try:
            program = self._language.compile(*self._given(), None, self._sandbox)
            self._runner.load(program)
            for keeps_last in (False, True):
                with suppress(_EndsBeforeError):
                    trace = self._record(program, GRADED, case, result, limits, None, keeps_last, may_end_before=False)
                    if trace is not None and BEYOND not in trace.remarks:
                        return replace(trace, remarks=(*trace.remarks, TOO_LONG))
        except (CompileFailure, LaunchRefused, RecordingStopped, RunnerStopped, JudgeError):
            return None
        return None

    def first_block(self, case: Case, limits: Limits = LIMITS) -> Trace | None:
        """The trace of the first block of a case's first launch, in the build that is graded; None if there is none."""
        try:
            program = self._language.compile(*self._given(), None, self._sandbox)
            self._runner.load(program)
            planner = self._planner(program, limits)
            try:
                return self._trace(planner, GRADED, case, Place(0, (0,)), limits, ROWS)
            finally:
                planner.close()
        except (CompileFailure, LaunchRefused, RecordingStopped, RunnerStopped, JudgeError):
            return None

    def _program(self) -> tuple[Program | None, str]:
        """The debug build, else the graded one."""
        if self._language.has_debug_build and not LIBRARIES.search(self._submission.text):
            try:
                given = self._problem, self._submission, self._cache, self._sandbox
                return self._language.compile_debug(*given), DEBUG
            except (CompileFailure, JudgeError):
                pass
        try:
            return self._language.compile(*self._given(), None, self._sandbox), GRADED
        except (CompileFailure, JudgeError):
            return None, GRADED

    def _host_of(self, program: Program) -> Program:
        """What launches a program: a debug build of kernels alone is launched by the graded build's host code."""
        if not self._language.launches_itself or program.shared_object or program.script:
            return program
        return self._language.compile(*self._given(), None, self._sandbox)

    def _given(self) -> tuple[Problem, Submission, Path]:
        return self._problem, self._submission, self._cache

    def _record(
        self,
        host: Program,
        build: str,
        case: Case,
        result: CaseResult,
        limits: Limits,
        block: Dim3 | None,
        keeps_last: bool = False,
        may_end_before: bool = True,
    ) -> Trace | None:
        """The trace of the place of a failure, with its marks. Raises _EndsBeforeError, unless it `may_end_before`."""
        late = result.verdict is Verdict.TIME_LIMIT_EXCEEDED
        planner = self._planner(host, replace(limits, seconds=HOST_SECONDS) if late else limits)
        self._begun = None
        try:
            plan = self._plan(planner, case, limits)

            def anew() -> Plan:
                return self._plan(planner, case, limits)

            begun = self._begun is not None
            looked = Places(self._problem, self._runner, anew, result, limits, begun)
            if self._places is None:
                self._places = looked.find(plan, block)
            places = self._places
            if block is not None and places:
                trace = self._trace(planner, build, case, places[0], limits, ROWS)
                return None if trace is None else mark_chosen(trace, result)
            found: Trace | None = None
            rows = ENDLESS_ROWS if late else ROWS
            sought = None if may_end_before else looked.wrong_element()
            for place in places:
                trace = self._trace(planner, build, case, place, limits, rows, False, keeps_last, sought)
                if trace is None:
                    continue
                marked = mark_end(trace) if begun else mark(trace, result, _is_cut(trace))
                if BLOCK_ALONE in trace.remarks and not happens_again(trace, marked, result):
                    after = self._trace(planner, build, case, place, limits, rows, True, keeps_last, sought)
                    trace = after or trace
                    marked = mark(trace, result, _is_cut(trace))
                if is_shown(trace, marked, result, _is_cut(trace)):
                    return marked
                found = found or marked
            if found is not None and _is_cut(found):
                return replace(found, remarks=(*found.remarks, BEYOND))
            return found
        finally:
            planner.close()

    def _planner(self, program: Program, limits: Limits) -> Planner:
        return self._language.planner(
            self._problem, program, lambda: EMULATED, self._sandbox, self._cache, seconds=limits.seconds
        )

    def _plan(self, planner: Planner, case: Case, limits: Limits) -> Plan:
        if self._begun is not None:
            # Nothing of it has run yet, and solve() would take as long once more.
            return self._begun
        addresses = self._prepare(case)
        device = _Noting(self._runner, limits)
        try:
            if self._others:
                several = (device, self._others, case, addresses, Poison.NAN)
                return plan_calls(self._problem, planner, *several) or Plan(())
            plan = planner.plan(case.numbers(self._problem), addresses, device)
            return self._again(planner.whole, case, addresses) if planner.whole.steps else plan
        except RunnerStopped as stopped:
            if stopped.as_run().status is not RunStatus.FAULT or not device.steps:
                raise
            # A kernel fails before solve() has what it reads: what ran up to there is all of the plan.
            return self._again(Plan(tuple(device.steps)), case, addresses)
        except RecordingStopped as stopped:
            steps = stopped.begun.steps[:MOST_BEGUN]
            if stopped.verdict is not Verdict.TIME_LIMIT_EXCEEDED or not any(isinstance(s, Launch) for s in steps):
                raise
            self._begun = Plan(tuple(steps))
            return self._begun

    def _prepare(self, case: Case) -> Mapping[str, int]:
        return self._runner.prepare(self._problem, case.sizes, case.family, case.seed)

    def _again(self, whole: Plan, case: Case, addresses: Mapping[str, int]) -> Plan:
        """A plan of which a part ran while it was made, with all its arrays as they were before. Raises JudgeError if
        they are elsewhere now."""
        same = self._prepare(case) == addresses
        first = {step.address: step.size for step in reversed(whole.steps) if isinstance(step, Alloc)}
        given = dict.fromkeys(step.address for step in whole.steps if isinstance(step, Alloc))
        if not same or any(self._runner.allocate(first[address]) != address for address in given):
            raise JudgeError("the plan's arrays are at other addresses when it is run again")
        return whole

    def _trace(
        self,
        planner: Planner,
        build: str,
        case: Case,
        place: Place,
        limits: Limits,
        rows: int,
        before: bool = False,
        keeps_last: bool = False,
        sought: Element | None = None,
    ) -> Trace | None:
        plan = self._plan(planner, case, limits)
        about = {
            "problem": self._problem.name,
            "sizes": dict(case.sizes),
            "scalars": {name: float(x) for name, x in draw_scalars(self._problem, case.family, case.seed).items()},
            "seed": case.seed,
            "family": case.family,
            "launch": place.launch,
            "build": build,
        }
        answer = self._runner.ask(
            *("record", plan, limits),
            launch=place.launch,
            blocks=place.blocks,
            file=self._submission.path_name,
            source=self._submission.text,
            about=about,
            rows=rows,
            before=before,
            keeps_last=keeps_last,
            sought=None if sought is None else asdict(sought),
        )
        if answer.get("beyond"):
            raise _EndsBeforeError
        if "trace" not in answer:
            return None
        trace = self._named(unpack(base64.b64decode(answer["trace"])), plan, place)
        remarks = _remarks(trace, build, answer, place)
        more = [FIRST_LAUNCH] * (self._begun is not None)
        if self._others:
            more.append(CALLS_BEFORE.format(len(self._others)))
        return replace(trace, remarks=(*remarks, *more))

    def _named(self, trace: Trace, plan: Plan, place: Place) -> Trace:
        """The trace with the kernel's name in the source, where a compiler of Python has made a longer one of it."""
        if self._submission.language is LanguageName.CUDA:
            return trace
        launches = [step for step in plan.steps if isinstance(step, Launch)]
        name = self._runner.loaded[launches[place.launch].kernel].name
        functions = (replace(one, name=name) if one.name == trace.kernel else one for one in trace.functions)
        return replace(trace, kernel=name, functions=tuple(functions))


def record_replay(
    problem: Problem,
    submission: Submission,
    result: CaseResult,
    language: Language,
    cache: Path,
    sandbox: Sandbox,
    limits: Limits = LIMITS,
) -> Trace | None:
    """The trace of the block in which this case of a submission failed, with its marks; None if there is none."""
    if result.verdict is Verdict.ACCEPTED:
        return None
    recorder = Recorder(problem, submission, language, cache, sandbox)
    try:
        return recorder.record(result, limits)
    finally:
        recorder.close()


def record_first_block(
    problem: Problem, submission: Submission, case: Case, language: Language, cache: Path, sandbox: Sandbox
) -> Trace | None:
    """The trace of the first block that a right submission launches, as it was graded; None if there is none."""
    recorder = Recorder(problem, submission, language, cache, sandbox)
    try:
        return recorder.first_block(case)
    finally:
        recorder.close()


def _is_cut(trace: Trace) -> bool:
    """Whether a recording lacks the end of its block, or the begin."""
    return trace.truncated or LAST in trace.remarks


def _remarks(trace: Trace, build: str, answer: Mapping[str, Any], place: Place) -> tuple[str, ...]:
    remarks = [BUILD_DIFFERS if build == DEBUG else NO_VARIABLES]
    if trace.grid != (1, 1, 1):
        alone = BLOCK_ALONE if len(trace.blocks) == 1 else BLOCKS_ALONE
        remarks.append(BLOCKS_BEFORE if answer["before"] else alone)
    if place.words:
        remarks.append(place.words)
    if answer["begins_late"]:
        remarks.append(LAST)
    if trace.truncated or "limit" in answer["status"]:
        remarks.append(CUT)
    return tuple(remarks)
