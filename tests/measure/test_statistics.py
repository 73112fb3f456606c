from __future__ import annotations

from math import comb, exp, isnan, log
from statistics import median
from typing import Any

import numpy as np
import pytest

from grader.core.report import Interval
from grader.measure.statistics import (
    Quad,
    StoppingRule,
    agree,
    least_samples,
    median_interval,
    ratio_interval,
    split_by_clock,
    summarise,
)
from tests.measure.simulated import SETUPS, quads, slowdowns


def steady(count: int, ratio: float = 1.0, noise: float = 0.0) -> list[Quad]:
    rng = np.random.default_rng(3)
    factors = np.exp(rng.normal(0, noise, 4 * count)) if noise else np.ones(4 * count)
    return quads(factors, ratio)


def test_the_median_interval_of_known_samples() -> None:
    assert median_interval([3.0, 1.0, 2.0]) == Interval(2.0, 1.0, 3.0)
    # With 8 samples, the range holds the median unless all lie on one side of it: 2 in 256.
    assert median_interval(range(8)) == Interval(3.5, 0, 7)
    # 20 samples: ranks 4 and 17 leave out 2 * P(X <= 3) = 0.26 %, ranks 5 and 16 would leave out 1.2 %.
    assert median_interval(range(1, 21)) == Interval(10.5, 4, 17)


@pytest.mark.parametrize("count", [8, 9, 20, 50, 999, 1000, 1001, 2000])
def test_the_interval_is_the_narrowest_that_is_wide_enough(count: int) -> None:
    interval = median_interval(range(1, count + 1))
    rank = int(interval.low)
    assert interval.high == count + 1 - rank

    def left_out(rank: int) -> float:
        return 2 * sum(comb(count, i) for i in range(rank)) / 2**count

    assert left_out(rank) <= 0.01 < left_out(rank + 1)


def test_the_interval_holds_the_true_median_as_often_as_it_says() -> None:
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(2000):
        interval = median_interval(rng.exponential(1.0, 30))
        held += interval.low <= log(2) <= interval.high
    assert 0.985 <= held / 2000 <= 1.0


def test_eight_samples_are_the_least() -> None:
    assert least_samples() == 8
    assert least_samples(0.95) == 6


def test_no_samples_have_no_median() -> None:
    with pytest.raises(ValueError, match="at least one"):
        median_interval([])
    with pytest.raises(ValueError, match="at least one"):
        summarise([])


def test_a_quad_cancels_a_linear_drift() -> None:
    slower = [exp(0.01 * i) for i in range(4)]
    quad = Quad((2 * slower[1], 2 * slower[2]), (slower[0], slower[3]))
    assert quad.log_ratio == pytest.approx(log(2), abs=1e-12)


def test_without_a_baseline_there_is_no_ratio() -> None:
    alone = [Quad((1.0, 1.1))] * 10
    assert isnan(alone[0].log_ratio)
    assert ratio_interval(alone) is None
    assert summarise(alone).ratio is None
    assert summarise(alone).time.value == pytest.approx(1.05)


@pytest.mark.parametrize(("noise", "drift", "length"), SETUPS)
def test_a_difference_of_one_percent_is_found_under_noise_and_drift(noise: float, drift: float, length: float) -> None:
    wrong = held = 0
    for seed in range(100):
        rounds = quads(slowdowns(np.random.default_rng(seed), 1600, noise, drift, length), ratio=1.01)
        ratio = ratio_interval(rounds)
        assert ratio is not None
        wrong += ratio.value <= 1
        held += ratio.low <= 1.01 <= ratio.high
    assert wrong == 0
    assert held >= 95


def test_all_of_one_and_then_all_of_the_other_is_why_quads_exist() -> None:
    wrong = 0
    for seed in range(100):
        factors = slowdowns(np.random.default_rng(seed), 800, 0.01, 0.03, 300)
        wrong += median(1.01 * factors[400:]) <= median(factors[:400])
    assert wrong > 10


def test_quads_at_two_clocks_are_dropped() -> None:
    fine = Quad((1.0, 1.0), (1.0, 1.0), (1980.0, 1975.0, 1965.0, 1980.0))
    off = Quad((9.0, 9.0), (1.0, 1.0), (1980.0, 1980.0, 1900.0, 1980.0))
    unread = Quad((1.0, 1.0), (1.0, 1.0))
    assert split_by_clock([fine, off, unread]) == ([fine, unread], 1)
    summary = summarise([fine, off, unread])
    assert (summary.time.high, summary.quads, summary.dropped) == (1.0, 2, 1)
    assert summary.clock_mhz == (1965.0, 1980.0)


def test_when_every_quad_is_off_all_are_shown() -> None:
    off = Quad((2.0, 3.0), (1.0, 1.0), (1000.0, 1500.0, 1500.0, 1000.0))
    summary = summarise([off, off])
    assert (summary.time.low, summary.time.high, summary.quads, summary.dropped) == (2.0, 3.0, 2, 0)


def test_measuring_ends_when_the_interval_is_narrow() -> None:
    rule = StoppingRule()
    quiet = steady(60, noise=0.001)
    assert not rule.is_over(quiet[:19], elapsed=0.1)
    assert rule.is_over(quiet[:20], elapsed=0.1)
    assert not rule.is_over(quiet[:25], elapsed=0.1)
    assert rule.is_over(quiet[:30], elapsed=0.1)


def test_measuring_goes_on_while_the_interval_is_wide() -> None:
    rule = StoppingRule()
    loud = steady(400, noise=0.05)
    assert not any(rule.is_over(loud[:count], elapsed=1.0) for count in range(61))
    assert rule.is_over(loud[:21], elapsed=5.0)


def test_one_slow_quad_counts_when_time_is_up() -> None:
    assert not StoppingRule(seconds=1.0).is_over([], elapsed=2.0)
    assert StoppingRule(seconds=1.0).is_over(steady(1), elapsed=2.0)


def test_a_settled_ratio_does_not_end_it_while_the_time_wanders() -> None:
    rng = np.random.default_rng(5)
    rounds = [Quad((t, t), (t, t)) for t in np.exp(rng.normal(0, 0.05, 20))]
    assert not StoppingRule().is_over(rounds, elapsed=0.1)


def test_dropped_quads_do_not_count_as_evidence() -> None:
    off = [Quad((1.0, 1.0), (1.0, 1.0), (1000.0, 1500.0, 1500.0, 1000.0))] * 20
    assert not StoppingRule().is_over(off, elapsed=0.1)


def test_a_settled_time_does_not_end_it_while_the_ratio_wanders() -> None:
    waves = np.exp(0.02 * np.resize([1.0, -1.0], 20))
    assert StoppingRule().is_over([Quad((1.0, 1.0), None) for _ in waves], elapsed=0.1)
    assert not StoppingRule().is_over([Quad((1.0, 1.0), (wave, wave)) for wave in waves], elapsed=0.1)


def test_it_is_looked_at_after_the_least_and_every_few_more() -> None:
    rule, quads = StoppingRule(least=8, every=5), steady(30, noise=1e-5)
    assert [count for count in range(1, 25) if rule.is_over(quads[:count], elapsed=0.1)] == [8, 13, 18, 23]


def test_the_tolerance_is_half_an_interval() -> None:
    for share, over in ((0.9, True), (1.1, False)):
        waves = np.exp(share * 0.003 * np.resize([1.0, -1.0], 20))
        assert StoppingRule().is_over([Quad((wave, wave), None) for wave in waves], elapsed=0.1) is over


def test_a_summary_has_the_ratio_to_the_baseline() -> None:
    ratio = summarise([Quad((1.0, 1.0), (2.0, 2.0))] * 8).ratio
    assert ratio is not None and (ratio.low, ratio.value, ratio.high) == pytest.approx((0.5, 0.5, 0.5))
    assert summarise([Quad((1.0, 1.0), None)]).clock_mhz == (0.0, 0.0)


@pytest.mark.parametrize("wrong", [{"least": 0}, {"every": 0}, {"tolerance": 0.0}, {"seconds": 0.0}])
def test_the_rule_refuses_what_it_could_not_keep(wrong: dict[str, Any]) -> None:
    StoppingRule(least=1, every=1)
    with pytest.raises(ValueError, match="above 0"):
        StoppingRule(**wrong)


def test_times_agree_within_a_share() -> None:
    assert agree([1.0, 1.0099], 0.01)
    assert not agree([1.0, 1.02], 0.01)
