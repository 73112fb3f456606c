"""Advice on bank conflicts in shared memory, and on contended atomics in any memory."""

from __future__ import annotations

from collections.abc import Iterator

from grader.coach.advice import WAVEFRONT_CYCLES, Advice, Subject
from grader.coach.lines import total
from grader.coach.pattern import Pattern, pattern_of
from grader.run.emulator.counts import RowCounts
from grader.run.emulator.native.counting import BANKS
from grader.run.emulator.ptx.traits import MatrixRole, Memory

CONTENDED = 2.0


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
        )
