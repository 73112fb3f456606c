"""How measured times of worked files become rows, shares and docs/catalogue.md."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.catalogue_table import Timed, page, read_rows, share, sizes_of, write_rows
from grader.core.errors import UsageError
from grader.problem import load_problem

PROBLEMS = Path(__file__).resolve().parents[2] / "problems"

SIZE = "N=16777216"


def modelled(file, measured):
    told = {"seconds": 1e-3, "low": 0.0, "high": 1.0, "bound": "dram", "why_not": "", "measured": measured}
    return {"problem": "reduce", "file": file, "sizes": SIZE, **told}


def test_the_share_is_of_the_data_sheets_bandwidth():
    # 4 × (2²⁴ + 1) bytes at 4,800 GB/s take 13.98 µs.
    assert share(load_problem(PROBLEMS / "reduce"), sizes_of(SIZE), 27.96e-6, "H200") == pytest.approx(0.5, rel=1e-3)


def test_a_gpu_without_a_data_sheet_is_refused():
    with pytest.raises(UsageError, match="B9000"):
        share(load_problem(PROBLEMS / "reduce"), sizes_of(SIZE), 1.0, "B9000")


def test_rows_of_the_model_are_a_source_where_they_were_measured(tmp_path):
    (tmp_path / "model.json").write_text(json.dumps([modelled("a.cu", 27.96e-6), modelled("b.cu", None)]))
    (row,) = read_rows(tmp_path / "model.json", "H200")
    assert (row.problem, row.file, row.sizes, row.seconds, row.gpu) == ("reduce", "a.cu", SIZE, 27.96e-6, "H200")
    assert row.share_of_light == pytest.approx(0.5, rel=1e-3)
    write_rows(tmp_path / "rows.json", [row])
    assert read_rows(tmp_path / "rows.json", "H200") == [row]


def test_the_page_has_every_file_and_what_the_best_reach():
    text = page(
        [Timed("reduce", "a.cu", SIZE, 27.96e-6, 0.5, "H200"), Timed("zip", "b.cu", "N=8", 1e-6, 0.9, "H200")], "H200"
    )
    assert "| reduce | `a.cu` | N=16777216 | 28.0 µs | 50.0% |" in text
    assert "Files: 2, of 2 problems." in text
    assert "70% of the speed of light in the median, and at least 85% in 1 of 2." in text


def test_rows_of_another_gpu_are_left_out():
    text = page([Timed("reduce", "a.cu", SIZE, 27.96e-6, 0.5, "L4")], "H200")
    assert "a.cu" not in text and "No time was measured." in text
