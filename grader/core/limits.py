"""Limits on one run of a submission, on one call of its launch code, and on the search for its smallest failure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits on everything that runs after one `prepare`.

    `seconds` is wall time on a GPU and the seconds of `LaunchResult` on the emulator; `instructions` is warp
    instructions per launch, where the device counts them.
    """

    seconds: float = 10.0
    instructions: int = 64_000_000


USUAL_LIMITS = Limits()

SANITIZED_THREADS = 1 << 18
"""Threads of the largest launch whose accesses the emulator checks for races: that takes it several times as long."""
SOLVE_SECONDS = 10.0
"""Time limit for one call of solve() on the host, not counting the judge's own time."""


@dataclass(frozen=True)
class Effort:
    """What a search may spend: at most `runs` questions, and no new one after `seconds`."""

    runs: int = 24
    seconds: float = 2.0


@dataclass(frozen=True)
class Search:
    """What may be spent on a failure: on shrinking, and on that and the pattern together."""

    trials: Effort = Effort(runs=48, seconds=2.0)
    """A verdict has to come within seconds."""
    shrinking: Effort = Effort(runs=20, seconds=1.2)


USUAL_SEARCH = Search()
