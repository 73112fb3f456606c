"""One case examined: run on a runner, compared with the reference, and put into a CaseResult.

The reference and the inputs that it needs are made here, on the judge's side, while the case runs; a runner never sees
them. What several cases say together is not decided here.
"""

from __future__ import annotations

import dataclasses
import re
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from grader.core.report import Call, CaseResult, FaultReport, KernelInfo
from grader.core.threads import beside, one_thread
from grader.core.verdict import FaultClass, Verdict, WrongKind
from grader.judge.wording import AFTER_OTHERS
from grader.plan.poison import Poison
from grader.plan.runner import Remark, Run, Runner, RunnerStopped, RunStatus
from grader.plan.stopped import RecordingStopped
from grader.problem.cases import Case, fits_emulator, with_other_inputs
from grader.problem.harness import LaunchRefused
from grader.problem.inputs import draw_scalars
from grader.run.limited import Limited

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    import numpy

    from grader.check.references import References
    from grader.compile.submission import Submission
    from grader.core.limits import Limits
    from grader.plan.planner import Planner
    from grader.problem import Problem
    from grader.run.gpu.referee import Referee

    Array = numpy.ndarray[Any, Any]

VERDICTS = {
    RunStatus.FAULT: Verdict.RUNTIME_ERROR,
    RunStatus.TIME: Verdict.TIME_LIMIT_EXCEEDED,
    RunStatus.MEMORY: Verdict.MEMORY_LIMIT_EXCEEDED,
    RunStatus.CRASHED: Verdict.INTERNAL_ERROR,
}


IN_NO_ORDER = "Launches that no event and no synchronisation orders were run in both orders; one of them came to this"


OF_A_LATER_CALL = (Verdict.RUNTIME_ERROR, Verdict.WRONG_ANSWER)
KEPT = "Static variables outlive a call: capture graphs, pack data and clear counters in each, for the sizes of each"


class Examiner:
    """Examines cases of one submission, each a second time with other inputs of the same sizes: what a kernel keeps
    from one run to the next is wrong then. Where there is a referee, so on a GPU, the first inputs run twice, since
    results may differ from one run to the next.

    `printed` is what the first case that printed anything printed, `details` what the first failure of the
    judge itself left for its makers. `repeated` counts cases that ran twice, `differing` those of them whose
    results were not the same bits. `added` are the kernels that were compiled when they were launched.
    `occupancy` is what the last launch of each kernel left of an SM,
    `remarks` what a device noticed first in each line. With `known_cases` other submissions get the same ones, whose
    references are kept. `before_case` is called before each case's first run.
    """

    def __init__(
        self,
        runner: Runner,
        problem: Problem,
        submission: Submission,
        planner: Planner,
        limits: Callable[[Problem, Case], Limits],
        referee: Referee | None = None,
        known_cases: bool = False,
    ) -> None:
        self._known_cases = known_cases
        self.before_case: Callable[[], object] = lambda: None
        self.printed = ""
        self.details = ""
        self.repeated = 0
        self.differing = 0
        self.added: dict[KernelInfo, None] = {}
        self.occupancy: dict[str, tuple[float, str]] = {}
        self.remarks: dict[tuple[int, str], Remark] = {}
        self._limits = limits
        self._referee = referee
        self._runner = runner
        self._problem = problem
        self._source = submission.text
        self._planner = planner

    def examine(self, case: Case, after: Sequence[Case] = ()) -> CaseResult:
        """Examines the case, and if it is right its sizes with other inputs; the result is of the first that fails.

        `after`: those inputs also in a process that has called solve() with these cases, and with this one.
        """
        self.before_case()
        first = self._examine(case, repeat=self._referee is not None)
        other = with_other_inputs(self._problem, case)
        if first.verdict is not Verdict.ACCEPTED:
            return first
        results = [first]
        if other is not None:
            results.append(self._examine(other, repeat=False, both_orders=False))
        right, planner = results[-1].verdict is Verdict.ACCEPTED, self._planner
        if right and after and planner.separate and not planner.steered:
            others = [*after] if other is None else [*after, case, case]
            results.append(self._examine_later_call(others, other or case))
        decides = next((result for result in results if result.verdict is not Verdict.ACCEPTED), first)
        return dataclasses.replace(decides, seconds=sum(result.seconds for result in results))

    def _examine_later_call(self, others: Sequence[Case], case: Case) -> CaseResult:
        """Runs the case after the others in one process. Where that can't be told it is right."""
        from grader.judge.later_calls import run_after_others

        began, limits = time.monotonic(), self._limits(self._problem, case)
        result = CaseResult(case.sizes, case.family, case.seed, Verdict.ACCEPTED)
        references = beside(lambda: self._references(case), "kgrade-references")
        try:
            parts = (self._runner, self._problem, self._planner, limits, others, case)
            run = run_after_others(*parts, Poison.NAN)
            if run is not None and run.status is RunStatus.DONE and run.holds_poison:
                second = run_after_others(*parts, Poison.FINITE)
                if second is not None:
                    run = run.unwritten_as_in(second) if second.status is RunStatus.DONE else second
        except RunnerStopped as stop:
            run = stop.as_run()
        except RecordingStopped as stop:
            run, result = None, result_of_stop(case, stop, self._source)
        if run is not None:
            done = run.status is RunStatus.DONE
            result = self._compare(case, run, references) if done else result_of_run(case, run, self._source)
        if result.verdict not in (*OF_A_LATER_CALL, Verdict.INTERNAL_ERROR):
            # All calls together have the steps, the time and the memory of one.
            result = dataclasses.replace(result, verdict=Verdict.ACCEPTED)
        if result.verdict in OF_A_LATER_CALL:
            calls = tuple(Call(other.sizes, other.family, other.seed) for other in others)
            said = result.message.partition(". ")[0]
            message = f"{AFTER_OTHERS}: {said[:1].lower()}{said[1:]}. {KEPT}"
            fault = result.fault and dataclasses.replace(result.fault, hint=KEPT)
            # Its kind would be that of a wrong kernel.
            result = dataclasses.replace(result, kind=None, fault=fault, message=message, after=calls)
        return self._with_facts(result, case, began)

    def _examine(self, case: Case, repeat: bool, both_orders: bool = True) -> CaseResult:
        """Runs the case and compares: a second time where that is asked for, where elements may be unwritten, and, with
        `both_orders`, where launches have no order."""
        began = time.monotonic()
        on_gpu = self._referee is not None and self._referee.is_quicker(case.sizes)
        references = None if on_gpu else beside(lambda: self._references(case), "kgrade-references")
        try:
            runs = self._run_poisoned(case, repeat, both_orders)
        except RecordingStopped as stop:
            self.printed = self.printed or stop.printed
            return self._with_facts(result_of_stop(case, stop, self._source), case, began)
        run = runs[-1]
        # Of solve() and of its kernels. It was called before they ran.
        self.printed = self.printed or self._planner.printed + run.printed
        self.details = self.details or run.details
        self.occupancy.update(run.occupancy)
        # One a line, and all that are of no line.
        noticed = {(one.line, "" if one.line else one.message): one for one in run.remarks}
        self.remarks = {**noticed, **self.remarks}
        if run.status is RunStatus.DONE:
            results = (self._compare(case, run, references) for run in runs)
            result = min(results, key=lambda result: result.verdict is Verdict.ACCEPTED)
            undefined = next((remark for remark in run.remarks if remark.undefined), None)
            if undefined is not None and result.verdict is Verdict.WRONG_ANSWER:
                # Not the runner's own: the values mean nothing on any device.
                fault = FaultReport(
                    FaultClass.BARRIER_DIVERGENCE, undefined.message, line=undefined.line, kernel=self._problem.kernel
                )
                result = result_of_run(
                    case, dataclasses.replace(run, status=RunStatus.FAULT, fault=fault), self._source
                )
            elif result.kind is WrongKind.UNWRITTEN_OUTPUT and (refused := self._planner.refused_launch()):
                # What it should have written is missing.
                result = result_of_stop(case, refused, self._source)
            elif runs[0].in_no_order and result.verdict is Verdict.WRONG_ANSWER:
                result = dataclasses.replace(result, message=f"{result.message}. {IN_NO_ORDER}")
        else:
            result = result_of_run(case, run, self._source)
        return dataclasses.replace(self._with_facts(result, case, began), instructions=run.instructions)

    def _with_facts(self, result: CaseResult, case: Case, began: float) -> CaseResult:
        scalars = draw_scalars(self._problem, case.family, case.seed)
        return dataclasses.replace(result, seconds=time.monotonic() - began, scalars=scalars)

    def _run_poisoned(self, case: Case, repeat: bool, both_orders: bool) -> list[Run]:
        """The runs to compare with the reference: two where their results differ, else one. A failed run is alone."""
        first = self._run(case, Poison.NAN)
        if first.status is not RunStatus.DONE:
            return [first]
        in_no_order = both_orders and first.in_no_order
        if not repeat and not in_no_order and not first.holds_poison:
            return [first]
        second = self._run(case, Poison.FINITE)
        if second.status is not RunStatus.DONE:
            return [second]
        changed = {**second.changed, **first.changed}
        first, second = (
            dataclasses.replace(one.unwritten_as_in(other), changed=changed)
            for one, other in ((first, second), (second, first))
        )
        if not repeat:
            return [second, first] if in_no_order else [first]
        self.repeated += 1
        if all(same_bits(array, second.outputs[name], first.unwritten[name]) for name, array in first.outputs.items()):
            return [first]
        self.differing += 1
        return [second, first]

    def _run(self, case: Case, poison: Poison) -> Run:
        limits = self._limits(self._problem, case)
        try:
            addresses = self._runner.prepare(self._problem, case.sizes, case.family, case.seed, poison)
            device = Limited(self._runner, limits)
            try:
                plan = self._planner.plan(case.numbers(self._problem), addresses, device)
            finally:
                self.added.update(dict.fromkeys(device.added))
            run = self._runner.execute(plan, limits)
        except LaunchRefused as refusal:
            return Run(RunStatus.FAULT, fault=self._refused(refusal))
        except RunnerStopped as stop:
            run = stop.as_run()
        if run.fault is not None and run.fault.line is None and run.fault.kernel:
            # Where no line of the kernel is known, that of its launch is.
            line = self._planner.launch_line(run.fault.kernel)
            run = dataclasses.replace(run, fault=dataclasses.replace(run.fault, line=line))
        if run.status is RunStatus.TIME and not run.message:
            counted = "" if run.instructions is None else f"{run.instructions:,} warp instructions and "
            spent = f"{counted}{run.seconds:.1f} s"
            return dataclasses.replace(run, message=f"still running after {spent}")
        return run

    def _references(self, case: Case) -> References:
        """The references of a case, with what every comparison needs of them."""
        from grader.check.references import known_references, references_of

        find = known_references.of if self._known_cases else references_of
        with one_thread() if fits_emulator(self._problem, case) else nullcontext():
            references = find(self._problem, case)
            _ = references.bounds
        return references

    def _compare(self, case: Case, run: Run, ahead: Future[References] | None) -> CaseResult:
        if ahead is None:
            assert self._referee is not None
            result = self._referee.check(case, run.outputs, run.unwritten, run.changed)
            if result is not None:
                return result
        from grader.check import check_outputs

        references = self._references(case) if ahead is None else ahead.result()
        with one_thread() if fits_emulator(self._problem, case) else nullcontext():
            verdict, kind, message, outputs = check_outputs(references, run.outputs, run.unwritten, run.changed)
        return CaseResult(
            sizes=dict(case.sizes),
            family=case.family,
            seed=case.seed,
            verdict=verdict,
            kind=kind,
            message=message,
            outputs=outputs,
        )

    def _refused(self, refusal: LaunchRefused) -> FaultReport:
        """A launch that CUDA refuses, blamed on the first `#define` of the submission that led to it."""
        found = (define_line(self._source, name) for name in refusal.constants)
        line = next((line for line in found if line is not None), None)
        return FaultReport(FaultClass.LAUNCH_FAILURE, refusal.message, line=line, kernel=self._problem.kernel)


def result_of_stop(case: Case, stop: RecordingStopped, source: str = "") -> CaseResult:
    """The result of a case whose solve() gave no plan."""
    fault = None
    if stop.fault is not None:
        fault = _with_text(FaultReport(stop.fault, stop.message, line=stop.line, hint=stop.hint), source)
    return CaseResult(
        sizes=dict(case.sizes),
        family=case.family,
        seed=case.seed,
        verdict=stop.verdict,
        fault=fault,
        line=stop.line,
        message=stop.message if fault or not stop.hint else f"{stop.message}. {stop.hint}",
    )


def same_bits(one: Array, other: Array, but: Array) -> bool:
    """Whether two arrays hold the same bits, except in the elements that `but` marks."""
    bits = f"u{one.dtype.itemsize}"
    return not ((one.view(bits) != other.view(bits)) & ~but).any()


def result_of_run(case: Case, run: Run, source: str = "") -> CaseResult:
    """The result of a case whose run did not come to its end."""
    fault = _with_text(run.fault, source) if run.fault else None
    message = fault.message if fault else run.message
    return CaseResult(
        sizes=dict(case.sizes),
        family=case.family,
        seed=case.seed,
        verdict=VERDICTS[run.status],
        fault=fault,
        line=fault.line if fault else next(iter(run.lines), None),
        message=message,
    )


def _with_text(fault: FaultReport, source: str) -> FaultReport:
    """The fault with the text of its source line."""
    lines = source.splitlines()
    if fault.line is None or not 1 <= fault.line <= len(lines):
        return fault
    return dataclasses.replace(fault, text=lines[fault.line - 1].strip())


def define_line(source: str, name: str) -> int | None:
    """The line, from 1, of the last `#define` of this name: the one that holds at the end of the file."""
    pattern = re.compile(rf"\s*#\s*define\s+{re.escape(name)}\b")
    return next(
        (number for number, text in reversed(list(enumerate(source.splitlines(), 1))) if pattern.match(text)),
        None,
    )
