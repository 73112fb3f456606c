"""Parses the log of compute-sanitizer's memcheck: what it found, and whether it worked at all.

It is pure. Lines are matched whole, because names in them come from the submission: a line that fits no pattern is
ignored.
The format is that of the samples in "Compute Sanitizer" (NVIDIA, versions 2022.4 to 2026.4), section Memcheck.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

Index3 = tuple[int, int, int]

_PREFIX = "========="
_NUMBER = r"[0-9][0-9,]{0,30}"
_PLACE = r"(?P<symbol>[\w$.]+)[+:]0x[0-9a-f]+(?: in (?P<file>[^:]+):(?P<line>[0-9]{1,9}))?"
_ACCESS = re.compile(rf"(?:Potential i|I)nvalid __(?P<space>\w+)__ (?P<access>\w+) of size (?P<size>{_NUMBER}) bytes")
_AT = re.compile(rf" {{5}}at {_PLACE}")
_FRAME = re.compile(rf" +Device Frame: ?{_PLACE}")
_TRIPLE = r"\(([0-9]{1,10}),([0-9]{1,10}),([0-9]{1,10})\)"
_THREAD = re.compile(rf" {{5}}by thread {_TRIPLE} in block {_TRIPLE}")
_ADDRESS = re.compile(r" {5}(?:Address|Access at|Access to) 0x(?P<address>[0-9a-f]{1,16})(?: is (?P<what>.*))?")
_NEAREST = re.compile(
    rf" {{5}}and is (?P<where>inside|(?P<bytes>{_NUMBER}) bytes (?:before|after))"
    rf" the nearest allocation at 0x(?P<start>[0-9a-f]{{1,16}}) of size (?P<size>{_NUMBER}) bytes"
)
_TROUBLES = ("Error: ", "Internal Sanitizer Error", "Internal error", "Unable to ", "Device not supported")
_STARTED = "COMPUTE-SANITIZER"


@dataclass(frozen=True)
class Frame:
    """A place in the code: the mangled name of the function and, with line information, its line."""

    symbol: str
    file: str = ""
    line: int | None = None


@dataclass(frozen=True)
class Allocation:
    """An allocation in GPU memory near an access; `distance` is the gap between them in bytes, 0 inside it."""

    address: int
    size: int
    distance: int


@dataclass(frozen=True)
class Finding:
    """One error of one thread.

    `words` is its first line; `space`, `access` and `size` are empty unless it is an access.

    `frames` start where it happened and end in the kernel; `problem` is what the log says of the address.
    """

    words: str
    space: str = ""
    access: str = ""
    size: int = 0
    frames: tuple[Frame, ...] = ()
    thread: Index3 | None = None
    block: Index3 | None = None
    address: int | None = None
    problem: str = ""
    nearest: Allocation | None = None


@dataclass(frozen=True)
class SanitizerLog:
    """A parsed log. `started`: memcheck started; `troubles`: its own failures, after which it may see less."""

    started: bool
    findings: tuple[Finding, ...]
    troubles: tuple[str, ...]


def read_log(text: str) -> SanitizerLog:
    """Parses a log as far as it is written: an incomplete last line is ignored."""
    findings, troubles = [], []
    started = False
    for head, details in _records(text[: text.rfind("\n") + 1]):
        started = started or head == _STARTED
        finding = _finding(head, details)
        if finding is not None:
            findings.append(finding)
        elif head.startswith(_TROUBLES):
            troubles.append(head)
    return SanitizerLog(started, tuple(findings), tuple(troubles))


def _records(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yields first lines, each with the indented lines that follow it."""
    head, details = "", list[str]()
    for line in text.split("\n"):
        if not line.startswith(_PREFIX):
            continue
        rest = line[len(_PREFIX) :].rstrip()
        if rest.startswith("     "):
            details.append(rest)
            continue
        if head:
            yield head, details
        head, details = rest.strip(), []
    if head:
        yield head, details


def _finding(head: str, details: list[str]) -> Finding | None:
    """Returns the record as an error of a thread; None if it is none."""
    access = _ACCESS.fullmatch(head)
    frames = [_frame(match) for pattern in (_AT, _FRAME) for match in _matches(pattern, details)]
    thread = next(_matches(_THREAD, details), None)
    if access is None and thread is None:
        return None
    address = next(_matches(_ADDRESS, details), None)
    nearest = next(_matches(_NEAREST, details), None)
    indices = [int(part) for part in thread.groups()] if thread else None
    return Finding(
        words=head,
        space=access["space"] if access else "",
        access=access["access"] if access else "",
        size=_number(access["size"]) if access else 0,
        frames=tuple(frames),
        thread=(indices[0], indices[1], indices[2]) if indices else None,
        block=(indices[3], indices[4], indices[5]) if indices else None,
        address=int(address["address"], 16) if address else None,
        problem=address["what"] or "" if address else "",
        nearest=_allocation(nearest) if nearest else None,
    )


def _matches(pattern: re.Pattern[str], lines: list[str]) -> Iterator[re.Match[str]]:
    return (match for match in map(pattern.fullmatch, lines) if match)


def _frame(match: re.Match[str]) -> Frame:
    file = (match["file"] or "").rpartition("/")[2]
    return Frame(match["symbol"], file, int(match["line"]) if match["line"] else None)


def _allocation(match: re.Match[str]) -> Allocation:
    return Allocation(int(match["start"], 16), _number(match["size"]), _number(match["bytes"] or "0"))


def _number(text: str) -> int:
    return int(text.replace(",", ""))
