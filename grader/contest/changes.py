"""Says in words what a row of the log, or a form, changed: which setting, from what to what."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from grader.contest.records import AuditRecord
from grader.contest.spans import span

_SECRET = "hidden_seeds"
LONGEST = 200


def details(change: AuditRecord) -> str:
    """The details of a logged change; of changed settings only the difference, and nothing of hidden seeds."""
    detail = change.detail
    if "before" in detail and "after" in detail:
        return "; ".join(differences(detail["before"], detail["after"])) or "nothing that kgrade knows"
    # The first settings are those of the file.
    return ", ".join(_detail(key, value) for key, value in detail.items() if key != "settings")


def _detail(key: str, value: Any) -> str:
    if key == "seconds":
        return f"time: {span(timedelta(seconds=value))}"
    return f"{key}: {_word(value)}"


def differences(before: str, after: str) -> list[str]:
    """What differs between two settings in JSON, a line for each: "per_hour: 20 → 10"."""
    return list(_differences(json.loads(before), json.loads(after)))


def _differences(before: Mapping[str, Any], after: Mapping[str, Any], place: str = "") -> Iterator[str]:
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        if key == _SECRET:
            yield f"{key}: others than before"
        elif key == "problems":
            yield from _problems(old or [], new or [])
        elif isinstance(old, dict) and isinstance(new, dict):
            yield from _differences(old, new, f"{place}{key}.")
        else:
            yield f"{place}{key}: {_word(old)} → {_word(new)}"


def _problems(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> Iterator[str]:
    before, after = ({each["name"]: each for each in some} for some in (old, new))
    for what, some, others in (("taken out", before, after), ("added", after, before)):
        if names := [name for name in some if name not in others]:
            yield f"problem{'s' * (len(names) > 1)} {what}: {_word(', '.join(names))}"
    for name, problem in after.items():
        if name in before:
            yield from _differences(before[name], problem, f"problem {name}, ")
    if list(before) != list(after) and before.keys() == after.keys():
        yield f"order of the problems: {', '.join(after)}"


def _word(value: Any) -> str:
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
