"""Live streams of server-sent events, as responses: each counts towards a limit, and ends with the right to see it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Hashable
from contextlib import aclosing, suppress
from functools import partial

from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from grader.contest.access import Refused
from grader.contest.events import COMMENT, Hub, TooManyStreams, message
from grader.contest.progress import Progress
from grader.contest.records import JUDGED
from grader.contest.site import Site
from grader.contest.visit import Member
from grader.core.errors import KgradeError


class EventStream(StreamingResponse):
    """A live stream; `end` is called when it is over, whether it completed or not."""

    media_type = "text/event-stream"
    end: Callable[[], None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.end()


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


def progress_stream(
    me: Member, hub: Hub[int, Progress], number: int, over: Collection[str] = (JUDGED,)
) -> StreamingResponse:
    """Pieces of the page as `progress`, then one `done` when its state is one of `over`."""

    def show(progress: Progress) -> str:
        return me.site.pages.render("contest/progress.html", progress=progress)

    return stream(me.site, me.visitor.account.id, progress_events(hub, number, show, over), me.known)


async def progress_events(
    hub: Hub[int, Progress], number: int, show: Callable[[Progress], str], over: Collection[str] = (JUDGED,)
) -> AsyncGenerator[str, None]:
    """An event `progress` for each change, as `show` words it; the last is `done`, when its state is one of `over`."""
    async with aclosing(hub.watch(number)) as news:
        async for progress in news:
            if progress is None:
                yield COMMENT
                continue
            done = progress.state in over
            yield message(show(progress), "done" if done else "progress")
            if done:
                return


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
