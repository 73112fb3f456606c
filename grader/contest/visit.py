"""One request of a browser: who is signed in, the form it sends, and the page it gets.

Sessions and forms are checked here, before a page's own code runs.
"""

from __future__ import annotations

import re
import secrets
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, Path, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse

from grader.contest.access import Refused
from grader.contest.auth import hash_token, new_token
from grader.contest.bodies import Fields, form_fields
from grader.contest.naming import plain_name
from grader.contest.records import AccountRecord, AnnouncementRecord
from grader.contest.site import POLICY, Site
from grader.core.errors import KgradeError

MOST_NEWS = 3
"""Announcements shown above a page; the contest's home lists all."""
SESSION, VISIT, BACK = "kgrade_session", "kgrade_visit", "kgrade_back"
"""Cookies: the session in one contest, sent only below that contest's path; the browser's before sign-in; and the
problem's page that it was refused, to which signing in leads back.
"""
KNOWN = "kgrade_known"
"""The cookie of a browser that was signed in once: of it the server reads a whole text also when the session ended."""

PROBLEM_PAGE = r"/contests/([a-z0-9-]{1,100})/problems/[\w.-]{1,200}"
"""The path of a problem's page; the first group is the contest."""


class Guest:
    """A browser that need not be signed in. Its forms are bound to the `visit` cookie."""

    def __init__(self, request: Request) -> None:
        site = request.app.state.site
        assert isinstance(site, Site)
        self.request, self.site = request, site
        known = request.cookies.get(VISIT, "")
        self._new = not 20 <= len(known) <= 64
        self.visit = secrets.token_urlsafe(24) if self._new else known

    @property
    def form_cookie(self) -> str:
        return self.visit

    @cached_property
    def now(self) -> datetime:
        return self.site.access.now()

    def page(self, template: str, **values: Any) -> HTMLResponse:
        shown: dict[str, Any] = {"plain": plain_name, "contest": None, "account": None, "staff": False, "here": ""}
        shown |= {"owner": False, "provider": self._provider, **values}
        text = self.site.pages.render(
            f"contest/{template}",
            asset=self.site.asset,
            policy=POLICY,
            form_token=self.site.signer.form(self.form_cookie),
            now=self.now,
            **shown,
        )
        answer = HTMLResponse(text)
        # The forms of a browser without a session are bound to it.
        if self._new and self.form_cookie == self.visit:
            self.set_cookie(answer, VISIT, self.visit, "/")
        return answer

    @property
    def _provider(self) -> str:
        """What the identity provider is called; empty without one."""
        return self.site.provider.provider.name if self.site.provider else ""

    def set_cookie(self, answer: Response, name: str, value: str, path: str, *, days: int = 1) -> None:
        answer.set_cookie(
            name,
            value,
            max_age=days * 86400,
            path=path,
            httponly=True,
            samesite="lax",
            secure=self.request.url.scheme == "https",
        )


class Member(Guest):
    """A browser with a session in the contest of the path."""

    def __init__(self, request: Request, slug: str) -> None:
        super().__init__(request)
        self.session = request.cookies.get(SESSION, "")
        account = self.site.account_of_session(self.session)
        # Who runs this server needs no session: each request is looked at anew.
        self.owner = account is None or account.contest != slug
        if self.owner:
            account = self.site.owner(request)
        if account is None or account.contest != slug:
            raise Refused(401, "you are not signed in, or no longer", "open your personal link, or sign in below")
        self.visitor = self.site.access.visitor(account)

    @property
    def form_cookie(self) -> str:
        return self.visit if self.owner else self.session

    def known(self) -> AccountRecord | None:
        """Who this is, asked again; None once they are signed out."""
        return self.site.owner(self.request) if self.owner else self.site.account_of_session(self.session)

    @cached_property
    def names(self) -> dict[str, str]:
        return self.site.access.titles(self.visitor.contest)

    def page(self, template: str, **values: Any) -> HTMLResponse:
        visitor = self.visitor
        known = {"contest": visitor.contest, "account": visitor.account, "staff": visitor.staff, "owner": self.owner}
        # The contest's home lists them all; above it only newer ones appear.
        return super().page(template, **known, **self.news(listed=template == "contest.html"), **values)

    def news(self, after: int = 0, *, listed: bool = False) -> dict[str, Any]:
        """What the template of the announcements above a page shows: the newest ones whose number is above `after`."""
        found: list[AnnouncementRecord] = []
        # A page that says what is wrong with the database does without.
        with suppress(KgradeError):
            found = self.site.access.announcements(self.visitor)
        if listed:
            after = max((each.id for each in found), default=0)
        news = [each for each in found if each.id > after]
        digest = sha256(repr([each.id for each in news]).encode()).hexdigest()[:16]
        seconds = f"{self.site.patience.news:g}"
        return {"news": news[:MOST_NEWS], "after": after, "known": digest, "seconds": seconds}

    def end_session(self, answer: Response) -> None:
        self.site.database.end_session(hash_token(self.session))
        self.set_cookie(answer, SESSION, "", f"/contests/{self.visitor.contest.slug}", days=0)


class Spectator(Guest):
    """A browser that is not signed in and looks at a contest whose scoreboard is public."""

    def __init__(self, request: Request, slug: str) -> None:
        super().__init__(request)
        self.contest = self.site.access.public_contest(slug)

    def page(self, template: str, **values: Any) -> HTMLResponse:
        return super().page(template, contest=self.contest, **values)


class CheckedForm:
    """The fields of a form that came from a page of this server."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        """The text of a field with LF line endings; empty if it is missing."""
        return self._fields.texts.get(name, "").replace("\r\n", "\n")

    def file(self, name: str) -> tuple[str, bytes] | None:
        """Name and content of an uploaded file; None if there is none."""
        found = self._fields.files.get(name)
        return found if found is not None and found[0] else None


def problem_page(path: str) -> str:
    """The problem's page to whose address, or that of its Run, something was sent; empty if it is none."""
    found = re.fullmatch(f"({PROBLEM_PAGE})(?:/run)?", path)
    return found[1] if found else ""


def way_back(guest: Guest, contest: str) -> str:
    """Where signing in to the contest leads: the problem's page that was refused last, else the contest's home."""
    path = guest.request.cookies.get(BACK, "")
    found = re.fullmatch(PROBLEM_PAGE, path)
    return path if found and found[1] == contest else f"/contests/{contest}"


def set_session(guest: Guest, answer: Response, account: AccountRecord) -> None:
    session = new_token()
    guest.site.database.add_session(account, hash_token(session))
    guest.set_cookie(answer, SESSION, session, f"/contests/{account.contest}", days=30)
    if not guest.site.signer.knows(guest.request.cookies.get(KNOWN, "")):
        guest.set_cookie(answer, KNOWN, guest.site.signer.visitor(), "/", days=400)


def guest_of(request: Request) -> Guest:
    return Guest(request)


def member_of(request: Request, slug: Annotated[str, Path(max_length=100)]) -> Member:
    return Member(request, slug)


def viewer_of(request: Request, slug: Annotated[str, Path(max_length=100)]) -> Member | Spectator:
    """Who may look at the scoreboard: a member, or anybody if it is public."""
    try:
        return Member(request, slug)
    except Refused:
        if request.app.state.site.access.is_public(slug):
            return Spectator(request, slug)
        raise


def staff_of(request: Request, slug: Annotated[str, Path(max_length=100)]) -> Member:
    member = Member(request, slug)
    if not member.visitor.staff:
        # The same message as for a path that does not exist.
        raise Refused(404, "there is no such page")
    return member


async def form_of(request: Request) -> CheckedForm:
    """Returns the form after checking by origin and CSRF token that it came from a page of this server. Raises
    Refused.
    """
    if not is_same_origin(request):
        raise Refused(403, "this form came from another site")
    try:
        # The body was received and counted already.
        fields = form_fields(request.headers.get("content-type", ""), await request.body())
    except ValueError:
        raise Refused(400, "this form can't be read") from None
    site, token = request.app.state.site, fields.texts.get("csrf", "")
    cookies = [SESSION if request.url.path.startswith("/contests/") else VISIT]
    if await run_in_threadpool(site.owner, request) is not None:
        cookies.append(VISIT)
    if not any(site.signer.accepts(request.cookies.get(cookie, ""), token) for cookie in cookies):
        raise Refused(403, "this form is out of date", "go back, load the page again, and send it once more")
    return CheckedForm(fields)


def is_same_origin(request: Request) -> bool:
    """Whether a request came from a page of this server, as far as the browser says."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = request.headers.get("origin")
    try:
        return origin is None or urlsplit(origin).netloc == request.headers.get("host")
    except ValueError:
        return False


AsGuest = Annotated[Guest, Depends(guest_of)]
SignedIn = Annotated[Member, Depends(member_of)]
AsViewer = Annotated[Member | Spectator, Depends(viewer_of)]
AsStaff = Annotated[Member, Depends(staff_of)]
Form = Annotated[CheckedForm, Depends(form_of)]
