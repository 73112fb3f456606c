"""What the runners of one grading found together: which checks ran where, and a failure with all that is known.

It runs nothing but, for a fault without a line, that one case on a runner that sees lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.core.report import CaseResult
from grader.core.verdict import Verdict
from grader.judge.grading import Grading, Outcome, is_same_fault

CHECKS = ("unwritten output elements", "changed inputs", "NaN and infinity")

Findings = Sequence[tuple[Grading, Outcome]]


def list_checks(findings: Findings) -> tuple[str, ...]:
    """The checks that ran, in words; those of the last runner first."""
    grading, outcome = findings[-1]
    gates = dict.fromkeys(output.gate for result in outcome.cases for output in result.outputs)
    checks = [*CHECKS, *(f"gate {gate}" for gate in sorted(gates)), *grading.part.runner.checks]
    if outcome.differing:
        # No failure: sums by atomicAdd come in any order, and each of the results is within its bounds.
        checks.append(
            f"not deterministic: in {outcome.differing} of {outcome.repeated} cases two runs gave different bits, "
            "and both were checked"
        )
    for earlier, found in findings[:-1]:
        checks += _beside(earlier, found)
    return tuple(checks)


def locate_failure(result: CaseResult, findings: Findings) -> CaseResult:
    """The failure that decides, with the line where another runner than the last knows it."""
    for earlier, found in findings[:-1]:
        other = found.failure
        late = Verdict.TIME_LIMIT_EXCEEDED
        if other is not None and result.verdict is late and other.verdict is late:
            return replace(result, line=other.line)
        if not found.undecided or (other is not None and is_same_fault(other, result)):
            result = earlier.locate(result)
    return result


def _beside(grading: Grading, outcome: Outcome) -> list[str]:
    """What a part beside the GPU's was: the emulator's, or memcheck's."""
    part = grading.part
    if not part.cases:
        return [f"not {part.helps}: every size is too large for it"]
    if outcome.failure is None:
        count = len(outcome.cases)
        where = f"{part.helps}, at {count} small size{'' if count == 1 else 's'}"
        return [f"{where}: {check}" for check in part.runner.checks]
    if outcome.failure.verdict is Verdict.WRONG_ANSWER:
        return [f"other results {part.helps}, whose code is that for an older GPU: {outcome.failure.message}"]
    fault = outcome.failure.fault
    why = fault.message if fault is not None else outcome.failure.message
    return [f"not {part.helps}: {why}"]
