"""What failing sizes have in common: "fails whenever M is not a multiple of 16".

A list of candidate sentences, simplest first, is held against every run that was made; the first that is
true of all failures and of no success is the answer. Where none separates them, nothing is said.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from math import prod

LEAST_EACH = 2
"""Distinct sizes that must have failed, and passed: one of either fits almost any sentence."""
LEAST_TOTAL = 6
DIVISORS = (16, 32, 8, 4, 64, 128, 256, 2)
"""Tried in this order: 16 and 32 are a tile's and a warp's width, so they are named before their divisors."""
POWERS = tuple(2**k for k in range(32))


@dataclass(frozen=True)
class Observation:
    """One run: its sizes, its family of inputs, and whether it failed."""

    sizes: Mapping[str, int]
    failed: bool
    family: str = ""


@dataclass(frozen=True)
class Candidate:
    """A sentence that may tell failures from successes, and the test that it stands for."""

    text: str
    holds: Callable[[Observation], bool] = field(compare=False)


def find_pattern(observations: Sequence[Observation], constants: Mapping[str, int] | None = None) -> str:
    """One sentence on when it fails, or "" where the runs do not single one out.

    `constants` are the launch constants, such as TILE: a divisor that is one of them is called by its name.
    """
    if not observations:
        return ""
    count = len({_key(o) for o in observations})
    failed = {_key(o) for o in observations if o.failed}
    passed = {_key(o) for o in observations if not o.failed}
    if not passed:
        return f"fails on all {count} sizes tried" if count >= LEAST_EACH else ""
    if len(failed) < LEAST_EACH or len(passed) < LEAST_EACH or len(failed | passed) < LEAST_TOTAL:
        return ""
    for candidate in candidates(observations, constants or {}):
        if all(candidate.holds(o) == o.failed for o in observations):
            return f"fails whenever {candidate.text} (in all {count} sizes tried)"
    return ""


def _key(observation: Observation) -> tuple[int, ...]:
    return tuple(observation.sizes[name] for name in sorted(observation.sizes))


def candidates(observations: Sequence[Observation], constants: Mapping[str, int]) -> Iterator[Candidate]:
    """Every sentence that is tried, the simplest first."""
    names = tuple(observations[0].sizes)
    divisors = _divisors(constants)
    groups = [group for count in range(2, len(names) + 1) for group in combinations(names, count)]
    for name in names:
        yield from _thresholds((name,), observations)
    for divisor, called in divisors:
        for name in names:
            yield _indivisible((name,), divisor, called)
    for divisor, called in divisors:
        for name in names:
            yield _divisible(name, divisor, called)
    comparisons = list(_comparisons(names))
    yield from comparisons
    for group in groups:
        for divisor, called in divisors:
            yield _indivisible(group, divisor, called)
        for limit in (1, *constants.values(), *POWERS[1:14]):
            yield _any_above(group, limit)
            yield _all_above(group, limit)
    for divisor, called in divisors[: len(constants)]:
        yield from _unequal_tiles(names, divisor, called)
    for comparison in comparisons:
        for name in names:
            yield _both(comparison, _any_above((name,), 1))
    for group in groups:
        yield from _thresholds(group, observations)
    for family in sorted({o.family for o in observations if o.family}):
        yield _of_family(family)


def _divisors(constants: Mapping[str, int]) -> list[tuple[int, str]]:
    """Divisors and what they are called; those that are launch constants first."""
    named = [(value, f"{name} ({value})") for name, value in constants.items() if value > 1]
    known = {value for value, _ in named}
    return named + [(divisor, str(divisor)) for divisor in DIVISORS if divisor not in known]


def _thresholds(names: Sequence[str], observations: Sequence[Observation]) -> Iterator[Candidate]:
    """A limit on a size or a product of sizes, between what passed and what failed.

    Where a gap is left between the two, and no power of two in it, both are named.
    """
    label = " × ".join(names)

    def value(observation: Observation) -> int:
        return prod(observation.sizes[name] for name in names)

    failed = [value(o) for o in observations if o.failed]
    passed = [value(o) for o in observations if not o.failed]
    most, least = max(passed), min(failed)
    if most < least:
        text = _between(label, ">", most, least - 1, f"{label} is {least} or more, and passes up to {most}")
        yield Candidate(text, lambda o: value(o) >= least)
    upper, lower = max(failed), min(passed)
    if upper < lower:
        text = _between(label, "<", upper + 1, lower, f"{label} is {upper} or less, and passes from {lower} on")
        yield Candidate(text, lambda o: value(o) <= upper)


def _between(label: str, sign: str, first: int, last: int, otherwise: str) -> str:
    """The comparison with the one limit that fits, or with a power of two among those that fit."""
    if first == last:
        return f"{label} {sign} {first}"
    for power in POWERS:
        if first <= power <= last:
            return f"{label} {sign} {power}"
    return otherwise


def _indivisible(names: Sequence[str], divisor: int, called: str) -> Candidate:
    return Candidate(
        f"{_listed(names, 'or')} is not a multiple of {called}",
        lambda o: any(o.sizes[name] % divisor for name in names),
    )


def _divisible(name: str, divisor: int, called: str) -> Candidate:
    return Candidate(f"{name} is a multiple of {called}", lambda o: o.sizes[name] % divisor == 0)


def _any_above(names: Sequence[str], limit: int) -> Candidate:
    text = f"{_listed(names, 'or')} > {limit}"
    return Candidate(text, lambda o: any(o.sizes[name] > limit for name in names))


def _all_above(names: Sequence[str], limit: int) -> Candidate:
    text = f"{_listed(names, 'and')} are {'both' if len(names) == 2 else 'all'} > {limit}"
    return Candidate(text, lambda o: all(o.sizes[name] > limit for name in names))


COMPARISONS = {"!=": operator.ne, "=": operator.eq, ">": operator.gt, "<": operator.lt}


def _comparisons(names: Sequence[str]) -> Iterator[Candidate]:
    for sign in COMPARISONS:
        for a, b in combinations(names, 2):
            yield _compared(a, sign, b)
    if len(names) > 2:
        text = f"{_listed(names, 'and')} are not all equal"
        yield Candidate(text, lambda o: len({o.sizes[n] for n in names}) > 1)


def _compared(a: str, sign: str, b: str) -> Candidate:
    return Candidate(f"{a} {sign} {b}", lambda o: bool(COMPARISONS[sign](o.sizes[a], o.sizes[b])))


def _unequal_tiles(names: Sequence[str], divisor: int, called: str) -> Iterator[Candidate]:
    """A grid with its two dimensions swapped covers everything if both have the same number of blocks."""
    for a, b in combinations(names, 2):
        text = f"{a} / {called} and {b} / {called}, rounded up, differ"
        yield Candidate(text, partial(_tiles_differ, a, b, divisor))


def _tiles_differ(a: str, b: str, divisor: int, observation: Observation) -> bool:
    return -(-observation.sizes[a] // divisor) != -(-observation.sizes[b] // divisor)


def _both(one: Candidate, other: Candidate) -> Candidate:
    return Candidate(f"{one.text} and {other.text}", lambda o: one.holds(o) and other.holds(o))


def _of_family(family: str) -> Candidate:
    return Candidate(f'the inputs are of the family "{family}", whatever the sizes', lambda o: o.family == family)


def _listed(names: Sequence[str], word: str) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
