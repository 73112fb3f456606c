"""Compares model times with measured ones: rank correlation, errors, and the table of all rows. It runs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from grader.boards.words import duration

FEWEST = 3
"""Rows of a problem at one size, below which a rank correlation says nothing."""

GOOD = 0.8
"""A problem's rank correlation that is good enough."""


@dataclass(frozen=True)
class Modelled:
    """One file at one size: its model time in seconds, None with the reason in `why_not`, and a measured one."""

    problem: str
    file: str
    sizes: str
    seconds: float | None
    low: float = 0.0
    high: float = 0.0
    bound: str = ""
    why_not: str = ""
    measured: float | None = None

    @property
    def error(self) -> float | None:
        """The model's time divided by the measured one, minus 1."""
        return None if self.seconds is None or self.measured is None else self.seconds / self.measured - 1

    @property
    def is_inside(self) -> bool:
        """Whether the measured time lies in the stated interval."""
        return self.measured is not None and self.low <= self.measured <= self.high


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's rank correlation, with mean ranks for equal values. Raises ValueError for fewer than two values."""
    if len(one) != len(other) or len(one) < 2:
        raise ValueError(f"{len(one)} and {len(other)} values: at least two of each are needed, and as many")
    first, second = _ranks(one), _ranks(other)
    mean = (len(one) + 1) / 2
    product = sum((a - mean) * (b - mean) for a, b in zip(first, second, strict=True))
    squares = [sum((a - mean) ** 2 for a in ranks) for ranks in (first, second)]
    return product / (squares[0] * squares[1]) ** 0.5 if all(squares) else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    return [sum(v < value for v in values) + (sum(v == value for v in values) + 1) / 2 for value in values]


def by_problem(rows: Sequence[Modelled]) -> Mapping[str, float]:
    """The mean over its sizes of a problem's rank correlation, without sizes of fewer than FEWEST measured rows."""
    found: dict[str, list[float]] = {}
    for problem, sizes in dict.fromkeys((row.problem, row.sizes) for row in rows):
        own = [row for row in rows if (row.problem, row.sizes) == (problem, sizes) and row.error is not None]
        if len(own) >= FEWEST:
            pairs = [(row.seconds or 0.0, row.measured or 0.0) for row in own]
            found.setdefault(problem, []).append(spearman([a for a, _ in pairs], [b for _, b in pairs]))
    return {problem: sum(each) / len(each) for problem, each in found.items()}


def summary(rows: Sequence[Modelled]) -> Iterator[str]:
    """Lines that say how well the model does."""
    with_time = [row for row in rows if row.seconds is not None]
    yield f"{len(with_time)} of {len(rows)} rows have a model time."
    errors = sorted(abs(row.error) for row in rows if row.error is not None)
    if not errors:
        yield "None was measured."
        return
    within = sum(error <= 0.4 for error in errors) / len(errors)
    inside = sum(row.is_inside for row in rows if row.error is not None) / len(errors)
    yield (
        f"Measured: {len(errors)}. Error: median {median(errors):.1%}; {within:.0%} of rows within 40 %. "
        f"The measured time lies in the interval in {inside:.0%} of rows."
    )
    ranks = by_problem(rows)
    if ranks:
        # The mean of 1, 1 and 0.4 is a little less than 0.8.
        good = sum(value > GOOD - 1e-9 for value in ranks.values())
        yield (
            f"Rank correlation within a problem: median {median(ranks.values()):.2f}, "
            f"at least {GOOD} in {good} of {len(ranks)}."
        )


def table(rows: Sequence[Modelled]) -> str:
    """Markdown: a row for each file and size."""
    lines = [
        "| problem | file | sizes | model | interval | bound by | measured | error |",
        "|---|---|---|---:|---:|---|---:|---:|",
    ]
    for row in rows:
        if row.seconds is None:
            lines.append(
                f"| {row.problem} | {row.file} | {row.sizes} | none: {row.why_not} | | | {_time(row.measured)} | |"
            )
            continue
        error = "" if row.error is None else f"{row.error:+.0%}"
        between = f"{duration(row.low)} to {duration(row.high)}"
        cells = (
            row.problem,
            row.file,
            row.sizes,
            duration(row.seconds),
            between,
            row.bound,
            _time(row.measured),
            error,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _time(seconds: float | None) -> str:
    return "" if seconds is None else duration(seconds)
