"""Advice on bank conflicts in shared memory, and on contended atomics in any memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.coach.advice import INSTRUCTION_CYCLES, WAVEFRONT_CYCLES, Advice, Subject
from grader.coach.lines import total
from grader.coach.pattern import Pattern, pattern_of, width_of
from grader.model.change import loaded_by_fours, without_conflicts, without_contention
from grader.run.emulator.counts import RowCounts
from grader.run.emulator.native.counting import BANK_BYTES, BANKS
from grader.run.emulator.ptx.traits import MatrixRole, Memory

CONTENDED = 2.0
FOUR, WIDE = 4, 16
"""Numbers, and bytes, of the widest load."""


def bank_conflicts(subject: Subject) -> Iterator[Advice]:
    """Finds requests whose lanes access different words of the same bank."""
    for line in subject.lines:
        groups: dict[str, list[RowCounts]] = {}
        for row in line.rows:
            if row.wavefronts > row.ideal_wavefronts:
                groups.setdefault(row.shared_array, []).append(row)
        for array, rows in groups.items():
            sums, ways = total(rows), max(row.ways for row in rows)
            worst = max(rows, key=lambda row: row.wavefronts - row.ideal_wavefronts)
            yield Advice(
                "bank_conflict",
                line.line,
                f"{ways}-way bank conflict on {array or 'shared memory'}: {sums.wavefronts:,} wavefronts in "
                f"{sums.shared_requests:,} requests, {sums.ideal_wavefronts:,} without conflicts",
                _remedy(array, worst),
                (sums.wavefronts - sums.ideal_wavefronts) * WAVEFRONT_CYCLES,
                change=without_conflicts({line.line}),
            )


def _remedy(array: str, row: RowCounts) -> str:
    if row.traits.matrix is not MatrixRole.NONE:
        return (
            f"lines of a matrix go together, eight of 16 bytes or four of 32: make those of {array or 'the array'} "
            "16 bytes longer, 32 for sums of 32 bits"
        )
    if row.traits.memory is Memory.COPY:
        # The sample may be from the global-memory side of the copy.
        return f"let lanes copy to different banks: pad the rows of {array or 'the array'}, or permute pieces of them"
    pattern = pattern_of(row)
    return _how_to_pad(array, pattern) if pattern else ""


def _how_to_pad(array: str, pattern: Pattern) -> str:
    found = pattern.padding()
    if found is None:
        return f"let neighbouring lanes ask for words of different banks: the bank is the word's number modulo {BANKS}"
    pitch, extra = found
    size = pattern.size
    return (
        f"pad the row: lanes {pitch / size:.4g} elements apart meet in the same banks, {(pitch + extra) / size:.4g} "
        "apart they would not"
    )


def contention(subject: Subject) -> Iterator[Advice]:
    """Finds atomics where lanes of one warp update the same address, one after the other."""
    for line in subject.lines:
        rows = [row for row in line.rows if row.turns]
        sums = total(rows)
        requests = sums.requests + sums.shared_requests
        if not requests or sums.turns < CONTENDED * requests:
            continue
        name = next((row.array or row.shared_array for row in rows), "")
        yield Advice(
            "contention",
            line.line,
            f"up to {sums.turns / requests:.4g} lanes of a warp update one address of {name or 'an array'}, one after "
            f"the other ({sums.turns:,} turns in {requests:,} requests)",
            "let a warp first add up what its lanes have for one address (__shfl_down_sync, __reduce_add_sync)",
            (sums.turns - requests) * WAVEFRONT_CYCLES,
            change=without_contention({line.line}),
        )


def side_by_side(subject: Subject) -> Iterator[Advice]:
    """Finds loads of neighbouring numbers from rows of shared memory that do not begin at multiples of 16 bytes.

    Where they do, the assembler makes one load of four.
    """
    for line in subject.lines:
        loads = [row for row in line.rows if row.shared_requests and row.traits.is_load]
        rows = [row for row in loads if row.sample is not None and width_of(row) == BANK_BYTES]
        found = list(_fours(rows))
        sums = total(found)
        if not found:
            continue
        words = len(set(_offsets(found[0]))) * FOUR
        yield Advice(
            "vector_shared",
            line.line,
            f"a thread loads {len(found)} numbers of {BANK_BYTES} bytes side by side from shared memory, one by one: "
            "rows do not begin at multiples of 16 bytes",
            "make rows a multiple of 16 bytes long (pad them by 4 numbers, not by 1) and load float4",
            sums.shared_requests * (1 - 1 / FOUR) * (WAVEFRONT_CYCLES + INSTRUCTION_CYCLES),
            change=loaded_by_fours(line.line, len(found) / len(loads), max(1.0, words / BANKS)),
        )


def _fours(rows: Sequence[RowCounts]) -> Iterator[RowCounts]:
    """The loads of which four in a row follow each other in each lane, with lanes at odd places."""
    places = {(row.block, _offsets(row)[0]): row for row in rows}
    taken: set[int] = set()
    for block, start in sorted(places):
        four = [places.get((block, start + n * BANK_BYTES)) for n in range(FOUR)]
        group = [row for row in four if row is not None and id(row) not in taken]
        if len(group) < FOUR:
            continue
        first = _offsets(group[0])
        even = all(tuple(at + n * BANK_BYTES for at in first) == _offsets(row) for n, row in enumerate(group))
        if even and len({at % WIDE for at in first}) > 1:
            taken.update(map(id, group))
            yield from group


def _offsets(row: RowCounts) -> tuple[int, ...]:
    assert row.sample is not None
    return tuple(offset for offset in row.sample.offsets if offset is not None)
