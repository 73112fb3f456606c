"""What changes while people look: the scoreboard of a contest, made once for all who ask.

A board of a thousand students takes a second to make, so it is never made while somebody waits for it, and takes at
most a tenth of the time of one core. Who may see which board is decided by the caller.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.contest.scoreboard import Row
from grader.contest.settings import Settings
from grader.contest.standing import standing

if TYPE_CHECKING:
    from grader.contest.database import Database

SECONDS = 1.0
"""How old a board may be before it is asked whether anything changed."""
LONGEST = 10.0
"""Then it is made anew in any case: an extension or a disqualification changes no submission."""
SHARE = 10.0
"""So many times as long as it took to make, a board stands at least."""
QUICK = 0.05
"""What is made within so many seconds is made at once, while its asker waits."""

log = logging.getLogger("kgrade.server")


@dataclass(frozen=True)
class Board:
    """`version` grows with each change of the rows; `frozen` says whether something is hidden."""

    rows: tuple[Row, ...]
    frozen: bool
    version: int


@dataclass
class _Kept:
    """A board, what it was made of, and when; `making` is held by the one thread that makes the next."""

    board: Board | None = None
    marks: object = None
    asked: float = 0.0
    made: float = 0.0
    took: float = 0.0
    making: threading.Lock = field(default_factory=threading.Lock)


class Boards:
    """The boards of a server's contests. Safe to use from several threads."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.monotonic) -> None:
        self._database, self._clock = database, clock
        self._kept: dict[tuple[str, bool], _Kept] = {}

    def board(self, contest: Settings, *, final: bool = False) -> Board:
        """The board as students see it; with `final`, as it is."""
        kept = self._kept.setdefault((contest.slug, final), _Kept())
        if kept.board is None:
            with kept.making:
                return kept.board or self._make(kept, contest, final=final)
        if self._clock() - kept.asked > max(SECONDS, SHARE * kept.took) and kept.making.acquire(blocking=False):
            if kept.took < QUICK:
                try:
                    return self._renew(kept, contest, final=final)
                finally:
                    kept.making.release()
            threading.Thread(target=self._renew_apart, args=(kept, contest, final), daemon=True).start()
        return kept.board

    def _renew_apart(self, kept: _Kept, contest: Settings, final: bool) -> None:
        try:
            self._renew(kept, contest, final=final)
        except Exception as error:
            # The old board stands, and the next who asks tries again.
            log.error("the scoreboard of %s can't be made: %s", contest.slug, error)
        finally:
            kept.making.release()

    def _renew(self, kept: _Kept, contest: Settings, *, final: bool) -> Board:
        now = self._clock()
        if kept.marks == self._marks(contest) and now - kept.made < LONGEST and kept.board is not None:
            kept.asked = now
            return kept.board
        return self._make(kept, contest, final=final)

    def _make(self, kept: _Kept, contest: Settings, *, final: bool) -> Board:
        began, marks, old = self._clock(), self._marks(contest), kept.board
        found = standing(self._database, contest.slug, everything=final)
        rows = tuple(found.rows)
        if old is None or (old.rows, old.frozen) != (rows, found.frozen):
            kept.board = old = Board(rows, found.frozen, old.version + 1 if old else 1)
        now = self._clock()
        kept.marks, kept.asked, kept.made, kept.took = marks, now, now, now - began
        return old

    def _marks(self, contest: Settings) -> object:
        return self._database.version(contest.slug), contest
