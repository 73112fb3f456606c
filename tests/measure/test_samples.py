from __future__ import annotations

import json

import pytest

from grader.core.errors import JudgeError
from grader.measure.samples import Kept, Timing, from_data, to_data
from grader.measure.statistics import Quad

TIMING = Timing(
    quads=(Quad((1e-5, 1.1e-5), (2e-5, 2.1e-5), (1980.0, 1981.0, 1982.0, 1983.0)), Quad((1e-5, 1e-5))),
    kept=(Kept(3, 2),),
    copies={"candidate": 7},
    throttled=("software power cap",),
    event_seconds=1.0,
    wall_seconds=2.0,
)


def test_a_timing_crosses_as_json() -> None:
    assert from_data(json.loads(json.dumps(to_data(TIMING)))) == TIMING


@pytest.mark.parametrize("wrong", [{"quads": [{"candidate": [1.0]}]}, {"quads": 3}, {"more": 1}, {"floor": "short"}])
def test_anything_else_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(JudgeError, match="no timing"):
        from_data(wrong)


def test_events_longer_than_the_time_that_went_by_are_noticed() -> None:
    assert TIMING.consistent
    assert not Timing(event_seconds=2.0, wall_seconds=1.9).consistent
    assert not Timing().consistent
