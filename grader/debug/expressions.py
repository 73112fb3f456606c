"""Parses a C expression and computes it over recorded values: `tile[ty][k] * 2`, `threadIdx.x == 3 && row < N`.

The parser is tree-sitter's, as for submissions; the rules of types are in `arithmetic`, what names mean in a Scope.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from grader.debug import arithmetic
from grader.debug.c_types import (
    BOOL,
    INT,
    UNSIGNED_LONG,
    Array,
    CType,
    Pointer,
    Struct,
    pointer_to,
    scalar_named,
)
from grader.debug.values import EvaluationError, Scope, Value

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST, DEEPEST = 1000, 60
"""Characters of an expression, and how deep it may be nested."""

Computation = Callable[[Scope], Value]
_BEFORE, _AFTER = b"void f(){(", b");}"
_CASTS = ("static_cast", "reinterpret_cast", "const_cast")


@lru_cache(maxsize=256)
def parse_expression(text: str) -> Computation:
    """What computes the expression in a Scope, as a number where it has one. Both raise EvaluationError."""
    if len(text) > LONGEST:
        raise EvaluationError(f"an expression has at most {LONGEST} characters; this one has {len(text)}")
    if not text.strip():
        raise EvaluationError("an expression is expected, such as threadIdx.x or C[5]")
    compute = compiled(node_of(text), 0)
    return lambda scope: scope.load(compute(scope))


@lru_cache(maxsize=256)
def parse_place(text: str) -> Computation:
    """Does what parse_expression does, but leaves what lies in memory as a place, to be watched or opened."""
    parse_expression(text)
    return compiled(node_of(text), 0)


def is_true(value: Value) -> bool:
    """Whether a condition holds. Raises EvaluationError for what is no number."""
    return bool(arithmetic.number(value))


def node_of(text: str) -> Node:
    """The tree of an expression, in its parentheses. Raises EvaluationError."""
    from grader.compile.syntax import syntax_tree

    tree = syntax_tree(_BEFORE + text.encode(errors="replace") + _AFTER)
    wrong = EvaluationError(f"{_short(text)} is not an expression of C++; expected is one such as row * N + k or C[5]")
    if tree is None or tree.root_node.has_error:
        raise wrong
    try:
        (function,) = tree.root_node.named_children
        (statement,) = (node for node in function.named_children if node.type == "compound_statement")
        (inner,) = statement.named_children
        (parentheses,) = inner.named_children
    except ValueError:
        raise wrong from None
    if inner.type != "expression_statement" or parentheses.type != "parenthesized_expression":
        raise wrong
    return parentheses


def compiled(node: Node, depth: int) -> Computation:
    """What computes this part of an expression, which is `depth` levels deep. Raises EvaluationError."""
    if depth > DEEPEST:
        raise EvaluationError(f"this expression is nested deeper than {DEEPEST} levels")
    compiler = _COMPILERS.get(node.type)
    if compiler is None:
        raise EvaluationError(_REFUSED.get(node.type, f"{_short(text_of(node))} can't be evaluated here"))
    return compiler(node, depth + 1)


def _literal(node: Node, _: int) -> Computation:
    value = arithmetic.literal(text_of(node))
    return lambda scope: value


def _character(node: Node, _: int) -> Computation:
    value = arithmetic.character(text_of(node))
    return lambda scope: value


def _identifier(node: Node, _: int) -> Computation:
    name = text_of(node)
    return lambda scope: scope.named(name)


def _constant(type: CType, number: int) -> Callable[[Node, int], Computation]:
    value = Value(type, number)
    return lambda node, depth: lambda scope: value


def _inner(node: Node, depth: int) -> Computation:
    return compiled(_only(node), depth)


def _unary(node: Node, depth: int) -> Computation:
    operand, operator = compiled(part(node, "argument"), depth), text_of(part(node, "operator"))
    return lambda scope: arithmetic.unary(operator, scope.load(operand(scope)))


def _pointer(node: Node, depth: int) -> Computation:
    operand, operator = compiled(part(node, "argument"), depth), text_of(part(node, "operator"))
    if operator == "*":
        return lambda scope: _pointed(scope, scope.load(operand(scope)))

    def address(scope: Scope) -> Value:
        value = operand(scope)
        return Value(pointer_to(value.type), scope.address_of(value))

    return address


def _binary(node: Node, depth: int) -> Computation:
    left, right = (compiled(part(node, side), depth) for side in ("left", "right"))
    operator = text_of(part(node, "operator"))
    if operator in ("&&", "||", "and", "or"):
        stops_at = operator in ("||", "or")

        def both(scope: Scope) -> Value:
            if is_true(scope.load(left(scope))) == stops_at:
                return arithmetic.truth(stops_at)
            return arithmetic.truth(is_true(scope.load(right(scope))))

        return both
    return lambda scope: arithmetic.binary(operator, scope.load(left(scope)), scope.load(right(scope)))


def _conditional(node: Node, depth: int) -> Computation:
    condition, one, other = (compiled(part(node, p), depth) for p in ("condition", "consequence", "alternative"))
    return lambda scope: one(scope) if is_true(scope.load(condition(scope))) else other(scope)


def _subscript(node: Node, depth: int) -> Computation:
    array = compiled(part(node, "argument"), depth)
    index = compiled(_only(part(node, "indices")), depth)

    def element(scope: Scope) -> Value:
        at = arithmetic.integer(scope.load(index(scope)), "an index")
        found = array(scope)
        if isinstance(found.type, Array) and found.place is not None:
            if not 0 <= at < found.type.count:
                raise EvaluationError(
                    f"index {at} is outside of {found.type.name}, which has {found.type.count} elements"
                )
            return Value(found.type.element, place=found.place.moved(at * found.type.element.size))
        pointer = scope.load(found)
        return _pointed(scope, arithmetic.binary("+", pointer, Value(UNSIGNED_LONG if at >= 0 else INT, at)))

    return element


def _field(node: Node, depth: int) -> Computation:
    owner, name = compiled(part(node, "argument"), depth), text_of(part(node, "field"))
    arrow = text_of(node.children[1]) == "->"

    def member(scope: Scope) -> Value:
        value = owner(scope)
        if arrow:
            value = _pointed(scope, scope.load(value))
        if not isinstance(value.type, Struct):
            raise EvaluationError(
                f"{_short(text_of(part(node, 'argument')))} is a {value.type.name}, which has no members"
            )
        for one in value.type.members:
            if one.name == name:
                return arithmetic.member(value, one)
        known = ", ".join(one.name for one in value.type.members)
        raise EvaluationError(f"{value.type.name} has no member {_short(name)}; it has {known}")

    return member


def _cast(node: Node, depth: int) -> Computation:
    return _converted(part(node, "type"), compiled(part(node, "value"), depth))


def _call(node: Node, depth: int) -> Computation:
    """A cast in the form of a call, or one of a few functions without effects."""
    function, arguments = part(node, "function"), part(node, "arguments").named_children
    operands = [compiled(one, depth) for one in arguments]
    if function.type == "template_function" and text_of(part(function, "name")) in _CASTS and len(operands) == 1:
        return _converted(_only(part(function, "arguments")), operands[0])
    name = text_of(function).strip("()")
    if (function.type in ("primitive_type", "parenthesized_expression") or scalar_named(name)) and len(operands) == 1:
        operand = operands[0]
        return lambda scope: arithmetic.cast(scope.load(operand(scope)), _type(scope, name))
    called = arithmetic.function(name, len(operands))
    return lambda scope: called(*(scope.load(one(scope)) for one in operands))


def _converted(type: Node, operand: Computation) -> Computation:
    words = " ".join(text_of(type).replace("*", " * ").split())
    return lambda scope: arithmetic.cast(scope.load(operand(scope)), _type(scope, words))


def _sizeof(node: Node, depth: int) -> Computation:
    named = node.child_by_field_name("type")
    if named is not None:
        words = text_of(named)
        return lambda scope: Value(UNSIGNED_LONG, _type(scope, words).size)
    value = part(node, "value")
    words, operand = text_of(value).strip("() "), compiled(value, depth)

    def size(scope: Scope) -> Value:
        type = scope.type_named(words) or operand(scope).type
        return Value(UNSIGNED_LONG, type.size)

    return size


def _type(scope: Scope, words: str) -> CType:
    """The type of words such as `const float *`."""
    base = words.rstrip("* ")
    name = " ".join(word for word in base.split() if word not in ("const", "volatile", "struct"))
    if name == "void":
        found: CType | None = None
    else:
        found = scope.type_named(name) or scalar_named(name)
        if found is None:
            raise EvaluationError(f"the kernel has no type {_short(name)}")
    for _ in range(words.count("*")):
        found = pointer_to(found)
    if found is None:
        raise EvaluationError("nothing can be of type void")
    return found


def _pointed(scope: Scope, pointer: Value) -> Value:
    if not isinstance(pointer.type, Pointer):
        raise EvaluationError(f"a {pointer.type.name} is no pointer and no array")
    return scope.at_address(int(arithmetic.number(pointer)), pointer.type.to)


def part(node: Node, name: str) -> Node:
    """The child with this role, such as "left". Raises EvaluationError."""
    found = node.child_by_field_name(name)
    if found is None:
        raise EvaluationError(f"{_short(text_of(node))} can't be evaluated here")
    return found


def _only(node: Node) -> Node:
    children = node.named_children
    if len(children) != 1:
        raise EvaluationError(f"{_short(text_of(node))} can't be evaluated here")
    return children[0]


def text_of(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


_CHANGES = "what has happened can't be changed: an expression only reads, as in row * N + k"
_REFUSED = dict.fromkeys(("assignment_expression", "update_expression"), _CHANGES)

_COMPILERS: dict[str, Callable[[Node, int], Computation]] = {
    "number_literal": _literal,
    "char_literal": _character,
    "identifier": _identifier,
    "this": _identifier,
    "true": _constant(BOOL, 1),
    "false": _constant(BOOL, 0),
    "null": _constant(pointer_to(None), 0),
    "parenthesized_expression": _inner,
    "unary_expression": _unary,
    "pointer_expression": _pointer,
    "binary_expression": _binary,
    "conditional_expression": _conditional,
    "subscript_expression": _subscript,
    "field_expression": _field,
    "cast_expression": _cast,
    "call_expression": _call,
    "sizeof_expression": _sizeof,
}
