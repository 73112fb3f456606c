"""Advice on warps that wait: for memory, for barriers, for each other's sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from grader.coach.advice import Advice
from grader.coach.modelled import Modelled
from grader.model.change import Change, ahead, fewer_instructions, together, without
from grader.model.kernel import Prepared
from grader.model.sampling import LaunchSample, Row
from grader.run.emulator.ptx.traits import Barrier, Memory

EXPOSED = 0.1
"""The share of the time that warps wait, above which it is looked for what they wait for."""
LONG = 4
"""Rounds of a loop in which loads can be begun before."""
UNROLLED = 4
"""Rounds whose loads are begun together by unrolling: each waits for a part of the latency."""
TREE = 3
"""Rounds of a tree of sums before it is worth a shuffle: a warp's five last rounds need no barrier."""


def in_loops(launch: LaunchSample, rounds: float = 2) -> set[int]:
    """The basic blocks that a warp executes so many times or more."""
    first = next((row.executed for row in launch.rows if row.executed), 0.0)
    return {row.block for row in launch.rows if row.executed >= rounds * first > 0}


def _heaviest(rows: Sequence[Row]) -> Row:
    return max(rows, key=lambda row: row.executed * max(row.sectors, row.wavefronts, 1.0))


def double_buffering(subject: Modelled) -> Iterator[Advice]:
    """Finds loops that load, wait and then compute, where the model's warps have nothing else to do meanwhile."""
    launch = subject.launch
    if subject.part("latency", "dram", "l2", "barrier") < EXPOSED:
        return
    loops = in_loops(launch, LONG)
    rows = [row for row in rows_of(launch, loops) if row.executed]
    loads = [row for row in rows if row.requests and row.traits.is_load]
    copies = [row for row in rows if row.requests and row.traits.memory is Memory.COPY]
    stored = any(row.shared_requests and row.traits.is_store for row in rows)
    if copies:
        if any(_waits_for_all(row) for row in rows):
            yield _told("double_buffering", copies, loops, COPIED)
    elif loads and stored and any(map(_is_barrier, rows)):
        yield _told("double_buffering", loads, loops, STORED)
    elif loads and not any(map(_is_barrier, rows)) and _at_once(loads) < UNROLLED:
        yield _told("loads_ahead", loads, loops, AT_ONCE)


COPIED = (
    "each round of the loop waits for the slab that it has begun to copy: the latency is exposed",
    "begin the copies (cp.async) of the next slabs before computing on this one, and wait with cp.async.wait_group for "
    "the oldest alone",
)
STORED = (
    "each round of the loop loads a slab, stores it to shared memory and waits for it: the latency is exposed",
    "load the next slab into registers, or by cp.async into a second buffer, before computing on this one; one barrier "
    "a slab is then enough",
)
AT_ONCE = (
    "each round of the loop waits for what it has loaded: the latency is exposed",
    "let a thread begin the loads of several rounds before it uses the first, as by #pragma unroll 4",
)


def _at_once(loads: Sequence[Row]) -> int:
    """How many loads a round of the loop begins in the basic block with most of them."""
    return max(Counter(row.block for row in loads).values())


def _told(kind: str, loads: Sequence[Row], loops: Collection[int], words: tuple[str, str]) -> Advice:
    def is_ahead(row: Row) -> bool:
        return row.block in loops and bool(row.requests) and row.traits.memory in (Memory.LOAD, Memory.COPY)

    earlier = ahead(is_ahead, 1 - 1 / UNROLLED)
    if kind == "double_buffering":
        earlier = together([ahead(is_ahead), _with_one_barrier(loops)])
    return Advice(kind, _heaviest(loads).line, *words, change=earlier)


def _with_one_barrier(loops: Collection[int]) -> Change:
    """The launch with one barrier in each round of these loops."""

    def change(given: Prepared) -> Prepared:
        own = [row for row in rows_of(given.launch, loops) if _is_barrier(row) and row.executed]
        return without(lambda row: row in own[1:])(given)

    return change


def _waits_for_all(row: Row) -> bool:
    return "wait_all" in row.modifiers or ("wait_group" in row.modifiers and row.text.rstrip(";").endswith(" 0"))


def rows_of(launch: LaunchSample, blocks: Collection[int]) -> Iterator[Row]:
    """The rows in these basic blocks."""
    return (row for row in launch.rows if row.block in blocks)


def _is_barrier(row: Row) -> bool:
    return row.traits.barrier is Barrier.BLOCK


def shuffles(subject: Modelled) -> Iterator[Advice]:
    """Finds trees of sums in shared memory, with a barrier for each level."""
    launch = subject.launch
    trees = _trees(launch)
    if not trees:
        return
    heaviest = _heaviest([row for row in rows_of(launch, trees) if row.shared_requests])
    warps = -(-launch.threads // 32)
    levels = max(1, launch.threads.bit_length() - 1)
    # A warp's sum takes five shuffles; the sums of the warps are left to one warp.
    left = 1 / levels if warps > 1 else 0.0

    def share(row: Row) -> float:
        return left if row.block in trees else 1.0

    yield Advice(
        "shuffles",
        heaviest.line,
        f"a tree of sums in shared memory has a barrier for each of its {levels} levels",
        "add up within a warp by __shfl_down_sync (or __reduce_add_sync), which needs no shared memory and no barrier, "
        "and let one warp add the warps' sums",
        change=together([without(lambda row: row.block in trees and _is_barrier(row)), fewer_instructions(share)]),
    )


def _trees(launch: LaunchSample) -> set[int]:
    """The basic blocks of a loop in which fewer and fewer threads add a number of shared memory to another."""
    found: set[int] = set()
    blocks: dict[int, list[Row]] = {}
    for row in launch.rows:
        if row.executed:
            blocks.setdefault(row.block, []).append(row)
    for number, rows in blocks.items():
        loads = [row for row in rows if row.shared_requests and row.traits.is_load]
        stores = [row for row in rows if row.shared_requests and row.traits.is_store]
        joins = any(row.traits.pure and len(row.read) > 1 for row in rows)
        few = any(row.lanes < 31 or row.guarded for row in stores)
        if len(loads) in (1, 2) and len(stores) == 1 and joins and few and not any(row.requests for row in rows):
            found.add(number)
    if not found:
        return set()
    near = {number for one in found for number in (one - 1, one, one + 1)}
    barriers = {row.block for row in launch.rows if _is_barrier(row) and row.executed and row.block in near}
    return found | barriers if barriers and _rounds(launch, found | barriers) >= TREE else set()


def _rounds(launch: LaunchSample, blocks: Collection[int]) -> float:
    """How many barriers of these blocks a warp comes to."""
    met = sum(row.executed for row in rows_of(launch, blocks) if _is_barrier(row))
    warps = launch.blocks * -(-launch.threads // 32)
    return met / max(1.0, warps)


def barriers(subject: Modelled) -> Iterator[Advice]:
    """Finds barriers that only keep a warp from writing what another one still reads."""
    launch = subject.launch
    if subject.part("barrier", "latency") < EXPOSED / 2 or _trees(launch):
        return
    spare = list(_spare(launch, in_loops(launch)))
    if not spare:
        return
    met = sum(row.executed for row in spare) / launch.blocks / -(-launch.threads // 32)
    yield Advice(
        "barriers",
        max(spare, key=lambda row: row.executed).line,
        f"a warp waits {met:,.0f} times at a barrier until others have read what is then written anew",
        "with two buffers by turns that barrier is not needed; lanes of one warp need __syncwarp alone",
        change=without(lambda row: row in spare),
    )


def _spare(launch: LaunchSample, loops: Collection[int]) -> Iterator[Row]:
    """The barriers of loops behind code that loads from shared memory and stores nothing there."""
    loaded = stored = False
    for row in rows_of(launch, loops):
        if _is_barrier(row) and row.executed:
            if loaded and not stored:
                yield row
            loaded = stored = False
        elif row.shared_requests:
            loaded, stored = loaded or row.traits.is_load, stored or not row.traits.is_load
