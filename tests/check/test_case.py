"""Checking a case: verdict, kind, message and what is shown of the wrong elements."""

import numpy as np
import pytest

from grader.check import check_case
from grader.core.errors import JudgeError
from grader.core.verdict import Verdict, WrongKind
from grader.problem.gates import exact
from grader.problem.parameters import array, f32, out

from .problems import BOTH_ENDS, LOGARITHM, MAP, MATMUL, REDUCE, RELU, ROW_SUMS, ZIP, case, problem


def product(**changes):
    """A 5 by 3 by 4 product whose result is right except for these elements."""
    sizes, inputs = case(MATMUL, "normal", M=5, N=3, K=4)
    result = (inputs["A"].astype(np.float64) @ inputs["B"]).astype(np.float32)
    for at, value in changes.items():
        result[int(at[1]), int(at[2])] = value
    return sizes, inputs, result


def check(result, sizes, inputs, **options):
    return check_case(MATMUL, sizes, "normal", inputs, {"C": result}, **options)


def test_a_right_result_is_accepted():
    sizes, inputs, result = product()
    verdict, kind, message, (output,) = check(result, sizes, inputs)
    assert (verdict, kind, message) == (Verdict.ACCEPTED, None, "")
    assert (output.array, output.shape, output.wrong, output.total) == ("C", (5, 4), 0, 20)
    assert output.worst <= 1
    assert (output.kind, output.explanation, output.elements, output.map) == (None, "", (), None)


def test_a_wrong_value_shows_where_and_what():
    sizes, inputs, result = product(c12=77, c31=-5)
    verdict, kind, message, (output,) = check(result, sizes, inputs)
    assert (verdict, kind) == (Verdict.WRONG_ANSWER, WrongKind.WRONG_VALUE)
    expected = str(product()[2][1, 2])
    assert message == f"C[1,2] is 77, expected {expected}; 2 of 20 elements are wrong"
    assert [e.index for e in output.elements] == [(1, 2), (3, 1)]
    assert (output.elements[0].expected, output.elements[0].got) == (float(product()[2][1, 2]), 77.0)
    assert output.elements[0].units == pytest.approx(output.worst)
    assert output.worst > 1
    assert output.map.cells[1][2] == 1.0
    assert output.gate == "G1"


def test_at_most_five_wrong_elements_are_listed():
    sizes, inputs, result = product()
    output = check(result + 1, sizes, inputs)[3][0]
    assert output.wrong == 20
    assert [e.index for e in output.elements] == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0)]


def test_nan_is_named():
    sizes, inputs, result = product(c00=np.nan, c01=np.nan)
    _, kind, message, (output,) = check(result, sizes, inputs)
    assert kind is WrongKind.WRONG_VALUE
    assert message.startswith("C[0,0] is NaN, expected ")
    assert "2 elements are NaN" in message
    assert "0/0" in message
    assert output.worst == np.inf


def test_a_missing_nan_is_wrong():
    inputs = {"x": np.array([-1, 0, 2], np.float32)}
    right = np.array([np.nan, -np.inf, np.log(2)], np.float32)
    assert check_case(LOGARITHM, {"N": 3}, "normal", inputs, {"y": right})[0] is Verdict.ACCEPTED
    for at, value, words in (
        (0, 0, "y[0] is 0, expected NaN"),
        (1, np.inf, "y[1] is infinity, expected -infinity"),
    ):
        got = right.copy()
        got[at] = value
        _, kind, message, _ = check_case(LOGARITHM, {"N": 3}, "normal", inputs, {"y": got})
        assert kind is WrongKind.WRONG_VALUE
        assert message.startswith(words)


def test_unwritten_elements_are_told_apart():
    sizes, inputs, result = product(c33=-12345.68, c43=-12345.68)
    unwritten = {"C": np.zeros((5, 4), bool)}
    unwritten["C"][3, 3] = unwritten["C"][4, 3] = True
    _, kind, message, (output,) = check(result, sizes, inputs, unwritten=unwritten)
    assert kind is WrongKind.UNWRITTEN_OUTPUT
    assert message == "2 of 20 elements of C were never written, the first is C[3,3]"
    assert all(element.unwritten for element in output.elements)


def test_an_output_that_was_never_written():
    sizes, inputs, result = product()
    message = check(result, sizes, inputs, unwritten={"C": np.ones((5, 4), bool)})[2]
    assert message == "C was never written"
    sizes, inputs = case(REDUCE, "normal", N=9)
    outputs, unwritten = {"output": np.zeros(1, np.float32)}, {"output": np.ones(1, bool)}
    message = check_case(REDUCE, sizes, "normal", inputs, outputs, unwritten)[2]
    assert message == "output[0] was never written"


def test_few_unwritten_among_many_wrong_elements():
    """The wrong values are the larger part, so they come first."""
    sizes, inputs, result = product()
    unwritten = {"C": np.zeros((5, 4), bool)}
    unwritten["C"][4, 3] = True
    _, kind, message, _ = check(result + 1, sizes, inputs, unwritten=unwritten)
    assert kind is WrongKind.WRONG_VALUE
    assert message.endswith("20 of 20 elements are wrong; 1 of them was never written")


def test_a_changed_input_comes_before_all_else():
    sizes, inputs, result = product()
    verdict, kind, message, (output,) = check(
        result + 1, sizes, inputs, unwritten={"C": np.ones((5, 4), bool)}, changed_inputs={"A": (0, 2)}
    )
    assert (verdict, kind) == (Verdict.WRONG_ANSWER, WrongKind.CHANGED_INPUT)
    assert message == "the kernel changed the input array A, first at A[0,2]; inputs are read only, results go to C"
    assert output.wrong == 20


def test_a_changed_input_is_wrong_even_where_results_are_right():
    sizes, inputs, result = product()
    assert check(result, sizes, inputs, changed_inputs={"B": (1, 1)})[1] is WrongKind.CHANGED_INPUT


def test_each_output_is_checked_and_the_worst_kind_decides():
    sizes, inputs = case(BOTH_ENDS, "normal", N=40)
    low, high = np.minimum(inputs["x"], 1), np.maximum(inputs["x"], 1)
    assert check_case(BOTH_ENDS, sizes, "normal", inputs, {"low": low, "high": high})[0] is Verdict.ACCEPTED
    unwritten = {"low": np.zeros(40, bool), "high": np.arange(40) > 30}
    _, kind, message, outputs = check_case(
        BOTH_ENDS, sizes, "normal", inputs, {"low": low + 1, "high": high}, unwritten
    )
    assert kind is WrongKind.UNWRITTEN_OUTPUT
    assert message.startswith("9 of 40 elements of high")
    assert [output.kind for output in outputs] == [WrongKind.WRONG_VALUE, WrongKind.UNWRITTEN_OUTPUT]


def test_signed_zeros_count_where_the_problem_says_so():
    zero = {"a": np.array([-0.0], np.float32), "b": np.array([-0.0], np.float32)}
    outputs = {"output": np.array([0.0], np.float32)}
    _, kind, message, _ = check_case(ZIP, {"N": 1}, "special", zero, outputs)
    assert kind is WrongKind.WRONG_VALUE
    assert message == "output[0] is 0, expected -0"
    relu = {"x": np.array([-0.0], np.float32)}
    for got in (0.0, -0.0):
        outputs = {"y": np.array([got], np.float32)}
        assert check_case(RELU, {"N": 1}, "special", relu, outputs)[0] is Verdict.ACCEPTED


ZEROS = np.array([[0.0, -0.0, 0.0, -0.0, -0.0, 1.0], [-0.0, 0.0, 0.0, -0.0, -1.0, -1.0]], np.float32)
PAIR = {"x": array(f32, "N"), "y": array(f32, "N"), "z": out(f32, "N")}


@pytest.mark.parametrize(
    ("operation", "free"),
    [
        # Of two different zeros either may be the larger; of -0 and -0, or -0 and -1, it is -0.
        (lambda x, y: np.maximum(x, y), [True, True, False, False, False, None]),
        (lambda x, y: np.maximum(x, 0.0), [True, True, True, True, True, None]),
        (lambda x, y: x + y, [False, False, False, False, None, False]),
        (lambda x, y: x, [False, False, False, False, False, None]),
    ],
    ids=["maximum", "relu", "sum", "copy"],
)
def test_the_sign_of_a_zero_follows_the_operation(operation, free):
    made = problem(PAIR, exact(), operation)
    x, y = ZEROS
    right = operation(x, y)
    for at, may_differ in enumerate(free):
        if may_differ is None:
            continue
        got = right.copy()
        got[at] = -got[at]
        verdict, *_ = check_case(made, {"N": 6}, "special", {"x": x, "y": y}, {"z": got})
        assert (verdict is Verdict.ACCEPTED) == may_differ, at


def test_a_problem_may_ask_for_the_sign_of_every_zero():
    x, y = ZEROS
    made = problem(PAIR, exact(signed_zeros=True), lambda x, y: np.maximum(x, y))
    got = np.maximum(x, y)
    assert check_case(made, {"N": 6}, "special", {"x": x, "y": y}, {"z": got})[0] is Verdict.ACCEPTED
    assert check_case(made, {"N": 6}, "special", {"x": x, "y": y}, {"z": np.where(got == 0, -got, got)})[1] is not None


def test_one_float_off_is_wrong_where_exact():
    sizes, inputs = case(ZIP, "spread", N=100)
    right = inputs["a"] + inputs["b"]
    assert check_case(ZIP, sizes, "spread", inputs, {"output": right})[0] is Verdict.ACCEPTED
    got = right.copy()
    got[50] = np.nextafter(got[50], np.float32(np.inf))
    verdict, _, message, (output,) = check_case(ZIP, sizes, "spread", inputs, {"output": got})
    assert verdict is Verdict.WRONG_ANSWER
    assert message.startswith("output[50] is ")
    assert output.elements[0].units >= 2


def test_one_step_off_is_wrong_in_the_exact_family():
    sizes, inputs = case(ROW_SUMS, "exact", N=300)
    right = inputs["x"].sum(axis=0, dtype=np.float64).astype(np.float32)
    assert check_case(ROW_SUMS, sizes, "exact", inputs, {"y": right})[0] is Verdict.ACCEPTED
    got = right.copy()
    got[3] += 2.0**-11
    _, kind, _, (output,) = check_case(ROW_SUMS, sizes, "exact", inputs, {"y": got})
    assert kind is not None
    assert (output.gate, output.wrong) == ("G0", 1)


def test_errors_that_add_up_are_found_by_the_aggregate():
    """Each element is within G1, all together are not: a bias of 20 u of the scale."""
    sizes, inputs = case(MATMUL, "normal", M=60, N=50, K=60)
    a, b = (inputs[name].astype(np.float64) for name in "AB")
    biased = (a @ b + 20 * 2.0**-24 * (np.abs(a) @ np.abs(b))).astype(np.float32)
    verdict, _, message, (output,) = check_case(MATMUL, sizes, "normal", inputs, {"C": biased})
    assert verdict is Verdict.WRONG_ANSWER
    assert output.gate == "G2"
    assert "together" in message


def test_numbers_are_short_and_exact():
    sizes, inputs = case(MAP, "normal", N=2)
    got = np.array([np.float32(0.1), 1e30], np.float32)
    _, _, message, _ = check_case(MAP, sizes, "normal", inputs, {"output": got})
    assert message.startswith("output[0] is 0.1, expected 0.")


@pytest.mark.parametrize(
    "outputs",
    [{}, {"C": np.zeros((4, 5), np.float32)}, {"C": np.zeros((5, 4), np.float64)}],
    ids=["missing", "shape", "type"],
)
def test_an_output_that_the_runner_got_wrong_is_the_judges_failure(outputs):
    sizes, inputs, _ = product()
    with pytest.raises(JudgeError, match="output C"):
        check_case(MATMUL, sizes, "normal", inputs, outputs)
