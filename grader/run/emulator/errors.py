"""The exception for what the emulator refuses."""

from __future__ import annotations

_LONGEST = 300
"""Characters of a message, and of an instruction: names and operands may have a million."""


class UnsupportedPtx(Exception):
    """The emulator does not execute an instruction. It never guesses, and names what it refuses.

    `line` is the line of the submitted source (0 if unknown), `instruction` the PTX text.
    """

    def __init__(self, message: str, line: int = 0, instruction: str = "") -> None:
        super().__init__(message if len(message) <= _LONGEST else message[:_LONGEST] + "…")
        self.message = str(self)
        self.line = line
        self.instruction = instruction[:_LONGEST]
