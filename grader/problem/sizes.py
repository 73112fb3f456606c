"""Draws the sizes of cases so that edges are hit, and checks sizes given by the user.

A uniform draw over the ranges would miss most boundary errors; instead, each case follows one of the strategies below.
Inputs and seeds of the cases are made elsewhere.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from grader.core.errors import UsageError
from grader.problem.choices import Choices
from grader.problem.definition import Problem
from grader.problem.reach import Reach
from grader.problem.room import with_room, without_room

Sizes = dict[str, int]

EDGES = (16, 32, 64, 128, 256)
SMALL_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
LARGE_PRIMES = (41, 47, 53, 61, 67, 79, 97, 101, 127, 131, 193, 257, 263)
LINE = (257, 6000)
"""Range of the long dimension when the others are 1."""
FAR = 280_000
"""Its maximum in cases that go far: more than 18 bits can count, and still quick on one thread."""
FEW = 3
"""Each of the other dimensions in such a case, if the budget allows it: an index may go wrong behind the first row."""
TWO_LEVELS = 1024 * 1024
"""Elements that blocks of 1,024 threads and one block for their results deal with."""
PIECES = (1, 2, 3, 4, 5, 8)
"""Numbers of blocks whose coverage makes up a size."""
AROUND = (0, 1, -1)
"""Added to a multiple: each size gets all three in a grading, and sizes of one case get different ones."""


@dataclass(frozen=True)
class Budget:
    """The largest cost of one case on the emulator: floating-point operations, and total bytes of all arrays.

    The default takes a few tenths of a second at 30 million warp instructions per second. Its bytes hold three
    vectors of 700,000 elements, well past the 1024 × 256 threads where grid-stride loops start to loop, or two vectors
    one element longer than a grid of 1024 × 1024 threads.
    """

    flops: int = 20_000_000
    bytes: int = 8_400_000

    def allows(self, problem: Problem, sizes: Mapping[str, int]) -> bool:
        return problem.array_bytes(sizes) <= self.bytes and problem.cost_of(sizes).flops <= self.flops


def draw_sizes(
    problem: Problem, seed: int, count: int, budget: Budget | None = None, reach: Mapping[str, Reach] | None = None
) -> list[Sizes]:
    """Draws the sizes of `count` cases, small to large; the same for the same seed and launches' `reach`.

    At least half of them have no size divisible by 16. A problem's smallest sizes are drawn whatever they cost;
    others only within the budget. Sizes repeat if the ranges hold too few different ones.
    """
    draw = _Draw(problem, random.Random(seed), budget or Budget(), reach or {})
    turns = _strategies(draw.limited is not None, len(draw.names))
    drawn: list[Sizes] = []
    for i in range(count):
        strategy = turns[i % len(turns)]
        sizes = draw.next(strategy)
        for _ in range(20):
            if sizes not in drawn:
                break
            sizes = draw.next(strategy)
        drawn.append(sizes)
    needed = (count + 1) // 2
    for i in range(count - 1, -1, -1):
        # Narrow ranges or a tight budget can force a strategy's sizes onto multiples of 16.
        if sum(off_sixteen({name: sizes[name] for name in draw.names}) for sizes in drawn) >= needed:
            break
        drawn[i] = draw.bent(drawn[i])
    return sorted(drawn, key=lambda sizes: (problem.array_bytes(sizes), tuple(sizes.values())))


def check_sizes(problem: Problem, sizes: Mapping[str, int]) -> None:
    """Raises UsageError if sizes are missing, unknown, out of range or inconsistent."""
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
    found = without_room(problem, sizes)
    if found is not None:
        array, dimension, length = found
        raise UsageError(f"{array} has no element with these sizes: its dimension {dimension} is {length}", hint)


def fit_together(problem: Problem, sizes: Mapping[str, int]) -> bool:
    """Whether these sizes pass `check_sizes`."""
    try:
        check_sizes(problem, sizes)
    except UsageError:
        return False
    return True


def off_sixteen(sizes: Mapping[str, int]) -> bool:
    return all(value % 16 for value in sizes.values())


class _Draw:
    """The state that strategies draw with: a problem's ranges, the budget, the launches' reach, a random generator."""

    def __init__(self, problem: Problem, rng: random.Random, budget: Budget, reach: Mapping[str, Reach]) -> None:
        self.problem = problem
        self.rng = rng
        self.budget = budget
        self.reach = reach
        self.names = tuple(name for name, size in problem.sizes.items() if not size.is_choice)
        self.limited = next((name for name in self.names if name in reach and reach[name].capacity), None)
        """A size that can exceed the grid's threads, so that the threads have to loop."""
        self._choices = Choices(problem.sizes, rng)
        self._chosen: Sizes = {}
        self._lines = 0
        self._far = 0

    def next(self, strategy: Callable[[_Draw], Sizes]) -> Sizes:
        """Draws sizes by a strategy, and choices independently of it."""
        self._chosen = self._choices.deal()
        return self._with_room(self._choices.bend({**strategy(self), **self._chosen}))

    def bent(self, sizes: Sizes) -> Sizes:
        """`bend_off_sixteen` with the choices unchanged."""
        self._chosen = {name: value for name, value in sizes.items() if name not in self.names}
        bent = self.bend_off_sixteen({name: sizes[name] for name in self.names})
        return self._with_room(self._choices.bend({**bent, **self._chosen}))

    def _with_room(self, sizes: Sizes) -> Sizes:
        """The sizes unchanged if no array is empty, else smaller ones within the budget with which none is."""
        roomy = with_room(self.problem, sizes)
        if roomy == sizes or self.allows(roomy):
            return roomy
        return with_room(self.problem, {**roomy, **self.fit({name: roomy[name] for name in self.names})})

    def allows(self, sizes: Mapping[str, int]) -> bool:
        return self.budget.allows(self.problem, {**sizes, **self._chosen})

    def smallest(self) -> Sizes:
        return {name: self.problem.sizes[name].low for name in self.names}

    def next_long(self) -> str:
        """The next dimension to be long, in turn from a random first one."""
        if not self._lines:
            self._lines = 1 + self.rng.randrange(len(self.names))
        self._lines += 1
        return self.names[self._lines % len(self.names)]

    def next_far(self) -> str:
        """The next dimension to go as far as it can, in turn; not one that exceeds the grid in cases of its own."""
        names = [name for name in self.names if name != self.limited]
        self._far += 1
        return names[(self._far - 1) % len(names)]

    def distinct(self, values: Callable[[], int]) -> Sizes:
        """One value per dimension, different if possible, fitted into ranges and budget."""
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
        """Clips the wanted sizes to their ranges, and halves the largest until the budget allows them.

        A value not divisible by 16 stays so.
        """
        sizes = {n: self._clip(n, value) for n, value in wanted.items()}
        while not self.allows(sizes):
            # A size can shrink to the value in range nearest to 1 if it is off the multiples of 16, else to 0.
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

    def takes(self, sizes: Mapping[str, int]) -> bool:
        """Whether sizes are within their ranges and the budget unchanged."""
        ranges = self.problem.sizes
        return all(ranges[n].low <= sizes[n] <= ranges[n].high for n in self.names) and self.allows(sizes)

    def largest(self, wanted: Sizes, name: str) -> int:
        """The largest value of one dimension that the budget allows together with the wanted others."""
        low, high = self.problem.sizes[name].low, self.problem.sizes[name].high
        while low < high:
            middle = (low + high + 1) // 2
            if self.allows({**wanted, name: middle}):
                low = middle
            else:
                high = middle - 1
        return low

    def bend_off_sixteen(self, sizes: Sizes) -> Sizes:
        """Nearby sizes within the budget, none divisible by 16."""
        return self.fit({name: value - (value % 16 == 0) for name, value in sizes.items()})

    def _clip(self, name: str, value: int) -> int:
        """The nearest value in range; not divisible by 16 if `value` is not."""
        size = self.problem.sizes[name]
        clipped = min(max(value, size.low), size.high)
        if value % 16 and clipped % 16 == 0:
            return clipped - 1 if clipped > size.low else clipped + 1
        return clipped


def _ones(draw: _Draw) -> Sizes:
    return draw.fit(dict.fromkeys(draw.names, 1))


def _largest(draw: _Draw) -> Sizes:
    """Near the budget's limit, all dimensions of similar length and none divisible by 16."""
    problem, names = draw.problem, draw.names
    low, high = 1, max(problem.sizes[n].high for n in names)
    while low < high:
        middle = (low + high + 1) // 2
        cube = {n: min(max(middle, problem.sizes[n].low), problem.sizes[n].high) for n in names}
        low, high = (middle, high) if draw.allows(cube) else (low, middle - 1)
    sizes = draw.fit({n: max(1, int(low * draw.rng.uniform(0.6, 0.95))) for n in names})
    last = draw.rng.choice(names)
    top = draw.largest(sizes, last)
    least = int(0.9 * top)
    if top > TWO_LEVELS + 1:
        # Bending takes one away.
        least = max(least, TWO_LEVELS + 2)
    sizes[last] = max(sizes[last], draw.rng.randint(least, top))
    return draw.bend_off_sixteen(sizes)


def _beside(draw: _Draw) -> Sizes:
    """Each dimension a few off an edge."""
    return draw.distinct(lambda: draw.rng.choice(EDGES) + draw.rng.choice((-7, -3, -1, 1, 1, 2, 3)))


def _around(turn: int) -> Callable[[_Draw], Sizes]:
    """Each dimension at a multiple of what a block covers, one above or one below."""

    def strategy(draw: _Draw) -> Sizes:
        units = {name: _unit(draw, name) for name in draw.names}
        more = {name: AROUND[(turn + place) % len(AROUND)] for place, name in enumerate(draw.names)}
        pieces = {name: draw.rng.choice(PIECES) for name in draw.names}
        while True:
            sizes = {name: pieces[name] * units[name] + more[name] for name in draw.names}
            large = max(pieces, key=lambda name: (pieces[name] > 1, sizes[name]))
            if draw.takes(sizes) or pieces[large] == 1:
                return draw.fit(sizes)
            pieces[large] -= 1

    return strategy


def _unit(draw: _Draw, name: str) -> int:
    """How many elements of a dimension a block covers; a random small edge if each element has its own block."""
    unit = draw.reach[name].unit if name in draw.reach else 1
    return unit if unit > 1 else draw.rng.choice(EDGES[:2])


def _capacity(more: int) -> Callable[[_Draw], Sizes]:
    """Draws as many elements as the largest grid has threads, plus `more`."""

    def strategy(draw: _Draw) -> Sizes:
        assert draw.limited is not None
        others = {name: draw.rng.choice(SMALL_PRIMES) for name in draw.names}
        return draw.fit({**others, draw.limited: draw.reach[draw.limited].capacity + more})

    return strategy


def _equal(draw: _Draw) -> Sizes:
    """All dimensions equal and aligned: what a beginner tries first, so the case passed most often."""
    return draw.fit(dict.fromkeys(draw.names, draw.rng.choice((16, 32, 48, 64))))


def _primes(draw: _Draw) -> Sizes:
    return draw.distinct(lambda: draw.rng.choice(SMALL_PRIMES + LARGE_PRIMES))


def _large_primes(draw: _Draw) -> Sizes:
    return draw.distinct(lambda: draw.rng.choice(LARGE_PRIMES))


def _line(draw: _Draw) -> Sizes:
    """One dimension long, the others as small as possible."""
    name = draw.next_long()
    top = max(LINE[0], min(LINE[1], draw.largest(draw.smallest(), name)))
    length = int(LINE[0] * (top / LINE[0]) ** draw.rng.random())
    return draw.bend_off_sixteen(draw.fit({**draw.smallest(), name: length}))


def _far(draw: _Draw) -> Sizes:
    """Like `_line`, but at the end of the range, or near the longest that the budget allows: finds tables, loops and
    indices that end too early. Each dimension has its turn in a grading.
    """
    name = draw.next_far()
    # The emulator is slow with that many blocks.
    most = LINE[1] if name in draw.reach and draw.reach[name].unit == 1 else FAR
    few = draw.fit(dict.fromkeys(draw.names, FEW))
    for others in (few, draw.smallest()):
        top = draw.largest(others, name)
        if top >= min(most, draw.largest(draw.smallest(), name)):
            break
    if top == draw.problem.sizes[name].high <= most:
        return draw.fit({**others, name: top})
    return draw.bend_off_sixteen(draw.fit({**others, name: int(min(top, most) * draw.rng.uniform(0.94, 1.0))}))


def _strategies(limited: bool, dimensions: int) -> tuple[Callable[[_Draw], Sizes], ...]:
    """The strategies, most important first for draws of few cases; bending off multiples of 16 starts at the end."""
    ends = (_capacity(0), _capacity(1), *[_far] * (dimensions - 1)) if limited else (_far,) * max(2, dimensions)
    first = (_largest, _around(0), _ones, _around(1), ends[0], _around(2), ends[1], _equal)
    return (*first, *ends[2:], _primes, _beside, _line, _large_primes)
