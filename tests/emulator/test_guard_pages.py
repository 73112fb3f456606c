"""No PTX makes native code touch what is beside its buffers: they lie between guard pages here.

tests/emulator/guarded.py has the programs, and runs them in a process of its own; benchmarks/ptx_fuzz makes others.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from grader.run.emulator.aligned import GUARDS

from .guarded import PROGRAMS

ROOT = Path(__file__).parents[2]
FUZZED = 2000
FUZZED_BARRIERS = 300
SEED = 20260719
MODES = ("", "sanitize", "count")
ENVIRONMENT = {**os.environ, GUARDS: "1", "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])}

FAULTS = ("out_of_bounds: ", "misaligned: ", "uninitialized_read: ", "data_race: ")
BEYOND = "refused: the emulator does not know an access outside of a parameter"
EXPECTED = {
    "writes its parameters": "out_of_bounds: write of 8 bytes in memory that kernels can only read: kernel parameters",
    "atomics on its parameters": "out_of_bounds: atomic of 4 bytes in memory that kernels can only read",
    "writes a constant": "out_of_bounds: write of 4 bytes in memory that kernels can only read: c: index 0",
    "discards a constant": "out_of_bounds: write of 128 bytes in memory that kernels can only read: c",
    "reads its parameters": "done",
    "a parameter in the place of the kernel's": BEYOND,
    "a parameter in the place of the function's": BEYOND,
    "two parameters of one name": "refused: two parameters of function k have one name",
    "a result of the parameter's name": "refused: two parameters of function f have one name",
    "a call with more than is taken": "refused: the emulator does not know a call whose value p is larger",
    "writes a wild way back": "illegal_instruction: a call through a pointer that holds no function",
    "an arrival opens a barrier after an exit": "done",
    "an arrival opens a barrier that others have skipped": "done",
    "300 shared arrays": "refused: the kernel has 300 shared arrays; the emulator has places for 253",
    "too much shared memory in the module": "launch_failure: the kernel declares 1048576 bytes of shared memory",
    "shared memory by the read-only cache": "refused: the emulator does not know ld.shared.nc.u32",
    "a huge frame": "memory",
    "a huge alignment": "refused: an alignment of 1099511627776 bytes",
}


@pytest.fixture(scope="module")
def outcomes() -> dict[str, str]:
    """What came of each launch, by mode and name."""
    command = [sys.executable, "-m", "tests.emulator.guarded"]
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, timeout=600)
    last = [line for line in done.stdout.splitlines() if line.startswith("begin ")][-1:]
    assert done.returncode == 0, (last, done.stderr[-2000:])
    lines = (line[4:].split("|", 2) for line in done.stdout.splitlines() if line.startswith("end "))
    return {f"{mode}|{name}": outcome for mode, name, outcome in lines}


@pytest.mark.parametrize("mode", MODES)
def test_no_program_reaches_a_guard_page(outcomes: dict[str, str], mode: str) -> None:
    for name in PROGRAMS:
        expected = EXPECTED.get(name, FAULTS if name.startswith("wild: ") else "")
        assert outcomes[f"{mode}|{name}"].startswith(expected), name


def test_what_is_beside_a_buffer_ends_the_process() -> None:
    for offset, ends in ((0, 0), (99, 0), (100, 6), (128, 11), (-1, 6), (-5000, 11)):
        code = f"""import ctypes, resource
from grader.run.emulator.aligned import aligned_bytes
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
data, address = aligned_bytes(100)
ctypes.memset(address + {offset}, 1, 1)
"""
        done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True)
        assert done.returncode == -ends, offset


@pytest.mark.parametrize(("programs", "barriers"), [(FUZZED, []), (FUZZED_BARRIERS, ["--barriers"])])
def test_fuzzed_programs_end_as_they_should(tmp_path: Path, programs: int, barriers: list[str]) -> None:
    given = ["--programs", str(programs), "--seed", str(SEED), "--optimised", "0", *barriers]
    command = [sys.executable, "-m", "ptx_fuzz", *given]
    corpus = [
        "--corpus",
        str(tmp_path),
        "--sources",
        "tests/emulator/kernels/*.ptx",
        "tests/emulator/kernels/memory.cu",
    ]
    done = subprocess.run([*command, *corpus], env=ENVIRONMENT, cwd=ROOT, capture_output=True, text=True)
    summary = re.search(r"(\d+) programs in \d+ s, (\d+) ran, (\d+) findings", done.stdout)
    assert summary is not None, done.stderr[-2000:]
    assert done.returncode == 0, done.stdout[-4000:]
    assert int(summary[1]) == programs
    assert int(summary[2]) > 0.75 * programs
