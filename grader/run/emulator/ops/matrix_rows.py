"""8 x 8 matrices of 16-bit elements: loaded, stored and transposed by ldmatrix, stmatrix and movmatrix.

translate/convergence.py has brought all 32 lanes together before.
"""

from __future__ import annotations

from grader.run.emulator.native.ir import V
from grader.run.emulator.native.matrix_access import record
from grader.run.emulator.native.matrix_lanes import transpose_tile
from grader.run.emulator.native.matrix_rows import WORD_BYTES, Rows, rows_routine
from grader.run.emulator.ops.common import Row
from grader.run.emulator.ops.matrix import SPACES, matrix_traits, memory_arguments, watch_access
from grader.run.emulator.ops.memory import state_space
from grader.run.emulator.ptx.syntax import Group, Instruction, Operand
from grader.run.emulator.ptx.traits import MatrixRole, Memory
from grader.run.emulator.ptx.types import B32
from grader.run.emulator.translate.emitter import Emitter

_MATRICES = {"x1": 1, "x2": 2, "x4": 4}


def _rows(e: Emitter, i: Instruction, store: bool, site: int) -> Rows:
    if not set(i.modifiers) <= {"sync", "aligned", "m8n8", "b16", "trans", *_MATRICES, *SPACES} - {"global"}:
        raise e.unsupported()
    count = next(_MATRICES[m] for m in i.modifiers if m in _MATRICES)
    return Rows(count, "trans" in i.modifiers, state_space(i), store, watch_access(e, site))


def _items(e: Emitter, operand: Operand, count: int) -> tuple[Operand, ...]:
    items = operand.items if isinstance(operand, Group) else (operand,)
    if len(items) != count:
        raise e.unsupported()
    return items


def _arguments(e: Emitter, address: Operand, site: int, rows: Rows) -> list[str]:
    return memory_arguments(e, address, site, rows.store, rows.space, WORD_BYTES)


def load_rows(e: Emitter, i: Instruction) -> None:
    site = e.site()
    rows = _rows(e, i, False, site)
    returns = record("i32", rows.count)
    result = e.f.call(rows_routine(e.f.module, rows), returns, _arguments(e, i.operands[1], site, rows))
    for index, item in enumerate(_items(e, i.operands[0], rows.count)):
        e.write(item, V("i32", e.f.let(f"extractvalue {returns} {result}, {index}")))


def store_rows(e: Emitter, i: Instruction) -> None:
    site = e.site()
    rows = _rows(e, i, True, site)
    words = [str(e.read(item, B32)) for item in _items(e, i.operands[1], rows.count)]
    e.f.call(rows_routine(e.f.module, rows), "void", [*_arguments(e, i.operands[0], site, rows), *words])


def transpose(e: Emitter, i: Instruction) -> None:
    if set(i.modifiers) != {"sync", "aligned", "m8n8", "trans", "b16"}:
        raise e.unsupported()
    e.write(i.operands[0], transpose_tile(e.f, e.read(i.operands[1], B32), 2))


TABLE = {
    ("ldmatrix", ""): Row(load_rows, matrix_traits(MatrixRole.ROWS, Memory.LOAD)),
    ("stmatrix", ""): Row(store_rows, matrix_traits(MatrixRole.ROWS, Memory.STORE)),
    ("movmatrix", ""): Row(transpose, matrix_traits(MatrixRole.ROWS)),
}
