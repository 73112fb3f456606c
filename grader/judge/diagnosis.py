"""What a failed grading comes down to: the failure that counts, the smallest sizes that show it, the pattern.

It asks for more runs, within an effort, and reads results; it words nothing but the pattern.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from grader.core.limits import USUAL_SEARCH, Search
from grader.core.report import CaseResult
from grader.core.verdict import FaultClass, Verdict, WrongKind
from grader.judge.pattern import Observation, find_pattern
from grader.judge.shrink import shrink
from grader.problem.cases import Case

Examine = Callable[[Case], CaseResult]

KINDS = (
    WrongKind.CHANGED_INPUT,
    WrongKind.UNWRITTEN_OUTPUT,
    WrongKind.WRONG_VALUE,
    WrongKind.LOW_PRECISION,
    WrongKind.NOT_DETERMINISTIC,
)
"""Where cases fail in different ways, the kind that explains the others comes first."""
LIKE = 4.0
"""How much larger errors in low precision may be at other sizes."""
SIZELESS = (FaultClass.ILLEGAL_INSTRUCTION, FaultClass.LAUNCH_FAILURE, FaultClass.UNSUPPORTED_CALL)
"""Faults that lie in the program or its launch constants, whatever the sizes."""


@dataclass(frozen=True)
class Diagnosis:
    """The failure at the smallest sizes that show it, and what failing sizes have in common."""

    smallest: CaseResult
    pattern: str


def deciding_case(results: Sequence[CaseResult]) -> CaseResult | None:
    """The case that the verdict is taken from; None when all were accepted.

    Of few elements, or few wrong ones, low precision is not always to be known: where it explains more of the cases,
    it explains those of no larger errors too.
    """
    failed = [result for result in results if result.verdict is not Verdict.ACCEPTED]
    imprecise = [result for result in failed if result.kind is WrongKind.LOW_PRECISION]
    others = [result for result in failed if result.kind is WrongKind.WRONG_VALUE]
    if len(imprecise) > len(others):
        most = LIKE * max(map(_worst, imprecise))
        failed = [result for result in failed if result not in others or not _worst(result) <= most]
    return min(failed, key=_rank, default=None)


def _worst(result: CaseResult) -> float:
    return max((output.worst for output in result.outputs), default=0.0)


def _rank(result: CaseResult) -> int:
    if result.verdict is Verdict.TIME_LIMIT_EXCEEDED:
        # A wrong result at smaller sizes says more, and may be why larger ones take so long.
        return len(KINDS) + 1
    if result.verdict.facts.ends_grading:
        return -1
    return KINDS.index(result.kind) if result.kind in KINDS else len(KINDS)


def diagnose(
    deciding: CaseResult,
    results: Sequence[CaseResult],
    untried: Sequence[Case],
    probes: Sequence[Mapping[str, int]],
    least: Mapping[str, int],
    constants: Mapping[str, int],
    examine: Examine,
    clock: Callable[[], float] = time.monotonic,
    allowed: Callable[[Mapping[str, int]], bool] = lambda sizes: True,
    search: Search = USUAL_SEARCH,
) -> Diagnosis:
    """Shrinks the deciding case, to sizes that are `allowed`, and finds what failing sizes have in common.

    What is left of the effort after shrinking runs the `probes`, sizes that tell one cause from another, and
    `untried`, cases that the grading no longer came to.
    """
    refused = deciding.fault is not None and deciding.fault.fault in SIZELESS
    if deciding.verdict not in (Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR) or refused:
        # Another run would take another time limit, another process, or fail alike.
        return Diagnosis(deciding, "")
    began, seen, alike = clock(), list(results), {_key(deciding.sizes): deciding}

    def still_fails(sizes: Mapping[str, int]) -> bool:
        if not allowed(sizes):
            return False
        result = examine(Case(dict(sizes), deciding.family, deciding.seed))
        seen.append(result)
        if _failure(result) != _failure(deciding):
            return False
        alike[_key(sizes)] = result
        return True

    smallest = alike[_key(shrink(deciding.sizes, least, still_fails, search.shrinking, clock))]
    probing = [Case(sizes, deciding.family, deciding.seed) for sizes in probes]
    for case in [*probing, *untried]:
        if len(seen) - len(results) >= search.trials.runs or clock() - began > search.trials.seconds:
            break
        seen.append(examine(case))
    observations = [
        Observation(r.sizes, r.verdict is not Verdict.ACCEPTED, r.family)
        for r in seen
        if r.verdict is not Verdict.INTERNAL_ERROR
    ]
    return Diagnosis(smallest, find_pattern(observations, constants))


def _failure(result: CaseResult) -> tuple[object, ...]:
    """What two results have to share to be the same failure."""
    return (result.verdict, result.kind, result.fault.fault if result.fault else None, result.line)


def _key(sizes: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(sizes.values())
