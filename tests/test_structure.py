"""What structures are drawn with: bounds, permutations, shapes of a given size, strides without gaps."""

from math import prod

import numpy as np
import pytest

from grader.problem.structure import Draw


def draw(seed):
    return Draw(np.random.Philox(key=seed).random_raw)


@pytest.mark.parametrize("seed", range(5))
def test_integers_have_the_shape_asked_for_and_reach_both_ends(seed):
    found = draw(seed).integers(-2, 3, 20, 15)
    assert found.shape == (20, 15)
    assert set(found.ravel().tolist()) == {-2, -1, 0, 1, 2, 3}
    assert draw(seed).integers(4, 9, 0).shape == (0,)
    assert draw(seed).one(7, 7) == 7


def test_the_same_words_give_the_same_numbers():
    first, again, other = (draw(seed).integers(0, 10**9, 50).tolist() for seed in (3, 3, 4))
    assert first == again
    assert first != other


def test_an_order_has_each_number_once():
    orders = [draw(seed).order(5).tolist() for seed in range(50)]
    assert all(sorted(order) == [0, 1, 2, 3, 4] for order in orders)
    assert len({tuple(order) for order in orders}) > 30


@pytest.mark.parametrize("count", [1, 2, 30, 97, 360, 1024, 3 * 5 * 7 * 11 * 13])
@pytest.mark.parametrize("dimensions", [1, 2, 3, 5])
def test_a_shape_has_as_many_elements_as_asked_for(count, dimensions):
    for seed in range(10):
        shape = draw(seed).shape(count, dimensions)
        assert len(shape) == dimensions
        assert prod(shape) == count


def test_few_lengths_are_one_where_there_are_factors_for_all():
    shapes = [draw(seed).shape(2 * 3 * 5 * 7, 3) for seed in range(50)]
    assert all(1 not in shape for shape in shapes)
    assert len({tuple(shape) for shape in shapes}) > 20


@pytest.mark.parametrize("shape", [[6], [2, 3], [4, 1, 5], [2, 3, 2, 3, 2]])
def test_strides_reach_every_place_once(shape):
    found = set()
    for seed in range(30):
        strides = draw(seed).strides(shape)
        places = sum(
            np.arange(n).reshape([-1 if e == d else 1 for e in range(len(shape))]) * s
            for d, (n, s) in enumerate(zip(shape, strides, strict=True))
        )
        assert sorted(np.ravel(places).tolist()) == list(range(prod(shape)))
        found.add(tuple(strides))
    assert len(found) > 1 or len(shape) == 1


def test_a_broadcast_shape_keeps_most_lengths_and_makes_some_one():
    shapes = [draw(seed).broadcast([4, 5, 6]) for seed in range(60)]
    assert all(length in (1, whole) for shape in shapes for length, whole in zip(shape, [4, 5, 6], strict=True))
    ones = sum(shape.count(1) for shape in shapes) / 180
    assert 0.2 < ones < 0.45
