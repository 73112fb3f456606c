"""Runs all checks on one kernel: advice ranked by its gain, and praise for what is good."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from grader.coach.advice import Advice, Subject
from grader.coach.checks import CHECKS
from grader.model.change import together

LEAST_SHARE = 0.02
"""Advice that gains less than this fraction of the cycles of all counted work is left out."""


@dataclass(frozen=True)
class Review:
    """The result of all checks: advice, largest gain first, and sentences about what is good."""

    advice: tuple[Advice, ...]
    good: tuple[str, ...]


def review(subject: Subject) -> Review:
    """Returns the advice of every check, and the praise of checks without advice."""
    found: list[Advice] = []
    good: list[str] = []
    for check, praise in CHECKS:
        own = [_weighed(one, subject) for one in _joined(list(check(subject)))]
        own = [one for one in own if one.share is None or one.share >= LEAST_SHARE]
        found += own
        if not own and (words := praise(subject)):
            good.append(words)
    return Review(tuple(sorted(found, key=lambda one: (one.gain is None, -(one.gain or 0)))), tuple(good))


def _joined(found: Sequence[Advice]) -> Iterator[Advice]:
    """Merges advice that is the same for several lines."""
    same: dict[tuple[str, str], list[Advice]] = {}
    for one in found:
        same.setdefault((one.message, one.remedy), []).append(one)
    for group in same.values():
        first, *others = group
        if not others:
            yield first
            continue
        lines = ", ".join(str(one.line) for one in others)
        message = f"{first.message}; the same in line {lines}"
        gain = None if first.gain is None else sum(one.gain or 0.0 for one in group)
        changes = [one.change for one in group if one.change is not None]
        yield replace(first, message=message, gain=gain, change=together(changes) if changes else None)


def _weighed(one: Advice, subject: Subject) -> Advice:
    if one.gain is None or not subject.cycles:
        return one
    return replace(one, share=one.gain / subject.cycles)
