"""Timing on a real GPU: known ratios, fresh data, and outputs that can be checked afterwards."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from grader.measure.ceilings import PRECISIONS, ceilings
from grader.measure.samples import CANDIDATE, Kept, Timing, from_data, to_data
from grader.measure.statistics import StoppingRule, ratio_interval, summarise
from grader.run.gpu.devices import find_gpus
from grader.run.gpu.mailbox import Mailbox
from grader.run.gpu.refill import make_values, replay_key, stream_of
from grader.run.gpu.timing import measure
from tests.run.gpu_timing.subjects import COUNT, SIGMA, sets_of

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.alone,
    pytest.mark.skipif(not find_gpus(), reason="no NVIDIA GPU here; on a machine that has one type: make test-gpu"),
]

SEED = 2**47 + 5
QUICK = StoppingRule(seconds=1.0)


class Store:
    """What the judge's side of `keep` does: a copy of each."""

    def __init__(self) -> None:
        self.outputs: list[tuple[Kept, np.ndarray[Any, Any]]] = []

    def __call__(self, kept: Kept, mailbox: Mailbox) -> None:
        self.outputs.append((kept, mailbox.arrays[0].get().view(np.float32)))

    def right(self, timing: Timing) -> list[bool]:
        """For each kept output, whether it is x + y of the inputs that this replay had."""
        assert [kept for kept, _ in self.outputs] == list(timing.kept)
        return [self._is_sum(kept, output) for kept, output in self.outputs]

    @staticmethod
    def _is_sum(kept: Kept, output: np.ndarray[Any, Any]) -> bool:
        key = replay_key(SEED, CANDIDATE, kept.replay)
        x, y = (make_values(key, stream_of(kept.buffer_set, 2, p), COUNT, SIGMA) for p in (0, 1))
        return np.array_equal(output, x + y)


def test_a_kernel_twice_as_long_takes_twice_the_time() -> None:
    timing = measure(sets_of("chain", 200_000), sets_of("chain", 100_000), seed=SEED)
    summary = summarise(timing.quads)
    assert summary.ratio is not None
    assert summary.ratio.value == pytest.approx(2.0, abs=0.03)
    assert (summary.time.high - summary.time.low) / summary.time.value < 0.02
    assert timing.consistent
    assert from_data(json.loads(json.dumps(to_data(timing)))) == timing


def test_one_percent_is_told_apart_in_the_right_order() -> None:
    ratio = ratio_interval(measure(sets_of("chain", 4040), sets_of("chain", 4000), seed=SEED).quads)
    assert ratio is not None
    assert 1.004 < ratio.value < 1.016


def test_a_kernel_against_itself_is_a_draw() -> None:
    timing = measure(sets_of("chain", 4000), sets_of("chain", 4000), seed=SEED, rule=QUICK, null=QUICK)
    for quads in (timing.quads, timing.null):
        ratio = ratio_interval(quads)
        assert ratio is not None
        assert ratio.value == pytest.approx(1.0, abs=0.005)


def test_kept_outputs_are_of_the_inputs_that_the_judge_makes_again() -> None:
    store = Store()
    timing = measure(sets_of("add"), sets_of("add"), seed=SEED, sigma=SIGMA, keep=store)
    assert 20 <= len(timing.kept) <= len(timing.quads)
    assert len({(kept.replay, kept.buffer_set) for kept in timing.kept}) == len(timing.kept)
    assert all(store.right(timing))


def test_it_works_without_a_baseline() -> None:
    store = Store()
    timing = measure(sets_of("add"), seed=SEED, sigma=SIGMA, keep=store, null=QUICK)
    assert summarise(timing.quads).ratio is None
    assert ratio_interval(timing.null) is not None
    assert 20 <= len(timing.kept) <= len(timing.quads)
    assert all(store.right(timing))


@pytest.mark.parametrize("cheat", ["remember", "retire"])
def test_a_kernel_that_stops_working_when_it_is_timed_is_caught(cheat: str) -> None:
    store = Store()
    timing = measure(sets_of(cheat), sets_of("add"), seed=SEED, sigma=SIGMA, keep=store)
    assert not all(store.right(timing))


def test_the_surroundings_are_plausible() -> None:
    timing = measure(sets_of("add"), seed=SEED, rule=QUICK)
    low, high = summarise(timing.quads).clock_mhz
    assert 100 < low <= high < 5000
    assert 0 < timing.tick < 5e-6
    assert 1e-7 < timing.floor < 2e-5
    assert timing.floor * 0.5 < summarise(timing.quads).time.value < 1e-3
    assert timing.graph_bytes[CANDIDATE] == timing.copies[CANDIDATE] * 3 * 4 * COUNT


@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_ceilings_are_near_the_datasheet(precision: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    found, figures = ceilings(find_gpus()[0], tmp_path_factory.getbasetemp(), precision=precision)
    assert min(figures.read, figures.write, figures.copy) > 0.5 * found.bandwidth
    if found.datasheet_bandwidth is not None and found.datasheet_flops is not None:
        assert 0.6 < found.bandwidth / found.datasheet_bandwidth < 1.02
        assert 0.5 < found.flops / found.datasheet_flops < 1.05
