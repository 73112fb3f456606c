"""A text that was sent when its sender was no longer signed in.

The sign-in page keeps it, and signing in brings it back as a draft.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fastapi import Request
from fastapi.responses import HTMLResponse

from grader.contest.bodies import form_fields
from grader.contest.failures import wants_json
from grader.contest.visit import PROBLEM_PAGE, CheckedForm, Guest, is_same_origin, problem_page
from grader.core.verdict import LanguageName


@dataclass(frozen=True)
class Kept:
    """What was typed in which language, and the address of its problem's page."""

    back: str
    language: LanguageName
    text: str

    @property
    def contest(self) -> str:
        return self.back.split("/")[2]

    @property
    def problem(self) -> str:
        return self.back.rpartition("/")[2]


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


def text_of(form: CheckedForm, contest: str = "") -> Kept | None:
    """The text that a sign-in form carries; None without one, and where it is for another contest than `contest`."""
    kept = _kept(form.text("back"), form.text("language"), form.text("source"))
    return None if kept is None or (contest and kept.contest != contest) else kept


def _kept(back: str, language: str, text: str) -> Kept | None:
    known = language in [each.value for each in LanguageName]
    if not known or not text.strip() or not re.fullmatch(PROBLEM_PAGE, back):
        return None
    return Kept(back, LanguageName(language), text)


def sign_in_page(guest: Guest, problem: str = "", kept: Kept | None = None) -> HTMLResponse:
    """The page that asks for a personal link, offers the identity provider where there is one, and keeps a text."""
    return guest.page("sign_in.html", problem=problem, name="", token="", title="", kept=kept)
