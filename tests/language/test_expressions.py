"""Expressions of sizes: what they come to, and that what is not in the grammar is refused and never run."""

from __future__ import annotations

import pytest

from grader.core.errors import ProblemError
from grader.problem.expressions import inline, names_in, value_of

SIZES = {"H": 17, "K": 3, "S": 2, "N": 100}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("H", 17),
        (" H // K ", 5),
        ("(H - K) // S + 1", 8),
        ("H - K + 1", 15),
        ("ceil_div(N, H)", 6),
        ("ceil_div(N, 2 * S) * S", 50),
        ("min(H, K, 5) + max(S, 1)", 5),
        ("2 * (H + 1)", 36),
        ("K - H", -14),
        ("2 * 2**(K + 1)", 32),
    ],
)
def test_what_it_comes_to(text: str, value: int) -> None:
    assert value_of(text, SIZES) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "H +",
        "H / K",
        "H % K",
        "H ** 99999",
        "3 ** K",
        "-H",
        "H.real",
        "H[0]",
        "1.5 * H",
        "True",
        "'H'",
        "H if K else S",
        "lambda: 1",
        "(H := 3)",
        "H\nK",
        "abs(H)",
        "min(H)",
        "ceil_div(H)",
        "ceil_div(H, K, S)",
        "ceil_div(a=H, b=K)",
        "max(*H, K)",
        "__import__('os').system('true')",
        "open('made_by_an_expression', 'w')",
    ],
)
def test_what_is_not_in_the_grammar_is_refused(text: str) -> None:
    with pytest.raises(ProblemError):
        names_in(text)


def test_a_division_by_0_names_the_sizes() -> None:
    with pytest.raises(ProblemError, match=r"'N // \(K - 3\)' divides by 0 with H=17, K=3"):
        value_of("N // (K - 3)", SIZES)


@pytest.mark.parametrize("text", ["2 ** (K - H)", "2 ** N", "2 ** 2 ** 2 ** H"])
def test_a_power_beyond_all_lengths_is_refused(text: str) -> None:
    with pytest.raises(ProblemError, match="is no length"):
        value_of(text, SIZES)


def test_names_are_those_of_sizes_alone() -> None:
    assert names_in("ceil_div(H, S) + max(K, H)") == ("H", "S", "K")


def test_what_is_put_in_keeps_its_parentheses() -> None:
    text = inline("2 * OUT", {"OUT": "(H - K) // S + 1"})
    assert value_of(text, SIZES) == 16
    assert inline("2 * H", {"OUT": "H"}) == "2 * H"
