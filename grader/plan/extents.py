"""The parts of device memory that a plan may address: a case's arrays, live scratch, and variables.

Runners check copies and memsets here; the accesses of kernels are checked elsewhere.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader.core.verdict import FaultClass
from grader.plan.poison import Poison

SCRATCH_FILL = {Poison.NAN: 0xFF, Poison.FINITE: 0x5A}
"""The byte that fills fresh scratch: with NAN it makes a NaN in every floating-point type and -1 in every integer
type, with FINITE a finite number."""


def scratch_name(number: int, size: int | None = None) -> str:
    """The name of a piece of scratch in reports, numbered from 1 within a recording.

    Pass `size` (bytes) where nothing else in the text gives it.
    """
    return f"scratch {number}" if size is None else f"scratch {number} ({bytes_of(size)})"


def bytes_of(count: int) -> str:
    """Formats a byte count: "1 byte", "4,000 bytes"."""
    return f"{count:,} byte{'' if count == 1 else 's'}"


@dataclass(frozen=True, order=True)
class Extent:
    address: int
    size: int
    name: str


class Outside(Exception):
    """A step accesses memory that the plan may not touch. `fault` describes it to the judge."""

    def __init__(self, message: str, array: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fault: Mapping[str, Any] = {"fault": str(FaultClass.OUT_OF_BOUNDS), "message": message, "array": array}


class Unwritten(Outside):
    """The host copies memory that nothing has written."""

    def __init__(self, array: str, size: int) -> None:
        message = f"solve() copies {bytes_of(size)} of {array} to the host, which nobody has written"
        super().__init__(message, array)
        self.fault = {"fault": str(FaultClass.UNINITIALIZED_READ), "message": message, "array": array}


class Extents:
    """The extents of one runner's memory; they do not overlap."""

    def __init__(self) -> None:
        self._known: list[Extent] = []

    def add(self, name: str, address: int, size: int) -> None:
        """Adds an extent; adding the same one twice is allowed."""
        extent = Extent(address, size, name)
        if extent not in self._known:
            insort(self._known, extent)

    def remove(self, address: int) -> None:
        """Removes the extent that begins at `address`."""
        self._known = [extent for extent in self._known if extent.address != address]

    def name_at(self, address: int) -> str:
        """Name of the extent that `address` lies in or behind; empty if no extent begins at or before it."""
        extent = self._before(address)
        return extent.name if extent is not None else ""

    def clear(self) -> None:
        self._known.clear()

    def check(self, what: str, address: int, size: int) -> None:
        """Raises Outside unless all these bytes lie inside one extent; `what` names the operation in the message."""
        extent = self._before(address)
        offset = address - extent.address if extent is not None else 0
        if size == 0:
            return
        if extent is None or offset >= extent.size:
            raise Outside(f"{what} of {bytes_of(size)} at {address:#x}, which belongs to no live array")
        if size < 0 or offset + size > extent.size:
            raise Outside(
                f"{what} of {bytes_of(size)} from byte {offset:,} of {extent.name} on, which has {extent.size:,}",
                extent.name,
            )

    def check_step(self, step: Mapping[str, Any]) -> None:
        """Raises Outside for a step that sets or copies memory outside these extents."""
        if step["do"] == "memset":
            self.check("memset", step["address"], step["size"])
        elif step["do"] == "copy":
            self.check("copy", step["source"], step["size"])
            self.check("copy", step["target"], step["size"])
        elif step["do"] == "upload":
            self.check("upload", step["target"], base64_bytes(step["data"]))

    def _before(self, address: int) -> Extent | None:
        """The last extent that begins at or before `address`, None if there is none."""
        place = bisect_right(self._known, address, key=lambda extent: extent.address)
        return self._known[place - 1] if place else None


def base64_bytes(text: str) -> int:
    """Number of bytes that this base64 text decodes to."""
    return len(text) // 4 * 3 - text[-2:].count("=")
