"""Runs: texts that are tried and not recorded. They wait in the queue of submissions and are forgotten after an hour.

A run is no submission, and its judging is never active, so no history, scoreboard or export meets it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, insert, select, update

from grader.contest.jobs import Queue
from grader.contest.records import ANY_GPU, HELD, JUDGED, AccountRecord, RunRecord
from grader.contest.schema import Account, Judging, Run
from grader.contest.tables.base import Transactions, record, storable
from grader.core.errors import UsageError

KEPT = timedelta(hours=1)


class Runs(Transactions):
    queue: Queue

    def add_run(
        self,
        account: AccountRecord,
        problem: str,
        file: str,
        text: str,
        sizes: Mapping[str, int] | None,
        now: datetime,
        *,
        per_hour: int | None,
        gpu_model: str = ANY_GPU,
    ) -> int:
        """Queues a run and returns its number. It takes the place of the account's earlier run, which is emptied.

        Raises UsageError if `per_hour` runs were made in the last hour.
        """
        values = {
            "contest": account.contest,
            "account_id": account.id,
            "problem": storable(problem),
            "file": storable(file),
            "text": storable(text),
            "sizes": json.dumps(dict(sizes)) if sizes else "",
            "created": now,
        }
        with self.writing(flushed=False) as connection:
            # Requests of one account are serialised, so that the limit holds between them.
            connection.execute(select(Account.id).where(Account.id == account.id).with_for_update())
            old = select(Run.id).where(Run.created <= now - KEPT)
            ended = Judging.state.in_((JUDGED, HELD))
            connection.execute(delete(Judging).where(Judging.run_id.in_(old), ended))
            rest = select(Judging.run_id).where(Judging.run_id.is_not(None))
            connection.execute(delete(Run).where(Run.created <= now - KEPT, Run.id.not_in(rest)))
            mine = select(Run.id).where(Run.account_id == account.id)
            made = connection.execute(select(func.count()).where(Run.account_id == account.id)).scalar_one()
            if per_hour is not None and made >= per_hour:
                raise UsageError(
                    f"{made} runs in the last hour; this contest allows {per_hour}", "try again in some minutes"
                )
            for judging in connection.execute(
                select(Judging.id).where(Judging.run_id.in_(mine), Judging.state != JUDGED).order_by(Judging.id)
            ).scalars():
                self.queue.withdraw(connection, judging)
            connection.execute(update(Judging).where(Judging.run_id.in_(mine)).values(report=None))
            connection.execute(update(Run).where(Run.account_id == account.id).values(text=""))
            number = connection.execute(insert(Run).returning(Run.id), values).scalar_one()
            self.queue.enqueue_run(connection, number, gpu_model)
        return number

    def runs(self, numbers: Collection[int]) -> list[RunRecord]:
        """The runs with these numbers that are not forgotten."""
        judging: Sequence[Any] = (Judging.state, Judging.verdict, Judging.progress, Judging.report)
        columns = (*Run.__table__.columns, Judging.id.label("judging_id"), *judging)
        query = select(*columns).join(Judging, Judging.run_id == Run.id).where(Run.id.in_(list(numbers)))
        with self.reading() as connection:
            return [record(RunRecord, row) for row in connection.execute(query)]
