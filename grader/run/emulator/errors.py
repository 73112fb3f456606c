"""What the emulator refuses, as an exception."""

from __future__ import annotations

_LONGEST = 300
"""Characters of a message, and of an instruction: names and operands may have a million."""


class UnsupportedPtx(Exception):
    """An instruction that the emulator does not execute. Never guessed at, always named.

    `line` is the line of the submitted source (0 when unknown), `instruction` the PTX text.
    """

    def __init__(self, message: str, line: int = 0, instruction: str = "") -> None:
        super().__init__(message if len(message) <= _LONGEST else message[:_LONGEST] + "…")
        self.message = str(self)
        self.line = line
        self.instruction = instruction[:_LONGEST]
