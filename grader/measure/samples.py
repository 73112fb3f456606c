"""What a measurement hands from the runner's process to the judge: samples and the figures to judge them by.

Plain frozen data, to and from JSON. The judge trusts none of it before the kept outputs have been checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from grader.core.errors import JudgeError
from grader.measure.statistics import Quad

CANDIDATE, BASELINE = "candidate", "baseline"


@dataclass(frozen=True)
class Kept:
    """Outputs that were kept: those of one buffer set after one replay of the candidate's graph.

    The judge makes the inputs again from `replay_key(seed, CANDIDATE, replay)` and `make_values`.
    """

    replay: int
    buffer_set: int


@dataclass(frozen=True)
class Timing:
    """Quads in seconds of one launch sequence, and how they were come by.

    `null` are quads of the baseline (of the candidate, where there is none) against itself. `warm` says whether
    the warm-up's times agreed in the end. `late` counts rounds that the host queued more slowly than the spin
    before them lasted: gaps may have entered these. `copies` and `graph_bytes` are by side: launch sequences in
    a graph, and the size of all their arrays.
    """

    quads: tuple[Quad, ...] = ()
    null: tuple[Quad, ...] = ()
    kept: tuple[Kept, ...] = ()
    copies: Mapping[str, int] = field(default_factory=dict)
    graph_bytes: Mapping[str, int] = field(default_factory=dict)
    l2_bytes: int = 0
    tick: float = 0.0
    floor: float = 0.0
    warm: bool = False
    warm_replays: int = 0
    late: int = 0
    throttled: tuple[str, ...] = ()
    event_seconds: float = 0.0
    wall_seconds: float = 0.0

    @property
    def consistent(self) -> bool:
        """Whether the events add up to no more time than went by. The judge has a clock of its own beside it."""
        return 0 < self.event_seconds <= self.wall_seconds


def to_data(timing: Timing) -> dict[str, Any]:
    """The timing as plain data, fit for JSON."""
    return asdict(timing)


def from_data(data: Mapping[str, Any]) -> Timing:
    """The inverse of `to_data`. Raises JudgeError for data that is no timing."""
    from cattrs import Converter
    from cattrs.errors import BaseValidationError

    try:
        return Converter(forbid_extra_keys=True).structure(data, Timing)
    except (BaseValidationError, TypeError, ValueError) as error:
        raise JudgeError(f"the runner sent no timing: {error}") from None
