"""Cuts PTX text into tokens; line-oriented directives (`.loc`, `.file`) become one token each."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<open>/\*)
  | (?P<directive>\.(?:loc|file|version|target|address_size)\b[^\n]*)
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<word>\.[\w$]+|[A-Za-z_$%][\w$%.]*(?:::[\w$.]+)*)
  | (?P<number>0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+U?|\d+\.\d+(?:[eE][-+]?\d+)?|\d+U?)
  | (?P<mark>[{}()\[\],;:@!|+\-*/=<>&~^%])
    """,
    re.VERBOSE | re.DOTALL,
)


class PtxSyntaxError(ValueError):
    """The text is not PTX as this parser knows it."""


def tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """Yields (kind, text, position) of each token, without white space and comments.

    Raises PtxSyntaxError.
    """
    position = 0
    end = len(text)
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            excerpt = text[position : position + 40].splitlines()[0]
            raise PtxSyntaxError(f"unreadable PTX at {excerpt!r}")
        kind = match.lastgroup
        assert kind is not None
        if kind == "open":
            raise PtxSyntaxError("a comment that does not end")
        if kind != "space":
            yield kind, match.group(), position
        position = match.end()
