"""Machine code in the model: least squares, loops, rounds of unrolled copies, and what a matching kernel takes."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from grader.languages.registry import read_submission
from grader.model.anchors import Anchor, of_row
from grader.model.calibration import calibration_of
from grader.model.executions import Executions, Matching
from grader.model.gpus import gpu_named
from grader.model.kernel import prepared
from grader.model.loops import way_of
from grader.model.machine import machine_of
from grader.model.memory import SECTOR
from grader.model.model import Sampled, sample_case, time_of
from grader.model.natural import OUT, loops_of
from grader.model.ops import rates_of
from grader.model.paths import Step
from grader.model.rounds import NEVER, Rounds, Turns, ptx_loops, turns_of
from grader.model.sampling import Row
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
    _, loops = loops_of([(0, 1), (1, 2), (2, 2), (2, 1), (2, 3), (3, OUT)])
    assert turns_of(steps, loops) == {1: Turns(1.0, 2.0), 2: Turns(2.0, 8.0)}


def _load(line: int, block: int, opcode: str = "ld", modifiers: tuple[str, ...] = ("global", "f32")) -> Row:
    counts = dict.fromkeys(
        ("executed", "requests", "sectors", "shared_requests", "wavefronts", "turns", "bytes", "lanes", "lines"), 0.0
    )
    return Row(line, "", opcode, modifiers, block, "a", (), (), False, reuse=(), **counts)


def _rounds(
    rows: list[Row], ptx: list[tuple[int, int]], edges: list[tuple[int, int]], static: dict[int, dict[int, float]]
) -> Rounds:
    """`static` has the bytes that each line loads, by block of the machine code."""
    known = [(row, of_row(row)) for row in rows]
    anchors = {Anchor(line, "load", "global", 4.0): blocks for line, blocks in static.items()}
    return Rounds(edges, anchors, known, loops_of(ptx)[1])


def test_loops_of_other_lines_that_run_as_often_keep_their_rounds() -> None:
    """Each of two loops runs once: one round is no share of the other's."""
    ways = [(0, 1), (1, 1), (1, 2), (2, 2), (2, OUT)]
    found = _rounds([_load(10, 1), _load(20, 2)], ways, ways, {10: {1: 4.0}, 20: {2: 4.0}})
    assert found.of({1: Turns(1.0, 1.0), 2: Turns(1.0, 1.0)}) == {1: Turns(1.0, 1.0), 2: Turns(1.0, 1.0)}


def test_wide_copies_take_the_rounds_that_fit() -> None:
    ptx = [(0, 1), (1, 1), (1, OUT)]
    edges = [(0, 1), (1, 1), (1, 2), (2, 2), (2, OUT)]
    found = _rounds([_load(10, 1)], ptx, edges, {10: {1: 16.0, 2: 4.0}})
    assert found.of({1: Turns(2.0, 11.0)}) == {1: Turns(2.0, 2.0), 2: Turns(2.0, 3.0)}
    assert found.of({1: Turns(2.0, 3.0)}) == {1: NEVER, 2: Turns(2.0, 3.0)}


def test_the_loop_around_wide_copies_is_no_copy() -> None:
    """What is left of the inner loop's rounds stands in the outer one, which looks like three rounds of it."""
    ptx = [(0, 1), (1, 2), (2, 2), (2, 1), (2, OUT)]
    edges = [(0, 1), (1, 2), (2, 2), (2, 3), (3, 1), (3, OUT)]
    found = _rounds([_load(10, 2)], ptx, edges, {10: {2: 16.0, 3: 12.0}})
    assert found.of({1: Turns(1.0, 5.0), 2: Turns(5.0, 7.0)}) == {1: Turns(1.0, 5.0), 2: Turns(5.0, 1.0)}


def test_loops_of_the_same_work_keep_their_order() -> None:
    ways = [(0, 1), (1, 1), (1, 2), (2, 2), (2, OUT)]
    found = _rounds([_load(10, 1), _load(10, 2)], ways, ways, {10: {1: 4.0, 2: 4.0}})
    assert found.of({1: Turns(1.0, 3.0), 2: Turns(1.0, 8.0)}) == {1: Turns(1.0, 3.0), 2: Turns(1.0, 8.0)}
    # Of three loops nobody knows which two they are.
    more = [(0, 1), (1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (3, OUT)]
    unknown = _rounds([_load(10, 1), _load(10, 2)], ways, more, {10: {1: 4.0, 2: 4.0, 3: 4.0}})
    assert unknown.of({1: Turns(1.0, 3.0), 2: Turns(1.0, 8.0)}) == {}


def test_accesses_of_one_line_are_told_apart_by_their_width() -> None:
    """Two instances of a template have the same lines: a loop of one would do the work of the other."""
    single, four = of_row(_load(10, 1)), of_row(_load(10, 1, modifiers=("global", "v4", "f32")))
    assert single is not None and four is not None
    assert single.anchor != four.anchor
    # The assembler makes wide accesses to shared memory of narrow ones.
    shared = [of_row(_load(10, 1, modifiers=("shared", *more, "f32"))) for more in ((), ("v4",))]
    assert shared[0] is not None and shared[1] is not None
    assert shared[0].anchor == shared[1].anchor


def test_a_tiled_product_matches_its_machine_code(tiled: Sampled) -> None:
    (launch,) = tiled.launches
    code = tiled.code[launch.handle]
    warps = launch.blocks * launch.threads // 32
    found = Matching(launch, code).executions([row.executed / warps for row in launch.rows], launch.ways)
    assert found is not None
    assert found.fits
    products = sum(found.of(n) * sum(one.name == "FFMA" for one in block.code) for n, block in enumerate(code.blocks))
    assert products == pytest.approx(SIZES["K"], rel=0.1)


def test_what_has_many_blocks_or_ways_is_not_matched(tiled: Sampled, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which blocks dominate which takes as many steps and as much memory as the square of their number."""
    (launch,) = tiled.launches
    code = tiled.code[launch.handle]
    given = prepared(launch, tiled.facts[launch.handle], H200, code)
    monkeypatch.setattr("grader.model.machine.Matching", lambda *_: pytest.fail("it was matched"))
    block = code.blocks[0]
    long = replace(code, blocks=tuple(replace(block, after=(n + 1,)) for n in range(40_000)))
    dense = replace(code, blocks=tuple(replace(block, after=tuple(range(160))) for _ in range(160)))
    for hostile in (long, dense):
        assert machine_of(launch, hostile, H200, calibration_of(H200), given.traffic, 4) is None


def test_loops_are_not_looked_for_in_ptx_with_many_ways(tiled: Sampled) -> None:
    (launch,) = tiled.launches
    assert ptx_loops(launch)
    assert ptx_loops(replace(launch, edges=tuple((n, n % 40_000 + 1) for n in range(40_001)))) == {}


def test_the_machine_code_decides_where_it_matches(tiled: Sampled) -> None:
    (launch,) = tiled.launches
    given = prepared(launch, tiled.facts[launch.handle], H200, tiled.code[launch.handle])
    assert given.code is not None
    assert machine_of(launch, given.code, H200, calibration_of(H200), given.traffic, 4) is not None
    plain = Sampled(tiled.sizes, tiled.launches, tiled.facts)
    assert time_of(tiled, H200) != time_of(plain, H200)
    assert time_of(tiled, H200) == time_of(tiled, H200)


def test_updates_that_the_assembler_adds_up_are_one_for_each_warp(tmp_path: Path) -> None:
    """In PTX 32 lanes update one counter in turns; the machine code lets one lane add the sum of all."""
    folder = FOLDER.parent / "monte_carlo"
    file = folder / "submissions" / "accepted" / "1_atomic_a_thread.cu"
    found = sample_case(load_problem(folder), read_submission(file, None), {"N": 400_000}, H200, tmp_path)
    (launch,) = found.launches
    (line,) = {row.line for row in launch.rows if row.traits.is_atomic}
    code = found.code[launch.handle]
    given = prepared(launch, found.facts[launch.handle], H200, code)
    load = machine_of(launch, code, H200, calibration_of(H200), given.traffic, 132)
    assert load is not None
    assert load.gathered == {line}
    with_code, without = (time_of(each, H200).seconds for each in (found, replace(found, code={})))
    assert with_code is not None
    assert without is not None
    assert 5 * with_code < without


def _sampled(problem: str, file: str, sizes: dict[str, int], folder: Path) -> Sampled:
    path = FOLDER.parent / problem
    submission = read_submission(path / "submissions" / "accepted" / file, None)
    return sample_case(load_problem(path), submission, sizes, H200, folder)


def test_a_loop_that_is_entered_once_is_found_beside_loops_with_many_rounds(tmp_path: Path) -> None:
    found = _sampled("edit_distance", "2_diagonals.cu", {"PAIRS": 20, "N": 600, "M": 600}, tmp_path)
    (launch,) = found.launches
    given = prepared(launch, found.facts[launch.handle], H200, found.code[launch.handle])
    assert given.code is not None
    assert machine_of(launch, given.code, H200, calibration_of(H200), given.traffic, 20) is not None


def test_of_two_arrays_in_a_line_each_comes_from_where_it_is(tmp_path: Path) -> None:
    """Each block reads a row of the matrix from DRAM, and the vector from L2."""
    found = _sampled("gemv", "solve_block_a_row.cu", {"M": 4096, "N": 4096}, tmp_path)
    (launch,) = found.launches
    values = calibration_of(H200)
    given = prepared(launch, found.facts[launch.handle], H200, found.code[launch.handle])
    assert given.code is not None
    load = machine_of(launch, given.code, H200, values, given.traffic, 132)
    assert load is not None
    of_warp = sum(op.dram * weight for ops, weight in load.ways[0] for op in ops)
    sectors = given.traffic.bytes / SECTOR / (launch.blocks * launch.threads / 32)
    assert of_warp == pytest.approx(sectors * rates_of(H200, values, 132).dram, rel=0.05)


def test_lanes_that_ask_for_different_constants_ask_one_after_another(tmp_path: Path) -> None:
    found = _sampled("base64", "1_group_a_thread.cu", {"N": 300_000}, tmp_path)
    (launch,) = found.launches
    words = [row.words for row in launch.rows if "const" in row.modifiers]
    assert min(words) > 10
    given = prepared(launch, found.facts[launch.handle], H200, found.code[launch.handle])
    assert given.code is not None
    load = machine_of(launch, given.code, H200, calibration_of(H200), given.traffic, 132)
    assert load is not None
    busiest = sorted(op.busy for ops, _ in load.ways[0] for op in ops)[-4:]
    # Two cycles a word, of a quarter of an SM eight.
    assert busiest == pytest.approx([8 * each for each in sorted(words)], rel=0.05)
