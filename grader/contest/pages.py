"""The students' pages: contest, problem with editor, history, submission with live progress, report, scoreboard.

A session cookie identifies the account, and each form carries a CSRF token. `access` decides what may be seen.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from grader.boards import code
from grader.boards.pages import Links, render_report
from grader.contest.access import Refused
from grader.contest.api import Number, stream
from grader.contest.auth import LONGEST_TOKEN, hash_token
from grader.contest.events import COMMENT, message
from grader.contest.records import JUDGED, SubmissionRecord
from grader.contest.visit import BACK, AsGuest, Form, SignedIn, set_session, way_back

router = APIRouter(include_in_schema=False)

Name = Annotated[str, Path(max_length=200)]
SHOWN_ON_PROBLEM = 20


@router.get("/")
def home(guest: AsGuest) -> HTMLResponse:
    return guest.page("home.html", contests=guest.site.access.contests())


@router.get("/sign-in")
def sign_in_form(guest: AsGuest) -> HTMLResponse:
    return guest.page("sign_in.html", problem="", name="", token="", title="")


@router.get("/sign-in/{token}")
def sign_in_link(token: Annotated[str, Path(max_length=LONGEST_TOKEN)], guest: AsGuest) -> HTMLResponse:
    """Asks once more before it signs in: programs that look at links in mails press no button."""
    account = guest.site.database.account_by_link(hash_token(token))
    if account is None:
        raise guest.site.failed(guest.request, "this link does not work, or no longer", "ask for a new one")
    title = guest.site.access.contest(account.contest).title
    return guest.page("sign_in.html", problem="", name=account.name, token=token, title=title)


@router.post("/sign-in")
def sign_in(guest: AsGuest, form: Form) -> Response:
    token = form.text("token").strip().rstrip("/").rpartition("/")[2]
    account = guest.site.database.account_by_link(hash_token(token)) if 0 < len(token) <= LONGEST_TOKEN else None
    if account is None:
        refused = guest.site.failed(guest.request, "this link does not work, or no longer")
        page = guest.page("sign_in.html", problem=refused.message, name="", token="", title="")
        page.status_code = refused.status
        return page
    answer = RedirectResponse(way_back(guest, account.contest), 303)
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
    target = visitor.contest.start if now < visitor.contest.start else visitor.ends
    return me.page(
        "contest.html",
        here="contest",
        ends=visitor.ends,
        remaining=_remaining(max(0, round((target - now).total_seconds()))),
        announcements=access.announcements(visitor),
        problems=problems,
        address=str(me.request.base_url).rstrip("/"),
    )


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
        home = f"/contests/{row.contest}"
        links = Links(home=home, board=f"{home}/problems/{row.problem}")
        text = render_report(report, me.site.workspace.template_folders, number=row.id, links=links, lines=lines)
        return HTMLResponse(text, headers={"content-security-policy": me.site.report_policy})
    return me.page(
        "submission.html",
        row=row,
        # Judged without a report: every attempt stalled.
        given_up=row.state == JUDGED,
        progress=access.progress([row.id])[row.id],
        lines=code.listing(lines, {}),
        names=me.names,
    )


@router.get("/contests/{slug}/submissions/{number}/events")
def submission_events(number: Number, me: SignedIn) -> StreamingResponse:
    """Pieces of the page as `progress`, then one `done`."""
    row, site = me.site.access.submission(me.visitor, number), me.site

    async def texts() -> AsyncGenerator[str, None]:
        async with aclosing(site.hub.watch(row.id)) as news:
            async for progress in news:
                if progress is None:
                    yield COMMENT
                    continue
                done = progress.state == JUDGED
                text = site.pages.render("contest/progress.html", progress=progress)
                yield message(text, "done" if done else "progress")
                if done:
                    return

    return stream(site, me.visitor, texts(), partial(site.account_of_session, me.session))


@router.get("/contests/{slug}/scoreboard")
def scoreboard(me: SignedIn) -> HTMLResponse:
    board = me.site.board_html(me.visitor.contest)
    return me.page("scoreboard.html", here="scoreboard", board=board, own=_own_row(me))


@router.get("/contests/{slug}/scoreboard/events")
def scoreboard_events(me: SignedIn) -> StreamingResponse:
    """The scoreboard's piece of the page, whenever it changes."""
    site, visitor = me.site, me.visitor
    first = site.boards.board(visitor.contest).version

    async def texts() -> AsyncGenerator[str, None]:
        async with aclosing(site.board_hub.watch(visitor.contest.slug)) as news:
            async for version in news:
                if version is None:
                    yield COMMENT
                elif version != first:
                    shown = await run_in_threadpool(partial(site.board_html, visitor.contest, newest=True))
                    yield message(shown, "board")

    return stream(site, visitor, texts(), partial(site.account_of_session, me.session))


def _own_problems(me: SignedIn) -> list[dict[str, Any]]:
    """The problems with this account's results."""
    problems = me.site.access.problems(me.visitor)
    rows = me.site.access.own(me.visitor)
    return [
        {
            "name": each.name,
            "title": me.names[each.name],
            "weight": each.weight,
            "best": _best([row for row in rows if row.problem == each.name]),
            "tries": sum(row.problem == each.name for row in rows),
        }
        for each in problems
    ]


def _best(rows: list[SubmissionRecord]) -> SubmissionRecord | None:
    """The accepted submission with the highest score, else the newest."""
    accepted = [row for row in rows if row.verdict == "accepted"]
    if accepted:
        return max(accepted, key=lambda row: row.score or 0.0)
    return rows[0] if rows else None


def _own_row(me: SignedIn) -> str:
    return (me.visitor.account.team or "") if me.visitor.contest.teams else me.visitor.account.name


def _remaining(seconds: int) -> str:
    days, rest = divmod(seconds, 86400)
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{days} {'day' if days == 1 else 'days'} {clock}" if days else clock
