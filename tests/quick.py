"""Options of pytest for the inner loop: which test files are quick, and how long each took.

`tests/durations.json` has the seconds of each file, as `make durations` measured them. `--quick SECONDS` runs the files
that took the fewest seconds, as many as fit; so it stays quick however many tests are added. A file that has not been
timed yet counts as quick.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DURATIONS = Path(__file__).with_name("durations.json")
ALWAYS = "tests/test_three_kernels.py"
"""A right, a wrong and a racy kernel on the emulator, however long they take."""


def slow_files(seconds: Mapping[str, float], budget: float) -> set[str]:
    """The timed files that no longer fit into `budget` when the quickest come first."""
    left = budget - seconds.get(ALWAYS, 0)
    slow = set()
    for file, took in sorted(seconds.items(), key=lambda item: item[1]):
        left -= took
        if left < 0 and file != ALWAYS:
            slow.add(file)
    return slow


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kgrade")
    group.addoption("--quick", type=float, metavar="SECONDS", help="run the quickest files, so many seconds in all")
    group.addoption("--record-durations", action="store_true", help="write how long each file took to durations.json")


def pytest_configure(config: pytest.Config) -> None:
    if budget := config.getoption("--quick"):
        if not DURATIONS.exists():
            raise pytest.UsageError(f"{DURATIONS} is missing, by which --quick chooses; type: make durations")
        config.pluginmanager.register(_Quick(slow_files(json.loads(DURATIONS.read_text()), budget)))
    # With xdist the workers report to the process that started them.
    if config.getoption("--record-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Record())


class _Quick:
    def __init__(self, slow: set[str]) -> None:
        self._slow = slow

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        return collection_path.relative_to(ROOT).as_posix() in self._slow or None


class _Record:
    def __init__(self) -> None:
        self._seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.location[0]] += report.duration

    def pytest_sessionfinish(self) -> None:
        known = json.loads(DURATIONS.read_text()) if DURATIONS.exists() else {}
        # A run of a part replaces that part, and a file that is gone goes.
        known |= {file: round(took, 1) for file, took in self._seconds.items()}
        kept = {file: known[file] for file in sorted(known) if (ROOT / file).exists()}
        DURATIONS.write_text(json.dumps(kept, indent=0) + "\n")
