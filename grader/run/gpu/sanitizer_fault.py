"""Words memcheck's findings for a Report: the class of fault, the array and its element, the line.

It reads no log and runs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.compile.ptx import plain_name
from grader.core.report import Dim3, FaultReport
from grader.core.verdict import FaultClass
from grader.run.gpu.sanitizer_log import Finding

HINT = "Found by memcheck of NVIDIA's compute-sanitizer, on the GPU."

CLASSES = (
    ("misaligned", FaultClass.MISALIGNED),
    ("illegal instruction", FaultClass.ILLEGAL_INSTRUCTION),
    ("address", FaultClass.OUT_OF_BOUNDS),
    ("stack", FaultClass.OUT_OF_BOUNDS),
    ("permission denied", FaultClass.OUT_OF_BOUNDS),
    ("barrier", FaultClass.BARRIER_DIVERGENCE),
)
"""Faults by words of the first line, for findings that are not accesses of a known size; all others are traps."""

OUTSIDE = {"shared": "the block's shared memory", "local": "the thread's local memory", "global": "all arrays"}


@dataclass(frozen=True)
class Placed:
    """An array in GPU memory, alone in its allocation."""

    address: int
    nbytes: int
    itemsize: int


@dataclass(frozen=True)
class Place:
    """The element of an array that an access meant; `index` may be outside of `extent`."""

    array: str
    index: int
    extent: int


def fault_of(
    findings: Sequence[Finding], arrays: Mapping[str, Placed], names: Mapping[str, str], file: str
) -> FaultReport:
    """Returns the fault of the first place, with its first thread.

    `names`: each kernel's name by its symbol. `file`: the submission's name as it was compiled.
    """
    same = [finding for finding in findings if _where(finding) == _where(findings[0])]
    first = min(same, key=lambda finding: (_order(finding.block), _order(finding.thread)))
    place = _place(first, arrays)
    fault = _class_of(first)
    symbol = first.frames[-1].symbol if first.frames else ""
    return FaultReport(
        fault=fault,
        message=_message(first, fault, place),
        line=next((frame.line for frame in first.frames if frame.file == file), None),
        kernel=names.get(symbol, plain_name(symbol)),
        access=first.access,
        array=place.array if place else "",
        index=place.index if place else None,
        extent=place.extent if place else None,
        block=first.block,
        thread=first.thread,
        threads=len({(finding.block, finding.thread) for finding in same}),
        hint=HINT,
    )


def _where(finding: Finding) -> object:
    return finding.words, finding.frames


def _order(index: Dim3 | None) -> Dim3:
    """Returns a key that orders threads and blocks as CUDA numbers them: x first."""
    x, y, z = index or (0, 0, 0)
    return z, y, x


def _class_of(finding: Finding) -> FaultClass:
    if finding.access:
        return FaultClass.MISALIGNED if "misaligned" in finding.problem else FaultClass.OUT_OF_BOUNDS
    words = finding.words.lower()
    return next((fault for word, fault in CLASSES if word in words), FaultClass.TRAP)


def _place(finding: Finding, arrays: Mapping[str, Placed]) -> Place | None:
    """Returns the element meant, if the nearest allocation is an array and not farther away than its own length.

    Beyond that distance, the nearest array is a coincidence.
    """
    near, address = finding.nearest, finding.address
    if finding.space != "global" or near is None or address is None or near.distance > max(near.size, 4096):
        return None
    for name, array in arrays.items():
        if array.address == near.address:
            return Place(name, (address - array.address) // array.itemsize, array.nbytes // array.itemsize)
    return None


def _message(finding: Finding, fault: FaultClass, place: Place | None) -> str:
    if not finding.access:
        return f"memcheck reports: {finding.words}"
    size = f"{finding.size} byte{'' if finding.size == 1 else 's'}"
    element = f"{place.array}: index {place.index} of {place.extent} elements" if place else ""
    if fault is FaultClass.MISALIGNED:
        at = f": {element}" if element else ""
        return f"{finding.access} of {size}, not at a multiple of {size}{at}"
    return f"{finding.access} of {size} outside of {element or _outside(finding)}"


def _outside(finding: Finding) -> str:
    at = f": address {finding.address:#x}" if finding.address is not None else ""
    return OUTSIDE.get(finding.space, f"its {finding.space} memory") + at
