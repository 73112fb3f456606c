"""Whether a submission's results are right at the size whose model time ranks: its cases are much smaller.

A kernel could do its work there alone. What the sampled blocks have written is compared with the reference, and there
has to be as much of it as of the work. Where that shows nothing, as with sums over blocks or with launches that need
all of the one before, the whole plan runs, within limits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grader.check.case import check_outputs
from grader.check.compare import Mask, compare
from grader.check.references import References, references_of
from grader.core.limits import Limits
from grader.core.verdict import Verdict
from grader.judge.deadline import Deadline, DeadlinePassed
from grader.model.sampling import FEW, LaunchSample
from grader.plan.runner import Run, RunStatus
from grader.problem import Problem
from grader.problem.cases import Case

WHOLE = Limits(seconds=60.0, instructions=4_000_000_000)
"""What the whole plan may take."""
MOST_BYTES = 400 << 20
"""Of the arrays of a case: its reference in float64 takes up to twenty times as much."""
REFERENCE_SECONDS = 60.0
ENOUGH = 0.8
"""The share of an output that has to be written, relative to the share of the work that was done."""

NEAR, HIDES = 2.5, 8.0
"""How many times as much all blocks may do as the sample says: above the first the time is as many times as long, and
there is none above the second. Blocks that wait for others, as in a look-back, do twice as much where all run."""

HIDDEN = "its other blocks do much more at this size than those from which the time would follow"
WRONG = "at this size its results are wrong, which no case had; kgrade test with --case tells more"
OTHER_PLAN = "solve() asks for other work when it is called again with the same inputs, so that its time says nothing"
UNKNOWN = "its results at this size can't be checked: "
TOO_LONG = f"its blocks depend on each other, and all of them take more than {WHOLE.seconds:g} s on the emulator"


class NoReferenceError(Exception):
    """The problem has no reference that can be computed at this size, whatever the submission; the text says why."""


def reference(problem: Problem, case: Case) -> References:
    """The references of a case, computed. Raises NoReferenceError where that takes too long, or too much memory."""
    size = problem.array_bytes(case.sizes)
    if size > MOST_BYTES:
        raise NoReferenceError(f"its arrays have {size >> 20} MiB, and more than {MOST_BYTES >> 20} are not compared")
    found = references_of(problem, case)
    try:
        with Deadline(REFERENCE_SECONDS, lambda text: None):
            found.bounds  # noqa: B018  The property computes it.
    except DeadlinePassed:
        raise NoReferenceError(f"its reference takes more than {REFERENCE_SECONDS:g} s") from None
    return found


def prove(
    references: References,
    launches: Sequence[LaunchSample],
    sampled: Run,
    run_all: Callable[[], Run],
) -> tuple[str, float]:
    """Returns why the results are not known to be right, "" if they are: those of the sample, or else of all blocks.

    And how many times as much all blocks did as the sample says, 1 where that is near to it.
    """
    more = work_beside(launches)
    if all(launch.done == 1.0 for launch in launches):
        return _of(_judged(references, sampled), more)
    *before, last = launches
    if all(launch.done == 1.0 for launch in before) and last.done and _holds(references, sampled, last.done):
        return _of("", more)
    run = run_all()
    estimated = sum(one.instructions for one in launches)
    return _of(_judged(references, run), max(more, (run.instructions or 0) / (estimated + FEW)))


def work_beside(launches: Sequence[LaunchSample]) -> float:
    """How many times as much all blocks did, of launches that ran whole, as their samples say; others count as 1."""
    estimated = sum(one.instructions + FEW for one in launches)
    return sum((one.instructions + FEW) * max(1.0, one.hidden) for one in launches) / max(estimated, 1.0)


def _of(why: str, more: float) -> tuple[str, float]:
    if not why and more > HIDES:
        why = HIDDEN
    return why, more if more > NEAR else 1.0


def _judged(references: References, run: Run) -> str:
    if run.status is RunStatus.TIME:
        return UNKNOWN + TOO_LONG
    if run.status is RunStatus.FAULT:
        return WRONG
    if run.status is not RunStatus.DONE:
        return UNKNOWN + (run.message or str(run.status))
    left = {name: _left(references, run, name) for name in references.bounds}
    verdict, *_ = check_outputs(references, run.outputs, left, run.changed)
    return "" if verdict is Verdict.ACCEPTED else WRONG


def _left(references: References, run: Run, name: str) -> Mask:
    """Which elements of an output are unwritten. One that should hold what poison is, as a byte may, is written."""
    expected = references.bounds[name].expected
    got = references.problem.outputs[name].numbers(run.outputs[name])
    left: Mask = run.unwritten[name].reshape(got.shape) & (got != expected)
    return left


def _holds(references: References, run: Run, done: float) -> bool:
    """Whether all that is written is right, and as much as the work that was done."""
    problem = references.problem
    if run.changed or problem.start_contents(references.sizes):
        return False
    for name, bound in references.bounds.items():
        got = problem.outputs[name].numbers(run.outputs[name])
        left = _left(references, run, name)
        if bool((compare(bound, got, left).wrong & ~left).any()):
            return False
        missed = left if bound.untouched is None else left & ~bound.untouched
        if 1.0 - missed.mean() < ENOUGH * done:
            return False
    return True
