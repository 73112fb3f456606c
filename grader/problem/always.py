"""Cases that each grading has beside the drawn ones: sizes and inputs that a draw reaches rarely or never.

A limit that a kernel only has where two sizes are large at once, or an array is longer than drawn ones, needs a case of
its own. Drawing is left to `sizes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.core.errors import ProblemError, UsageError
from grader.problem.definition import Problem
from grader.problem.sizes import Budget, check_sizes

MOST = Budget(flops=100_000_000, bytes=60_000_000)
"""What such a case may cost: several times as much as a drawn one, so about a second on the emulator."""


@dataclass(frozen=True)
class Always:
    """Sizes that are always tried, with this family of inputs; with one in turn if none is named."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    family: str = ""


def at(family: str = "", **sizes: int) -> Always:
    """A case for `always`, such as `at(N=4_194_305)` or `at("constant", N=1024, M=1024)`."""
    return Always(sizes, family)


def check_always(problem: Problem, number: int) -> None:
    """Raises ProblemError for what is wrong with one of a problem's cases."""
    name = f"always[{number}]"
    case = problem.always[number]
    if not isinstance(case, Always):
        raise ProblemError(f"{name}: {case!r} is no case; write at(N=4097), or at('constant', N=4097)")
    try:
        check_sizes(problem, case.sizes)
    except UsageError as error:
        raise ProblemError(f"{name}: {error.message}") from error
    if case.family and case.family not in problem.gates.families:
        raise ProblemError(
            f"{name}: there is no family of inputs {case.family!r}; gates has {', '.join(problem.gates.families)}"
        )
    if not MOST.allows(problem, case.sizes):
        flops, size = problem.cost_of(case.sizes).flops, problem.array_bytes(case.sizes)
        raise ProblemError(
            f"{name}: {flops:,} operations on {size:,} bytes are too many for each grading; "
            f"up to {MOST.flops:,} and {MOST.bytes:,} are possible",
            "take smaller sizes",
        )
