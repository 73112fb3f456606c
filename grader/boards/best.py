"""The best entries of a problem on one GPU model, with their measurements, which a roofline shows beside an entry.

It reads the store; `ranking` decides who is best.
"""

from __future__ import annotations

from collections.abc import Iterable

from grader.boards.ranking import Row, rank, score_of
from grader.boards.roofline import MOST_OTHERS
from grader.boards.words import name
from grader.core.report import Measurement
from grader.store.database import Store
from grader.store.entry import Summary

Named = tuple[str, Measurement]


def best_numbers(rows: Iterable[Row], entry: Summary) -> tuple[int, ...]:
    """The numbers of the best submissions by other users on the entry's GPU model, best first.

    Empty for an entry without a measured score.
    """
    if score_of(entry) is None or entry.score is None:
        return ()
    ranked = [row.entry for row in rows if row.rank is not None and row.entry.device == entry.device]
    return tuple(other.id for other in ranked if other.user != entry.user)[:MOST_OTHERS]


def list_measured(store: Store, numbers: Iterable[int]) -> list[Named]:
    """Users' names and measurements of these submissions; those without a measurement are left out."""
    entries = [store.get(number) for number in numbers]
    return [(name(entry.user), entry.report.measurement) for entry in entries if entry.report.measurement is not None]


def best_beside(store: Store, number: int) -> list[Named]:
    """The names and measurements to show beside the recorded submission `number`."""
    entry = store.get(number)
    return list_measured(store, best_numbers(rank(store.summaries(entry.problem)), entry))
