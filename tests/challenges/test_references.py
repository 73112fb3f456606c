"""References that can't be taken at their word: random, changing inputs, less exact than asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from grader.check import check_case
from grader.core.verdict import Verdict
from grader.problem.challenges.problem import ChallengeProblem

from .conftest import Make, needs_torch
from .test_faulty_challenges import spoilt

pytestmark = needs_torch

Write = Callable[..., Path]

COPY = "        y.copy_(x)"
RANDOM = "other results each time"


@pytest.fixture
def changed(make: Make, write_set: Write) -> Callable[..., ChallengeProblem]:
    """The challenge that copies, with one line of it replaced."""

    def made(old: str, new: str) -> ChallengeProblem:
        return make("changed", write_set(changed=spoilt(old, new)))

    return made


Changed = Callable[..., ChallengeProblem]


def test_a_copy_leaves_nothing_to_remark(changed: Changed) -> None:
    assert changed(COPY, COPY).remarks == ()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("        y.copy_(x + torch.rand(2))", RANDOM),
        ("        y.copy_(x * torch.bernoulli(torch.full((2,), 0.5)))", RANDOM),
        ("        import random; y.copy_(x * random.random())", RANDOM),
        ("        y.copy_(x); x.mul_(2)", "the reference changes its input x"),
        ("        torch.manual_seed(7); y.copy_(x + torch.rand(2))", ""),
    ],
)
def test_what_the_report_says_of_a_reference(line: str, said: str, changed: Changed) -> None:
    remarks = changed(COPY, line).remarks
    assert [said in remark for remark in remarks] == ([True] if said else [])


def test_arrays_that_are_one_in_the_test_are_told(changed: Changed) -> None:
    one = 'both = torch.ones(3); return {"x": both[:2], "y": both[1:], "n": 2}'
    problem = changed('return {"x": torch.ones(2), "y": torch.zeros(2), "n": 2}', one)
    assert "x and y are the same memory in n=2, example: solve() gets two arrays" in problem.remarks


def test_what_zeros_hands_over_is_there_and_what_empty_made_is_not(changed: Changed) -> None:
    handed = changed("torch.zeros(2)", "torch.full((2,), 7.0)")
    assert handed.start_contents({"test": 1})["y"].tolist() == [7.0, 7.0]
    for make_none in ("torch.empty(2)", 'torch.empty(2, device="cuda")', "torch.empty_like(torch.ones(2))"):
        (handed.folder.parent / "others").rename(handed.folder.parent / f"others-{len(make_none)}")
        assert changed("torch.zeros(2)", make_none).start_contents({"test": 1}) == {}


def test_one_test_in_which_nothing_is_written_is_no_reason_to_refuse(changed: Changed) -> None:
    tests = '[{**self.generate_example_test(), "n": 0}]'
    problem = changed(
        "[self.generate_example_test()]", tests + "\n\n    def reference_impl(self, x, y, n):\n        y[:n] = x[:n]"
    )
    assert list(problem.tests) == [1, 2, 3]
    assert problem.untouched({"test": 2})["y"].all() and problem.remarks == ()


def verdict(problem: ChallengeProblem, got: np.ndarray) -> Verdict:
    sizes = {"test": 1}
    return check_case(problem, sizes, "own", problem.structure_of(None, "own", sizes), {"y": got})[0]


def test_sums_in_double_pass_though_the_reference_misses_its_own_tolerance(make: Make, write_set: Write) -> None:
    text = spoilt(COPY, "        y.copy_(x.cumsum(0))")
    text = text.replace("0.0, 0.0, 1", "0.0, 1e-9, 1").replace("torch.ones(2)", "torch.full((5000,), 0.1)")
    problem = make("sums", write_set(sums=text.replace("torch.zeros(2)", "torch.zeros(5000)")))
    given = np.full(5000, 0.1, np.float32)
    true = given.astype(np.float64).cumsum().astype(np.float32)
    assert verdict(problem, true) is Verdict.ACCEPTED
    assert verdict(problem, true * np.float32(1.001)) is Verdict.WRONG_ANSWER
    (remark,) = {remark.partition(":")[0] for remark in problem.remarks}
    assert remark == "the reference misses its own tolerance for y"


def test_a_reference_that_chooses_otherwise_in_double_widens_nothing_but_that_element(
    make: Make, write_set: Write
) -> None:
    # 16,777,217 is no float32: the sum rounds to 16,777,216, and the comparison turns.
    line = "        y.copy_(torch.where(x + 1 > 16777216, x * 0 + 5, x * 0))"
    text = spoilt(COPY, line).replace("0.0, 0.0, 1", "1e-3, 1e-3, 1").replace("torch.zeros(2)", "torch.zeros(400)")
    text = text.replace("torch.ones(2)", "torch.cat([torch.ones(399), torch.tensor([16777216.0])])")
    problem = make("turns", write_set(turns=text))
    expected = problem.expected(problem.structure_of(None, "own", {"test": 1}), {"test": 1})["y"].astype(np.float32)
    assert expected[-1] == 0
    other = expected.copy()
    other[-1] = 5
    assert verdict(problem, expected) is verdict(problem, other) is Verdict.ACCEPTED
    other[0] += 0.1
    assert verdict(problem, other) is Verdict.WRONG_ANSWER
