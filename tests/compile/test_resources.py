"""What a GPU's machine code takes and carries: spilled registers by kernel, and the lines of the source."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from grader.compile.cache import Cache
from grader.compile.compiler import OPTIONS, Compiler
from grader.compile.nvrtc import CompileFailure, compile_kernel
from grader.compile.program import Program
from grader.compile.resources import TELL, read_spills, without_resources
from grader.compile.toolkit import find_toolkit
from tests.compile.samples import KERNEL, PARAMETERS

LOG = """\
mine.cu(2): warning #177-D: variable "unused" was declared but never referenced

ptxas info    : 24 bytes gmem
ptxas info    : Compiling entry function '_Z5plainPf' for 'sm_90'
ptxas info    : Function properties for _Z5plainPf
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
ptxas info    : Compiling entry function 'caller' for 'sm_90'
ptxas info    : Function properties for caller
ptxas         .     984 bytes stack frame, 16 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 984 bytes cumulative stack size
ptxas info    : Compile time = 73.471 ms
ptxas info    : Function properties for _Z6calleePKfPfi
ptxas         .     0 bytes stack frame, 1172 bytes spill stores, 1832 bytes spill loads
"""
SPILLING = (
    "__global__ void __launch_bounds__(1024, 2) map_kernel(const float* a, float* b, int n) {\n"
    "    float x[60];\n"
    "    #pragma unroll\n"
    "    for (int i = 0; i < 60; i++) x[i] = a[i * n + threadIdx.x];\n"
    "    for (int j = 0; j < n; j++) {\n"
    "        float sum = 0;\n"
    "        #pragma unroll\n"
    "        for (int i = 0; i < 60; i++) sum += x[i] * b[i + j];\n"
    "        b[j] = sum;\n"
    "    }\n"
    "}\n"
    "__global__ void plain(float* a) { *a = 1; }\n"
)


def compiled(source: str) -> Program:
    return compile_kernel(source, "mine.cu", "map_kernel", PARAMETERS, {}, gpu_target="sm_90a")


def test_the_larger_of_stores_and_loads_counts_and_callees_with_their_kernel() -> None:
    assert read_spills(LOG) == {"_Z5plainPf": 0, "caller": 16 + 1832}


def test_what_the_source_says_under_a_kernels_name_is_overruled() -> None:
    line = "ptxas         .     9 bytes stack frame, {0} bytes spill stores, {0} bytes spill loads\n"
    quoted = "ptxas info    : Compiling entry function 'caller' for 'sm_90'\n" + line.format(7)
    assert read_spills(line.format(3) + quoted + LOG) == read_spills(LOG)
    assert read_spills(quoted + line.format("9" * 5000)) == {"caller": 7}


def test_a_log_without_the_option_is_what_is_left() -> None:
    assert without_resources(LOG) == LOG.split("ptxas")[0]
    other = "ptxas error   : Entry function 'k' uses too much shared data (0x100000 bytes, 0xc000 max)\n"
    assert without_resources(other + LOG).startswith(other)


def test_a_program_for_a_gpu_knows_its_kernels_spills(tmp_path: Path) -> None:
    program = compiled(SPILLING)
    spilled, none = (program.spills[kernel.symbol] for kernel in program.kernels)
    assert 100 < spilled < 10_000
    assert none == 0
    assert program.diagnostics == ()
    Cache(tmp_path).store("k", program)
    assert Cache(tmp_path).load("k") == program


def test_a_program_for_the_emulator_knows_no_spills() -> None:
    assert compile_kernel(KERNEL, "mine.cu", "map_kernel", PARAMETERS, {}).spills == {}


def test_what_the_assembler_refuses_is_told_without_its_report() -> None:
    with pytest.raises(CompileFailure) as caught:
        compiled(
            KERNEL.replace("{\n", "{\n    __shared__ float s[1 << 20]; s[a[0] > 1 ? n : 0] = n; b[n] = s[n];\n", 1)
        )
    *_, last = caught.value.diagnostics
    assert "too much shared data" in last.message
    assert "ptxas info" not in caught.value.log
    assert all("ptxas info" not in diagnostic.message for diagnostic in caught.value.diagnostics)


def sections(elf: bytes) -> dict[str, bytes]:
    """The contents of a 64-bit little-endian ELF file's sections by name (System V ABI, chapter 4)."""
    (start,) = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", elf, start + i * size) for i in range(count)]
    text = headers[names][4]
    without_contents = 8
    return {
        elf[text + name : elf.index(b"\0", text + name)].decode(): elf[offset : offset + length]
        for name, kind, _, _, offset, length in headers
        if kind != without_contents
    }


def test_machine_code_names_the_lines_of_the_submission_and_is_the_same_without() -> None:
    line_info = "--generate-line-info"
    assert line_info in OPTIONS
    assert b"mine.cu\0" in sections(compiled(SPILLING).cubin)[".debug_line"]
    told = sections(Compiler(find_toolkit(), "mine.cu").compile(SPILLING, "map_kernel", (TELL,), "sm_90a").cubin)
    own = Compiler(find_toolkit(), "mine.cu")
    own.usual = tuple(option for option in OPTIONS if option != line_info)
    bare = sections(own.compile(SPILLING, "map_kernel", (), "sm_90a").cubin)
    assert ".debug_line" not in bare
    code = {name: data for name, data in bare.items() if name.startswith(".text")}
    assert len(code) == 2
    assert code == {name: data for name, data in told.items() if name.startswith(".text")}
