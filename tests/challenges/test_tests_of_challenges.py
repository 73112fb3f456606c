"""The tests of a challenge as files: every type, lazy tensors, what the reference writes, and what is too large."""

from __future__ import annotations

import filecmp
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.check import check_case
from grader.core.verdict import Verdict
from grader.problem.challenges.folder import ChallengeSet
from grader.problem.challenges.manifest import read_manifest
from grader.problem.challenges.materialise import materialised
from grader.problem.challenges.problem import ChallengeProblem

from .conftest import SEED, SET, Make, needs_torch
from .test_faulty_challenges import GOOD

pytestmark = needs_torch

Arrays = Mapping[str, np.ndarray[Any, Any]]

SIGNATURES = {
    "1": "float a, const float* x, float* y, size_t n",
    "2": "const double* p, const double* q, double scale, double* distance, int n",
    "3": "const bool* flags, bool invert, bool* result, unsigned int n",
    "4": "const char* text, char key, char* secret, long n",
    "5": "const signed char* deltas, const unsigned char* pixels, signed char low, unsigned char high, "
    "unsigned char* result, short rows, unsigned short columns",
    "6": "const short* a, const unsigned short* b, int* difference, int n",
    "7": "const int* narrow, const unsigned int* index, const long* wide, const unsigned long* large, long add, "
    "size_t step, long* sums, unsigned long* picked, unsigned int n",
    "8": "const half* x, const half* scale, half* y, int rows, int columns",
    "9": "const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* z, int n",
    "14": "float* signal, float angle, int n",
}


def inputs_of(problem: ChallengeProblem, test: int) -> Arrays:
    return problem.structure_of(None, "own", {"test": test})  # type: ignore[arg-type]


def expected_of(problem: ChallengeProblem, test: int) -> Arrays:
    return problem.expected(inputs_of(problem, test), {"test": test})


@pytest.mark.parametrize("name", SIGNATURES)
def test_solve_takes_what_the_signature_says(name: str, make: Make) -> None:
    problem = make(name)
    assert ", ".join(f"{c_type} {parameter}" for c_type, parameter in problem.c_parameters) == SIGNATURES[name]


def test_tests_are_the_example_the_functional_ones_and_the_performance_test(make: Make) -> None:
    problem = make("10")
    called = ["example", *(f"functional test {number}" for number in range(1, 6)), "performance test"]
    assert [label.partition(", ")[2] for label in problem.labels.values()] == called
    assert problem.labels[5] == "M=33 N=65 K=20, functional test 4"
    assert problem.outputs["C"].shape({"test": 5}) == (33, 65)
    assert problem.argument("K", {"test": 5}) == ("int64", 20)
    assert (problem.title, problem.gates.atol, problem.gates.rtol) == ("Matrix product", 1e-4, 1e-4)


def test_values_are_those_of_the_challenge_and_results_those_of_its_reference(make: Make) -> None:
    problem = make("10")
    product, given = expected_of(problem, 5)["C"], inputs_of(problem, 5)
    assert product == pytest.approx(given["A"] @ given["B"], rel=1e-5, abs=1e-5)
    # A transposed tensor is laid out as C lays out arrays.
    assert inputs_of(problem, 1)["B"].tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert expected_of(problem, 1)["C"].tolist() == [[5.0, 11.0], [11.0, 25.0]]


def test_an_inout_array_starts_with_its_contents_and_is_no_input(make: Make) -> None:
    problem = make("1")
    assert list(problem.inputs) == ["x"] and list(problem.outputs) == ["y"]
    start = problem.start_contents({"test": 5})["y"]
    a = np.array(problem.argument("a", {"test": 5})[1], np.uint32).view(np.float32)
    assert a == 3.0
    assert expected_of(problem, 5)["y"] == pytest.approx(3.0 * inputs_of(problem, 5)["x"] + start, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "dtype", "array"),
    [
        ("3", "uint8", "flags"),
        ("4", "int8", "text"),
        ("6", "uint16", "b"),
        ("7", "uint64", "large"),
        ("8", "float16", "x"),
    ],
)
def test_elements_keep_their_type(name: str, dtype: str, array: str, make: Make) -> None:
    assert inputs_of(make(name), 2)[array].dtype == dtype


def test_bfloat16_is_read_as_the_numbers_that_it_stands_for(make: Make) -> None:
    problem = make("9")
    given = {name: problem.inputs[name].numbers(values) for name, values in inputs_of(problem, 3).items()}
    assert inputs_of(problem, 3)["x"].dtype == np.uint16 and given["x"].dtype == np.float32
    assert expected_of(problem, 3)["z"] == pytest.approx(given["x"] + given["y"], rel=2**-8, abs=2**-9)


def test_complex_numbers_are_pairs_of_floats(make: Make) -> None:
    problem = make("14")
    start, turned = problem.start_contents({"test": 3})["signal"], expected_of(problem, 3)["signal"]
    assert start.shape == turned.shape == (400, 2)
    assert turned[:, 0] == pytest.approx(start[:, 0] * np.cos(-2.0) - start[:, 1] * np.sin(-2.0), abs=1e-5)


def test_the_same_seed_makes_the_same_tests_and_another_one_others(make: Make) -> None:
    first, second, other = make("13"), make("13"), make("13", seed=SEED + 1)
    files = sorted(file.name for file in first.folder.iterdir())
    _, different, _ = filecmp.cmpfiles(first.folder, second.folder, files, shallow=False)
    assert different == []
    _, different, _ = filecmp.cmpfiles(first.folder, other.folder, files, shallow=False)
    assert "3.a.npy" in different


def test_lazy_tensors_are_made_as_they_are_described(make: Make) -> None:
    problem = make("13", most_bytes=None)
    assert inputs_of(problem, 3)["b"].tolist() == [0.5] * 1000
    given = inputs_of(problem, 4)
    assert given["a"].shape == given["b"].shape == (50_000_000,)
    assert -1.0 <= given["a"].min() < -0.999 and 0.999 < given["a"].max() < 1.0
    assert abs(float(given["b"].mean(dtype=np.float64))) < 0.001
    assert float(given["b"].std(dtype=np.float64)) == pytest.approx(1.0, abs=0.001)
    some = slice(None, None, 999_983)
    assert problem.argument("n", {"test": 4}) == ("int64", 50_000_000)
    result = expected_of(problem, 4)["c"]
    assert result.shape == (50_000_000,)
    assert result[some] == pytest.approx(given["a"][some] - 2.5 * given["b"][some], rel=1e-6, abs=1e-6)
    assert problem.benchmarks == ({"test": 4},)


def test_what_is_too_large_is_known_and_not_made(make: Make) -> None:
    problem = make("13")
    assert problem.tests == {1: True, 2: True, 3: True, 4: False}
    assert problem.array_bytes({"test": 4}) == 600_000_000
    assert problem.benchmarks == ()
    assert not list(problem.folder.glob("4.*"))


def test_a_large_test_that_is_asked_for_is_made_up_to_a_limit(make: Make) -> None:
    assert make("1", asked=[7], asked_bytes=40_000_000).tests[7]
    assert not make("1", asked=[7], asked_bytes=39_999_999).tests[7]
    assert not make("1", asked=[6], asked_bytes=40_000_000).tests[7]


def test_elements_that_the_reference_leaves_alone_are_known(make: Make) -> None:
    problem = make("11")
    assert problem.untouched({"test": 1})["kept"].tolist() == [False, False, False, True, True]
    assert "count" not in problem.untouched({"test": 1})
    assert problem.untouched({"test": 3}) == {}


def test_an_output_that_the_reference_reads_starts_as_the_test_says(make: Make) -> None:
    problem = make("12")
    assert problem.start_contents({"test": 3})["histogram"].tolist() == [0] * 10
    assert problem.remarks == (
        'the challenge declares histogram as "out", and its reference reads what histogram holds at first: it holds '
        "what the test says",
    )
    assert make("13").remarks == ()


def test_a_process_of_its_own_makes_the_same(make: Make) -> None:
    here = make("1")
    challenges = ChallengeSet(SET)
    with materialised(challenges, challenges.find("1"), SEED, large=False) as there:
        assert read_manifest(there.folder) == read_manifest(here.folder)
        files = [file.name for file in here.folder.iterdir()]
        assert filecmp.cmpfiles(here.folder, there.folder, files, shallow=False)[0] == files
        folder = there.folder
    assert not folder.exists()
    assert not list(Path(SET).rglob("__pycache__"))


def test_what_is_untouched_need_not_be_written_and_is_checked_where_it_is(make: Make) -> None:
    problem, sizes = make("11"), {"test": 1}
    right = {name: values.astype(np.int32) for name, values in expected_of(problem, 1).items()}
    alone = {"kept": np.array([3, 4, 5, -7, -7], np.int32), "count": right["count"]}
    none, some = np.zeros(5, bool), np.array([False, False, False, True, True])

    def verdict(outputs: Arrays, unwritten: Arrays | None) -> Verdict:
        return check_case(problem, sizes, "own", inputs_of(problem, 1), outputs, unwritten)[0]

    assert verdict(right, {"kept": none}) is Verdict.ACCEPTED
    assert verdict(alone, {"kept": some}) is Verdict.ACCEPTED
    assert verdict(alone, {"kept": none}) is Verdict.WRONG_ANSWER
    # Of a timed replay nobody tells what was written.
    assert verdict(alone, None) is Verdict.ACCEPTED
    assert verdict({**alone, "kept": alone["kept"] + 1}, None) is Verdict.WRONG_ANSWER


def test_large_tests_are_looked_through_for_untouched_elements_where_small_ones_have_some(
    make: Make,
) -> None:
    assert make("11", twice_bytes=50).untouched({"test": 5})["kept"].sum() == 1000


def test_a_test_with_an_empty_array_is_left_out(make: Make, write_set: Callable[..., Path]) -> None:
    text = GOOD.replace("[self.generate_example_test()]", '[{"x": torch.ones(0), "y": torch.ones(0), "n": 0}]')
    problem = make("empty", write_set(empty=text))
    assert list(problem.labels.values()) == ["n=2, example", "n=2, performance test"]
    assert problem.remarks == ("n=0, functional test 1 is left out: x has no element there",)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(("share", "verdict"), [(0.99, Verdict.ACCEPTED), (1.01, Verdict.WRONG_ANSWER)])
def test_the_challenges_own_tolerance_is_that_of_allclose(
    sign: int, share: float, verdict: Verdict, make: Make
) -> None:
    problem, sizes = make("2"), {"test": 4}
    object.__setattr__(problem.gates, "atol", 1e-3)
    object.__setattr__(problem.gates, "rtol", 1e-2)
    expected = expected_of(problem, 4)["distance"]
    got = {"distance": expected + sign * share * (1e-3 + 1e-2 * abs(expected))}
    assert check_case(problem, sizes, "own", inputs_of(problem, 4), got)[0] is verdict


@pytest.mark.parametrize("name", ["6", "2"])
def test_without_a_tolerance_nothing_but_the_result_itself_is_right(name: str, make: Make) -> None:
    problem, sizes = make(name), {"test": 3}
    object.__setattr__(problem.gates, "atol", 0.0)
    object.__setattr__(problem.gates, "rtol", 0.0)
    output, declared = next(iter(problem.outputs.items()))
    right = expected_of(problem, 3)[output].astype(declared.dtype.numpy)
    wrong = right + 1 if declared.dtype.whole else np.nextafter(right, np.inf)
    for got, verdict in ((right, Verdict.ACCEPTED), (wrong.astype(right.dtype), Verdict.WRONG_ANSWER)):
        assert check_case(problem, sizes, "own", inputs_of(problem, 3), {output: got})[0] is verdict
