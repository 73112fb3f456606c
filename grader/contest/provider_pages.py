"""Sign-in by an identity provider: the way there, the way back, and the sessions of who is on a roster.

Between the two a signed cookie of this browser holds state, nonce and PKCE's verifier; it lasts ten minutes.
"""

from __future__ import annotations

import json
import time
from typing import Any

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from grader.contest.access import Refused
from grader.contest.failures import log
from grader.contest.kept import bring_back, sign_in_page
from grader.contest.left_texts import Kept
from grader.contest.provider import EMAIL, NotSignedIn, SignIn
from grader.contest.records import AccountRecord
from grader.contest.visit import BACK, AsGuest, Guest, set_session, way_back

router = APIRouter(include_in_schema=False, prefix="/sign-in")

COOKIE, PLACE = "kgrade_provider", "/sign-in"
LASTS = 600
"""Seconds within which somebody has to sign in at the provider."""
LONGEST = 4000
NOBODY = "You are signed in at {name}, but are not on the roster of a contest here"
ASK = "ask whoever runs your course; they need the address or the name by which {name} knows you"


@router.get("/provider")
async def begin(guest: AsGuest) -> Response:
    sign_in = _provider(guest)
    session: dict[str, Any] = {}
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
        value = await sign_in.end(_session(guest), guest.request.scope["query_string"])
    except NotSignedIn as error:
        return _failed(guest, error, kept)
    database, name = guest.site.database, sign_in.provider.name
    known = {"email": value} if sign_in.provider.match == EMAIL else {"subject": value}
    accounts = await run_in_threadpool(lambda: database.accounts_known_as(**known))
    if not accounts:
        page = sign_in_page(guest, f"{NOBODY.format(name=name)}; {ASK.format(name=name)}.", kept)
        page.status_code = 403
        return _ended(guest, page)
    if kept is None:
        answer: Response = RedirectResponse(_target(guest, accounts), 303)
    else:
        answer = await run_in_threadpool(bring_back, guest, accounts, kept)
    guest.set_cookie(answer, BACK, "", PLACE, days=0)
    for account in accounts:
        await run_in_threadpool(set_session, guest, answer, account)
    return _ended(guest, answer)


def _provider(guest: Guest) -> SignIn:
    if guest.site.provider is None:
        raise Refused(404, "there is no such page")
    return guest.site.provider


def _session(guest: Guest) -> dict[str, Any]:
    """What `begin` left in this browser; empty if it is gone, too old, or was made elsewhere."""
    cookie = guest.request.cookies.get(COOKIE, "")
    text = guest.site.signer.unseal(cookie) if len(cookie) <= LONGEST else None
    until, session = (0, {}) if text is None else json.loads(text)
    return session if time.time() < until else {}


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
