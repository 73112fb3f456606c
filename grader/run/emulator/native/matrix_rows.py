"""The row accesses of ldmatrix and stmatrix, as routines: eight lanes give the rows of an 8 x 8 matrix."""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator.native.access import Access
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, lanes
from grader.run.emulator.native.matrix_access import (
    ARGUMENTS,
    ROUTINE,
    ROW_BYTES,
    Watch,
    record,
    return_words,
    watch_arguments,
    watched_access,
)
from grader.run.emulator.native.matrix_lanes import LINES, WORDS, line_of, transpose_tile, word_of

WORD_BYTES = ROW_BYTES // WORDS


@dataclass(frozen=True)
class Rows:
    """A kind of ldmatrix or stmatrix: `count` matrices of 8 x 8 elements of 16 bits."""

    count: int
    transposed: bool
    space: str
    store: bool
    watch: Watch

    @property
    def routine(self) -> str:
        verb = "st" if self.store else "ld"
        return f"{verb}matrix_{self.space}_x{self.count}{'_trans' * self.transposed}{self.watch.name}"


def rows_routine(module: IrModule, rows: Rows) -> str:
    """Returns the routine `(ctx, warp, addresses, mask, site[, row][, note], words…) -> {words…}`."""

    def build(owner: IrModule, name: str) -> IrFunction:
        arguments = [*ARGUMENTS, *watch_arguments(rows.watch)]
        if rows.store:
            arguments += [(f"<{LANES} x i32>", f"word{r}") for r in range(rows.count)]
        f = IrFunction(owner, name, "void" if rows.store else record("i32", rows.count), arguments, attributes=ROUTINE)
        _rows(f, rows)
        return f

    return module.routine(rows.routine, build)


def _rows(f: IrFunction, rows: Rows) -> None:
    """Emits the access. Lane 8 i + r gives the address of row r of matrix i; lanes beyond the last matrix give none."""
    used = (1 << LINES * rows.count) - 1
    mask = f.let(f"and i32 %mask, {used if rows.count < WORDS else -1}")
    access = Access(rows.store, rows.space, WORD_BYTES, WORDS)
    values = _columns(f, rows) if rows.store else []
    columns = watched_access(f, rows.watch, access, V("i64", "%address"), mask, values)
    if rows.store:
        f.do("ret void")
        return
    words = []
    for index in range(rows.count):
        word = _choose(f, columns, [(word_of(lane), LINES * index + line_of(lane)) for lane in range(LANES)])
        words.append(transpose_tile(f, word, 2) if rows.transposed else word)
    return_words(f, words)


def _columns(f: IrFunction, rows: Rows) -> list[V]:
    """Returns the four words of each lane's row, from the words that the lanes hold of the matrices."""
    words = [V("i32", f"%word{index}") for index in range(rows.count)]
    words = [transpose_tile(f, word, 2) if rows.transposed else word for word in words]
    used = range(LINES * rows.count)
    return [
        _choose(
            f, words, [(lane // LINES, WORDS * (lane % LINES) + c) if lane in used else (0, 0) for lane in range(LANES)]
        )
        for c in range(WORDS)
    ]


def _choose(f: IrFunction, vectors: list[V], sources: list[tuple[int, int]]) -> V:
    """Returns a vector whose lane i is lane sources[i][1] of vectors[sources[i][0]]."""
    result: V | None = None
    for index, vector in enumerate(vectors):
        order = lanes("i32", [lane if which == index else 0 for which, lane in sources])
        part = V(vector.t, f.let(f"shufflevector {vector}, {vector.type} poison, {order}"))
        here = V("i1", "<" + ", ".join(f"i1 {'true' if which == index else 'false'}" for which, _ in sources) + ">")
        result = part if result is None else f.select(here, part, result)
    assert result is not None
    return result
