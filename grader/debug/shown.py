"""How values are shown: as one line of text, and opened into their members or elements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from grader.debug.c_types import Array, Pointer, Scalar, Struct, text_of
from grader.debug.scope import ThreadScope
from grader.debug.values import EvaluationError, Value
from grader.replay.model import GLOBAL

PREVIEWED = 8
"""Elements or members that the line of an aggregate shows."""
DEEPEST_PREVIEW = 3
MOST_CHILDREN = 1000
"""Elements opened at once for a client that doesn't ask for a part of them."""
UNSET, UNRECORDED = "no value yet", "not recorded"


@dataclass(frozen=True)
class Child:
    """A member or an element: its name among its siblings, and the expression that names it anywhere."""

    name: str
    value: Value
    expression: str


def text_of_value(scope: ThreadScope, value: Value, depth: int = 0) -> str:
    """A value in one line."""
    if isinstance(value.type, (Struct, Array)):
        if value.place is None or depth == DEEPEST_PREVIEW:
            return "{…}"
        return _preview(scope, value, depth)
    number = value.number
    if value.place is not None:
        try:
            number = scope.memory.number_at(value.place, value.type, scope.step)
        except EvaluationError:
            return UNRECORDED
    if number is None:
        return UNSET
    if isinstance(value.type, Pointer):
        return _pointer_text(scope, int(number), value.type)
    return text_of(number, value.type)


def can_open(value: Value) -> bool:
    """Whether a value has members, elements, or something that it points to."""
    return isinstance(value.type, (Struct, Array)) or (isinstance(value.type, Pointer) and value.type.to is not None)


def count_of(scope: ThreadScope, value: Value) -> int:
    """How many elements an array shows: of an array of the launch only those that were recorded. 0 if it is none."""
    if not isinstance(value.type, Array):
        return 0
    recorded = _recorded(scope, value)
    return value.type.count if recorded is None else len(recorded)


def children_of(scope: ThreadScope, value: Value, expression: str, start: int = 0, count: int = 0) -> list[Child]:
    """The members or elements, `count` of them from the one numbered `start`; 0 means all, up to MOST_CHILDREN."""
    count = min(count or MOST_CHILDREN, MOST_CHILDREN)
    return list(islice(_children(scope, value, expression, start), count))


def _children(scope: ThreadScope, value: Value, expression: str, start: int) -> Iterator[Child]:
    type, place = value.type, value.place
    whole = f"({expression})" if expression.startswith("*") else expression
    if isinstance(type, Struct) and place is not None:
        for member in type.members[start:]:
            yield Child(member.name, Value(member.type, place=place.moved(member.offset)), f"{whole}.{member.name}")
    elif isinstance(type, Array) and place is not None:
        recorded = _recorded(scope, value)
        for at in range(start, type.count) if recorded is None else recorded[start:]:
            moved = place.moved(at * type.element.size)
            yield Child(f"[{at}]", Value(type.element, place=moved), f"{whole}[{at}]")
    elif isinstance(type, Pointer) and start == 0:
        try:
            pointer = scope.load(value)
            target = scope.at_address(int(pointer.number or 0), type.to)
        except EvaluationError:
            return
        yield Child(f"*{expression}", target, f"*{expression}")


def _recorded(scope: ThreadScope, value: Value) -> list[int] | None:
    """The recorded elements of an array of the launch; None for what is recorded as a whole."""
    place = value.place
    if place is None or place.space != GLOBAL or place.offset or not isinstance(value.type, Array):
        return None
    return scope.memory.recorded_elements(place.target)


def _preview(scope: ThreadScope, value: Value, depth: int) -> str:
    parts = list(islice(_children(scope, value, "", 0), PREVIEWED + 1))
    shown = []
    for child in parts[:PREVIEWED]:
        text = text_of_value(scope, child.value, depth + 1)
        plain = isinstance(value.type, Array) and _recorded(scope, value) is None
        shown.append(text if plain else f"{child.name}={text}")
    return "{" + ", ".join(shown + ["…"] * (len(parts) > PREVIEWED)) + "}"


def _pointer_text(scope: ThreadScope, address: int, type: Pointer) -> str:
    """The address, and the element that it is the address of."""
    try:
        place = scope.memory.at_address(address, scope.thread)
    except EvaluationError:
        return f"{address:#x}"
    return f"{address:#x} ({scope.memory.element_name(place)})"


def type_name(value: Value) -> str:
    """The type, as C++ writes it."""
    return value.type.name or ("number" if isinstance(value.type, Scalar) else "")
