"""The graphs of breadth-first search: a kernel that looks at all vertices in each level is done in good time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grader.problem import load_problem
from grader.problem.cases import draw_cases
from grader.problem.inputs import families, make_structure

PROBLEM = load_problem(Path(__file__).parents[1] / "problems" / "breadth_first_search")
MOST = {1: 0, 2: 1, 30: 29, 1000: 130, 11_600: 129, 150_419: 24}
"""The distance that no vertex exceeds, by the number of vertices."""


def distances(vertices: int, degree: int, family: str, seed: int) -> np.ndarray:
    sizes = {"V": vertices, "DEGREE": degree}
    made = make_structure(PROBLEM, sizes, family, seed)
    assert made["neighbours"].min() >= 0
    assert made["neighbours"].max() < vertices
    return PROBLEM.expected(made, sizes)["distance"]


@pytest.mark.parametrize("vertices", MOST)
@pytest.mark.parametrize("degree", [1, 2, 5])
@pytest.mark.parametrize("family", families(PROBLEM))
def test_no_graph_has_more_levels_than_are_allowed(vertices: int, degree: int, family: str) -> None:
    seeds = range(1 if vertices > 100_000 else 5)
    found = [int(distances(vertices, degree, family, seed).max()) for seed in seeds]
    assert max(found) <= MOST[vertices]
    assert family != "deep" or set(found) == {MOST[vertices]}


@pytest.mark.parametrize(("family", "least"), [("normal", 0.7), ("hub", 0.7), ("spread", 0.5), ("special", 0.5)])
def test_most_of_a_large_graph_is_still_reached(family: str, least: float) -> None:
    assert (distances(150_419, 3, family, 1) >= 0).mean() > least


@pytest.mark.parametrize("seed", range(20))
def test_each_grading_has_a_graph_of_many_levels(seed: int) -> None:
    cases = draw_cases(PROBLEM, seed, 12, (), PROBLEM.constants)
    assert any(case.family == "deep" and 1000 < case.sizes["V"] < 11_600 for case in cases)
