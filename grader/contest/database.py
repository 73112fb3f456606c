"""The contests' database: everything that server, workers and commands read and write, one transaction per method.

The rules of a contest, access control and ranking are elsewhere.
"""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

from grader.contest.clock import Clock
from grader.contest.connect import Address
from grader.contest.jobs import LEASE, Queue
from grader.contest.migrate import bring_up_to_date
from grader.contest.queue import LeaseQueue
from grader.contest.tables.clarifications import Clarifications
from grader.contest.tables.contests import Contests
from grader.contest.tables.drafts import Drafts
from grader.contest.tables.entries import Entries
from grader.contest.tables.explanations import Explanations
from grader.contest.tables.rejudges import Rejudges
from grader.contest.tables.runs import Runs
from grader.contest.tables.staff import Staff
from grader.contest.tables.submissions import Submissions
from grader.store.workspace import Workspace


class Database(Contests, Entries, Submissions, Drafts, Runs, Rejudges, Clarifications, Explanations, Staff):
    """The contests of one server, at a URL (a plain path is a SQLite file). Several processes may use it at once.

    Every method raises UsageError for what does not exist, and StoreError or WorkspaceError, with the next step, if the
    database fails. Workers get their work from `queue`.
    """

    def __init__(self, url: str, clock: Clock | None = None, *, lease: timedelta = LEASE) -> None:
        address = Address(url)
        with address.explained():
            engine = address.open()
        super().__init__(address, engine, clock or Clock())
        try:
            with address.explained():
                bring_up_to_date(engine, address.name)
            self.queue: Queue = _queue_of(self, lease)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._engine.dispose()
        if self._turn is not None:
            self._turn.close()


def _queue_of(database: Database, lease: timedelta) -> Queue:
    if database.address.path is not None:
        return LeaseQueue(database, lease)
    from grader.contest.procrastinate_queue import ProcrastinateQueue

    return ProcrastinateQueue(database, lease)


def default_url(workspace: Workspace, named: str | None = None) -> str:
    """The URL `named` by the user, else KGRADE_DATABASE, else the workspace's own SQLite file."""
    return named or os.environ.get("KGRADE_DATABASE") or str(contests_folder(workspace) / "contests.db")


def contests_folder(workspace: Workspace) -> Path:
    """The folder with the contests' definitions, one folder each, and the database."""
    return workspace.root / "contests"
