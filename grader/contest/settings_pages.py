"""The staff's page of a contest's settings: a form, what it changed, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from grader.contest.changes import differences
from grader.contest.group_cases import check_groups
from grader.contest.settings import settings_to_json
from grader.contest.settings_form import FIELDS, WEIGHT, form_values, settings_of_form
from grader.contest.visit import AsStaff, Form, Member
from grader.core.errors import UsageError

router = APIRouter(include_in_schema=False, prefix="/contests/{slug}/staff")

SEEN = "seen"
"""The field that says on which settings the form was based."""


@router.get("/settings")
def settings_page(me: AsStaff) -> HTMLResponse:
    return _page(me, form_values(me.visitor.contest))


@router.post("/settings")
def change_settings(me: AsStaff, form: Form) -> Response:
    contest, slug = me.visitor.contest, me.visitor.contest.slug
    texts = {name: form.text(name) for name in form_values(contest)}
    if form.text(SEEN) != _mark(me):
        mistake = "Somebody else changed the settings meanwhile; nothing was changed. Look at them and try again."
        page = _page(me, form_values(contest), mistake=mistake)
        page.status_code = 409
        return page
    try:
        settings = settings_of_form(contest, texts)
        check_groups(settings, me.site.workspace)
    except UsageError as error:
        page = _page(me, texts, mistake=f"Nothing was changed: {error.message}.")
        page.status_code = 400
        return page
    changed = differences(settings_to_json(contest), settings_to_json(settings))
    if changed:
        me.site.database.add_contest(slug, settings_to_json(settings), who=me.visitor.account.name)
        me.site.boards.hurry(slug)
    me.visitor = me.site.access.visitor(me.visitor.account)
    return _page(me, form_values(me.visitor.contest), changed=changed)


def _page(
    me: Member, values: Mapping[str, str], *, mistake: str = "", changed: list[str] | None = None
) -> HTMLResponse:
    return me.page(
        "settings.html",
        here="staff",
        fields=FIELDS,
        values=values,
        weights={f"{WEIGHT}{name}": title for name, title in me.names.items() if f"{WEIGHT}{name}" in values},
        seen=_mark(me),
        mistake=mistake,
        changed=changed,
    )


def _mark(me: Member) -> str:
    return sha256(settings_to_json(me.visitor.contest).encode()).hexdigest()
