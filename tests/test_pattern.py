"""The sentence on failing sizes is true of every run, and absent where nothing separates them."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.judge.pattern import Observation, candidates, find_pattern

SIZES = [
    *[(1, 1, 1), (15, 16, 17), (16, 17, 15), (17, 15, 16), (31, 32, 33), (32, 33, 31), (48, 64, 16)],
    *[(64, 48, 64), (127, 1, 1), (1, 127, 1), (1, 1, 127), (97, 53, 29), (29, 29, 29), (128, 128, 128)],
    *[(257, 100, 3), (80, 7, 82), (32, 5, 48)],
]


def runs(fails, sizes=SIZES, families=("exact", "normal")):
    observations = []
    for number, (m, n, k) in enumerate(sizes):
        family = families[number % len(families)]
        named = {"M": m, "N": n, "K": k}
        observations.append(Observation(named, bool(fails(named, family)), family))
    return observations


@pytest.mark.parametrize(
    ("fails", "sentence"),
    [
        (lambda s, f: True, "fails on all 17 sizes tried"),
        (lambda s, f: s["M"] % 16, "fails whenever M is not a multiple of TILE (16) (in all 17 sizes tried)"),
        (lambda s, f: s["M"] % 32, "fails whenever M is not a multiple of 32 (in all 17 sizes tried)"),
        (lambda s, f: s["K"] % 2 == 0, "fails whenever K is a multiple of 2 (in all 17 sizes tried)"),
        (lambda s, f: s["M"] != s["K"], "fails whenever M != K (in all 17 sizes tried)"),
        (lambda s, f: s["M"] > s["K"], "fails whenever M > K (in all 17 sizes tried)"),
        (
            lambda s, f: len(set(s.values())) > 1,
            "fails whenever M, N and K are not all equal (in all 17 sizes tried)",
        ),
        (
            lambda s, f: s["M"] % 16 or s["K"] % 16,
            "fails whenever M or K is not a multiple of TILE (16) (in all 17 sizes tried)",
        ),
        (lambda s, f: s["N"] > 32, "fails whenever N > 32 (in all 17 sizes tried)"),
        (
            lambda s, f: s["M"] < 30,
            "fails whenever M is 29 or less, and passes from 31 on (in all 17 sizes tried)",
        ),
        (
            lambda s, f: f == "exact",
            'fails whenever the inputs are of the family "exact", whatever the sizes (in all 17 sizes tried)',
        ),
    ],
)
def test_the_cause_is_named(fails, sentence):
    assert find_pattern(runs(fails), {"TILE": 16}) == sentence


def test_a_limit_that_is_known_exactly_is_named_exactly():
    seen = [Observation({"N": n}, n > 37) for n in (1, 5, 20, 37, 38, 100, 200)]
    assert find_pattern(seen) == "fails whenever N > 37 (in all 7 sizes tried)"


def test_a_limit_that_is_not_known_says_what_is():
    seen = [Observation({"N": n}, n > 40) for n in (1, 5, 20, 37, 50, 100, 200)]
    assert find_pattern(seen) == "fails whenever N is 50 or more, and passes up to 37 (in all 7 sizes tried)"


@pytest.mark.parametrize(
    "seen",
    [
        [],
        [Observation({"N": 7}, True)],
        [Observation({"N": n}, False) for n in range(1, 20)],
        [Observation({"N": n}, n == 3) for n in range(1, 20)],
        [Observation({"N": n}, n > 2) for n in (1, 2, 3, 4)],
    ],
    ids=["none", "one", "all-pass", "one-failure", "too-few"],
)
def test_too_little_evidence_says_nothing(seen):
    assert find_pattern(seen) == ""


def test_the_same_sizes_both_failing_and_passing_is_no_pattern_of_sizes():
    seen = [Observation({"N": n}, failed) for n in range(1, 9) for failed in (True, False)]
    assert find_pattern(seen) == ""


@settings(max_examples=50, deadline=None)
@given(
    sizes=st.lists(st.tuples(*[st.integers(1, 300)] * 3), min_size=1, max_size=40, unique=True),
    seed=st.integers(0, 2**32),
)
def test_what_is_said_separates_every_run(sizes, seed):
    dice = random.Random(seed)
    seen = runs(lambda s, f: dice.random() < 0.4, sizes)
    sentence = find_pattern(seen, {"TILE": 16})
    if sentence.startswith("fails whenever"):
        matching = [c for c in candidates(seen, {"TILE": 16}) if f"fails whenever {c.text} (" in sentence]
        assert any(all(c.holds(o) == o.failed for o in seen) for c in matching)
    elif sentence:
        assert all(o.failed for o in seen)


@settings(max_examples=50, deadline=None)
@given(
    sizes=st.lists(st.tuples(*[st.integers(1, 300)] * 3), min_size=8, max_size=40, unique=True),
    name=st.sampled_from("MNK"),
    divisor=st.sampled_from([2, 4, 8, 16, 32]),
)
def test_a_true_cause_is_never_passed_over_in_silence(sizes, name, divisor):
    seen = runs(lambda s, f: s[name] % divisor, sizes)
    failures = sum(o.failed for o in seen)
    if 2 <= failures <= len(seen) - 2:
        assert find_pattern(seen).startswith("fails whenever")
