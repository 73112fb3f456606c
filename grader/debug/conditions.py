"""Conditions of breakpoints, parted into what chooses threads and what changes from step to step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from grader.debug import arithmetic
from grader.debug.expressions import Computation, compiled, is_true, node_of, parse_expression, part, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


@lru_cache(maxsize=256)
def parse_condition(text: str, constant: frozenset[str]) -> tuple[Computation, Computation]:
    """A condition in two parts, both of which have to hold: one that uses only the `constant` names, and the rest.

    The first part is the same at all steps of a thread. Raises EvaluationError.
    """
    parse_expression(text)
    parts: tuple[list[Node], list[Node]] = ([], [])
    for node in _conjuncts(node_of(text)):
        parts[0 if _names(node) <= constant else 1].append(node)
    constants, others = ([compiled(node, 0) for node in some] for some in parts)
    return _all_of(constants), _all_of(others)


def _conjuncts(node: Node) -> list[Node]:
    """The parts of a && b && c."""
    while node.type == "parenthesized_expression" and len(node.named_children) == 1:
        node = node.named_children[0]
    if node.type == "binary_expression" and text_of(part(node, "operator")) in ("&&", "and"):
        return [*_conjuncts(part(node, "left")), *_conjuncts(part(node, "right"))]
    return [node]


def _names(node: Node) -> set[str]:
    found = {text_of(node)} if node.type in ("identifier", "this") else set()
    return found.union(*(_names(child) for child in node.named_children))


def _all_of(parts: Sequence[Computation]) -> Computation:
    return lambda scope: arithmetic.truth(all(is_true(scope.load(one(scope))) for one in parts))
