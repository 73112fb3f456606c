"""What one run of a submission may take, one call of its launch code, and the search for its smallest failure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What all may take that is run after a `prepare`: seconds, on a GPU of the wall and on the emulator those of
    `LaunchResult`; and warp instructions a launch where they are counted."""

    seconds: float = 10.0
    instructions: int = 64_000_000


USUAL_LIMITS = Limits()

SOLVE_SECONDS = 10.0
"""For one call of solve() on the host, without what the judge takes for its part."""


@dataclass(frozen=True)
class Effort:
    """What a search may spend: so many questions, and no new one after so many seconds."""

    runs: int = 24
    seconds: float = 2.0


@dataclass(frozen=True)
class Search:
    """What may be spent on a failure: on shrinking, and on that and the pattern together."""

    trials: Effort = Effort(runs=48, seconds=2.0)
    """A verdict has to come within seconds."""
    shrinking: Effort = Effort(runs=20, seconds=1.2)


USUAL_SEARCH = Search()
