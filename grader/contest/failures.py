"""Responses to failures of the server itself: the user learns what to do now, the log what is wrong and where.

Database errors name paths on this machine, so no response contains them.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from grader.contest.access import Refused
from grader.core.errors import DiskFull, KgradeError

if TYPE_CHECKING:
    from fastapi import Request

log = logging.getLogger("kgrade.server")

OUT_OF_ORDER, FULL = 503, 507
RETRY_SECONDS = {OUT_OF_ORDER: 30, FULL: 60}
"""Retry-After in seconds, by the status of the response."""

NOT_NOW = "the server can't do this right now"
TRY_AGAIN = "what was confirmed is kept; try again in a minute, and tell whoever runs the contest if it goes on"
NO_SPACE = "the server's disk is full, so this was not taken; what was confirmed before is kept"
FREE_SPACE = "tell whoever runs the contest, and try again in a few minutes: it works as soon as there is space"


def refuse(request: Request, error: KgradeError) -> Refused:
    """Logs the failure of a request and returns the response to it."""
    log.error("%s %s: %s (%s)", request.method, shown_path(request), error.message, error.hint)
    if isinstance(error, DiskFull):
        return Refused(FULL, NO_SPACE, FREE_SPACE)
    return Refused(OUT_OF_ORDER, NOT_NOW, TRY_AGAIN)


def shown_path(request: Request) -> str:
    """The request's path for the log, without the token of a personal link."""
    path = request.url.path
    return "/sign-in/…" if path.startswith("/sign-in/") else path.encode("ascii", "backslashreplace").decode()


def wants_json(request: Request) -> bool:
    """Whether the answer goes to a program: a client of the API, or a page's script that says so."""
    return request.url.path.startswith("/api/") or request.headers.get("accept") == "application/json"
