"""Uses of local variables that have no value, seen in a debug build; copies of them are none."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from grader.compile.nvrtc import compile_kernel
from grader.compile.program import Program
from grader.run.emulator import LaunchResult, Memory, Module

from .harness import KERNELS

FILE = KERNELS / "unset.cu"
SOURCE = FILE.read_text()
FAULTY = [name for name in re.findall(r"__global__ void (\w+)", SOURCE) if name != "right"]
PARAMETERS = [("float*", "out"), ("const float*", "in"), ("int", "n")]


def marked(kernel: str) -> tuple[int, str]:
    """The line that is to be told for a kernel, and what is to be named there."""
    elsewhere = re.search(rf"// used in {kernel}: (.*)", SOURCE)
    mark = elsewhere or re.compile(r"// found *(.*)").search(SOURCE, SOURCE.index(f"void {kernel}("))
    assert mark is not None
    return SOURCE[: mark.start()].count("\n") + 1, mark[1]


def named(message: str) -> str:
    """What a message names, without the quotes."""
    found = re.match("the local variable (.*) is read before it has a value:", message)
    return found[1].replace("`", "") if found else ""


@cache
def compile_debug() -> Program:
    return compile_kernel(SOURCE, FILE.name, "right", PARAMETERS, {}, debug=True)


@cache
def debug_build() -> Module:
    return Module(compile_debug().image, values=True)


def launch(kernel: str, module: Module | None = None) -> LaunchResult:
    memory = Memory()
    places = [memory.place(name, np.zeros(1024, "f4")) for name in ("out", "in")]
    arguments = [*(place.to_bytes(8, "little") for place in places), np.int32(7).tobytes()]
    return (module or debug_build()).launch(kernel, (2, 1, 1), (32, 1, 1), arguments, memory, workers=1)


@pytest.mark.parametrize("kernel", FAULTY)
def test_the_line_that_uses_it_is_told(kernel: str) -> None:
    faults = launch(kernel).faults
    assert {fault.kind for fault in faults} == {"uninitialized_read"}
    assert [(fault.line, named(fault.message)) for fault in faults] == [marked(kernel)]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda ptx: re.sub(r"\.section\s+\.debug_info", ".section .debug_other", ptx),
        lambda ptx: re.sub(r"\.section\s+\.debug_abbrev\s+{\s*", "\\g<0>.b8 200\n", ptx),
        lambda ptx: re.sub(r"(\.section\s+\.debug_loc\s+{)[^}]*", r"\1\n", ptx),
        lambda ptx: ptx.replace("$L__tmp", "$L__other"),
    ],
    ids=["none", "other shapes", "lists that end", "other labels"],
)
def test_what_the_debugging_information_does_not_say_has_no_name(spoil: Callable[[str], str]) -> None:
    ptx = compile_debug().image
    body, sections = ptx[: ptx.index(".section")], ptx[ptx.index(".section") :]
    fault = launch("an_inner_one", Module(body + spoil(sections), values=True)).fault
    assert fault is not None and fault.line == marked("an_inner_one")[0]
    assert fault.message.startswith("a local variable is used that has no value yet: ")


def test_only_the_lanes_without_a_value_are_at_fault() -> None:
    fault = launch("one_lane_only").fault
    assert fault is not None
    assert (fault.thread, fault.threads) == ((5, 0, 0), 2)


def test_copies_padding_and_bit_fields_are_no_uses() -> None:
    result = launch("right")
    assert result.status == "done", result.fault


def test_a_block_begins_without_what_another_has_given() -> None:
    """Each of the 64 threads adds to four elements, in local memory that both blocks have."""
    fault = launch("an_array").fault
    assert fault is not None and fault.threads == 64 * 4
