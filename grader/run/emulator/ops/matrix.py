"""Matrix products of a warp: mma and wmma (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions").

translate/convergence.py has brought all 32 lanes together before. This module decodes the instructions; the arithmetic
is in native/matrix_product.py, the memory accesses in native/matrix_memory.py.
"""

from __future__ import annotations

import re

from grader.run.emulator.native.ir import V, splat
from grader.run.emulator.native.matrix_access import Watch, record
from grader.run.emulator.native.matrix_memory import Matrix, matrix_routine
from grader.run.emulator.native.matrix_product import product_routine
from grader.run.emulator.native.matrix_shapes import (
    ELEMENTS,
    Element,
    Fragment,
    Product,
    accumulator,
    can_accumulate,
    has_shape,
    left_fragment,
    right_fragment,
)
from grader.run.emulator.native.records import SITE_MASK
from grader.run.emulator.ops.common import Row
from grader.run.emulator.ops.memory import state_space
from grader.run.emulator.ptx.syntax import Group, Instruction, Operand
from grader.run.emulator.ptx.traits import MatrixRole, Memory, Traits
from grader.run.emulator.ptx.types import B32, B64
from grader.run.emulator.translate.emitter import Emitter

_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
_COMMON = {"sync", "aligned", "row", "col", *ELEMENTS}
SPACES = {"global", "shared", "shared::cta"}
_ARITHMETIC = {*_COMMON, "satfinite", "xor", "and", "popc", "rn"}
_WMMA_HALF_REGISTERS = 8
"""wmma holds A and B of f16 in eight registers for every shape: a relic of compute capability 7.0."""
Shape = tuple[int, int, int]


def _shape(i: Instruction) -> Shape:
    m, n, k = next(match.groups() for modifier in i.modifiers if (match := _SHAPE.fullmatch(modifier)))
    return int(m), int(n), int(k)


def _require_known(e: Emitter, i: Instruction, known: set[str]) -> None:
    """Refuses an instruction with modifiers that would be ignored."""
    if any(m not in known and not _SHAPE.fullmatch(m) for m in i.modifiers) or "sync" not in i.modifiers:
        raise e.unsupported()


def _elements(i: Instruction) -> list[Element]:
    return [ELEMENTS[modifier] for modifier in i.modifiers if modifier in ELEMENTS]


def _is_transposed(shape: Shape) -> bool:
    """Returns whether the instruction is computed as its transpose, because its A has too few rows."""
    return shape[:2] == (8, 32)


def _read_words(e: Emitter, operand: Operand, fragment: Fragment) -> list[V]:
    """Reads the words of a fragment, leaving out all but the first of its copies."""
    assert isinstance(operand, Group)
    if len(operand.items) != fragment.registers:
        raise e.unsupported()
    kind = B64 if fragment.element.word == 64 else B32
    return [e.read(item, kind) for item in operand.items[: len(fragment.tiles) * fragment.per_tile]]


def _write_words(e: Emitter, operand: Operand, fragment: Fragment, result: str) -> None:
    assert isinstance(operand, Group)
    if len(operand.items) != fragment.registers:
        raise e.unsupported()
    t = f"i{fragment.element.word}"
    returns = record(t, fragment.registers)
    for index, item in enumerate(operand.items):
        e.write(item, V(t, e.f.let(f"extractvalue {returns} {result}, {index}")))


# Products


def multiply(e: Emitter, i: Instruction) -> None:
    _require_known(e, i, _ARITHMETIC)
    if "row" not in i.modifiers or "col" not in i.modifiers:
        raise e.unsupported()
    d, a, b, c = _elements(i)
    _multiply(e, i, (d, a, b, c), 0)


def wmma(e: Emitter, i: Instruction) -> None:
    """Emits wmma.load, wmma.store or wmma.mma."""
    if "load" in i.modifiers:
        _require_known(e, i, {*_COMMON, *SPACES, "load", "a", "b", "c"})
        _load(e, i)
    elif "store" in i.modifiers:
        _require_known(e, i, {*_COMMON, *SPACES, "store", "d"})
        _store(e, i)
    else:
        _require_known(e, i, {*_ARITHMETIC, "mma"})
        elements = _elements(i)
        half = ELEMENTS["f16"]
        d, a, b, c = (elements[0], half, half, elements[1]) if len(elements) == 2 else elements
        _multiply(e, i, (d, a, b, c), _copies_to(a))


def _copies_to(element: Element) -> int:
    return _WMMA_HALF_REGISTERS if element.name == "f16" else 0


def _multiply(e: Emitter, i: Instruction, elements: tuple[Element, Element, Element, Element], copies: int) -> None:
    shape = _shape(i)
    d, a, b, c = elements
    kinds = (a.kind, a.bits) == (b.kind, b.bits) and (a.form is None or a.bits == 8 or a == b)
    if not (kinds and has_shape(i.opcode, a, shape) and can_accumulate(a, d) and can_accumulate(a, c)):
        raise e.unsupported()
    combine = next((m for m in i.modifiers if m in ("xor", "and")), "")
    if (a.kind == "bits") != bool(combine):
        raise e.unsupported()
    saturate = "satfinite" in i.modifiers
    if saturate and d.kind != "int":
        raise e.unsupported()
    operands = list(i.operands[1:])
    m, n, k = shape
    if _is_transposed(shape):
        m, n, a, b = n, m, b, a
        operands[:2] = reversed(operands[:2])
    product = Product(m, n, k, a, b, c, d, saturate, combine)
    fragments = (left_fragment(a, m, k, copies), right_fragment(b, n, k, copies), accumulator(c, m, n))
    words = [
        word
        for operand, fragment in zip(operands, fragments, strict=True)
        for word in _read_words(e, operand, fragment)
    ]
    result = accumulator(d, m, n)
    routine = product_routine(e.f.module, product)
    returns = record(f"i{d.word}", result.registers)
    _write_words(e, i.operands[0], result, e.f.call(routine, returns, [str(word) for word in words]))


# Memory


def watch_access(e: Emitter, site: int) -> Watch:
    """Returns the race checks, counting and journal that accompany an access."""
    checks = e.checks if site <= SITE_MASK else None
    granules = None if checks is None else (checks.shared_granule, checks.global_granule)
    return Watch(granules, e.counting is not None, e.recorder is not None)


def memory_arguments(e: Emitter, address: Operand, site: int, store: bool, space: str, width: int) -> list[str]:
    """Returns the first arguments of the routines that access memory, `width` bytes of a lane at a time."""
    given = ["ptr %ctx", "ptr %warp", str(e.address(address)), f"i32 {e.mask_bits}", f"i32 {site}"]
    if e.counting is not None:
        given.append(f"i64 {e.counting.row}")
    if e.recorder is not None:
        given.append(f"i32 {e.recorder.site_of_access(store, space, width)}")
    return given


def _matrix_arguments(e: Emitter, address: Operand, site: int, matrix: Matrix, pitch: V) -> list[str]:
    width = matrix.fragment.element.word // 8
    return [*memory_arguments(e, address, site, matrix.store, matrix.space, width), str(pitch)]


def _in_memory(e: Emitter, i: Instruction, letter: str, store: bool, site: int) -> Matrix:
    """Returns the matrix that wmma.load or wmma.store moves; raises UnsupportedPtx for what does not exist."""
    m, n, k = shape = _shape(i)
    (element,) = _elements(i)
    copies = _copies_to(element)
    rows = "row" in i.modifiers
    left = (letter == "a") != _is_transposed(shape)
    if letter in "ab":
        if not has_shape("wmma", element, shape) or (element.bits < 8 and rows != (letter == "a")):
            raise e.unsupported()
        lines = m if letter == "a" else n
        fragment = (left_fragment if left else right_fragment)(element, lines, k, copies)
        along = rows == (letter == "a")
    else:
        fragment = accumulator(element, n, m) if _is_transposed(shape) else accumulator(element, m, n)
        along = rows != _is_transposed(shape)
    side = f"{'ab'[not left] if letter in 'ab' else 'c'}_{element.name}_{fragment.lines}x{fragment.length}"
    return Matrix(fragment, side, state_space(i), along, store, watch_access(e, site))


def _pitch(e: Emitter, matrix: Matrix, stride: Operand | None) -> V:
    """Returns the bytes from one line of memory to the next."""
    f, fragment = e.f, matrix.fragment
    if stride is None:
        elements = splat("i64", fragment.length if matrix.along else fragment.lines)
    else:
        elements = f.cast("zext", e.read(stride, B32), "i64")
    bits = 1 if fragment.element.kind == "bits" else fragment.element.bits
    return f.op("lshr", f.op("mul", elements, splat("i64", bits)), splat("i64", 3))


def _load(e: Emitter, i: Instruction) -> None:
    site = e.site()
    matrix = _in_memory(e, i, next(m for m in i.modifiers if m in ("a", "b", "c")), False, site)
    pitch = _pitch(e, matrix, i.operands[2] if len(i.operands) > 2 else None)
    fragment = matrix.fragment
    returns = record(f"i{fragment.element.word}", fragment.registers)
    given = _matrix_arguments(e, i.operands[1], site, matrix, pitch)
    _write_words(e, i.operands[0], fragment, e.f.call(matrix_routine(e.f.module, matrix), returns, given))


def _store(e: Emitter, i: Instruction) -> None:
    site = e.site()
    matrix = _in_memory(e, i, "d", True, site)
    pitch = _pitch(e, matrix, i.operands[2] if len(i.operands) > 2 else None)
    words = _read_words(e, i.operands[1], matrix.fragment)
    given = [*_matrix_arguments(e, i.operands[0], site, matrix, pitch), *(str(word) for word in words)]
    e.f.call(matrix_routine(e.f.module, matrix), "void", given)


def matrix_traits(matrix: MatrixRole, memory: Memory = Memory.NONE) -> Traits:
    """Returns the traits of an instruction that takes all lanes of a warp together, without a mask that names them."""
    return Traits(matrix=matrix, memory=memory, synchronises=True, silent=True)


TABLE = {
    ("mma", ""): Row(multiply, matrix_traits(MatrixRole.PRODUCT)),
    ("wmma", ""): Row(wmma, matrix_traits(MatrixRole.PRODUCT)),
    ("wmma.load", ""): Row(wmma, matrix_traits(MatrixRole.FRAGMENT, Memory.LOAD)),
    ("wmma.store", ""): Row(wmma, matrix_traits(MatrixRole.FRAGMENT, Memory.STORE)),
}
