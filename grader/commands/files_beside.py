"""What commands share that put several files of one problem side by side: labels, sizes, how many at most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grader.commands.options import parse_size_option
from grader.core.errors import UsageError

if TYPE_CHECKING:
    from grader.problem import Problem


def unique_labels(files: Sequence[str]) -> list[str]:
    """Labels of the files: the shortest end of the path that no other has, plus a number if paths are equal."""
    paths = [Path(file).parts for file in files]
    labels = ["/".join(_shortest_end(path, [other for other in paths if other != path])) for path in paths]
    seen: Counter[str] = Counter()
    for i, label in enumerate(labels):
        seen[label] += 1
        if seen[label] > 1:
            labels[i] = f"{label} ({seen[label]})"
    return labels


def _shortest_end(path: tuple[str, ...], others: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    ends = (path[-count:] for count in range(1, len(path)))
    return next((end for end in ends if all(other[-len(end) :] != end for other in others)), path)


def sizes_of(problem: Problem, texts: Sequence[str]) -> list[dict[str, int]]:
    """The sizes of the options --size, else the problem's benchmarks. Raises UsageError if there are none."""
    sizes = [parse_size_option(problem, text) for text in texts] or [dict(each) for each in problem.benchmarks]
    if not sizes:
        raise UsageError(f"{problem.name} names no benchmark sizes", f"give some: --size {_example(problem)}")
    return sizes


def check_count(files: Sequence[str]) -> None:
    """Raises UsageError for more files than are compared at once."""
    from grader.measure.duel import MOST_FILES

    if len(files) > MOST_FILES:
        raise UsageError(
            f"{len(files)} files; at most {MOST_FILES} are compared at once",
            "compare some of them first, and the fastest with the rest",
        )


def _example(problem: Problem) -> str:
    return ",".join(f"{name}={min(1024, size.high)}" for name, size in problem.sizes.items())
