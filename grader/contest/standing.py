"""Builds a contest's scoreboard from the database: who takes part, what counts, and what the freeze still hides.

`scoreboard` does the ranking; the server decides who sees which board.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import select

from grader.contest.anonymity import nameless
from grader.contest.database import Database
from grader.contest.definitions import settings_of
from grader.contest.groups import kept_groups
from grader.contest.hidden import FAILS_HIDDEN
from grader.contest.partial import parts_of
from grader.contest.records import STUDENT, AccountRecord, SubmissionRecord
from grader.contest.schema import Audit
from grader.contest.scoreboard import NOTHING, Cell, Entry, Reveal, Row, Step, row_of, scoreboard, unfreezing
from grader.contest.settings import ANONYMOUS, Settings
from grader.core.report import Interval
from grader.core.verdict import Verdict

REVEALED, UNFROZEN, FROZEN_AGAIN = "result revealed", "scoreboard unfrozen", "scoreboard frozen again"
"""Names of the unfreezing steps in the log of changes, which stores the state of the freeze."""


@dataclass(frozen=True)
class Freeze:
    """How far a scoreboard is unfrozen: the results revealed so far, or everything."""

    revealed: tuple[Reveal, ...] = ()
    lifted: bool = False


@dataclass(frozen=True)
class Standing:
    """A contest's scoreboard at one moment. `frozen` says that it hides results."""

    settings: Settings
    rows: Sequence[Row]
    frozen: bool


def standing(database: Database, slug: str, *, now: datetime | None = None, everything: bool = False) -> Standing:
    """The public scoreboard, or with `everything` the one for staff.

    From the freeze on, results submitted since then are hidden until they are revealed.
    """
    settings = settings_of(database, slug)
    accounts = database.accounts(slug)
    entries = entries_of(settings, accounts, database.submissions(slug))
    freeze = freeze_of(database, slug)
    frozen = not everything and not freeze.lifted and settings.is_frozen_at(now or database.now())
    rows = scoreboard(settings, participants(settings, accounts), entries, frozen=frozen, revealed=freeze.revealed)
    return Standing(settings, rows, frozen and any(cell.hidden for row in rows for cell in row.cells))


@dataclass(frozen=True)
class Results:
    """What exports tell: the whole board, then the disqualified without rank and points.

    `emails` are by the name on the board, separated by blanks for a team; `reasons` say why somebody is disqualified.
    """

    settings: Settings
    rows: Sequence[Row]
    emails: Mapping[str, str]
    reasons: Mapping[str, str]


def results(database: Database, slug: str) -> Results:
    """Everybody's results, with everything that a freeze hides, and with the disqualified."""
    found = standing(database, slug, everything=True)
    settings, accounts = found.settings, database.accounts(slug)
    counting = [each for each in accounts if each.disqualified is None]
    rows, addresses, reasons = [*found.rows], emails(settings, counting), {}
    for account in accounts:
        if account.role != STUDENT or account.disqualified is None:
            continue
        who = account.name if not settings.teams else f"{account.name} ({account.team or 'no team'})"
        own = [each for each in database.submissions(slug, account_id=account.id) if each.disqualified is None]
        kept = replace(account, disqualified=None)
        entries = entries_of(settings, [kept], [replace(each, account_disqualified=None) for each in own])
        sheet = {p.name: [each for each in entries if each.problem == p.name] for p in settings.problems}
        row = row_of(settings, who, sheet, frozen=False, revealed=())
        cells = tuple(replace(cell, points=NOTHING) for cell in row.cells)
        rows.append(replace(row, points=NOTHING, cells=cells, reached=None))
        addresses[who], reasons[who] = account.email, account.disqualified
    return Results(settings, rows, addresses, reasons)


def results_for_students(database: Database, slug: str) -> Results:
    """What students may see of the results: without addresses and what is frozen, and without names if those are
    hidden."""
    found = standing(database, slug)
    hidden = found.settings.scoreboard == ANONYMOUS
    return Results(found.settings, tuple(nameless(found.rows).values()) if hidden else found.rows, {}, {})


def participants(settings: Settings, accounts: Iterable[AccountRecord]) -> list[str]:
    """The names on the board: students or their teams, without disqualified accounts and without staff."""
    students = (account for account in accounts if account.role == STUDENT and account.disqualified is None)
    return list(dict.fromkeys(board_name(settings, account.name, account.team) for account in students))


def board_name(settings: Settings, account: str, team: str | None) -> str:
    if not settings.teams:
        return account
    # An account without a team may have the name of a team.
    return team if team is not None else f"{account} (no team)"


def entries_of(
    settings: Settings, accounts: Iterable[AccountRecord], submissions: Iterable[SubmissionRecord]
) -> list[Entry]:
    """The submissions that may count, as entries of the scoreboard."""
    extensions = {account.id: timedelta(seconds=account.extension_seconds) for account in accounts}
    return [
        Entry(
            each.id,
            board_name(settings, each.account, each.team),
            each.problem,
            each.submitted,
            None if each.verdict is None else Verdict(each.verdict),
            score_interval(each.score, each.score_low, each.score_high),
            extensions.get(each.account_id, timedelta(0)),
            each.language,
            failed_hidden(settings, each.verdict, is_open=each.is_open),
            kept_groups(each.groups),
        )
        for each in submissions
        if each.role == STUDENT and each.disqualified is None and each.account_disqualified is None
    ]


def own_cells(
    settings: Settings,
    account: AccountRecord,
    accounts: Iterable[AccountRecord],
    submissions: Iterable[SubmissionRecord],
) -> dict[str, Cell]:
    """The account's result for each problem, from its own and its team's submissions, with nothing frozen.

    `accounts` are those that sent them. Where nothing was submitted for partial credit, a cell has the parts that can
    be had.
    """
    sheet: dict[str, list[Entry]] = {}
    for entry in entries_of(settings, accounts, submissions):
        sheet.setdefault(entry.problem, []).append(entry)
    who = board_name(settings, account.name, account.team)
    cells = row_of(settings, who, sheet, frozen=False, revealed=()).cells
    return {
        cell.problem: replace(cell, parts=cell.parts or parts_of(problem.credit, None, None))
        if problem.credit is not None
        else cell
        for problem, cell in zip(settings.problems, cells, strict=True)
    }


def failed_hidden(settings: Settings, verdict: str | None, *, is_open: bool) -> bool:
    """Whether a judging found every visible case right and a hidden one not.

    Every failure in a hidden case is stored as the same verdict, of a report that is not open.
    """
    return bool(settings.hidden_seeds) and verdict == FAILS_HIDDEN.value and not is_open


def score_interval(score: float | None, low: float | None, high: float | None) -> Interval | None:
    """The interval of a score in the database; just the score if it has no bounds, None without a score."""
    if score is None:
        return None
    return Interval(score, score if low is None else low, score if high is None else high)


def emails(settings: Settings, accounts: Iterable[AccountRecord]) -> dict[str, str]:
    """The e-mail addresses of each participant, separated by blanks for a team."""
    found: dict[str, str] = {}
    for account in accounts:
        name = board_name(settings, account.name, account.team)
        found[name] = f"{found[name]} {account.email}" if name in found else account.email
    return found


def freeze_of(database: Database, slug: str) -> Freeze:
    """Reads from the log how far the scoreboard is unfrozen."""
    query = select(Audit.what, Audit.detail).where(
        Audit.contest == slug, Audit.what.in_((REVEALED, UNFROZEN, FROZEN_AGAIN))
    )
    revealed: list[Reveal] = []
    lifted = False
    with database.reading() as connection:
        for what, detail in connection.execute(query.order_by(Audit.id)):
            if what == FROZEN_AGAIN:
                revealed, lifted = [], False
            elif what == UNFROZEN:
                lifted = True
            else:
                data: Mapping[str, str] = json.loads(detail)
                revealed.append((data["name"], data["problem"]))
    return Freeze(tuple(revealed), lifted)


def reveal_next(database: Database, slug: str, *, who: str) -> Step | None:
    """Reveals the next result to everybody, from the last place up; None if nothing is hidden any more."""
    settings = settings_of(database, slug)
    accounts = database.accounts(slug)
    entries = entries_of(settings, accounts, database.submissions(slug))
    freeze = freeze_of(database, slug)
    if freeze.lifted:
        return None
    step = next(iter(unfreezing(settings, participants(settings, accounts), entries, freeze.revealed)), None)
    if step is not None:
        name, problem = step.reveal
        database.audit(who, REVEALED, slug, {"name": name, "problem": problem})
    return step


def unfreeze(database: Database, slug: str, *, who: str) -> None:
    """Shows everything to everybody at once."""
    settings_of(database, slug)
    database.audit(who, UNFROZEN, slug)


def freeze_again(database: Database, slug: str, *, who: str) -> None:
    """Restores the freeze, so that the unfreezing can be shown again."""
    settings_of(database, slug)
    database.audit(who, FROZEN_AGAIN, slug)
