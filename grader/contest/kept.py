"""A text that was sent when its sender was no longer signed in.

The sign-in page keeps it, and signing in brings it back as a draft. Who signs in to another contest first is told, and
keeps the page. The way to an identity provider and back holds no text, so that the server keeps it meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from grader.contest.access import Refused
from grader.contest.bodies import form_fields
from grader.contest.draft_pages import keep
from grader.contest.failures import wants_json
from grader.contest.left_texts import Kept
from grader.contest.records import AccountRecord
from grader.contest.settings import Settings
from grader.contest.visit import KNOWN, PROBLEM_PAGE, CheckedForm, Guest, is_same_origin, problem_page
from grader.core.verdict import LanguageName


async def sent_text(request: Request) -> Kept | None:
    """The text in the form of a problem's page; None if the request is something else. It comes from this site only."""
    back = problem_page(request.url.path)
    if request.method != "POST" or not back or wants_json(request) or not is_same_origin(request):
        return None
    try:
        fields = form_fields(request.headers.get("content-type", ""), await request.body())
    except ValueError:
        return None
    name, data = fields.files.get("file", ("", b""))
    text = data.decode("utf-8", "replace") if name else fields.texts.get("source", "")
    return _kept(back, fields.texts.get("language", ""), text.replace("\r\n", "\n"))


def text_of(form: CheckedForm) -> Kept | None:
    """The text that a sign-in form carries; None without one."""
    return _kept(form.text("back"), form.text("language"), form.text("source"))


def _kept(back: str, language: str, text: str) -> Kept | None:
    known = language in [each.value for each in LanguageName]
    if not known or not text.strip() or not re.fullmatch(PROBLEM_PAGE, back):
        return None
    return Kept(back, LanguageName(language), text)


def bring_back(guest: Guest, accounts: Sequence[AccountRecord], kept: Kept) -> Response:
    """Makes the text a draft of the account in its contest, and leads to it.

    Where that is not possible the page says why, and still holds the text.
    """
    access = guest.site.access
    account = next((each for each in accounts if each.contest == kept.contest), None)
    if account is None:
        entered = [access.contest(each.contest) for each in accounts]
        return sign_in_page(guest, kept=kept, entered=entered)
    try:
        keep(access, access.visitor(account), kept.problem, kept.language, kept.text)
    except Refused as error:
        # They are signed in, and can copy the text.
        page = sign_in_page(guest, error.message, kept)
        page.status_code = error.status
        return page
    return RedirectResponse(f"{kept.back}?draft={kept.language.value}", 303)


def sign_in_page(
    guest: Guest, problem: str = "", kept: Kept | None = None, entered: Sequence[Settings] = ()
) -> HTMLResponse:
    """The page that asks for a personal link, offers the identity provider where there is one, and keeps a text.

    `entered` are the contests into which its reader came just now, of which the text is for none.
    """
    if kept is not None:
        leave_text(guest, kept)
    return guest.page("sign_in.html", problem=problem, name="", token="", title="", kept=kept, entered=entered)


def leave_text(guest: Guest, kept: Kept) -> None:
    """Keeps the text for the way to the identity provider, of browsers that were signed in here once."""
    if guest.site.provider is not None and guest.site.signer.knows(guest.request.cookies.get(KNOWN, "")):
        guest.site.left_texts.leave(guest.visit, kept)
