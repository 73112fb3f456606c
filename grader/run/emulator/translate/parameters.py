"""Parameter areas of device functions: 32-bit words, each a vector of 32 lanes, accessed at byte offsets.

Areas lie beside other state of the warp, so accesses beyond one are refused here.
"""

from __future__ import annotations

from grader.run.emulator.native.ir import V, splat
from grader.run.emulator.translate.emitter import Emitter
from grader.run.emulator.translate.storage import Area

WORD_STRIDE = 128


def _place(emitter: Emitter, area: Area, offset: int, size: int) -> int:
    """Returns the state offset of the word that holds byte `offset`; all `size` bytes have to be inside the area."""
    if not area.holds(offset, size):
        raise emitter.unsupported("an access outside of a parameter")
    return area.at + offset // 4 * WORD_STRIDE


def read_area(emitter: Emitter, area: Area, offset: int, bits: int) -> V:
    """Returns `bits` bits (8 to 64) from byte `offset` of a parameter area, as an integer vector."""
    f = emitter.f
    place = _place(emitter, area, offset, bits // 8)
    word = f.load_lanes("i32", "%warp", place)
    if bits < 32:
        shifted = f.op("lshr", word, splat("i32", 8 * (offset % 4)))
        return f.cast("trunc", shifted, f"i{bits}")
    if bits == 32:
        return word
    if bits != 64:
        raise emitter.unsupported()
    high = f.cast("zext", f.load_lanes("i32", "%warp", place + WORD_STRIDE), "i64")
    return f.op("or", f.cast("zext", word, "i64"), f.op("shl", high, splat("i64", 32)))


def write_area(emitter: Emitter, area: Area, offset: int, value: V) -> None:
    """Stores an integer vector at byte `offset` of a parameter area, for the lanes of the instruction."""
    f = emitter.f
    bits = int(value.t[1:])
    place = _place(emitter, area, offset, bits // 8)
    if bits < 32:
        shift = 8 * (offset % 4)
        field = ((1 << bits) - 1) << shift
        old = f.load_lanes("i32", "%warp", place)
        moved = f.op("shl", f.cast("zext", value, "i32"), splat("i32", shift))
        words = [f.op("or", f.op("and", old, splat("i32", ~field)), moved)]
    elif bits == 32:
        words = [value]
    elif bits == 64:
        words = [f.cast("trunc", value, "i32"), f.cast("trunc", f.op("lshr", value, splat("i64", 32)), "i32")]
    else:
        raise emitter.unsupported()
    for index, word in enumerate(words):
        _store_word(emitter, place + index * WORD_STRIDE, word)


def _store_word(emitter: Emitter, place: int, word: V) -> None:
    old = emitter.f.load_lanes("i32", "%warp", place)
    emitter.f.store_lanes(emitter.f.select(emitter.mask, word, old), "%warp", place)


def copy_area(emitter: Emitter, source: Area, target: Area, size: int) -> None:
    """Copies the first `size` bytes of an area to another, in whole words."""
    for offset in range(0, size, 4):
        begin, end = _place(emitter, source, offset, 4), _place(emitter, target, offset, 4)
        _store_word(emitter, end, emitter.f.load_lanes("i32", "%warp", begin))
        if emitter.values is not None:
            emitter.values.copy_parameter(begin, end)
