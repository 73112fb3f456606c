"""What is told where the server itself fails: to who asked what to do now, to the log what is wrong and where.

The words of a database's errors name places on this machine, so no answer holds them.
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
"""After how long a program should ask again, by the status of the answer."""

NOT_NOW = "the server can't do this right now"
TRY_AGAIN = "what was confirmed is kept; try again in a minute, and tell whoever runs the contest if it goes on"
NO_SPACE = "the server's disk is full, so this was not taken; what was confirmed before is kept"
FREE_SPACE = "tell whoever runs the contest, and try again in a few minutes: it works as soon as there is space"


def refuse(request: Request, error: KgradeError) -> Refused:
    """The answer to a request that failed, which is logged."""
    log.error("%s %s: %s (%s)", request.method, shown_path(request), error.message, error.hint)
    if isinstance(error, DiskFull):
        return Refused(FULL, NO_SPACE, FREE_SPACE)
    return Refused(OUT_OF_ORDER, NOT_NOW, TRY_AGAIN)


def shown_path(request: Request) -> str:
    """The address without a personal link."""
    path = request.url.path
    return "/sign-in/…" if path.startswith("/sign-in/") else path.encode("ascii", "backslashreplace").decode()
