"""Rejudging as a set: submissions are judged again beside their old verdicts, then applied or dropped as a whole."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, insert, select, update

from grader.contest.records import APPLIED, DROPPED, HELD, JUDGED, QUEUED, RUNNING, RejudgeRecord
from grader.contest.schema import Judging, Rejudge
from grader.contest.tables.base import Transactions, record, storable
from grader.core.errors import UsageError
from grader.core.verdict import Verdict

if TYPE_CHECKING:
    from grader.contest.jobs import Queue


class Rejudges(Transactions):
    queue: Queue

    def add_rejudge(
        self, contest: str, reason: str, submission_ids: Sequence[int], gpu_model: str | None = None, *, who: str
    ) -> int:
        """Queues the submissions to be judged again and returns the rejudge's number. Raises UsageError.

        Each goes to the queue of its active judging unless `gpu_model` names another.
        """
        if not submission_ids:
            raise UsageError("no submission to rejudge was picked")
        created = {"contest": contest, "reason": storable(reason), "by": storable(who), "created": self.now()}
        with self.writing() as connection:
            added = insert(Rejudge).values(**created, state=RUNNING).returning(Rejudge.id)
            number = connection.execute(added).scalar_one()
            query = select(Judging.submission_id, Judging.gpu_model).where(Judging.active)
            rows = connection.execute(query.where(Judging.submission_id.in_(submission_ids))).all()
            models = {row.submission_id: row.gpu_model for row in rows}
            for each in dict.fromkeys(submission_ids):
                if each not in models:
                    raise UsageError(f"there is no submission {each}")
                self.queue.enqueue(connection, each, gpu_model or models[each], number)
            self.log(connection, who, "rejudge started", contest, {"rejudge": number, "submissions": len(models)})
        return number

    def rejudge(self, number: int) -> RejudgeRecord:
        """Returns the rejudge. Raises UsageError if there is none."""
        with self.reading() as connection:
            return _get(connection, number)

    def rejudges(self, contest: str) -> list[RejudgeRecord]:
        query = select(*Rejudge.__table__.columns).where(Rejudge.contest == contest).order_by(Rejudge.id)
        with self.reading() as connection:
            return [record(RejudgeRecord, row) for row in connection.execute(query)]

    def rejudge_states(self, numbers: Collection[int]) -> dict[int, tuple[str, int]]:
        """The state of these rejudges, and how many of their submissions are judged."""
        judged = select(func.count()).where(Judging.rejudge_id == Rejudge.id, Judging.state == JUDGED).scalar_subquery()
        query = select(Rejudge.id, Rejudge.state, judged).where(Rejudge.id.in_(list(numbers)))
        with self.reading() as connection:
            return {number: (state, count) for number, state, count in connection.execute(query)}

    def apply_rejudge(self, number: int, *, who: str) -> int:
        """Replaces the old verdicts by the new ones and returns how many; old judgings are kept.

        A judging that ended in the judge's own failure replaces nothing. Raises UsageError while some are not judged.
        """
        with self.writing() as connection:
            rejudge = _open(connection, number)
            mine = Judging.rejudge_id == number
            waiting = connection.execute(select(Judging.id).where(mine, Judging.state != JUDGED)).all()
            if waiting:
                raise UsageError(
                    f"rejudge {number} still has {len(waiting)} submissions to judge", "wait, or drop the rejudge"
                )
            counts = select(Judging.submission_id).where(mine, Judging.verdict != Verdict.INTERNAL_ERROR.value)
            changed = list(connection.execute(counts).scalars())
            # A unique index allows one active judging per submission, so deactivate the old one first.
            old = update(Judging).where(Judging.submission_id.in_(counts.scalar_subquery()), Judging.active)
            connection.execute(old.values(active=False))
            new = update(Judging).where(mine, Judging.verdict != Verdict.INTERNAL_ERROR.value)
            connection.execute(new.values(active=True))
            connection.execute(update(Rejudge).where(Rejudge.id == number).values(state=APPLIED))
            self.log(connection, who, "rejudge applied", rejudge.contest, {"rejudge": number, "changed": len(changed)})
        return len(changed)

    def drop_rejudge(self, number: int, *, who: str) -> None:
        """Ends a rejudge without effect: waiting judgings are cancelled, finished ones are kept."""
        with self.writing() as connection:
            rejudge = _open(connection, number)
            for judging in connection.execute(
                select(Judging.id)
                .where(Judging.rejudge_id == number, Judging.state.in_((QUEUED, RUNNING, HELD)))
                .order_by(Judging.id)
            ).scalars():
                self.queue.withdraw(connection, judging)
            connection.execute(update(Rejudge).where(Rejudge.id == number).values(state=DROPPED))
            self.log(connection, who, "rejudge dropped", rejudge.contest, {"rejudge": number})


def _get(connection: Connection, number: int) -> RejudgeRecord:
    row = connection.execute(select(*Rejudge.__table__.columns).where(Rejudge.id == number).with_for_update()).first()
    if row is None:
        raise UsageError(f"there is no rejudge {number}", "type: kgrade contest rejudge --help")
    return record(RejudgeRecord, row)


def _open(connection: Connection, number: int) -> RejudgeRecord:
    rejudge = _get(connection, number)
    if rejudge.state != RUNNING:
        raise UsageError(f"rejudge {number} was {rejudge.state} already")
    return rejudge
