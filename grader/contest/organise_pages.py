"""The page on which whoever runs the server makes a new contest, whose first member of staff they are.

It writes the contest's file, as `kgrade contest new` does; all else is done on the contest's own pages.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, Response

from grader.contest.access import Refused
from grader.contest.auth import hash_token, new_token
from grader.contest.definitions import Wishes, publish, usual_wishes, write_new
from grader.contest.records import STAFF, NewAccount
from grader.contest.settings import PRACTICE
from grader.contest.visit import Form, Member, set_session
from grader.core.errors import UsageError

router = APIRouter(prefix=f"/contests/{PRACTICE}/new-contest", include_in_schema=False)


def organiser_of(request: Request) -> Member:
    me = Member(request, PRACTICE)
    if not me.site.may_organise(me.visitor.account):
        # The same message as for a path that does not exist.
        raise Refused(404, "there is no such page")
    return me


AsOrganiser = Annotated[Member, Depends(organiser_of)]


@router.get("")
def new_contest(me: AsOrganiser) -> HTMLResponse:
    wishes = usual_wishes(me.site.workspace, "", me.now)
    return _page(me, {"name": "", **vars(wishes), "problems": "\n".join(wishes.problems)})


@router.post("")
def make_contest(me: AsOrganiser, form: Form) -> Response:
    """Makes the contest, signs its maker in to it, and shows the maker's sign-in link, once."""
    texts = {name: form.text(name).strip() for name in ("name", "title", "start", "end", "problems")}
    slug, account, database = texts["name"], me.visitor.account, me.site.database
    wishes = Wishes(texts["title"], texts["start"], texts["end"], texts["problems"].split())
    try:
        if any(each.slug == slug for each in database.contests()):
            raise UsageError(f"there is a contest '{slug}' already; choose another name")
        write_new(me.site.workspace, slug, me.now, wishes)
    except UsageError as error:
        page = _page(me, texts, mistake=f"{error.message[:1].upper()}{error.message[1:]}.")
        page.status_code = 400
        return page
    settings = publish(database, me.site.workspace, slug, who=account.name)
    link = new_token()
    maker = NewAccount(account.name, account.email, STAFF, None, hash_token(new_token()), hash_token(link))
    database.add_accounts(slug, [maker], who=account.name)
    address = f"{str(me.request.base_url).rstrip('/')}/sign-in/{link}"
    page = me.page("contest_made.html", made=settings, link=address)
    set_session(me, page, database.account_by_name(slug, account.name))
    return page


def _page(me: Member, values: dict[str, str], *, mistake: str = "") -> HTMLResponse:
    return me.page("new_contest.html", values=values, mistake=mistake)
