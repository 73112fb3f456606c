"""Runs in a browser: a text is tried on visible cases, with a full report and without a record."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response, StreamingResponse

from grader.boards import code
from grader.boards.pages import report_values
from grader.contest.access import Refused
from grader.contest.api import Number
from grader.contest.failures import wants_json
from grader.contest.problem_pages import Name, chosen_language, refused_page, result_piece, sent, typed_file
from grader.contest.records import HELD, JUDGED
from grader.contest.run_sizes import parse_sizes
from grader.contest.streams import progress_stream
from grader.contest.visit import Form, SignedIn
from grader.core.errors import DiskFull

router = APIRouter(include_in_schema=False)


@router.post("/contests/{slug}/problems/{problem}/run")
def run(problem: Name, me: SignedIn, form: Form) -> Response:
    language = chosen_language(form.text("language"))
    file, data = typed_file(problem, language, form)
    try:
        number = me.site.access.run(me.visitor, problem, file, data, parse_sizes(form.text("sizes")))
    except (Refused, DiskFull) as error:
        if wants_json(me.request):
            raise
        return refused_page(me, problem, language, error, form)
    return sent(me, _address(me, number))


@router.get("/contests/{slug}/runs/{number}")
def run_page(number: Number, me: SignedIn) -> HTMLResponse:
    """The report, or how far the run is."""
    row = me.site.access.own_run(me.visitor, number)
    report = me.site.access.run_report(row, me.visitor.account.name)
    if report is not None:
        # A lexer may take very long on a hostile text, so none runs here.
        values = report_values(report, lines=code.colour_lines(row.text, None, code.MOST_LINES))
        return me.page("run_report.html", layout="contest/base.html", stamp="", row=row, **values)
    progress = me.site.progress.of_runs([number])[number]
    return me.page("run.html", row=row, progress=progress, over=row.state in (JUDGED, HELD), names=me.names)


@router.get("/contests/{slug}/runs/{number}/result")
def run_result(number: Number, me: SignedIn) -> HTMLResponse:
    """The result for the panel below the editor."""
    row = me.site.access.own_run(me.visitor, number)
    report = me.site.access.run_report(row, me.visitor.account.name)
    if report is None:
        raise Refused(404, "there is no report of this run")
    return result_piece(me, report, _address(me, number))


@router.get("/contests/{slug}/runs/{number}/events")
def run_events(number: Number, me: SignedIn) -> StreamingResponse:
    """Pieces of the page as `progress`, then one `done`."""
    row = me.site.access.own_run(me.visitor, number)
    return progress_stream(me, me.site.run_hub, row.id, over=(JUDGED, HELD))


def _address(me: SignedIn, number: int) -> str:
    return f"/contests/{me.visitor.contest.slug}/runs/{number}"
