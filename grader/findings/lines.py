"""Findings as lines of text: for people and editors, and as GitHub's workflow commands.

No text of a submission, nor the name of its file, may begin such a command: see `no_command`.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.boards.words import no_command, visible
from grader.findings.finding import Finding, one_line

_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = _DATA | {":": "%3A", ",": "%2C"}


def plain_line(finding: Finding) -> str:
    """`file:line: message`, as compilers write it and editors read it."""
    path = one_line(finding.path)
    if path.startswith(":"):
        path = f"./{path}"
    return no_command(f"{path}:{finding.line}: {finding.message}")


def github_line(finding: Finding) -> str:
    """The workflow command that shows the finding at its line of a pull request."""
    properties = {"file": finding.path, "line": str(finding.line), "title": f"kgrade: {finding.rule}"}
    if finding.column:
        properties["col"] = str(finding.column)
    told = ",".join(f"{name}={_escape(value, _PROPERTY)}" for name, value in properties.items())
    text = "\n".join((finding.message, *finding.details))
    # Its own colons begin the line.
    return f"::{finding.level} {no_command(visible(f'{told}::{_escape(text, _DATA)}'))}"


def _escape(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(letter, letter) for letter in text)
