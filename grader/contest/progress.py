"""How far submissions and runs are: their places in the queue, how long they wait, and the step of who judges them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from grader.contest.records import HELD, JUDGED, QUEUED, RunRecord, SubmissionRecord
from grader.contest.schema import Judging
from grader.contest.waiting import Waiting
from grader.core.verdict import Verdict

if TYPE_CHECKING:
    from grader.contest.database import Database


@dataclass(frozen=True)
class Progress:
    """The progress of a submission: `words` for people, `done` of `total` cases if known, `place` in the queue."""

    state: str
    words: str
    place: int | None = None
    done: int = 0
    total: int = 0
    verdict: str | None = None


class Progresses:
    """The progress of what one database's queue holds. Safe to use from several threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting = Waiting(database)

    def of_submissions(self, numbers: Collection[int]) -> Mapping[int, Progress]:
        """The progress of these submissions, found with two queries however many they are."""
        rows = self._database.submissions(ids=numbers)
        places = self._places() if any(row.state == QUEUED for row in rows) else {}
        found = {}
        for row in rows:
            place = places.get(row.judging_id)
            found[row.id] = _progress(row, place, self._waiting.words(row.gpu_model, place) if place else "")
        return found

    def of_runs(self, numbers: Collection[int]) -> Mapping[int, Progress]:
        """The progress of these runs; one that is held has ended."""
        rows = self._database.runs(numbers)
        places = self._places() if any(row.state == QUEUED for row in rows) else {}
        return {row.id: _progress(row, places.get(row.judging_id)) for row in rows}

    def _places(self) -> dict[int, int]:
        """The place of every waiting judging in its queue, from 1, by the judging's number."""
        query = select(Judging.id, Judging.gpu_model).where(Judging.state == QUEUED).order_by(Judging.turn, Judging.id)
        counted: dict[str, int] = {}
        places = {}
        with self._database.reading() as connection:
            for number, model in connection.execute(query):
                places[number] = counted[model] = counted.get(model, 0) + 1
        return places


def _progress(row: SubmissionRecord | RunRecord, place: int | None, wait: str = "") -> Progress:
    if row.state == JUDGED:
        return Progress(JUDGED, row.verdict or Verdict.INTERNAL_ERROR.value, verdict=row.verdict)
    if row.state == QUEUED:
        words = "queued" if place is None else f"queued at place {place}"
        return Progress(QUEUED, f"{words}: {wait}" if wait else words, place)
    if row.state == HELD:
        return Progress(HELD, "held for staff: the judge came to no end with it")
    # The sizes of a case follow the colon; they may be hidden.
    words = row.progress.partition(":")[0].strip()
    if found := re.search(r"(\d{1,6}) of (\d{1,6})", words):
        done, total = int(found[1]), int(found[2])
        if "timing" not in words:
            words = f"{done} of {total} cases"
        return Progress(row.state, words, done=done, total=total)
    return Progress(row.state, words or "being judged")
