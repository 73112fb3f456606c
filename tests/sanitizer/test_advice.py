"""What a race's message advises has to fit: blocks meet at no barrier of a block, an atomic may only be too narrow."""

from __future__ import annotations

from pathlib import Path

import pytest

from .pairs import run

KERNELS = Path(__file__).parent / "kernels"
NEAR, FAR = "a __threadfence_block() before it is set", "a __threadfence() before it is set"


@pytest.mark.parametrize(
    ("name", "said", "unsaid"),
    [
        ("atomic_of_block_by_one_block", "the atomic of line 7 is one for its own block only", "make both"),
        ("lock_of_block", "leave out _block, or make it cuda::thread_scope_device", "make both"),
        ("guard_before_atomic", "make both accesses atomic", "threadfence"),
        ("another_lock", FAR, "__syncthreads"),
        ("another_lock_in_block", NEAR, "blocks run in no order"),
        ("fence_by_one_lane", "by each thread or behind a __syncwarp()", "__syncthreads"),
        ("volatile_value_without_fence", "put a __threadfence() after line 8, before it is set", "two launches"),
        ("volatile_value_in_shared_memory", "put a __threadfence_block() after line 10", "__syncthreads"),
        ("volatile_tail_of_tree", "a __syncwarp() is missing between", "__syncthreads"),
        ("neighbours_pulled_in_place", "a __syncthreads() is missing between line 8 and line 12", "threadfence"),
    ],
)
def test_the_advice(name: str, said: str, unsaid: str) -> None:
    fault = run((KERNELS / f"{name}.cu").read_text(), name, workers=1).fault
    assert fault is not None
    assert said in fault.message
    assert unsaid not in fault.message
