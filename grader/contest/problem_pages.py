"""A problem's page: statement and history beside an editor, the form that submits, and results beside the editor.

Programs of the page ask for JSON and get addresses; a form without them gets pages.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from grader.boards.code import remarks_of
from grader.boards.faults import word_of
from grader.boards.markdown import statement_html
from grader.boards.pages import MOST_DIAGNOSTICS, case_row, wrong_outputs
from grader.boards.words import visible
from grader.contest.access import Refused
from grader.contest.api import Number, page_of
from grader.contest.auth import new_token
from grader.contest.failures import RETRY_SECONDS, refuse, wants_json
from grader.contest.leading import step_after
from grader.contest.limits import LARGEST_SOURCE
from grader.contest.records import JUDGED, DraftRecord, SubmissionRecord
from grader.contest.tabs import tabs_of
from grader.contest.visit import CheckedForm, Form, Member, SignedIn
from grader.core.errors import DiskFull
from grader.core.report import Report
from grader.core.verdict import LanguageName, Verdict
from grader.languages.python import SUFFIX
from grader.languages.registry import find_language
from grader.problem import Problem
from grader.problem.exercises import Exercise
from grader.problem.tracks import Step

router = APIRouter(include_in_schema=False)

Name = Annotated[str, Path(max_length=200)]
SHOWN_ON_PROBLEM = 20
SAMPLE_SIZE = 5


@router.get("/contests/{slug}/problems/{problem}")
def problem(
    problem: Name,
    me: SignedIn,
    language: Annotated[LanguageName | None, Query()] = None,
    draft: Annotated[LanguageName | None, Query()] = None,
) -> HTMLResponse:
    """Shows the page; `language` puts its starter into the editor, `draft` the server's copy of the draft in it."""
    if draft is not None:
        return problem_page(me, problem, draft, drafted=me.site.database.draft(me.visitor.account, problem, draft))
    return problem_page(me, problem, language, started=language is not None)


@router.post("/contests/{slug}/problems/{problem}")
def submit(problem: Name, me: SignedIn, form: Form) -> Response:
    language = chosen_language(form.text("language"))
    file, data = typed_file(problem, language, form)
    try:
        number = me.site.access.submit(me.visitor, problem, file, data, form.text("key") or None)
    except (Refused, DiskFull) as error:
        if wants_json(me.request):
            raise
        return refused_page(me, problem, language, error, form)
    return sent(me, page_of(me.visitor.contest.slug, number))


@router.get("/contests/{slug}/submissions/{number}/result")
def submission_result(number: Number, me: SignedIn) -> HTMLResponse:
    """The result for the panel below the editor."""
    row = me.site.access.submission(me.visitor, number)
    report = me.site.access.report(me.visitor, row) if row.state == JUDGED else None
    if report is None:
        raise Refused(404, "there is no report of this submission")
    solved = report.verdict is Verdict.ACCEPTED
    key = f"{row.problem}/{report.mend.exercise}" if report.mend else row.problem
    following = step_after(me, key) if solved else None
    told = solved and me.site.access.editorial(me.visitor, row.problem) is not None
    editorial = f"/contests/{row.contest}/problems/{row.problem}/editorial" if told else ""
    return result_piece(me, report, page_of(row.contest, number), following, editorial)


def result_piece(
    me: Member, report: Report, address: str, following: Step | None = None, editorial: str = ""
) -> HTMLResponse:
    """A report as a part of a page, with what the editor marks; `address` is that of the whole report.

    `following` is the problem that comes next, `editorial` where this one's editorial stands; empty where there is none
    to read.
    """
    remarks = [(line, each) for line, found in remarks_of(report).items() for each in found]
    diagnostics = sorted(report.diagnostics, key=lambda diagnostic: diagnostic.severity != "error")
    text = me.site.pages.render(
        "contest/result.html",
        report=report,
        address=address,
        editorial=editorial,
        marks=[{"line": line, "severity": each.severity, "message": visible(each.text)} for line, each in remarks],
        diagnostics=diagnostics[:MOST_DIAGNOSTICS],
        wrong=list(wrong_outputs(report)),
        size_names=list(report.cases[0].sizes) if report.cases else [],
        cases=[case_row(case) for case in report.cases],
        passed=sum(case.verdict is Verdict.ACCEPTED for case in report.cases),
        about=word_of(report),
        following=following,
        names=me.names,
        contest=me.visitor.contest,
    )
    return HTMLResponse(text)


def typed_file(problem: str, language: LanguageName, form: CheckedForm) -> tuple[str, bytes]:
    """Name and content of the uploaded file, else of what stands in the editor."""
    suffix = ".cu" if language is LanguageName.CUDA else SUFFIX
    return form.file("file") or (f"{problem}{suffix}", form.text("source").encode("utf-8", "replace"))


def sent(me: Member, address: str) -> Response:
    """Leads to what was sent: programs of the page by its address."""
    return JSONResponse({"url": address}, 201) if wants_json(me.request) else RedirectResponse(address, 303)


def refused_page(
    me: Member, name: str, language: LanguageName, error: Refused | DiskFull, form: CheckedForm
) -> HTMLResponse:
    """The problem's page with what is wrong, and with what was typed."""
    refused = error if isinstance(error, Refused) else refuse(me.request, error)
    if refused.status == 404:
        raise refused
    words = " ".join(f"{each[:1].upper()}{each[1:]}." for each in (refused.message, refused.hint) if each)
    typed = "" if form.file("file") else form.text("source")
    page = problem_page(me, name, language, mistake=words, typed=typed, sizes=form.text("sizes"))
    page.status_code = refused.status
    if refused.status in RETRY_SECONDS:
        page.headers["retry-after"] = str(RETRY_SECONDS[refused.status])
    return page


def chosen_language(word: str) -> LanguageName:
    """The language chosen in a form. Raises Refused."""
    try:
        return LanguageName(word or LanguageName.CUDA)
    except ValueError:
        raise Refused(400, f"'{word[:40]}' is no language that kgrade knows", "choose one of the list") from None


def stamp(moment: datetime) -> str:
    """A time as the page's scripts compare it."""
    return moment.isoformat(timespec="milliseconds")


def problem_page(
    me: Member,
    name: str,
    language: LanguageName | None = None,
    *,
    started: bool = False,
    drafted: DraftRecord | None = None,
    mistake: str = "",
    typed: str = "",
    sizes: str = "",
    exercise: Exercise | None = None,
) -> HTMLResponse:
    """The page with what was typed in the editor, else the exercise's text, else the starter if it is to be `started`,
    else the draft if it is given, else the last text.
    """
    access, visitor = me.site.access, me.visitor
    loaded = access.problem(visitor, name)
    history = access.own(visitor, name)
    closed = access.why_closed(visitor, me.now)
    language = language or (_language_of(history[0]) if history else LanguageName.CUDA)
    again = bool(history) and not started and not typed and exercise is None
    since = history[0].submitted if again else None
    text = typed or (exercise.text if exercise else "")
    if not text and drafted is not None:
        text, since = drafted.text, drafted.saved
    saved = me.site.database.drafts_saved(visitor.account, name)
    return me.page(
        "problem.html",
        problem=name,
        tabs=tabs_of(me, name, "problem"),
        title=me.names[name],
        statement=statement_html(loaded.statement),
        mistake=mistake,
        open=not closed,
        closed=f"{closed[:1].upper()}{closed[1:]}.",
        practice=not visitor.staff and access.is_practice(visitor, me.now),
        key=new_token(),
        language=language,
        code=text or (me.site.database.source(history[0].id) if again else _starter(loaded, language)),
        # When the text was submitted or kept: a draft that is older is of no use any more.
        since=stamp(since) if since else "",
        clock=stamp(me.now),
        saved={spoken: stamp(moment) for spoken, moment in saved.items()},
        drafted=drafted,
        # Where no script offers it.
        older=saved.get(language) if drafted is None and not (since and saved.get(language, since) <= since) else None,
        largest=LARGEST_SOURCE,
        sizes=sizes,
        example=" ".join(f"{each}={min(max(SAMPLE_SIZE, size.low), size.high)}" for each, size in loaded.sizes.items()),
        history=history[:SHOWN_ON_PROBLEM],
        names=me.names,
        exercise=exercise,
    )


def _starter(loaded: Problem, language: LanguageName) -> str:
    return loaded.starter if language is LanguageName.CUDA else find_language(language).starter(loaded)


def _language_of(row: SubmissionRecord) -> LanguageName:
    """The submission's language; before it is judged, one whose files have such a name."""
    if row.language is not None:
        return LanguageName(row.language)
    return LanguageName.TRITON if row.file.endswith(SUFFIX) else LanguageName.CUDA
