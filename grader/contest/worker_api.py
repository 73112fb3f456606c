"""The part of the HTTP API with which workers get jobs and hand in results, each with its machine's token."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Security
from fastapi.concurrency import run_in_threadpool
from sqlalchemy import select

from grader.contest.access import Refused
from grader.contest.api import BEARER, MISTAKES, FlatRoute, site_of
from grader.contest.api_shapes import (
    Ask,
    Asked,
    AskedOrNot,
    Beat,
    Claimed,
    Counted,
    Explained,
    Held,
    Nothing,
    Result,
    Sign,
    Stall,
    Waiting,
    Work,
)
from grader.contest.auth import bearer, hash_token
from grader.contest.groups import passed_of
from grader.contest.jobs import Answer, Claim, Job, Outcome
from grader.contest.records import WorkerRecord
from grader.contest.schema import Judging
from grader.core.report import from_json

router = APIRouter(prefix="/api/worker", responses=MISTAKES, dependencies=[Security(BEARER)], route_class=FlatRoute)


async def worker_of(request: Request) -> WorkerRecord:
    site, token = site_of(request), bearer(request.headers.get("authorization"))
    worker = site.admission.worker(token, site.access.now()) if token and site.admission else None
    if worker is None and token:
        worker = await run_in_threadpool(site.database.worker_by_token, hash_token(token))
    if worker is None:
        raise site.failed(request, "this needs a worker's token", "type on the server: kgrade contest worker --help")
    return worker


AsWorker = Annotated[WorkerRecord, Depends(worker_of)]


@router.post("/claim")
def claim(ask: Ask, worker: AsWorker, request: Request) -> Claimed:
    """The next job for this GPU; null where there is none. It is the worker's for 25 seconds after each heartbeat."""
    job = site_of(request).database.queue.claim(ask.gpu_model, _own_name(worker, ask.name))
    return Claimed(job=None if job is None else _work(job))


@router.get("/waiting")
def waiting(worker: AsWorker, request: Request) -> Waiting:
    """How many submissions wait for a worker, for who starts workers as there is work."""
    return Waiting(waiting=site_of(request).database.queue.waiting())


@router.post("/heartbeat")
def heartbeat(beat: Beat, worker: AsWorker, request: Request) -> Counted:
    queue = site_of(request).database.queue
    return Counted(current=_holds(request, worker, beat) and queue.heartbeat(_claim(beat), beat.progress))


@router.post("/finish")
def finish(result: Result, worker: AsWorker, request: Request) -> Counted:
    if result.report is not None:
        try:
            from_json(result.report)
        except ValueError as error:
            # A report that can't be read back would fail on every page that shows it.
            raise Refused(400, "the report can't be read", "server and worker need the same kgrade") from error
    try:
        passed_of(result.groups)
    except ValueError as error:
        raise Refused(400, "the groups can't be read", "server and worker need the same kgrade") from error
    given = result.model_dump(mode="json", exclude={"judging_id", "attempt"})
    outcome = Outcome(**given)
    site = site_of(request)
    counted = _holds(request, worker, result) and site.database.queue.finish(_claim(result), outcome)
    if counted:
        site.shelf.file(result.judging_id)
    return Counted(current=counted)


@router.post("/release")
def release(held: Held, worker: AsWorker, request: Request) -> Counted:
    queue = site_of(request).database.queue
    return Counted(current=_holds(request, worker, held) and queue.release(_claim(held)))


@router.post("/stalled")
def stalled(stall: Stall, worker: AsWorker, request: Request) -> Counted:
    """The grading had to be ended: it is given on once, and then held for staff."""
    queue = site_of(request).database.queue
    return Counted(current=_holds(request, worker, stall) and queue.stalled(_claim(stall), stall.why))


@router.post("/seen")
def seen(sign: Sign, worker: AsWorker, request: Request) -> Counted:
    queue = site_of(request).database.queue
    queue.seen(_own_name(worker, sign.name), sign.gpu_model, sign.state, sign.note)
    return Counted(current=True)


@router.post("/question")
def question(nothing: Nothing, worker: AsWorker, request: Request) -> AskedOrNot:
    """The next source to explain; null where there is none. Workers ask when there is nothing to judge."""
    found = site_of(request).database.claim_explanation(worker.name)
    return AskedOrNot(question=None if found is None else Asked(**vars(found)))


@router.post("/answer")
def answer(explained: Explained, worker: AsWorker, request: Request) -> Counted:
    given = Answer(explained.page, explained.note)
    database = site_of(request).database
    return Counted(current=database.answer_explanation(worker.name, explained.number, explained.attempt, given))


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
