"""The names of a debug build's local variables: where they hold, and where nothing is sure."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from grader.compile.nvrtc import compile_kernel
from grader.run.emulator import Memory, Module
from grader.run.emulator.locals import Locals
from grader.run.emulator.ptx.parser import parse_module
from grader.run.emulator.ptx.syntax import Instruction

from .test_unset_locals import PARAMETERS, compile_debug, launch, marked, named

LIBRARY = """#line 1 "library.h"
__device__ float library(float given) {
    float inner;
    if (given > 100) inner = given;
    return inner + 1;
}
#line 1 "/mine.cu"
extern "C" __global__ void right(float* out, const float* in, int n) {
    out[0] = library(in[n]);
}
"""


@cache
def body(function: str) -> tuple[Locals, list[Instruction]]:
    module = parse_module(compile_debug().image)
    items = module.functions[function].body or []
    return Locals(compile_debug().image, module), [item for item in items if isinstance(item, Instruction)]


def test_a_register_has_a_name_only_while_it_holds_the_variable() -> None:
    variables, instructions = body("forgotten_branch")
    (store,) = (i for i in instructions if i.opcode == "st")
    register = re.findall(r"%f\d+", store.text)[-1]
    held = variables.in_register("forgotten_branch", store, register)
    assert held is not None and (held.name, held.parameter, held.own) == ("kept", False, True)
    assert variables.in_register("forgotten_branch", instructions[0], register) is None
    assert variables.in_register("sums", store, register) is None


def test_memory_has_a_name_only_in_the_scope_of_the_variable() -> None:
    variables, instructions = body("in_one_scope_of_two")
    depot = re.findall(r"__local_depot\d+", " ".join(i.text for i in instructions))[0]

    def at(number: int) -> set[str]:
        here = instructions[number]
        return {variables.in_memory("in_one_scope_of_two", here, depot, 4 * n, 4) for n in range(-1, 8)}

    loads = [number for number, i in enumerate(instructions) if i.opcode == "ld"]
    assert at(0) == {""}
    assert at(loads[-1]) == {"", "row[0]", "row[1]"}
    assert at(loads[-2]) == {"", "other[0]", "other[1]"}


def test_bytes_of_several_elements_are_the_whole_array() -> None:
    variables, instructions = body("of_two_dimensions")
    depot = re.findall(r"__local_depot\d+", " ".join(i.text for i in instructions))[0]
    store = next(i for i in instructions if i.opcode == "st")

    def name(offset: int, size: int) -> str:
        return variables.in_memory("of_two_dimensions", store, depot, offset, size)

    assert (name(20, 4), name(8, 8), name(22, 4), name(24, 4)) == ("tile[1][2]", "tile", "", "")


def test_two_variables_in_one_register_have_no_name() -> None:
    ptx = compile_debug().image
    entry = re.compile(r"(\.b8 \d+\n\.b32 \.debug_loc(?:\+\d+)?\n)\.b8 107,101,112,116\n((?:\.b.*\n){4})")
    assert len(entry.findall(ptx)) == 1
    doubled = entry.sub(lambda m: f"{m[0]}{m[1]}.b8 108\n{m[2]}", ptx)
    fault = launch("forgotten_branch", Module(doubled, values=True)).fault
    assert fault is not None and (fault.line, named(fault.message)) == (marked("forgotten_branch")[0], "")


@pytest.mark.parametrize("file", ["library.h", "/mine.cu"])
def test_what_is_declared_in_another_file_has_no_name(file: str) -> None:
    source = LIBRARY.replace("library.h", file)
    program = compile_kernel(source, "mine.cu", "right", PARAMETERS, {}, debug=True)
    memory = Memory()
    places = [memory.place(name, np.zeros(1024, "f4")).to_bytes(8, "little") for name in ("out", "in")]
    arguments = [*places, np.int32(7).tobytes()]
    module = Module(program.image, values=True)
    fault = module.launch("right", (1, 1, 1), (1, 1, 1), arguments, memory, workers=1).fault
    assert fault is not None
    assert (fault.line, named(fault.message)) == ((2, "") if file == "library.h" else (4, "inner"))
