"""Locks that all threads of a large grid take in turn come to an end within the usual limits, whatever the workers."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from grader.run.emulator import LaunchResult, Limits, Memory, Module

from .harness import kernel_ptx

BLOCKS, THREADS = 1024, 256
FORMS = (
    "by_tickets",
    "by_swaps",
    "freed_by_a_store",
    "looked_at_first",
    "by_volatile_tickets",
    "by_no_lock",
)
SECONDS = 20
"""Of a processor: a lock that thousands of warps look at costs as much as one that few look at."""


def launch(kernel: str, blocks: int = BLOCKS, sanitize: bool = True) -> tuple[LaunchResult, int]:
    """The outcome of a launch, and the number that its threads have counted to."""
    memory = Memory()
    given = [struct.pack("<Q", memory.place("out", np.zeros(1, "i4")))]
    module = Module(kernel_ptx("locks.cu"), sanitize=sanitize)
    result = module.launch(
        kernel, (blocks, 1, 1), (THREADS, 1, 1), given, memory, limits=Limits(seconds=SECONDS), workers=4
    )
    return result, int(memory.read("out")[0])


@pytest.mark.parametrize("kernel", FORMS)
def test_all_threads_take_the_lock(kernel: str) -> None:
    result, counted = launch(kernel)
    assert (result.status, result.fault) == ("done", None)
    assert counted == BLOCKS * THREADS


@pytest.mark.parametrize("kernel", [*FORMS, "by_turns"])
def test_a_million_threads_take_it_in_a_launch_without_race_checks(kernel: str) -> None:
    result, counted = launch(kernel, 4 * BLOCKS, sanitize=False)
    assert result.status == "done"
    assert counted == 4 * BLOCKS * THREADS


def test_a_lock_that_is_never_freed_counts_each_look_in_full() -> None:
    result, _ = launch("never_freed")
    assert result.status == "limit"
    assert result.instructions < 2 * Limits().instructions
