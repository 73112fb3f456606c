"""How students install kgrade: a page with the commands, and the wheel that they name. Nobody has to be signed in."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import HTMLResponse, Response

from grader.contest.access import Refused
from grader.contest.client_wheel import Wheel
from grader.contest.visit import AsGuest
from grader.core.errors import KgradeError
from grader.machine.cuda_packages import EXTRAS

router = APIRouter(include_in_schema=False)


@router.get("/client")
def client(guest: AsGuest) -> HTMLResponse:
    address = str(guest.request.base_url).rstrip("/")
    wheel, missing = _wheel(guest)
    contests = guest.site.access.contests()
    return guest.page(
        "client.html",
        here="client",
        address=address,
        wheel=f"{address}/client/{wheel.name}" if wheel else "",
        digest=wheel.digest if wheel else "",
        missing=missing,
        extras=EXTRAS,
        slug=contests[0].slug if len(contests) == 1 else "CONTEST",
    )


@router.get("/client/{name}")
def download(name: Annotated[str, Path(max_length=200)], guest: AsGuest) -> Response:
    wheel, missing = _wheel(guest)
    if wheel is None or name != wheel.name:
        raise Refused(404, missing or "there is no such file", "see /client")
    # The name stays when a server's sources change, so nothing may keep it.
    return Response(wheel.content, media_type="application/octet-stream", headers={"cache-control": "no-cache"})


def _wheel(guest: AsGuest) -> tuple[Wheel | None, str]:
    """The wheel, or why there is none; what staff have to type for it stays in the server's log."""
    try:
        return guest.site.client_wheel.get(), ""
    except KgradeError as error:
        return None, error.message
