"""Fragments in memory: the checked accesses of wmma.load and wmma.store, as routines.

If a fragment's lines are contiguous in memory, each lane accesses the words it holds; otherwise the lanes access words
of its columns and then exchange them. These accesses are what is checked and counted. A GPU may make them in fewer
instructions, but touches the same sectors and banks.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.run.emulator import layout
from grader.run.emulator.layout import WARP
from grader.run.emulator.native.access import Access
from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, lanes, splat
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
from grader.run.emulator.native.matrix_lanes import LINES, line_of, transpose_tile, word_of
from grader.run.emulator.native.matrix_shapes import Fragment, Tile
from grader.run.emulator.native.resolve import report


@dataclass(frozen=True)
class Matrix:
    """A fragment in memory. `along`: the elements of a line are contiguous there, in place of those of a column."""

    fragment: Fragment
    name: str
    space: str
    along: bool
    store: bool
    watch: Watch

    @property
    def routine(self) -> str:
        verb = "store" if self.store else "load"
        return f"matrix_{verb}_{self.name}_{self.space}{'_along' * self.along}{self.watch.name}"


def matrix_routine(module: IrModule, matrix: Matrix) -> str:
    """Returns the routine `(ctx, warp, addresses, mask, site[, row][, note], pitch, words…) -> {words…}`.

    `pitch`: bytes from one line of memory to the next.
    """

    def build(owner: IrModule, name: str) -> IrFunction:
        fragment = matrix.fragment
        t = f"i{fragment.element.word}"
        arguments = [*ARGUMENTS, *watch_arguments(matrix.watch), (f"<{LANES} x i64>", "pitch")]
        if matrix.store:
            arguments += [(f"<{LANES} x {t}>", f"word{r}") for r in range(len(fragment.tiles) * fragment.per_tile)]
        f = IrFunction(
            owner, name, "void" if matrix.store else record(t, fragment.registers), arguments, attributes=ROUTINE
        )
        _MatrixBody(f, matrix).emit()
        return f

    return module.routine(matrix.routine, build)


class _MatrixBody:
    def __init__(self, f: IrFunction, matrix: Matrix) -> None:
        self.f = f
        self.matrix = matrix
        self.element = matrix.fragment.element
        self.bits = 1 if self.element.kind == "bits" else self.element.bits
        self.width = self.element.word // 8
        self.pitch = V("i64", "%pitch")

    def emit(self) -> None:
        f, fragment = self.f, self.matrix.fragment
        dead = f.load("i32", "%warp", WARP["dead"])
        living = f.let(f"and i32 %mask, {f.let(f'xor i32 {dead}, -1')}")
        self._check_arguments(living)
        self._check_lines(living)
        words: list[V] = []
        for tile in fragment.tiles:
            if fragment.per_tile == 1:
                self._words(tile, words)
            else:
                self._pairs(tile, words)
        if self.matrix.store:
            f.do("ret void")
        else:
            return_words(f, words * fragment.copies)

    def _check_arguments(self, living: str) -> None:
        """Reports lanes that differ from lane 0 in address or pitch."""
        f = self.f
        apart = []
        for given in (V("i64", "%address"), self.pitch):
            first = f.let(f"extractelement {given}, i32 0")
            apart.append(f.bits(f.compare("icmp ne", given, f.spread("i64", first))))
        either = f.let(f"or i32 {apart[0]}, {apart[1]}")
        report(f, layout.EVENT_APART, "%site", f.let(f"and i32 {living}, {either}"))

    def _check_lines(self, living: str) -> None:
        """Reports lines that do not start at a multiple of the fragment's size, or of 16 bytes if it is larger."""
        f, fragment = self.f, self.matrix.fragment
        size = min(ROW_BYTES, fragment.registers * self.width)
        lines = fragment.lines if self.matrix.along else fragment.length
        start = self._address(lanes("i64", [lane % lines for lane in range(LANES)]), splat("i64", 0))
        low = f.op("and", start, splat("i64", size - 1))
        misaligned = f.let(f"and i32 {living}, {f.bits(f.compare('icmp ne', low, splat('i64', 0)))}")
        f.store_lanes(start, "%warp", WARP["scratch"])
        report(f, layout.EVENT_MISALIGNED, "%site", misaligned)

    def _address(self, line: V, offset: V) -> V:
        """Returns the address of byte `offset` of a line of memory."""
        f = self.f
        return f.op("add", f.op("add", V("i64", "%address"), offset), f.op("mul", line, self.pitch))

    def _move(self, count: int, line: list[int], offset: list[int], values: list[V]) -> list[V]:
        access = Access(self.matrix.store, self.matrix.space, self.width, count)
        address = self._address(lanes("i64", line), lanes("i64", offset))
        return watched_access(self.f, self.matrix.watch, access, address, "%mask", values)

    def _given(self, register: int) -> list[V]:
        return [V(f"i{self.element.word}", f"%word{register}")] if self.matrix.store else []

    def _words(self, tile: Tile, words: list[V]) -> None:
        """Moves a tile of one register: one word per lane."""
        each, everyone = self.element.per_word, range(LANES)
        given = self._given(tile.register)
        if self.matrix.along:
            line = [tile.line + line_of(lane) for lane in everyone]
            offset = [tile.start * self.bits // 8 + word_of(lane) * self.width for lane in everyone]
            moved = self._move(1, line, offset, given)
        else:
            in_line = LINES // each
            line = [tile.start + lane // in_line for lane in everyone]
            offset = [tile.line * self.bits // 8 + lane % in_line * self.width for lane in everyone]
            moved = self._move(1, line, offset, [transpose_tile(self.f, word, each) for word in given])
            moved = [transpose_tile(self.f, word, each) for word in moved]
        words += moved

    def _pairs(self, tile: Tile, words: list[V]) -> None:
        """Moves a tile of two registers: two neighbours of a line per lane."""
        everyone = range(LANES)
        given = [self._given(tile.register + e) for e in range(2)]
        if self.matrix.along:
            line = [tile.line + line_of(lane) for lane in everyone]
            offset = [(tile.start + 2 * word_of(lane)) * self.width for lane in everyone]
            moved = self._move(2, line, offset, [*given[0], *given[1]])
        else:
            moved = []
            for e in range(2):
                line = [tile.start + 2 * word_of(lane) + e for lane in everyone]
                offset = [(tile.line + line_of(lane)) * self.width for lane in everyone]
                moved += self._move(1, line, offset, given[e])
        words += moved
