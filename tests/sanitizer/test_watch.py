"""What is remembered of memory between launches, which arrays a launch may write to, and races that are no fault."""

from __future__ import annotations

import numpy as np
import pytest

from grader.run.emulator import LaunchResult, Limits, Memory, Module
from grader.run.emulator.ptx.parser import parse_module
from grader.run.emulator.translate.cfg import build_program
from grader.run.emulator.translate.pointers import find_written_sources
from tests.emulator.harness import compile_ptx

READ = 'extern "C" __global__ void k(float* out, const float* in) { out[threadIdx.x] = in[threadIdx.x]; }'
COUNT = 'extern "C" __global__ void k(float* out, const float* in) { out[0] += in[threadIdx.x]; }'


def launch(source: str, memory: Memory, out: int, given: int, limits: Limits | None = None) -> LaunchResult:
    arguments = [place.to_bytes(8, "little") for place in (out, given)]
    module = Module(compile_ptx(source), sanitize=True)
    return module.launch("k", (1, 1, 1), (64, 1, 1), arguments, memory, limits=limits)


def scratch(memory: Memory, name: str) -> int:
    return memory.allocate(name, 256, 0)


def test_a_copy_of_what_nobody_wrote_is_not_written() -> None:
    memory = Memory()
    out, first, second = (scratch(memory, name) for name in ("out", "first", "second"))
    memory.wrote(first, 128)
    memory.copied(second, first, 256)
    fault = launch(READ, memory, out, second).fault
    assert fault is not None
    assert (fault.kind, fault.array, fault.threads) == ("uninitialized_read", "second", 32)


def test_what_the_host_or_a_launch_has_written_may_be_read() -> None:
    memory = Memory()
    out, first, second = (scratch(memory, name) for name in ("out", "first", "second"))
    memory.wrote(first, 256)
    assert launch(READ, memory, second, first).status == "done"
    assert launch(READ, memory, out, second).status == "done"


def test_freed_memory_that_is_given_again_is_not_written() -> None:
    memory = Memory()
    out, first = scratch(memory, "out"), scratch(memory, "first")
    memory.wrote(first, 256)
    memory.free(first)
    memory.allocate_again(first, "again", 256, 0)
    fault = launch(READ, memory, out, first).fault
    assert fault is not None and fault.kind == "uninitialized_read"


def test_a_race_may_be_declared_no_fault() -> None:
    memory = Memory()
    out = memory.place("out", np.zeros(64, "f4"))
    given = memory.place("in", np.arange(64, dtype="f4"))
    strict, lenient = (launch(COUNT, memory, out, given, Limits(races_are_fatal=fatal)) for fatal in (True, False))
    assert strict.fault is not None and strict.fault.kind == "data_race"
    assert lenient.status == "done" and lenient.remarks[0].message == strict.fault.message


@pytest.mark.parametrize(
    ("body", "parameters"),
    [
        ("a[threadIdx.x] = b[threadIdx.x];", {"k_param_0"}),
        ("float* p = n > 3 ? a : b; p[n] = 1;", {"k_param_0", "k_param_1"}),
        ("atomicAdd(&b[n], 1.0f);", {"k_param_1"}),
        ("table[n] = a[n];", {"table"}),
        ("__shared__ float s[32]; s[n] = a[n]; __syncthreads(); a[n] = s[0];", {"k_param_0"}),
        ("*where[n] = a[n];", None),
    ],
)
def test_the_arrays_that_a_kernel_may_write_to(body: str, parameters: set[str] | None) -> None:
    variables = "__device__ float table[64]; __device__ float* where[4];"
    ptx = parse_module(compile_ptx(f'{variables} extern "C" __global__ void k(float* a, float* b, int n) {{ {body} }}'))
    written = find_written_sources(ptx, build_program(ptx, "k"))
    assert (written if written is None else {name for name, _ in written} - {"k_param_2"}) == parameters


@pytest.mark.parametrize(
    ("writes", "unset"),
    [
        ([(0, 256)], 0),
        ([(0, 255)], 1),
        ([(1, 255)], 1),
        ([(0, 6), (6, 250)], 0),
        ([(place, 1) for place in range(256)], 0),
        ([(2, 1)], 64),
        ([(6, 4), (128, 128)], 32),
        ([(6, 4), (4, 2), (10, 2), (128, 128)], 30),
    ],
)
def test_a_word_is_written_when_all_its_bytes_are(writes: list[tuple[int, int]], unset: int) -> None:
    memory = Memory()
    out, first, second = (scratch(memory, name) for name in ("out", "first", "second"))
    for place, size in writes:
        memory.wrote(first + place, size)
    memory.copied(second, first, 256)
    # Once before anything is known of the array, and once after a launch has had it watched.
    for given in (first, first, second):
        fault = launch(READ, memory, out, given).fault
        assert (fault.threads if fault is not None else 0) == unset
        assert fault is None or fault.kind == "uninitialized_read"


def test_bytes_that_come_after_a_launch_complete_a_word() -> None:
    memory = Memory()
    out, given = scratch(memory, "out"), scratch(memory, "in")
    memory.wrote(given, 255)
    assert launch(READ, memory, out, given).fault is not None
    memory.wrote(given + 255, 1)
    assert launch(READ, memory, out, given).status == "done"


MET = """
extern "C" __global__ void k(float* out, int* in) {
    float x = out[0];
    for (int i = 0; i < 8 && blockIdx.x != 63; i++) {
        __threadfence();
        atomicAdd(&in[1 + i], x < 0);
    }
    if (in[0] && blockIdx.x == 63) out[0] = x + 1;
}
"""
"""All blocks read one number, and all but the last release eight times; with in[0] that one writes the number."""


def test_a_launch_finds_nothing_of_what_the_one_before_has_noted() -> None:
    memory, module = Memory(), Module(compile_ptx(MET), sanitize=True)
    out = memory.place("out", np.zeros(1, "f4"))
    quiet, loud = (memory.place(f"in {first}", np.array([first, *[0] * 8], "i4")) for first in (0, 1))
    for given, ends in ((quiet, "done"), (loud, "fault"), (quiet, "done"), (loud, "fault")):
        arguments = [place.to_bytes(8, "little") for place in (out, given)]
        result = module.launch("k", (64, 1, 1), (1, 1, 1), arguments, memory)
        assert result.status == ends
        assert [fault.kind for fault in result.faults] == ["data_race"] * (ends == "fault")
