"""How far a user is with the problems, and what leads on: used by `list`, `start` and `submit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.core.errors import KgradeError, ProblemError
from grader.core.verdict import Verdict

if TYPE_CHECKING:
    from grader.problem import Problem
    from grader.problem.tracks import Track
    from grader.store.workspace import Workspace

SOLVED = "accepted"


def problems_in_order(workspace: Workspace) -> tuple[list[Problem], list[ProblemError]]:
    """All problems that load, by track and difficulty, and the errors of the others and of the tracks."""
    from grader.problem.tracks import sort_key

    problems, mistakes = workspace.load_all()
    tracks: tuple[Track, ...] = ()
    try:
        tracks = workspace.tracks
    except ProblemError as mistake:
        mistakes.append(mistake)
    problems.sort(key=lambda problem: sort_key(tracks, problem.name, problem.difficulty))
    return problems, mistakes


def standings(workspace: Workspace, user: str) -> dict[str, str]:
    """The user's state by problem: "accepted", or the number of tries. Problems without submissions are left out."""
    from grader.store.database import Store

    tries: dict[str, int] = {}
    accepted: set[str] = set()
    for entry in Store(workspace.database).summaries(user=user):
        tries[entry.problem] = tries.get(entry.problem, 0) + 1
        if entry.verdict is Verdict.ACCEPTED:
            accepted.add(entry.problem)
    return {
        problem: SOLVED if problem in accepted else f"{count} {'try' if count == 1 else 'tries'}"
        for problem, count in tries.items()
    }


def solved_by(workspace: Workspace, user: str) -> set[str]:
    """The problems that the user has an accepted submission of."""
    return {problem for problem, standing in standings(workspace, user).items() if standing == SOLVED}


def next_after(workspace: Workspace, user: str, problem: str) -> str:
    """What to type after `problem` is solved, with the reason; empty if no track leads on."""
    from grader.problem.tracks import next_step

    try:
        found = next_step(workspace.tracks, solved_by(workspace, user) | {problem}, problem)
    except KgradeError:
        # A mistake in the workspace's own tracks: `kgrade list` tells of it, and this submission is recorded.
        return ""
    if found is None:
        return ""
    _, step = found
    return f"kgrade init {step.problem}  # {step.why}"
