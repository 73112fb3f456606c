"""Splits a source text into words with classes, line by line, for pages. It runs in the confined reading process."""

from __future__ import annotations

from grader.compile.colours import coloured, coloured_python


def words_of(text: str, python: bool = False) -> list[list[list[str]]]:
    """For each line of a text, its pieces in order as [Pygments' class or "", piece]."""
    lines: list[list[list[str]]] = [[]]
    for kind, part in coloured_python(text) if python else coloured(text):
        for number, piece in enumerate(part.split("\n")):
            if number:
                lines.append([])
            if piece:
                lines[-1].append([kind, piece])
    return lines
