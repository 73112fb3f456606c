"""The staff pages: all submissions, disqualifying, rejudging as a set, announcements, exports, workers, the log.

Each change uses the same functions as `kgrade contest` and is logged under the account's name.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from grader.contest import rejudging
from grader.contest.access import Refused
from grader.contest.api import Number
from grader.contest.changes import details
from grader.contest.events import COMMENT, message
from grader.contest.exports import FOR_EACH, files_of, to_csv
from grader.contest.naming import plain_name
from grader.contest.records import STAFF, AccountRecord, RejudgeRecord
from grader.contest.standing import freeze_again, freeze_of, results, reveal_next, unfreeze
from grader.contest.streams import stream
from grader.contest.visit import AsStaff, Form, Member
from grader.core.errors import UsageError
from grader.core.verdict import Verdict

router = APIRouter(include_in_schema=False, prefix="/contests/{slug}/staff")

MOST_LISTED = 500
Filter = Annotated[str, Query(max_length=200)]


@router.get("")
def overview(me: AsStaff) -> HTMLResponse:
    contest, database = me.visitor.contest, me.site.database
    return me.page(
        "staff.html",
        here="staff",
        announcements=database.announcements(contest.slug),
        rejudges=database.rejudges(contest.slug)[::-1],
        held=database.held(contest.slug),
        workers=database.present_workers(),
        audits=database.audits(contest.slug, limit=30),
        details=details,
        frozen=me.site.boards.board(contest).frozen,
        revealed=_is_revealed(me),
        questions=database.open_questions(contest.slug),
        entries=sum(each.refused is None for each in database.entries(contest.slug)),
        verdicts=[verdict.value for verdict in Verdict],
        names=me.names,
        address=str(me.request.base_url).rstrip("/"),
    )


@router.get("/submissions")
def submissions(me: AsStaff, problem: Filter = "", account: Filter = "", verdict: Filter = "") -> HTMLResponse:
    rows = me.site.database.submissions(
        me.visitor.contest.slug, problem=problem or None, verdict=verdict or None, newest_first=True
    )
    wanted = account.strip().casefold()
    people = {each.id for each in me.site.database.accounts(me.visitor.contest.slug) if wanted in _words_for(each)}
    rows = [row for row in rows if not wanted or row.account_id in people]
    return me.page(
        "staff_submissions.html",
        here="staff",
        rows=rows[:MOST_LISTED],
        more=max(0, len(rows) - MOST_LISTED),
        names=me.names,
        verdicts=[each.value for each in Verdict],
        chosen={"problem": problem, "account": account, "verdict": verdict},
    )


@router.post("/announcements")
def announce(me: AsStaff, form: Form) -> Response:
    text = form.text("text").strip()
    if not 0 < len(text) <= 4000:
        raise Refused(400, "an announcement has 1 to 4,000 characters")
    me.site.database.announce(me.visitor.contest.slug, text, who=_who(me))
    return _back(me)


@router.post("/announcements/{number}/withdraw")
def withdraw(number: Number, me: AsStaff, form: Form) -> Response:
    own = {each.id for each in me.site.database.announcements(me.visitor.contest.slug)}
    if number not in own:
        raise Refused(404, "there is no such announcement")
    me.site.database.withdraw_announcement(number, who=_who(me))
    return _back(me)


@router.post("/disqualify")
def disqualify(me: AsStaff, form: Form) -> Response:
    """Disqualifies one submission for a reason; an empty reason reinstates it."""
    number = form.text("number")
    row = me.site.access.submission(me.visitor, int(number) if re.fullmatch(r"[0-9]{1,10}", number) else 0)
    me.site.database.disqualify_submission(row.id, form.text("reason").strip()[:1000] or None, who=_who(me))
    me.site.boards.hurry(row.contest)
    return RedirectResponse(f"{_home(me)}/submissions", 303)


@router.post("/rejudges")
def rejudge(me: AsStaff, form: Form) -> Response:
    chosen = rejudging.Pick(
        form.text("problem") or None, form.text("account").strip() or None, form.text("verdict") or None
    )
    reason = form.text("reason").strip()[:1000]
    if not reason:
        raise Refused(400, "a rejudge needs a reason")
    try:
        number = rejudging.start(me.site.database, me.visitor.contest.slug, chosen, reason, who=_who(me))
    except UsageError as error:
        raise Refused(400, error.message) from None
    return RedirectResponse(f"{_home(me)}/rejudges/{number}", 303)


@router.post("/held")
def judge_again(me: AsStaff, form: Form) -> Response:
    """Queues one held submission again."""
    number = form.text("number")
    row = me.site.access.submission(me.visitor, int(number) if re.fullmatch(r"[0-9]{1,10}", number) else 0)
    me.site.database.queue.judge_again([row.id], _who(me))
    return _back(me)


@router.get("/rejudges/{number}")
def rejudge_page(number: Number, me: AsStaff) -> HTMLResponse:
    record = _rejudge(me, number)
    shown = rejudging.preview(me.site.database, number)
    return me.page("rejudge.html", here="staff", rejudge=record, preview=shown, names=me.names)


@router.get("/rejudges/{number}/events")
def rejudge_events(number: Number, me: AsStaff) -> StreamingResponse:
    """The rejudge's piece of its page, whenever another submission is judged or the rejudge ends."""
    site, contest, record = me.site, me.visitor.contest, _rejudge(me, number)

    def piece() -> str:
        return site.pages.render(
            "contest/rejudge_state.html",
            contest=contest,
            rejudge=_rejudge(me, record.id),
            preview=rejudging.preview(site.database, record.id),
            names=me.names,
            form_token=site.signer.form(me.form_cookie),
        )

    async def texts() -> AsyncGenerator[str, None]:
        async with aclosing(site.rejudge_hub.watch(record.id)) as news:
            async for change in news:
                yield COMMENT if change is None else message(await run_in_threadpool(piece), "rejudge")

    def known() -> AccountRecord | None:
        account = me.known()
        return account if account is not None and account.role == STAFF else None

    return stream(site, me.visitor.account.id, texts(), known)


@router.post("/rejudges/{number}/apply")
def apply_rejudge(number: Number, me: AsStaff, form: Form) -> Response:
    return _end_rejudge(me, number, apply=True)


@router.post("/rejudges/{number}/drop")
def drop_rejudge(number: Number, me: AsStaff, form: Form) -> Response:
    return _end_rejudge(me, number, apply=False)


@router.get("/scoreboard")
def final_scoreboard(me: AsStaff) -> HTMLResponse:
    """The scoreboard without the freeze."""
    board = me.site.board_html(me.visitor.contest, final=True)
    return me.page("staff_scoreboard.html", here="staff", board=board)


@router.post("/unfreeze")
def unfreeze_scoreboard(me: AsStaff, form: Form) -> Response:
    """Reveals the next result, or everything at once."""
    slug = me.visitor.contest.slug
    if form.text("all"):
        unfreeze(me.site.database, slug, who=_who(me))
    else:
        reveal_next(me.site.database, slug, who=_who(me))
    me.site.boards.hurry(slug)
    return _back(me)


@router.post("/freeze")
def freeze_scoreboard(me: AsStaff, form: Form) -> Response:
    """Hides again what was revealed."""
    slug = me.visitor.contest.slug
    freeze_again(me.site.database, slug, who=_who(me))
    me.site.boards.hurry(slug)
    return _back(me)


@router.get("/scores.csv")
def scores(me: AsStaff) -> Response:
    text = to_csv(results(me.site.database, me.visitor.contest.slug))
    return _download(me, text.encode(), "text/csv; charset=utf-8", ".csv")


@router.get("/scores-{kind}.zip")
def scores_for_each(kind: Annotated[str, Path(max_length=20)], me: AsStaff) -> Response:
    """One file a participant, as another system takes them."""
    if kind not in FOR_EACH:
        raise Refused(404, "there is no such page")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files_of(kind, results(me.site.database, me.visitor.contest.slug)).items():
            archive.writestr(name, text)
    return _download(me, packed.getvalue(), "application/zip", f"-{kind}.zip")


def _download(me: Member, data: bytes, kind: str, suffix: str) -> Response:
    name = f'attachment; filename="{me.visitor.contest.slug}{suffix}"'
    return Response(data, media_type=kind, headers={"content-disposition": name})


def _end_rejudge(me: Member, number: int, *, apply: bool) -> Response:
    _rejudge(me, number)
    try:
        if apply:
            me.site.database.apply_rejudge(number, who=_who(me))
        else:
            me.site.database.drop_rejudge(number, who=_who(me))
    except UsageError as error:
        raise Refused(409, error.message) from None
    me.site.boards.hurry(me.visitor.contest.slug)
    return RedirectResponse(f"{_home(me)}/rejudges/{number}", 303)


def _rejudge(me: Member, number: int) -> RejudgeRecord:
    for record in me.site.database.rejudges(me.visitor.contest.slug):
        if record.id == number:
            return record
    raise Refused(404, "there is no such rejudge")


def _words_for(account: AccountRecord) -> set[str]:
    """What staff may type to name an account or its team, in lower case."""
    words = (account.name, plain_name(account.name), account.email, account.team or "")
    return {word.casefold() for word in words} - {""}


def _is_revealed(me: Member) -> bool:
    """Whether anything that the freeze hid was revealed."""
    contest = me.visitor.contest
    freeze = freeze_of(me.site.database, contest.slug)
    return contest.is_frozen_at(me.now) and (freeze.lifted or bool(freeze.revealed))


def _who(me: Member) -> str:
    return me.visitor.account.name


def _home(me: Member) -> str:
    return f"/contests/{me.visitor.contest.slug}/staff"


def _back(me: Member) -> Response:
    return RedirectResponse(_home(me), 303)
