"""Sign-in by an identity provider: the way there, the way back, and the sessions of who is on a roster.

Between the two a signed cookie of this browser holds state, nonce and PKCE's verifier; it lasts ten minutes.
"""

from __future__ import annotations

import json
import time
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from grader.contest.access import Refused
from grader.contest.entering import accounts_of, askable, checked_name
from grader.contest.failures import log
from grader.contest.kept import bring_back, leave_text, sign_in_page
from grader.contest.left_texts import Kept
from grader.contest.provider import Identity, NotSignedIn, SignIn
from grader.contest.records import AccountRecord
from grader.contest.roster import LONGEST_NAME
from grader.contest.visit import BACK, AsGuest, Form, Guest, set_session, way_back
from grader.core.errors import UsageError

router = APIRouter(include_in_schema=False, prefix="/sign-in")

COOKIE, PLACE = "kgrade_provider", "/sign-in"
KNOWN_AS = "kgrade_known_as"
"""The signed cookie of who came back from the provider and may ask to enter a contest."""
TO_ASK = "to_ask"
"""The key that says, beside state and nonce, that somebody went to the provider in order to ask."""
LASTS = 600
"""Seconds within which somebody has to sign in at the provider."""
LONGEST = 4000
NOBODY = "You are signed in at {name}, but are not on the roster of a contest here"
ASK = "ask whoever runs your course; they need the address or the name by which {name} knows you"


@router.get("/provider")
async def begin(guest: AsGuest, ask: Annotated[bool, Query()] = False) -> Response:
    sign_in = _provider(guest)
    session: dict[str, Any] = {TO_ASK: True} if ask else {}
    try:
        address = await sign_in.begin(session)
    except NotSignedIn as error:
        log.warning("sign-in by the identity provider: %s", _plain(error))
        name = sign_in.provider.name
        page = sign_in_page(
            guest, f"The sign-in of {name} can't be reached. Try again later, or use your personal link."
        )
        page.status_code = 503
        return page
    answer = RedirectResponse(address, 302)
    sealed = guest.site.signer.seal(json.dumps([time.time() + LASTS, session]))
    guest.set_cookie(answer, COOKIE, sealed, PLACE)
    return answer


@router.get("/provider/back")
async def end(guest: AsGuest) -> Response:
    sign_in, kept = _provider(guest), guest.site.left_texts.take(guest.visit)
    try:
        session = _session(guest)
        identity = await sign_in.end(session, guest.request.scope["query_string"])
    except NotSignedIn as error:
        return _failed(guest, error, kept)
    answer = await run_in_threadpool(_entered, guest, identity, kept, to_ask=TO_ASK in session)
    return _ended(guest, answer)


@router.get("/provider/ask")
def ask_page(guest: AsGuest) -> Response:
    _provider(guest)
    identity = _identity(guest)
    if identity is None:
        return RedirectResponse("/sign-in/provider?ask=true", 303)
    return _ask_page(guest, identity, identity.name)


@router.post("/provider/ask")
def ask(guest: AsGuest, form: Form) -> Response:
    """Asks to enter a contest. Only who the provider vouched for within the last minutes can."""
    kind, identity = _provider(guest).provider.match, _identity(guest)
    if identity is None:
        return RedirectResponse("/sign-in/provider?ask=true", 303)
    site, name = guest.site, form.text("name")
    try:
        contest = next(
            (
                each.slug
                for each in askable(site.database, site.access, kind, identity.value)
                if each.slug == form.text("contest")
            ),
            None,
        )
        if contest is None:
            raise UsageError("choose a contest", "these are the contests that you can ask to enter")
        site.database.ask_to_enter(contest, kind, identity.value, checked_name(name))
    except UsageError as error:
        page = _ask_page(guest, identity, name, f"{error.message[:1].upper()}{error.message[1:]}; {error.hint}.")
        page.status_code = 400
        return page
    return RedirectResponse("/sign-in/provider/ask", 303)


def _ask_page(guest: Guest, identity: Identity, name: str, mistake: str = "") -> HTMLResponse:
    site, kind = guest.site, _provider(guest).provider.match
    asked = site.database.entries_of(kind, identity.value)
    known = {each.slug: each for each in site.access.contests()}
    return guest.page(
        "ask_to_enter.html",
        identity=identity,
        name=name[:LONGEST_NAME],
        longest=LONGEST_NAME,
        contests=askable(site.database, site.access, kind, identity.value),
        asked=[(known[each.contest], each) for each in asked if each.contest in known],
        inside=[known[each.contest] for each in accounts_of(site.database, kind, identity.value)],
        mistake=mistake,
    )


def _entered(guest: Guest, identity: Identity, kept: Kept | None, *, to_ask: bool) -> Response:
    """Sessions of all contests that know this person, and the way to where they wanted to go."""
    site, provider = guest.site, _provider(guest).provider
    accounts = accounts_of(site.database, provider.match, identity.value)
    open_to = askable(site.database, site.access, provider.match, identity.value)
    asked = site.database.entries_of(provider.match, identity.value)
    answer: Response
    if (to_ask or not accounts) and (open_to or asked or to_ask):
        # A text waits until they are let in, as long as the server keeps it.
        if kept is not None:
            leave_text(guest, kept)
        answer = RedirectResponse(f"{PLACE}/provider/ask", 303)
    elif not accounts:
        answer = sign_in_page(guest, f"{NOBODY.format(name=provider.name)}; {ASK.format(name=provider.name)}.", kept)
        answer.status_code = 403
        return answer
    elif kept is not None:
        answer = bring_back(guest, accounts, kept)
    else:
        answer = RedirectResponse(_target(guest, accounts), 303)
    guest.set_cookie(answer, BACK, "", PLACE, days=0)
    if open_to or asked or to_ask:
        told = json.dumps({"until": time.time() + LASTS, "value": identity.value, "name": identity.name[:LONGEST_NAME]})
        guest.set_cookie(answer, KNOWN_AS, site.signer.seal(told), PLACE)
    for account in accounts:
        set_session(guest, answer, account)
    return answer


def _identity(guest: Guest) -> Identity | None:
    """Who the provider vouched for in this browser within the last minutes; None if nobody, or too long ago."""
    cookie = guest.request.cookies.get(KNOWN_AS, "")
    text = guest.site.signer.unseal(cookie) if len(cookie) <= LONGEST else None
    found = {} if text is None else json.loads(text)
    # The other cookie that is sealed here holds a list.
    if not isinstance(found, dict) or time.time() >= found.get("until", 0):
        return None
    return Identity(found["value"], found["name"])


def _provider(guest: Guest) -> SignIn:
    if guest.site.provider is None:
        raise Refused(404, "there is no such page")
    return guest.site.provider


def _session(guest: Guest) -> dict[str, Any]:
    """What `begin` left in this browser; empty if it is gone, too old, or was made elsewhere."""
    cookie = guest.request.cookies.get(COOKIE, "")
    text = guest.site.signer.unseal(cookie) if len(cookie) <= LONGEST else None
    found = None if text is None else json.loads(text)
    return found[1] if isinstance(found, list) and time.time() < found[0] else {}


def _target(guest: Guest, accounts: list[AccountRecord]) -> str:
    """The page that was refused last, else the home of the only contest, else the list of contests."""
    slugs = [each.contest for each in accounts]
    back = next((way for slug in slugs if (way := way_back(guest, slug)) != f"/contests/{slug}"), None)
    return back or (f"/contests/{slugs[0]}" if len(slugs) == 1 else "/")


def _failed(guest: Guest, error: NotSignedIn, kept: Kept | None) -> Response:
    """The sign-in page with a message; the log has the reason, which is the instructor's to mend."""
    log.warning("sign-in by the identity provider: %s", _plain(error))
    refused = guest.site.failed(guest.request, "You could not be signed in", "begin again, or use your personal link")
    page = sign_in_page(guest, f"{refused.message}; {refused.hint}.", kept)
    page.status_code = refused.status
    return _ended(guest, page)


def _plain(error: NotSignedIn) -> str:
    """The reason for the log, on one line and not too long: some of it is the provider's words, or a stranger's."""
    return error.message.encode("ascii", "backslashreplace").decode().replace("\n", " ")[:500]


def _ended(guest: Guest, answer: Response) -> Response:
    """The answer, which takes the cookie back: each way to the provider serves once."""
    guest.set_cookie(answer, COOKIE, "", PLACE, days=0)
    return answer
