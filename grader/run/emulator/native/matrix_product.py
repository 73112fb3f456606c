"""The arithmetic of `mma` and `wmma.mma`: D = A B + C of a warp's fragments, one routine per shape and type.

Products are exact. Each element of D starts as that of C and accumulates the products in the order of k. Floats
accumulate in f64, and the result is rounded once, to nearest even, to the type of D. For f16, bf16, tf32 and the 8-bit
floats this is the exact sum, except for what lies 2^53 below its largest term. A GPU aligns the terms of a few k to the
largest one and truncates some bits below those of f32, so that its sums may differ in the last bits (Fasi et al.,
"Numerical behavior of NVIDIA tensor cores", 2021). f64 is a chain of fused multiply-adds. Integers are exact, wrapped
to 32 bits or, with .satfinite, clamped. tf32 ignores the low 13 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from grader.run.emulator.native.ir import LANES, IrFunction, IrModule, V, bits_of, splat
from grader.run.emulator.native.matrix_lanes import LINES, WORDS, by_word, load_pairs, store_pairs
from grader.run.emulator.native.matrix_shapes import (
    TILE,
    Element,
    Fragment,
    Product,
    accumulator,
    left_fragment,
    right_fragment,
)
from grader.run.emulator.native.minifloat import F16, narrow_double, widen

_NAN = 0x7FFFFFFF
_TF32_BITS = -(1 << 13)
_TILE_ELEMENTS = TILE * TILE


def product_routine(module: IrModule, product: Product) -> str:
    """Returns the routine `(words of A…, of B…, of C…) -> {words of D…}`, defining it on first use."""

    def build(owner: IrModule, name: str) -> IrFunction:
        return _Body(owner, name, product).emit()

    return module.routine(product.name, build)


def vector_type(fragment: Fragment) -> str:
    """Returns the LLVM type of one register of a fragment, for all lanes."""
    return f"<{LANES} x i{fragment.element.word}>"


class _Body:
    def __init__(self, owner: IrModule, name: str, product: Product) -> None:
        self.product = product
        self.a = left_fragment(product.a, product.m, product.k)
        self.b = right_fragment(product.b, product.n, product.k)
        self.c = accumulator(product.c, product.m, product.n)
        self.d = accumulator(product.d, product.m, product.n)
        arguments = [
            (vector_type(fragment), f"{side}{register}")
            for side, fragment in (("left", self.a), ("right", self.b), ("sum", self.c))
            for register in range(fragment.registers)
        ]
        returns = "{ " + ", ".join([vector_type(self.d)] * self.d.registers) + " }"
        self.f = IrFunction(owner, name, returns, arguments, attributes="nounwind noinline")
        self.returns = returns
        self.t = "double" if product.d.kind == "float" else "i64" if product.saturate else "i32"
        self.size = bits_of(self.t) // 8

    def emit(self) -> IrFunction:
        left = self._spill("left", self.a, turned=False)
        right = self._spill("right", self.b, turned=True)
        sums = self._start()
        self._each(TILE, lambda line: self._multiply(line, left, right, sums))
        self._return(sums)
        return self.f

    def _each(self, count: int, body: Callable[[str], None]) -> None:
        """Emits a loop, to keep the routine small; `body` emits straight-line code for a round (its number, an i64)."""
        f = self.f
        head, after, before = f.name_block("each"), f.name_block("after"), f.current
        f.goto(head)
        f.block(head)
        index = f.let(f"phi i64 [ 0, %{before} ], [ %{head}.next, %{head} ]")
        body(index)
        f.do(f"%{head}.next = add i64 {index}, 1")
        f.branch(f.let(f"icmp eq i64 %{head}.next, {count}"), after, head)
        f.block(after)

    def _place(self, index: str, each: int, more: int = 0) -> str:
        """Returns the byte offset of element `index`, `each` bytes per element, plus `more` bytes."""
        return self.f.let(f"add i64 {self.f.let(f'mul i64 {index}, {each}')}, {more}")

    # Fragments as numbers

    def _words(self, side: str, fragment: Fragment) -> str:
        """Spills the registers of a fragment, 32 words each; returns the buffer."""
        f = self.f
        t = f"i{fragment.element.word}"
        buffer = f.alloca(f"[{fragment.registers * LANES} x {t}]")
        for register in range(fragment.registers):
            f.store_lanes(V(t, f"%{side}{register}"), buffer, register * LANES * fragment.element.word // 8)
        return buffer

    def _word(self, fragment: Fragment, words: str, index: str, register: int = 0) -> V:
        """Loads register `register` of tile `index`."""
        each = LANES * fragment.element.word // 8
        place = self._place(index, fragment.per_tile * each, register * each)
        return self.f.load_lanes(f"i{fragment.element.word}", words, place)

    def _spill(self, side: str, fragment: Fragment, turned: bool) -> str:
        """Spills the elements of A or B as numbers, 32 for each element of a word; returns the buffer."""
        f, element = self.f, fragment.element
        each, words = element.per_word, self._words(side, fragment)
        buffer = f.alloca(f"[{len(fragment.tiles) * each * LANES} x {self.t}]")

        def spill(index: str) -> None:
            word = self._word(fragment, words, index)
            word = by_word(f, word) if turned else word
            for e in range(each):
                place = self._place(index, each * LANES * self.size, e * LANES * self.size)
                f.store_lanes(self._number(element, word, e), buffer, place)

        self._each(len(fragment.tiles), spill)
        return buffer

    def _start(self) -> str:
        """Spills the elements of C as numbers, tile by tile and within a tile row by row; returns the buffer."""
        f, element = self.f, self.c.element
        words = self._words("sum", self.c)
        sums = f.alloca(f"[{self.product.m * self.product.n} x {self.t}]")

        def start(index: str) -> None:
            first = self._word(self.c, words, index)
            if self.c.per_tile == 1:
                pair = [self._number(element, first, e) for e in range(2)]
            else:
                pair = [self._number(element, word, 0) for word in (first, self._word(self.c, words, index, 1))]
            store_pairs(f, pair[0], pair[1], sums, self._place(index, _TILE_ELEMENTS * self.size))

        self._each(len(self.c.tiles), start)
        return sums

    def _number(self, element: Element, word: V, e: int) -> V:
        """Returns element `e` of each lane's word, in the type of the accumulators."""
        f = self.f
        if element.kind == "bits":
            return word
        if element.kind == "int":
            return self._integer(element, word, e)
        if element.name == "f64":
            return f.bitcast(word, "double")
        if element.form is not None:
            bits = f.op("lshr", word, splat("i32", e * element.bits)) if e else word
            bits = f.op("and", bits, splat("i32", (1 << element.bits) - 1))
            return f.cast("fpext", widen(f, bits, element.form), "double")
        if element.name == "tf32":
            word = f.op("and", word, splat("i32", _TF32_BITS))
        return f.cast("fpext", f.bitcast(word, "float"), "double")

    def _integer(self, element: Element, word: V, e: int) -> V:
        f = self.f
        above = 32 - element.bits * (e + 1)
        high = f.op("shl", word, splat("i32", above)) if above else word
        if element.bits < 32:
            high = f.op("ashr" if element.signed else "lshr", high, splat("i32", 32 - element.bits))
        return f.cast("sext", high, self.t)

    def _return(self, sums: str) -> None:
        f, t, each = self.f, f"i{self.d.element.word}", LANES * self.d.element.word // 8
        buffer = f.alloca(f"[{self.d.registers * LANES} x {t}]")

        def finish(index: str) -> None:
            pair = load_pairs(f, self.t, sums, self._place(index, _TILE_ELEMENTS * self.size))
            words = [self._rounded(value) for value in pair]
            if self.d.per_tile == 1:
                words = [f.op("or", words[0], f.op("shl", words[1], splat("i32", self.d.element.bits)))]
            for register, word in enumerate(words):
                f.store_lanes(word, buffer, self._place(index, len(words) * each, register * each))

        self._each(len(self.d.tiles), finish)
        packed = "poison"
        for register in range(self.d.registers):
            word = f.load_lanes(t, buffer, register * each)
            packed = f.let(f"insertvalue {self.returns} {packed}, {word}, {register}")
        f.do(f"ret {self.returns} {packed}")

    def _rounded(self, value: V) -> V:
        """Rounds accumulators to words of D."""
        f, element = self.f, self.product.d
        if element.kind == "int":
            if self.product.saturate:
                value = f.map("llvm.smax", value, splat("i64", -(1 << 31)))
                value = f.map("llvm.smin", value, splat("i64", (1 << 31) - 1))
            return f.cast("trunc", value, "i32")
        if element.name == "f64":
            return f.bitcast(value, "i64")
        if element.name == "f16":
            return narrow_double(f, value, F16)
        bits = f.bitcast(f.cast("fptrunc", value, "float"), "i32")
        return f.select(f.compare("fcmp uno", value, value), splat("i32", _NAN), bits)

    # The product

    def _multiply(self, line: str, left: str, right: str, sums: str) -> None:
        """Multiplies one line of all tiles of A into its rows of D, which are vectors of eight columns."""
        f, size = self.f, self.size
        row = f"<{TILE} x {self.t}>"
        numbers = f.field(left, f.let(f"mul i64 {line}, {WORDS * size}"))
        rows = f.field(sums, f.let(f"mul i64 {line}, {TILE * size}"))
        places = [(tile.line, tile.start) for tile in self.c.tiles]
        totals = {place: f.load(row, rows, index * _TILE_ELEMENTS * size) for index, place in enumerate(places)}
        rights = {(tile.line, tile.start): tile.register for tile in self.b.tiles}
        lefts = {(tile.line, tile.start): tile.register for tile in self.a.tiles}
        for start, word, e in self._order():
            across = {
                n: f.load(row, right, ((rights[n, start] * self.b.element.per_word + e) * LANES + word * LINES) * size)
                for n in range(0, self.product.n, TILE)
            }
            for m in range(0, self.product.m, TILE):
                offset = ((lefts[m, start] * self.a.element.per_word + e) * LANES + word) * size
                one = f.let(f"insertelement {row} poison, {self.t} {f.load(self.t, numbers, offset)}, i32 0")
                same = f.let(f"shufflevector {row} {one}, {row} poison, <{TILE} x i32> zeroinitializer")
                for n, column in across.items():
                    totals[m, n] = self._add(totals[m, n], same, column)
        for index, place in enumerate(places):
            f.store(row, totals[place], rows, index * _TILE_ELEMENTS * size)

    def _order(self) -> Iterator[tuple[int, int, int]]:
        """Yields (first element of the tile, word, element of the word) in the order of k."""
        for start in sorted({tile.start for tile in self.a.tiles}):
            for word in range(WORDS):
                for e in range(self.a.element.per_word):
                    yield start, word, e

    def _add(self, total: str, a: str, b: str) -> str:
        f, row = self.f, f"<{TILE} x {self.t}>"
        if self.product.combine:
            both = f.let(f"{self.product.combine} {row} {a}, {b}")
            count = f.intrinsic(f"llvm.ctpop.v{TILE}{self.t}", row, [f"{row} {both}"])
            return f.let(f"add {row} {total}, {count}")
        if self.t == "double":
            # If the product is exact, fusing changes nothing and LLVM may choose; f64 requires it.
            name = "llvm.fma" if self.product.a.name == "f64" else "llvm.fmuladd"
            return f.intrinsic(f"{name}.v{TILE}f64", row, [f"{row} {value}" for value in (a, b, total)])
        return f.let(f"add {row} {total}, {f.let(f'mul {row} {a}, {b}')}")
