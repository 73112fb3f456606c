"""Partial credit: the points of a submission by groups of cases and by thresholds of its score.

Pure functions; `scoreboard` decides which submission counts, `settings` reads a problem's Credit from contest.toml.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from grader.contest.groups import Group
from grader.core.report import Interval
from grader.core.verdict import Verdict

VISIBLE, HIDDEN, SPEED = "visible", "hidden", "speed"
WORDS: Mapping[str, str] = {VISIBLE: "visible cases", HIDDEN: "hidden cases", SPEED: "speed"}
NOTHING = Interval(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Threshold:
    """So many points for a score, 0 to 1, of at least `score`."""

    score: float
    points: float


@dataclass(frozen=True)
class Credit:
    """What a problem gives points for.

    `visible` are for the cases that students are shown, `hidden` for all others. Each of the `groups` has hidden cases
    of its own. Of the thresholds of `speed` each that is reached adds its points.
    """

    visible: float = 0.0
    hidden: float = 0.0
    speed: tuple[Threshold, ...] = ()
    groups: tuple[Group, ...] = ()

    @property
    def most(self) -> float:
        """The points of a submission that has everything."""
        return (
            self.visible
            + self.hidden
            + sum(each.points for each in self.groups)
            + sum(each.points for each in self.speed)
        )


@dataclass(frozen=True)
class Part:
    """The points in one group, of at most `most`."""

    group: str
    points: Interval
    most: float

    @property
    def words(self) -> str:
        """The group's name on pages."""
        return WORDS.get(self.group, self.group)


def parts_of(
    credit: Credit,
    verdict: Verdict | None,
    score: Interval | None,
    *,
    failed_hidden: bool = False,
    left: float = 1.0,
    passed: Collection[str] = (),
) -> tuple[Part, ...]:
    """The points in each group that the problem has.

    `failed_hidden` says that every visible case was right and a hidden one was not, `passed` which of the problem's own
    groups were right. `left` is the share that lateness leaves. The bounds of the speed's points are those of the
    score's bounds: near a threshold they differ.
    """
    accepted = verdict is Verdict.ACCEPTED
    groups = (
        (VISIBLE, credit.visible, accepted or failed_hidden),
        (HIDDEN, credit.hidden, accepted),
        *((each.name, each.points, each.name in passed) for each in credit.groups),
    )
    found = [
        Part(group, Interval(points * left, points * left, points * left) if right else NOTHING, points)
        for group, points, right in groups
        if points
    ]
    if credit.speed:
        reached = NOTHING
        if accepted and score is not None:
            reached = Interval(*(left * _reached(credit, each) for each in (score.value, score.low, score.high)))
        found.append(Part(SPEED, reached, sum(each.points for each in credit.speed)))
    return tuple(found)


def total(parts: tuple[Part, ...]) -> Interval:
    """The points of all groups together."""
    return Interval(
        sum(part.points.value for part in parts),
        sum(part.points.low for part in parts),
        sum(part.points.high for part in parts),
    )


def _reached(credit: Credit, score: float) -> float:
    return sum(each.points for each in credit.speed if score >= each.score)
