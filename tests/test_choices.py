"""Choices are dealt like cards, and products are bent to numbers with factors."""

import random

import pytest

from grader.problem.choices import Choices
from grader.problem.parameters import choice, index, product, size

PARAMETERS = {
    "COUNT": product(1, 10_000, of="RANK", less=1),
    "LENGTH": size(1, 99),
    "AXIS": index("RANK", 4),
    "RANK": choice(1, 4),
}


def choices(seed=1):
    return Choices(PARAMETERS, random.Random(seed))


def test_every_value_comes_once_before_any_comes_again():
    dealer = choices()
    for _ in range(5):
        dealt = [dealer.deal() for _ in range(4)]
        assert sorted(chosen["RANK"] for chosen in dealt) == [1, 2, 3, 4]
        assert all(0 <= chosen["AXIS"] < chosen["RANK"] for chosen in dealt)


@pytest.mark.parametrize("value", [1, 17, 97, 128, 257, 1009, 9973])
@pytest.mark.parametrize("rank", [2, 3, 4])
def test_a_product_is_near_its_value_and_keeps_to_its_side_of_sixteen(value, rank):
    for seed in range(20):
        bent = choices(seed).bend({"RANK": rank, "AXIS": 0, "LENGTH": 7, "COUNT": value})
        assert list(bent) == list(PARAMETERS)
        assert (bent["RANK"], bent["AXIS"], bent["LENGTH"]) == (rank, 0, 7)
        assert 0.5 * value <= bent["COUNT"] <= value
        assert bent["COUNT"] % 16 or value % 16 == 0
        if rank > 2 and value > 97:
            assert any(bent["COUNT"] % factor == 0 for factor in (2, 3, 5, 7))


def test_a_product_of_one_length_stays_and_of_none_is_one():
    sizes = {"RANK": 2, "AXIS": 0, "LENGTH": 7, "COUNT": 997}
    assert choices().bend(sizes)["COUNT"] == 997
    assert choices().bend({**sizes, "RANK": 1})["COUNT"] == 1
