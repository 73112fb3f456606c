"""The words of a source text with their classes, line by line, for pages. It runs where hostile text may be read."""

from __future__ import annotations

from grader.compile.colours import coloured


def words_of(text: str) -> list[list[list[str]]]:
    """For each line of a text with plain newlines its pieces in order: a class of Pygments', or "", and the piece."""
    lines: list[list[list[str]]] = [[]]
    for kind, part in coloured(text):
        for number, piece in enumerate(part.split("\n")):
            if number:
                lines.append([])
            if piece:
                lines[-1].append([kind, piece])
    return lines
