"""Blocks on several processors: the workers of a launch share what they must, and nothing else."""

import struct

import numpy as np

from grader.run.emulator import Memory, Module
from grader.run.emulator.arena import thread_indices
from tests.called import calls_of

from .harness import compile_ptx

SOURCE = """
extern "C" __global__ void index(int* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;
}
"""


def test_the_table_of_thread_indices_is_made_once() -> None:
    """Native code holds addresses in it: a second one, made by another worker, would free the first under them."""
    memory = Memory()
    address = memory.place("out", np.zeros(64 * 96, np.int32))
    module = Module(compile_ptx(SOURCE))
    with calls_of(thread_indices) as made:
        result = module.launch("index", (64, 1, 1), (96, 1, 1), [struct.pack("<Q", address)], memory, workers=16)
    assert result.status == "done"
    assert [call["block"] for _, call in made] == [(96, 1, 1)]
    assert (memory.read("out") == np.arange(64 * 96)).all()
