"""The pages that belong to one problem of the practice, as tabs: its own page, leaderboard, changes, editorial."""

from __future__ import annotations

from dataclasses import dataclass

from grader.contest.settings import PRACTICE
from grader.contest.visit import Member


@dataclass(frozen=True)
class Tab:
    """A link to one of a problem's pages."""

    words: str
    address: str
    current: bool


def tabs_of(me: Member, problem: str, here: str) -> list[Tab]:
    """The tabs of a problem's pages, of which `here` is shown. A contest has none."""
    if me.visitor.contest.slug != PRACTICE:
        return []
    home = f"/contests/{PRACTICE}/problems/{problem}"
    known = [("problem", "Problem", home), ("leaderboard", "Leaderboard", f"{home}/leaderboard")]
    if len(me.site.access.own(me.visitor, problem)) > 1:
        known.append(("changes", "Changes", f"{home}/changes"))
    if me.site.access.editorial(me.visitor, problem) is not None:
        known.append(("editorial", "Editorial", f"{home}/editorial"))
    return [Tab(words, address, name == here) for name, words, address in known]
