"""What the sampling process tells becomes launches: sums over the grid, ways, and launches that are like others."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from grader.model.device import traced_share
from grader.model.sampling import read_launches

ROW = {"line": 3, "text": "add.s32 %r1, %r2, %r3", "opcode": "add", "modifiers": ["s32"], "block": 0, "array": ""}


def told(**more):
    blocks = [
        {"number": 0, "weight": 75.0, "instructions": 100, "rows": [[10, 320, 0, 0, 0, 0, 0, 0, 0, 0, 0]]},
        {"number": 99, "weight": 25.0, "instructions": 20, "rows": [[2, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0]]},
    ]
    shape = {"kernel": "k", "grid": [100, 1, 1], "block": [64, 1, 1], "shared_bytes": 0}
    return {
        **shape,
        "blocks": blocks,
        "typical": 0,
        "rows": [ROW],
        "operands": [{"written": ["%r1"], "read": ["%r2", "%r3"], "guarded": False}],
        "ways": [{"warps": 2, "steps": [[0, 1.0], [1, 49.5]], "length": 50}],
        "lines": [],
        "reuse": {"footprints": [], "lines": [], "rows": [], "followers": []},
        "footprints": [],
        "edges": [],
        "estimate": 8000.0,
        "done": 1.0,
        "traced": 1.0,
        **more,
    }


def test_sums_are_those_of_the_whole_grid():
    (launch,) = read_launches([told()])
    assert launch.instructions == 75 * 100 + 25 * 20
    (row,) = launch.rows
    assert row.executed == 75 * 10 + 25 * 2
    assert row.lanes == pytest.approx((75 * 320 + 25 * 32) / 800)
    assert launch.ways[0].steps[1].weight == 49.5


def test_a_block_that_leaves_at_once_is_no_block_that_works():
    (launch,) = read_launches([told()])
    assert launch.working == pytest.approx(80) and launch.blocks == 100


def test_a_launch_like_another_has_its_own_work_where_that_was_counted():
    like = {"kernel": "k", "grid": [100, 1, 1], "block": [64, 1, 1], "shared_bytes": 0, "like": 0, "done": 1.0}
    first, same, less = read_launches([told(), like, {**like, "instructions": 2000}])
    assert same.instructions == first.instructions
    assert less.instructions == first.instructions / 4 and less.rows[0].executed == first.rows[0].executed / 4


def test_the_spread_is_that_of_blocks_of_one_kind():
    (launch,) = read_launches([told()])
    assert launch.spread == 0.0
    odd = told()
    odd["blocks"][1].update(weight=60.0, instructions=300)
    assert read_launches([odd])[0].spread == pytest.approx(0.5)


def test_what_all_blocks_did_is_compared_with_what_the_sample_says():
    (launch,) = read_launches([told(all={"instructions": 8000, "sectors": 0})])
    assert launch.hidden < 1.0
    (launch,) = read_launches([told(all={"instructions": 36_000, "sectors": 0})])
    assert launch.hidden == 2.0
    (launch,) = read_launches([told(all={"instructions": 8000, "sectors": 30_000})])
    assert launch.hidden == 3.0


def test_ways_of_a_full_trace_have_a_share_of_the_instructions():
    # Of a block's four warps two were traced, before they had ended a loop of 10 rounds.
    rows = [SimpleNamespace(block=block, executed=4 * rounds) for block, rounds in ((0, 1), (1, 10), (1, 10))]
    counts = SimpleNamespace(rows=rows)
    steps = np.array([0, 0, 0, 1, 1, 1, 1, 1]), np.array([0, 1, 1, 0, 1, 1, 1, 1])
    full = SimpleNamespace(steps_are_full=True, steps=lambda: steps)
    assert traced_share(full, counts, 4) == pytest.approx((2 + 2 * 6) / (21 * 2))
    assert traced_share(SimpleNamespace(steps_are_full=False, steps=lambda: steps), counts, 4) == 1.0
    assert read_launches([told(traced=0.25)])[0].traced == 0.25
