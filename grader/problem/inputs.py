"""Makes the input arrays of a case from its sizes, family and seed, the same bits on every machine.

A counter-based generator (Philox) is keyed by seed, family and array; nothing comes from the clock or the system. Only
its raw 64-bit words are used, with integer arithmetic and single IEEE operations: NumPy guarantees that stream but not
those of its distributions, and libraries differ in the last bit of a logarithm. Large arrays can be made on a GPU from
the same words: see `grader.run.gpu.philox`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from math import prod
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from grader.core.errors import UsageError
from grader.problem.definition import Problem
from grader.problem.makers import (
    WIDE,
    Floats32,
    Maker,
    Words,
    far_below_zero,
    halves,
    lengths,
    near_lowest,
    normal,
    odd,
    odd_half,
    offset,
    one_of,
    oppose,
    overflowing,
    power_below_zero,
    signs,
    special,
    spread,
    wide,
    zeros_above,
)
from grader.problem.parameters import Array, DType, f16, f32
from grader.problem.structure import Draw
from grader.problem.values import ENDS, Values

Made = npt.NDArray[Any]


class Place(Protocol):
    """Where arrays are made: the array module, and how many words it processes at a time."""

    xp: Any
    chunk: int

    def words(self, key: int) -> Callable[[int], Any]:
        """The Philox stream of a 128-bit key: each call of the result gives the next `count` words."""


CHUNK = 1 << 18


class Host:
    """Makes NumPy arrays. The chunk is small enough that all intermediate arrays stay in a core's cache."""

    xp: Any = np
    chunk = CHUNK

    def words(self, key: int) -> Callable[[int], Any]:
        return np.random.Philox(key=key).random_raw


HOST = Host()

# The exact families use odd integers between 2^11 and 2^12: twelve significant bits, one more than TF32 and fp16 keep,
# so that rounding any element to either changes it. They are scaled by 2^-11 (a power of two preserves exactness),
# which keeps sums inside fp16's range: half precision shows as lost digits, not as infinity.
CONTRACTION_TERMS = 1024  # times 4095 stays below 2^22
TOTAL_TERMS = 2000  # times 4095 stays below 2^23

OFFSET = 4096.0
CONSTANTS = np.array((0.0, 1.0, -3.0, 0.5, 16.0), dtype=np.float32)
"""Values of constant rows under `scaled` gates: their sums are exact, so that such rows only test for 0 / 0."""
SMALL = 2.0**-9
"""Small values have squares near 10^-5, so that an epsilon added to their mean matters."""
PEAK = 200.0
"""How much the largest element of a row exceeds the others: the exponential of the difference overflows."""
STRIDES = (32, 64, 128, 256, 512, 1024)
"""Distances between the largest elements of a row: a single thread gets all of them, whatever its loop's stride."""
TEETH = 32
POWERS, LONG_ROW, LONG_POWERS = 16, 2048, 3
"""Rows of the "negative" family under `scaled` gates lie around -2^14 to -2^29, longer ones around -2^14 to -2^16 only.
Around larger powers few floats are near each other, and a sum of so many equal terms, one after the other, has rounding
errors that all point the same way."""

_TINY = (0.0, -0.0, 2.0**-149, -(2.0**-149), 1e-40, -1e-40, 2.0**-126, -(2.0**-126), 1e-30, -1e-30)
_NEAR_ONE = (2.0**-24, -(2.0**-24), 1e-4, -1e-4, 0.5, -0.5, 1.0, -1.0, 1.0 + 2.0**-23, 1.0 - 2.0**-24)
# Up to half the largest float, where the sum of two stays finite, and near the largest, where it does not.
_HUGE = (1.5 * 2.0**126, -1.5 * 2.0**126, 2.0**100, -(2.0**100), 16777215.0, -16777217.0, 3.4e38, -3.4e38)
SPECIALS: Mapping[str, Floats32] = {
    "elementwise": np.array(_TINY + _NEAR_ONE, dtype=np.float32),
    "exact": np.array(_TINY + _NEAR_ONE + _HUGE, dtype=np.float32),
}

NONFINITE = np.array((np.nan, np.inf, -np.inf, *_HUGE, 0.0, -0.0), dtype=np.float32)
"""Half of the values of the "nonfinite" family are from this table."""


def families(problem: Problem) -> tuple[str, ...]:
    """The input families that this problem's gates need, in the order in which cases take turns."""
    return problem.gates.families


def make_inputs(
    problem: Problem, sizes: Mapping[str, int], family: str, seed: int, place: Place = HOST
) -> dict[str, Made]:
    """All input arrays of one case by name, contiguous, in their declared types. Raises UsageError for an unknown
    family.
    """
    if family not in families(problem):
        raise UsageError(f"{problem.name} has no family of inputs {family!r}; it has {', '.join(families(problem))}")
    structured = make_structure(problem, sizes, family, seed)
    return {
        name: place.xp.asarray(structured[name])
        if name in structured
        else _make(problem, name, sizes, family, seed, place)
        for name in problem.inputs
    }


def make_structure(problem: Problem, sizes: Mapping[str, int], family: str, seed: int) -> dict[str, Made]:
    """The input arrays of one case made by `@problem.structure`, by name, in NumPy; empty if the problem has none."""
    if not problem.structured:
        return {}
    return problem.structure_of(Draw(_Words(HOST, seed, family, "structure").take), family, sizes)


def draw_scalars(problem: Problem, family: str, seed: int) -> dict[str, Any]:
    """The scalars of one case, by name."""
    return {
        name: scalar.draw(family, int(_Words(HOST, seed, family, name).take(1)[0]))
        for name, scalar in problem.scalars.items()
    }


def _make(problem: Problem, name: str, sizes: Mapping[str, int], family: str, seed: int, place: Place) -> Made:
    array = problem.inputs[name]
    shape = array.shape(sizes)
    words = _Words(place, seed, family, name, dtype=array.dtype)
    kind = problem.gates.kind
    bounded = values_of(array)
    if family == "constant" and len(shape) == max(len(other.dimensions) for other in problem.inputs.values()):
        if bounded is not None:
            return words.fill_rows(shape, bounded.maker("special", sizes))
        return words.fill_rows(shape, one_of(CONSTANTS) if kind == "scaled" else special(SPECIALS[kind]))
    if bounded is not None:
        made = words.fill(shape, bounded.maker(family, sizes))
        return _with_both_ends(made, bounded, sizes, words) if bounded.names else made
    if family == "negative":
        return _far_below_zero(shape, words) if kind == "exact" else _negative_rows(shape, words)
    if family in ENDS:
        return _at_an_end(shape, words, family, problem.gates.count_terms(sizes))
    if family == "peak":
        return _peaks(shape, words, array)
    if family == "comb":
        return _comb(shape, words, array)
    if family == "zeros":
        return words.fill(shape, zeros_above)
    if family == "halves":
        return _halves(shape, words)
    if family == "nonfinite":
        return words.fill(shape, special(NONFINITE))
    if family == "overflow":
        return words.fill(shape, overflowing)
    if family == "small":
        return words.fill(shape, normal(SMALL))
    if family == "opposed":
        return words.fill(shape, oppose(list(problem.operands).index(name)))
    if family == "exact":
        return _exact(problem, name, sizes, seed, words)
    if family in ("normal", "constant"):
        return words.fill(shape, normal(3.0 if kind == "elementwise" else 1.0))
    if family == "wide":
        return words.fill(shape, wide(WIDE.get(kind, 80.0)))
    if family == "offset":
        return words.fill(shape, offset(OFFSET))
    if family == "spread":
        return words.fill(shape, spread)
    return words.fill(shape, special(SPECIALS[kind]))


def values_of(array: Array) -> Values | None:
    """The range of an input: the declared one, else the whole range of its integer type; None for floats."""
    limits = array.dtype.limits
    return Values(*limits, whole=True) if array.values is None and limits else array.values


class _Words:
    """A stream of raw 64-bit words, keyed so that arrays, families and seeds are independent."""

    def __init__(self, place: Place, seed: int, *labels: str, dtype: DType = f32) -> None:
        digest = hashlib.blake2b("/".join((str(seed), *labels)).encode(), digest_size=16).digest()
        self.place = place
        self.dtype = dtype
        self.take = place.words(int.from_bytes(digest, "little"))

    def fill(self, shape: tuple[int, ...], make: Maker) -> Made:
        xp, chunk = self.place.xp, self.place.chunk
        flat: Made = xp.empty(prod(shape), dtype=self.dtype.numpy)
        for start in range(0, flat.size, chunk):
            part = flat[start : start + chunk]
            values = make(xp, self.take(part.size))
            part[:] = values if self.dtype.coded is None else self.dtype.coded.encode(values)
        return flat.reshape(shape)

    def fill_rows(self, shape: tuple[int, ...], make: Maker) -> Made:
        """Fills each row with one number."""
        rows = self.fill((*shape[:-1], 1), make)
        made: Made = self.place.xp.ascontiguousarray(self.place.xp.broadcast_to(rows, shape))
        return made


def _negative_rows(shape: tuple[int, ...], words: _Words) -> Made:
    """Rows of nearly normal values around a negative power of two, a different one for each row: a maximum initialised
    with any usual number exceeds all of them."""
    powers = words.fill_rows(shape, power_below_zero(LONG_POWERS if shape[-1] > LONG_ROW else POWERS))
    made: Made = powers + words.fill(shape, normal(1.0))
    return made


def _far_below_zero(shape: tuple[int, ...], words: _Words) -> Made:
    """Negative values from -10^30 down. Where there are rows, planes or sentences, those at places 1, 4, 7, ... are
    beside the lowest float, where a maximum that starts at -3 * 10^38 exceeds all of them, and those at 2, 5, 8 hold
    nothing else than that: three of them have all kinds, whatever the seed."""
    made: Made = words.fill(shape, far_below_zero)
    if len(shape) > 1:
        made[1::3] = words.fill(made[1::3].shape, near_lowest)
        made[2::3] = np.finfo(np.float32).min
    return made


def _at_an_end(shape: tuple[int, ...], words: _Words, family: str, terms: int) -> Made:
    """Values beside the lowest float or the highest one, divided by a power of two so that sums stay finite.

    Rows at places 2, 5, 8 hold nothing else than the end: who starts from it and takes what lies beyond takes none.
    """
    least = np.float32(2.0 ** -(terms - 1).bit_length() * (1 if family == "lowest" else -1))
    made: Made = words.fill(shape, lambda xp, drawn: near_lowest(xp, drawn) * least)
    if len(shape) > 1:
        made[2::3] = np.finfo(np.float32).min * least
    return made


def _with_both_ends(made: Made, bounded: Values, sizes: Mapping[str, int], words: _Words) -> Made:
    """Indices of which one is the least and one is the greatest, at any places; a single one is the greatest.

    Of a table whose size is at its end few indices may be drawn, but its last element is always used.
    """
    flat = made.reshape(-1)
    for end, word in zip(bounded.ends(sizes), words.take(2).tolist(), strict=True):
        flat[word % flat.size] = end
    return made


def _halves(shape: tuple[int, ...], words: _Words) -> Made:
    """Multiples of 1/2; of a matrix, half of the rows times a number of their own. Divided by that they are ties up to
    a rounding or two: another order of the operations decides otherwise."""
    made: Made = words.fill(shape, halves)
    return made if len(shape) == 1 else made * words.fill_rows(shape, lengths)


def _peaks(shape: tuple[int, ...], words: _Words, array: Array) -> Made:
    """Nearly normal rows with one large element each: the first, a random or the last one, in turn from any of these,
    so that three rows have all of them."""
    rows, xp = array.numbers(words.fill(shape, normal(1.0))).reshape(-1, shape[-1]), words.place.xp
    number = xp.arange(len(rows))
    place = (words.take(len(rows)) % np.uint64(shape[-1])).astype(np.int64)
    turn = (number + int(words.take(1)[0] >> np.uint64(32))) % 3
    place = xp.where(turn == 0, 0, xp.where(turn == 1, place, shape[-1] - 1))
    rows[number, place] += PEAK
    stored: Made = array.stored(rows)
    return stored.reshape(shape)


def _comb(shape: tuple[int, ...], words: _Words, array: Array) -> Made:
    """Nearly normal rows with several large elements: a power of two apart in every other row, adjacent in the rest.

    In every fourth row, from the first on, they are as far apart as a row can be that has all of them. Rows too short
    for any power have a single one, at a place divisible by 4: the best of some beams is one of those rows.
    """
    rows, length = array.numbers(words.fill(shape, normal(1.0))).reshape(-1, shape[-1]), shape[-1]
    strides = [stride for stride in STRIDES if stride * TEETH <= 4 * length]
    drawn, first = (int(word >> np.uint64(32)) for word in words.take(2))
    stride = strides[drawn % len(strides)] if strides else length
    widest = max((wide for wide in strides if wide * TEETH <= length), default=stride)
    first = first if strides else first % length // 4 * 4
    rows[::4, first % widest :: widest][:, :TEETH] += PEAK
    rows[2::4, first % stride :: stride][:, :TEETH] += PEAK
    rows[1::2, first % length :][:, :TEETH] += PEAK
    stored: Made = array.stored(rows)
    return stored.reshape(shape)


def _exact(problem: Problem, name: str, sizes: Mapping[str, int], seed: int, words: _Words) -> Made:
    """One input of the exact family: every partial sum, in any order, is a multiple of 2^-11 below 2^13.

    Such a number fits in a float's 24 bits. A contraction has odd integers in one array and -1, 0, 1 in the other (the
    seed chooses which); a total has odd integers and 0. Zeros keep long sums in bounds.
    """
    terms = problem.gates.count_terms(sizes)
    integers = odd_half if problem.inputs[name].dtype is f16 else odd
    if problem.gates.kind == "total":
        return _thinned(problem, name, sizes, integers, TOTAL_TERMS / terms, words)
    odd_array = list(problem.operands)[int(_Words(HOST, seed, "role").take(1)[0] & np.uint64(1))]
    if name == odd_array:
        return words.fill(problem.inputs[name].shape(sizes), integers)
    return _thinned(problem, name, sizes, signs, CONTRACTION_TERMS / terms, words)


def _thinned(problem: Problem, name: str, sizes: Mapping[str, int], make: Maker, density: float, words: _Words) -> Made:
    """Values of which only the fraction `density` is nonzero; the first and last along a summed dimension always are,

    because kernels with a wrong bound leave out or double those.
    """
    shape = problem.inputs[name].shape(sizes)
    if density >= 1.0:
        return words.fill(shape, make)
    limit = np.uint64(int(density * 2.0**31))

    def thin(xp: Any, drawn: Words) -> Any:
        # Bits 32 to 62 choose; the values are made from other bits.
        chosen = (drawn >> np.uint64(32) & np.uint64(2**31 - 1)) < limit
        return xp.where(chosen, make(xp, drawn), np.float32(0.0))

    values = words.fill(shape, thin)
    for axis, dimension in enumerate(problem.inputs[name].dimensions):
        if dimension in problem.gates.terms:
            for end in (0, shape[axis] - 1):
                edge = (slice(None),) * axis + (slice(end, end + 1),)
                values[edge] = words.fill(values[edge].shape, make)
    return values
