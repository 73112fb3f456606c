"""The passes of a grading over a compiled submission, in their order, each with a decision.

To add one, write a function from a Course, a Turn and the Report so far to a Decision, and name it in PASSES.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.compile.program import Program
from grader.compile.submission import Submission
from grader.core.report import CaseResult, Report
from grader.core.verdict import Verdict
from grader.judge import reporting
from grader.judge.grading import Grading, Outcome
from grader.judge.timing import Measurer
from grader.judge.unset_locals import CHECK, LocalsPass, emulates
from grader.languages.language import AskTable, Language
from grader.plan.planner import Planner
from grader.problem import Problem
from grader.problem.cases import Case
from grader.run.device import Part, Progress
from grader.sandbox import Sandbox


@dataclass(frozen=True)
class Decision:
    """The report after a pass. Where it is `final` the verdict stands, and no further pass runs."""

    report: Report
    final: bool = False


@dataclass
class Course:
    """A compiled submission on its way through the passes, and what they have found.

    `ready` is the caller's own work beside. `local_values` is the second look at what the emulator finds right; None
    where there is none. With `timed`, what is right is timed where the device can. With `known_cases` other submissions
    get the same ones.
    """

    problem: Problem
    submission: Submission
    language: Language
    program: Program
    cache: Path
    sandbox: Sandbox
    progress: Progress
    ready: Future[None]
    local_values: LocalsPass | None = None
    timed: bool = False
    fresh_modules: bool = False
    known_cases: bool = False
    found: list[tuple[Grading, Outcome]] = field(default_factory=list)
    """What each part came to, in the order in which they took part."""
    emulated: Sequence[tuple[Grading, Outcome]] = ()
    """`found` as it was when the emulator had found all right."""

    def run(self, report: Report, parts: Sequence[Part]) -> Report:
        """Lets each part take its turn; the first pass whose decision is final ends it."""
        for part in parts:
            if self.ready.done():
                self.ready.result()
            with part.take_turn(), ExitStack() as opened:
                turn = Turn(part, self.planner(part, opened), opened)
                for each in PASSES:
                    decision = each(self, turn, report)
                    report = decision.report
                    if decision.final:
                        return _with_notes(report, turn.planner)
                report = _with_notes(report, turn.planner)
        return report

    def planner(self, part: Part, opened: ExitStack) -> Planner:
        """A planner for this part, which ends with `opened`."""
        return self._planner(part, opened, self.language, self.program, part.device_table)

    def baseline_planner(self, part: Part, opened: ExitStack, language: Language, program: Program) -> Planner:
        """A planner for the problem's baseline, to be used while this part is timing; it ends with `opened`."""
        if not language.launches_itself:
            return self._planner(part, opened, language, program, part.device_table)
        # Asked for now: a process that is timing does not answer this question.
        table = part.device_table()
        return self._planner(part, opened, language, program, lambda: table)

    def _planner(
        self, part: Part, opened: ExitStack, language: Language, program: Program, ask_table: AskTable
    ) -> Planner:
        given = (self.problem, program, ask_table, self.sandbox, self.cache)
        planner = language.planner(*given, seconds=part.solve_seconds)
        opened.callback(planner.close)
        return planner

    def unset_local(self) -> CaseResult | None:
        """What the second look found, waited for, so that the emulator's runner can be asked again."""
        if self.local_values is None:
            return None
        self.progress("checking local variables")
        return self.local_values.found()

    def unset_local_behind(self, part: Part, failure: CaseResult) -> CaseResult | None:
        """The local variable without a value that explains a wrong answer of the emulator, if there is one."""
        if self.local_values is None or not emulates(part) or failure.verdict is not Verdict.WRONG_ANSWER:
            return None
        self.progress("checking local variables")
        return self.local_values.run(part, self.program, _case_of(failure))


def _case_of(result: CaseResult) -> Case:
    return Case(result.sizes, result.family, result.seed)


def _with_notes(report: Report, planner: Planner) -> Report:
    return replace(report, diagnostics=(*report.diagnostics, *planner.notes))


@dataclass(frozen=True)
class Turn:
    """A part that has its device to itself; what is entered into `opened` is closed when the turn ends."""

    part: Part
    planner: Planner
    opened: ExitStack


Pass = Callable[[Course, Turn, Report], Decision]


def look_in_place(course: Course, turn: Turn, report: Report) -> Decision:
    """Where a part before met an instruction that it does not know, another runner of this device looks for it."""
    if not course.found or not course.found[-1][1].is_unknown:
        return Decision(report)
    part = turn.part.stand_in(course.found[-1][0].part.cases)
    if part is None:
        return Decision(report)
    turn.opened.callback(part.close)
    return _examine(course, part, course.planner(turn.part, turn.opened), report)


def examine(course: Course, turn: Turn, report: Report) -> Decision:
    """Runs the part's cases; the first failure that counts decides."""
    return _examine(course, turn.part, turn.planner, report)


def _examine(course: Course, part: Part, planner: Planner, report: Report) -> Decision:
    grading = Grading(
        *(part, course.problem, course.submission, course.program, planner),
        fresh_modules=course.fresh_modules,
        known_cases=course.known_cases,
    )
    outcome = grading.run(course.progress)
    course.found.append((grading, outcome))
    report = reporting.add_findings(report, course.found)
    if outcome.failure is not None and (part.decides or not outcome.undecided):
        unset = course.unset_local()
        if unset is not None:
            # It says why, which a wrong answer of a GPU does not.
            emulated = course.emulated or course.found[:1]
            return Decision(reporting.add_failure(report, course.problem, unset, emulated), final=True)
        course.progress("finding the smallest sizes that fail")
        diagnosis = grading.diagnose(outcome)
        unset = course.unset_local_behind(part, diagnosis.smallest)
        if unset is not None:
            return Decision(reporting.add_failure(report, course.problem, unset, course.found), final=True)
        report = replace(report, pattern=diagnosis.pattern)
        return Decision(reporting.add_failure(report, course.problem, diagnosis.smallest, course.found), final=True)
    if course.local_values is not None and emulates(part):
        if outcome.failure is None:
            course.emulated = list(course.found)
            course.local_values.begin(part, course.program)
        elif outcome.failure.verdict is Verdict.WRONG_ANSWER:
            # Another device decides; if it is wrong there too, this may be why.
            course.local_values.begin(part, course.program, _case_of(outcome.failure))
    return Decision(report)


def check_locals(course: Course, turn: Turn, report: Report) -> Decision:
    """Once the part that decides found all right: does the kernel use local variables that have no value?"""
    if not turn.part.decides or course.local_values is None or not course.emulated:
        return Decision(report)
    unset = course.unset_local()
    if unset is not None:
        return Decision(reporting.add_failure(report, course.problem, unset, course.emulated), final=True)
    if course.local_values.completed:
        report = replace(report, checks=(*report.checks, CHECK))
    return Decision(report)


def measure(course: Course, turn: Turn, report: Report) -> Decision:
    """Times what is right, where times are asked for and the device has any."""
    if not course.timed or turn.part.stopwatch is None:
        return Decision(report)
    course.ready.result()
    measurer = Measurer(
        *(course.problem, course.program, course.submission.text, turn.part.stopwatch, course.cache, turn.planner),
        lambda language, program: course.baseline_planner(turn.part, turn.opened, language, program),
    )
    return Decision(reporting.add_times(report, course.problem, measurer.run(course.progress)))


PASSES: tuple[Pass, ...] = (look_in_place, examine, check_locals, measure)
