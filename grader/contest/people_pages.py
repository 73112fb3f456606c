"""The staff's page of the people in a contest: roster, who asks to enter, extensions, disqualified accounts.

Each change uses the same functions as `kgrade contest` and is logged under the account's name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from grader.contest.access import Refused
from grader.contest.accounts import Added, Issued, add_people, renew, secrets_to_csv
from grader.contest.entering import admit
from grader.contest.records import AccountRecord
from grader.contest.roster import parse_roster
from grader.contest.spans import parse_span, span
from grader.contest.visit import AsStaff, CheckedForm, Form, Member
from grader.core.errors import UsageError

router = APIRouter(include_in_schema=False, prefix="/contests/{slug}/staff")

LONGEST_REASON = 1_000


@router.get("/people")
def people(me: AsStaff) -> HTMLResponse:
    return _page(me)


@router.post("/people/roster")
def add_roster(me: AsStaff, form: Form) -> Response:
    """Adds the people of a pasted roster and shows their links and tokens, once."""
    contest, text = me.visitor.contest, form.text("roster")
    try:
        found = parse_roster(text.encode("utf-8", "replace"), "the roster", teams=contest.teams)
        # The secrets are on the page alone: who loses it lets staff renew them.
        added = add_people(me.site.database, contest.slug, found, lambda issued: None, who=_who(me))
    except UsageError as error:
        return _refused(me, error, roster=text)
    me.site.boards.hurry(contest.slug)
    return _page(me, added=added)


@router.post("/people/renew")
def renew_secrets(me: AsStaff, form: Form) -> Response:
    """Gives an account a new link and token, shown once; the old ones and its sessions end."""
    account = _account(me, form)
    return _page(me, renewed=renew(me.site.database, [account], lambda issued: None, who=_who(me)))


@router.post("/people/admit")
def let_in(me: AsStaff, form: Form) -> Response:
    """Lets in who asked to enter."""
    number = _entry(form)
    try:
        admit(me.site.database, me.visitor.contest.slug, number, who=_who(me))
    except UsageError as error:
        return _refused(me, error)
    return _back(me)


@router.post("/people/refuse")
def refuse(me: AsStaff, form: Form) -> Response:
    """Refuses who asked to enter; they can still be let in."""
    number = _entry(form)
    try:
        me.site.database.refuse_entry(me.visitor.contest.slug, number, who=_who(me))
    except UsageError as error:
        return _refused(me, error)
    return _back(me)


@router.post("/people/extend")
def extend(me: AsStaff, form: Form) -> Response:
    """Sets an account's extension; 0 takes it back."""
    account = _account(me, form)
    try:
        length = parse_span(form.text("time"))
    except UsageError as error:
        return _refused(me, error)
    me.site.database.set_extension(account.id, round(length.total_seconds()), who=_who(me))
    return _back(me)


@router.post("/people/disqualify")
def disqualify(me: AsStaff, form: Form) -> Response:
    account, reason = _account(me, form), form.text("reason").strip()
    if not 0 < len(reason) <= LONGEST_REASON:
        return _refused(
            me, UsageError(f"the reason has {len(reason):,} characters; 1 to {LONGEST_REASON:,} are expected")
        )
    me.site.database.disqualify_account(account.id, reason, who=_who(me))
    return _back(me)


@router.post("/people/reinstate")
def reinstate(me: AsStaff, form: Form) -> Response:
    me.site.database.disqualify_account(_account(me, form).id, None, who=_who(me))
    return _back(me)


def _entry(form: CheckedForm) -> int:
    text = form.text("entry")
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise Refused(404, "nobody asks to enter by that number")
    return int(text)


def _account(me: Member, form: CheckedForm) -> AccountRecord:
    """The account of this contest that a form names by its number. Raises Refused."""
    for account in me.site.database.accounts(me.visitor.contest.slug):
        if str(account.id) == form.text("account"):
            return account
    raise Refused(404, "there is no such account in this contest")


def _page(
    me: Member,
    *,
    added: Added | None = None,
    renewed: Sequence[Issued] = (),
    mistake: str = "",
    roster: str = "",
) -> HTMLResponse:
    slug = me.visitor.contest.slug
    issued = added.issued if added is not None else renewed
    accounts = me.site.database.accounts(slug)
    made = Counter(row.account_id for row in me.site.database.submissions(slug))
    return me.page(
        "people.html",
        here="staff",
        accounts=sorted(accounts, key=lambda each: (each.role, each.name.casefold())),
        extensions={
            each.id: span(timedelta(seconds=each.extension_seconds)) for each in accounts if each.extension_seconds
        },
        made=made,
        entries=me.site.database.entries(slug),
        added=added,
        issued=issued,
        secrets=secrets_to_csv(issued, str(me.request.base_url)) if issued else "",
        mistake=mistake,
        roster=roster,
        longest_reason=LONGEST_REASON,
    )


def _refused(me: Member, error: UsageError, *, roster: str = "") -> HTMLResponse:
    page = _page(me, mistake=f"{error.message[:1].upper()}{error.message[1:]}.", roster=roster)
    page.status_code = 400
    return page


def _who(me: Member) -> str:
    return me.visitor.account.name


def _back(me: Member) -> Response:
    slug = me.visitor.contest.slug
    me.site.boards.hurry(slug)
    return RedirectResponse(f"/contests/{slug}/staff/people", 303)
