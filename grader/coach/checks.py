"""The table of the coach's checks, each with the praise that it gives if it finds nothing.

To add one, write a function from a Subject to Advice and add a row.
"""

from __future__ import annotations

from collections.abc import Callable

from grader.coach.advice import Check, Subject
from grader.coach.control import divergence, occupancy, partial_warps
from grader.coach.global_memory import reuse, uncoalesced, wide_loads
from grader.coach.shared_memory import bank_conflicts, contention, side_by_side

Praise = Callable[[Subject], str]


def _coalesced(subject: Subject) -> str:
    totals = subject.totals
    if not totals.requests:
        return ""
    return (
        f"coalescing: {totals.sectors:,} sectors of global memory in {totals.requests:,} requests, "
        f"{totals.ideal_sectors:,} at least"
    )


def _reused(subject: Subject) -> str:
    if not any(array.load_sectors for array in subject.arrays):
        return ""
    return "reuse: no block fetches the same part of an array from global memory again and again"


def _wide(subject: Subject) -> str:
    return "width: no loads that could be 16 bytes wide would save much" if subject.totals.requests else ""


def _banked(subject: Subject) -> str:
    totals = subject.totals
    if not totals.shared_requests:
        return ""
    more = totals.wavefronts - totals.ideal_wavefronts
    return (
        f"banks: {totals.wavefronts:,} wavefronts of shared memory in {totals.shared_requests:,} requests, "
        f"{more:,} of them for conflicts"
    )


def _uncontended(subject: Subject) -> str:
    return "atomics: lanes of one warp rarely update one address" if subject.totals.turns else ""


def _together(subject: Subject) -> str:
    totals = subject.totals
    split = f"{totals.divergent:,} of {totals.branches:,} branches split a warp"
    return f"divergence: {split}; an instruction has {totals.lanes:.1f} lanes at work"


def _nothing(subject: Subject) -> str:
    return ""


def _occupied(subject: Subject) -> str:
    found = subject.resources
    return "" if found is None else f"occupancy: {found.occupancy:.0%} of the warps that an SM of {found.target} holds"


CHECKS: tuple[tuple[Check, Praise], ...] = (
    (uncoalesced, _coalesced),
    (reuse, _reused),
    (wide_loads, _wide),
    (bank_conflicts, _banked),
    (side_by_side, _nothing),
    (contention, _uncontended),
    (divergence, _together),
    (partial_warps, _nothing),
    (occupancy, _occupied),
)
