"""What a launch was counted to do, by instruction and by array: plain data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """The addresses of one request, of those of its instruction that cost most: the first.

    `offsets` are bytes from the beginning of its array, by lane; None for a lane that takes no part.
    """

    block: int
    warp: int
    offsets: tuple[int | None, ...]


@dataclass(frozen=True)
class RowCounts:
    """One PTX instruction. `executed` counts warps, `threads` their active lanes, predicated off or not.

    A request is one warp's access; `sectors` are pieces of 32 bytes that it touches in global memory, and
    `ideal_sectors` what would do for as many bytes as its lanes ask for. `wavefronts` are the passes through the banks
    of shared memory, `ideal_wavefronts` those without conflicts, `ways` the most words that a request asks of one bank.
    `turns` are what atomics of lanes on one address take, `divergent` the branches that split a warp. `bytes` are what
    lanes ask for, each for its own.
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
    divergent: int = 0
    sample: Sample | None = None


@dataclass(frozen=True)
class ArrayCounts:
    """One array of global memory, of `size` bytes.

    `distinct_bytes` are those that some thread reads. `block_sectors` are the sectors read when each block reads each
    of its sectors once.
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
    """All of one launch."""

    rows: tuple[RowCounts, ...]
    arrays: tuple[ArrayCounts, ...]
