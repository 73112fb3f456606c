"""The worked examples in the statements of layers, their gradients and image filters."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.problem import load_problem

PROBLEMS = Path(__file__).parents[1] / "problems"

Arrays = dict[str, Any]

CASES: dict[str, tuple[Arrays, Arrays, Arrays]] = {
    # Inputs, sizes and scalars, outputs.
    "max_pooling_2d": (
        {"input": [[[-5, -1, -2, -8], [-3, -4, -9, -6], [-7, -7, -7, -7]]]},
        {"C": 1, "H": 3, "W": 4, "K": 2, "S": 2, "P": 1},
        {"output": [[[-5, -1, -8], [-3, -4, -6]]]},
    ),
    "average_pooling_2d": (
        {"input": [[[4, 1, 3, 8], [2, 6, 0, 7], [4, 5, 5, 5]]]},
        {"C": 1, "H": 3, "W": 4, "K": 2, "S": 2, "P": 1},
        {"output": [[[4, 2, 8], [3, 4, 6]]]},
    ),
    "depthwise_convolution": (
        {
            "input": [[[[1, 2, 3], [4, 5, 6]], [[1, 2, 3], [4, 5, 6]]]],
            "weights": [[[0, 1, 0], [1, 1, 1], [0, 1, 0]], [[0, 0, 0], [1, 0, 0], [0, 0, 0]]],
        },
        {"B": 1, "C": 2, "H": 2, "W": 3, "K": 3},
        {"output": [[[[7, 11, 11], [10, 17, 14]], [[0, 1, 2], [0, 4, 5]]]]},
    ),
    "rope": (
        {"input": [[[1, 2, 3, 4]]], "cosines": [[1, 1], [0.5, 0]], "sines": [[0, 0], [2, 1]], "positions": [1]},
        {"T": 1, "HEADS": 1, "HALF": 2, "LENGTH": 2},
        {"output": [[[-5.5, -4, 3.5, 2]]]},
    ),
    "cross_entropy": (
        {"logits": [[1, 2, 3], [100, 100, 100]], "labels": [2, 0]},
        {"M": 2, "N": 3},
        {"loss": [0.4076, 1.0986]},
    ),
    "cross_entropy_backward": (
        {"logits": [[1, 2, 3], [100, 100, 100]], "labels": [2, 0], "upstream": [1, -0.5]},
        {"M": 2, "N": 3},
        {"gradient": [[0.0900, 0.2447, -0.3348], [0.3333, -0.1667, -0.1667]]},
    ),
    "softmax_backward": (
        {"output": [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]], "upstream": [[4, 0, 8], [3, 3, 3]]},
        {"M": 2, "N": 3},
        {"gradient": [[0, -1, 1], [0, 0, 0]]},
    ),
    "layer_norm_backward": (
        {
            "input": [[3, 1], [5, 3]],
            "weight": [1, 2],
            "mean": [2, 4],
            "inverse": [1, 2],
            "upstream": [[4, 1], [0, 3]],
        },
        {"M": 2, "N": 2},
        {"gradient": [[0, 0], [18, -18]], "weight_gradient": [4, -7], "bias_gradient": [4, 4]},
    ),
    "embedding": (
        {"tokens": [[2, 0, 2]], "words": [[1, 2], [3, 4], [5, 6]], "places": [[0.5, 0.5], [0, 10], [-1, 0]]},
        {"B": 1, "T": 3, "V": 3, "D": 2},
        {"output": [[[5.5, 6.5], [1, 12], [4, 6]]]},
    ),
    "adam_step": (
        {"weight": [1], "gradient": [2], "first": [0], "second": [0]},
        {
            "N": 1,
            "rate": 0.1,
            "beta1": 0.5,
            "beta2": 0.75,
            "epsilon": 0.01,
            "decay": 0.5,
            "bias1": 0.5,
            "bias2": 0.25,
        },
        {"new_first": [1], "new_second": [1], "new_weight": [0.8505]},
    ),
    "batch_norm": (
        {"input": [[[1, 3], [10, 10]], [[5, 3], [10, 10]]], "weight": [1, 2], "bias": [0, 5]},
        {"B": 2, "C": 2, "L": 2},
        {"output": [[[-1.4142, 0], [5, 5]], [[1.4142, 0], [5, 5]]], "mean": [3, 10], "variance": [2, 0]},
    ),
    "bilinear_resize": (
        {"input": [[0, 8], [4, 20]]},
        {"H": 2, "W": 2, "OH": 2, "OW": 4},
        {"output": [[0, 2, 6, 8], [4, 8, 16, 20]]},
    ),
    "sobel": (
        {"input": [[10, 10, 20], [10, 20, 30]]},
        {"H": 2, "W": 3},
        {"output": [[14.142, 58.310, 56.569], [31.623, 76.158, 56.569]]},
    ),
    "median_filter": (
        {"input": [[5, 5, 200, 7], [6, 8, 9, 7], [6, 0, 9, 8]]},
        {"H": 3, "W": 4},
        {"output": [[5, 6, 7, 7], [6, 6, 8, 8], [6, 6, 8, 8]]},
    ),
    "conv3x3": (
        {
            "input": [[[[1, 2], [3, 4]], [[10, 20], [28, 36]]]],
            "weights": [[[[0, 0, 0], [0, 1, 1], [0, 0, 0]], [[0, 0, 0], [0, 0, 0], [0, 1, 0]]]],
        },
        {"B": 1, "C": 2, "F": 1, "H": 2, "W": 2},
        {"output": [[[[31, 38], [7, 4]]]]},
    ),
    "mandelbrot": (
        {"real": [268435456, -536870912, 134217728], "imaginary": [0]},
        {"H": 1, "W": 3, "LIMIT": 10},
        {"steps": [[3, 10, 5]]},
    ),
    "ray_sphere": (
        {
            "origins": [[0, 0, -16], [0, 0, 14], [0, 0, 20], [8, 0, -8]],
            "directions": [[0, 0], [0, 0], [0, 0], [0, 0]],
            "centres": [[0, 0, 16], [0, 0, 8]],
            "radii": [4, 8],
        },
        {"R": 4, "S": 2},
        {"distance": [2, 0.25, -1, 2]},
    ),
    "triangular_solve": (
        {"A": [[0, 1, 1], [1, 0, 1], [0.5, -1, 0]], "B": [[16, 32], [17, -14], [-16.5, 50]]},
        {"N": 3, "R": 2, "shift": 16},
        {"X": [[1, 2], [1, -1], [-1, 3]]},
    ),
    "cholesky_small": (
        {"A": [[[0, 0, 0], [1, 0, 0], [1, 1, 1]]]},
        {"BATCH": 1, "N": 3, "ridge": 36},
        {"L": [[[6, 0, 0], [0.16667, 5.9977, 0], [0.16667, 0.1621, 6.0783]]]},
    ),
    "lu": (
        {"A": [[0, 1, -1], [1, 0, 0.5], [-1, -1, 0]]},
        {"N": 3},
        {"LU": [[4, 1, -1], [0.25, 3.75, 0.75], [-0.25, -0.2, 3.9]]},
    ),
    "gru_step": (
        {
            "x": [[2]],
            "h": [[1, -1]],
            "W": [[[0], [0]], [[0], [0]], [[0.25], [0]]],
            "U": [[[0, 0], [0, 0]], [[0, 0], [0, 0]], [[0, 0.25], [0, 0]]],
            "w_bias": [[0, 0], [0, 0], [0, 0]],
            "u_bias": [[0, 0], [0, 1], [0.5, 0.5]],
        },
        {"B": 1, "D": 1, "H": 2},
        {"next": [[0.7773, -0.6652]]},
    ),
    "matrix_power": (
        {"A": [[[1, 1], [1, 0]], [[7, 3], [2, 5]]], "exponents": [10, 0]},
        {"BATCH": 2, "N": 2},
        {"C": [[[89, 55], [55, 34]], [[1, 0], [0, 1]]]},
    ),
    "stencil_blocked": (
        {"input": [[0, 0, 0, 0, 0], [8, 0, 0, 4, 0], [0, 0, 0, 0, 0]]},
        {"H": 3, "W": 5, "STEPS": 2, "rate": 0.25},
        {"output": [[0, 0, 0, 0, 0], [8, 2.25, 0.5, 0.25, 0], [0, 0, 0, 0, 0]]},
    ),
    "im2col": (
        {"input": [[[1, 2], [3, 4]]]},
        {"C": 1, "H": 2, "W": 2, "K": 2, "S": 1, "P": 1},
        {
            "output": [
                [
                    [[[0, 0, 0], [0, 1, 2], [0, 3, 4]], [[0, 0, 0], [1, 2, 0], [3, 4, 0]]],
                    [[[0, 1, 2], [0, 3, 4], [0, 0, 0]], [[1, 2, 0], [3, 4, 0], [0, 0, 0]]],
                ]
            ]
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_example_of_the_statement(name: str) -> None:
    inputs, sizes, expected = CASES[name]
    problem = load_problem(PROBLEMS / name)
    whole = {array: declared.dtype.whole for array, declared in problem.inputs.items()}
    arrays = {array: np.array(values, np.int64 if whole[array] else float) for array, values in inputs.items()}
    got = problem.expected(arrays, problem.with_computed(sizes))
    assert set(got) == set(expected)
    for output, values in expected.items():
        assert got[output] == pytest.approx(np.array(values), abs=5e-4)
