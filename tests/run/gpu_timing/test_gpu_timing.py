"""Timing on a real GPU: known ratios, fresh data, and outputs that can be checked afterwards."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from grader.machine.gpus import find_gpus
from grader.measure.samples import CANDIDATE, Kept, Timing, from_data, to_data
from grader.measure.statistics import StoppingRule, ratio_interval, summarise
from grader.run.gpu.ceilings import PRECISIONS, ceilings
from grader.run.gpu.device_code import load_module
from grader.run.gpu.filling import POISONED, copied
from grader.run.gpu.mailbox import Mailbox
from grader.run.gpu.refill import SOURCE, Refill, Span, make_values, replay_key, stream_of
from grader.run.gpu.shortened import Untouched, WrittenEarly
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
    assert len(timing.kept) >= 20
    assert len({(kept.replay, kept.buffer_set) for kept in timing.kept}) == len(timing.kept)
    assert all(store.right(timing))


def test_it_works_without_a_baseline() -> None:
    store = Store()
    timing = measure(sets_of("add"), seed=SEED, sigma=SIGMA, keep=store, null=QUICK)
    assert summarise(timing.quads).ratio is None
    assert ratio_interval(timing.null) is not None
    assert len(timing.kept) >= 20
    assert all(store.right(timing))


@pytest.mark.parametrize("cheat", ["remember", "retire"])
def test_a_kernel_that_stops_working_when_it_is_timed_is_caught(cheat: str) -> None:
    store = Store()
    timing = measure(sets_of(cheat), sets_of("add"), seed=SEED, sigma=SIGMA, keep=store)
    assert not all(store.right(timing))


def test_a_launch_that_does_the_work_of_others_is_caught() -> None:
    with pytest.raises(WrittenEarly, match="each launch has to do its own work"):
        measure(sets_of("all_at_first"), sets_of("add"), seed=SEED, sigma=SIGMA, keep=Store())


def test_work_that_is_left_to_a_later_launch_is_missed_where_that_one_does_not_run() -> None:
    store = Store()
    timing = measure(sets_of("all_at_last"), sets_of("add"), seed=SEED, sigma=SIGMA, keep=store)
    right = store.right(timing)
    assert any(right) and not all(right)


def test_outputs_that_were_written_are_found() -> None:
    import cupy

    module, stream = load_module(SOURCE), cupy.cuda.Stream.null
    source = cupy.arange(1003, dtype=cupy.uint8)
    arrays = [cupy.empty(1003, dtype=cupy.uint8) for _ in range(4)]
    fillings = [POISONED, copied(source.data.ptr)] * 2
    spans = [Span(array.data.ptr, 1003, filling) for array, filling in zip(arrays, fillings, strict=True)]
    sets = [spans[:2], spans[2:]]
    refill, look = Refill(module, [[], []], sets), Untouched(module, sets, first=5)

    def written() -> None:
        look.enqueue(stream)
        cupy.cuda.Device().synchronize()
        look.check()

    for number, array in enumerate(arrays):
        for place in (0, 500, 1000, 1002):
            refill.enqueue(stream, 1, 1.0)
            written()
            array[place] ^= 1
            with pytest.raises(WrittenEarly, match=f"outputs of number {6 + number // 2} were") as early:
                written()
            assert early.value.output == number % 2


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
