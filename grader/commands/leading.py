"""How far a user is with the problems, and what leads on: used by `list`, `start` and `submit`."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from grader.boards.words import several
from grader.core.errors import KgradeError, ProblemError
from grader.core.verdict import Verdict

if TYPE_CHECKING:
    from grader.problem import Problem
    from grader.problem.tracks import Step, Track
    from grader.store.workspace import Workspace

SOLVED, MENDED = "accepted", "mended"


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
    """The user's state by problem: "accepted", or the number of tries. Problems without submissions are left out.

    Of exercises, as PROBLEM/NAME, those that are mended, with the fewest changed tokens.
    """
    from grader.store.database import Store

    tries: dict[str, int] = {}
    accepted: set[str] = set()
    store = Store(workspace.database)
    for entry in store.summaries(user=user):
        tries[entry.problem] = tries.get(entry.problem, 0) + 1
        if entry.verdict is Verdict.ACCEPTED:
            accepted.add(entry.problem)
    mended = {key: f"{MENDED}, {several(tokens, 'token')}" for key, tokens in store.mends(user).items()}
    return mended | {
        problem: SOLVED if problem in accepted else f"{count} {'try' if count == 1 else 'tries'}"
        for problem, count in tries.items()
    }


def is_solved(standing: str) -> bool:
    """Whether this, of `standings`, is of an accepted problem or a mended exercise."""
    return standing.startswith((SOLVED, MENDED))


def next_after(workspace: Workspace, solved: Collection[str], key: str) -> str:
    """What to type after a problem is solved or an exercise mended, with the reason; empty if no track leads on.

    `solved` are the user's problems and exercises.
    """
    from grader.problem.tracks import next_step

    try:
        found = next_step(workspace.tracks, solved, key)
    except KgradeError:
        # A mistake in the workspace's own tracks: `kgrade list` tells of it, and this submission is recorded.
        return ""
    if found is None:
        return ""
    _, step = found
    return f"{begin_command(step)}  # {step.why}"


def begin_command(step: Step) -> str:
    """What to type to have the file of a step."""
    return f"kgrade mend {step.key}" if step.exercise else f"kgrade init {step.problem}"
