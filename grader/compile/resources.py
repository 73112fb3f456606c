"""What the assembler says of a kernel's spilled registers, in the part of the log that it writes when asked to.

The number is one of the machine code and not of its running: how often a spill is met is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

TELL = "--ptxas-options=-v"
"""The option that makes ptxas write these lines. It leaves the instructions as they are."""

_SPOKEN = re.compile(r"ptxas (?:info    :|        \.) |    [0-9]+ bytes stack frame, ")
_KERNEL = re.compile(r"ptxas info    : Compiling entry function '([\w$]+)' for '\w+'")
_SPILLS = re.compile(
    r"(?:ptxas         \.)?    +[0-9]+ bytes stack frame, "
    r"([0-9]{1,9}) bytes spill stores, ([0-9]{1,9}) bytes spill loads"
)


def read_spills(log: str) -> Mapping[str, int]:
    """Bytes that each kernel spills, by its symbol; a kernel that the log does not tell of is absent.

    Of a function's stores to the stack and loads from it the larger counts, as both move the same registers.
    A kernel's number includes the functions that it calls, which the assembler compiles for each kernel anew.
    """
    spills: dict[str, int] = {}
    kernel = ""
    for line in log.split("\n"):
        if match := _KERNEL.fullmatch(line):
            # The assembler speaks last: what a message of the source quoted before under this name is forgotten.
            kernel = match[1]
            spills[kernel] = 0
        elif kernel and (match := _SPILLS.fullmatch(line)):
            spills[kernel] += max(int(match[1]), int(match[2]))
    return spills


def without_resources(log: str) -> str:
    """The log as it were if nobody had asked for them."""
    return "\n".join(line for line in log.split("\n") if not _SPOKEN.match(line))
