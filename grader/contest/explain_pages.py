"""The page of an explanation: asked for by a button, waited for, and then what a worker wrote in a frame."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from grader.contest.access import Refused
from grader.contest.api import Number, page_of
from grader.contest.records import JUDGED, SubmissionRecord
from grader.contest.visit import Form, Member, SignedIn

router = APIRouter(include_in_schema=False)


def explanation_of(row: SubmissionRecord) -> str:
    """The address of a submission's explanation."""
    return f"{page_of(row.contest, row.id)}/explanation"


@router.post("/contests/{slug}/submissions/{number}/explanation")
def ask(number: Number, me: SignedIn, form: Form) -> Response:
    row = _explained(me, number)
    me.site.database.ask_explanation(row)
    return RedirectResponse(explanation_of(row), 303)


@router.get("/contests/{slug}/submissions/{number}/explanation")
def explanation(number: Number, me: SignedIn) -> Response:
    row = _explained(me, number)
    found = me.site.database.explanation(row)
    ready = found is not None and found.state == JUDGED
    if me.request.headers.get("hx-request") == "true":
        # A page that waits asks this way, and is loaded anew when there is something to see.
        return Response(status_code=204, headers={"hx-refresh": "true"} if ready else {})
    return me.page("explanation.html", row=row, found=found, ready=ready, names=me.names, here_is=explanation_of(row))


@router.get("/contests/{slug}/submissions/{number}/explanation/page")
def written(number: Number, me: SignedIn) -> Response:
    """What the worker wrote, for the frame: by its policy it runs kgrade's own scripts alone and sends no form."""
    found = me.site.database.explanation(_explained(me, number))
    if found is None or found.page is None:
        raise Refused(404, "there is no explanation yet")
    return HTMLResponse(found.page, headers={"content-security-policy": me.site.report_policy})


def _explained(me: Member, number: int) -> SubmissionRecord:
    row = me.site.access.submission(me.visitor, number)
    if not me.site.access.explains(me.visitor, row):
        raise Refused(404, "there is no explanation here", "accepted submissions have one where the contest allows it")
    return row
