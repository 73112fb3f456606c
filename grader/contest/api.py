"""The HTTP API for students, used by kgrade's own commands: JSON in and out, a token in each request.

`access` decides what is allowed. The API reads no cookies, so no other site's page can use it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Security
from fastapi.responses import Response, StreamingResponse
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer

from grader.contest.access import LARGEST_NUMBER, Access, Refused, Visitor
from grader.contest.api_shapes import (
    Contest,
    Me,
    Mistake,
    News,
    NewSubmission,
    Part,
    Points,
    Problem,
    Scoreboard,
    State,
    Submission,
    Submitted,
)
from grader.contest.auth import bearer, hash_token
from grader.contest.bodies import flat_object
from grader.contest.events import COMMENT, message
from grader.contest.progress import Progress
from grader.contest.records import JUDGED, AccountRecord, SubmissionRecord
from grader.contest.site import Site
from grader.contest.streams import EventStream, progress_events, stream
from grader.core.report import to_data

MISTAKES: dict[int | str, dict[str, Any]] = {
    400: {"model": Mistake, "description": "The file, the report or the key can't be read."},
    401: {"model": Mistake, "description": "The token is missing, or not valid any more."},
    403: {"model": Mistake, "description": "Not now, or not for this account."},
    404: {"model": Mistake, "description": "There is nothing here that this account may see."},
    413: {"model": Mistake, "description": "Too large; it was not read."},
    422: {"model": Mistake, "description": "A field is missing, unknown, or has no such value."},
    429: {"model": Mistake, "description": "Too often."},
    503: {"model": Mistake, "description": "The database is away; what was confirmed is kept. Try again."},
    507: {"model": Mistake, "description": "The disk is full, so this was not taken; what was confirmed is kept."},
}
# Only for the OpenAPI description; the owner of a token is looked up below.
BEARER = HTTPBearer(auto_error=False, scheme_name="token", description="What came with the personal link.")


class FlatRequest(Request):
    """A request whose JSON body must be one flat object."""

    async def json(self) -> Any:
        return flat_object(await self.body())


class FlatRoute(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_flat(request: Request) -> Response:
            return await handle(FlatRequest(request.scope, request.receive))

        return handle_flat


router = APIRouter(prefix="/api", responses=MISTAKES, dependencies=[Security(BEARER)], route_class=FlatRoute)

Number = Annotated[int, Path(ge=1, le=LARGEST_NUMBER)]


def site_of(request: Request) -> Site:
    site = request.app.state.site
    assert isinstance(site, Site)
    return site


async def access_of(request: Request) -> Access:
    return site_of(request).access


def visitor_of(request: Request) -> Visitor:
    """The visitor whose token the request bears. Raises Refused."""
    site, token = site_of(request), bearer(request.headers.get("authorization"))
    account = site.database.account_by_token(hash_token(token)) if token else None
    if account is None:
        raise site.failed(request, "this needs a valid token", "type: kgrade login URL")
    return site.access.visitor(account)


def anybody_of(request: Request, slug: Annotated[str, Path(max_length=100)]) -> Visitor | None:
    """The visitor whose token the request bears; None without a token, if the contest's scoreboard is public."""
    if request.headers.get("authorization") is None and site_of(request).access.is_public(slug):
        return None
    return visitor_of(request)


AsVisitor = Annotated[Visitor, Depends(visitor_of)]
AsAnybody = Annotated[Visitor | None, Depends(anybody_of)]
WithAccess = Annotated[Access, Depends(access_of)]
InContest = Annotated[str, Path(max_length=100)]


@router.get("/me")
def me(visitor: AsVisitor) -> Me:
    account = visitor.account
    return Me(
        name=account.name,
        contest=account.contest,
        role=account.role,
        team=account.team,
        ends=visitor.ends,
        disqualified=account.disqualified,
    )


@router.get("/contests/{slug}")
def contest(slug: InContest, visitor: AsVisitor, access: WithAccess) -> Contest:
    settings = _same_contest(visitor, slug).contest
    names = access.titles(settings)
    try:
        problems = [
            Problem(name=each.name, title=names[each.name], weight=each.weight) for each in access.problems(visitor)
        ]
    except Refused:
        problems = None
    return Contest(
        slug=settings.slug,
        title=settings.title,
        now=access.now(),
        start=settings.start,
        freeze=settings.freeze,
        end=settings.end,
        ends=visitor.ends,
        counts=settings.counts,
        per_hour=settings.per_hour,
        scored_by=settings.scored_by,
        problems=problems,
        announcements=[News(created=each.created, text=each.text) for each in access.announcements(visitor)],
    )


@router.get("/contests/{slug}/scoreboard", response_model=Scoreboard)
def scoreboard(slug: InContest, visitor: AsAnybody, request: Request) -> Response:
    """It needs no token where the contest's scoreboard is public."""
    site = site_of(request)
    if visitor is None or (visitor.contest.slug != slug and site.access.is_public(slug)):
        contest, account = site.access.public_contest(slug), None
    else:
        contest, account = _same_contest(visitor, slug).contest, visitor.account
    return Response(site.board_json(contest, account), media_type="application/json")


@router.get("/contests/{slug}/scoreboard/events", response_class=EventStream)
def scoreboard_events(slug: InContest, visitor: AsVisitor, request: Request) -> StreamingResponse:
    """Server-sent events: `board` with a number that grows whenever the scoreboard changes."""
    site, settings = site_of(request), _same_contest(visitor, slug).contest

    async def texts() -> AsyncGenerator[str, None]:
        async with aclosing(site.board_hub.watch(settings.slug)) as news:
            async for version in news:
                yield COMMENT if version is None else message(json.dumps({"version": version}), "board")

    return stream(site, visitor.account.id, texts(), by_token(request))


@router.get("/submissions")
def submissions(
    visitor: AsVisitor, access: WithAccess, problem: Annotated[str | None, Query(max_length=200)] = None
) -> list[Submission]:
    """The account's own and its team's, newest first."""
    return [_submission(row) for row in access.own(visitor, problem)]


@router.post("/submissions", status_code=201)
def submit(new: NewSubmission, visitor: AsVisitor, access: WithAccess) -> Submitted:
    data = new.source.encode("utf-8", "replace")
    number = access.submit(visitor, new.problem, new.file, data, new.key)
    return Submitted(id=number, url=page_of(visitor.account.contest, number))


@router.get("/submissions/{number}")
def submission(number: Number, visitor: AsVisitor, access: WithAccess) -> Submission:
    row = access.submission(visitor, number)
    report = access.report(visitor, row) if row.state == JUDGED else None
    parts = [
        Part(group=each.group, points=Points(**vars(each.points)), most=each.most)
        for each in access.parts(visitor, row)
    ]
    # A replay is for the page, and as large as all the rest many times over.
    return _submission(row, None if report is None else to_data(replace(report, replay=None)), parts)


@router.get("/submissions/{number}/events", response_class=EventStream)
def submission_events(number: Number, visitor: AsVisitor, access: WithAccess, request: Request) -> StreamingResponse:
    """Server-sent events: `progress` at each change, then one `done`."""
    site, row = site_of(request), access.submission(visitor, number)

    def show(progress: Progress) -> str:
        return State(**vars(progress)).model_dump_json()

    return stream(site, visitor.account.id, progress_events(site.hub, row.id, show), by_token(request))


def page_of(slug: str, number: int) -> str:
    return f"/contests/{slug}/submissions/{number}"


def by_token(request: Request) -> Callable[[], AccountRecord | None]:
    """Returns a function that looks up the account of the request's token."""
    token = bearer(request.headers.get("authorization")) or ""
    return partial(site_of(request).database.account_by_token, hash_token(token))


def _same_contest(visitor: Visitor, slug: str) -> Visitor:
    if slug != visitor.contest.slug:
        raise Refused(404, "there is no such contest")
    return visitor


def _submission(row: SubmissionRecord, report: dict[str, Any] | None = None, parts: Sequence[Part] = ()) -> Submission:
    return Submission(
        id=row.id,
        contest=row.contest,
        user=row.account,
        problem=row.problem,
        file=row.file,
        language=row.language,
        submitted=row.submitted,
        practice=row.practice,
        late_seconds=row.late_seconds,
        disqualified=row.disqualified,
        state=row.state,
        verdict=row.verdict,
        score=row.score,
        url=page_of(row.contest, row.id),
        report=report,
        parts=list(parts),
    )
