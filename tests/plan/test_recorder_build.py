"""The recorder's entry points: every call of the installed CUDA, and the program that has them."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from grader.compile.toolkit import find_toolkit
from grader.plan.device_table import ATTRIBUTES, EMULATED, table_of
from grader.plan.recorder_build import SOURCES, build_recorder, declared_in, entry_points, stub_text
from tests.plan.recorded import require_compiler


def test_every_declared_call_is_found() -> None:
    header = """
    extern __host__ cudaError_t CUDARTAPI cudaNew(int value);
    extern __host__ const char* CUDARTAPI cudaName(cudaError_t error);
    CUresult CUDAAPI cuNew(void);
    #define cuOld cuOld_v2
    #define cudaThat __CUDART_API_PTSZ(cudaThat)
    #define cudaThis __CUDART_API_PTDS(cudaThis)
    typedef void (CUDART_CB *cudaCallback_t)(void);
    """
    found = set(declared_in(header))
    assert found == {
        "cudaNew", "cudaName", "cuNew", "cuOld_v2", "cudaThat", "cudaThat_ptsz", "cudaThis", "cudaThis_ptds",
    }  # fmt: skip


def test_the_headers_name_hundreds() -> None:
    require_compiler()
    names = entry_points(find_toolkit().includes)
    assert len(names) > 800
    assert {"cudaMalloc", "cudaMemcpyAsync_ptsz", "cuLaunchKernel", "__cudaRegisterFatBinary"} <= set(names)


def test_the_program_exports_all_of_them(cache: Path) -> None:
    require_compiler()
    program = build_recorder(cache)
    assert build_recorder(cache) == program
    listed = subprocess.run(["nm", "-D", "--defined-only", str(program)], capture_output=True, text=True, check=True)
    exported = {row.split()[-1]: row.split()[-2] for row in listed.stdout.splitlines()}
    assert set(entry_points(find_toolkit().includes)) <= set(exported)
    # A weak symbol is a stub.
    for supported in ("cudaMalloc", "cudaMemcpy", "cudaLaunchKernelExC", "__cudaLaunchKernel", "cudaGraphLaunch"):
        assert exported[supported] == "T"
    assert exported["cudaMallocManaged"] == "W"


def test_it_is_built_once_at_a_time(tmp_path: Path) -> None:
    require_compiler()
    built = []

    def build(compiler: str, includes: Sequence[Path], stubs: str, program: Path) -> None:
        built.append(program)
        time.sleep(0.2)
        program.parent.mkdir()
        program.touch()

    said: list[str] = []
    say = partial(said.append, "building")
    with ThreadPoolExecutor(3) as pool:
        programs = list(pool.map(partial(build_recorder, build=build, say=say), [tmp_path] * 3))
    assert set(programs) == set(built) and len(built) == 1 and said
    said.clear()
    assert build_recorder(tmp_path, build, say) == programs[0] and not said


def test_what_the_sources_define_is_declared() -> None:
    require_compiler()
    defined = set()
    for source in SOURCES.glob("*.cpp"):
        defined |= set(re.findall(r"^API [^(=]*?((?:__)?cuda[A-Z]\w+)\(", source.read_text(), re.MULTILINE))
    # Of a later or earlier CUDA than the installed one.
    others = {"cudaEventElapsedTime_v2", "cudaStreamGetDevice", "cudaProfilerStart", "cudaProfilerStop"}
    assert len(defined) > 120
    assert defined - others <= set(entry_points(find_toolkit().includes))


def test_a_stub_names_itself() -> None:
    assert 'void cudaNew(void) { kgrade_unsupported("cudaNew"); }' in stub_text(["cudaNew"])


def test_the_table_of_a_gpu_holds_what_it_answers() -> None:
    table = table_of("GPU", 1 << 30, lambda number: None if number == 120 else number)
    assert table[16] == 16 and table[120] == 0
    assert set(table.attributes) == set(ATTRIBUTES) - {120}
    assert (EMULATED[75], EMULATED[76]) == (8, 9)
