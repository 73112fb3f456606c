"""Decides from a request's headers who sends it and how large a body may be, before the body is read.

It grants no access: the handlers authenticate again.
"""

from __future__ import annotations

import re

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from starlette.types import Scope

from grader.contest.auth import bearer, hash_token
from grader.contest.limits import (
    LARGEST_BODY,
    LARGEST_DRAFT,
    LARGEST_FORM,
    LARGEST_OF_STRANGER,
    LARGEST_REPORT,
    Allowance,
)
from grader.contest.records import AccountRecord
from grader.contest.site import Site
from grader.contest.visit import KNOWN, PROBLEM_PAGE, SESSION, problem_page
from grader.core.errors import KgradeError


async def allowance(site: Site, scope: Scope) -> Allowance:
    request = Request(scope)
    path = request.url.path
    # Not counted per address, because a lecture hall may share one.
    stranger = Allowance(LARGEST_OF_STRANGER, None)
    try:
        if path.startswith("/api/"):
            token = bearer(request.headers.get("authorization"))
            return stranger if token is None else await _of_token(site, path, token) or stranger
        largest, purse = LARGEST_FORM if problem_page(path) else LARGEST_BODY, "account"
        if re.fullmatch(f"{PROBLEM_PAGE}/draft", path):
            # What is typed must not use up what may be handed in.
            largest, purse = LARGEST_DRAFT, "draft"
        account = await run_in_threadpool(_account, site, request)
        if account is not None:
            return Allowance(largest, (purse, account.id))
        known = request.cookies.get(KNOWN, "")
        if (problem_page(path) or path == "/sign-in") and site.signer.knows(known):
            return Allowance(LARGEST_DRAFT, ("known", known))
        return stranger
    except KgradeError:
        # The database is unavailable; the handler will report that.
        return stranger


async def _of_token(site: Site, path: str, token: str) -> Allowance | None:
    if path.startswith("/api/worker/"):
        if site.admission is not None and site.admission.worker(token, site.access.now()):
            return Allowance(LARGEST_REPORT, None)
        known = await run_in_threadpool(site.database.worker_by_token, hash_token(token))
        return Allowance(LARGEST_REPORT, None) if known else None
    account = await run_in_threadpool(site.database.account_by_token, hash_token(token))
    return Allowance(LARGEST_BODY, ("account", account.id)) if account else None


def _account(site: Site, request: Request) -> AccountRecord | None:
    """Whose session it is, else who runs this server."""
    return site.account_of_session(request.cookies.get(SESSION, "")) or site.owner(request)
