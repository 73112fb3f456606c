"""Trivial kernels: what they would write, and that a faulty problem that accepts one is found."""

import numpy as np
import pytest

from grader.check.trivial import accepted_trivial_kernels, trivial_outputs
from grader.problem.gates import elementwise, exact
from grader.problem.parameters import array, f32, out
from grader.problem.sizes import Budget

from .problems import MATMUL, case, problem

BUDGET = Budget(flops=100_000, bytes=1_000_000)
VECTOR = {"x": array(f32, "N"), "y": out(f32, "N")}


def test_what_trivial_kernels_write():
    sizes, inputs = case(MATMUL, "normal", M=2, N=3, K=4)
    made = {label: outputs["C"] for label, outputs in trivial_outputs(MATMUL, sizes, inputs)}
    assert list(made) == ["zeros", "the constant 1", "the mean of A", "a copy of A", "a copy of B"]
    assert all(values.shape == (2, 4) and values.dtype == np.float32 for values in made.values())
    assert not made["zeros"].any()
    assert (made["the constant 1"] == 1).all()
    assert made["the mean of A"] == pytest.approx(inputs["A"].mean())
    # A has fewer elements than C and is repeated, B has more and is cut.
    assert made["a copy of A"].ravel().tolist() == np.tile(inputs["A"].ravel(), 2)[:8].tolist()
    assert made["a copy of B"].ravel().tolist() == inputs["B"].ravel()[:8].tolist()


@pytest.mark.parametrize(
    ("gates", "reference", "accepted"),
    [
        (exact(), lambda x: x, ("a copy of x",)),
        (exact(signed_zeros=False), lambda x: 0 * x, ("zeros",)),
        (exact(), lambda x: 0 * x + 1, ("the constant 1",)),
        (elementwise(), lambda x: np.full_like(x, np.mean(x, dtype=np.float64)), ("the mean of x",)),
        (exact(), lambda x: -x, ()),
    ],
)
def test_a_problem_that_accepts_a_trivial_kernel_is_found(gates, reference, accepted):
    assert accepted_trivial_kernels(problem(VECTOR, gates, reference), seed=1, budget=BUDGET) == accepted
