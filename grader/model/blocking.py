"""What-ifs of loops that multiply loaded factors: more results a thread, and tensor cores."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from grader.model.change import Change, Part, edited, in_blocks, is_float, plain
from grader.model.kernel import Prepared
from grader.model.sampling import LaunchSample, Row
from grader.run.gpu.occupancy import BlockNeeds


@dataclass(frozen=True)
class Products:
    """Multiplications of two factors that were loaded: `adds` and `loads` name their rows by block and result.

    `loads` holds conversions of loaded factors too.
    """

    adds: frozenset[tuple[int, tuple[str, ...]]]
    loads: frozenset[tuple[int, tuple[str, ...]]]


def register_blocked(factor: int, found: Products) -> Change:
    """Each thread makes `factor` x `factor` times the results, from `factor` times the values of each operand."""

    def change(given: Prepared) -> Prepared:
        launch, square = given.launch, factor * factor
        loops = _loops(launch, {block for block, _ in found.adds})

        def edit(row: Row, missed: float) -> Sequence[Part]:
            key = row.block, row.written
            share = 1.0
            if key in found.adds:
                share = square
            elif row.written and key in found.loads:
                # Neighbouring values come in accesses of 8 or 16 bytes, of which one may take two wavefronts.
                share = factor / 2
            elif row.requests or row.shared_requests:
                # A tile has as many times the lines. Results are as many as before.
                share = factor if row.block in loops else square
            elif is_float(row):
                share = square
            return [(replace(row, share=row.share * share, executed=row.executed / square), missed)]

        changed = edited(given, edit)
        old, threads = given.needs, min(MOST_THREADS, given.needs.threads)
        smaller = in_blocks(launch, launch.blocks * old.threads / threads / square, threads)
        # However many results a thread has, the arrays come from DRAM as before.
        before, moved = given.traffic, changed.traffic
        dram = {name: min(1.0, share * square) for name, share in before.dram.items()}
        return replace(
            changed,
            traffic=replace(moved, dram=dram, bytes=before.bytes, low=before.low, high=before.high),
            launch=replace(smaller, rows=changed.launch.rows),
            needs=BlockNeeds(
                threads,
                min(255, old.registers + square + 2 * factor),
                min(MOST_SHARED, old.shared_bytes * factor * threads // old.threads),
            ),
        )

    return change


def on_tensor_cores(found: Products, kind: str, lanes: int) -> Change:
    """Products of matrices instead of multiplications by threads, which each made `lanes` of them at a time."""

    def edit(row: Row, missed: float) -> Sequence[Part]:
        key = row.block, row.written
        if key in found.adds:
            name = ("sync", "aligned", "m16n8k16", "row", "col", "f32", kind, kind, "f32")
            product = replace(plain(row, "mma", name), written=row.written, read=row.read)
            return [(replace(product, share=row.share * lanes * 32 / MMA_PRODUCTS), 1.0)]
        if row.written and key in found.loads:
            # ldmatrix hands a warp 512 bytes, where a load for products by threads hands it 32 numbers.
            return [(replace(row, share=row.share / LANES), missed)]
        return [(row, missed)]

    return lambda given: edited(given, edit)


MMA_PRODUCTS = 16 * 8 * 16
LANES = 32
MOST_THREADS = 256
"""The largest block whose threads have many results each."""
MOST_SHARED = 96 << 10


def _loops(launch: LaunchSample, blocks: Collection[int]) -> set[int]:
    """The basic blocks of loops with these blocks in them."""
    rounds = {row.block: row.executed for row in launch.rows if row.executed}
    inner = max((rounds[block] for block in blocks if block in rounds), default=0.0)
    once = min(rounds.values(), default=0.0)
    return {block for block, executed in rounds.items() if 1.5 * once < executed <= 1.01 * inner}
