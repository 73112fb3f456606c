"""Shortens template names in compiler messages by their innermost arguments; CuTe's names fill pages."""

from __future__ import annotations

LONG = 400
"""Messages up to this many characters are left as they are."""

_DEEPEST = 3
_CUT = "…"


def shorten(message: str) -> str:
    """The message with as many levels of template arguments as fit in LONG characters, the others as <…>."""
    if len(message) <= LONG:
        return message
    shorter = [_without_arguments(message, level) for level in range(_DEEPEST, -1, -1)]
    return next((text for text in shorter if len(text) <= LONG), shorter[-1][: LONG - 1] + _CUT)


def _without_arguments(message: str, levels: int) -> str:
    kept: list[str] = []
    level = 0
    for place, character in enumerate(message):
        if character == '"':
            # Names are in quotes, so a `<` that was a comparison ends here.
            level = 0
        elif character == "<" and _ends_in_a_name(message, place):
            level += 1
            if level == levels + 1:
                kept.append(f"<{_CUT}>")
        if level <= levels:
            kept.append(character)
        if character == ">" and level and message[place - 1] != "-":
            level -= 1
    return "".join(kept)


def _ends_in_a_name(message: str, place: int) -> bool:
    last = message[place - 1 : place]
    return (last.isalnum() or last == "_") and not message.endswith("operator", 0, place)
