from __future__ import annotations

import pytest

from grader.core.report import Interval
from grader.measure.score import geometric_mean, score_interval, share_of, shared_ranks, speed_of_light

GPU = dict(bandwidth=4e12, rate=5e13, floor=1e-6)


def test_the_speed_of_light_is_the_slowest_of_memory_arithmetic_and_launch() -> None:
    assert speed_of_light(flops=1, bytes=4 * 10**9, **GPU) == pytest.approx(1e-3)
    assert speed_of_light(flops=5 * 10**10, bytes=4, **GPU) == pytest.approx(1e-3)
    assert speed_of_light(flops=1, bytes=4, **GPU) == 1e-6


def test_a_share_is_capped_and_too_much_is_held_for_audit() -> None:
    assert (share_of(1.0, 2.0).value, share_of(1.0, 2.0).audit) == (0.5, False)
    assert (share_of(1.04, 1.0).value, share_of(1.04, 1.0).audit) == (1.0, False)
    assert (share_of(1.06, 1.0).value, share_of(1.06, 1.0).audit) == (1.0, True)


def test_units_that_the_light_leaves_out_may_be_faster_than_it() -> None:
    assert (share_of(1.0, 0.5, least=0.2).value, share_of(1.0, 0.5, least=0.2).audit) == (2.0, False)
    assert (share_of(1.0, 0.1, least=0.2).value, share_of(1.0, 0.1, least=0.2).audit) == (5.0, True)


def test_one_impossible_size_does_not_lift_the_score() -> None:
    honest = geometric_mean([share_of(1.0, t).value for t in (2.0, 2.0)])
    cheating = geometric_mean([share_of(1.0, t).value for t in (2.0, 1e-9)])
    assert honest == pytest.approx(0.5)
    assert cheating <= 0.5**0.5


def test_a_score_follows_its_times() -> None:
    score = score_interval([(1.0, 1.0), (1.0, 1.0)], [Interval(2.0, 1.9, 2.1), Interval(8.0, 7.6, 8.4)])
    assert score.value == pytest.approx(0.25)
    assert score.low == pytest.approx(0.25 / 1.05)
    assert score.high == pytest.approx(0.25 / 0.95)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: speed_of_light(flops=1, bytes=1, bandwidth=0.0, rate=1.0, floor=0.0),
        lambda: share_of(1.0, 0.0),
        lambda: geometric_mean([]),
        lambda: geometric_mean([0.5, 0.0]),
        lambda: score_interval([(1.0, 1.0)], []),
    ],
)
def test_figures_that_mean_nothing_are_refused(wrong) -> None:
    with pytest.raises(ValueError, match=r"above 0|at least one|as many"):
        wrong()


def scores(*bounds: tuple[float, float]) -> list[Interval]:
    return [Interval((low + high) / 2, low, high) for low, high in bounds]


def test_overlapping_scores_share_a_rank() -> None:
    assert shared_ranks(scores((0.50, 0.52), (0.80, 0.82), (0.81, 0.83), (0.10, 0.11))) == [3, 1, 1, 4]


def test_intervals_that_touch_overlap() -> None:
    assert shared_ranks(scores((0.5, 0.6), (0.6, 0.7))) == [1, 1]


def test_a_chain_of_neighbours_is_not_one_rank() -> None:
    assert shared_ranks(scores((0.70, 0.80), (0.64, 0.74), (0.58, 0.68))) == [1, 1, 3]


def test_nobody_has_no_rank() -> None:
    assert shared_ranks([]) == []
