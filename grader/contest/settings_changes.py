"""What differs between two versions of a contest's settings, in words for staff and for the log of changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def differences(before: str, after: str) -> list[str]:
    """What differs between two settings in JSON, a line for each key: "per_hour: 20 → 10"."""
    old, new = _flat(json.loads(before)), _flat(json.loads(after))
    return [
        f"{key}: {_word(old.get(key))} → {_word(new.get(key))}"
        for key in dict.fromkeys([*old, *new])
        if old.get(key) != new.get(key)
    ]


def _flat(data: Mapping[str, Any], prefix: str = "") -> dict[str, object]:
    """The values by dotted keys; a problem's by its name."""
    found: dict[str, object] = {}
    for key, value in data.items():
        if key == "problems":
            value = {each["name"]: {k: v for k, v in each.items() if k != "name"} for each in value}
        if isinstance(value, Mapping):
            found |= _flat(value, f"{prefix}{key}.")
        else:
            found[f"{prefix}{key}"] = value
    return found


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value in (None, "") else str(value)
