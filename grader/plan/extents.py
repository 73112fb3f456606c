"""Which parts of device memory a plan may touch by address: a case's arrays, live scratch, and variables.

Runners ask here before they copy or set memory for a submission. What kernels do is found out elsewhere.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader.core.verdict import FaultClass
from grader.plan.poison import Poison

SCRATCH_FILL = {Poison.NAN: 0xFF, Poison.FINITE: 0x5A}
"""The byte that scratch is full of at first: NaN in every floating-point type, -1 in every integer one; and not."""


def scratch_name(number: int, size: int | None = None) -> str:
    """How scratch is called in reports: the recording's first is number 1.

    With its size where nothing else tells of it.
    """
    return f"scratch {number}" if size is None else f"scratch {number} ({bytes_of(size)})"


def bytes_of(count: int) -> str:
    """ "1 byte", "4,000 bytes"."""
    return f"{count:,} byte{'' if count == 1 else 's'}"


@dataclass(frozen=True, order=True)
class Extent:
    address: int
    size: int
    name: str


class Outside(Exception):
    """A step reaches outside of what a plan may touch. `fault` is told to the judge."""

    def __init__(self, message: str, array: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fault: Mapping[str, Any] = {"fault": str(FaultClass.OUT_OF_BOUNDS), "message": message, "array": array}


class Unwritten(Outside):
    """The host copies what nobody has written."""

    def __init__(self, array: str, size: int) -> None:
        message = f"solve() copies {bytes_of(size)} of {array} to the host, which nobody has written"
        super().__init__(message, array)
        self.fault = {"fault": str(FaultClass.UNINITIALIZED_READ), "message": message, "array": array}


class Extents:
    """The extents of one runner's memory; none overlaps another."""

    def __init__(self) -> None:
        self._known: list[Extent] = []

    def add(self, name: str, address: int, size: int) -> None:
        """Adding the same one twice is allowed."""
        extent = Extent(address, size, name)
        if extent not in self._known:
            insort(self._known, extent)

    def remove(self, address: int) -> None:
        """Takes away the extent that begins there."""
        self._known = [extent for extent in self._known if extent.address != address]

    def name_at(self, address: int) -> str:
        """Whose the address is; empty for nobody's."""
        extent = self._before(address)
        return extent.name if extent is not None else ""

    def clear(self) -> None:
        self._known.clear()

    def check(self, what: str, address: int, size: int) -> None:
        """Raises Outside where these bytes are not all inside one extent; `what` is a word for who wants them."""
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
        """Raises Outside for a step that sets or copies memory outside of these extents."""
        if step["do"] == "memset":
            self.check("memset", step["address"], step["size"])
        elif step["do"] == "copy":
            self.check("copy", step["source"], step["size"])
            self.check("copy", step["target"], step["size"])
        elif step["do"] == "upload":
            self.check("upload", step["target"], base64_bytes(step["data"]))

    def _before(self, address: int) -> Extent | None:
        """The extent with the highest beginning that is not behind the address."""
        place = bisect_right(self._known, address, key=lambda extent: extent.address)
        return self._known[place - 1] if place else None


def base64_bytes(text: str) -> int:
    """How many bytes this stands for."""
    return len(text) // 4 * 3 - text[-2:].count("=")
