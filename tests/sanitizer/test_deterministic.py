"""Blocks that wait for each other run in one order: what is found does not depend on the machine's load."""

from __future__ import annotations

from pathlib import Path

from .pairs import run

KERNELS = Path(__file__).parent / "kernels"


def test_blocks_that_meet_execute_the_same_each_time() -> None:
    """How often a block looks in vain shows the order in which the blocks ran."""
    source = (KERNELS / "grid_barrier_one_too_few.cu").read_text()
    results = [run(source, "barrier.cu", workers=4) for _ in range(10)]
    assert {result.fault.kind for result in results if result.fault is not None} == {"data_race"}
    assert len({(result.fault, result.instructions) for result in results}) == 1
