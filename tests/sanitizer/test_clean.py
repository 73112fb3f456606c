"""Each file of clean/ orders its threads as the CUDA documents allow: nothing may be found, on any number of cores."""

from __future__ import annotations

from pathlib import Path

import pytest

from .pairs import run

FILES = sorted((Path(__file__).parent / "clean").glob("*.cu"))


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_nothing_is_found(file: Path, workers: int) -> None:
    result = run(file.read_text(), file.name, workers)
    assert result.status == "done", result.fault
    assert not [remark for remark in result.remarks if remark.kind == "data_race"]
