"""The state that one server process shares between requests: database, rules, templates, boards, counters."""

from __future__ import annotations

import gc
import gzip
import json
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from markupsafe import Markup
from starlette.requests import HTTPConnection

from grader.boards.markdown import statement_html
from grader.boards.templating import PLAYER_SCRIPT, PLAYER_STYLE, SCRIPT, STYLE, pages
from grader.contest.access import Access, Refused, row_name, shows_names, shows_problems
from grader.contest.anonymity import nameless
from grader.contest.auth import LONGEST_TOKEN, Signer, hash_token, server_secret
from grader.contest.board_json import BoardWriter
from grader.contest.client_wheel import ClientWheel
from grader.contest.database import contests_folder
from grader.contest.events import Hub, Streams
from grader.contest.left_texts import LeftTexts
from grader.contest.limits import USUAL_PATIENCE, Failures, Patience
from grader.contest.live import Board, Boards
from grader.contest.loopback import is_own
from grader.contest.naming import plain_name
from grader.contest.practice import Shelf
from grader.contest.progress import Progress, Progresses
from grader.contest.records import STAFF, AccountRecord
from grader.contest.scoreboard import Row
from grader.contest.settings import ANONYMOUS, PRACTICE, Settings
from grader.core.errors import KgradeError

if TYPE_CHECKING:
    from grader.contest.database import Database
    from grader.contest.own_workers import Admission
    from grader.contest.provider import SignIn
    from grader.store.workspace import Workspace

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; "
    "base-uri 'none'; form-action 'self'"
)
"""Content security policy of every page: only this server's own scripts and styles."""
FRAMES = "frame-ancestors 'self'"
"""The part of the policy that browsers accept only in a header."""
T = TypeVar("T")
STATIC = Path(__file__).parent / "static"
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
BROTLI = ".br"
"""Suffix of a file that was compressed when it was built."""


@dataclass(frozen=True)
class Asset:
    """A script or style sheet: its bytes as they are, and by the name of each compression."""

    content: bytes
    kind: str
    packed: Mapping[str, bytes]

    @property
    def digest(self) -> str:
        return sha256(self.content).hexdigest()[:16]


@dataclass
class _Drawn:
    """A board and its rendering; the one thread that renders the next holds `drawing`."""

    known: tuple[Board, Any] | None = None
    drawing: threading.Lock = field(default_factory=threading.Lock)


def is_in(path: str, slug: str) -> bool:
    """Whether a path is one of this contest's pages."""
    return f"{path}/".startswith(f"/contests/{slug}/")


class Site:
    def __init__(
        self,
        database: Database,
        workspace: Workspace,
        admission: Admission | None = None,
        patience: Patience = USUAL_PATIENCE,
        owner: int | None = None,
        organiser: int | None = None,
        provider: SignIn | None = None,
    ) -> None:
        """`owner` is the account of the practice in which this user's own programs need no token; None without one.

        `organiser` is the account of the practice of whoever runs the server, wherever they sit. `provider` lets people
        sign in as a university knows them; None without one.
        """
        self.patience, self._owner, self._organiser, self.provider = patience, owner, organiser, provider
        self.database, self.workspace, self.admission = database, workspace, admission
        self.access = Access(database, workspace)
        self.progress = Progresses(database)
        self.signer = Signer(server_secret(contests_folder(workspace)))
        self.pages = pages(workspace.template_folders)
        self.boards = Boards(database)
        self.shelf = Shelf(database, workspace)
        self.failures = Failures(clock=database.clock.seconds)
        self.left_texts = LeftTexts()
        self.hub: Hub[int, Progress] = Hub(self.progress.of_submissions, silence=patience.silence)
        self.run_hub: Hub[int, Progress] = Hub(self.progress.of_runs, seconds=0.25, silence=patience.silence)
        self.board_hub: Hub[str, int] = Hub(self._versions, seconds=2.0, silence=patience.silence)
        self.rejudge_hub: Hub[int, tuple[str, int]] = Hub(database.rejudge_states, 2.0, silence=patience.silence)
        self.streams = Streams()
        self.assets = self._read_assets()
        self.client_wheel = ClientWheel()
        # An explanation's page is self-contained, with inline script and style.
        self.report_policy = f"{self.pages.policy}; {FRAMES}"
        self._writers: dict[str, BoardWriter] = {}
        self._drawn: dict[tuple[str, str, bool], _Drawn] = {}

    def account_of_session(self, cookie: str) -> AccountRecord | None:
        """The account signed in with this session cookie; None if there is none."""
        if not 0 < len(cookie) <= LONGEST_TOKEN:
            return None
        return self.database.account_by_session(hash_token(cookie))

    def owner(self, connection: HTTPConnection) -> AccountRecord | None:
        """The owner's account, if the request is to the practice and comes from the owner's own program."""
        if self._owner is None or not is_in(connection.url.path, PRACTICE) or not is_own(connection):
            return None
        return self.database.account(self._owner)

    def may_organise(self, account: AccountRecord) -> bool:
        """Whether this account of the practice may make contests: whoever runs the server, and the practice's staff."""
        return account.contest == PRACTICE and (account.id == self._organiser or account.role == STAFF)

    def warm(self) -> None:
        """Makes in the background what the first requests would wait for: templates, boards of running contests."""
        now = self.access.now()
        running = [contest for contest in self.access.contests() if contest.end and contest.start <= now <= contest.end]

        def make() -> None:
            for contest in self.access.contests():
                self.access.titles(contest)
            statement_html("")
            # If one can't be made, a request for it will say why.
            with suppress(KgradeError):
                self.pages.load_all("contest")
            with suppress(KgradeError):
                for contest in running:
                    self.boards.board(contest)
            # These objects stay: searching them for garbage would stop everything for 0.1 seconds.
            gc.collect()
            gc.freeze()

        threading.Thread(target=make, name="first boards", daemon=True).start()

    def end_streams(self) -> None:
        """Ends all live streams; browsers reconnect by themselves."""
        self.hub.end()
        self.run_hub.end()
        self.board_hub.end()
        self.rejudge_hub.end()

    def board_html(self, contest: Settings, *, final: bool = False, newest: bool = False) -> Markup:
        """The scoreboard as an HTML fragment, rendered once for all."""
        draw = partial(self._draw, contest, numbered=final)
        return self._shown("page", contest, draw, final=final, newest=newest)

    def board_html_for(self, contest: Settings, account: AccountRecord | None, *, newest: bool = False) -> Markup:
        """The scoreboard as an HTML fragment, as this account may see it; None is somebody who is not signed in."""
        if not shows_problems(contest, account, self.access.now()):
            shown = replace(contest, problems=())
            return self._shown("closed page", contest, lambda board: self._draw(shown, _closed(contest, board)))
        if shows_names(contest, account):
            return self.board_html(contest, newest=newest)

        def draw(board: Board) -> tuple[Markup, dict[str, Row]]:
            hidden = nameless(board.rows)
            return self._draw(contest, replace(board, rows=tuple(hidden.values()))), hidden

        html, hidden = self._shown("nameless page", contest, draw, newest=newest)
        own = row_name(contest, account)
        if own not in hidden:
            return html
        # Drawn once for all, and the own name put in.
        before, after = (
            self.pages.render("contest/board_who.html", row=row, plain=plain_name)
            for row in (hidden[own], replace(hidden[own], who=own))
        )
        return Markup(str(html).replace(before, after, 1))

    def board_json(self, contest: Settings, account: AccountRecord | None) -> bytes:
        """The scoreboard as JSON, as this account may see it, rendered once for all."""
        if not shows_problems(contest, account, self.access.now()):
            write_closed = BoardWriter(contest.slug)
            return self._shown("closed json", contest, lambda board: write_closed(_closed(contest, board)))
        if shows_names(contest, account):
            return self._shown("json", contest, self._writers.setdefault(contest.slug, BoardWriter(contest.slug)))
        writer = BoardWriter(contest.slug)

        def write(board: Board) -> tuple[bytes, dict[str, Row]]:
            hidden = nameless(board.rows)
            return writer(replace(board, rows=tuple(hidden.values()))), hidden

        text, hidden = self._shown("nameless json", contest, write)
        own = row_name(contest, account)
        if own not in hidden:
            return text
        before, after = (f'"name": {json.dumps(name)}, "points"'.encode() for name in (hidden[own].who, own))
        return text.replace(before, after, 1)

    def _draw(self, contest: Settings, board: Board, *, numbered: bool = False) -> Markup:
        """The board, where namesakes have the numbers behind their names only if it is `numbered`."""
        html = self.pages.render(
            "contest/board.html",
            contest=contest,
            rows=board.rows,
            names=self.access.titles(contest),
            frozen=board.frozen,
            plain=None if numbered else plain_name,
        )
        return Markup(html)

    def _shown(
        self, kind: str, contest: Settings, show: Callable[[Board], T], *, final: bool = False, newest: bool = False
    ) -> T:
        """The board as rendered by `show`. While it is rendered again, requests get the old one unless `newest`."""
        board = self.boards.board(contest, final=final)
        kept = self._drawn.setdefault((kind, contest.slug, final), _Drawn())
        known = kept.known
        if known is None or (known[0] is not board and (newest or not kept.drawing.locked())):
            with kept.drawing:
                known = kept.known
                if known is None or known[0] is not board:
                    known = kept.known = board, show(board)
        shown: T = known[1]
        return shown

    def failed(self, connection: HTTPConnection, message: str, hint: str = "") -> Refused:
        """Counts a failed sign-in and returns the refusal."""
        client = connection.client.host if connection.client else "?"
        if self.failures.add(client):
            return Refused(429, "too many failed attempts", "wait a minute")
        return Refused(401, message, hint)

    def asset(self, name: str) -> str:
        """The URL of a script or style sheet, which changes with its content."""
        return f"/static/{self.assets[name].digest}/{name}"

    def _read_assets(self) -> dict[str, Asset]:
        files = {path.name: path.read_bytes() for path in STATIC.iterdir() if path.suffix in (*KINDS, BROTLI)}
        files |= {name: self.pages.render(name).encode() for name in (SCRIPT, STYLE, PLAYER_SCRIPT, PLAYER_STYLE)}
        return {
            name: Asset(content, KINDS[Path(name).suffix], _packed(content, files.get(name + BROTLI)))
            for name, content in files.items()
            if not name.endswith(BROTLI)
        }

    def _versions(self, slugs: Collection[str]) -> Mapping[str, int]:
        return {slug: self.boards.board(self.access.contest(slug)).version for slug in slugs}


def _closed(contest: Settings, board: Board) -> Board:
    """The board before the start: who takes part, where names are shown, and nothing of the problems."""
    rows = board.rows if contest.scoreboard != ANONYMOUS else nameless(board.rows).values()
    return replace(board, rows=tuple(replace(row, cells=()) for row in rows))


@cache
def _packed(content: bytes, brotli: bytes | None) -> dict[str, bytes]:
    """The compressed forms, the smallest first. These files hold no secret, so their sizes reveal none."""
    packed = {"gzip": gzip.compress(content, mtime=0)}
    return packed if brotli is None else {"br": brotli, **packed}
