"""What an account may see and do in its contest: the one place that pages, API and live updates ask.

Anything not allowed raises Refused, with the same message for things that don't exist and things that belong to
others. Of HTTP it uses only status codes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from grader.compile.submission import decode_source
from grader.contest.groups import kept_groups
from grader.contest.hidden import only_verdict, without_cases
from grader.contest.limits import LARGEST_SOURCE
from grader.contest.naming import plain_name
from grader.contest.partial import Part
from grader.contest.records import (
    ANY_GPU,
    JUDGED,
    STAFF,
    AccountRecord,
    AnnouncementRecord,
    RunRecord,
    SubmissionRecord,
)
from grader.contest.scoreboard import Entry, entry_parts, points_of
from grader.contest.settings import ANONYMOUS, PRACTICE, PUBLIC, ContestProblem, Settings, settings_from_json
from grader.contest.standing import board_name, failed_hidden, freeze_of, score_interval
from grader.contest.tables.base import storable
from grader.core.errors import KgradeError, SourceError, UsageError
from grader.core.report import Report, from_json
from grader.core.verdict import Verdict
from grader.problem import Problem, load_problem
from grader.problem.sizes import Budget, check_sizes
from grader.store.workspace import Workspace

if TYPE_CHECKING:
    from grader.contest.database import Database

LONGEST_FILE_NAME = 100
LARGEST_RUN = Budget(flops=4_000_000_000, bytes=100_000_000)
"""The largest cost of sizes that the sender of a run chose: a judge takes some eight times its arrays' memory."""
RUNS_OF_ONE = 6
"""Runs that an account may make an hour for each submission that it may make."""
LARGEST_NUMBER = 2**31 - 1
"""Largest number of a submission, an account and so on that every database accepts as a key."""


class Refused(UsageError):
    """Something an account may not see or do; `status` is the HTTP status code."""

    def __init__(self, status: int, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.status = status


@dataclass(frozen=True)
class Visitor:
    """An authenticated account and the settings of its contest."""

    account: AccountRecord
    contest: Settings

    @property
    def staff(self) -> bool:
        return self.account.role == STAFF

    @property
    def ends(self) -> datetime | None:
        """When the contest ends for this account; None if it never does."""
        return None if self.contest.end is None else self.contest.end + self.extension

    @property
    def extension(self) -> timedelta:
        return timedelta(seconds=self.account.extension_seconds)


class Access:
    """The rules, applied to one database. Methods read the clock and the settings anew, so changes apply at once."""

    def __init__(self, database: Database, workspace: Workspace) -> None:
        self.database, self.workspace = database, workspace
        self._loaded: dict[str, tuple[tuple[int, ...], Problem]] = {}

    def now(self) -> datetime:
        return self.database.now()

    def contests(self) -> list[Settings]:
        found = (settings_from_json(each.settings, each.slug) for each in self.database.contests())
        return sorted(found, key=lambda settings: (settings.start, settings.slug))

    def contest(self, slug: str) -> Settings:
        try:
            found = self.database.contest(storable(slug))
        except UsageError:
            # The database's own message names its path on the server.
            raise Refused(404, "there is no such contest") from None
        return settings_from_json(found.settings, found.slug)

    def is_public(self, slug: str) -> bool:
        """Whether there is such a contest, and everybody may see its scoreboard."""
        try:
            return self.contest(slug).scoreboard == PUBLIC
        except Refused:
            return False

    def public_contest(self, slug: str) -> Settings:
        """A contest whose scoreboard is public. Raises Refused for others, and alike where there is none."""
        if not self.is_public(slug):
            raise Refused(401, "you are not signed in, or no longer", "open your personal link, or sign in below")
        return self.contest(slug)

    def visitor(self, account: AccountRecord) -> Visitor:
        return Visitor(account, self.contest(account.contest))

    def problems(self, visitor: Visitor) -> tuple[ContestProblem, ...]:
        """The contest's problems. Raises Refused for students before the start."""
        if not shows_problems(visitor.contest, visitor.account, self.now()):
            raise Refused(403, "the contest has not started", "its problems are shown when it starts")
        return visitor.contest.problems

    def problem(self, visitor: Visitor, name: str) -> Problem:
        self.check_problem(visitor, name)
        return self._load(name)

    def check_problem(self, visitor: Visitor, name: str) -> None:
        """Raises Refused, naming those that there are, unless the contest has this problem."""
        known = [each.name for each in self.problems(visitor)]
        if name not in known:
            shown = f"'{name[:LONGEST_FILE_NAME]}' is no problem of this contest"
            raise Refused(404, shown, f"it has {', '.join(known)}")

    def solved(self, visitor: Visitor, problem: str) -> bool:
        return bool(
            self.database.submissions(
                visitor.contest.slug,
                account_id=visitor.account.id,
                problem=problem,
                verdict=Verdict.ACCEPTED.value,
                limit=1,
            )
        )

    def editorial(self, visitor: Visitor, name: str) -> str | None:
        """The editorial of a problem of the practice, for who has solved it; None where there is none, or not yet."""
        if visitor.contest.slug != PRACTICE or not (visitor.staff or self.solved(visitor, name)):
            return None
        return self.problem(visitor, name).editorial

    def titles(self, contest: Settings) -> dict[str, str]:
        """The titles of the contest's problems, by name."""
        return {each.name: each.title or self._title(each.name) for each in contest.problems}

    def announcements(self, visitor: Visitor) -> list[AnnouncementRecord]:
        return self.database.announcements(visitor.contest.slug)

    def why_closed(self, visitor: Visitor, now: datetime) -> str:
        """Why this account may not submit at that moment; empty if it may."""
        if visitor.account.disqualified:
            return f"you are disqualified: {visitor.account.disqualified}"
        if visitor.staff:
            return ""
        if now < visitor.contest.start:
            return "the contest has not started"
        return "" if visitor.contest.accepts_at(now, visitor.extension) else "the contest is over"

    def check_open(self, visitor: Visitor, now: datetime) -> None:
        """Raises Refused unless this account may submit at that moment."""
        why = self.why_closed(visitor, now)
        if why and visitor.ends is not None and now > visitor.ends:
            ended = visitor.ends.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
            raise Refused(403, why, f"it ended {ended}; ask staff if you need more time")
        if why:
            raise Refused(403, why)

    def is_practice(self, visitor: Visitor, now: datetime) -> bool:
        return visitor.staff or not visitor.contest.counts_at(now, visitor.extension)

    def submit(self, visitor: Visitor, problem: str, file: str, data: bytes, key: str | None = None) -> int:
        """Records a submission and returns its number. It counts from when its last byte arrived. Raises Refused."""
        now, contest = self.now(), visitor.contest
        name, text = self._taken(visitor, problem, file, data, now)
        if key is not None and not re.fullmatch(r"[\w-]{1,64}", key, re.ASCII):
            raise Refused(400, "the key of a request is 1 to 64 letters, digits and dashes")
        try:
            return self.database.submit(
                visitor.account,
                problem,
                name,
                text,
                now,
                gpu_model=contest.gpu_model or ANY_GPU,
                late_seconds=int(contest.late_by(now, visitor.extension).total_seconds()),
                practice=self.is_practice(visitor, now),
                per_hour=None if visitor.staff else contest.per_hour,
                request_key=key,
            )
        except UsageError as error:
            raise Refused(429, error.message, error.hint) from None

    def run(
        self, visitor: Visitor, problem: str, file: str, data: bytes, sizes: Mapping[str, int] | None = None
    ) -> int:
        """Queues a text that is tried on visible cases and not recorded; returns the run's number. Raises Refused."""
        now, contest = self.now(), visitor.contest
        name, text = self._taken(visitor, problem, file, data, now)
        if sizes is not None:
            loaded = self._load(problem)
            try:
                check_sizes(loaded, sizes)
            except UsageError as error:
                raise Refused(400, error.message, error.hint.replace("--case ", "")) from None
            if not LARGEST_RUN.allows(loaded, sizes):
                raise Refused(400, "these sizes are too large for a run", "type smaller ones, or leave the field empty")
        try:
            return self.database.add_run(
                *(visitor.account, problem, name, text, sizes, now),
                per_hour=None if visitor.staff else RUNS_OF_ONE * contest.per_hour,
                gpu_model=contest.gpu_model or ANY_GPU,
            )
        except UsageError as error:
            raise Refused(429, error.message, error.hint) from None

    def own_run(self, visitor: Visitor, number: int) -> RunRecord:
        """A run of this account that is not forgotten. Raises Refused."""
        for row in self.database.runs([number]):
            if row.account_id == visitor.account.id:
                return row
        raise Refused(404, "there is no such run", "runs are forgotten after an hour")

    def run_report(self, row: RunRecord, account: str) -> Report | None:
        """The report of a run; None before it is judged, and when its account has made another."""
        if row.report is None:
            return None
        submitted = row.created.isoformat(timespec="seconds")
        return replace(from_json(row.report), source=row.text, user=account, file=row.file, submitted=submitted)

    def own(self, visitor: Visitor, problem: str | None = None) -> list[SubmissionRecord]:
        """The submissions of the account and of its team, newest first."""
        if visitor.contest.teams and visitor.account.team_id is not None:
            rows = self.database.submissions(visitor.contest.slug, problem=problem, newest_first=True)
            return [row for row in rows if self._is_own(visitor, row)][:500]
        return self.database.submissions(
            visitor.contest.slug, account_id=visitor.account.id, problem=problem, newest_first=True, limit=500
        )

    def submission(self, visitor: Visitor, number: int) -> SubmissionRecord:
        """A submission that this account may read. Raises Refused."""
        if 0 < number <= LARGEST_NUMBER:
            for row in self.database.submissions(visitor.contest.slug, ids=[number]):
                if visitor.staff or self._is_own(visitor, row) or self._is_public(visitor.contest, row):
                    return row
        raise Refused(404, "there is no such submission")

    def report(self, visitor: Visitor, row: SubmissionRecord) -> Report | None:
        """The report of a submission returned by `submission`, as far as this account may see it; None before it is
        judged.
        """
        text, is_open = self.database.report_and_openness(row.id)
        if text is None:
            return None
        report = replace(
            from_json(text),
            source=self.database.source(row.id),
            user=row.account if visitor.staff else plain_name(row.account),
            file=row.file,
            submitted=row.submitted.isoformat(timespec="seconds"),
        )
        if visitor.staff:
            return report
        if self._is_own(visitor, row) and (is_open or not visitor.contest.hidden_seeds):
            return report
        if is_open or not visitor.contest.hidden_seeds:
            return without_cases(report)
        return only_verdict(report, groups=bool(visitor.contest.groups_of(row.problem)))

    def all_right(self, row: SubmissionRecord) -> int:
        """How many cases an accepted submission has right, all of which everybody may know; 0 for another."""
        text = self.database.report(row.id) if row.verdict == Verdict.ACCEPTED else None
        return 0 if text is None else len(json.loads(text).get("cases", ()))

    def points(self, visitor: Visitor, row: SubmissionRecord) -> float | None:
        """The points that a submission would earn on the board; None before it is judged, or without its problem."""
        entry = self._entry(visitor, row)
        return None if entry is None else points_of(visitor.contest, entry).value

    def parts(self, visitor: Visitor, row: SubmissionRecord) -> tuple[Part, ...]:
        """The same by groups; empty where the problem gives no partial credit."""
        entry = self._entry(visitor, row)
        return () if entry is None else entry_parts(visitor.contest, entry)

    def explains(self, visitor: Visitor, row: SubmissionRecord) -> bool:
        """Whether this account may have a submission returned by `submission` explained: an accepted one of its own."""
        own = visitor.staff or self._is_own(visitor, row)
        return visitor.contest.explain and own and row.verdict == Verdict.ACCEPTED.value

    def is_over(self, contest: Settings) -> bool:
        """Whether nobody can submit anything that counts any more, after all extensions and late hours."""
        if contest.end is None:
            return False
        longest = max((each.extension_seconds for each in self.database.accounts(contest.slug)), default=0)
        return self.now() > contest.end + timedelta(seconds=longest, hours=contest.late.hours)

    def _entry(self, visitor: Visitor, row: SubmissionRecord) -> Entry | None:
        """The submission as the board counts it; None before it is judged, or without its problem."""
        if row.verdict is None or visitor.contest.problem(row.problem) is None:
            return None
        extension = timedelta(seconds=self.database.account(row.account_id).extension_seconds)
        score, verdict = score_interval(row.score, row.score_low, row.score_high), Verdict(row.verdict)
        hidden = failed_hidden(visitor.contest, row.verdict, is_open=row.is_open)
        told = row.language, hidden, kept_groups(row.groups)
        return Entry(row.id, row.account, row.problem, row.submitted, verdict, score, extension, *told)

    def _taken(self, visitor: Visitor, problem: str, file: str, data: bytes, now: datetime) -> tuple[str, str]:
        """Name and text of a file that is taken for the problem at that moment. Raises Refused."""
        self.check_problem(visitor, problem)
        self.check_open(visitor, now)
        if len(data) > LARGEST_SOURCE:
            raise Refused(413, f"the file is too large: {len(data):,} bytes, at most {LARGEST_SOURCE:,} are taken")
        name = file_name(file)
        try:
            return name, decode_source(name, data)
        except SourceError as error:
            raise Refused(400, error.message, error.hint) from None

    def _is_own(self, visitor: Visitor, row: SubmissionRecord) -> bool:
        if row.account_id == visitor.account.id:
            return True
        return visitor.contest.teams and row.team_id is not None and row.team_id == visitor.account.team_id

    def _is_public(self, contest: Settings, row: SubmissionRecord) -> bool:
        """Whether all students may read it: only when the contest is over, never what a frozen scoreboard hides, and
        never where names are hidden.
        """
        if contest.scoreboard == ANONYMOUS:
            return False
        if row.practice or row.role == STAFF or row.state != JUDGED or not self.is_over(contest):
            return False
        freeze = freeze_of(self.database, contest.slug)
        shown = freeze.lifted or (board_name(contest, row.account, row.team), row.problem) in freeze.revealed
        return shown or not contest.is_frozen_at(row.submitted)

    def _load(self, name: str) -> Problem:
        """Returns the problem, loading it again if one of its files has changed."""
        folder = self.workspace.folder_of(name)
        if folder is None:
            raise Refused(404, "this problem is no longer there", "choose another one")
        stamp = tuple(path.stat().st_mtime_ns for path in sorted(folder.iterdir()) if path.is_file())
        known = self._loaded.get(name)
        if known is None or known[0] != stamp:
            known = self._loaded[name] = stamp, load_problem(folder)
        return known[1]

    def _title(self, name: str) -> str:
        try:
            return self._load(name).title
        except KgradeError:
            return name


def shows_names(contest: Settings, account: AccountRecord | None) -> bool:
    """Whether this account, or somebody not signed in, sees all names on the scoreboard."""
    return contest.scoreboard != ANONYMOUS or (account is not None and account.role == STAFF)


def shows_problems(contest: Settings, account: AccountRecord | None, now: datetime) -> bool:
    """Whether this account, or somebody not signed in, may know the contest's problems: students from its start on."""
    return now >= contest.start or (account is not None and account.role == STAFF)


def row_name(contest: Settings, account: AccountRecord | None) -> str:
    """The name of the account's row on the scoreboard; empty for somebody not signed in."""
    return "" if account is None else board_name(contest, account.name, account.team)


def file_name(given: str) -> str:
    """The last part of a path, with characters replaced that could mislead a page or a terminal."""
    name = PurePosixPath(storable(given).replace("\\", "/")).name
    name = "".join(c if c.isprintable() else "_" for c in name).strip()
    return name[-LONGEST_FILE_NAME:] if name.strip(".") else "submission.cu"
