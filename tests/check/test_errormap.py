"""Error maps: shares of wrong elements in at most 64 by 64 cells."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.check.errormap import error_map


def mask(*shape, wrong=()):
    made = np.zeros(shape, bool)
    for index in wrong:
        made[index] = True
    return made


def test_a_small_matrix_has_a_cell_for_each_element():
    made = error_map(mask(2, 3, wrong=[(1, 2)]))
    assert (made.shape, made.height, made.width) == ((2, 3), 1, 1)
    assert made.cells == ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def test_a_large_matrix_is_reduced_and_keeps_its_last_rows():
    wrong = mask(130, 65)
    wrong[129:] = True
    made = error_map(wrong)
    assert (made.shape, made.height, made.width) == ((130, 65), 3, 2)
    assert (len(made.cells), len(made.cells[0])) == (44, 33)
    # The last row of cells covers one row only, all of it wrong.
    assert set(made.cells[-1]) == {1.0}
    assert not np.any(made.cells[:-1])


@pytest.mark.parametrize(
    ("length", "shape", "width"),
    [
        (2, (1, 2), 1),
        (64, (1, 64), 1),
        (65, (2, 64), 1),
        (4096, (64, 64), 1),
        (4097, (33, 128), 2),
        (10**6, (62, 16384), 256),
    ],
)
def test_a_vector_is_wrapped_into_rows_of_whole_warps(length, shape, width):
    wrong = mask(length)
    wrong[-1] = True
    made = error_map(wrong)
    assert (made.shape, made.height, made.width) == (shape, 1, width)
    column = (length - 1) % shape[1] // width
    assert made.cells[-1][column] > 0
    assert sum(map(np.count_nonzero, made.cells)) == 1


def test_a_short_last_row_counts_only_what_is_there():
    wrong = np.ones(4097, bool)
    made = error_map(wrong)
    assert made.cells[-1][0] == 1.0
    assert made.cells[-1][1] == 0.0


@pytest.mark.parametrize(("shape", "rows"), [((1, 300), (5, 64)), ((300, 1), (5, 64)), ((4, 5, 6), (20, 6))])
def test_other_shapes(shape, rows):
    assert error_map(mask(*shape)).shape == rows


@pytest.mark.parametrize("shape", [(1,), (1, 1)])
def test_one_element_has_no_map(shape):
    assert error_map(np.ones(shape, bool)) is None


@settings(max_examples=50, deadline=None)
@given(rows=st.integers(1, 200), columns=st.integers(2, 200), seed=st.integers(0, 99))
def test_every_wrong_element_is_counted_once(rows, columns, seed):
    wrong = np.random.default_rng(seed).random((rows, columns)) < 0.1
    made = error_map(wrong)
    assert max(len(made.cells), len(made.cells[0])) <= 64
    counted = 0.0
    for i, row in enumerate(made.cells):
        for j, share in enumerate(row):
            height = min(made.height, made.shape[0] - i * made.height)
            width = min(made.width, made.shape[1] - j * made.width)
            begin = i * made.height * made.shape[1] + j * made.width
            present = sum(max(0, min(width, wrong.size - begin - r * made.shape[1])) for r in range(height))
            counted += share * present
    assert counted == pytest.approx(np.count_nonzero(wrong))
