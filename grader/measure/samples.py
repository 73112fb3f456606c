"""The data that a measurement passes from the runner's process to the judge: samples, and figures to judge them by.

Plain frozen data and its JSON form. The judge trusts none of it before it has checked the kept outputs.
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
    """Kept outputs: those of one buffer set after one replay of the candidate's graph.

    The judge recreates the inputs from `replay_key(seed, CANDIDATE, replay)` with `make_values`.
    """

    replay: int
    buffer_set: int


@dataclass(frozen=True)
class Timing:
    """Quads in seconds of one launch sequence, and how they were measured.

    `null` are quads of the baseline (of the candidate, if there is none) against itself. `warm` says whether the
    warm-up's times settled. `late` counts rounds that took the host longer to queue than the spin kernel before them
    lasted, so that they may contain gaps. `copies` and `graph_bytes` are by side: launch sequences per graph, and the
    total size of their arrays in bytes.
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
        """Whether the event times add up to no more than the wall time. The judge checks its own clock too."""
        return 0 < self.event_seconds <= self.wall_seconds


def to_data(timing: Timing) -> dict[str, Any]:
    """The timing as plain data, ready for JSON."""
    return asdict(timing)


def from_data(data: Mapping[str, Any]) -> Timing:
    """The inverse of `to_data`. Raises JudgeError if the data is no timing."""
    from cattrs import Converter
    from cattrs.errors import BaseValidationError

    try:
        return Converter(forbid_extra_keys=True).structure(data, Timing)
    except (BaseValidationError, TypeError, ValueError) as error:
        raise JudgeError(f"the runner sent no timing: {error}") from None
