"""Files with their own solve() through nvcc: what comes out of them, and what is said of those that don't compile."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from grader.compile.cubin import read_cubin
from grader.compile.nvcc import CompileFailure, compile_solve
from grader.compile.parse import parse
from grader.compile.program import Kernel, Program
from grader.core.errors import JudgeError
from grader.core.report import Diagnostic
from grader.core.verdict import Form
from grader.run.emulator import Memory, Module
from grader.sandbox import Sandbox
from tests.compile.solve_samples import SOLVE, needs_nvcc
from tests.plan.recorded import shared_cache
from tests.remembered import remembered

pytestmark = needs_nvcc

FIRST_LINES = SOLVE.count("\n")


def refusal(source: str, gpu_target: str | None = None, time_limit: float = 30.0) -> tuple[Diagnostic, ...]:
    with pytest.raises(CompileFailure) as caught:
        compile_solve(source, "mine.cu", gpu_target=gpu_target, time_limit=time_limit)
    return caught.value.diagnostics


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_cache(tmp_path_factory)


@pytest.fixture(scope="module")
def program(cache: Path) -> Program:
    return remembered(cache, compile_solve, SOLVE, "mine.cu")


def test_a_program(program: Program) -> None:
    assert (program.form, program.target) == (Form.SOLVE, "compute_89")
    assert program.kernels == (Kernel("scale", "_Z5scalePKfPfi", (8, 8, 4)),)
    assert program.diagnostics == ()
    assert program.shared_object.startswith(b"\x7fELF")
    assert dict(program.spills) == {"_Z5scalePKfPfi": 0}
    facts = read_cubin(program.cubin)["_Z5scalePKfPfi"]
    assert 0 < facts.registers < 64
    assert (facts.shared_bytes, facts.local_bytes, facts.max_threads) == (0, 0, 1024)


def test_its_device_code_runs_in_the_emulator(program: Program) -> None:
    memory = Memory()
    data = np.arange(5, dtype=np.float32)
    addresses = [memory.place("in", data), memory.place("out", np.zeros(5, np.float32))]
    arguments = [*(address.to_bytes(8, "little") for address in addresses), (5).to_bytes(4, "little")]
    module = Module(program.image)
    result = module.launch("_Z5scalePKfPfi", (1, 1, 1), (8, 1, 1), arguments, memory)
    assert result.status == "done"
    assert memory.read("out").tolist() == [0, 2, 4, 6, 8]
    arguments[2] = (6).to_bytes(4, "little")
    fault = module.launch("_Z5scalePKfPfi", (1, 1, 1), (8, 1, 1), arguments, memory).fault
    assert fault is not None
    assert (fault.kind, fault.line) == ("out_of_bounds", 4)


def test_for_a_gpu() -> None:
    program = compile_solve(SOLVE, "mine.cu", gpu_target="sm_90a")
    assert ".target sm_89" in program.image
    assert read_cubin(program.cubin)["_Z5scalePKfPfi"].parameter_bytes == (8, 8, 4)


def test_code_for_a_newer_gpu_alone_has_no_image() -> None:
    source = "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900\n#error needs sm_90\n#endif\n" + SOLVE
    program = compile_solve(source, "mine.cu", gpu_target="sm_90a")
    assert program.image == ""
    assert [kernel.name for kernel in program.kernels] == ["scale"]
    assert any("needs sm_90" in diagnostic.message for diagnostic in refusal(source))


def test_resources_and_parameters_of_every_size() -> None:
    source = """
        struct Large { char bytes[5000]; };
        struct Huge { char bytes[20000]; };
        __global__ void none() {}
        __global__ void large(Large a, char b) {}
        __global__ void __launch_bounds__(128) huge(char a, Huge b, int c) {
            __shared__ int shared[77];
            shared[threadIdx.x] = b.bytes[c];
            __syncthreads();
            if (shared[c] == 3) __trap();
        }
        extern "C" void solve() { none<<<1, 1>>>(); large<<<1, 1>>>({}, 1); huge<<<1, 1>>>(1, {}, 2); }
    """
    for target in (None, "sm_90a"):
        program = compile_solve(source, "mine.cu", gpu_target=target)
        by_name = {kernel.name: kernel.parameter_bytes for kernel in program.kernels}
        assert by_name == {"none": (), "large": (5000, 1), "huge": (1, 20000, 4)}
        facts = {f.symbol.removeprefix("_Z4")[:4]: f for f in read_cubin(program.cubin).values()}["huge"]
        assert (facts.shared_bytes, facts.max_threads) == (77 * 4, 128)


@pytest.mark.parametrize("target", [None, "sm_90a"])
def test_extensions_that_a_file_needs_are_switched_on(target: str | None) -> None:
    source = """
        constexpr int twice(int x) { return 2 * x; }
        template <class F> __global__ void apply(float* out, F f) { out[threadIdx.x] = f(threadIdx.x); }
        extern "C" void solve(float* out) {
            apply<<<1, 32>>>(out, [] __device__(int i) { return 1.0f * twice(i); });
        }
    """
    program = compile_solve(source, "mine.cu", gpu_target=target)
    assert len(program.kernels) == 1 and program.image
    assert not any("extended-lambda" in diagnostic.message for diagnostic in program.diagnostics)


def test_cuda_s_and_the_standard_library() -> None:
    source = """
        #include <cub/block/block_reduce.cuh>
        #include <vector>
        #include <algorithm>
        __global__ void sum(const float* in, float* out) {
            using Reduce = cub::BlockReduce<float, 128>;
            __shared__ typename Reduce::TempStorage scratch;
            float all = Reduce(scratch).Sum(in[threadIdx.x]);
            if (threadIdx.x == 0) *out = all;
        }
        extern "C" void solve(const float* in, float* out) {
            std::vector<int> sizes{3, 1, 2};
            std::sort(sizes.begin(), sizes.end());
            sum<<<sizes[0], 128>>>(in, out);
        }
    """
    program = compile_solve(source, "mine.cu")
    assert [kernel.name for kernel in program.kernels] == ["sum"]
    assert 0 < read_cubin(program.cubin)["_Z3sumPKfPf"].shared_bytes < 1024


@pytest.mark.parametrize(
    ("line", "severity", "message", "hint"),
    [
        ("__global__ void k(float* a) { a[0] = nothing; }", "error", 'identifier "nothing" is undefined', ""),
        ("__global__ void k(float* a) { a[0] = 1 }", "error", 'expected a ";"', ""),
        ('#include "mine.h"', "error", 'cannot open source file "mine.h"', "one file"),
        ("#include <cublas_missing.h>", "error", 'cannot open source file "cublas_missing.h"', "CUDA's own headers"),
        ("#error wrong machine", "error", "#error wrong machine", ""),
        ('void f() { asm("bogus"); }', "error", "bogus", ""),
        (
            "__global__ void k() { __shared__ int s[99999]; s[threadIdx.x] = 1; __syncthreads(); if (s[9]) __trap(); }",
            "error",
            "ptxas: Entry function 'k' uses too much shared data",
            "",
        ),
        ("template <class T> T f(T a) { return a.none; } int x = f(1);", "error", "must have class type", ""),
    ],
)
def test_what_is_wrong_is_told_with_its_line(line: str, severity: str, message: str, hint: str) -> None:
    found = refusal(SOLVE + line + "\n")
    assert found[0].severity == severity
    assert message in found[0].message
    assert hint in found[0].hint
    assert found[0].line in (FIRST_LINES + 1, None if "bogus" in line else 0)


def test_code_for_newer_gpus_is_called_so() -> None:
    found = refusal(SOLVE + "__global__ void __cluster_dims__(2) k() {}\n")
    assert "__cluster_dims__ is not supported" in found[0].message
    assert found[0].hint.startswith("This needs a newer GPU") and "8.9" in found[0].hint


def test_a_column_of_the_line_as_it_was_written() -> None:
    line = "__global__ void k(float* a) { __shared__ int s; a[0] = nothing; }"
    found = refusal(SOLVE + line)
    assert found[0].column == line.index("nothing") + 1


def test_warnings_are_kept() -> None:
    program = compile_solve(
        SOLVE + "int f = cudaStreamNonBlocking; void g() { int unused; }\n#warning careful\n", "mine.cu"
    )
    told = {(one.severity, one.line) for one in program.diagnostics}
    launch = SOLVE[: SOLVE.index("<<<")].count("\n") + 1
    assert told == {("warning", FIRST_LINES + 1), ("warning", FIRST_LINES + 2), ("warning", launch)}


@pytest.mark.parametrize(
    ("source", "message", "line", "hint"),
    [
        ("int x;", "there is no solve()", None, 'extern "C" void solve(...)'),
        ("\nvoid solve(int n) {}", "solve() can't be called by its name", 2, 'Write extern "C" before void solve('),
        ('extern "C" { static void solve() {} }', "solve() can't be called by its name", 1, "no static"),
    ],
)
def test_solve_that_nobody_can_call(source: str, message: str, line: int | None, hint: str) -> None:
    (found,) = [one for one in refusal(source) if one.severity == "error"]
    assert (found.message, found.line) == (message, line)
    assert hint in found.hint


def test_a_time_limit() -> None:
    (found,) = refusal(SOLVE, time_limit=0.05)
    assert found.message == "compiling took longer than 0.05 seconds and was stopped"


@pytest.mark.parametrize("name", ["-o", "../../etc/x.cu", "a b.cu", "x.so", "--help.cu", "$(id).cu", "mine.cu.py"])
def test_a_file_name_is_no_option_and_no_path(name: str) -> None:
    assert compile_solve("__global__ void k() {}\n" + SOLVE, name).kernels


def test_a_compiler_that_compiles_nothing_is_no_fault_of_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = tmp_path / "bin" / "g++"
    host.parent.mkdir()
    host.write_text('#!/bin/sh\n[ "$1" = -dumpversion ] && echo 12 && exit\necho broken >&2; exit 1\n')
    host.chmod(0o755)
    monkeypatch.setenv("PATH", str(host.parent), prepend=os.pathsep)
    with pytest.raises(JudgeError, match="nvcc compiles nothing on this machine"):
        compile_solve(SOLVE, "mine.cu")


def test_without_a_sandbox_it_compiles_too() -> None:
    assert compile_solve(SOLVE, "mine.cu", sandbox=Sandbox(None, "none here")).kernels


def test_macros_of_a_file_s_own_reach_neither_its_form_nor_the_check() -> None:
    parameters = (("const float*", "in"), ("float*", "out"), ("int", "n"))
    macros = "".join(
        f"#define {name} 16\n" for name in ("T", "A", "B", "R", "F", "P", "kind", "list", "value", "first")
    )
    text = f'#include <cuda_runtime.h>\n{macros}#define EXPORT extern "C"\n' + SOLVE.replace('extern "C"', "EXPORT")
    assert compile_solve(text, "mine.cu", parameters).kernels
    assert parse(text).form is Form.SOLVE
    with pytest.raises(CompileFailure) as caught:
        compile_solve(text.replace("int n) {\n    scale", "float n) {\n    scale"), "mine.cu", parameters)
    assert caught.value.diagnostics[0].message.startswith("solve() does not have the problem's parameters")
