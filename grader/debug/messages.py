"""The messages of logpoints: text with expressions in braces, as `k={k} sum={sum}`."""

from __future__ import annotations

import re

from grader.debug.expressions import parse_expression, parse_place
from grader.debug.scope import ThreadScope
from grader.debug.shown import text_of_value
from grader.debug.threads import thread_name
from grader.debug.values import EvaluationError

_PART = re.compile(r"\{([^{}]*)\}")


def check_message(text: str) -> None:
    """Raises EvaluationError for an expression in braces that can't be read, and for a brace without the other."""
    if re.search(r"[{}]", _PART.sub("", text)):
        raise EvaluationError("a brace has no other one; an expression stands in braces, as in k={k} sum={sum}")
    for found in _PART.finditer(text):
        parse_expression(found[1])


def message(text: str, scope: ThreadScope) -> str:
    """The thread's name and the text, with the values of its expressions; why there is none, where there is none."""

    def value(found: re.Match[str]) -> str:
        try:
            return text_of_value(scope, parse_place(found[1])(scope))
        except EvaluationError as error:
            return f"<{error}>"

    return f"{thread_name(scope.memory.trace, scope.thread)}: {_PART.sub(value, text)}"
