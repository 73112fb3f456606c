"""Each file of kernels/ is a faulty kernel and, with FIXED defined, its corrected twin.

The first line names the fault, then says what is wrong. `// found` marks the lines that may be blamed, and an optional
second line `// launch: GRID BLOCK` says how it runs; 1 block of 128 threads is the usual way.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from grader.run.emulator import LaunchResult, Limits, Memory, Module
from tests.emulator.harness import compile_ptx

FILES = sorted((Path(__file__).parent / "kernels").glob("*.cu"))
SIZE = 1024


def run(source: str, name: str) -> LaunchResult:
    launch = re.search(r"^// launch: (\d+) (\d+)$", source, re.MULTILINE)
    grid, block = (int(launch[1]), int(launch[2])) if launch else (1, 128)
    memory = Memory()
    arrays = (np.zeros(SIZE, "f4"), np.arange(SIZE, dtype="f4"))
    places = [memory.place(n, a).to_bytes(8, "little") for n, a in zip(("out", "in"), arrays, strict=True)]
    arguments = [*places, np.int32(SIZE).tobytes()]
    module = Module(compile_ptx(source, name), sanitize=True)
    return module.launch("k", (grid, 1, 1), (block, 1, 1), arguments, memory, shared_bytes=4096, limits=Limits())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_fault_is_found(file: Path) -> None:
    source = file.read_text()
    expected = source.split(":")[0].removeprefix("// ")
    lines = [number for number, line in enumerate(source.splitlines(), 1) if line.endswith("// found")]
    result = run(source, file.name)
    if expected == "remark":
        assert result.status == "done" and result.remarks
        found = result.remarks[0]
    else:
        assert result.fault is not None
        found = result.fault
        assert found.kind == expected
    assert found.line in lines, found.message
    assert found.message.count("line") >= (2 if expected == "data_race" else 0)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_its_corrected_twin_is_clean(file: Path) -> None:
    result = run("#define FIXED\n#line 1\n" + file.read_text(), file.name)
    assert result.status == "done", result.fault
    assert not result.remarks
