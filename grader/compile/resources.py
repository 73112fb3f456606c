"""Reads the spilled registers of kernels from the verbose part of ptxas's log.

The numbers are static: how often a spill is executed is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

TELL = "--ptxas-options=-v"
"""The option that makes ptxas write these lines. It does not change the instructions."""

_SPOKEN = re.compile(r"ptxas (?:info    :|        \.) |    [0-9]+ bytes stack frame, ")
_KERNEL = re.compile(r"ptxas info    : Compiling entry function '([\w$]+)' for '\w+'")
_SPILLS = re.compile(
    r"(?:ptxas         \.)?    +[0-9]+ bytes stack frame, "
    r"([0-9]{1,9}) bytes spill stores, ([0-9]{1,9}) bytes spill loads"
)


def read_spills(log: str) -> Mapping[str, int]:
    """Bytes that each kernel spills, by symbol; kernels not in the log are absent.

    The larger of a function's spill stores and loads counts, as both move the same registers. A kernel's number
    includes the functions that it calls, which the assembler compiles again for each kernel.
    """
    spills: dict[str, int] = {}
    kernel = ""
    for line in log.split("\n"):
        if match := _KERNEL.fullmatch(line):
            # The assembler's lines come last, so anything the source's messages quoted before is overwritten.
            kernel = match[1]
            spills[kernel] = 0
        elif kernel and (match := _SPILLS.fullmatch(line)):
            spills[kernel] += max(int(match[1]), int(match[2]))
    return spills


def without_resources(log: str) -> str:
    """The log without these lines."""
    return "\n".join(line for line in log.split("\n") if not _SPOKEN.match(line))
