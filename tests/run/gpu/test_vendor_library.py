"""What a problem's baseline may ask of NVIDIA's library, without the library."""

from __future__ import annotations

from typing import Any

import pytest

from grader.core.errors import ProblemError
from grader.problem.harness import Buffer
from grader.problem.parameters import DType, f16, f32, i8
from grader.problem.vendor_library import Library


def matrices(a: DType, b: DType, c: DType, shape_of_c: tuple[int, ...] = (3, 5)) -> list[Buffer]:
    kinds = (("A", 100, (3, 4), a), ("B", 200, (4, 5), b), ("C", 300, shape_of_c, c))
    return [Buffer(name, address, shape, dtype) for name, address, shape, dtype in kinds]


@pytest.mark.parametrize("dtype", [f32, f16])
def test_a_product_is_passed_on_with_its_type_and_sizes(dtype: DType) -> None:
    asked: list[Any] = []
    Library(lambda *call: asked.append(call)).matmul(*matrices(dtype, dtype, dtype))
    assert asked == [(dtype.numpy, 100, 200, 300, 3, 4, 5)]


@pytest.mark.parametrize("types", [(f32, f16, f32), (f16, f16, f32), (i8, i8, i8)])
def test_types_that_it_has_no_product_of_are_the_problems_mistake(types: tuple[DType, DType, DType]) -> None:
    with pytest.raises(ProblemError, match="three matrices of f32 or three of f16; these are of"):
        Library(lambda *call: pytest.fail("asked")).matmul(*matrices(*types))


def test_shapes_that_do_not_fit_are_the_problems_mistake() -> None:
    with pytest.raises(ProblemError, match="can't give C"):
        Library(lambda *call: pytest.fail("asked")).matmul(*matrices(f32, f32, f32, (5, 3)))
