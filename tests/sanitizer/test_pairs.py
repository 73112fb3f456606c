"""Each file of kernels/ is a faulty kernel and, with FIXED defined, its corrected twin.

The first line names the fault, then says what is wrong. `// found` marks the lines that may be blamed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from .pairs import FIXED, run

FILES = sorted((Path(__file__).parent / "kernels").glob("*.cu"))


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
    result = run(FIXED + file.read_text(), file.name)
    assert result.status == "done", result.fault
    assert not [remark for remark in result.remarks if remark.kind == "data_race"]
