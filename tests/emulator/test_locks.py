"""Locks that all threads of a large grid take in turn come to an end within the usual limits."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from grader.run.emulator import LaunchResult, Limits, Memory, Module

from .harness import kernel_ptx

BLOCKS, THREADS = 1024, 256


def launch(kernel: str) -> tuple[LaunchResult, int]:
    """The outcome of a launch with race checks, and the number that its threads have counted to."""
    memory = Memory()
    given = [struct.pack("<Q", memory.place("out", np.zeros(1, "i4")))]
    module = Module(kernel_ptx("locks.cu"), sanitize=True)
    result = module.launch(kernel, (BLOCKS, 1, 1), (THREADS, 1, 1), given, memory, limits=Limits())
    return result, int(memory.read("out")[0])


@pytest.mark.parametrize("kernel", ["by_tickets", "by_swaps", "freed_by_a_store"])
def test_all_threads_take_the_lock(kernel: str) -> None:
    result, counted = launch(kernel)
    assert (result.status, result.fault) == ("done", None)
    assert counted == BLOCKS * THREADS


def test_a_lock_that_is_never_freed_counts_each_look_in_full() -> None:
    result, _ = launch("never_freed")
    assert result.status == "limit"
    assert result.instructions < 2 * Limits().instructions
