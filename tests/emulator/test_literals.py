"""Decimal fractions, which inline PTX may have and compilers never write."""

from __future__ import annotations

import numpy as np
import pytest

from grader.run.emulator import Memory, Module

from .harness import compile_ptx

SOURCE = """
extern "C" __global__ void k(float* out, double* wide) {
    asm("mov.f32 %0, LITERAL;" : "=f"(*out));
    asm("mov.f64 %0, LITERAL;" : "=d"(*wide));
}
"""


@pytest.mark.parametrize("literal", ["1.5", "-0.1", "16777217.0", "1.0e-3"])
def test_a_literal_has_the_precision_of_its_use(literal: str) -> None:
    memory = Memory()
    places = [memory.place("out", np.zeros(1, "f4")), memory.place("wide", np.zeros(1))]
    module = Module(compile_ptx(SOURCE.replace("LITERAL", literal)))
    arguments = [place.to_bytes(8, "little") for place in places]
    assert module.launch("k", (1, 1, 1), (1, 1, 1), arguments, memory).status == "done"
    assert memory.read("out")[0] == np.float32(literal)
    assert memory.read("wide")[0] == float(literal)
