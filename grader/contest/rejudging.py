"""Rejudging as a set: which submissions to judge again, and what the new verdicts would change.

The old verdicts stay valid while the queue judges; the database applies or drops the set as a whole. Old judgings are
kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.contest.database import Database
from grader.contest.definitions import settings_of
from grader.contest.records import JUDGED, JudgingRecord, SubmissionRecord
from grader.contest.scoreboard import scoreboard
from grader.contest.standing import entries_of, participants, score_interval
from grader.core.errors import UsageError
from grader.core.report import Interval
from grader.core.verdict import Verdict


@dataclass(frozen=True)
class Pick:
    """Filters for the submissions to rejudge; None or empty matches all."""

    problem: str | None = None
    account: str | None = None
    verdict: str | None = None
    ids: tuple[int, ...] = ()

    @property
    def is_open(self) -> bool:
        return self == Pick()


@dataclass(frozen=True)
class Difference:
    """A submission whose new judging differs from the old one: verdicts, and scores if measured."""

    submission: SubmissionRecord
    before: str | None
    after: str | None
    score_before: Interval | None
    score_after: Interval | None


@dataclass(frozen=True)
class Move:
    """A participant whose rank or points would change."""

    who: str
    rank_before: int
    rank_after: int
    points_before: float
    points_after: float


@dataclass(frozen=True)
class Preview:
    """The effect of applying a rejudge. `waiting` is how many are not judged yet; `failed` how many the judge failed
    on, which keep their old verdict."""

    total: int
    waiting: int
    failed: int
    differences: tuple[Difference, ...]
    moves: tuple[Move, ...]


def pick(database: Database, slug: str, chosen: Pick) -> list[SubmissionRecord]:
    """The judged submissions of the contest that match. Raises UsageError for unknown names and numbers."""
    settings = settings_of(database, slug)
    if chosen.problem is not None and settings.problem(chosen.problem) is None:
        names = ", ".join(problem.name for problem in settings.problems)
        raise UsageError(f"'{slug}' has no problem '{chosen.problem}'", f"its problems: {names}")
    if chosen.verdict is not None and chosen.verdict not in {verdict.value for verdict in Verdict}:
        raise UsageError(f"there is no verdict '{chosen.verdict}'", f"one of: {', '.join(v.value for v in Verdict)}")
    account = None if chosen.account is None else database.account_called(slug, chosen.account)
    found = database.submissions(
        slug,
        account_id=None if account is None else account.id,
        problem=chosen.problem,
        verdict=chosen.verdict,
        ids=chosen.ids or None,
    )
    # Submissions still being judged need no rejudge.
    found = [each for each in found if each.state == JUDGED]
    missing = set(chosen.ids) - {each.id for each in found}
    if missing:
        numbers = ", ".join(map(str, sorted(missing)[:10]))
        raise UsageError(
            f"not to be rejudged: {numbers}",
            f"these are not in '{slug}', do not fit the other options, or are not judged yet",
        )
    return found


def start(database: Database, slug: str, chosen: Pick, reason: str, *, who: str) -> int:
    """Queues the picked submissions to be judged again and returns the rejudge's number. Raises UsageError."""
    found = pick(database, slug, chosen)
    if not found:
        raise UsageError(f"no judged submission of '{slug}' fits", "pick others: kgrade contest rejudge --help")
    settings = settings_of(database, slug)
    return database.add_rejudge(slug, reason, [each.id for each in found], settings.gpu_model, who=who)


def preview(database: Database, number: int) -> Preview:
    """Computes what applying the rejudge now would change. Changes nothing."""
    slug = database.rejudge(number).contest
    settings = settings_of(database, slug)
    judgings = database.judgings(rejudge_id=number)
    submissions = database.submissions(slug)
    new = {
        judging.submission_id: judging
        for judging in judgings
        if judging.state == JUDGED and judging.verdict != Verdict.INTERNAL_ERROR
    }
    differences = [
        difference
        for each in submissions
        if (judging := new.get(each.id)) is not None and (difference := _difference(each, judging)) is not None
    ]
    accounts = database.accounts(slug)
    names = participants(settings, accounts)
    before = {row.who: row for row in scoreboard(settings, names, entries_of(settings, accounts, submissions))}
    replaced = [_with(each, new.get(each.id)) for each in submissions]
    moves = [
        Move(row.who, old.rank, row.rank, old.points.value, row.points.value)
        for row in scoreboard(settings, names, entries_of(settings, accounts, replaced))
        if (old := before[row.who]).rank != row.rank or old.points.value != row.points.value
    ]
    waiting = sum(judging.state != JUDGED for judging in judgings)
    return Preview(
        len(judgings), waiting, len(judgings) - waiting - len(new), tuple(differences), tuple(_in_order(moves))
    )


def _difference(submission: SubmissionRecord, judging: JudgingRecord) -> Difference | None:
    """The difference; None if the verdict is the same and the scores' intervals overlap."""
    before = score_interval(submission.score, submission.score_low, submission.score_high)
    after = score_interval(judging.score, judging.score_low, judging.score_high)
    same = submission.verdict == judging.verdict and (before is None) == (after is None)
    if same and (before is None or after is None or (before.low <= after.high and after.low <= before.high)):
        return None
    return Difference(submission, submission.verdict, judging.verdict, before, after)


def _with(submission: SubmissionRecord, judging: JudgingRecord | None) -> SubmissionRecord:
    if judging is None:
        return submission
    return replace(
        submission,
        verdict=judging.verdict,
        score=judging.score,
        score_low=judging.score_low,
        score_high=judging.score_high,
        language=judging.language,
        is_open=judging.is_open,
        groups=judging.groups,
    )


def _in_order(moves: Sequence[Move]) -> list[Move]:
    """Sorts moves by the change of rank, largest first."""
    return sorted(moves, key=lambda move: (-abs(move.rank_before - move.rank_after), move.rank_after, move.who))
