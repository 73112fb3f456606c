"""docs/catalogue.md beside the worked files: none that is gone, and no step that is slower than the one before it."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"\| (\w+) \| `([\w.]+)` \| ([^|]+) \| ([\d.,]+) (s|ms|µs) \|")
UNITS = {"s": 1e6, "ms": 1e3, "µs": 1.0}
STEP = re.compile(r"(ladder_)?(?:solve_)?(\d)_\w+\.cu")
SPREAD = 1.05
"""Quick times are taken to the percent, on several days."""
SHORT, SHORT_SPREAD = 10.0, 1.1
"""Below so many microseconds a launch and a block's way through the GPU are most of the time."""
KNOWN = {
    ("matmul", "ladder_", "M=4095 N=2049 K=1023", 3): "rows that begin anywhere, and conflicts that step 4 ends",
}
"""Steps that are slower than the one before, and why."""

Times = dict[tuple[str, str, str], float]


def times() -> Times:
    """Microseconds by problem, file and sizes."""
    rows = ROW.findall((ROOT / "docs" / "catalogue.md").read_text(encoding="utf-8"))
    return {
        (problem, file, sizes): float(time.replace(",", "")) * UNITS[unit] for problem, file, sizes, time, unit in rows
    }


def test_timed_files_are_there() -> None:
    found = times()
    assert len(found) > 1000
    assert [
        f"{problem}/{file}"
        for problem, file, _ in found
        if not (ROOT / "problems" / problem / "submissions" / "accepted" / file).exists()
    ] == []


def test_no_step_is_slower_than_the_one_before() -> None:
    ways: dict[tuple[str, str, str], dict[int, float]] = defaultdict(dict)
    for (problem, file, sizes), time in times().items():
        if step := STEP.fullmatch(file):
            best = ways[problem, step[1] or "", sizes]
            best[int(step[2])] = min(time, best.get(int(step[2]), time))
    assert [
        f"{problem}, {sizes}: step {first} {way[first]:.1f} µs, step {second} {way[second]:.1f} µs"
        for (problem, ladder, sizes), way in ways.items()
        for first, second in pairwise(sorted(way))
        if way[second] > way[first] * (SHORT_SPREAD if way[first] < SHORT else SPREAD)
        and (problem, ladder, sizes, second) not in KNOWN
    ] == []
