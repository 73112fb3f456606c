"""The server's copies of drafts: kept every few seconds while somebody types, and given back on another machine.

A browser keeps its own; the newer of the two is shown. Nothing reads a draft but the page of its account.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse, Response

from grader.contest.access import Access, Refused, Visitor
from grader.contest.limits import LARGEST_SOURCE
from grader.contest.problem_pages import chosen_language, stamp
from grader.contest.visit import Form, SignedIn
from grader.core.verdict import LanguageName

router = APIRouter(include_in_schema=False)

Name = Annotated[str, Path(max_length=200)]


@router.post("/contests/{slug}/problems/{problem}/draft")
def save(problem: Name, me: SignedIn, form: Form) -> Response:
    language = chosen_language(form.text("language"))
    if form.text("drop"):
        me.site.database.drop_draft(me.visitor.account, problem, language.value)
        return JSONResponse({"time": None})
    return JSONResponse({"time": stamp(keep(me.site.access, me.visitor, problem, language, form.text("source")))})


@router.get("/contests/{slug}/problems/{problem}/draft")
def draft(problem: Name, me: SignedIn, language: Annotated[LanguageName, Query()]) -> Response:
    found = me.site.database.draft(me.visitor.account, problem, language.value)
    if found is None:
        raise Refused(404, "there is no such draft")
    return JSONResponse({"text": found.text, "time": stamp(found.saved)})


def keep(access: Access, visitor: Visitor, problem: str, language: LanguageName, text: str) -> datetime:
    """Keeps a draft and returns when. Raises Refused where it could not be handed in."""
    access.check_problem(visitor, problem)
    access.check_open(visitor, access.now())
    size = len(text.encode("utf-8", "replace"))
    if size > LARGEST_SOURCE:
        raise Refused(413, f"the text is too large: {size:,} bytes, at most {LARGEST_SOURCE:,} are kept")
    return access.database.keep_draft(visitor.account, problem, language.value, text)
