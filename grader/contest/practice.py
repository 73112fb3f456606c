"""The practice site of a workspace: a standing contest with all its problems, its owner, and what the store keeps.

It has no end, no freeze, no hidden seeds, and reports are shown in full. Its submissions are filed in the workspace's
store too, so that `kgrade history` and `kgrade leaderboard` show what was handed in by the browser.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from grader.contest.accounts import Issued, renew
from grader.contest.records import AccountRecord, NewAccount
from grader.contest.settings import PRACTICE, ContestProblem, Settings, settings_to_json
from grader.core.errors import KgradeError
from grader.core.report import from_json
from grader.problem.loader import find_problems
from grader.store.database import Store

if TYPE_CHECKING:
    from grader.contest.database import Database
    from grader.store.workspace import Workspace

PER_HOUR = 1000
MODEL_GPU = "H200"
WHO = "kgrade serve"
log = logging.getLogger("kgrade.server")


def practice_settings(workspace: Workspace) -> Settings:
    """The settings of the workspace's practice, with the problems that are there now."""
    return Settings(
        slug=PRACTICE,
        title="Practice",
        problems=tuple(ContestProblem(name) for name in find_problems(workspace.problem_roots)),
        start=datetime(2000, 1, 1, tzinfo=timezone.utc),
        end=None,
        per_hour=PER_HOUR,
        explain=True,
        # What the emulator accepts has a place on the leaderboards.
        model_time=MODEL_GPU,
    )


def publish_practice(database: Database, workspace: Workspace) -> Settings:
    """Writes the practice to the database, if it is not there as it is now."""
    settings = practice_settings(workspace)
    database.add_contest(PRACTICE, settings_to_json(settings), who=WHO)
    return settings


def owner_of(database: Database, name: str) -> AccountRecord:
    """The account in the practice of the user who runs the server, added at the first call."""
    if all(account.name != name for account in database.accounts(PRACTICE)):
        database.add_accounts(PRACTICE, [NewAccount(name)], who=WHO)
    return database.account_by_name(PRACTICE, name)


def first_link(database: Database, account: AccountRecord) -> str | None:
    """The word in a new sign-in link of an account that never had one; else None."""
    if account.link_hash is not None:
        return None
    issued: tuple[Issued, ...] = renew(database, [account], lambda fresh: None, who=WHO)
    return issued[0].link


class Shelf:
    """The workspace's store, in which judged submissions of the practice are filed."""

    def __init__(self, database: Database, workspace: Workspace) -> None:
        self.store = Store(workspace.database)
        self._database = database
        self._one = threading.Lock()

    def file(self, judging_id: int) -> None:
        """Files the submission of a judging that has just ended, once, if it is of the practice.

        The verdict stands in the contests' database already, so a store that can't be written is only logged.
        """
        try:
            with self._one:
                self._file(judging_id)
        except KgradeError as error:
            log.warning("a submission of the practice is not in the workspace's history: %s", error.message)

    def _file(self, judging_id: int) -> None:
        row = self._database.submission_of(judging_id)
        if row is None or row.contest != PRACTICE:
            return
        text = self._database.report(row.id)
        if text is None:
            return
        report = replace(
            from_json(text),
            source=self._database.source(row.id),
            user=row.account,
            file=row.file,
            submitted=row.submitted.isoformat(),
        )
        # A worker whose answer was lost hands its result in again.
        known = self.store.summaries(row.problem, row.account)
        if all((each.submitted, each.source_hash) != (row.submitted, row.source_hash) for each in known):
            self.store.add(report)
