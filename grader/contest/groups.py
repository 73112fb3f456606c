"""Groups of hidden cases that give points of their own, as plain data.

A group says what is common to its cases ("every size at most 64", "no size is a multiple of 16"). `group_cases` draws
them, `partial` turns passed groups into points.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

MOST_GROUPS = 8
LONGEST_NAME = 60
ALL = "*"
"""Stands for every size where a size's name is expected."""
Bounds = tuple[tuple[str, int], ...]
"""Pairs of a size's name, or ALL, and a number."""


@dataclass(frozen=True)
class Group:
    """`points` for having all of its `cases` right. Sizes lie within `at_least` and `at_most`.

    No size is a multiple of `off`, where it is not 0. `families` are the inputs to draw, all of the problem's if empty.
    """

    name: str
    points: float
    cases: int = 6
    at_most: Bounds = ()
    at_least: Bounds = ()
    off: int = 0
    families: tuple[str, ...] = ()


def conditions(group: Group) -> str:
    """What is common to the group's cases, in words for staff."""
    found = [
        f"{'sizes' if name == ALL else name} {words} {number}"
        for words, bounds in (("at least", group.at_least), ("at most", group.at_most))
        for name, number in bounds
    ]
    if group.off > 1:
        found.append(f"no size a multiple of {group.off}")
    if group.families:
        found.append(f"inputs {' and '.join(group.families)}")
    return ", ".join([f"{group.cases} {'case' if group.cases == 1 else 'cases'}", *found])


def group_from_data(data: Mapping[str, Any]) -> Group:
    """The inverse of `dataclasses.asdict`, also after a way through JSON."""
    pairs = {key: tuple((str(name), int(value)) for name, value in data[key]) for key in ("at_most", "at_least")}
    return Group(**{**data, **pairs, "families": tuple(data["families"])})


def group_to_data(group: Group) -> dict[str, Any]:
    return asdict(group)


def passed_to_text(names: Sequence[str]) -> str:
    """The names of the groups that a submission passed, as a judging keeps them."""
    return json.dumps(list(names))


def passed_of(text: str | None) -> frozenset[str]:
    """The names in a judging's text; empty for one that was judged without groups. Raises ValueError for other text."""
    try:
        found = json.loads(text) if text else []
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise ValueError("it is no list of names")
    return frozenset(found)


def kept_groups(text: str | None) -> frozenset[str]:
    """The same of a judging in the database: none for what an older server took from a worker unread."""
    try:
        return passed_of(text)
    except ValueError:
        return frozenset()


def seed_of(group: Group, hidden_seed: int) -> int:
    """The seed of a group's cases."""
    return int.from_bytes(sha256(f"{hidden_seed}\0{group.name}".encode()).digest()[:6], "big")
