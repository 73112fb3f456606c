"""The matrices of `mma` and `wmma`: shapes, element types, and which thread holds which element.

Every fragment consists of tiles of 8 lines. Lane 4 g + t of a warp holds a word (32 bits, 64 for f64) of line g of each
tile: the t-th of its four words. The lines of A are its rows and those of B its columns, so that words lie along k. An
accumulator's tile is 8 x 8, and lane 4 g + t holds elements 2 t and 2 t + 1 of row g. The PTX ISA specifies this for
`mma` ("Matrix Fragments for mma.m16n8k16" and its kin). For `wmma` it specifies nothing; this is what GPUs from compute
capability 7.5 on do. m8n32k16 is m32n8k16 with A and B exchanged and all three matrices transposed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grader.run.emulator.native.minifloat import BF16, E4M3, E5M2, F16, Format

TILE = 8


@dataclass(frozen=True)
class Element:
    """An element type.

    `kind` is float, int or bits (a word of bits counts as one element); `form` describes a narrow float.
    """

    name: str
    bits: int
    kind: str
    signed: bool = False
    form: Format | None = None

    @property
    def word(self) -> int:
        """Bits of the register that holds it."""
        return max(self.bits, 32)

    @property
    def per_word(self) -> int:
        return 1 if self.kind == "bits" else self.word // self.bits


_FORMS = {"f16": F16, "bf16": BF16, "e4m3": E4M3, "e5m2": E5M2}
ELEMENTS = {
    element.name: element
    for element in (
        *(Element(name, 1 + form.exponent + form.fraction, "float", form=form) for name, form in _FORMS.items()),
        *(Element(name, bits, "float") for name, bits in (("tf32", 32), ("f32", 32), ("f64", 64))),
        *(Element(f"{sign}{bits}", bits, "int", sign == "s") for sign in "su" for bits in (4, 8)),
        Element("s32", 32, "int", True),
        Element("b1", 1, "bits"),
    )
}

_BYTES = ("m8n8k16", "m16n8k16", "m16n8k32")
_NIBBLES = ("m8n8k32", "m16n8k32", "m16n8k64")
_EIGHTHS = ("m16n8k16", "m16n8k32")
_HALVES = ("m16n8k8", "m16n8k16")
_LARGE = ("m16n16k16", "m32n8k16", "m8n32k16")
SHAPES: dict[str, dict[str, tuple[str, ...]]] = {
    "mma": {
        "f16": _HALVES,
        "bf16": _HALVES,
        "tf32": ("m16n8k4", "m16n8k8"),
        "f64": ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"),
        "e4m3": _EIGHTHS,
        "e5m2": _EIGHTHS,
        "s8": _BYTES,
        "u8": _BYTES,
        "s4": _NIBBLES,
        "u4": _NIBBLES,
        "b1": ("m8n8k128", "m16n8k128", "m16n8k256"),
    },
    "wmma": {
        "f16": _LARGE,
        "bf16": _LARGE,
        "tf32": ("m16n16k8",),
        "f64": ("m8n8k4",),
        "s8": _LARGE,
        "u8": _LARGE,
        "s4": ("m8n8k32",),
        "u4": ("m8n8k32",),
        "b1": ("m8n8k128",),
    },
}
"""The shapes that exist, by the element type of A."""
_ACCUMULATORS = {"f64": ("f64",), "f16": ("f16", "f32"), "e4m3": ("f16", "f32"), "e5m2": ("f16", "f32")}


@dataclass(frozen=True)
class Tile:
    """8 lines from `line` on, and their words from element `start` on; `register` holds the first word."""

    register: int
    line: int
    start: int


@dataclass(frozen=True)
class Fragment:
    """A matrix of `lines` lines of `length` elements, in registers; `tiles` are in register order.

    Each tile takes `per_tile` registers; the whole fragment is held `copies` times.
    """

    element: Element
    lines: int
    length: int
    tiles: tuple[Tile, ...]
    per_tile: int = 1
    copies: int = 1

    @property
    def registers(self) -> int:
        return len(self.tiles) * self.per_tile * self.copies


@dataclass(frozen=True)
class Product:
    """D = A B + C of an instruction: m x n x k, element types, and how bits are combined ("and", "xor" or none)."""

    m: int
    n: int
    k: int
    a: Element
    b: Element
    c: Element
    d: Element
    saturate: bool = False
    combine: str = ""

    @property
    def name(self) -> str:
        types = "_".join(e.name for e in (self.d, self.a, self.b, self.c))
        return f"mma_m{self.m}n{self.n}k{self.k}_{types}{'_sat' * self.saturate}{self.combine and '_' + self.combine}"


def has_shape(opcode: str, operand: Element, shape: tuple[int, int, int]) -> bool:
    """Returns whether `opcode` (mma or wmma) has the shape (m, n, k) for this element type of A."""
    m, n, k = shape
    return f"m{m}n{n}k{k}" in SHAPES[opcode].get(operand.name, ())


def can_accumulate(operand: Element, sum_: Element) -> bool:
    """Returns whether products of such elements can be accumulated in type `sum_`."""
    default = ("s32",) if operand.kind != "float" else ("f32",)
    return sum_.name in _ACCUMULATORS.get(operand.name, default)


def left_fragment(element: Element, rows: int, k: int, copies_to: int = 0) -> Fragment:
    """Returns the fragment of A, or of anything whose lines come in pairs of tiles.

    Registers hold the tiles of 16 rows first, then their next columns.
    """
    pairs = [range(first, min(first + 2 * TILE, rows), TILE) for first in range(0, rows, 2 * TILE)]
    places = [(line, start) for pair in pairs for start in _starts(element, k) for line in pair]
    return _fragment(element, rows, k, places, copies_to)


def right_fragment(element: Element, columns: int, k: int, copies_to: int = 0) -> Fragment:
    """Returns the fragment of B: registers hold all of eight columns first, then the next eight."""
    places = [(line, start) for line in range(0, columns, TILE) for start in _starts(element, k)]
    return _fragment(element, columns, k, places, copies_to)


def accumulator(element: Element, m: int, n: int) -> Fragment:
    """Returns the fragment of C or D: registers hold all rows of eight columns first, then the next eight."""
    per_tile = 1 if element.bits < 32 else 2
    places = [(line, start) for start in range(0, n, TILE) for line in range(0, m, TILE)]
    tiles = tuple(Tile(index * per_tile, line, start) for index, (line, start) in enumerate(places))
    return Fragment(element, m, n, tiles, per_tile)


def _starts(element: Element, k: int) -> range:
    bits = 1 if element.kind == "bits" else element.bits
    return range(0, k, 4 * element.word // bits)


def _fragment(element: Element, lines: int, k: int, places: Iterable[tuple[int, int]], copies_to: int) -> Fragment:
    tiles = tuple(Tile(index, line, start) for index, (line, start) in enumerate(places))
    return Fragment(element, lines, k, tiles, 1, max(copies_to // len(tiles), 1))
