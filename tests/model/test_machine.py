"""Machine code in the model: least squares, loops, rounds of unrolled copies, and what a matching kernel takes."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from grader.languages.registry import read_submission
from grader.model.calibration import calibration_of
from grader.model.executions import Executions, Matching
from grader.model.gpus import gpu_named
from grader.model.kernel import prepared
from grader.model.loops import way_of
from grader.model.machine import machine_of
from grader.model.model import Sampled, sample_case, time_of
from grader.model.natural import OUT, loops_of
from grader.model.paths import Step
from grader.model.rounds import Turns, mean_turns, turns_of
from grader.model.solving import Equation, solve
from grader.problem import load_problem

H200 = gpu_named("H200")
FOLDER = Path(__file__).parents[2] / "problems" / "matmul"
SIZES = {"M": 128, "N": 128, "K": 128}


@pytest.fixture(scope="module")
def tiled() -> Sampled:
    with tempfile.TemporaryDirectory() as folder:
        file = FOLDER / "submissions" / "accepted" / "2_tiled.cu"
        return sample_case(load_problem(FOLDER), read_submission(file, None), SIZES, H200, Path(folder))


def test_least_squares_have_no_negative_numbers() -> None:
    equations = [Equation(((0, 1.0), (1, 1.0)), 2.0, 1.0), Equation(((0, 1.0), (1, -1.0)), 4.0, 1.0)]
    first, second = solve(equations, 2, [0.0, 0.0])
    assert first == pytest.approx(3.0, rel=1e-6)
    assert second == 0.0


def test_the_cheaper_way_is_taken() -> None:
    assert solve([Equation(((0, 1.0), (1, 4.0)), 8.0, 1.0)], 2, [1e-3, 1e-3])[0] == 0.0


def test_loops_are_nested() -> None:
    order, loops = loops_of([(0, 1), (1, 2), (2, 2), (2, 3), (3, 1), (3, 4), (4, OUT)])
    assert order == [0, 1, 2, 3, 4]
    assert {header: sorted(loop.body) for header, loop in loops.items()} == {1: [1, 2, 3], 2: [2]}


def test_a_way_has_as_many_executions_as_its_blocks() -> None:
    edges = [(0, 1), (1, 1), (1, 2), (2, OUT)]
    found = Executions({(0, 1): 1.0, (1, 1): 9.0, (1, 2): 1.0, (2, OUT): 1.0}, 0.0)
    visits = way_of(found, edges)
    assert [visit.block for visit in visits] == [0, 1, 1, 1, 2]
    assert sum(visit.weight * visit.share for visit in visits if visit.block == 1) == pytest.approx(10.0)


def test_turns_are_entries_and_rounds() -> None:
    steps = [Step(0, 1), Step(1, 1), Step(2, 1), Step(2, 7), Step(1, 1), Step(2, 1), Step(2, 7), Step(3, 1)]
    assert turns_of(steps)[2] == Turns(2.0, 8.0)
    assert turns_of(steps)[3] == Turns(1.0, 1.0)


def test_a_tiled_product_matches_its_machine_code(tiled: Sampled) -> None:
    (launch,) = tiled.launches
    code = tiled.code[launch.symbol]
    warps = launch.blocks * launch.threads // 32
    found = Matching(launch.rows, code).executions(
        [row.executed / warps for row in launch.rows], mean_turns(launch.ways)
    )
    assert found is not None
    assert found.fits
    products = sum(found.of(n) * sum(one.name == "FFMA" for one in block.code) for n, block in enumerate(code.blocks))
    assert products == pytest.approx(SIZES["K"], rel=0.1)


def test_what_has_many_blocks_or_ways_is_not_matched(tiled: Sampled, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which blocks dominate which takes as many steps and as much memory as the square of their number."""
    (launch,) = tiled.launches
    code = tiled.code[launch.symbol]
    given = prepared(launch, tiled.facts[launch.symbol], H200, code)
    monkeypatch.setattr("grader.model.machine.Matching", lambda *_: pytest.fail("it was matched"))
    block = code.blocks[0]
    long = replace(code, blocks=tuple(replace(block, after=(n + 1,)) for n in range(40_000)))
    dense = replace(code, blocks=tuple(replace(block, after=tuple(range(160))) for _ in range(160)))
    for hostile in (long, dense):
        assert machine_of(launch, hostile, H200, calibration_of(H200), given.traffic, 4) is None


def test_the_machine_code_decides_where_it_matches(tiled: Sampled) -> None:
    (launch,) = tiled.launches
    given = prepared(launch, tiled.facts[launch.symbol], H200, tiled.code[launch.symbol])
    assert given.code is not None
    assert machine_of(launch, given.code, H200, calibration_of(H200), given.traffic, 4) is not None
    plain = Sampled(tiled.sizes, tiled.launches, tiled.facts)
    assert time_of(tiled, H200) != time_of(plain, H200)
    assert time_of(tiled, H200) == time_of(tiled, H200)
