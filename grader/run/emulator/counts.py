"""What a launch cost, by instruction and by array: plain data."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TypeVar

from grader.run.emulator.ptx.traits import Traits, traits_of

_Counts = TypeVar("_Counts", "RowCounts", "ArrayCounts")


@dataclass(frozen=True)
class Sample:
    """The addresses of one request: the most expensive of its instruction, the first if several cost the same.

    `block` and `warp` number the block in its grid and the warp in its block. `offsets` has 32 entries, one per lane:
    bytes from the start of the array, None for a lane that takes no part.
    """

    block: int
    warp: int
    offsets: tuple[int | None, ...]


@dataclass(frozen=True)
class RowCounts:
    """One PTX instruction. `executed` counts warps, `threads` their active lanes, predicated off or not.

    A request is one warp's access. `bytes`: the bytes that lanes ask for, each for its own. `sectors`: the 32-byte
    pieces it touches in global memory; `ideal_sectors`: what would suffice for that many bytes. `wavefronts`: passes
    through the banks of shared memory; `ideal_wavefronts`: those without conflicts; `ways`: the most words that a
    request asks of one bank. `turns`: the rounds that atomics of lanes on one address take. `words`: the different
    words of constant memory, or places of their own memory, that the lanes of requests ask for; such requests are not
    among `requests`. `divergent`: the branches that split a warp.
    """

    line: int
    text: str
    opcode: str
    modifiers: tuple[str, ...]
    block: int
    executed: int
    threads: int
    requests: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    bytes: int = 0
    array: str = ""
    shared_requests: int = 0
    wavefronts: int = 0
    ideal_wavefronts: int = 0
    shared_bytes: int = 0
    ways: int = 0
    shared_array: str = ""
    turns: int = 0
    words: int = 0
    divergent: int = 0
    sample: Sample | None = None

    @property
    def traits(self) -> Traits:
        """The traits of the instruction, from the row of its opcode family."""
        return traits_of(self.opcode, self.modifiers)


@dataclass(frozen=True)
class ArrayCounts:
    """One array of global memory, of `size` bytes; `itemsize` is 0 if the type of its elements is unknown.

    `distinct_bytes`: the bytes that some thread reads. `block_sectors`: the sectors read if each block read each of its
    sectors once.
    """

    name: str
    size: int
    itemsize: int
    load_bytes: int
    load_sectors: int
    store_bytes: int
    store_sectors: int
    atomic_bytes: int
    atomic_sectors: int
    block_sectors: int
    distinct_bytes: int


@dataclass(frozen=True)
class LaunchCounts:
    """The cost of one launch, or of several launches of one kernel together.

    `rows`: one per PTX instruction, in program order. `arrays`: the arrays of global memory that were accessed.
    """

    rows: tuple[RowCounts, ...]
    arrays: tuple[ArrayCounts, ...]

    def __add__(self, other: LaunchCounts) -> LaunchCounts:
        """Returns the sum with another launch of the same kernel. Raises ValueError if the numbers of rows differ."""
        rows = tuple(_add_rows(one, two) for one, two in zip(self.rows, other.rows, strict=True))
        arrays = {array.name: array for array in self.arrays}
        for array in other.arrays:
            arrays[array.name] = _add_fields(arrays[array.name], array, "size") if array.name in arrays else array
        return LaunchCounts(rows, tuple(arrays.values()))


def _add_rows(one: RowCounts, two: RowCounts) -> RowCounts:
    """Returns the sum of two rows, with the sample of the launch whose requests cost more on average."""
    cost = (one.sectors + one.wavefronts) * (two.requests + two.shared_requests)
    other = (two.sectors + two.wavefronts) * (one.requests + one.shared_requests)
    return replace(
        _add_fields(one, two, "line", "block", "ways"),
        ways=max(one.ways, two.ways),
        array=_common_name(one.array, two.array),
        shared_array=_common_name(one.shared_array, two.shared_array),
        sample=one.sample if one.sample is not None and cost >= other else two.sample or one.sample,
    )


def _common_name(one: str, two: str) -> str:
    """Returns the name that both have, or the one that is not empty; "" if they differ."""
    return one if not two or one == two else two if not one else ""


def _add_fields(one: _Counts, two: _Counts, *kept: str) -> _Counts:
    """Returns `one` with the numbers of both added, except in the fields `kept`."""
    left = {*kept, "itemsize"}
    numbers = [f.name for f in fields(one) if isinstance(getattr(one, f.name), int) and f.name not in left]
    return replace(one, **{name: getattr(one, name) + getattr(two, name) for name in numbers})
