"""Moves a plan to other arrays: two recordings on different addresses show where a plan holds addresses.

A recording needs a process of its own, and timing needs the same plan on hundreds of buffer sets. If two plans differ
in anything but addresses, nothing is learned, and each plan has to be recorded.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.core.plan import Alloc, Copy, Download, Free, Launch, Memset, Plan, Step, Upload

WORD = 8


@dataclass(frozen=True)
class Place:
    """An array, or a piece of scratch."""

    address: int
    size: int


@dataclass(frozen=True)
class _Pointer:
    """The position of an address in a plan, and the place and offset that it points to."""

    step: int
    blob: int
    offset: int
    place: int
    inside: int


class Relocation:
    """The result of `learn`: the first plan, and where its addresses are."""

    def __init__(self, plan: Plan, pointers: Sequence[_Pointer]) -> None:
        self._plan = plan
        self._pointers: dict[int, list[_Pointer]] = {}
        for pointer in pointers:
            self._pointers.setdefault(pointer.step, []).append(pointer)

    def plan(self, addresses: Sequence[int]) -> Plan:
        """Returns the plan for places at these addresses, in the order in which `learn` was given the places."""
        steps = list(self._plan.steps)
        for number, pointers in self._pointers.items():
            blobs = [bytearray(blob) for blob in _blobs(steps[number])]
            for at in pointers:
                struct.pack_into("<Q", blobs[at.blob], at.offset, addresses[at.place] + at.inside)
            steps[number] = _rebuilt(steps[number], [bytes(blob) for blob in blobs])
        return Plan(tuple(steps))


def learn(first: tuple[Plan, Sequence[Place]], second: tuple[Plan, Sequence[Place]]) -> Relocation | None:
    """Finds the addresses in a plan from two recordings; None if these differ in more than addresses of the places.

    Both lists of places name the same things in the same order, and no place of the first overlaps one of the second.
    """
    (one, here), (other, there) = first, second
    if [place.size for place in here] != [place.size for place in there] or len(one.steps) != len(other.steps):
        return None
    pointers: list[_Pointer] = []
    for number, (a, b) in enumerate(zip(one.steps, other.steps, strict=True)):
        blobs = list(zip(_blobs(a), _blobs(b), strict=False))
        if _without_addresses(a) != _without_addresses(b) or any(len(x) != len(y) for x, y in blobs):
            return None
        for index, (x, y) in enumerate(blobs):
            for offset in range(0, len(x), WORD):
                if x[offset : offset + WORD] == y[offset : offset + WORD]:
                    continue
                found = _place_of(x, y, offset, here, there)
                if found is None:
                    return None
                pointers.append(_Pointer(number, index, offset, *found))
    return Relocation(one, pointers)


def _place_of(x: bytes, y: bytes, offset: int, here: Sequence[Place], there: Sequence[Place]) -> tuple[int, int] | None:
    """Index of the place that both words point into, each in its own plan, and the offset in bytes; None if none."""
    if offset + WORD > len(x):
        return None
    ((mine,), (theirs,)) = (struct.unpack_from("<Q", blob, offset) for blob in (x, y))
    for index, (a, b) in enumerate(zip(here, there, strict=True)):
        # A pointer to the end of an array is an address too.
        if 0 <= mine - a.address <= a.size and mine - a.address == theirs - b.address:
            return index, mine - a.address
    return None


def _blobs(step: Step) -> list[bytes]:
    """The parts of a step that may hold addresses, as bytes."""
    if isinstance(step, Launch):
        return [*step.arguments, *(_packed(placed.tensor_map.address) for placed in step.tensor_maps)]
    if isinstance(step, Upload):
        return [_packed(step.target), step.data]
    if isinstance(step, Copy):
        return [_packed(step.target), _packed(step.source)]
    if isinstance(step, Download):
        return [_packed(step.source)]
    if isinstance(step, (Memset, Alloc, Free)):
        return [_packed(step.address)]
    return []


def _rebuilt(step: Step, blobs: Sequence[bytes]) -> Step:
    """Returns the step with its `_blobs` replaced."""
    if isinstance(step, Launch):
        count = len(step.arguments)
        maps = tuple(
            replace(placed, tensor_map=replace(placed.tensor_map, address=_unpacked(blob)))
            for placed, blob in zip(step.tensor_maps, blobs[count:], strict=True)
        )
        return replace(step, arguments=tuple(blobs[:count]), tensor_maps=maps)
    if isinstance(step, Upload):
        return replace(step, target=_unpacked(blobs[0]), data=blobs[1])
    if isinstance(step, Copy):
        return replace(step, target=_unpacked(blobs[0]), source=_unpacked(blobs[1]))
    if isinstance(step, Download):
        return replace(step, source=_unpacked(blobs[0]))
    if isinstance(step, (Memset, Alloc, Free)):
        return replace(step, address=_unpacked(blobs[0]))
    return step


def _without_addresses(step: Step) -> Step:
    return _rebuilt(step, [bytes(len(blob)) for blob in _blobs(step)])


def _packed(address: int) -> bytes:
    return struct.pack("<Q", address)


def _unpacked(blob: bytes) -> int:
    return int.from_bytes(blob, "little")
