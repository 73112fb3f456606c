"""Evaluates the expression of an `#if` with expanded macros, as far as the text alone determines it."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

MOST_TOKENS = 500
"""Longest expression in tokens; a longer one has no known value."""

_TOKEN = re.compile(r"[A-Za-z_]\w*|[0-9]\w*|\|\||&&|[=!<>]=|<<|>>|\S")
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,18})[uUlL]{0,3}")
_DEEPEST = 30

_OPERATORS: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "||": (1, lambda a, b: int(bool(a or b))),
    "&&": (2, lambda a, b: int(bool(a and b))),
    "|": (3, operator.or_),
    "^": (4, operator.xor),
    "&": (5, operator.and_),
    "==": (6, operator.eq),
    "!=": (6, operator.ne),
    "<": (7, operator.lt),
    ">": (7, operator.gt),
    "<=": (7, operator.le),
    ">=": (7, operator.ge),
    "+": (8, operator.add),
    "-": (8, operator.sub),
    "*": (9, operator.mul),
}
_LARGEST = 1 << 64


class _UnknownError(Exception):
    """Only the compiler knows the value."""


def value_of(expression: str) -> int | None:
    """The value of an expression; None if it depends on the compiler's own names or can't be parsed here.

    Other names are 0, as in the preprocessor.
    """
    tokens = _TOKEN.findall(expression)
    if not tokens or len(tokens) > MOST_TOKENS:
        return None
    try:
        value = _binary(tokens[::-1], 1, 0)
    except (_UnknownError, IndexError):
        return None
    return value


def _binary(tokens: list[str], least: int, depth: int) -> int | None:
    left = _unary(tokens, depth)
    while tokens and tokens[-1] in _OPERATORS and _OPERATORS[tokens[-1]][0] >= least:
        word = tokens.pop()
        precedence, function = _OPERATORS[word]
        right = _binary(tokens, precedence + 1, depth)
        decided = {"||": (left or 0) != 0 or (right or 0) != 0, "&&": left == 0 or right == 0}.get(word, False)
        if None in (left, right):
            left = int(word == "||") if decided else None
        else:
            assert left is not None and right is not None
            left = int(function(left, right))
            if abs(left) > _LARGEST:
                raise _UnknownError
    if tokens and depth == 0 and least == 1:
        raise _UnknownError
    return left


def _unary(tokens: list[str], depth: int) -> int | None:
    if depth > _DEEPEST:
        raise _UnknownError
    token = tokens.pop()
    if token in ("!", "-", "+"):
        value = _unary(tokens, depth + 1)
        return value if value is None or token == "+" else -value if token == "-" else int(not value)
    if token == "(":
        value = _binary(tokens, 1, depth + 1)
        if tokens.pop() != ")":
            raise _UnknownError
        return value
    number = _NUMBER.fullmatch(token)
    if number:
        return int(number[1], 16 if number[1][:2].lower() == "0x" else 10)
    if not token.isidentifier():
        raise _UnknownError
    if tokens and tokens[-1] == "(":
        # A query such as __has_include(<file>).
        raise _UnknownError
    return {"true": 1, "false": 0}.get(token, None if token[:1] == "_" else 0)
