"""The HTTP API of runs, used by `kgrade test --contest`: a text is tried on visible cases, and nothing is recorded."""

from __future__ import annotations

from fastapi import APIRouter, Request, Security
from fastapi.responses import StreamingResponse

from grader.contest.access import Visitor
from grader.contest.api import BEARER, MISTAKES, AsVisitor, FlatRoute, Number, WithAccess, by_token, site_of
from grader.contest.api_shapes import NewRun, Run, State, Submitted
from grader.contest.progress import Progress
from grader.contest.records import HELD, JUDGED
from grader.contest.run_sizes import parse_sizes
from grader.contest.streams import EventStream, progress_events, stream
from grader.core.report import to_data

router = APIRouter(prefix="/api", responses=MISTAKES, dependencies=[Security(BEARER)], route_class=FlatRoute)


@router.post("/runs", status_code=201)
def run(new: NewRun, visitor: AsVisitor, access: WithAccess) -> Submitted:
    """Tries a text. It takes the place of the account's run before."""
    data = new.source.encode("utf-8", "replace")
    number = access.run(visitor, new.problem, new.file, data, parse_sizes(new.sizes))
    return Submitted(id=number, url=page_of(visitor, number))


@router.get("/runs/{number}")
def get_run(number: Number, visitor: AsVisitor, access: WithAccess) -> Run:
    row = access.own_run(visitor, number)
    report = access.run_report(row, visitor.account.name)
    return Run(
        id=row.id,
        contest=row.contest,
        problem=row.problem,
        file=row.file,
        state=row.state,
        verdict=row.verdict,
        url=page_of(visitor, number),
        report=None if report is None else to_data(report),
    )


@router.get("/runs/{number}/events", response_class=EventStream)
def run_events(number: Number, visitor: AsVisitor, access: WithAccess, request: Request) -> StreamingResponse:
    """Server-sent events: `progress` at each change, then one `done`."""
    site, row = site_of(request), access.own_run(visitor, number)

    def show(progress: Progress) -> str:
        return State(**vars(progress)).model_dump_json()

    texts = progress_events(site.run_hub, row.id, show, over=(JUDGED, HELD))
    return stream(site, visitor.account.id, texts, by_token(request))


def page_of(visitor: Visitor, number: int) -> str:
    return f"/contests/{visitor.contest.slug}/runs/{number}"
