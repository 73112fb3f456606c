"""What leads on through the problems of the practice: its tracks, and the step after a solved problem."""

from __future__ import annotations

from collections.abc import Sequence

from grader.contest.settings import PRACTICE
from grader.contest.visit import Member
from grader.core.errors import ProblemError
from grader.problem.tracks import Step, Track, find_tracks, next_step


def tracks_of(me: Member) -> tuple[Sequence[Track], str]:
    """The tracks through the problems of the practice; if their file has a mistake, none and the mistake."""
    names = [each.name for each in me.visitor.contest.problems]
    try:
        return find_tracks(me.site.workspace.problem_roots, names), ""
    except ProblemError as error:
        return (), error.message


def mends_of(me: Member) -> dict[str, int]:
    """The exercises that the account has mended, as PROBLEM/NAME, with the fewest tokens changed."""
    return me.site.shelf.store.mends(me.visitor.account.name)


def step_after(me: Member, key: str) -> Step | None:
    """What comes after a problem solved or an exercise mended just now; None in a contest, and at the end of all."""
    if me.visitor.contest.slug != PRACTICE:
        return None
    solved = {row.problem for row in me.site.access.own(me.visitor) if row.verdict == "accepted"}
    tracks, _ = tracks_of(me)
    found = next_step(tracks, solved | mends_of(me).keys() | {key}, key)
    return None if found is None else found[1]
