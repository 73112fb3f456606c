"""The cycle model, on ways of warps whose time can be told by hand."""

from __future__ import annotations

import json

import pytest

from grader.model.calibration import calibration_of
from grader.model.gpus import gpu_named, table_path
from grader.model.kernel import barrier_cycles, dealt
from grader.model.schedule import BARRIER, PLAIN, Op, scheduled
from grader.model.sm import BARRIERS, ISSUE, LATENCY, PIPE, PIPES, simulate

MULTIPLY, SHARED = PIPES.index("multiply"), PIPES.index("shared")


def op(reads=(), writes=(), pipe=MULTIPLY, busy=1.0, latency=4.0, role=PLAIN, **more):
    return Op(role, 1.0, pipe, busy, latency, tuple(reads), tuple(writes), 1, LATENCY, **more)


def cycles(way, warps, rounds=1):
    return simulate([way] * warps, 1, 64, rounds, 0.0, 20.0)


def test_a_chain_of_one_warp_takes_its_latencies():
    chain = [op(reads=[n], writes=[n + 1]) for n in range(50)]
    found = cycles([(chain, 1.0)], 1)
    assert found.first == pytest.approx(49 * 4 + 1)
    assert found.causes[LATENCY] > 3 * found.causes[ISSUE] * 0.9


def test_four_warps_hide_a_latency_of_four():
    chain = [op(reads=[n], writes=[n + 1]) for n in range(50)]
    assert cycles([(chain, 1.0)], 4).first == pytest.approx(200, abs=4)


def test_a_pipe_that_is_busy_for_two_cycles_halves_the_rate():
    found = cycles([([op(writes=[n], busy=2.0) for n in range(50)], 1.0)], 4)
    assert found.first == pytest.approx(400, abs=4)
    assert found.causes[PIPE] == pytest.approx(200, abs=4)


def test_rounds_that_stand_for_many_count_as_many():
    body = [op(reads=[n], writes=[n + 1]) for n in range(20)]
    long = cycles([(body, 1.0)] * 100, 2).first
    short = cycles([(body, 1.0), (body, 49.5), (body, 49.5)], 2).first
    assert short == pytest.approx(long, rel=0.02)


def test_a_barrier_waits_for_the_slowest_warp():
    slow = [op(reads=[n], writes=[n + 1]) for n in range(100)]
    barrier = [op(pipe=-1, latency=0.0, role=BARRIER)]
    ways = [[(barrier, 1.0), ([op()], 1.0)], [(slow, 1.0), (barrier, 1.0), ([op()], 1.0)]]
    found = simulate(ways, 1, 128, 1, 0.0, 20.0)
    assert found.first == pytest.approx(99 * 4 + 1 + 20, abs=5)
    assert found.causes[BARRIERS] > 0


@pytest.mark.parametrize("warps", [4, 8, 16, 32])
def test_barriers_alone_take_what_a_microbenchmark_of_so_many_warps_takes(warps):
    gpu = gpu_named("H200")
    measured = json.loads(table_path(gpu).read_text())["measured"]["waiting"]["barrier"][str(warps)]
    barrier = barrier_cycles(warps, calibration_of(gpu))

    def first(count):
        way = [((op(pipe=-1, latency=0.0, role=BARRIER),) * count, 1.0)]
        return simulate([way] * (warps // 4), 1, 1, 1, 0.0, barrier).first

    assert (first(200) - first(100)) / 100 == pytest.approx(measured, rel=0.001)


def test_the_bandwidth_of_memory_bounds_many_loads():
    loads = [op(writes=[n], pipe=SHARED, busy=4.0, latency=500.0, dram=40.0) for n in range(20)]
    use = [op(reads=[n], writes=[20 + n]) for n in range(20)]
    found = cycles([(loads + use, 1.0)], 8, rounds=3)
    assert found.later == pytest.approx(8 * 20 * 40, rel=0.1)


def test_loads_come_before_what_is_computed_meanwhile():
    ops = [op(reads=[0], writes=[0]) for _ in range(10)] + [op(writes=[5], pipe=SHARED, latency=500.0), op(reads=[5])]
    order = scheduled(ops)
    assert order[0].latency == 500.0 and order[-1].reads == (5,)


def test_a_load_does_not_pass_a_store_that_it_may_meet():
    store, load = op(reads=[1], pipe=SHARED, order="G"), op(writes=[2], pipe=SHARED, latency=500.0, order="g")
    assert scheduled([store, load]) == (store, load)
    assert scheduled([store, op(writes=[2], pipe=SHARED, latency=500.0)])[0].latency == 500.0


def test_few_long_warps_of_a_block_are_spread_over_schedulers():
    """Of eight warps two work: each of four schedulers has half of one, and does not do the work of four."""
    ways = dealt([(((op(),) * 40, 1.0),), (((op(),), 1.0),)], [2, 6], 2)
    assert sum(sum(each.slots for each in ops) * weight for way in ways for ops, weight in way) == 0.5 * 40 + 1.5
    # A barrier still waits for one of the long ones in each block.
    assert sum(len(ops) == 40 for way in ways for ops, _ in way) == 1


def test_each_way_of_a_block_counts_as_often_as_warps_go_it():
    ways = dealt([(((op(),) * n, 1.0),) for n in (1, 2, 3, 30)], [1, 1, 1, 1], 2)
    assert sum(each.slots for way in ways for ops, _ in way for each in ops) == (1 + 2 + 3 + 30) / 2


def test_blocks_begin_one_after_another() -> None:
    way = [([op()], 1.0)]
    assert simulate([way], 8, 1, 1, 0.0, 20.0, apart=100.0).first == pytest.approx(701)
    # Those of a second round wait for the first one's as well, not for their own slot alone.
    both = simulate([way], 8, 1, 2, 0.0, 20.0, apart=100.0)
    assert both.first + both.later == pytest.approx(1501)
