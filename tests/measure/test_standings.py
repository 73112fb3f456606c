"""Rankings of made-up rounds whose true ratios are known: noise, rare delays, and a clock that drifts."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

import numpy as np
import pytest

from grader.core.report import Interval
from grader.measure.duel import Round, order_of, round_of
from grader.measure.standings import (
    RESOLUTION,
    Pair,
    Ranking,
    Standings,
    is_over,
    joint_confidence,
    over_all,
    standings,
)
from grader.measure.statistics import StoppingRule, least_samples
from tests.measure.simulated import SETUPS, slowdowns

RULE = StoppingRule()
SELDOM = StoppingRule(every=80)
"""The same rule, asked less often: of hundreds of rounds it is asked in vain most of the time."""
RUNS = 200


def simulated(factors: np.ndarray, times: Sequence[float]) -> list[Round]:
    """Rounds of contenders with these true times, over slowdowns of replays in a row."""
    replays = 2 * len(times)
    rounds = []
    for number, row in enumerate(factors[: len(factors) // replays * replays].reshape(-1, replays)):
        order = order_of(len(times), number)
        rounds.append(round_of(order, [times[i] * float(f) for i, f in zip(order, row, strict=True)], None))
    return rounds


def calm(times: Sequence[float], count: int = 30, noise: float = 1e-3) -> list[Round]:
    rng = np.random.default_rng(5)
    return simulated(np.exp(rng.normal(0, noise, 2 * len(times) * count)), times)


def ended(rounds: Sequence[Round], seconds: float) -> Standings:
    """What is published of rounds that take so long each, up to the one that the rule ends at."""
    for count in range(SELDOM.least, len(rounds) + 1, SELDOM.every):
        if is_over(rounds[:count], count * seconds, SELDOM):
            return standings(rounds[:count])
    raise AssertionError(f"not over after {len(rounds)} rounds")


@pytest.mark.parametrize("setup", SETUPS[1:3])
def test_one_percent_is_told_apart_in_the_right_order(setup: tuple[float, float, float]) -> None:
    rng = np.random.default_rng(11)
    found = []
    for run in range(RUNS):
        slower = run % 2
        times = [1e-5, 1e-5]
        times[slower] *= 1.01
        # 1,250 rounds of 4 ms are what fits into the five seconds.
        ranking = ended(simulated(slowdowns(rng, 4 * 1300, *setup), times), 4e-3).ranking
        assert ranking.fastest != slower
        found.append(ranking.pairs[slower][1 - slower].differ)
    assert sum(found) >= 0.98 * RUNS


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize(("contenders", "runs"), [(2, RUNS), (4, 50)])
def test_equal_ones_have_no_difference(setup: tuple[float, float, float], contenders: int, runs: int) -> None:
    rng = np.random.default_rng(12)
    equal = sum(
        len(standings(simulated(slowdowns(rng, 2 * contenders * 40, *setup), [1e-5] * contenders)).ranking.groups) == 1
        for _ in range(runs)
    )
    assert equal >= 0.98 * runs


def test_the_intervals_of_all_pairs_hold_at_once() -> None:
    """Without the resolution's help: how often does the interval of any pair of five equal ones leave out 1?"""
    rng = np.random.default_rng(13)
    missed = 0
    for _ in range(RUNS):
        pairs = standings(simulated(slowdowns(rng, 10 * 30, *SETUPS[1]), [1e-5] * 5)).ranking.pairs
        missed += any(not pair.ratio.low <= 1 <= pair.ratio.high for row in pairs for pair in row)
    assert missed <= 0.02 * RUNS


def test_a_drift_that_is_linear_over_a_round_cancels_for_every_pair() -> None:
    true = [1e-5, 1.3e-5, 2e-5]
    rounds = simulated(np.exp(0.01 * np.arange(6 * 20)), true)
    for i, row in enumerate(standings(rounds).ranking.pairs):
        for j, pair in enumerate(row):
            assert pair.ratio.value == pytest.approx(true[i] / true[j], rel=1e-12)


def test_the_time_of_each_and_what_it_came_from() -> None:
    found = standings(calm([2e-5, 1e-5, 4e-5]))
    assert [time.value for time in found.times] == pytest.approx([2e-5, 1e-5, 4e-5], rel=1e-3)
    assert all(time.low < time.value < time.high for time in found.times)
    assert (found.rounds, found.dropped, found.clock_mhz) == (30, 0, (0.0, 0.0))
    assert found.ranking.order == (1, 0, 2)
    assert found.ranking.groups == ((1,), (0,), (2,))
    ratio, inverse = found.ranking.pairs[2][1].ratio, found.ranking.pairs[1][2].ratio
    assert ratio.value == pytest.approx(4, rel=1e-3)
    assert (inverse.low, inverse.high) == pytest.approx((1 / ratio.high, 1 / ratio.low))


def test_one_alone_is_the_fastest() -> None:
    found = standings(calm([1e-5]))
    assert found.ranking.groups == ((0,),)
    assert found.ranking.pairs[0][0].ratio == Interval(1.0, 1.0, 1.0)


def test_a_group_is_held_together_by_its_fastest() -> None:
    # Neighbours are too close to be told apart, the first and the last are not.
    found = standings(calm([1.004e-5, 1.002e-5, 1.000e-5, 1.5e-5], noise=1e-4))
    assert not found.ranking.pairs[0][1].differ
    assert found.ranking.groups == ((2, 1), (0,), (3,))


def test_what_is_smaller_than_the_resolution_is_no_difference() -> None:
    (_, (below, _)) = standings(calm([1.0, 1 + RESOLUTION / 2], noise=1e-5)).ranking.pairs
    assert below.ratio.low > 1 and not below.differ
    (_, (above, _)) = standings(calm([1.0, 1 + RESOLUTION * 2], noise=1e-5)).ranking.pairs
    assert above.differ
    (row, _) = standings(calm([1.0, 1 + RESOLUTION * 2], noise=1e-5)).ranking.pairs
    assert row[1].differ


def test_too_few_rounds_show_no_difference_however_clear_it_looks() -> None:
    least = least_samples(joint_confidence(2))
    assert not standings(calm([1.0, 2.0], least - 1)).ranking.pairs[0][1].differ
    assert standings(calm([1.0, 2.0], least)).ranking.pairs[0][1].differ


def test_a_round_counts_for_the_pairs_that_ran_at_one_clock() -> None:
    def one(third: float) -> Round:
        return Round(((1.0, 1.0), (2.0, 2.0), (4.0, 4.0)), ((1980.0, 1980.0), (1975.0, 1975.0), (third, third)))

    found = standings([one(1980.0)] * 10 + [one(1500.0)] * 5)
    assert found.dropped == 5 and found.rounds == 15
    assert found.clock_mhz == (1500.0, 1980.0)
    assert found.ranking.pairs[0][1].enough and found.ranking.pairs[0][2].enough
    found = standings([one(1980.0)] * 5 + [one(1500.0)] * 10)
    assert found.ranking.pairs[0][1].enough and not found.ranking.pairs[0][2].enough


def test_where_the_clock_rules_out_all_rounds_all_are_used() -> None:
    found = standings([Round(((1.0, 1.0), (2.0, 2.0)), ((1980.0, 1980.0), (1500.0, 1500.0)))] * 20)
    assert (found.rounds, found.dropped) == (20, 0)
    assert found.ranking.pairs[1][0].ratio.value == 2.0


def test_over_several_sizes_the_ratios_geometric_mean_counts() -> None:
    sizes = [standings(calm([1.0, ratio], noise=1e-5)).ranking for ratio in (2.0, 0.125)]
    found = over_all(sizes)
    assert found.pairs[1][0].ratio.value == pytest.approx(0.5, rel=1e-3)
    assert found.pairs[0][1].ratio.value == pytest.approx(2.0, rel=1e-3)
    assert found.groups == ((1,), (0,))
    bounds = [exp(sum(log(r.pairs[1][0].ratio.low) for r in sizes) / 2), found.pairs[1][0].ratio.low]
    assert bounds[0] == pytest.approx(bounds[1])
    few = standings(calm([1.0, 2.0], 3)).ranking
    assert not over_all([sizes[0], few]).pairs[0][1].differ


def test_the_order_is_that_of_the_ratios() -> None:
    def pair(value: float) -> Pair:
        return Pair(Interval(value, value, value), True)

    ranking = Ranking(((pair(1), pair(1.1)), (pair(1 / 1.1), pair(1))))
    assert (ranking.fastest, ranking.order) == (1, (1, 0))


def test_it_is_over_when_all_intervals_are_narrow_and_not_before_the_least() -> None:
    rounds = calm([1.0, 2.0, 3.0], 100, noise=1e-4)
    assert not is_over([], 100.0, RULE)
    assert not is_over(rounds[: RULE.least - 1], 0.1, RULE)
    assert is_over(rounds[: RULE.least], 0.1, RULE)
    assert not is_over(rounds[: RULE.least + 1], 0.1, RULE)
    noisy = calm([1.0, 2.0, 3.0], 100, noise=0.05)
    assert not is_over(noisy, 0.1, RULE)


def test_one_uncertain_contender_keeps_it_going() -> None:
    rng = np.random.default_rng(3)
    steady = [(1.0 + 1e-5 * i, 1.0 + 1e-5 * i) for i in range(RULE.least)]
    rounds = [Round((pair, tuple(2.0 * np.exp(rng.normal(0, 0.05, 2))))) for pair in steady]
    assert is_over([Round((pair, (2.0, 2.0))) for pair in steady], 0.1, RULE)
    assert not is_over(rounds, 0.1, RULE)


def wavering(times: Sequence[float], waves: Sequence[float], count: int) -> list[Round]:
    """Rounds in which each time lies so much (log) above its middle and below it in turn."""
    return [
        Round(tuple((t * exp(sign * wave),) * 2 for t, wave in zip(times, waves, strict=True)))
        for sign in (1, -1) * (count // 2)
    ]


@pytest.mark.parametrize(
    ("times", "over"),
    [((2.0, 1.0, 3.0), True), ((1.0, 2.0, 3.0), False), ((3.0, 2.0, 1.0), False)],
    ids=["the steady one", "the first", "the last"],
)
def test_ratios_to_the_fastest_alone_have_to_be_narrow(times: tuple[float, ...], over: bool) -> None:
    """The first and the last waver apart: each within the tolerance, their ratio beyond it."""
    wave = 0.9 * RULE.tolerance
    assert is_over(wavering(times, (wave, 0.0, -wave), RULE.least), 0.1, RULE) is over


def test_the_tolerance_is_half_an_interval() -> None:
    for share, over in ((0.9, True), (1.1, False)):
        rounds = wavering((1.0,), (share * RULE.tolerance,), RULE.least)
        assert is_over(rounds, 0.1, RULE) is over


def test_intervals_are_looked_at_after_the_least_and_every_few_more() -> None:
    rule, rounds = StoppingRule(least=8, every=5), calm([1.0, 2.0], 30, noise=1e-5)
    assert [count for count in range(1, 25) if is_over(rounds[:count], 0.1, rule)] == [8, 13, 18, 23]


def test_time_is_up_later_for_more_contenders() -> None:
    two, six = (calm([1.0] * count, 30, noise=0.05) for count in (2, 6))
    assert is_over(two, 5.0, RULE) and not is_over(two, 4.9, RULE)
    assert is_over(six, 15.0, RULE) and not is_over(six, 14.9, RULE)
    assert is_over(calm([1.0], 30, noise=0.05), 5.0, RULE)


def test_slow_kernels_get_the_rounds_that_the_confidence_needs_within_reason() -> None:
    rounds = calm([1.0, 1.0], 8)
    assert not is_over(rounds[:7], 6.0, RULE)
    assert is_over(rounds, 6.0, RULE)
    assert is_over(rounds[:1], 10.0, RULE)
