"""The application: API and pages, with the limits, headers and error responses that they share.

`kgrade serve` listens on the port and starts processes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from grader import __version__
from grader.contest import (
    api,
    client_pages,
    compare_pages,
    draft_pages,
    explain_pages,
    help_pages,
    organise_pages,
    pages,
    people_pages,
    practice_pages,
    problem_pages,
    provider_pages,
    question_pages,
    run_api,
    run_pages,
    settings_pages,
    staff_pages,
    worker_api,
)
from grader.contest.access import Refused
from grader.contest.clock import TOLERATED, Clock
from grader.contest.failures import NOT_NOW, RETRY_SECONDS, TRY_AGAIN, log, refuse, shown_path, wants_json
from grader.contest.intake import allowance
from grader.contest.kept import leave_text, sent_text
from grader.contest.left_texts import Kept
from grader.contest.limits import USUAL_PATIENCE, BodyLimit, Patience
from grader.contest.site import FRAMES, POLICY, Site
from grader.contest.visit import BACK, SESSION, Guest, Member, problem_page
from grader.core.errors import KgradeError

if TYPE_CHECKING:
    from grader.contest.database import Database
    from grader.contest.own_workers import Admission
    from grader.contest.provider import SignIn
    from grader.store.workspace import Workspace

CLOCK_SECONDS = 10.0
RECOVER_SECONDS = 3.0
"""How often the work of silent workers is given on, also where no other worker asks for any."""

TITLES = {
    400: "That did not work",
    401: "Please sign in",
    403: "Not allowed",
    404: "Not found",
    405: "Not allowed",
    413: "Too large",
    429: "Too many",
    507: "The server's disk is full",
}
WORDS = {404: "there is no such page", 405: "this address takes no such request"}


def create_app(
    database: Database,
    workspace: Workspace,
    admission: Admission | None = None,
    patience: Patience = USUAL_PATIENCE,
    owner: int | None = None,
    organiser: int | None = None,
    provider: SignIn | None = None,
) -> FastAPI:
    """The site of the contests in `database`, with the problems of `workspace`; `admission` lets its own workers in.

    `owner` is the account of the practice in which this user's own programs need no token, `organiser` that of whoever
    runs the server and may make contests. People may sign in by the identity provider, if there is one.
    """
    site = Site(database, workspace, admission, patience, owner, organiser, provider)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(_watch_clock(database.clock)), asyncio.create_task(_recover_work(database))]
        yield
        for task in tasks:
            task.cancel()
        await site.hub.close()
        await site.run_hub.close()
        await site.board_hub.close()
        await site.rejudge_hub.close()

    app = FastAPI(
        title="kgrade contests",
        version=__version__,
        description="What `kgrade login`, `kgrade submit --contest`, `kgrade test --contest` and `kgrade worker` use. "
        "Every request bears a token: Authorization: Bearer TOKEN.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.site = site
    app.include_router(api.router)
    app.include_router(run_api.router)
    app.include_router(worker_api.router)
    app.include_router(practice_pages.router)
    # Before the page of personal links, which takes any word below /sign-in.
    app.include_router(provider_pages.router)
    app.include_router(organise_pages.router)
    app.include_router(pages.router)
    app.include_router(client_pages.router)
    app.include_router(help_pages.router)
    app.include_router(question_pages.router)
    app.include_router(problem_pages.router)
    app.include_router(run_pages.router)
    app.include_router(draft_pages.router)
    app.include_router(staff_pages.router)
    app.include_router(people_pages.router)
    app.include_router(settings_pages.router)
    app.include_router(compare_pages.router)
    app.include_router(explain_pages.router)
    app.add_api_route("/static/{digest}/{name}", _static, include_in_schema=False)
    app.add_api_route("/favicon.ico", _icon, include_in_schema=False)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(KgradeError, _failed)
    app.add_exception_handler(HTTPException, _no_route)
    app.add_exception_handler(RequestValidationError, _not_valid)
    # The last one added is outermost: headers are on every response, including those of the limits.
    app.add_middleware(
        BodyLimit,
        allow=partial(allowance, site),
        refuse=partial(_refused_body, app),
        seconds=patience.body,
        clock=database.clock.seconds,
    )
    app.add_middleware(Headers, policy=f"{POLICY}; {FRAMES}")
    return app


async def _watch_clock(clock: Clock) -> None:
    """Warns if the machine's clock is set back: this server ignores it, but the next one would not start."""
    while clock.set_back <= TOLERATED:
        await asyncio.sleep(CLOCK_SECONDS)
    log.warning(
        "this machine's clock was set back by %.0f seconds; the contests' time goes on as before. "
        "Set the clock right (timedatectl set-ntp true) before you start the server again.",
        clock.set_back.total_seconds(),
    )


async def _recover_work(database: Database) -> None:
    while True:
        await asyncio.sleep(RECOVER_SECONDS)
        # A database that is briefly unavailable is asked again.
        with suppress(KgradeError):
            await asyncio.to_thread(database.queue.recover)


class Headers:
    """Adds security headers to every response, and responds if a handler crashed. A page may set its own policy."""

    def __init__(self, app: ASGIApp, policy: str) -> None:
        self._app = app
        self._always = (
            (b"x-content-type-options", b"nosniff"),
            (b"x-frame-options", b"SAMEORIGIN"),
            # Addresses contain personal links, which must not reach other sites.
            (b"referrer-policy", b"same-origin"),
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"cross-origin-resource-policy", b"same-origin"),
            (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
        )
        self._unless_set = ((b"content-security-policy", policy.encode()), (b"cache-control", b"no-store"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        # A HEAD is answered as a GET, whose body the server does not send; a live stream has no end to wait for.
        if scope["method"] == "HEAD" and not scope["path"].endswith("/events"):
            scope = {**scope, "method": "GET"}
        started = False

        async def with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                given = {name.lower() for name, _ in message["headers"]}
                more = [*self._always, *(each for each in self._unless_set if each[0] not in given)]
                if scope["scheme"] == "https":
                    more.append((b"strict-transport-security", b"max-age=31536000"))
                message["headers"] = [*message["headers"], *more]
            await send(message)

        try:
            await self._app(scope, receive, with_headers)
        except Exception as error:
            if started:
                raise
            await _crashed(Request(scope, receive), error)(scope, receive, with_headers)


def _static(digest: str, name: str, request: Request) -> Response:
    site = request.app.state.site
    if name not in site.assets or site.asset(name) != request.url.path:
        raise Refused(404, "there is no such file")
    asset = site.assets[name]
    headers = {"cache-control": "public, max-age=31536000, immutable", "vary": "accept-encoding"}
    taken = {part.partition(";")[0].strip() for part in request.headers.get("accept-encoding", "").split(",")}
    for encoding, packed in asset.packed.items():
        if encoding in taken:
            return Response(packed, media_type=asset.kind, headers={**headers, "content-encoding": encoding})
    return Response(asset.content, media_type=asset.kind, headers=headers)


def _icon(request: Request) -> Response:
    """Answers programs that ask for an icon without reading a page."""
    asset = request.app.state.site.assets["icon.svg"]
    return Response(asset.content, media_type=asset.kind, headers={"cache-control": "public, max-age=86400"})


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    kept = await sent_text(request) if error.status == 401 else None
    return await run_in_threadpool(_answer, request, error.status, error.message, error.hint, kept)


async def _refused_body(app: FastAPI, scope: Scope, status: int, message: str) -> Response:
    """The answer to a request whose body was not read; the page before it still has what was typed."""
    request = Request({**scope, "app": app})
    hint = "" if wants_json(request) else "go back: what you typed is still there"
    answer = await run_in_threadpool(_answer, request, status, message, hint)
    # The rest of the request is not read.
    answer.headers["connection"] = "close"
    return answer


def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, KgradeError)
    refused = refuse(request, error)
    return _answer(request, refused.status, refused.message, refused.hint)


def _crashed(request: Request, error: Exception) -> Response:
    log.error("%s %s failed", request.method, shown_path(request), exc_info=error)
    return _answer(request, 500, NOT_NOW, TRY_AGAIN)


def _no_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    answer = _answer(request, error.status_code, WORDS.get(error.status_code, "this request can't be read"))
    for name, value in (error.headers or {}).items():
        answer.headers[name] = value
    return answer


def _not_valid(request: Request, error: Exception) -> Response:
    """Names the invalid fields and what is expected, without repeating any input."""
    assert isinstance(error, RequestValidationError)
    if not wants_json(request):
        return _answer(request, 404, WORDS[404])
    mistakes = [f"{'.'.join(str(part) for part in each['loc'][1:])}: {each['msg']}" for each in error.errors()[:10]]
    text = "; ".join(mistakes).encode("utf-8", "replace").decode()
    return _answer(request, 422, text, "see /api/openapi.json")


def _answer(request: Request, status: int, message: str, hint: str = "", kept: Kept | None = None) -> Response:
    headers = {"retry-after": str(RETRY_SECONDS[status])} if status in RETRY_SECONDS else {}
    if wants_json(request):
        challenge = {"www-authenticate": "Bearer"} if status == 401 else {}
        return JSONResponse({"error": message, "hint": hint}, status, headers | challenge)
    guest = _guest(request)
    if kept is not None:
        leave_text(guest, kept)
    page = guest.page(
        "sign_in.html" if status == 401 else "error.html",
        title=TITLES.get(status, "Out of order"),
        message=f"{message[:1].upper()}{message[1:]}.",
        hint=f"{hint[:1].upper()}{hint[1:]}." if hint else "",
        problem=message,
        name="",
        token="",
        kept=kept,
    )
    page.status_code = status
    page.headers.update(headers)
    if status == 401 and (back := problem_page(request.url.path)):
        guest.set_cookie(page, BACK, back, "/sign-in", days=1)
    return page


def _guest(request: Request) -> Guest:
    """A Member if the browser is signed in to the contest of the address, so that the error page links back to it."""
    parts = request.url.path.split("/")
    if parts[1] == "contests" and len(parts) > 2 and request.cookies.get(SESSION):
        try:
            return Member(request, parts[2])
        except KgradeError:
            pass
    return Guest(request)
