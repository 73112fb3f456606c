"""Submissions: recorded with their place in the queue, and queried with their results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Select, bindparam, func, insert, literal, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite

from grader.contest.records import ANY_GPU, HELD, QUEUED, AccountRecord, JudgingRecord, SubmissionRecord
from grader.contest.schema import Account, Judging, Source, Submission, Team
from grader.contest.tables.base import Transactions, record, storable
from grader.core.errors import UsageError

if TYPE_CHECKING:
    from grader.contest.jobs import Queue


class Submissions(Transactions):
    queue: Queue

    def submit(
        self,
        account: AccountRecord,
        problem: str,
        file: str,
        text: str,
        now: datetime | None = None,
        *,
        gpu_model: str = ANY_GPU,
        late_seconds: int = 0,
        practice: bool = False,
        per_hour: int | None = None,
        request_key: str | None = None,
    ) -> int:
        """Records a submission together with its place in the queue, and returns its number.

        Repeating a `request_key` of the same account returns the first number: a sender that got no answer can retry
        without submitting twice. Raises UsageError if `per_hour` submissions were made in the last hour.
        """
        now = now or self.now()
        text = storable(text)
        digest = sha256(text.encode()).hexdigest()
        values = {
            "contest": account.contest,
            "account_id": account.id,
            "problem": storable(problem),
            "file": storable(file),
            "source_hash": digest,
            "submitted": now,
            "late_seconds": late_seconds,
            "practice": practice,
            "request_key": request_key,
        }
        with self.writing() as connection:
            # Requests of one account are serialised, so that the limit and the key hold between them.
            connection.execute(_ITS_TURN, {"account": account.id})
            if request_key is not None and (known := _by_key(connection, account.id, request_key)) is not None:
                return known
            if per_hour is not None:
                _check_rate(connection, account.id, now, per_hour)
            _keep_source(connection, digest, text)
            number = connection.execute(_ADD, values).scalar_one()
            self.queue.enqueue(connection, number, gpu_model)
        return number

    def submission(self, number: int) -> SubmissionRecord:
        """Returns the submission. Raises UsageError if there is none."""
        for found in self.submissions(ids=[number]):
            return found
        raise UsageError(f"there is no submission {number}")

    def submission_of(self, judging_id: int) -> SubmissionRecord | None:
        """The submission whose active judging this is; None for one that does not count."""
        with self.reading() as connection:
            row = connection.execute(_whole().where(Judging.id == judging_id)).first()
        return None if row is None else record(SubmissionRecord, row)

    def submissions(
        self,
        contest: str | None = None,
        *,
        account_id: int | None = None,
        problem: str | None = None,
        verdict: str | None = None,
        state: str | None = None,
        ids: Iterable[int] | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> list[SubmissionRecord]:
        """Submissions with their active judging, by time; filters that are None match all."""
        query = _whole()
        filters = (
            (Submission.contest, contest),
            (Submission.account_id, account_id),
            (Submission.problem, problem),
            (Judging.verdict, verdict),
            (Judging.state, state),
        )
        for column, value in filters:
            if value is not None:
                query = query.where(column == value)
        if ids is not None:
            query = query.where(Submission.id.in_(list(ids)))
        order = (Submission.submitted, Submission.id)
        query = query.order_by(*(column.desc() for column in order)) if newest_first else query.order_by(*order)
        with self.reading() as connection:
            return [record(SubmissionRecord, row) for row in connection.execute(query.limit(limit))]

    def source(self, number: int) -> str:
        """The source text of a submission. Raises UsageError if there is none."""
        return self.source_and_colours(number)[0]

    def source_and_colours(self, number: int) -> tuple[str, str | None]:
        """The source text of a submission, and a worker's colouring of it. Raises UsageError if there is none."""
        query = select(Source.text, Source.colours).join(Submission, Submission.source_hash == Source.hash)
        with self.reading() as connection:
            row = connection.execute(query.where(Submission.id == number)).first()
        if row is None:
            raise UsageError(f"there is no submission {number}")
        return row.text, row.colours

    def sources(self, contest: str) -> dict[str, str]:
        """All source texts of a contest by hash."""
        query = select(Source.hash, Source.text).join(Submission, Submission.source_hash == Source.hash).distinct()
        with self.reading() as connection:
            return {row.hash: row.text for row in connection.execute(query.where(Submission.contest == contest))}

    def judgings(
        self, submission_id: int | None = None, *, rejudge_id: int | None = None, contest: str | None = None
    ) -> list[JudgingRecord]:
        """Judgings of a submission, a rejudge or a whole contest, oldest first."""
        query = select(*Judging.__table__.columns)
        if submission_id is not None:
            query = query.where(Judging.submission_id == submission_id)
        if rejudge_id is not None:
            query = query.where(Judging.rejudge_id == rejudge_id)
        if contest is not None:
            query = query.join(Submission, Submission.id == Judging.submission_id).where(Submission.contest == contest)
        with self.reading() as connection:
            return [record(JudgingRecord, row) for row in connection.execute(query.order_by(Judging.id))]

    def held(self, contest: str) -> list[JudgingRecord]:
        """The judgings of a contest that wait for staff; `progress` says why."""
        return [each for each in self.judgings(contest=contest) if each.state == HELD]

    def report(self, number: int) -> str | None:
        """The JSON report of a submission's active judging, without its source; None before it is judged."""
        return self.report_and_openness(number)[0]

    def report_and_openness(self, number: int) -> tuple[str | None, bool]:
        """The report as by `report`, and whether nothing in it depends on a hidden case."""
        query = select(Judging.report, Judging.is_open).where(Judging.submission_id == number, Judging.active)
        with self.reading() as connection:
            row = connection.execute(query).first()
        return (row.report, row.is_open) if row is not None else (None, False)

    def place(self, number: int) -> int | None:
        """The place of a submission in its queue, 1 for the next; None if it is not waiting."""
        mine = select(Judging.turn, Judging.id, Judging.gpu_model)
        with self.reading() as connection:
            own = mine.where(Judging.submission_id == number, Judging.active, Judging.state == QUEUED)
            row = connection.execute(own).first()
            if row is None:
                return None
            ahead = select(func.count()).where(
                Judging.state == QUEUED,
                Judging.gpu_model == row.gpu_model,
                tuple_(Judging.turn, Judging.id) < tuple_(literal(row.turn), literal(row.id)),
            )
            return connection.execute(ahead).scalar_one() + 1

    def newest(self) -> datetime | None:
        """The time of the newest submission of all contests; None without one."""
        with self.reading() as connection:
            return connection.execute(select(func.max(Submission.submitted))).scalar()

    def disqualify_submission(self, number: int, reason: str | None, *, who: str) -> None:
        """Takes a submission off the board for a reason; None reinstates it. Raises UsageError if there is none."""
        change = update(Submission).where(Submission.id == number)
        with self.writing() as connection:
            values = {"disqualified": storable(reason) if reason else None}
            contest = connection.execute(change.values(**values).returning(Submission.contest)).scalar()
            if contest is None:
                raise UsageError(f"there is no submission {number}")
            done = "submission disqualified" if reason else "submission reinstated"
            self.log(connection, who, done, contest, {"submission": number, "reason": reason})


def _whole() -> Select[Any]:
    of_judging = ("state", "attempt", "tries", "gpu_model", "worker", "queued", "started", "finished", "verdict")
    scores = ("score", "score_low", "score_high", "progress", "language", "is_open", "groups")
    own: Sequence[Any] = [c for c in Submission.__table__.columns if c.name != "request_key"]
    return (
        select(
            *own,
            Account.name.label("account"),
            Account.team_id,
            Team.name.label("team"),
            Account.role,
            Account.disqualified.label("account_disqualified"),
            Judging.id.label("judging_id"),
            *(getattr(Judging, name) for name in of_judging + scores),
        )
        .join(Account, Account.id == Submission.account_id)
        .outerjoin(Team, Team.id == Account.team_id)
        .join(Judging, (Judging.submission_id == Submission.id) & Judging.active)
    )


# Built once: building a statement takes longer than running it.
_ITS_TURN = select(Account.id).where(Account.id == bindparam("account")).with_for_update()
_ADD = insert(Submission).returning(Submission.id)
_BY_KEY = select(Submission.id).where(
    Submission.account_id == bindparam("account"), Submission.request_key == bindparam("key")
)
_RECENT = select(func.count(), func.min(Submission.submitted)).where(
    Submission.account_id == bindparam("account"), Submission.submitted > bindparam("since")
)
_KEEP_SOURCE = {
    "sqlite": sqlite.insert(Source).on_conflict_do_nothing(),
    "postgresql": postgresql.insert(Source).on_conflict_do_nothing(),
}


def _by_key(connection: Connection, account_id: int, key: str) -> int | None:
    return connection.execute(_BY_KEY, {"account": account_id, "key": key}).scalar()


def _check_rate(connection: Connection, account_id: int, now: datetime, per_hour: int) -> None:
    since = now - timedelta(hours=1)
    made, first = connection.execute(_RECENT, {"account": account_id, "since": since}).one()
    if made >= per_hour:
        minutes = int((first - since).total_seconds() // 60) + 1
        raise UsageError(
            f"{made} submissions in the last hour; this contest allows {per_hour}", f"try again in {minutes} minutes"
        )


def _keep_source(connection: Connection, digest: str, text: str) -> None:
    connection.execute(_KEEP_SOURCE[connection.dialect.name], {"hash": digest, "text": text})
