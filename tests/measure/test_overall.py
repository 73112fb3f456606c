"""The score of a whole measurement, on sizes whose shares are known."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from grader.core.report import Ceilings, Interval, Measurement, SizeMeasurement
from grader.measure.overall import impossible, light_of, null_test, overall_score
from grader.measure.statistics import Quad, ratio_interval

CEILINGS = Ceilings("GPU", "GPU-1", "580", 1e12, 1e13, None, None, 1e-6)


def size(seconds: float, *, flops: int = 10**9, moved: int = 10**10, within: float = 0.01) -> SizeMeasurement:
    """By default a size that takes at least 10 ms, which its bytes need."""
    time = Interval(seconds, seconds * (1 - within), seconds * (1 + within))
    return SizeMeasurement({"N": 1}, time, None, flops, moved, 0.5, 20, 0, 20, 1e-6, (1980.0, 1980.0))


def measurement(*sizes: SizeMeasurement) -> Measurement:
    return Measurement(sizes, CEILINGS, None)


def test_the_score_is_the_geometric_mean_and_a_longer_time_a_lower_score() -> None:
    score = overall_score(measurement(size(0.02), size(0.08)))
    assert score is not None
    assert abs(score.value - 0.25) < 1e-12
    assert abs(score.low - 0.25 / 1.01) < 1e-12 and abs(score.high - 0.25 / 0.99) < 1e-12


def test_without_a_size_there_is_no_score() -> None:
    assert overall_score(measurement()) is None


def test_the_least_time_is_the_floor_where_there_is_little_to_do() -> None:
    assert light_of(size(1.0, flops=1, moved=1), CEILINGS) == 1e-6
    assert light_of(size(1.0, flops=10**13, moved=1), CEILINGS) == 1.0


def test_what_was_quicker_than_light_is_found() -> None:
    slow, quick = size(0.0096), size(0.0095)
    assert impossible(measurement(slow, quick)) == [quick]


def test_products_of_split_numbers_may_be_quicker_than_the_units_for_fp32() -> None:
    quick, quicker = (size(seconds, flops=10**13, moved=1) for seconds in (0.5, 0.2))
    ceilings = replace(CEILINGS, split_flops=4e13)
    score = overall_score(Measurement((quick,), ceilings, None))
    assert score is not None and abs(score.value - 2.0) < 1e-12
    assert impossible(Measurement((quick, quicker), ceilings, None)) == [quicker]


def against_itself(ratio: float) -> list[Quad]:
    return [Quad((ratio, ratio), (1.0, 1.0))] * 20


def played(*ratios: float) -> tuple[Callable[[], Sequence[Quad]], list[float]]:
    """What measures these ratios in turn, and those that nobody asked for yet."""
    left = list(ratios)
    return lambda: against_itself(left.pop(0)), left


@pytest.mark.parametrize(
    ("ratios", "counts", "unasked"),
    [
        ((1.001, 1.0), 1.001, 1),
        ((1.004, 1.0005), 1.0005, 0),
        ((0.996, 1.0), 1.0, 0),
        ((1.004, 1.005, 1.0), 1.005, 1),
    ],
    ids=["sound", "once too slow", "once too quick", "twice"],
)
def test_a_baseline_that_is_off_is_timed_once_more(ratios: tuple[float, ...], counts: float, unasked: int) -> None:
    measure, left = played(*ratios)
    found = ratio_interval(null_test(measure))
    assert found is not None and found.value == pytest.approx(counts)
    assert len(left) == unasked
