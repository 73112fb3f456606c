"""Lane permutations of matrix fragments: transposing a tile, interleaving and separating pairs of vectors."""

from __future__ import annotations

from collections.abc import Sequence

from grader.run.emulator.native.ir import LANES, IrFunction, V, bits_of, lanes, splat

LINES, WORDS = 8, 4
"""A tile: lane 4 g + t holds word t of line g."""


def line_of(lane: int) -> int:
    """Returns the line of a tile that a lane holds a word of."""
    return lane // WORDS


def word_of(lane: int) -> int:
    """Returns which word of its line a lane holds."""
    return lane % WORDS


def permute(f: IrFunction, value: V, sources: Sequence[int]) -> V:
    """Returns the vector whose lane i is lane sources[i] of `value`."""
    return V(value.t, f.let(f"shufflevector {value}, {value.type} poison, {lanes('i32', sources)}"))


def by_word(f: IrFunction, tile: V) -> V:
    """Returns the tile's words in column order: lane 8 t + g of the result is lane 4 g + t."""
    return permute(f, tile, [WORDS * (lane % LINES) + lane // LINES for lane in range(LANES)])


def transpose_tile(f: IrFunction, words: V, per_word: int) -> V:
    """Converts between a tile and its column-major memory image, `per_word` elements a word.

    In memory, a tile of 8 lines is 4 `per_word` columns of 8 elements, whose words the lanes hold in order. With 2
    elements a word this transposes an 8 x 8 matrix, and is its own inverse.
    """
    bits = bits_of(words.t) // per_word
    shift = lanes(words.t, [line_of(lane) % per_word * bits for lane in range(LANES)])
    result = splat(words.t, 0)
    for e in range(per_word):
        sources = [
            (per_word * word_of(lane) + e) * (LINES // per_word) + line_of(lane) // per_word for lane in range(LANES)
        ]
        part = f.op("lshr", permute(f, words, sources), shift)
        part = f.op("and", part, splat(words.t, (1 << bits) - 1))
        result = f.op("or", result, f.op("shl", part, splat(words.t, e * bits)))
    return result


def store_pairs(f: IrFunction, first: V, second: V, pointer: str, offset: int | str) -> None:
    """Stores 64 elements, alternating between `first` and `second`: for an accumulator's tile, its rows."""
    mask = ", ".join(f"i32 {lane + LANES * which}" for lane in range(LANES) for which in range(2))
    joined = f.let(f"shufflevector {first}, {second}, <{2 * LANES} x i32> <{mask}>")
    f.do(f"store <{2 * LANES} x {first.t}> {joined}, ptr {f.field(pointer, offset)}, align 64")


def load_pairs(f: IrFunction, t: str, pointer: str, offset: int | str) -> tuple[V, V]:
    """Loads the two vectors that `store_pairs` stored."""
    both = f"<{2 * LANES} x {t}>"
    joined = f.let(f"load {both}, ptr {f.field(pointer, offset)}, align 64")
    parts = []
    for which in range(2):
        mask = lanes("i32", [2 * lane + which for lane in range(LANES)])
        parts.append(V(t, f.let(f"shufflevector {both} {joined}, {both} poison, {mask}")))
    return parts[0], parts[1]
