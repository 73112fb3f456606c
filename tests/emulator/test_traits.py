"""Opcodes are known by name in their family alone: all others ask for traits, which the rows there give."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

import grader
from grader.run.emulator.ops import find_handler
from grader.run.emulator.ptx import traits
from grader.run.emulator.ptx.syntax import Instruction
from grader.run.emulator.ptx.traits import Barrier, Flow, MatrixRole, Memory, traits_of

ROOT = Path(grader.__file__).parent
FAMILIES = ROOT / "run" / "emulator" / "ops"
BY_NAME = re.compile(
    r"""opcode (not )?in\b|opcode [!=]= ?["'A-Z]|opcode\.startswith\(["'][a-z]|["'][a-z]+["'] [!=]= \w+\.opcode"""
)


def test_nobody_outside_of_the_families_asks_for_an_opcode_by_name() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in ROOT.rglob("*.py")
        if FAMILIES not in path.parents
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if BY_NAME.search(line)
    ]
    assert not found


@pytest.mark.parametrize(
    "text", ['if i.opcode == "ld":', "i.opcode in LOADS", "row.opcode not in _PURE", '"ld" == i.opcode']
)
def test_such_a_question_would_be_found(text: str) -> None:
    assert BY_NAME.search(text)


@pytest.mark.parametrize(
    ("text", "barrier", "synchronises"),
    [
        ("bar.sync", Barrier.BLOCK, False),
        ("barrier.cta.red.popc.u32", Barrier.BLOCK, False),
        ("bar.warp.sync", Barrier.WARP, True),
        ("shfl.sync.down.b32", Barrier.NONE, True),
        ("shfl.down.b32", Barrier.NONE, False),
    ],
)
def test_a_row_with_a_modifier_has_precedence(text: str, barrier: Barrier, synchronises: bool) -> None:
    opcode, *modifiers = text.split(".")
    found = traits_of(opcode, tuple(modifiers))
    assert (found.barrier, found.synchronises) == (barrier, synchronises)


@pytest.mark.parametrize(
    ("text", "memory", "matrix"),
    [
        ("wmma.load.a.sync.aligned.row.m16n16k16.global.f16", Memory.LOAD, MatrixRole.FRAGMENT),
        ("wmma.store.d.sync.aligned.row.m16n16k16.global.f32", Memory.STORE, MatrixRole.FRAGMENT),
        ("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", Memory.NONE, MatrixRole.PRODUCT),
        ("ldmatrix.sync.aligned.m8n8.x4.shared.b16", Memory.LOAD, MatrixRole.ROWS),
        ("ld.global.f32", Memory.LOAD, MatrixRole.NONE),
        ("red.global.add.f32", Memory.ATOMIC, MatrixRole.NONE),
    ],
)
def test_what_is_done_to_memory(text: str, memory: Memory, matrix: MatrixRole) -> None:
    opcode, *modifiers = text.split(".")
    found = traits_of(opcode, tuple(modifiers))
    assert (found.memory, found.matrix) == (memory, matrix)
    assert found.is_load == (text.startswith("ld."))


def test_the_class_of_the_type_decides_too() -> None:
    assert traits_of("add", ("rn", "f32")).operations == 1
    assert traits_of("fma", ("rn", "f16x2")).operations == 2
    assert traits_of("add", ("s32",)).operations == 0


def test_traits_of_an_unknown_opcode_say_nothing_and_nobody_emits_it() -> None:
    assert traits_of("tex", ("2d", "v4", "f32")) == traits.Traits()
    assert find_handler(Instruction("tex", ("2d",), ())) is None


def test_all_but_what_ends_a_basic_block_has_an_emitter() -> None:
    for opcode, kind in traits._rows:
        name, *modifiers = opcode.split(".")
        instruction = Instruction(name, (*modifiers, "f32" if kind == "float" else "b32"), ())
        ends = instruction.traits.flow not in (Flow.ON, Flow.CALL) or instruction.traits.barrier is Barrier.BLOCK
        if kind in ("", "float", "int"):
            assert (find_handler(instruction) is None) == ends, opcode


def test_without_the_families_nothing_is_taken_for_unknown() -> None:
    # Another copy of the module, whose table no family has filled.
    spec = importlib.util.spec_from_file_location("traits_alone", traits.__file__)
    assert spec is not None and spec.loader is not None
    alone = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = alone
    try:
        spec.loader.exec_module(alone)
    finally:
        del sys.modules[spec.name]
    with pytest.raises(RuntimeError, match=r"import grader\.run\.emulator\.ops"):
        alone.key_of("ld", ("global", "never_seen", "f32"))
