"""Launch constants: the values that a submission gives to TILE or BLOCK, or why they can't be used.

The harness, which knows their meaning, checks whether a launch with them is possible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from grader.compile.facts import Facts
from grader.compile.probe import UNSET, Lookup
from grader.compile.template_names import shorten
from grader.core.report import Diagnostic

LARGEST = 2**31 - 1


def check_values(
    values: Mapping[str, int], defaults: Mapping[str, int], source: str, facts: Facts
) -> tuple[dict[str, int], tuple[Diagnostic, ...]]:
    """Returns the value of every launch constant, and an error for each that no launch can use."""
    used = {name: defaults[name] if values.get(name, UNSET) == UNSET else values[name] for name in defaults}
    wrong = {name: value for name, value in used.items() if not 1 <= value <= LARGEST}
    return used, tuple(
        Diagnostic(
            "error",
            f"{name} is {value}; a launch constant is between 1 and {LARGEST}",
            _line(name, source, facts),
            hint=f"For example: #define {name} {defaults[name]}",
        )
        for name, value in wrong.items()
    )


def explain_macros(
    names: Iterable[str], defaults: Mapping[str, int], source: str, facts: Facts
) -> tuple[Diagnostic, ...]:
    """Returns an error for each `#define` that is no constant expression."""
    diagnostics = []
    for name in dict.fromkeys(names):
        macro = facts.macro(name)
        value = "nothing" if macro is None or not macro.value else shorten(macro.value)
        if macro is not None and macro.parameters:
            value = "a macro with parameters"
        message = f"{name} is defined as {value}, which is not a whole number known when compiling"
        hint = f"The launch uses {name}. For example: #define {name} {defaults[name]}"
        diagnostics.append(Diagnostic("error", message, _line(name, source, facts), hint=hint))
    return tuple(diagnostics)


def note_unused(
    lookups: Mapping[str, Lookup], used: Mapping[str, int], source: str, facts: Facts
) -> tuple[Diagnostic, ...]:
    """Returns a note for each launch constant's name that the submission uses for something else."""
    return tuple(
        Diagnostic(
            "note",
            f"{name} is not a constant here, so the launch uses {used[name]}",
            _line(name, source, facts),
            hint=f"Write #define {name} with the value that the launch should use.",
        )
        for name, lookup in lookups.items()
        if lookup is Lookup.NONE
    )


def _line(name: str, source: str, facts: Facts) -> int | None:
    macro = facts.macro(name)
    if macro is not None:
        return macro.line
    lines = enumerate(source.split("\n"), 1)
    return next((number for number, text in lines if re.search(rf"\b{name}\b", text.split("//")[0])), None)
