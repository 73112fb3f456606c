"""Estimates how long a waiting submission waits: from the seconds of recent gradings and the workers that are alive."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import mean
from typing import TYPE_CHECKING

from sqlalchemy import select

from grader.contest.jobs import takes
from grader.contest.records import IDLE, JUDGED, JUDGING
from grader.contest.schema import Judging

if TYPE_CHECKING:
    from grader.contest.database import Database

RECENT = 20
"""Gradings whose mean counts."""
KEPT = 5.0
"""Seconds for which the figures of a queue are kept: many ask at once."""
NOBODY = "no worker for it is here now"


class Waiting:
    """Estimates for the queues of one database. Safe to use from several threads."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.monotonic) -> None:
        self._database, self._clock = database, clock
        self._kept: dict[str, tuple[float, int, float | None]] = {}

    def words(self, queue: str, place: int) -> str:
        """How long until the result of what stands at this place from 1; empty if nothing was graded yet."""
        workers, seconds = self._figures(queue)
        if not workers:
            return NOBODY
        return "" if seconds is None else about((-(-place // workers)) * seconds)

    def _figures(self, queue: str) -> tuple[int, float | None]:
        """The workers alive that serve the queue, and the mean seconds of its recent gradings."""
        now, known = self._clock(), self._kept.get(queue)
        if known is None or now - known[0] > KEPT:
            there = (each for each in self._database.present_workers() if each.state in (IDLE, JUDGING))
            workers = sum(takes(each.gpu_model, queue) for each in there)
            known = self._kept[queue] = now, workers, self._seconds(queue)
        return known[1], known[2]

    def _seconds(self, queue: str) -> float | None:
        query = select(Judging.started, Judging.finished).where(Judging.state == JUDGED, Judging.gpu_model == queue)
        query = query.where(Judging.started.is_not(None), Judging.verdict.is_not(None))
        with self._database.reading() as connection:
            found = connection.execute(query.order_by(Judging.id.desc()).limit(RECENT)).all()
        took = [(row.finished - row.started).total_seconds() for row in found if row.finished is not None]
        return mean(took) if took else None


def about(seconds: float) -> str:
    """A rough time, which does not change with every look: "about 40 seconds", "about 5 minutes"."""
    if seconds < 10:
        return "a few seconds"
    if seconds < 55:
        return f"about {10 * round(seconds / 10)} seconds"
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return f"about {minutes} {'minute' if minutes == 1 else 'minutes'}"
    hours = max(1, round(minutes / 60))
    return f"about {hours} {'hour' if hours == 1 else 'hours'}"
