"""What-ifs: a launch as it would be after a change of its source, so that the model tells what the change gains.

A change keeps the launch's way through basic blocks and alters what their instructions cost: how often they are
executed (`Row.share`), how many sectors and wavefronts they take, whether they were begun a round before (`Row.ahead`).
Where a thread takes over the work of several, the grid is smaller and each block does more. Nothing is sampled again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from grader.model.kernel import Prepared
from grader.model.memory import SECTOR
from grader.model.sampling import LaunchSample, Row
from grader.run.gpu.occupancy import BlockNeeds

Change = Callable[[Prepared], Prepared]
Part = tuple[Row, float]
"""A row, and the share of its sectors that L1 has not."""
Edit = Callable[[Row, float], Sequence[Part]]
"""The rows that take a row's place."""


def edited(given: Prepared, edit: Edit, least: Mapping[str, float] | None = None) -> Prepared:
    """The launch with other rows. DRAM serves no more sectors of an array than before, at most those in `least`."""
    launch, traffic = given.launch, given.traffic
    before = _asked(zip(launch.rows, traffic.misses, strict=True))
    parts = [
        part for row, missed in zip(launch.rows, traffic.misses, strict=True) for part in _edited(row, missed, edit)
    ]
    after = _asked(parts)
    shares, saved = dict(traffic.dram), 0.0
    for array, sectors in before.items():
        served = traffic.dram.get(array, 1.0) * sectors
        left = min(served, after.get(array, 0.0), (least or {}).get(array, served))
        shares[array] = left / after[array] if after.get(array) else 0.0
        saved += (served - left) * SECTOR
    moved = replace(
        traffic,
        misses=tuple(missed for _, missed in parts),
        dram=shares,
        bytes=max(0.0, traffic.bytes - saved),
        low=max(0.0, traffic.low - saved),
        high=max(0.0, traffic.high - saved),
        l2_bytes=sum(after.values()) * SECTOR,
    )
    return replace(given, launch=replace(launch, rows=tuple(row for row, _ in parts)), traffic=moved)


def _edited(row: Row, missed: float, edit: Edit) -> Sequence[Part]:
    return edit(row, missed) if row.executed else [(row, missed)]


def _asked(parts: Iterator[Part] | Sequence[Part]) -> dict[str, float]:
    """Returns, by array, the sectors that L2 is asked for."""
    found: dict[str, float] = {}
    for row, missed in parts:
        if row.requests and row.executed:
            found[row.array] = found.get(row.array, 0.0) + row.executed * row.share * row.sectors * missed
    return found


def together(changes: Sequence[Change]) -> Change:
    """Returns the change that makes these changes one after the other."""

    def change(given: Prepared) -> Prepared:
        for one in changes:
            given = one(given)
        return given

    return change


def coalesced(lines: Collection[int], array: str) -> Change:
    """The accesses of these lines to an array take as few sectors as their bytes allow."""

    def change(given: Prepared) -> Prepared:
        def better(row: Row) -> Row:
            few = max(row.ideal_sectors, 1e-9)
            lines = min(row.lines, max(1.0, few / 4))
            return replace(row, sectors=few, lines=lines, depth=min(row.depth, lines))

        def is_wasteful(row: Row) -> bool:
            return _is_access(row, lines, [array]) and row.sectors > row.ideal_sectors

        return edited(given, _with_misses(given, is_wasteful, better), {array: _useful(given, array)})

    return change


def _with_misses(given: Prepared, chosen: Callable[[Row], bool], better: Callable[[Row], Row]) -> Edit:
    """Changes the chosen rows. Together they ask L2 for as many sectors as before, or for all that they touch if that
    is less: what L1 kept of a sector for later rounds and rows is then asked for at once.
    """
    pairs = [(row, m) for row, m in zip(given.launch.rows, given.traffic.misses, strict=True) if chosen(row)]
    before = sum(row.executed * row.share * row.sectors * missed for row, missed in pairs)
    after = sum(one.executed * one.share * one.sectors for one in (better(row) for row, _ in pairs))
    out = min(1.0, before / after) if after else 1.0
    return lambda row, missed: [(better(row), out)] if chosen(row) else [(row, missed)]


def _useful(given: Prepared, array: str) -> float:
    """Sectors that would hold all bytes that lanes ask for."""
    return sum(row.executed * row.bytes for row in given.launch.rows if row.array == array) / SECTOR


def without_conflicts(lines: Collection[int]) -> Change:
    """The accesses of these lines to shared memory have no bank conflicts."""

    def edit(row: Row, missed: float) -> Sequence[Part]:
        if row.line in lines and row.wavefronts > row.ideal_wavefronts > 0:
            row = replace(row, wavefronts=row.ideal_wavefronts)
        return [(row, missed)]

    return lambda given: edited(given, edit)


def without_contention(lines: Collection[int]) -> Change:
    """Warps add up what their lanes have for one address: five shuffles and additions, then one turn."""

    def edit(row: Row, missed: float) -> Sequence[Part]:
        requests = row.requests + row.shared_requests
        if row.line not in lines or row.turns <= requests:
            return [(row, missed)]
        adds = replace(plain(row, "shfl", ("sync", "down", "b32")), share=5.0)
        return [
            (adds, 1.0),
            (replace(adds, opcode="add", modifiers=("f32",)), 1.0),
            (replace(row, turns=requests), missed),
        ]

    return lambda given: edited(given, edit)


def plain(row: Row, opcode: str, modifiers: tuple[str, ...]) -> Row:
    """An instruction without an access, executed where this one is."""
    bare = replace(row, requests=0.0, sectors=0.0, shared_requests=0.0, wavefronts=0.0, turns=0.0, array="", reuse=())
    return replace(bare, text=".".join((opcode, *modifiers)), opcode=opcode, modifiers=modifiers, written=(), read=())


def widened(lines: Collection[int], arrays: Collection[str], pieces: int, neighbours: bool) -> Change:
    """One access of 16 bytes takes the place of so many.

    With `neighbours` a thread makes all of them already. Without, it takes over its neighbours' elements, and what is
    computed for each access is computed once for all.
    """

    def change(given: Prepared) -> Prepared:
        blocks = {row.block for row in given.launch.rows if _is_access(row, lines, arrays)}

        part = 1 / pieces
        # Without neighbours the wide access has as many times the sectors, and takes as many look-ups.
        more = 1 if neighbours else pieces

        def is_amortised(row: Row) -> bool:
            return not neighbours and row.block in blocks and not is_float(row) and not row.shared_requests

        def wide(row: Row) -> Row:
            share = row.share * part
            lines, depth = max(row.lines, 1.0) * more, max(row.depth, 1.0) * more
            return replace(row, share=share, sectors=row.sectors * more, lines=lines, depth=depth)

        one_access = _with_misses(given, lambda row: _is_access(row, lines, arrays), wide)

        def edit(row: Row, missed: float) -> Sequence[Part]:
            if not _is_access(row, lines, arrays) and is_amortised(row):
                return [(replace(row, share=row.share * part), missed)]
            return one_access(row, missed)

        return edited(given, edit)

    return change


def _is_access(row: Row, lines: Collection[int], arrays: Collection[str]) -> bool:
    return bool(row.requests) and row.line in lines and row.array in arrays


def is_float(row: Row) -> bool:
    """Whether it computes in floating point."""
    return any(part in ("f16", "bf16", "f16x2", "bf16x2", "f32", "f64", "f32x2") for part in row.modifiers)


def loaded_by_fours(line: int, fours: float, wavefronts: float) -> Change:
    """Loads of a line from shared memory, of which the part `fours` is made four at a time.

    Four of them then take so many wavefronts.
    """
    part = 1 - fours * (1 - 1 / 4)

    def edit(row: Row, missed: float) -> Sequence[Part]:
        if row.line == line and row.shared_requests and row.traits.is_load:
            passes = row.wavefronts * (1 - fours) + fours * wavefronts / 4
            row = replace(row, share=row.share * part, wavefronts=passes / part)
        return [(row, missed)]

    return lambda given: edited(given, edit)


def privatised(lines: Collection[int], array: str) -> Change:
    """Atomics of these lines on an array update shared memory."""

    def edit(row: Row, missed: float) -> Sequence[Part]:
        if not _is_access(row, lines, [array]) or not row.traits.is_atomic:
            return [(row, missed)]
        bare = replace(row, requests=0.0, sectors=0.0, lines=0.0, array="", reuse=())
        return [(replace(bare, shared_requests=row.requests, wavefronts=max(row.turns, row.requests)), 1.0)]

    return lambda given: edited(given, edit)


def tiled(arrays: Mapping[str, float]) -> Change:
    """Loads of these arrays come from shared memory, which takes each sector of them so many times less often."""

    def edit(row: Row, missed: float) -> Sequence[Part]:
        ratio = arrays.get(row.array, 1.0)
        if not row.requests or not row.traits.is_load or ratio <= 1.0:
            return [(row, missed)]
        few = max(row.ideal_sectors, 1e-9)
        # Of so many loads one still waits for memory.
        filled, part = f"{row.written[0]}.tile", 1 - 1 / ratio
        fill = replace(row, written=(filled,), share=row.share / ratio, sectors=few, ahead=max(row.ahead, part))
        fill = replace(fill, lines=max(1.0, few / 4), depth=max(1.0, few / 4))
        bare = replace(row, requests=0.0, sectors=0.0, lines=0.0, depth=0.0, array="", reuse=())
        bare = replace(bare, shared_requests=1.0, wavefronts=1.0)
        kept = replace(bare, opcode="st", modifiers=("shared", "b32"), written=(), read=(), share=row.share / ratio)
        own = replace(bare, modifiers=("shared", *row.modifiers), read=(*row.read, filled))
        return [(fill, 1.0), (kept, 1.0), (own, 1.0)]

    return lambda given: edited(given, edit)


def fewer_instructions(share_of: Callable[[Row], float]) -> Change:
    """Rows are executed by this share of the warps."""
    return lambda given: edited(given, lambda row, missed: [(replace(row, share=row.share * share_of(row)), missed)])


def without(rows: Callable[[Row], bool]) -> Change:
    """Without these rows."""
    return lambda given: edited(given, lambda row, missed: [] if rows(row) else [(row, missed)])


def ahead(rows: Callable[[Row], bool], part: float = 1.0) -> Change:
    """These rows are begun before: 1 for a round, else by so much of their latency."""

    def edit(row: Row, missed: float) -> Sequence[Part]:
        return [(replace(row, ahead=max(row.ahead, part)) if rows(row) else row, missed)]

    return lambda given: edited(given, edit)


def with_needs(threads: int | None = None, registers: int | None = None, shared: int | None = None) -> Change:
    """Blocks that need other registers a thread, shared memory, or are of other size."""

    def change(given: Prepared) -> Prepared:
        old = given.needs
        asked = (threads or old.threads, registers or old.registers, old.shared_bytes if shared is None else shared)
        launch = given.launch
        if threads:
            launch = in_blocks(launch, launch.blocks * old.threads / threads, threads)
        return replace(given, launch=launch, needs=BlockNeeds(*asked))

    return change


def in_blocks(launch: LaunchSample, blocks: float, threads: int) -> LaunchSample:
    """The same work in so many blocks of this size."""
    count = max(1, round(blocks))
    working = max(1.0, launch.working * count / launch.blocks)
    return replace(launch, grid=(count, 1, 1), block=(threads, 1, 1), typical=launch.instructions / working)


def from_fewest_bytes(given: Prepared) -> Prepared:
    """Blocks that run at once share what L2 has: each byte comes from DRAM as seldom as it may."""
    traffic = given.traffic
    if not traffic.bytes:
        return given
    part = traffic.low / traffic.bytes
    dram = {array: share * part for array, share in traffic.dram.items()}
    return replace(given, traffic=replace(traffic, dram=dram, bytes=traffic.low, high=traffic.low))


def spread_out(sms: int) -> Change:
    """The work of few blocks dealt to a block for each SM: loops have as many fewer rounds."""

    def change(given: Prepared) -> Prepared:
        launch = given.launch
        factor = sms / max(1.0, launch.working)
        if factor <= 1:
            return given
        ways = tuple(
            replace(way, steps=tuple(replace(s, weight=max(min(s.weight, 1.0), s.weight / factor)) for s in way.steps))
            for way in launch.ways
        )
        return replace(given, launch=replace(in_blocks(launch, launch.blocks * factor, launch.threads), ways=ways))

    return change
