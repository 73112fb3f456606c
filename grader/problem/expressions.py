"""Parses and evaluates integer expressions of sizes in a problem's declaration, such as "(H - K) // S + 1".

Allowed are names of sizes, integers, + - * //, powers of two such as 2**LOG, ceil_div, min and max. No expression is
run as Python.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache

from grader.core.errors import ProblemError


def ceil_div(a: int, b: int) -> int:
    """a / b rounded up: how many blocks of b cover a elements."""
    return -(-a // b)


MOST_EXPONENT = 62
"""The largest power of two that fits into 64 bits with a sign; far more would take all memory."""


def power_of_two(two: int, exponent: int) -> int:
    """2**exponent. Raises ProblemError for an exponent below 0 or above MOST_EXPONENT."""
    if not 0 <= exponent <= MOST_EXPONENT:
        raise ProblemError(f"2**{exponent} is no length", f"keep exponents between 0 and {MOST_EXPONENT}")
    return 1 << exponent


_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: power_of_two,
}
_FUNCTIONS: Mapping[str, Callable[..., int]] = {"ceil_div": ceil_div, "min": min, "max": max}
_KNOWN = "names of sizes, whole numbers, + - * //, 2**a, ceil_div(a, b), min(a, b) and max(a, b)"


def value_of(text: str, sizes: Mapping[str, int]) -> int:
    """The value of an expression. Raises ProblemError if it is malformed or divides by 0."""
    try:
        return _function(text)(sizes)
    except ZeroDivisionError:
        raise ProblemError(f"{text!r} divides by 0 with {_shown(sizes)}", "keep the divisor's range above 0") from None


def names_in(text: str) -> tuple[str, ...]:
    """The names of sizes in an expression, each once. Raises ProblemError if it is malformed."""
    functions = {id(node.func) for node in ast.walk(_parsed(text)) if isinstance(node, ast.Call)}
    names = (n.id for n in ast.walk(_parsed(text)) if isinstance(n, ast.Name) and id(n) not in functions)
    return tuple(dict.fromkeys(names))


def inline(text: str, computed: Mapping[str, str]) -> str:
    """The expression with each name in `computed` replaced by its own expression."""
    if not set(names_in(text)) & set(computed):
        return text
    return ast.unparse(_Inline(computed).visit(ast.parse(text, mode="eval")))


class _Inline(ast.NodeTransformer):
    def __init__(self, computed: Mapping[str, str]) -> None:
        self._computed = computed

    def visit_Name(self, node: ast.Name) -> ast.expr:
        text = self._computed.get(node.id)
        return node if text is None else ast.parse(text, mode="eval").body


@lru_cache(maxsize=1024)
def _parsed(text: str) -> ast.expr:
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        _check(tree, text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ProblemError(f"{text!r} is no expression of sizes", f"it may hold {_KNOWN}") from None
    return tree


@lru_cache(maxsize=1024)
def _function(text: str) -> Callable[[Mapping[str, int]], int]:
    """The expression as a function of sizes: drawing the sizes of cases evaluates some thousand times."""
    return _function_of(_parsed(text))


def _check(node: ast.expr, text: str) -> None:
    """Raises ProblemError for the first part that is not in the grammar."""
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        parts = [node.left, node.right]
        if isinstance(node.op, ast.Pow) and ast.unparse(node.left) != "2":
            raise ProblemError(f"{text!r}: {ast.unparse(node)!r} can't stand in it", "only 2 can be raised to a power")
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
        parts = node.args
        if node.keywords or len(parts) < 2 or (node.func.id == "ceil_div" and len(parts) > 2):
            raise ProblemError(f"{text!r}: {node.func.id} takes two values, as in {node.func.id}(N, 4)")
    elif isinstance(node, ast.Name) or (isinstance(node, ast.Constant) and type(node.value) is int):
        parts = []
    else:
        raise ProblemError(f"{text!r}: {ast.unparse(node)!r} can't stand in it", f"it may hold {_KNOWN}")
    for part in parts:
        _check(part, text)


def _function_of(node: ast.expr) -> Callable[[Mapping[str, int]], int]:
    if isinstance(node, ast.BinOp):
        operate, left, right = _OPERATORS[type(node.op)], _function_of(node.left), _function_of(node.right)
        return lambda sizes: operate(left(sizes), right(sizes))
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        call, parts = _FUNCTIONS[node.func.id], [_function_of(part) for part in node.args]
        return lambda sizes: call(*(part(sizes) for part in parts))
    if isinstance(node, ast.Name):
        return operator.itemgetter(node.id)
    assert isinstance(node, ast.Constant) and isinstance(node.value, int)
    value = node.value
    return lambda sizes: value


def _shown(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sizes.items())
