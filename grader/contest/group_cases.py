"""Draws the cases of a group: sizes within its bounds, and a family of inputs for each.

They follow from the contest's hidden seed, so they are the same for all students.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from grader.contest.groups import ALL, Group, seed_of
from grader.contest.settings import Settings
from grader.core.errors import UsageError
from grader.problem import Problem
from grader.problem.inputs import families
from grader.problem.sizes import Budget, draw_sizes, fit_together
from grader.store.workspace import Workspace

BUDGET = Budget(flops=200_000_000, bytes=40_000_000)
"""The largest cost of a case: ten times that of other drawn cases, because there are few, and some want large ones."""
_DRAWS = 40
_AT_ONCE = 12


def check_groups(settings: Settings, workspace: Workspace) -> None:
    """Raises UsageError for a group that has no case in its problem. Problems that are gone are left out."""
    for each in settings.problems:
        seed = settings.hidden_seed(each.name)
        if each.credit is None or not each.credit.groups or seed is None or each.name not in workspace.problems:
            continue
        problem = workspace.load(each.name)
        for group in each.credit.groups:
            draw_group(group, problem, seed)


def draw_group(group: Group, problem: Problem, hidden_seed: int) -> list[tuple[dict[str, int], str]]:
    """The sizes and input family of each of the group's cases. Raises UsageError if the problem has no such case."""
    _check_names(group, problem)
    seed = seed_of(group, hidden_seed)
    names = group.families or families(problem)
    found: list[dict[str, int]] = []
    for sizes in _candidates(group, problem, seed):
        if sizes not in found:
            found.append(sizes)
        if len(found) == group.cases:
            break
    if not found:
        raise UsageError(
            f"{problem.name} has no sizes for the group '{group.name}': within its bounds none fit together, or each "
            "takes too long to check",
            "widen at_most, at_least or off of this group",
        )
    # Where few sizes differ, they come again with other inputs.
    return [(found[i % len(found)], names[i % len(names)]) for i in range(group.cases)]


def _check_names(group: Group, problem: Problem) -> None:
    for name, _ in (*group.at_most, *group.at_least):
        if name != ALL and name not in problem.sizes:
            raise UsageError(
                f"{problem.name} has no size '{name}', which the group '{group.name}' names",
                f"its sizes are {', '.join(problem.sizes)}",
            )
    for family in group.families:
        if family not in families(problem):
            raise UsageError(
                f"{problem.name} has no family of inputs '{family}', which the group '{group.name}' names",
                f"its families are {', '.join(families(problem))}",
            )


def _candidates(group: Group, problem: Problem, seed: int) -> Iterator[dict[str, int]]:
    """Sizes of the group: drawn ones, of which those out of bounds are drawn anew within them."""
    drawing = random.Random(seed)
    for turn in range(_DRAWS):
        for sizes in draw_sizes(problem, seed + turn, _AT_ONCE):
            bent = {name: _bent(group, problem, name, value, drawing) for name, value in sizes.items()}
            if _belongs(group, problem, bent) and fit_together(problem, bent) and BUDGET.allows(problem, bent):
                yield bent


def _bent(group: Group, problem: Problem, name: str, value: int, drawing: random.Random) -> int:
    """The size, or another one within the group's bounds; a choice stays."""
    if not _is_free(problem, name):
        return value
    low, high = _range(group, problem, name)
    if low <= high and not low <= value <= high:
        # Large sizes take long: mostly near the lower end.
        value = min(high, low + int((min(high, 2 * low + 16) - low) * drawing.random()))
    if group.off > 1 and value % group.off == 0:
        value += 1 if value < high else -1
    return value


def _belongs(group: Group, problem: Problem, sizes: Mapping[str, int]) -> bool:
    def fits(name: str, value: int) -> bool:
        low, high = _range(group, problem, name)
        return low <= value <= high and not (group.off > 1 and value % group.off == 0)

    return all(fits(name, value) for name, value in sizes.items() if _is_free(problem, name))


def _range(group: Group, problem: Problem, name: str) -> tuple[int, int]:
    size, least, most = problem.sizes[name], dict(group.at_least), dict(group.at_most)
    # A bound for every size never excludes a size whose own range is narrower.
    low = max(size.low, least.get(name, min(least.get(ALL, size.low), size.high)))
    return low, min(size.high, most.get(name, max(most.get(ALL, size.high), size.low)))


def _is_free(problem: Problem, name: str) -> bool:
    size = problem.sizes[name]
    return not (size.is_choice or size.index_of or size.product_of)
