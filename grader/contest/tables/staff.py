"""The log of changes and the workers, for staff."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, delete, insert, select, update

from grader.contest.jobs import Claim
from grader.contest.records import DEAD, GONE, OUT, RUNNING, AuditRecord, WorkerRecord
from grader.contest.schema import Audit, Judging, Worker
from grader.contest.tables.base import Transactions, record, storable
from grader.core.errors import UsageError

SILENT = timedelta(seconds=25)
"""A worker without a sign of life for longer is dead: it gives one every 8 seconds."""
SHOWN = timedelta(minutes=10)
"""How long staff see a dead worker."""
OUT_SHOWN = timedelta(days=1)
"""How long staff see a worker that took itself out of service, with its reason."""


class Staff(Transactions):
    def audit(self, who: str, what: str, contest: str | None = None, detail: Mapping[str, Any] | None = None) -> None:
        """Logs a change that no other method of the database makes."""
        with self.writing() as connection:
            self.log(connection, who, what, contest, detail or {})

    def audits(self, contest: str | None = None, limit: int | None = None) -> list[AuditRecord]:
        """The logged changes of a contest, or of all, newest first."""
        query = select(*Audit.__table__.columns).order_by(Audit.id.desc()).limit(limit)
        if contest is not None:
            query = query.where(Audit.contest == contest)
        with self.reading() as connection:
            rows = connection.execute(query).all()
        return [AuditRecord(**{**row._mapping, "detail": json.loads(row.detail)}) for row in rows]

    def add_worker(self, name: str, gpu_model: str, token_hash: str | None, *, who: str) -> None:
        """Registers a worker under a name, or gives a known one a new token. Raises UsageError for a bad name."""
        if ":" in name:
            # It would be the name of another worker's process, whose judgings that one may end.
            raise UsageError(f"a worker can't be called '{name}'", "choose a name without a colon")
        values = {"gpu_model": gpu_model, "token_hash": token_hash, "seen": self.now(), "state": GONE, "note": ""}
        with self.writing() as connection:
            change = update(Worker).where(Worker.name == name).values(**values)
            if connection.execute(change).rowcount == 0:
                connection.execute(insert(Worker).values(name=storable(name), **values))
            self.log(connection, who, "worker let in", None, {"worker": name})

    def remove_worker(self, name: str, *, who: str) -> None:
        """Removes a worker, which locks it out. Raises UsageError if there is none with that name."""
        with self.writing() as connection:
            if connection.execute(delete(Worker).where(Worker.name == name)).rowcount == 0:
                raise UsageError(f"there is no worker '{name}'", "see them: kgrade contest status")
            self.log(connection, who, "worker shut out", None, {"worker": name})

    def worker_by_token(self, token_hash: str) -> WorkerRecord | None:
        with self.reading() as connection:
            row = connection.execute(select(*Worker.__table__.columns).where(Worker.token_hash == token_hash)).first()
        return None if row is None else record(WorkerRecord, row)

    def worker_seen(self, name: str, gpu_model: str, state: str, note: str = "") -> None:
        """Records that a worker is alive and what it does; the processes of a registered worker are added by this."""
        name = storable(name)
        values = {
            "gpu_model": storable(gpu_model),
            "seen": self.now(),
            "state": storable(state),
            "note": storable(note),
        }
        with self.writing(flushed=False) as connection:
            if state == GONE:
                connection.execute(delete(Worker).where(Worker.name == name, Worker.token_hash.is_(None)))
                return
            if connection.execute(update(Worker).where(Worker.name == name).values(**values)).rowcount == 0:
                connection.execute(insert(Worker).values(name=name, **values))

    def workers(self) -> list[WorkerRecord]:
        with self.reading() as connection:
            rows = connection.execute(select(*Worker.__table__.columns).order_by(Worker.name)).all()
        return [record(WorkerRecord, row) for row in rows]

    def present_workers(self) -> list[WorkerRecord]:
        """The workers that are there, or died or went out of service lately; without machines that were only let in."""
        now, found = self.now(), []
        for each in self.workers():
            silent = now - each.seen
            if each.state == GONE or silent > (OUT_SHOWN if each.state == OUT else SHOWN):
                continue
            found.append(each if each.state == OUT or silent <= SILENT else replace(each, state=DEAD))
        return found

    def forget_workers(self, beginning: str, silent: timedelta = timedelta(0)) -> None:
        """Removes worker processes from the list whose names begin with `beginning` and that were silent for `silent`.

        They reappear with their next sign of life: this locks nobody out and is not logged.
        """
        these = Worker.name.startswith(beginning, autoescape=True), Worker.token_hash.is_(None)
        with self.writing(flushed=False) as connection:
            connection.execute(delete(Worker).where(*these, Worker.seen <= self.now() - silent))

    def held_by(self, machine: str) -> list[Claim]:
        """The claims held by the processes of `machine`."""
        with self.reading() as connection:
            rows = connection.execute(select(Judging.id, Judging.attempt).where(*_held_by(machine))).all()
        return [Claim(row.id, row.attempt) for row in rows]

    def lapse(self, machine: str) -> None:
        """Expires the leases of the processes of `machine`, which are gone: the next claim finds their work stalled."""
        with self.writing(flushed=False) as connection:
            ended = self.now() - timedelta(seconds=1)
            connection.execute(update(Judging).where(*_held_by(machine)).values(lease_until=ended))

    def worker_ended(self, name: str) -> None:
        """Expires the leases of a process that is gone, and takes it off the list."""
        held = Judging.state == RUNNING, Judging.worker == name
        with self.writing(flushed=False) as connection:
            ended = self.now() - timedelta(seconds=1)
            connection.execute(update(Judging).where(*held).values(lease_until=ended))
            connection.execute(delete(Worker).where(Worker.name == name, Worker.token_hash.is_(None)))


def _held_by(machine: str) -> tuple[ColumnElement[bool], ...]:
    return Judging.state == RUNNING, Judging.worker.startswith(f"{machine}:", autoescape=True)
