"""Draws the sizes of cases so that edges are hit, and checks sizes that a person gives.

A plain uniform draw over the ranges would miss most boundary errors; each case follows one strategy of the
table below instead. Inputs and seeds of the cases are not made here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from grader.choices import Choices
from grader.definition import Problem
from grader.errors import UsageError

Sizes = dict[str, int]

EDGES = (16, 32, 64, 128, 256)
SMALL_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
LARGE_PRIMES = (41, 47, 53, 61, 67, 79, 97, 101, 127, 131, 193, 257, 263)
LINE = (257, 6000)
"""How long the long dimension is where the others are 1."""


@dataclass(frozen=True)
class Budget:
    """What one case may cost on the emulator: floating-point operations, and bytes of all arrays together.

    The default takes a few tenths of a second at 30 million warp instructions a second. Its bytes hold three
    vectors of 600,000 elements: well past the 1024 × 256 threads where grid-stride loops start to loop.
    """

    flops: int = 20_000_000
    bytes: int = 8_000_000

    def allows(self, problem: Problem, sizes: Mapping[str, int]) -> bool:
        return problem.array_bytes(sizes) <= self.bytes and problem.cost_of(sizes).flops <= self.flops


def draw_sizes(problem: Problem, seed: int, count: int, budget: Budget | None = None) -> list[Sizes]:
    """The sizes of `count` cases, small to large; the same for the same seed.

    At least half of them have no size divisible by 16. A problem's smallest sizes are drawn whatever they
    cost; others only within the budget. Sizes repeat where the ranges hold too few different ones.
    """
    draw = _Draw(problem, random.Random(seed), budget or Budget())
    strategies = [STRATEGIES[i % len(STRATEGIES)] for i in range(count)]
    drawn: list[Sizes] = []
    for strategy in strategies:
        sizes = draw.next(strategy)
        for _ in range(20):
            if sizes not in drawn:
                break
            sizes = draw.next(strategy)
        drawn.append(sizes)
    needed = (count + 1) // 2
    for i in range(count - 1, -1, -1):
        # Narrow ranges or a tight budget can bend a strategy's sizes onto multiples of 16.
        if sum(off_sixteen({name: sizes[name] for name in draw.names}) for sizes in drawn) >= needed:
            break
        drawn[i] = draw.bent(drawn[i])
    return sorted(drawn, key=lambda sizes: (problem.array_bytes(sizes), tuple(sizes.values())))


def check_sizes(problem: Problem, sizes: Mapping[str, int]) -> None:
    """Raises UsageError, in words, where sizes are missing, unknown or out of their range."""
    example = ",".join(
        f"{name}={s.low if s.index_of else min(max(17, s.low), s.high)}" for name, s in problem.sizes.items()
    )
    hint = f"for example: --case {example}"
    for name in sizes:
        if name not in problem.sizes:
            raise UsageError(f"{problem.name} has no size {name!r}; it has {', '.join(problem.sizes)}", hint)
    for name, size in problem.sizes.items():
        if name not in sizes:
            raise UsageError(f"size {name} is missing; {problem.name} needs {', '.join(problem.sizes)}", hint)
        value = sizes[name]
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"size {name} is {value!r}; a whole number is needed", hint)
        if not size.low <= value <= size.high:
            raise UsageError(f"size {name}={value} is out of range; it goes from {size.low} to {size.high}", hint)
    for name, size in problem.sizes.items():
        if size.index_of and sizes[name] >= sizes[size.index_of]:
            raise UsageError(f"size {name}={sizes[name]} has to be less than {size.index_of}", hint)
        if size.product_of and sizes[name] > 1 and sizes[size.product_of] <= size.less:
            raise UsageError(f"size {name}={sizes[name]} has to be 1 where {size.product_of} is {size.less}", hint)


def fit_together(problem: Problem, sizes: Mapping[str, int]) -> bool:
    """Whether every index is below the choice that it is an index of, and a product of no lengths is 1."""
    try:
        check_sizes(problem, sizes)
    except UsageError:
        return False
    return True


def off_sixteen(sizes: Mapping[str, int]) -> bool:
    return all(value % 16 for value in sizes.values())


class _Draw:
    """What strategies draw with: a problem's ranges, its budget and a random generator."""

    def __init__(self, problem: Problem, rng: random.Random, budget: Budget) -> None:
        self.problem = problem
        self.rng = rng
        self.budget = budget
        self.names = tuple(name for name, size in problem.sizes.items() if not size.is_choice)
        self._choices = Choices(problem.sizes, rng)
        self._chosen: Sizes = {}
        self._lines = 0

    def next(self, strategy: Callable[[_Draw], Sizes]) -> Sizes:
        """Sizes by a strategy, and choices, which follow none."""
        self._chosen = self._choices.deal()
        return self._choices.bend({**strategy(self), **self._chosen})

    def bent(self, sizes: Sizes) -> Sizes:
        """`bend_off_sixteen` with the choices left as they are."""
        self._chosen = {name: value for name, value in sizes.items() if name not in self.names}
        bent = self.bend_off_sixteen({name: sizes[name] for name in self.names})
        return self._choices.bend({**bent, **self._chosen})

    def allows(self, sizes: Mapping[str, int]) -> bool:
        return self.budget.allows(self.problem, {**sizes, **self._chosen})

    def smallest(self) -> Sizes:
        return {name: self.problem.sizes[name].low for name in self.names}

    def next_long(self) -> str:
        """The dimension whose turn it is to be long; the first is random."""
        if not self._lines:
            self._lines = 1 + self.rng.randrange(len(self.names))
        self._lines += 1
        return self.names[self._lines % len(self.names)]

    def distinct(self, values: Callable[[], int]) -> Sizes:
        """One value a dimension, different ones where that is possible, fitted into ranges and budget."""
        chosen: list[int] = []
        for _ in self.names:
            value = values()
            for _ in range(20):
                if value not in chosen:
                    break
                value = values()
            chosen.append(value)
        return self.fit(dict(zip(self.names, chosen, strict=True)))

    def fit(self, wanted: Sizes) -> Sizes:
        """The wanted sizes, clipped to their ranges; the largest is halved until the budget allows them.

        A value that was off the multiples of 16 stays off them.
        """
        sizes = {n: self._clip(n, value) for n, value in wanted.items()}
        while not self.allows(sizes):
            # The smallest values: nearest to 1 off the multiples of 16, to 0 for the others.
            shrinkable = [n for n in self.names if sizes[n] > self._clip(n, int(sizes[n] % 16 > 0))]
            if not shrinkable:
                break
            name = max(shrinkable, key=lambda n: sizes[n])
            half = sizes[name] // 2
            if sizes[name] % 16:
                half += half % 16 == 0
            elif half > 16:
                half -= half % 16
            sizes[name] = self._clip(name, half)
        return sizes

    def largest(self, wanted: Sizes, name: str) -> int:
        """The largest value of one dimension that the budget allows beside the wanted others."""
        low, high = self.problem.sizes[name].low, self.problem.sizes[name].high
        while low < high:
            middle = (low + high + 1) // 2
            if self.allows({**wanted, name: middle}):
                low = middle
            else:
                high = middle - 1
        return low

    def bend_off_sixteen(self, sizes: Sizes) -> Sizes:
        """The nearest sizes within the budget of which none is divisible by 16."""
        return self.fit({name: value - (value % 16 == 0) for name, value in sizes.items()})

    def _clip(self, name: str, value: int) -> int:
        """The nearest value in range; off the multiples of 16 where `value` was."""
        size = self.problem.sizes[name]
        clipped = min(max(value, size.low), size.high)
        if value % 16 and clipped % 16 == 0:
            return clipped - 1 if clipped > size.low else clipped + 1
        return clipped


def _ones(draw: _Draw) -> Sizes:
    return draw.fit(dict.fromkeys(draw.names, 1))


def _largest(draw: _Draw) -> Sizes:
    """Near the most that the budget allows, all dimensions of similar length and none divisible by 16."""
    problem, names = draw.problem, draw.names
    low, high = 1, max(problem.sizes[n].high for n in names)
    while low < high:
        middle = (low + high + 1) // 2
        cube = {n: min(max(middle, problem.sizes[n].low), problem.sizes[n].high) for n in names}
        low, high = (middle, high) if draw.allows(cube) else (low, middle - 1)
    sizes = draw.fit({n: max(1, int(low * draw.rng.uniform(0.6, 0.95))) for n in names})
    last = draw.rng.choice(names)
    sizes[last] = max(sizes[last], int(draw.largest(sizes, last) * draw.rng.uniform(0.9, 1.0)))
    return draw.bend_off_sixteen(sizes)


def _above(draw: _Draw) -> Sizes:
    return draw.distinct(lambda: draw.rng.choice(EDGES) + draw.rng.choice((1, 1, 2, 3, 7)))


def _below(draw: _Draw) -> Sizes:
    return draw.distinct(lambda: draw.rng.choice(EDGES) - draw.rng.choice((1, 1, 2, 3, 7)))


def _at(draw: _Draw) -> Sizes:
    return draw.distinct(lambda: draw.rng.choice(EDGES))


def _around(draw: _Draw) -> Sizes:
    """Each dimension on its own side of an edge."""
    return draw.distinct(lambda: draw.rng.choice(EDGES) + draw.rng.choice((-1, 0, 1)))


def _multiple(draw: _Draw) -> Sizes:
    return draw.distinct(lambda: 32 * draw.rng.randint(1, 12))


def _equal(draw: _Draw) -> Sizes:
    """All dimensions the same and aligned: what a beginner tries first, so the case most often passed."""
    return draw.fit(dict.fromkeys(draw.names, draw.rng.choice((16, 32, 48, 64))))


def _primes(draw: _Draw) -> Sizes:
    return draw.distinct(lambda: draw.rng.choice(SMALL_PRIMES + LARGE_PRIMES))


def _large_primes(draw: _Draw) -> Sizes:
    return draw.distinct(lambda: draw.rng.choice(LARGE_PRIMES))


def _line(draw: _Draw) -> Sizes:
    """One dimension long, the others as small as they can be."""
    name = draw.next_long()
    top = max(LINE[0], min(LINE[1], draw.largest(draw.smallest(), name)))
    length = int(LINE[0] * (top / LINE[0]) ** draw.rng.random())
    return draw.bend_off_sixteen(draw.fit({**draw.smallest(), name: length}))


STRATEGIES: tuple[Callable[[_Draw], Sizes], ...] = (
    _largest,
    _above,
    _ones,
    _equal,
    _primes,
    _line,
    _below,
    _multiple,
    _line,
    _around,
    _large_primes,
    _line,
    _at,
    _above,
    _primes,
    _below,
)
"""In order of what a draw of few cases should have first."""
