"""The HTTP API for students and workers, used by kgrade's own commands: JSON in and out, a token in each request.

`access` decides what is allowed. The API reads no cookies, so no other site's page can use it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Hashable
from contextlib import aclosing, suppress
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Security
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from sqlalchemy import select
from starlette.types import Receive, Scope, Send

from grader.contest.access import LARGEST_NUMBER, Access, Refused, Visitor
from grader.contest.api_shapes import (
    Ask,
    Asked,
    AskedOrNot,
    Beat,
    Claimed,
    Contest,
    Counted,
    Explained,
    Held,
    Me,
    Mistake,
    News,
    NewSubmission,
    Nothing,
    Problem,
    Result,
    Scoreboard,
    Sign,
    Stall,
    State,
    Submission,
    Submitted,
    Waiting,
    Work,
)
from grader.contest.auth import bearer, hash_token
from grader.contest.bodies import flat_object
from grader.contest.events import COMMENT, TooManyStreams, message
from grader.contest.jobs import Answer, Claim, Job, Outcome
from grader.contest.records import JUDGED, AccountRecord, SubmissionRecord, WorkerRecord
from grader.contest.schema import Judging
from grader.contest.site import Site
from grader.core.errors import KgradeError
from grader.core.report import from_json, to_data

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
_BEARER = HTTPBearer(auto_error=False, scheme_name="token", description="What came with the personal link.")


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


router = APIRouter(prefix="/api", responses=MISTAKES, dependencies=[Security(_BEARER)], route_class=FlatRoute)

Number = Annotated[int, Path(ge=1, le=LARGEST_NUMBER)]


class EventStream(StreamingResponse):
    """A live stream; `end` is called when it is over, whether it completed or not."""

    media_type = "text/event-stream"
    end: Callable[[], None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.end()


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


async def worker_of(request: Request) -> WorkerRecord:
    site, token = site_of(request), bearer(request.headers.get("authorization"))
    worker = site.admission.worker(token, site.access.now()) if token and site.admission else None
    if worker is None and token:
        worker = await run_in_threadpool(site.database.worker_by_token, hash_token(token))
    if worker is None:
        raise site.failed(request, "this needs a worker's token", "type on the server: kgrade contest worker --help")
    return worker


AsVisitor = Annotated[Visitor, Depends(visitor_of)]
AsAnybody = Annotated[Visitor | None, Depends(anybody_of)]
AsWorker = Annotated[WorkerRecord, Depends(worker_of)]
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

    return stream(site, visitor.account.id, texts(), _by_token(request))


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
    return _submission(row, None if report is None else to_data(report))


@router.get("/submissions/{number}/events", response_class=EventStream)
def submission_events(number: Number, visitor: AsVisitor, access: WithAccess, request: Request) -> StreamingResponse:
    """Server-sent events: `progress` at each change, then one `done`."""
    site, row = site_of(request), access.submission(visitor, number)

    async def texts() -> AsyncGenerator[str, None]:
        async with aclosing(site.hub.watch(row.id)) as news:
            async for progress in news:
                if progress is None:
                    yield COMMENT
                    continue
                done = progress.state == JUDGED
                yield message(State(**vars(progress)).model_dump_json(), "done" if done else "progress")
                if done:
                    return

    return stream(site, visitor.account.id, texts(), _by_token(request))


@router.post("/worker/claim")
def claim(ask: Ask, worker: AsWorker, request: Request) -> Claimed:
    """The next job for this GPU; null where there is none. It is the worker's for 25 seconds after each heartbeat."""
    job = site_of(request).database.queue.claim(ask.gpu_model, _own_name(worker, ask.name))
    return Claimed(job=None if job is None else _work(job))


@router.get("/worker/waiting")
def waiting(worker: AsWorker, request: Request) -> Waiting:
    """How many submissions wait for a worker, for who starts workers as there is work."""
    return Waiting(waiting=site_of(request).database.queue.waiting())


@router.post("/worker/heartbeat")
def heartbeat(beat: Beat, worker: AsWorker, request: Request) -> Counted:
    queue = site_of(request).database.queue
    return Counted(current=_holds(request, worker, beat) and queue.heartbeat(_claim(beat), beat.progress))


@router.post("/worker/finish")
def finish(result: Result, worker: AsWorker, request: Request) -> Counted:
    if result.report is not None:
        try:
            from_json(result.report)
        except Exception as error:
            # A report that can't be read back would fail on every page that shows it.
            raise Refused(400, "the report can't be read", "server and worker need the same kgrade") from error
    given = result.model_dump(mode="json", exclude={"judging_id", "attempt"})
    outcome = Outcome(**given)
    site = site_of(request)
    counted = _holds(request, worker, result) and site.database.queue.finish(_claim(result), outcome)
    if counted:
        site.shelf.file(result.judging_id)
    return Counted(current=counted)


@router.post("/worker/release")
def release(held: Held, worker: AsWorker, request: Request) -> Counted:
    queue = site_of(request).database.queue
    return Counted(current=_holds(request, worker, held) and queue.release(_claim(held)))


@router.post("/worker/stalled")
def stalled(stall: Stall, worker: AsWorker, request: Request) -> Counted:
    """The grading had to be ended: it is given on once, and then held for staff."""
    queue = site_of(request).database.queue
    return Counted(current=_holds(request, worker, stall) and queue.stalled(_claim(stall), stall.why))


@router.post("/worker/seen")
def seen(sign: Sign, worker: AsWorker, request: Request) -> Counted:
    queue = site_of(request).database.queue
    queue.seen(_own_name(worker, sign.name), sign.gpu_model, sign.state, sign.note)
    return Counted(current=True)


@router.post("/worker/question")
def question(nothing: Nothing, worker: AsWorker, request: Request) -> AskedOrNot:
    """The next source to explain; null where there is none. Workers ask when there is nothing to judge."""
    found = site_of(request).database.claim_explanation(worker.name)
    return AskedOrNot(question=None if found is None else Asked(**vars(found)))


@router.post("/worker/answer")
def answer(explained: Explained, worker: AsWorker, request: Request) -> Counted:
    given = Answer(explained.page, explained.note)
    database = site_of(request).database
    return Counted(current=database.answer_explanation(worker.name, explained.number, explained.attempt, given))


def page_of(slug: str, number: int) -> str:
    return f"/contests/{slug}/submissions/{number}"


def stream(
    site: Site, holder: Hashable, texts: AsyncGenerator[str, None], known: Callable[[], object | None]
) -> StreamingResponse:
    """Returns a live stream of `texts`, one of those that `holder` has open.

    `known` is called from time to time; if it returns None, the stream ends.
    """
    try:
        site.streams.take(holder)
    except TooManyStreams:
        raise Refused(429, "too many live pages are open", "close some of them") from None
    # nginx would hold the events back.
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    answer = EventStream(_while_known(texts, known, site.patience.known), headers=headers)
    answer.end = partial(site.streams.give_back, holder)
    return answer


async def _while_known(
    texts: AsyncGenerator[str, None], known: Callable[[], object | None], seconds: float
) -> AsyncIterator[str]:
    clock = asyncio.get_running_loop().time
    asked = clock()
    async with aclosing(texts) as news:
        async for text in news:
            if clock() - asked >= seconds:
                asked = clock()
                # A database that is briefly unavailable must not end streams.
                with suppress(KgradeError):
                    if await run_in_threadpool(known) is None:
                        return
            yield text


def _by_token(request: Request) -> Callable[[], AccountRecord | None]:
    """Returns a function that looks up the account of the request's token."""
    token = bearer(request.headers.get("authorization")) or ""
    return partial(site_of(request).database.account_by_token, hash_token(token))


def _same_contest(visitor: Visitor, slug: str) -> Visitor:
    if slug != visitor.contest.slug:
        raise Refused(404, "there is no such contest")
    return visitor


def _submission(row: SubmissionRecord, report: dict[str, Any] | None = None) -> Submission:
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
    )


def _work(job: Job) -> Work:
    return Work(**vars(job))


def _claim(held: Held) -> Claim:
    return Claim(held.judging_id, held.attempt)


def _own_name(worker: WorkerRecord, name: str) -> str:
    """A machine runs a process per GPU, all with the machine's token, so the process's own name is appended."""
    return f"{worker.name}:{name}"


def _holds(request: Request, worker: WorkerRecord, held: Held) -> bool:
    """Whether this worker holds the judging; another worker could guess the attempt's number alone."""
    query = select(Judging.worker).where(Judging.id == held.judging_id)
    with site_of(request).database.reading() as connection:
        holder = connection.execute(query).scalar()
    return holder is not None and holder.startswith(f"{worker.name}:")
