"""Advice on global memory: uncoalesced requests, data read repeatedly, narrow loads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.coach.advice import INSTRUCTION_CYCLES, SECTOR_CYCLES, Advice, Subject
from grader.coach.lines import LineCounts, Totals, reads_of, refetch_ratio, total
from grader.coach.pattern import Pattern, pattern_of, width_of
from grader.model.change import coalesced, privatised, tiled, widened
from grader.run.emulator.counter_layout import SECTOR
from grader.run.emulator.counts import ArrayCounts, RowCounts
from grader.run.emulator.ptx.traits import MatrixRole, Memory

WASTE = 1.2
"""Ratio of sectors to the fewest possible, above which accesses are reported."""
REUSE = 2.0
LEAST_REFETCHED = 0.05
"""Fraction of all sectors moved, below which repeated reads are not reported."""
WIDE = 16
UPDATED = "updated"
MOST_SHARED = 48 << 10
"""Bytes of an array of which each block may have one of its own."""
_VERBS = {Memory.LOAD: "read", Memory.COPY: "read", Memory.STORE: "written", Memory.ATOMIC: UPDATED}


def _verb(row: RowCounts) -> str:
    return _VERBS.get(row.traits.memory, "touched")


def accesses(line: LineCounts) -> Iterator[tuple[str, str, list[RowCounts]]]:
    """Yields the global accesses of a line as (array, verb, rows)."""
    groups: dict[tuple[str, str], list[RowCounts]] = {}
    for row in line.rows:
        if row.requests:
            groups.setdefault((row.array, _verb(row)), []).append(row)
    for (array, verb), rows in groups.items():
        yield array, verb, rows


def uncoalesced(subject: Subject) -> Iterator[Advice]:
    """Finds requests that touch more sectors than their bytes would fill."""
    for line in subject.lines:
        for array, verb, rows in accesses(line):
            sums = total(rows)
            if sums.sectors <= WASTE * sums.ideal_sectors:
                continue
            if verb == UPDATED:
                yield from _scattered(subject, line.line, array, sums)
                continue
            worst = max(rows, key=lambda row: row.sectors - row.ideal_sectors)
            each, least = sums.sectors / sums.requests, sums.ideal_sectors / sums.requests
            yield Advice(
                "uncoalesced",
                line.line,
                f"{array or 'global memory'} is {verb} in {each:.4g} sectors a request, {least:.4g} would do "
                f"({sums.requests:,} requests, {sums.sectors * SECTOR:,} bytes moved for {sums.bytes:,} asked for)",
                _remedy(subject, array, worst),
                (sums.sectors - sums.ideal_sectors) * SECTOR_CYCLES,
                change=coalesced({line.line}, array),
            )


def _scattered(subject: Subject, line: int, array: str, sums: Totals) -> Iterator[Advice]:
    """Atomics on the places of an array that their data name; they can't be neighbours."""
    counted = subject.array(array)
    if counted is None or counted.size > MOST_SHARED:
        return
    yield Advice(
        "privatisation",
        line,
        f"{sums.requests:,} requests of atomics to {array}, {sums.sectors / sums.requests:.4g} sectors each",
        f"give each block a {array} of its own in shared memory, and add those to {array} at its end",
        (sums.sectors - sums.requests) * SECTOR_CYCLES,
        change=privatised({line}, array),
    )


def _remedy(subject: Subject, array: str, row: RowCounts) -> str:
    if row.traits.matrix is MatrixRole.FRAGMENT:
        return (
            f"a fragment is half a sector of each of eight lines at a time: copy a tile of {array or 'it'} to shared "
            "memory, whole lines at a time, and load fragments from there"
        )
    if row.traits.memory is Memory.COPY:
        # The sample may be from the shared-memory side of the copy.
        return "let neighbouring lanes copy neighbouring elements, or each of them 16 bytes"
    pattern = pattern_of(row)
    return _how_to_coalesce(subject, array, pattern) if pattern else ""


def _how_to_coalesce(subject: Subject, array: str, pattern: Pattern) -> str:
    counted = subject.array(array)
    itemsize = (counted.itemsize if counted else 0) or pattern.size
    step = pattern.step
    if not step or (step == pattern.size and not pattern.is_even):
        if pattern.run > 1:
            return (
                f"only {pattern.run} lanes in a row are neighbours in memory: let more values of threadIdx.x, "
                f"{SECTOR // pattern.size} or a multiple, run along {array or 'it'}"
            )
        return "the addresses of neighbouring lanes follow no pattern: sort or stage the accesses in shared memory"
    if abs(step) == pattern.size:
        first = pattern.active[0][1] % SECTOR
        return (
            f"neighbouring lanes are neighbours in memory, but a warp's first byte is {first} behind a multiple of "
            f"{SECTOR}: begin rows at a multiple of {SECTOR} bytes"
        )
    row = subject.row_lengths.get(array, 0) * itemsize
    apart = f"neighbouring lanes are {abs(step):,} bytes ({abs(step) / itemsize:.4g} elements) apart"
    if row and abs(step) == row:
        return (
            f"{apart}, which is one row of {array}: threadIdx.x counts rows; swap the indices, so that it counts "
            "columns, or load a tile row by row into shared memory"
        )
    if abs(step) <= SECTOR:
        return f"{apart}: let the element with the lane's own number follow its neighbour's, and what lies between go"
    if not pattern.is_even:
        return f"most {apart}: let neighbouring lanes take neighbouring elements"
    factor = f"{abs(step) / itemsize:.4g}"
    return f"{apart}: the index that threadIdx.x is part of is multiplied by {factor}, and should not be"


def reuse(subject: Subject) -> Iterator[Advice]:
    """Finds arrays of which a block fetches the same sectors repeatedly and whose elements are read several times."""
    by_line: dict[int | None, list[ArrayCounts]] = {}
    for array in subject.arrays:
        again, reads = refetch_ratio(array), reads_of(array)
        if again is None or reads is None or again < REUSE or reads < REUSE:
            continue
        if array.load_sectors - array.block_sectors >= LEAST_REFETCHED * subject.totals.sectors:
            by_line.setdefault(_line_of_loads(subject, array.name), []).append(array)
    for line, arrays in by_line.items():
        facts = "; ".join(
            f"each element of {a.name} is read {reads_of(a):.4g} times from global memory, and a block fetches each of "
            f"its sectors {refetch_ratio(a):.4g} times ({a.load_sectors:,} sectors, {a.block_sectors:,} would do)"
            for a in arrays
        )
        yield Advice(
            "reuse",
            line,
            facts,
            f"tile it: let the block copy its part of {' and '.join(a.name for a in arrays)} to shared memory once and "
            "read it there",
            sum(array.load_sectors - array.block_sectors for array in arrays) * SECTOR_CYCLES,
            change=tiled({a.name: refetch_ratio(a) or 1.0 for a in arrays}),
        )


def _line_of_loads(subject: Subject, array: str) -> int | None:
    """The line that reads most sectors of an array; None if no line is known to read it."""
    sectors = {
        line.line: sum(row.sectors for row in line.rows if row.array == array and _verb(row) == "read")
        for line in subject.lines
    }
    line = max(sectors, key=lambda number: sectors[number], default=None)
    return line if line is not None and sectors[line] else None


def wide_loads(subject: Subject) -> Iterator[Advice]:
    """Finds loads and stores that are narrower than 16 bytes but could be 16 bytes wide."""
    for line in subject.lines:
        told: set[int] = set()
        for group in _neighbours(line.rows):
            sums = total(group)
            rows, width = len(group), width_of(group[0])
            pieces = WIDE // width
            wide = sums.requests / rows * (rows // pieces)
            sectors = sums.sectors / pieces
            told.update(id(row) for row in group)
            yield Advice(
                "wide_access",
                line.line,
                f"a thread makes {rows} accesses of {width} bytes side by side to {group[0].array or 'one array'}: "
                f"{sums.requests:,} requests where {wide:,.0f} would do",
                f"make each {pieces} of them one access of {WIDE} bytes, such as float4",
                (sums.requests - wide) * INSTRUCTION_CYCLES + (sums.sectors - sectors) * SECTOR_CYCLES,
                change=widened({line.line}, {group[0].array}, pieces, neighbours=True),
            )
        rest = [row for row in line.rows if id(row) not in told and _is_row_of_words(row)]
        if rest:
            sums, width = total(rest), width_of(rest[0])
            pieces = WIDE // width
            arrays = " and ".join(dict.fromkeys(row.array for row in rest if row.array))
            yield Advice(
                "wide_access",
                line.line,
                f"{sums.requests:,} requests of {width} bytes a lane to {arrays or 'one array'}, whose lanes are "
                f"neighbours: as {WIDE} bytes a lane {sums.requests / pieces:,.0f} would do",
                f"let a thread take {pieces} neighbouring elements in one access, such as float4",
                sums.requests * (1 - 1 / pieces) * INSTRUCTION_CYCLES,
                change=widened({line.line}, {row.array for row in rest}, pieces, neighbours=False),
            )


def _neighbours(rows: Sequence[RowCounts]) -> Iterator[list[RowCounts]]:
    """Yields groups of accesses in one basic block that form whole 16-byte pieces in every lane of the sample."""
    blocks: dict[tuple[object, ...], list[RowCounts]] = {}
    for row in rows:
        width = width_of(row)
        if row.requests and row.sample is not None and 0 < width < WIDE and _is_plain(row):
            key = (row.block, row.opcode, row.array, width, row.requests, row.sample.block, row.sample.warp)
            blocks.setdefault((*key, _mask(row)), []).append(row)
    for group in blocks.values():
        width = width_of(group[0])
        pieces = WIDE // width
        by_offset = {_first(row): row for row in group}
        found: list[RowCounts] = []
        for first in sorted(by_offset):
            piece = [by_offset.get(first + part * width) for part in range(pieces)]
            if first % WIDE == 0 and all(row is not None and _moved(by_offset[first], row) for row in piece):
                found += [row for row in piece if row is not None]
        if found:
            yield found


def _is_plain(row: RowCounts) -> bool:
    return row.traits.is_load or row.traits.is_store


def _mask(row: RowCounts) -> tuple[bool, ...]:
    assert row.sample is not None
    return tuple(offset is not None for offset in row.sample.offsets)


def _first(row: RowCounts) -> int:
    assert row.sample is not None
    return next(offset for offset in row.sample.offsets if offset is not None)


def _moved(one: RowCounts, other: RowCounts) -> bool:
    """Whether the second access is at the same distance from the first in every lane, and the first is aligned to 16
    bytes.
    """
    assert one.sample is not None and other.sample is not None
    by = _first(other) - _first(one)
    pairs = zip(one.sample.offsets, other.sample.offsets, strict=True)
    return all(a is None or b is None or (a % WIDE == 0 and b - a == by) for a, b in pairs)


def _is_row_of_words(row: RowCounts) -> bool:
    """Whether this is a load or store of a full warp with adjacent lanes, starting at a multiple of 16 bytes."""
    pattern = pattern_of(row)
    if pattern is None or not row.requests or not _is_plain(row) or pattern.size >= WIDE:
        return False
    whole = len(pattern.active) == len(pattern.sample.offsets)
    return whole and pattern.is_even and pattern.step == pattern.size and pattern.active[0][1] % WIDE == 0
