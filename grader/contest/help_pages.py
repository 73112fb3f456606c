"""The index of faults on the site: what each is, its causes, and how to see it. Nobody has to be signed in."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import HTMLResponse

from grader.boards.faults import WORDS, read_fault
from grader.contest.access import Refused
from grader.contest.visit import AsGuest

router = APIRouter(include_in_schema=False)


@router.get("/help")
def index(guest: AsGuest) -> HTMLResponse:
    return guest.page("help.html", here="help", faults=[read_fault(word) for word in WORDS])


@router.get("/help/{word}")
def fault(word: Annotated[str, Path(max_length=100)], guest: AsGuest) -> HTMLResponse:
    if word not in WORDS:
        raise Refused(404, "there is no page of this name", "see /help")
    return guest.page("fault.html", fault=read_fault(word))
