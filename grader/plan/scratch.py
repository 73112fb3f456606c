"""Tracks the device memory that solve() allocates while it is recorded: what is in use, freed, and reused.

A device keeps every piece until the recording ends, so that a use after free can be detected. Only when it runs low
are freed pieces reused, which CUDA does at once.
"""

from __future__ import annotations

from collections.abc import Iterable

from grader.core.plan import Alloc, Free, Step
from grader.plan.extents import bytes_of
from grader.plan.runner import DeviceMemory
from grader.plan.validate import ScratchLimit

LIMIT = ScratchLimit()

NEW_BYTES = 256 << 20
NEW_PIECES = 512
"""Up to these limits every piece is new."""


class Scratch:
    """The pieces of one recording. `given` holds the largest size in bytes allocated at each address."""

    def __init__(self, device: DeviceMemory, limit: ScratchLimit = LIMIT) -> None:
        self.given: dict[int, int] = {}
        self._device = device
        self._limit = limit
        self._live: dict[int, Alloc] = {}
        self._freed: dict[int, None] = {}
        self._grows = bool(getattr(device, "grows", False))

    @property
    def in_use(self) -> tuple[Alloc, ...]:
        return tuple(self._live.values())

    def see(self, steps: Iterable[Step]) -> None:
        """Marks what these steps free as reusable."""
        for step in steps:
            if isinstance(step, Free) and self._live.pop(step.address, None) is not None:
                self._freed[step.address] = None

    def allocate(self, size: int) -> Alloc | str:
        """Returns a piece of `size` bytes, or the reason why there is none."""
        used, pieces = sum(piece.size for piece in self._live.values()), len(self._live)
        address = None
        if 0 < size <= self._limit.size - used and pieces < self._limit.pieces:
            plenty = sum(self.given.values()) + size <= NEW_BYTES and len(self.given) < NEW_PIECES
            address = self._new(size) if plenty else self._freed_before(size)
            if address is None:
                address = self._new(size) or self._freed_before(size, larger=self._grows)
        if address is None:
            beside = f" beside {bytes_of(used)} in {pieces:,} allocation{'' if pieces == 1 else 's'}" if pieces else ""
            return f"no room for {bytes_of(size)}{beside}"
        self.given[address] = max(size, self.given.get(address, 0))
        piece = self._live[address] = Alloc(address, size)
        return piece

    def _new(self, size: int) -> int | None:
        return self._device.allocate(size)

    def _freed_before(self, size: int, larger: bool = False) -> int | None:
        """The address of the piece freed first that has room for `size` bytes; with `larger`, of any freed piece,
        which the device then grows. None if there is none.
        """
        found = next((address for address in self._freed if larger or self.given[address] >= size), None)
        if found is not None:
            del self._freed[found]
        return found
