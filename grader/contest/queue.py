"""The queue in the database's own tables: leases, fencing tokens, retries and turns.

A claim increments the judging's `attempt`; later requests of an earlier attempt are refused. It works on SQLite and
PostgreSQL and needs nothing else. Workers' writes are not flushed to disk: after a power cut the last ones are judged
again.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, func, insert, select, update

from grader.contest.jobs import LEASE, RETRIES, Claim, Job, Outcome, takes
from grader.contest.records import HELD, JUDGED, QUEUED, RUNNING
from grader.contest.schema import Account, Contest, Judging, Run, Source, Submission
from grader.contest.tables.base import storable, storable_json
from grader.contest.tables.staff import Staff
from grader.core.verdict import Verdict

_REJUDGES_LATER = 1_000_000_000
"""Added to the turn of a rejudged submission, so that it waits behind students' submissions."""
_BEYOND = 2 * _REJUDGES_LATER

_FAILED = Verdict.INTERNAL_ERROR.value


class LeaseQueue:
    """The queue of one database; `lease` is how long a silent worker keeps its work."""

    def __init__(self, database: Staff, lease: timedelta = LEASE) -> None:
        self.database, self.lease = database, lease

    def enqueue(self, connection: Connection, submission_id: int, gpu_model: str, rejudge_id: int | None = None) -> int:
        turn = _turn(connection, submission_id, gpu_model, rejudge_id is not None)
        whose = {"submission_id": submission_id, "rejudge_id": rejudge_id, "active": rejudge_id is None}
        return self._add(connection, gpu_model, turn, whose)

    def enqueue_run(self, connection: Connection, run_id: int, gpu_model: str) -> None:
        turn = _current_turn(connection, gpu_model, 0, _REJUDGES_LATER)
        whose = {"submission_id": None, "rejudge_id": None, "active": False, "run_id": run_id}
        self._add(connection, gpu_model, turn, whose)

    def _add(self, connection: Connection, gpu_model: str, turn: int, whose: dict[str, Any]) -> int:
        values = {
            **whose,
            "state": QUEUED,
            "attempt": 0,
            "tries": 0,
            "turn": turn,
            "gpu_model": gpu_model,
            "queued": self.database.now(),
            "progress": "",
        }
        judging_id = connection.execute(_ADD, values).scalar_one()
        self._waits(connection, judging_id, gpu_model, turn)
        return judging_id

    def withdraw(self, connection: Connection, judging_id: int) -> None:
        gone = {"state": JUDGED, "verdict": None, "attempt": Judging.attempt + 1, "progress": "withdrawn"}
        mine = Judging.id == judging_id, Judging.state != JUDGED
        self._reserves(connection, judging_id)
        connection.execute(update(Judging).where(*mine).values(**gone, lease_until=None, finished=self.database.now()))
        self._ends(connection, judging_id)

    def claim(self, gpu_model: str, worker: str, now: datetime | None = None) -> Job | None:
        now = now or self.database.now()
        # Checked first without the write lock, so that workers without work disturb nobody.
        with self.database.reading() as connection:
            stalled = connection.execute(select(Judging.id).where(_stalled(now)).limit(1)).first()
            heads = _heads(connection, gpu_model)
        if stalled is None and not heads:
            return None
        with self.database.writing(flushed=False) as connection:
            self._recover(connection, now)
            for queue in _heads(connection, gpu_model):
                row = self._take(connection, queue, worker, now)
                if row is not None:
                    return _job(connection, row)
        return None

    def recover(self) -> None:
        now = self.database.now()
        with self.database.reading() as connection:
            if connection.execute(select(Judging.id).where(_stalled(now)).limit(1)).first() is None:
                return
        with self.database.writing(flushed=False) as connection:
            self._recover(connection, now)

    def waiting(self) -> int:
        """How many judgings a worker could claim now, on whatever GPU; those of workers that went silent count."""
        claimable = (Judging.state == QUEUED) | _stalled(self.database.now())
        with self.database.reading() as connection:
            return int(connection.execute(select(func.count()).where(claimable)).scalar_one())

    def heartbeat(self, job: Claim, progress: str) -> bool:
        values = {"lease_until": self.database.now() + self.lease, "progress": storable(progress[:200])}
        with self.database.writing(flushed=False) as connection:
            return _change(connection, job, values)

    def finish(self, job: Claim, outcome: Outcome) -> bool:
        with self.database.writing(flushed=False) as connection:
            if outcome.verdict == _FAILED and self._retry(connection, job):
                return True
            done = {
                "state": JUDGED,
                "verdict": outcome.verdict,
                "score": outcome.score,
                "score_low": outcome.score_low,
                "score_high": outcome.score_high,
                "report": None if outcome.report is None else storable_json(outcome.report),
                "progress": "",
                "is_open": outcome.is_open,
                "language": outcome.language,
                "groups": None if outcome.groups is None else storable(outcome.groups),
                "lease_until": None,
                "finished": self.database.now(),
            }
            if self._end(connection, job, done):
                if outcome.colours is not None:
                    connection.execute(_COLOUR, {"judging": job.judging_id, "drawn": storable(outcome.colours)})
                return True
            # A worker that got no answer repeats its request: its result is recorded already.
            same = Judging.id == job.judging_id, Judging.attempt == job.attempt, Judging.state == JUDGED
            return connection.execute(select(Judging.id).where(*same)).first() is not None

    def release(self, job: Claim) -> bool:
        back = {**_WAITING, "tries": Judging.tries - 1}
        with self.database.writing(flushed=False) as connection:
            return self._requeue(connection, job, back)

    def stalled(self, job: Claim, why: str) -> bool:
        with self.database.writing(flushed=False) as connection:
            return self._retry(connection, job) or self._hold(connection, job, why)

    def judge_again(self, submission_ids: Collection[int], who: str) -> int:
        mine = Judging.submission_id.in_(list(submission_ids)), Judging.state == HELD
        again = {**_WAITING, "attempt": Judging.attempt + 1, "tries": 0, "finished": None}
        with self.database.writing() as connection:
            found = connection.execute(
                update(Judging).where(*mine).values(**again).returning(Judging.id, Judging.gpu_model, Judging.turn)
            ).all()
            for row in found:
                self._waits(connection, row.id, row.gpu_model, row.turn)
            if found:
                self.database.log(connection, who, "held judgings queued", None, {"submissions": list(submission_ids)})
        return len(found)

    def seen(self, worker: str, gpu_model: str, state: str, note: str = "") -> None:
        self.database.worker_seen(worker, gpu_model, state, note)

    def _take(self, connection: Connection, queue: str, worker: str, now: datetime) -> Any:
        taken = {
            "state": RUNNING,
            "attempt": Judging.attempt + 1,
            "tries": Judging.tries + 1,
            "worker": storable(worker),
            "lease_until": now + self.lease,
            "started": now,
            "progress": "starting",
        }
        change = update(Judging).where(Judging.id == self._first(connection, queue), Judging.state == QUEUED)
        told = Judging.id, Judging.attempt, Judging.submission_id, Judging.run_id
        return connection.execute(change.values(**taken).returning(*told)).first()

    def _first(self, connection: Connection, queue: str) -> Any:
        """The next judging in a queue, as a subquery of the statement that claims it.

        PostgreSQL skips rows that another worker is claiming.
        """
        waiting = select(Judging.id).where(Judging.state == QUEUED, Judging.gpu_model == queue)
        first = waiting.order_by(Judging.turn, Judging.id).limit(1)
        return first.with_for_update(skip_locked=True).scalar_subquery()

    def _waits(self, connection: Connection, judging_id: int, gpu_model: str, turn: int) -> None:
        """Hook in the transaction that queues a judging, for a queue that keeps its own list."""

    def _reserves(self, connection: Connection, judging_id: int) -> None:
        """Hook before a judging that is queued or runs is changed: locks what the queue keeps of it.

        A claim locks the queue's entry first and the judging second. Whoever changes both does so in this order, or
        the two wait for each other.
        """

    def _returns(self, connection: Connection, judging_id: int) -> None:
        """Hook in the transaction that takes a judging from its worker and requeues it at its old place."""

    def _ends(self, connection: Connection, judging_id: int) -> None:
        """Hook in the transaction in which a judging ends or is withdrawn."""

    def _recover(self, connection: Connection, now: datetime) -> None:
        """Requeues work whose worker went silent, or holds it if it has had all its retries."""
        stalled = select(Judging.id, Judging.attempt).where(_stalled(now)).order_by(Judging.id)
        for row in connection.execute(stalled).all():
            claim = Claim(row.id, row.attempt)
            if not self._retry(connection, claim):
                self._hold(connection, claim, "its workers went silent")

    def _hold(self, connection: Connection, job: Claim, why: str) -> bool:
        held = {"state": HELD, "lease_until": None, "finished": self.database.now(), "progress": storable(why[:200])}
        return self._end(connection, job, held)

    def _retry(self, connection: Connection, job: Claim) -> bool:
        """Requeues a job at its old place, unless it has had all its retries; returns whether it did.

        It increments the attempt too, so that the worker that lost the job can't return to it while it waits.
        """
        again = {**_WAITING, "attempt": Judging.attempt + 1}
        return self._requeue(connection, job, again, Judging.tries <= RETRIES)

    def _requeue(self, connection: Connection, job: Claim, values: dict[str, Any], *where: ColumnElement[bool]) -> bool:
        self._reserves(connection, job.judging_id)
        if not _change(connection, job, values, *where):
            return False
        self._returns(connection, job.judging_id)
        return True

    def _end(self, connection: Connection, job: Claim, values: dict[str, Any]) -> bool:
        self._reserves(connection, job.judging_id)
        if not _change(connection, job, values):
            return False
        self._ends(connection, job.judging_id)
        return True


_WAITING = {"state": QUEUED, "worker": None, "lease_until": None, "started": None, "progress": ""}


def _stalled(now: datetime) -> ColumnElement[bool]:
    return (Judging.state == RUNNING) & (Judging.lease_until < now)


def _change(connection: Connection, job: Claim, values: dict[str, Any], *where: ColumnElement[bool]) -> bool:
    """Updates the judging if the attempt is current; returns whether it was."""
    current = Judging.id == job.judging_id, Judging.attempt == job.attempt, Judging.state == RUNNING
    return connection.execute(update(Judging).where(*current, *where).values(**values)).rowcount == 1


# Built once: building a statement takes longer than running it, and these run in every submission's transaction.
_ADD = insert(Judging).returning(Judging.id)
_NEXT_QUEUE = select(func.min(Judging.gpu_model)).where(Judging.state == QUEUED, Judging.gpu_model > bindparam("queue"))
_COLOUR = (
    update(Source)
    .where(
        Source.hash
        == select(Submission.source_hash)
        .join(Judging, Judging.submission_id == Submission.id)
        .where(Judging.id == bindparam("judging"))
        .scalar_subquery()
    )
    .values(colours=bindparam("drawn"))
)
_LEAST_TURN = select(func.min(Judging.turn)).where(
    Judging.state == bindparam("its_state"), Judging.gpu_model == bindparam("queue"), Judging.turn >= bindparam("base")
)
# Filters on the state it is not in, so that the planner uses the account's few rows and not the queue's many.
_ACCOUNT = select(Submission.account_id).where(Submission.id == bindparam("submission")).scalar_subquery()
_LAST_TURN = select(func.max(Judging.turn)).where(
    Judging.submission_id.in_(select(Submission.id).where(Submission.account_id == _ACCOUNT)),
    Judging.state.not_in((JUDGED, HELD)),
    Judging.turn >= bindparam("base"),
    Judging.turn < bindparam("end"),
)


def _heads(connection: Connection, gpu_model: str) -> list[str]:
    """The nonempty queues that this GPU model serves, the one with the lowest turn first."""
    heads = []
    # Steps from one name to the next by the index; grouping would read the whole queue.
    queue: str | None = ""
    while queue is not None:
        queue = connection.execute(_NEXT_QUEUE, {"queue": queue}).scalar()
        if queue is not None and takes(gpu_model, queue):
            heads.append((_least_turn(connection, QUEUED, queue, 0), queue))
    return [queue for _, queue in sorted(heads)]


def _least_turn(connection: Connection, state: str, queue: str, base: int) -> int:
    """The lowest turn, at least `base`, in this queue and state; _BEYOND if there is none."""
    turn = connection.execute(_LEAST_TURN, {"its_state": state, "queue": queue, "base": base}).scalar()
    return _BEYOND if turn is None else turn


def _turn(connection: Connection, submission_id: int, gpu_model: str, rejudged: bool) -> int:
    """The turn of a new judging: one after the account's last unjudged one, but at least the current turn.

    So every student's first queued submission comes before anybody's second, in the order of arrival
    (start-time fair queueing: Goyal, Vin, Cheng, SIGCOMM 1996).
    """
    base, end = (_REJUDGES_LATER, _BEYOND) if rejudged else (0, _REJUDGES_LATER)
    last = connection.execute(_LAST_TURN, {"submission": submission_id, "base": base, "end": end}).scalar()
    return max(_current_turn(connection, gpu_model, base, end), base if last is None else last + 1)


def _current_turn(connection: Connection, gpu_model: str, base: int, end: int) -> int:
    """The lowest turn, from `base` up to `end`, of what waits or runs; `base` if there is none."""
    current = min(_least_turn(connection, state, gpu_model, base) for state in (QUEUED, RUNNING))
    return current if current < end else base


_WORK = (
    select(Submission.contest, Submission.problem, Submission.file, Account.name, Source.text, Contest.settings)
    .join(Account, Account.id == Submission.account_id)
    .join(Source, Source.hash == Submission.source_hash)
    .join(Contest, Contest.slug == Submission.contest)
    .where(Submission.id == bindparam("submission"))
)


def _job(connection: Connection, row: Any) -> Job:
    from grader.contest.settings import settings_from_json

    if row.run_id is not None:
        return _run_job(connection, row)
    found = connection.execute(_WORK, {"submission": row.submission_id}).one()
    settings = settings_from_json(found.settings, found.contest)
    return Job(
        judging_id=row.id,
        attempt=row.attempt,
        submission_id=row.submission_id,
        contest=found.contest,
        problem=found.problem,
        file=found.file,
        text=found.text,
        account=found.name,
        hidden_seed=settings.hidden_seed(found.problem),
        grading_seconds=settings.grading_seconds,
        groups=settings.groups_of(found.problem),
        model_time=settings.model_time,
        model_scores=settings.by_model,
    )


_RUN_SECONDS = 60.0
"""Longest wall time of a run, below the contest's own limit."""
_RUN_WORK = (
    select(Run.contest, Run.problem, Run.file, Account.name, Run.text, Run.sizes, Contest.settings)
    .join(Account, Account.id == Run.account_id)
    .join(Contest, Contest.slug == Run.contest)
    .where(Run.id == bindparam("run"))
)


def _run_job(connection: Connection, row: Any) -> Job:
    """The work of a run; it never learns the contest's hidden seed."""
    from grader.contest.settings import settings_from_json

    found = connection.execute(_RUN_WORK, {"run": row.run_id}).one()
    return Job(
        judging_id=row.id,
        attempt=row.attempt,
        submission_id=None,
        contest=found.contest,
        problem=found.problem,
        file=found.file,
        text=found.text,
        account=found.name,
        hidden_seed=None,
        grading_seconds=min(_RUN_SECONDS, settings_from_json(found.settings, found.contest).grading_seconds),
        run_id=row.run_id,
        sizes=json.loads(found.sizes) if found.sizes else None,
    )
