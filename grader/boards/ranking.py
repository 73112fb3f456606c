"""Ranks the entries of a problem's board: pure functions of submissions.

Ranks compare scores within one device model; entries whose scores can't be distinguished share a rank. The emulator's
own time means nothing: its accepted entries are ranked by model time, on boards of their own, or listed without a rank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isfinite

from grader.boards.words import BY_MODEL, model_board
from grader.core.report import EMULATOR, Interval
from grader.core.verdict import LanguageName, Verdict
from grader.measure.score import shared_ranks
from grader.store.entry import Summary

WIDEST = 0.01
"""Intervals are capped at this share of the score. Timing reaches 0.3 % for a time of 10 µs and 1 % for one of 2 µs;
without the cap, a kernel with scattered times would overlap with everybody and share the first rank."""


@dataclass(frozen=True)
class Row:
    """One user's best entry on one board. `rank` is None if it is accepted but not ranked; then `board` is empty.

    `attempts` counts the user's submissions to the problem up to this one, whatever their verdicts.
    """

    rank: int | None
    entry: Summary
    attempts: int
    board: str = ""

    @property
    def is_measured(self) -> bool:
        return self.entry.device != EMULATOR

    @property
    def score(self) -> float | None:
        """What it is ranked by, of a GPU's times or of model times."""
        return score_of(self.entry)

    @property
    def time(self) -> Interval | None:
        """The measured time, or the model's for what no GPU has run."""
        return self.entry.time if self.is_measured else self.entry.model_time


@dataclass(frozen=True)
class Step:
    """A moment at which a user's best score improved."""

    submitted: datetime
    score: float


def rank(entries: Iterable[Summary], language: LanguageName | None = None) -> list[Row]:
    """One problem's boards: device models by name, best score first, those of model times after them; then unranked
    entries, earliest first.

    A user has one row per board with a score, or else one row for the earliest accepted entry. Entries share the
    rank of the best one of their group if the intervals overlap, and as many ranks after them are skipped. With
    `language`, only entries in it are ranked: a user's row is then for the best one in that language.
    """
    ordered = sorted(entries, key=_age)
    board_of = boards_of(ordered)
    accepted = [entry for entry in ordered if entry.verdict is Verdict.ACCEPTED and language in (None, entry.language)]
    best: dict[tuple[str, str], Summary] = {}
    unranked: dict[str, Summary] = {}
    for entry in accepted:
        score = score_of(entry)
        if score is None:
            unranked.setdefault(entry.user, entry)
            continue
        leader = best.get((board_of(entry), entry.user))
        if leader is None or score > (score_of(leader) or 0.0):
            best[board_of(entry), entry.user] = entry
    ranked_users = {user for _, user in best}
    attempts = _attempts(ordered)
    rows = [
        Row(place, entry, attempts[entry.id], board)
        for board in sorted({board for board, _ in best}, key=lambda board: (board.startswith(BY_MODEL), board))
        for place, entry in _places([entry for (own, _), entry in best.items() if own == board])
    ]
    rows += [Row(None, entry, attempts[entry.id]) for entry in unranked.values() if entry.user not in ranked_users]
    return rows


def by_board(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The ranked rows of each board, in the order of the boards."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.rank is not None:
            found.setdefault(row.board, []).append(row)
    return found


def score_of(entry: Summary) -> float | None:
    """The score that an entry is ranked by, larger is better; None if it is not ranked."""
    score = entry.model_score if entry.device == EMULATOR else entry.score
    return score if score is not None and isfinite(score) else None


def boards_of(entries: Iterable[Summary]) -> Callable[[Summary], str]:
    """Names the board of each of these entries that has a score: its device model, or that of its model times.

    Model times of different revisions can't be compared: all but those of the latest entry have boards apart.
    """
    latest: dict[str, str] = {}
    for entry in sorted(entries, key=_age):
        if entry.device == EMULATOR and entry.model_score is not None:
            latest[entry.model_gpu or ""] = entry.model_revision or ""

    def board(entry: Summary) -> str:
        if entry.device != EMULATOR:
            return entry.device
        name = model_board(entry.model_gpu or "")
        earlier = entry.model_revision != latest.get(entry.model_gpu or "")
        return f"{name}, by an earlier model ({entry.model_revision})" if earlier else name

    return board


def progress(entries: Iterable[Summary]) -> dict[str, dict[str, list[Step]]]:
    """The improvements of each user's best score: board → user → steps, oldest first."""
    steps: dict[str, dict[str, list[Step]]] = {}
    ordered = sorted(entries, key=_age)
    board_of = boards_of(ordered)
    for entry in ordered:
        score = score_of(entry)
        if score is None or entry.verdict is not Verdict.ACCEPTED:
            continue
        own = steps.setdefault(board_of(entry), {}).setdefault(entry.user, [])
        if not own or score > own[-1].score:
            own.append(Step(entry.submitted, score))
    return steps


def accepted_users(entries: Iterable[Summary]) -> int:
    """Number of users with an accepted entry."""
    return len({entry.user for entry in entries if entry.verdict is Verdict.ACCEPTED})


def _interval(entry: Summary) -> Interval:
    """The interval of an entry's score for ranking, capped; just the score if no interval was measured."""
    score = score_of(entry) or 0.0
    # A model's times have no noise: who is faster by the model ranks higher.
    low = score if entry.score_low is None else entry.score_low
    high = score if entry.score_high is None else entry.score_high
    return Interval(score, max(low, score * (1 - WIDEST)), min(high, score * (1 + WIDEST)))


def _places(entries: Sequence[Summary]) -> list[tuple[int, Summary]]:
    """Entries of one board with their ranks, by score, then by age."""
    ordered = sorted(entries, key=lambda entry: (-(score_of(entry) or 0.0), *_age(entry)))
    return list(zip(shared_ranks([_interval(entry) for entry in ordered]), ordered, strict=True))


def _attempts(ordered: Sequence[Summary]) -> dict[int, int]:
    """Returns, by an entry's number, which attempt of its user it was."""
    made: Counter[str] = Counter()
    attempts = {}
    for entry in ordered:
        made[entry.user] += 1
        attempts[entry.id] = made[entry.user]
    return attempts


def _age(entry: Summary) -> tuple[datetime, int]:
    return entry.submitted, entry.id
