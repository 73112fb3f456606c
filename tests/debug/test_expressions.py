"""C expressions over recorded values: types, arithmetic, memory, and what is refused."""

from __future__ import annotations

import pytest

from grader.debug.debugger import Debugger
from grader.debug.expressions import parse_expression, parse_place
from grader.debug.shown import can_open, children_of, count_of, text_of_value
from grader.debug.values import EvaluationError

from .made import made_trace


@pytest.fixture(scope="module")
def debugger() -> Debugger:
    """Thread 3 before its last line."""
    debugger = Debugger(made_trace(), thread=3)
    debugger.break_at(0, 17)
    debugger.run()
    return debugger


@pytest.mark.parametrize(
    ("expression", "type", "text"),
    [
        ("1 + 2 * 3", "int", "7"),
        ("7 / -2", "int", "-3"),
        ("-7 % 3", "int", "-1"),
        ("2147483647 + 1", "int", "-2147483648"),
        ("0u - 1", "unsigned int", "4294967295"),
        ("-1 < 0u", "bool", "false"),
        ("1.0f / 3", "float", "0.33333334"),
        ("1.0 / 3", "double", "0.3333333333333333"),
        ("1 / 0.0f", "float", "inf"),
        ("(int)3.99f", "int", "3"),
        ("(unsigned char)300", "unsigned char", "44"),
        ("(char)65", "char", "65 'A'"),
        ("float(1) / 2", "float", "0.5"),
        ("static_cast<long long>(1) << 40", "long long", "1099511627776"),
        ("0x10 | 010", "int", "24"),
        ("~0", "int", "-1"),
        ("!0 && 3 > 2", "bool", "true"),
        ("0 && 1 / 0", "bool", "false"),
        ("1 ? 2 : 1 / 0", "int", "2"),
        ("sizeof(float4) + sizeof(int)", "unsigned long long", "20"),
        ("sizeof tile", "unsigned long long", "160"),
        ("i * 2 + N", "int", "281"),
        ("threadIdx.x == 3 && blockIdx.x == 2", "bool", "true"),
        ("blockIdx.x * blockDim.x + threadIdx.x == i", "bool", "true"),
        ("gridDim.x * warpSize", "unsigned int", "96"),
        ("a[i]", "float", "83"),
        ("*(a + i + 1)", "float", "84"),
        ("(&a[i])[-1]", "float", "82"),
        ("&a[i] - a", "long long", "83"),
        ("&C[5] == C + 5", "bool", "true"),
        ("tile[threadIdx.x / 8][threadIdx.x % 8]", "float", "498"),
        ("*tile[0]", "float", "480"),
        ("((unsigned char*)a)[4 * i + 3]", "unsigned char", "66"),
        ("((float2*)a)[41].y", "float", "83"),
        ("pair.count + 1", "int", "4"),
        ("max(i, 90) - min(1.5f, 2)", "float", "88.5"),
        ("sqrtf(16.0f)", "float", "4"),
        ("(half)0.1f", "half", "0.1"),
        ("(__nv_bfloat16)3.14159f", "__nv_bfloat16", "3.14"),
        ("'a' + 1", "int", "98"),
        ("true + true", "int", "2"),
        ("nullptr == 0", "bool", "true"),
    ],
)
def test_values(debugger: Debugger, expression: str, type: str, text: str) -> None:
    value = parse_expression(expression)(debugger.scope())
    assert (value.type.name, text_of_value(debugger.scope(), value)) == (type, text)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("", "an expression is expected"),
        ("1 +", "is not an expression of C++"),
        ("1; 2", "is not an expression"),
        (") + (", "is not an expression"),
        ("} int x; {", "is not an expression"),
        ("1); (2", "is not an expression"),
        ("x" * 2000, "at most 1000 characters"),
        ("(" * 400 + "1" + ")" * 400, "nested deeper than"),
        ("-" * 900 + "1", ""),
        ("sums", "there is no sums here; did you mean sum?"),
        ("i = 3", "can't be changed"),
        ("i++", "can't be changed"),
        ("printf(1)", "can't be called"),
        ("1 / 0", "1 / 0 is undefined"),
        ("1 << 32", "shift of a int by 32"),
        ("1.5 % 2", "needs integers"),
        ("~1.5f", "needs an integer"),
        ("pair + 1", "a Pair is not a number"),
        ("pair.nobody", "Pair has no member nobody; it has count, weights"),
        ("i.x", "which has no members"),
        ("i[3]", "no pointer and no array"),
        ("*i", "no pointer and no array"),
        ("a[1.5f]", "an index is an integer"),
        ("tile[5][0]", "index 5 is outside of float[5][8]"),
        ("a[1000]", "nothing can be read there"),
        ("a[-1]", "nothing can be read there"),
        ("*(float*)0x2000000010", "nothing can be read there: it is a local variable"),
        ("C[85]", "C has no value here yet"),
        ("pair.weights[1]", "pair has no value here yet"),
        ("k", "there is no k here"),
        ("*(int*)0", "it is a null pointer"),
        ("&i", "the address of i is not recorded"),
        ("(Nobody)1", ""),
        ("99999999999999999999999", "too large for any integer"),
        ("08", "is not an expression"),
        ("\x00", "is not an expression"),
        ("new int", ""),
        ("[]{ return 1; }()", ""),
        ("a * * ", "is not an expression"),
        ("\udcff", "is not an expression"),
    ],
)
def test_what_has_no_value_says_why(debugger: Debugger, expression: str, words: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        parse_expression(expression)(debugger.scope())
    assert words in str(caught.value)


def test_aggregates_are_opened(debugger: Debugger) -> None:
    scope = debugger.scope()

    def shown(expression: str, start: int = 0, count: int = 0) -> list[tuple[str, str, str]]:
        value = parse_place(expression)(scope)
        assert can_open(value)
        children = children_of(scope, value, expression, start, count)
        return [(one.name, text_of_value(scope, one.value), one.expression) for one in children]

    assert shown("pair") == [
        ("count", "3", "pair.count"),
        ("weights", "{no value yet, no value yet}", "pair.weights"),
    ]
    assert shown("tile[0]", 2, 2) == [("[2]", "492", "tile[0][2]"), ("[3]", "498", "tile[0][3]")]
    assert shown("C") == [("*C", "no value yet", "*C")]
    assert shown("threadIdx")[0] == ("x", "3", "threadIdx.x")
    array = debugger.memory.array(0, 3)
    assert count_of(scope, array) == len(range(72, 115))
    assert children_of(scope, array, "a", 1, 1)[0].name == "[73]", "only what was recorded is listed"
    pointer = parse_place("&a[83]")(scope)
    assert text_of_value(scope, pointer).endswith("(a[83])")


def test_every_child_is_named_by_an_expression_that_finds_it_again(debugger: Debugger) -> None:
    scope = debugger.scope()
    for name in ("pair", "tile", "threadIdx"):
        for one in children_of(scope, parse_place(name)(scope), name):
            again = parse_place(one.expression)(scope)
            assert text_of_value(scope, again) == text_of_value(scope, one.value)
