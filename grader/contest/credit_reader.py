"""Reads a problem's partial credit from the tables of contest.toml, and writes it back as data and as TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from grader.contest.groups import ALL, LONGEST_NAME, MOST_GROUPS, Bounds, Group
from grader.contest.partial import HIDDEN, SPEED, VISIBLE, WORDS, Credit, Threshold
from grader.contest.settings_reader import Reader

GROUPS = "groups"
_MOST_POINTS = 1e6
_GROUP_KEYS = ("name", "points", "cases", "at_most", "at_least", "off", "families")
_LARGEST_SIZE = 10**12


def credit_of(table: Reader) -> Credit:
    """The credit in a problem's table; mistakes are noted there."""
    read = table.table("credit", (VISIBLE, HIDDEN, GROUPS, SPEED))
    credit = Credit(
        read.number(VISIBLE, default=0.0, at_most=_MOST_POINTS),
        read.number(HIDDEN, default=0.0, at_most=_MOST_POINTS),
        tuple(
            Threshold(
                each.number("score", default=1.0, above=0.0, at_most=1.0),
                each.number("points", default=1.0, above=0.0, at_most=_MOST_POINTS),
            )
            for each in (read.tables(SPEED, ("score", "points")) if read.get(SPEED) is not None else ())
        ),
        tuple(_groups(read)) if read.get(GROUPS) is not None else (),
    )
    if not credit.most:
        table.mistake("credit", "{}", f"points for {VISIBLE}, {HIDDEN}, {GROUPS} or {SPEED}")
    return credit


def credit_to_data(credit: Credit) -> dict[str, Any]:
    """The credit with the keys of contest.toml, for JSON."""
    data: dict[str, Any] = {VISIBLE: credit.visible, HIDDEN: credit.hidden}
    if credit.groups:
        data[GROUPS] = [_group_data(each) for each in credit.groups]
    if credit.speed:
        data[SPEED] = [{"score": each.score, "points": each.points} for each in credit.speed]
    return data


def credit_to_toml(name: str, credit: Credit) -> str:
    """The credit as tables of TOML below the problem's name, for staff to edit."""
    place = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)
    return "\n".join(_toml(place, credit_to_data(credit))) + "\n"


def _groups(read: Reader) -> Iterator[Group]:
    seen: set[str] = set()
    for number, each in enumerate(read.tables(GROUPS, _GROUP_KEYS), start=1):
        name = each.text("name")
        if name in WORDS or name in seen or len(name) > LONGEST_NAME:
            each.mistake("name", name, f"a name of its own, up to {LONGEST_NAME} characters, and none of {_words()},")
        if number > MOST_GROUPS:
            each.mistake("name", name, f"at most {MOST_GROUPS} groups")
        seen.add(name)
        families = each.get("families")
        if families is not None and not (isinstance(families, list) and all(isinstance(f, str) for f in families)):
            each.mistake("families", families, "a list of families of inputs in quotes")
            families = None
        yield Group(
            name,
            each.number("points", default=1.0, above=0.0, at_most=_MOST_POINTS),
            each.whole("cases", default=6, least=1, most=30),
            _bounds(each, "at_most"),
            _bounds(each, "at_least"),
            each.whole("off", default=0, least=0, most=1 << 20),
            tuple(families or ()),
        )


def _bounds(each: Reader, key: str) -> Bounds:
    """A number for every size, or a table of sizes and numbers."""
    value = each.get(key)
    if value is None:
        return ()
    pairs: list[tuple[str, Any]] = list(value.items()) if isinstance(value, Mapping) else [(ALL, value)]
    if all(type(number) is int and 0 <= number <= _LARGEST_SIZE for _, number in pairs):
        return tuple(sorted((str(name), number) for name, number in pairs))
    each.mistake(key, value, "a whole number for every size, or a table such as { M = 64, N = 64 },")
    return ()


def _group_data(group: Group) -> dict[str, Any]:
    data: dict[str, Any] = {"name": group.name, "points": group.points, "cases": group.cases}
    for key in ("at_most", "at_least"):
        if bounds := dict(getattr(group, key)):
            data[key] = bounds.get(ALL) if list(bounds) == [ALL] else bounds
    if group.off:
        data["off"] = group.off
    if group.families:
        data["families"] = list(group.families)
    return data


def _toml(place: str, data: Mapping[str, Any]) -> Iterator[str]:
    yield f"[{place}]"
    yield from (f"{key} = {_value(value)}" for key, value in data.items() if key not in (GROUPS, SPEED))
    for key in (GROUPS, SPEED):
        for table in data.get(key, ()):
            yield f"[[{place}.{key}]]"
            yield from (f"{name} = {_value(value)}" for name, value in table.items())


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, float):
        return f"{value:.12g}"
    # Texts and lists of texts are written alike in JSON and TOML.
    return json.dumps(value, ensure_ascii=False)


def _words() -> str:
    return ", ".join(WORDS)
