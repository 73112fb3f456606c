"""Live scoreboards of contests, made once for all who ask.

Nobody waits for a board that takes long: the previous one is shown until the next is ready, and making boards takes at
most a tenth of one core. Only where nobody has asked for a while is the next one waited for, a little.

The caller decides who may see which board.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.contest.scoreboard import Row
from grader.contest.settings import Settings
from grader.contest.tally import Tally

if TYPE_CHECKING:
    from grader.contest.database import Database

SECONDS = 1.0
"""Age in seconds after which a board is checked for changes."""
LONGEST = 600.0
"""After this many seconds the board is rebuilt from the database alone, without cached state."""
SHARE = 10.0
"""A board is kept for at least this many times as long as it took to make."""
QUICK = 0.05
"""A board that took fewer seconds to make is made while the request waits."""
OLD = 10.0
"""Age in seconds beyond which the next board is waited for: nobody looked at it meanwhile, so few wait."""
WAIT = 2.0
"""For so many seconds at most."""

log = logging.getLogger("kgrade.server")


@dataclass(frozen=True)
class Board:
    """`version` grows with each change of the rows; `frozen` says whether something is hidden."""

    rows: tuple[Row, ...]
    frozen: bool
    version: int


@dataclass
class _Kept:
    """A board, its tally and when it was made; the one thread that makes the next board holds `making`."""

    tally: Tally
    board: Board | None = None
    asked: float = 0.0
    whole: float = 0.0
    took: float = 0.0
    making: threading.Lock = field(default_factory=threading.Lock)


class Boards:
    """The boards of a server's contests. Safe to use from several threads."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.monotonic) -> None:
        self._database, self._clock = database, clock
        self._kept: dict[tuple[str, bool], _Kept] = {}

    def board(self, contest: Settings, *, final: bool = False) -> Board:
        """The board as students see it; with `final`, without the freeze."""
        key = contest.slug, final
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept.setdefault(key, _Kept(Tally(self._database, contest.slug, everything=final)))
        if kept.board is None:
            with kept.making:
                return kept.board or self._make(kept, contest)
        age = self._clock() - kept.asked
        if age > max(SECONDS, SHARE * kept.took) and kept.making.acquire(blocking=False):
            if kept.took < QUICK and self._clock() - kept.whole < LONGEST:
                try:
                    return self._make(kept, contest)
                finally:
                    kept.making.release()
            making = threading.Thread(target=self._make_apart, args=(kept, contest), daemon=True)
            making.start()
            if age > max(OLD, 2 * SHARE * kept.took):
                making.join(WAIT)
        return kept.board

    def hurry(self, slug: str) -> None:
        """Makes the next request check the contest's boards for changes, so that staff see their actions at once."""
        for final in (False, True):
            if (slug, final) in self._kept:
                self._kept[slug, final].asked = -math.inf

    def _make_apart(self, kept: _Kept, contest: Settings) -> None:
        try:
            self._make(kept, contest)
        except Exception as error:
            # The old board stays; the next request tries again.
            log.error("the scoreboard of %s can't be made: %s", contest.slug, error)
        finally:
            kept.making.release()

    def _make(self, kept: _Kept, contest: Settings) -> Board:
        began, old = self._clock(), kept.board
        whole = old is None or began - kept.whole >= LONGEST
        changed = kept.tally.refresh(contest, whole=whole)
        found = kept.tally
        if old is None or (changed and (old.rows, old.frozen) != (found.rows, found.frozen)):
            kept.board = old = Board(found.rows, found.frozen, old.version + 1 if old else 1)
        kept.asked = self._clock()
        kept.took = kept.asked - began
        if whole:
            kept.whole = began
        return old
