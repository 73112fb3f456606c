"""The students' pages: contest, problem with editor, history, submission with live progress, report, scoreboard.

A session cookie identifies the account, and each form carries a CSRF token. `access` decides what may be seen.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from markupsafe import Markup

from grader.boards import code
from grader.boards.pages import report_values
from grader.contest.access import LARGEST_NUMBER, Refused, row_name
from grader.contest.api import Number
from grader.contest.auth import LONGEST_TOKEN, hash_token
from grader.contest.events import COMMENT, message
from grader.contest.explain_pages import explanation_of
from grader.contest.kept import bring_back, sign_in_page, text_of
from grader.contest.naming import plain_name
from grader.contest.records import JUDGED, SubmissionRecord
from grader.contest.scoreboard import Cell
from grader.contest.settings import PRACTICE, PUBLIC
from grader.contest.standing import own_cells
from grader.contest.streams import progress_stream, stream
from grader.contest.visit import BACK, AsGuest, AsViewer, Form, Member, SignedIn, set_session, way_back
from grader.core.report import Report

router = APIRouter(include_in_schema=False)

Name = Annotated[str, Path(max_length=200)]
SHOWN_ON_PROBLEM = 20


@router.get("/")
def home(guest: AsGuest) -> Response:
    every = guest.site.access.contests()
    contests = [each for each in every if each.slug != PRACTICE]
    if every and not contests:
        return RedirectResponse(f"/contests/{PRACTICE}", 303)
    return guest.page("home.html", contests=contests, practice=len(every) > len(contests))


@router.get("/sign-in")
def sign_in_form(guest: AsGuest) -> HTMLResponse:
    return sign_in_page(guest)


@router.get("/sign-in/{token}")
def sign_in_link(token: Annotated[str, Path(max_length=LONGEST_TOKEN)], guest: AsGuest) -> HTMLResponse:
    """Asks once more before it signs in: programs that look at links in mails press no button."""
    account = guest.site.database.account_by_link(hash_token(token))
    if account is None:
        raise guest.site.failed(guest.request, "this link does not work, or no longer", "ask for a new one")
    title = guest.site.access.contest(account.contest).title
    return guest.page("sign_in.html", problem="", name=plain_name(account.name), token=token, title=title, provider="")


@router.post("/sign-in")
def sign_in(guest: AsGuest, form: Form) -> Response:
    token = form.text("token").strip().rstrip("/").rpartition("/")[2]
    account = guest.site.database.account_by_link(hash_token(token)) if 0 < len(token) <= LONGEST_TOKEN else None
    if account is None:
        refused = guest.site.failed(guest.request, "this link does not work, or no longer")
        page = sign_in_page(guest, refused.message, text_of(form))
        page.status_code = refused.status
        return page
    kept = text_of(form)
    # The form has it: the copy for the way to an identity provider would come back later, and be old.
    guest.site.left_texts.take(guest.visit)
    answer = bring_back(guest, [account], kept) if kept else RedirectResponse(way_back(guest, account.contest), 303)
    guest.set_cookie(answer, BACK, "", "/sign-in", days=0)
    set_session(guest, answer, account)
    return answer


@router.post("/contests/{slug}/sign-out")
def sign_out(me: SignedIn, form: Form) -> Response:
    answer = RedirectResponse("/", 303)
    me.end_session(answer)
    return answer


@router.get("/contests/{slug}")
def contest(me: SignedIn) -> HTMLResponse:
    access, visitor, now = me.site.access, me.visitor, me.now
    try:
        problems: list[dict[str, Any]] | None = _own_problems(me)
    except Refused:
        problems = None
    target = visitor.contest.start if now < visitor.contest.start else visitor.ends or now
    return me.page(
        "contest.html",
        here="contest",
        ends=visitor.ends,
        remaining=_remaining(max(0, round((target - now).total_seconds()))),
        announcements=access.announcements(visitor),
        problems=problems,
        address=str(me.request.base_url).rstrip("/"),
    )


@router.get("/contests/{slug}/announcements")
def news(
    me: SignedIn,
    after: Annotated[int, Query(ge=0, le=LARGEST_NUMBER)] = 0,
    known: Annotated[str, Query(max_length=16)] = "",
) -> Response:
    """The announcements above a page, if they are others than it shows."""
    values = me.news(after)
    if values["known"] == known:
        return Response(status_code=204)
    return HTMLResponse(me.site.pages.render("contest/news.html", contest=me.visitor.contest, **values))


@router.get("/contests/{slug}/submissions")
def submissions(me: SignedIn) -> HTMLResponse:
    rows = me.site.access.own(me.visitor)
    return me.page("submissions.html", here="submissions", rows=rows, names=me.names)


@router.get("/contests/{slug}/submissions/{number}")
def submission(number: Number, me: SignedIn) -> HTMLResponse:
    """The report, or how far the submission is."""
    access = me.site.access
    row = access.submission(me.visitor, number)
    report = access.report(me.visitor, row) if row.state == JUDGED else None
    # A lexer may take very long on a hostile text, so none runs here.
    lines = code.colour_lines(*me.site.database.source_and_colours(row.id), code.MOST_LINES)
    if report is not None:
        return _report_page(me, row, report, lines)
    return me.page(
        "submission.html",
        row=row,
        # Judged without a report: every attempt stalled.
        given_up=row.state == JUDGED,
        progress=me.site.progress.of_submissions([row.id])[row.id],
        lines=code.listing(lines, {}),
        names=me.names,
    )


def _report_page(me: SignedIn, row: SubmissionRecord, report: Report, lines: Sequence[Markup]) -> HTMLResponse:
    """The report with the points that it earns, within the contest's menu."""
    contest = me.visitor.contest
    values = report_values(report, lines=lines)
    problem = contest.problem(row.problem)
    return me.page(
        "report.html",
        layout="contest/base.html",
        stamp="",
        row=row,
        points=me.site.access.points(me.visitor, row),
        parts=me.site.access.parts(me.visitor, row),
        weight=problem.weight if problem is not None else 0.0,
        all_right=me.site.access.all_right(row),
        explanation=explanation_of(row) if me.site.access.explains(me.visitor, row) else "",
        **{**values, "repeatable": values["repeatable"] and not values["accepted"]},
    )


@router.get("/contests/{slug}/submissions/{number}/events")
def submission_events(number: Number, me: SignedIn) -> StreamingResponse:
    """Pieces of the page as `progress`, then one `done`."""
    row = me.site.access.submission(me.visitor, number)
    return progress_stream(me, me.site.hub, row.id)


@router.get("/contests/{slug}/scoreboard")
def scoreboard(me: AsViewer) -> HTMLResponse:
    account = me.visitor.account if isinstance(me, Member) else None
    contest = me.visitor.contest if isinstance(me, Member) else me.contest
    board = me.site.board_html_for(contest, account)
    return me.page("scoreboard.html", here="scoreboard", board=board, own=row_name(contest, account))


@router.get("/contests/{slug}/scoreboard/events")
def scoreboard_events(me: AsViewer) -> StreamingResponse:
    """The scoreboard's piece of the page, whenever it changes."""
    site = me.site
    account = me.visitor.account if isinstance(me, Member) else None
    slug = (me.visitor.contest if isinstance(me, Member) else me.contest).slug
    first = site.boards.board(site.access.contest(slug)).version

    def drawn() -> str | None:
        # Who may see what may have changed since the stream began.
        contest = site.access.contest(slug)
        if account is None and contest.scoreboard != PUBLIC:
            return None
        return site.board_html_for(contest, account, newest=True)

    async def texts() -> AsyncGenerator[str, None]:
        async with aclosing(site.board_hub.watch(slug)) as news:
            async for version in news:
                if version is None:
                    yield COMMENT
                elif version != first:
                    shown = await run_in_threadpool(drawn)
                    if shown is None:
                        return
                    yield message(shown, "board")

    if isinstance(me, Member):
        return stream(site, me.visitor.account.id, texts(), me.known)
    client = me.request.client.host if me.request.client else "?"
    return stream(site, ("guest", client), texts(), lambda: site.access.is_public(slug) or None)


def _own_problems(me: SignedIn) -> list[dict[str, Any]]:
    """The problems with this account's results."""
    problems = me.site.access.problems(me.visitor)
    rows = me.site.access.own(me.visitor)
    # A team's submissions count with their senders' extensions.
    teams, account = me.visitor.contest.teams, me.visitor.account
    accounts = me.site.database.accounts(account.contest) if teams else [account]
    cells = own_cells(me.visitor.contest, account, accounts, rows)
    return [
        {
            "name": each.name,
            "title": me.names[each.name],
            "weight": each.weight,
            "best": _best(cells[each.name], [row for row in rows if row.problem == each.name]),
            "points": cells[each.name].points.value if cells[each.name].entry is not None else None,
            "parts": cells[each.name].parts,
            "tries": sum(row.problem == each.name for row in rows),
        }
        for each in problems
    ]


def _best(cell: Cell, rows: Sequence[SubmissionRecord]) -> SubmissionRecord | None:
    """The submission that counts on the scoreboard, else the newest."""
    counting = [row for row in rows if cell.entry is not None and row.id == cell.entry.id]
    return next(iter([*counting, *rows]), None)


def _remaining(seconds: int) -> str:
    days, rest = divmod(seconds, 86400)
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{days} {'day' if days == 1 else 'days'} {clock}" if days else clock
