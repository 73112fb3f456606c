"""The page that shows what changed between two submissions to a problem."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import HTMLResponse

from grader.contest.access import LARGEST_NUMBER, Refused
from grader.contest.differences import MOST_LINES, Text, differences
from grader.contest.tabs import tabs_of
from grader.contest.visit import SignedIn

router = APIRouter(include_in_schema=False)

Name = Annotated[str, Path(max_length=200)]
Number = Annotated[int | None, Query(ge=1, le=LARGEST_NUMBER)]


@router.get("/contests/{slug}/problems/{problem}/changes")
def changes(problem: Name, me: SignedIn, old: Number = None, new: Number = None) -> HTMLResponse:
    """The changes from one submission to another; at first those of the newest."""
    access = me.site.access
    access.problem(me.visitor, problem)
    own = access.own(me.visitor, problem)
    if len(own) < 2 and (old is None or new is None):
        raise Refused(404, "there is nothing to compare yet", "submit twice, and the changes are shown here")
    after = own[0] if new is None else access.submission(me.visitor, new)
    older = [row for row in own if (row.submitted, row.id) < (after.submitted, after.id)]
    before = (older or own)[0] if old is None else access.submission(me.visitor, old)
    if {before.problem, after.problem} != {problem}:
        raise Refused(404, "there is no such submission")
    known = {row.id: row for row in (*own, before, after)}
    texts = (Text(*me.site.database.source_and_colours(row.id)) for row in (before, after))
    return me.page(
        "changes.html",
        problem=problem,
        title=me.names[problem],
        tabs=tabs_of(me, problem, "changes"),
        older=before,
        newer=after,
        submissions=sorted(known.values(), key=lambda row: row.id, reverse=True),
        found=differences(*texts),
        most_lines=MOST_LINES,
    )
