"""The ranking of a contest: pure functions of plain entries, used by the page, the exports and the archive.

Ranks go by points, ties (overlapping intervals) by the time of submission. The freeze goes by the time of submission
too, so a late judging can't affect it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone

from grader.boards.ranking import WIDEST
from grader.contest.partial import Part, parts_of, total
from grader.contest.settings import Settings
from grader.core.report import Interval
from grader.core.verdict import Verdict

_NEVER = datetime.max.replace(tzinfo=timezone.utc)
NOTHING = Interval(0.0, 0.0, 0.0)
Reveal = tuple[str, str]
"""A result shown in spite of the freeze: (name on the board, problem)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One submission for the scoreboard. `who` is the name on the board: the student, or the team.

    `verdict` is None until it is judged. `score` is the share of the speed of light, None if not measured.
    `extension` is the student's. `language` is None until it is judged. `failed_hidden` says that every visible case
    was right and a hidden one was not; `passed` are the groups of cases that were right.
    """

    id: int
    who: str
    problem: str
    submitted: datetime
    verdict: Verdict | None = None
    score: Interval | None = None
    extension: timedelta = timedelta(0)
    language: str | None = None
    failed_hidden: bool = False
    passed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Cell:
    """One participant's result for one problem. `entry` is the submission that counts, None if none does.

    `pending` counts unjudged submissions, `hidden` those that the freeze hides. `parts` are the points by group, where
    the problem gives partial credit.
    """

    problem: str
    points: Interval = NOTHING
    entry: Entry | None = None
    attempts: int = 0
    pending: int = 0
    hidden: int = 0
    parts: tuple[Part, ...] = ()

    @property
    def is_accepted(self) -> bool:
        return self.entry is not None and self.entry.verdict is Verdict.ACCEPTED


@dataclass(frozen=True)
class Row:
    """One participant. `reached` is when the last submission that earned points came in; `tied` says that the
    interval overlaps that of the best of its group, so that only time decides."""

    rank: int
    who: str
    points: Interval
    cells: tuple[Cell, ...]
    reached: datetime | None = None
    tied: bool = False


@dataclass(frozen=True)
class Step:
    """One step of unfreezing: what it reveals, and the participant's rank before and after."""

    reveal: Reveal
    before: int
    after: int


def scoreboard(
    settings: Settings,
    participants: Iterable[str],
    entries: Iterable[Entry],
    *,
    frozen: bool = False,
    revealed: Collection[Reveal] = (),
) -> list[Row]:
    """The board, best first. It includes participants without submissions; entries of others are ignored.

    If `frozen`, submissions after the freeze are only counted, unless they are `revealed`.
    """
    sheets = _sheets(participants, entries)
    shown = set(revealed)
    return rank([row_of(settings, who, sheets[who], frozen=frozen, revealed=shown) for who in sheets])


def unfreezing(
    settings: Settings, participants: Iterable[str], entries: Iterable[Entry], revealed: Collection[Reveal] = ()
) -> Iterator[Step]:
    """Yields the steps from the frozen board (with `revealed` shown) to the final one, from the last place up.

    Each step reveals one problem of the lowest participant with anything hidden. A participant who climbs is reached
    again on the way up, so a place is final once the steps have reached it.
    """
    sheets = _sheets(participants, entries)
    shown = set(revealed)

    def row(who: str) -> Row:
        return row_of(settings, who, sheets[who], frozen=True, revealed=shown)

    rows = rank([row(who) for who in sheets])
    while target := _next_hidden(rows):
        shown.add(target)
        before = _rank_of(rows, target[0])
        rows = rank([row(each.who) if each.who == target[0] else each for each in rows])
        yield Step(target, before, _rank_of(rows, target[0]))


def points_of(settings: Settings, entry: Entry) -> Interval:
    """The points of an entry: weight × score, or the sum of its parts, × the share left by lateness."""
    problem = settings.problem(entry.problem)
    if problem is not None and problem.credit is not None:
        return total(entry_parts(settings, entry))
    if problem is None or entry.verdict is not Verdict.ACCEPTED:
        return NOTHING
    left = problem.weight * settings.late.share(settings.late_by(entry.submitted, entry.extension))
    if not settings.is_timed:
        return Interval(left, left, left)
    if entry.score is None:
        return NOTHING
    score = _capped(entry.score)
    return Interval(left * score.value, left * score.low, left * score.high)


def entry_parts(settings: Settings, entry: Entry) -> tuple[Part, ...]:
    """The points of an entry by group; empty for a problem without partial credit."""
    problem = settings.problem(entry.problem)
    if problem is None or problem.credit is None:
        return ()
    left = settings.late.share(settings.late_by(entry.submitted, entry.extension))
    score = None if entry.score is None else _capped(entry.score)
    return parts_of(
        problem.credit, entry.verdict, score, failed_hidden=entry.failed_hidden, left=left, passed=entry.passed
    )


def _capped(score: Interval) -> Interval:
    """The score with the boards' cap on intervals: a kernel with scattered times must not tie with everybody."""
    low, high = max(score.low, score.value * (1 - WIDEST)), min(score.high, score.value * (1 + WIDEST))
    return Interval(score.value, min(low, score.value), max(high, score.value))


def _sheets(participants: Iterable[str], entries: Iterable[Entry]) -> dict[str, dict[str, list[Entry]]]:
    """The participants' entries by problem."""
    sheets: dict[str, dict[str, list[Entry]]] = {who: {} for who in participants}
    for entry in entries:
        if entry.who in sheets:
            sheets[entry.who].setdefault(entry.problem, []).append(entry)
    return sheets


def row_of(
    settings: Settings,
    who: str,
    sheet: Mapping[str, Sequence[Entry]],
    *,
    frozen: bool,
    revealed: Collection[Reveal],
) -> Row:
    """One participant's row, without a rank."""
    cells = tuple(
        _cell(settings, p.name, sheet.get(p.name, ()), frozen=frozen and (who, p.name) not in revealed)
        for p in settings.problems
    )
    scored = [cell.entry.submitted for cell in cells if cell.entry is not None and cell.points.value > 0]
    return Row(0, who, _sum([cell.points for cell in cells]), cells, max(scored, default=None))


def _cell(settings: Settings, problem: str, entries: Iterable[Entry], *, frozen: bool) -> Cell:
    counted = sorted(
        # A failure of the judge costs nothing, not even an attempt.
        (
            e
            for e in entries
            if settings.counts_at(e.submitted, e.extension) and e.verdict is not Verdict.INTERNAL_ERROR
        ),
        key=lambda entry: (entry.submitted, entry.id),
    )
    hidden = [entry for entry in counted if frozen and settings.is_frozen_at(entry.submitted)]
    shown = counted[: len(counted) - len(hidden)]
    judged = [entry for entry in shown if entry.verdict is not None]
    cell = Cell(problem, attempts=len(counted), pending=len(shown) - len(judged), hidden=len(hidden))
    if not judged:
        return cell
    if settings.counts == "last":
        chosen = judged[-1]
    else:
        # Of equal points the earliest counts: max() keeps the first. Accepted without points beats not accepted.
        chosen = max(judged, key=lambda entry: (points_of(settings, entry).value, entry.verdict is Verdict.ACCEPTED))
    return replace(cell, points=points_of(settings, chosen), entry=chosen, parts=entry_parts(settings, chosen))


def _sum(points: Sequence[Interval]) -> Interval:
    """The sum, with bounds that hold whatever the correlation of the errors."""
    return Interval(sum(p.value for p in points), sum(p.low for p in points), sum(p.high for p in points))


def rank(rows: Sequence[Row]) -> list[Row]:
    """Returns the rows with their ranks, best first.

    A group is the best row and those whose intervals overlap its interval; within a group the earlier ranks higher.
    Only the group's best row counts for overlap, as on the problems' boards: a chain of neighbours would make one group
    of the whole class. Rows of one group reached at the same moment share a rank.
    """
    ordered = sorted(rows, key=lambda row: (-row.points.value, row.who))
    groups: list[list[Row]] = []
    for row in ordered:
        if (
            not groups
            or row.points.high < groups[-1][0].points.low
            or row.points.value <= 0 < groups[-1][0].points.value
        ):
            groups.append([])
        groups[-1].append(row)
    found: list[Row] = []
    for group in groups:
        tied = len(group) > 1 and group[0].points.value > 0
        in_time = sorted(group, key=lambda row: (row.reached or _NEVER, -row.points.value, row.who))
        for before, row in zip([None, *in_time], in_time, strict=False):
            shares = before is not None and before.reached == row.reached
            found.append(replace(row, rank=found[-1].rank if shares else len(found) + 1, tied=tied))
    return found


def _next_hidden(rows: Sequence[Row]) -> Reveal | None:
    for row in reversed(rows):
        for cell in row.cells:
            if cell.hidden:
                return row.who, cell.problem
    return None


def _rank_of(rows: Sequence[Row], who: str) -> int:
    return next(row.rank for row in rows if row.who == who)
