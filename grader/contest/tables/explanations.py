"""Explanations of accepted submissions: asked for by students, claimed and answered by workers, kept by source.

They wait in a list of their own: a worker takes one only when there is nothing to judge.
"""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import ColumnElement, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from grader.contest.jobs import EXPLAIN_SECONDS, Answer, Question
from grader.contest.records import JUDGED, QUEUED, RUNNING, ExplanationRecord, SubmissionRecord
from grader.contest.schema import Explanation, Source, Submission
from grader.contest.tables.base import Transactions, record, storable

MOST_ATTEMPTS = 3
LEASE = timedelta(seconds=EXPLAIN_SECONDS + 30)
MOST_KEPT = 500
"""Explanations that are kept, the newest. A page may have megabytes; who wants an older one asks for it again."""
GIVEN_UP = "the machines that tried came to no end"


class Explanations(Transactions):
    def ask_explanation(self, row: SubmissionRecord) -> None:
        """Asks for the explanation of a submission, unless its source has one or waits for one. One that failed is
        asked for again.
        """
        found = self.explanation(row)
        if found is None:
            values = {"contest": row.contest, "problem": row.problem, "source_hash": row.source_hash}
            try:
                with self.writing() as connection:
                    connection.execute(insert(Explanation).values(**values, state=QUEUED, attempt=0, note=""))
            except IntegrityError:
                # Another request asked at the same time.
                return
        elif found.state == JUDGED and found.page is None:
            failed = Explanation.id == found.id, Explanation.state == JUDGED, Explanation.page.is_(None)
            again = {"state": QUEUED, "attempt": 0, "worker": None, "note": ""}
            with self.writing() as connection:
                connection.execute(update(Explanation).where(*failed).values(**again))

    def explanation(self, row: SubmissionRecord) -> ExplanationRecord | None:
        """What is known of the explanation of a submission's source; None if nobody asked."""
        mine = (
            Explanation.contest == row.contest,
            Explanation.problem == row.problem,
            Explanation.source_hash == row.source_hash,
        )
        with self.reading() as connection:
            found = connection.execute(select(*Explanation.__table__.columns).where(*mine)).first()
        return None if found is None else record(ExplanationRecord, found)

    def claim_explanation(self, worker: str) -> Question | None:
        """The next source to explain, for LEASE; None if there is none. One that was lost too often is given up."""
        waits = self._waits()
        with self.reading() as connection:
            if connection.execute(select(Explanation.id).where(waits).limit(1)).first() is None:
                return None
        with self.writing(flushed=False) as connection:
            lost = update(Explanation).where(waits, Explanation.attempt >= MOST_ATTEMPTS)
            connection.execute(lost.values(state=JUDGED, lease_until=None, note=GIVEN_UP))
            first = select(Explanation.id).where(waits).order_by(Explanation.id).limit(1)
            taken = {"state": RUNNING, "attempt": Explanation.attempt + 1, "worker": storable(worker)}
            change = update(Explanation).where(
                Explanation.id == first.with_for_update(skip_locked=True).scalar_subquery(), waits
            )
            columns = Explanation.id, Explanation.attempt, Explanation.contest, Explanation.problem
            change = change.values(**taken, lease_until=self.now() + LEASE)
            row = connection.execute(change.returning(*columns, Explanation.source_hash)).first()
            if row is None:
                return None
            text = connection.execute(select(Source.text).where(Source.hash == row.source_hash)).scalar_one()
            # The name shows the language, and may be another student's.
            same = Submission.source_hash == row.source_hash, Submission.problem == row.problem
            name = connection.execute(select(Submission.file).where(*same).limit(1)).scalar_one()
        suffix, home = ".py" if name.endswith(".py") else ".cu", f"/contests/{row.contest}"
        return Question(row.id, row.attempt, row.problem, f"{row.problem}{suffix}", text, home)

    def answer_explanation(self, worker: str, number: int, attempt: int, answer: Answer) -> bool:
        """Records an answer. Returns False if the attempt was no longer current, or is another worker's."""
        page = None if answer.page is None else storable(answer.page)
        done = {"state": JUDGED, "page": page, "note": storable(answer.note[:500]), "lease_until": None}
        change = update(Explanation).where(
            Explanation.id == number,
            Explanation.attempt == attempt,
            Explanation.worker == storable(worker),
            Explanation.state == RUNNING,
        )
        with self.writing(flushed=False) as connection:
            answered = connection.execute(change.values(**done)).rowcount == 1
            over = select(Explanation.id).where(Explanation.state == JUDGED).order_by(Explanation.id.desc())
            oldest = connection.execute(over.offset(MOST_KEPT).limit(1)).scalar_one_or_none()
            if oldest is not None:
                old = Explanation.id <= oldest, Explanation.state == JUDGED
                connection.execute(delete(Explanation).where(*old))
            return answered

    def _waits(self) -> ColumnElement[bool]:
        lost = (Explanation.state == RUNNING) & (Explanation.lease_until < self.now())
        return or_(Explanation.state == QUEUED, lost)
