"""A contest's scoreboard, cached and updated incrementally: even a rush changes few rows at a time.

Ranking and points come from `scoreboard`, participants and the freeze from `standing`. The result equals that of
`standing.standing`, which reads everything each time.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Connection, func, select

from grader.contest.groups import kept_groups
from grader.contest.records import HELD, QUEUED, RUNNING, STUDENT
from grader.contest.schema import Audit, Judging, Submission
from grader.contest.scoreboard import Entry, Row, rank, row_of
from grader.contest.settings import Settings
from grader.contest.standing import Freeze, board_name, failed_hidden, freeze_of, participants, score_interval
from grader.core.verdict import Verdict

if TYPE_CHECKING:
    from grader.contest.database import Database

OVERLAP = 50
"""Newest submissions that are read again: on PostgreSQL a number may become visible after a higher one."""
MOST_AT_ONCE = 500
"""Numbers in one query; databases limit them."""


class Tally:
    """The board of one contest as students see it, or with `everything` without the freeze. Not thread-safe."""

    def __init__(self, database: Database, slug: str, *, everything: bool = False, overlap: int = OVERLAP) -> None:
        self._overlap = overlap
        self.rows: tuple[Row, ...] = ()
        self.frozen = False
        """Whether it hides anything."""
        self._database, self._slug, self._everything = database, slug, everything
        self._loaded: object = None
        self._freezes = False
        self._freeze = Freeze()
        self._accounts: dict[int, tuple[str, timedelta]] = {}
        """The name on the board, and the extension, of each account that counts."""
        self._entries: dict[int, Entry] = {}
        self._sheets: dict[str, dict[str, dict[int, Entry]]] = {}
        self._pending: set[int] = set()
        self._others: set[int] = set()
        """Waiting submissions that are not on this board: those of other contests and of staff."""
        self._newest = 0
        self._unranked: dict[str, Row] = {}

    def refresh(self, settings: Settings, *, whole: bool = False) -> bool:
        """Updates the board; returns whether it may have changed. `whole` ignores all cached state."""
        freezes = settings.is_frozen_at(self._database.now()) and not self._everything
        with self._database.reading() as connection:
            # Every change by staff adds a row to the log, so one query on it detects all changes but submissions.
            loaded = settings, *connection.execute(_CHANGES.where(Audit.contest == self._slug)).one()
        if whole or loaded != self._loaded:
            self._load(settings)
            self._loaded = loaded
            changed: Collection[str] = self._sheets
        else:
            changed = self._sheets if freezes != self._freezes else ()
            changed = {*changed, *self._read_news(settings)}
        if not changed and not whole:
            return False
        self._freezes = freezes
        frozen = freezes and not self._freeze.lifted
        shown = set(self._freeze.revealed)
        for who in changed:
            sheet = {problem: list(entries.values()) for problem, entries in self._sheets[who].items()}
            self._unranked[who] = row_of(settings, who, sheet, frozen=frozen, revealed=shown)
        self.rows = tuple(rank([self._unranked[who] for who in self._sheets]))
        self.frozen = frozen and any(cell.hidden for row in self.rows for cell in row.cells)
        return True

    def _load(self, settings: Settings) -> None:
        accounts = self._database.accounts(self._slug)
        self._freeze = freeze_of(self._database, self._slug)
        self._accounts = {
            each.id: (board_name(settings, each.name, each.team), timedelta(seconds=each.extension_seconds))
            for each in accounts
            if each.role == STUDENT and each.disqualified is None
        }
        self._sheets = {who: {} for who in participants(settings, accounts)}
        self._unranked, self._entries, self._pending, self._others, self._newest = {}, {}, set(), set(), 0
        with self._database.reading() as connection:
            for entry in self._read(connection, settings):
                self._put(entry)

    def _read_news(self, settings: Settings) -> set[str]:
        """Adds what was submitted or judged since; returns the names whose rows change."""
        found = []
        with self._database.reading() as connection:
            waiting = set(connection.execute(_UNJUDGED).scalars())
            # Those judged since, and waiting ones not seen before.
            numbers = sorted((self._pending - waiting) | (waiting - self._entries.keys() - self._others))
            for start in range(0, len(numbers), MOST_AT_ONCE):
                some = numbers[start : start + MOST_AT_ONCE]
                found += self._read(connection, settings, Submission.id.in_(some))
            found += self._read(connection, settings, Submission.id > self._newest - self._overlap)
        self._others.update(set(numbers).difference(entry.id for entry in found))
        return {entry.who for entry in found if self._put(entry)}

    def _read(self, connection: Connection, settings: Settings, *where: ColumnElement[bool]) -> list[Entry]:
        found = []
        query = _COUNTING.where(Submission.contest == self._slug, *where)
        for number, account_id, problem, submitted, verdict, language, is_open, groups, *score in connection.execute(
            query
        ):
            if account_id in self._accounts:
                who, extension = self._accounts[account_id]
                judged = None if verdict is None else Verdict(verdict)
                interval = score_interval(*score)
                told = failed_hidden(settings, verdict, is_open=is_open), kept_groups(groups)
                found.append(Entry(number, who, problem, submitted, judged, interval, extension, language, *told))
        return found

    def _put(self, entry: Entry) -> bool:
        """Stores the entry; returns whether it is new or changed."""
        if self._entries.get(entry.id) == entry:
            return False
        self._entries[entry.id] = entry
        self._newest = max(self._newest, entry.id)
        self._sheets[entry.who].setdefault(entry.problem, {})[entry.id] = entry
        if entry.verdict is None:
            self._pending.add(entry.id)
        else:
            self._pending.discard(entry.id)
        return True


_UNJUDGED = select(Judging.submission_id).where(Judging.state.in_((QUEUED, RUNNING, HELD)), Judging.active)
_CHANGES = select(func.count(), func.max(Audit.id))
_COUNTING = (
    select(
        Submission.id,
        Submission.account_id,
        Submission.problem,
        Submission.submitted,
        Judging.verdict,
        Judging.language,
        Judging.is_open,
        Judging.groups,
        Judging.score,
        Judging.score_low,
        Judging.score_high,
    )
    .join(Judging, (Judging.submission_id == Submission.id) & Judging.active)
    .where(Submission.disqualified.is_(None))
)
