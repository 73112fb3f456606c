"""Output for terminals without Unicode: replaces the few symbols that kgrade uses by the nearest ASCII.

It is an error handler of Python's encoders, so no other code has to consider such terminals.
"""

from __future__ import annotations

import codecs

_NEAREST = {
    "×": "x",
    "·": ".",
    "…": "...",
    "−": "-",
    "–": "-",
    "∞": "inf",
    "≤": "<=",
    "≥": ">=",
    "±": "+-",
    "√": "sqrt ",
    "ρ": "rho",
    "µ": "u",
    "‹": "<",
    "›": ">",
    "“": '"',
    "”": '"',
    "’": "'",
    "•": "*",
    **dict.fromkeys("─━═", "-"),
    **dict.fromkeys("│┃║▌", "|"),
    **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True)),
}


def nearest_ascii(error: UnicodeError) -> tuple[str, int]:
    """Replaces what can't be encoded; a symbol that is not in the table becomes a question mark."""
    assert isinstance(error, UnicodeEncodeError)
    bad = error.object[error.start : error.end]
    return "".join(_NEAREST.get(character, "?") for character in bad), error.end


ERRORS = "kgrade-ascii"
"""The handler's name, for the `errors` of a stream."""

codecs.register_error(ERRORS, nearest_ascii)
