"""Decides from a request's headers who sends it and how large a body may be, before the body is read.

It grants no access: the handlers authenticate again.
"""

from __future__ import annotations

import re

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from starlette.types import Scope

from grader.contest.auth import bearer, hash_token
from grader.contest.limits import LARGEST_BODY, LARGEST_FORM, LARGEST_OF_STRANGER, LARGEST_REPORT, Allowance
from grader.contest.site import Site
from grader.contest.visit import PROBLEM_PAGE, SESSION
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
        largest = LARGEST_FORM if re.fullmatch(PROBLEM_PAGE + "(/run)?", path) else LARGEST_BODY
        session = request.cookies.get(SESSION, "")
        return await _of_session(site, session, largest) or await _of_owner(site, request, largest) or stranger
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


async def _of_session(site: Site, cookie: str, largest: int) -> Allowance | None:
    account = await run_in_threadpool(site.account_of_session, cookie) if cookie else None
    return Allowance(largest, ("account", account.id)) if account else None


async def _of_owner(site: Site, request: Request, largest: int) -> Allowance | None:
    account = await run_in_threadpool(site.owner, request)
    return Allowance(largest, ("account", account.id)) if account else None
