"""The queue on PostgreSQL: procrastinate holds waiting jobs, one procrastinate queue per GPU model.

Its job manager defers, fetches and finishes jobs inside the transaction that changes the judging, so the two can't
diverge. Leases, fencing tokens and retries stay in the judging's row.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterable
from datetime import datetime, timedelta, timezone
from typing import Any, TypeVar

from procrastinate.connector import BaseAsyncConnector
from procrastinate.jobs import Job as DeferredJob
from procrastinate.jobs import Status
from procrastinate.manager import JobManager
from procrastinate.schema import SchemaManager
from psycopg.types.json import Jsonb
from sqlalchemy import Connection, select, text

from grader.contest.jobs import LEASE
from grader.contest.queue import LeaseQueue
from grader.contest.records import QUEUED
from grader.contest.schema import Judging
from grader.contest.tables.staff import Staff

T = TypeVar("T")

_TASK = "kgrade.judge"
_AT_ONCE = datetime.fromtimestamp(0, timezone.utc)
_SETUP_LOCK = 0x6B67_7175_6575
"""Key of PostgreSQL's advisory lock while procrastinate's tables are created ("kgqueu")."""


class ProcrastinateQueue(LeaseQueue):
    """The queue of a PostgreSQL database; creates procrastinate's tables if they are missing."""

    def __init__(self, database: Staff, lease: timedelta = LEASE) -> None:
        super().__init__(database, lease)
        with database.writing() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _SETUP_LOCK})
            if connection.execute(text("SELECT to_regclass('procrastinate_jobs')")).scalar() is None:
                # psycopg accepts several statements at once only without parameters.
                cursor = connection.connection.driver_connection.cursor()  # type: ignore[union-attr]
                cursor.execute(SchemaManager.get_schema())
            self._adopt(connection)

    def _waits(self, connection: Connection, judging_id: int, gpu_model: str, turn: int) -> None:
        name = _name(judging_id)
        # procrastinate serves the highest priority first, we serve the lowest turn first.
        job = DeferredJob(
            queue=gpu_model,
            priority=-turn,
            lock=name,
            queueing_lock=name,
            task_name=_TASK,
            task_kwargs={"judging_id": judging_id},
        )
        _done(JobManager(_InTransaction(connection)).defer_job_async(job))

    def _first(self, connection: Connection, queue: str) -> int | None:
        manager = JobManager(_InTransaction(connection))
        # No procrastinate worker runs, so the jobs have no worker.
        job = _done(manager.fetch_job([queue], None))  # type: ignore[arg-type]
        return None if job is None else int(job.task_kwargs["judging_id"])  # type: ignore[arg-type]

    def _reserves(self, connection: Connection, judging_id: int) -> None:
        query = text("SELECT id FROM procrastinate_jobs WHERE lock = :lock FOR UPDATE")
        connection.execute(query, {"lock": _name(judging_id)})

    def _returns(self, connection: Connection, judging_id: int) -> None:
        # Retrying the same job keeps its place among those of the same turn.
        for number, _ in _jobs_of(connection, judging_id):
            _done(JobManager(_InTransaction(connection)).retry_job_by_id_async(number, retry_at=_AT_ONCE))

    def _ends(self, connection: Connection, judging_id: int) -> None:
        manager = JobManager(_InTransaction(connection))
        for number, status in _jobs_of(connection, judging_id):
            if status == Status.DOING.value:
                _done(manager.finish_job_by_id_async(number, Status.SUCCEEDED, delete_job=True))
            else:
                _done(manager.cancel_job_by_id_async(number, delete_job=True))

    def _adopt(self, connection: Connection) -> None:
        """Defers judgings that wait without a job, as after restoring an archive."""
        known = {row.lock for row in connection.execute(text("SELECT lock FROM procrastinate_jobs"))}
        query = select(Judging.id, Judging.gpu_model, Judging.turn).where(Judging.state == QUEUED)
        for row in connection.execute(query).all():
            if _name(row.id) not in known:
                self._waits(connection, row.id, row.gpu_model, row.turn)


class _InTransaction(BaseAsyncConnector):
    """Connects procrastinate's job manager to an open SQLAlchemy connection. It never awaits anything."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def execute_query_async(self, query: str, **arguments: Any) -> None:
        self._run(query, arguments)

    async def execute_query_one_async(self, query: str, **arguments: Any) -> dict[str, Any]:
        return self._run(query, arguments)[0]

    async def execute_query_all_async(self, query: str, **arguments: Any) -> list[dict[str, Any]]:
        return self._run(query, arguments)

    def _run(self, query: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
        result = self._connection.exec_driver_sql(query, {k: _for_psycopg(v) for k, v in arguments.items()})
        return [dict(row) for row in result.mappings()] if result.returns_rows else []


def _jobs_of(connection: Connection, judging_id: int) -> list[tuple[int, str]]:
    query = text("SELECT id, status::text AS status FROM procrastinate_jobs WHERE lock = :lock")
    return [(row.id, row.status) for row in connection.execute(query, {"lock": _name(judging_id)})]


def _for_psycopg(value: Any) -> Any:
    if isinstance(value, dict):
        return Jsonb(value)
    if isinstance(value, tuple):
        return tuple(_for_psycopg(each) for each in value)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_for_psycopg(each) for each in value]
    return value


def _name(judging_id: int) -> str:
    return f"judging-{judging_id}"


def _done(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine that never awaits anything and returns its result, with or without a running event loop."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    raise AssertionError("procrastinate's job manager waited for something")
