"""The pages of clarifications: where students ask and read answers, and where staff answer.

Answers to all are announcements, so they also stand wherever announcements do.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from grader.contest.access import Refused
from grader.contest.api import Number
from grader.contest.clarifying import answer_question
from grader.contest.tables.clarifications import LONGEST_ANSWER, LONGEST_QUESTION, QUESTIONS_PER_HOUR
from grader.contest.visit import AsStaff, Form, Member, SignedIn
from grader.core.errors import UsageError

router = APIRouter(include_in_schema=False, prefix="/contests/{slug}")


@router.get("/questions")
def questions(me: SignedIn, problem: Annotated[str, Query(max_length=200)] = "") -> HTMLResponse:
    return _student_page(me, problem)


@router.post("/questions")
def ask(me: SignedIn, form: Form) -> Response:
    """Records a question; a refused one stays in the form."""
    problem, text = form.text("problem"), form.text("question")
    try:
        if problem and problem not in _askable(me):
            raise Refused(404, "there is no such problem in this contest")
        me.site.database.ask(me.visitor.account, problem or None, text, per_hour=QUESTIONS_PER_HOUR)
    except Refused:
        raise
    except UsageError as error:
        # Only the rate has a hint: when to ask again.
        page = _student_page(me, problem, text, error)
        page.status_code = 429 if error.hint else 400
        return page
    return RedirectResponse(f"/contests/{me.visitor.contest.slug}/questions", 303)


@router.get("/staff/questions")
def staff_questions(me: AsStaff) -> HTMLResponse:
    return _staff_page(me)


@router.post("/staff/questions/{number}")
def answer(number: Number, me: AsStaff, form: Form) -> Response:
    slug = me.visitor.contest.slug
    if not any(each.id == number for each in me.site.database.clarifications(slug)):
        raise Refused(404, "there is no such question")
    text, to_all = form.text("answer"), form.text("to") == "all"
    who = me.visitor.account.name
    try:
        answer_question(me.site.database, slug, number, text, to_all=to_all, who=who, titles=me.names)
    except UsageError as error:
        page = _staff_page(me, number, text, error)
        page.status_code = 400
        return page
    return RedirectResponse(f"/contests/{slug}/staff/questions", 303)


def _askable(me: Member) -> dict[str, str]:
    """The titles, by name, of the problems that this account knows: none before the start."""
    try:
        return {each.name: me.names[each.name] for each in me.site.access.problems(me.visitor)}
    except Refused:
        return {}


def _student_page(me: Member, problem: str, typed: str = "", mistake: UsageError | None = None) -> HTMLResponse:
    database, account = me.site.database, me.visitor.account
    return me.page(
        "questions.html",
        here="questions",
        own=database.clarifications(account.contest, account_id=account.id),
        told=[each for each in database.clarifications(account.contest) if each.announcement_id is not None],
        askable=_askable(me),
        chosen=problem,
        typed=typed,
        mistake=_sentences(mistake),
        names=me.names,
        longest=LONGEST_QUESTION,
    )


def _staff_page(me: Member, number: int = 0, typed: str = "", mistake: UsageError | None = None) -> HTMLResponse:
    asked = me.site.database.clarifications(me.visitor.contest.slug)
    return me.page(
        "staff_questions.html",
        here="staff",
        waiting=[each for each in reversed(asked) if each.answer is None],
        answered=[each for each in asked if each.answer is not None],
        tried=number,
        typed=typed,
        mistake=_sentences(mistake),
        names=me.names,
        longest=LONGEST_ANSWER,
    )


def _sentences(error: UsageError | None) -> str:
    if error is None:
        return ""
    return " ".join(f"{each[:1].upper()}{each[1:]}." for each in (error.message, error.hint) if each)
