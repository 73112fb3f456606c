"""The GPU's Philox stream is NumPy's: on the emulator everywhere, and on a GPU together with the inputs made of it."""

import struct
from pathlib import Path

import numpy as np
import pytest

from grader.machine.gpus import find_gpus
from grader.problem import load_problem
from grader.problem.cases import draw_cases
from grader.problem.inputs import families, make_inputs
from grader.run.emulator import Memory, Module
from grader.run.gpu.philox import SOURCE, GpuPlace

from .harness import compile_ptx

PROBLEMS = Path(__file__).parents[2] / "problems"
KEY = 0xFEDCBA9876543210_0123456789ABCDEF


@pytest.mark.parametrize(("first", "count"), [(0, 1), (0, 1000), (1, 2), (3, 5), (1022, 7), (2**33 + 3, 130)])
def test_the_kernel_gives_numpys_words(first: int, count: int) -> None:
    memory = Memory()
    address = memory.place("words", np.zeros(count, np.uint64))
    arguments = [struct.pack("<Q", value) for value in (address, first, count, KEY & 2**64 - 1, KEY >> 64)]
    blocks = (first + count + 3) // 4 - first // 4
    result = Module(compile_ptx(SOURCE)).launch("philox", (-(-blocks // 64), 1, 1), (64, 1, 1), arguments, memory)
    assert result.status == "done", result
    stream = np.random.Philox(key=KEY)
    stream.advance(first // 4)
    stream.random_raw(first % 4)
    assert np.array_equal(memory.read("words"), stream.random_raw(count))


@pytest.mark.gpu
@pytest.mark.skipif(not find_gpus(), reason="there is no NVIDIA GPU here; where there is one: make test-gpu")
@pytest.mark.parametrize("name", sorted(path.parent.name for path in PROBLEMS.glob("*/problem.py")))
def test_inputs_are_the_same_bits_wherever_they_are_made(name: str) -> None:
    problem = load_problem(PROBLEMS / name)
    for case in draw_cases(problem, 7, 2 * len(families(problem)), ()):
        here = make_inputs(problem, case.sizes, case.family, case.seed)
        there = make_inputs(problem, case.sizes, case.family, case.seed, GpuPlace())
        for array in here:
            assert there[array].get().tobytes() == here[array].tobytes(), (case, array)
