from __future__ import annotations

import pytest

from grader.measure.datasheet import datasheet


def test_a_known_gpu_has_its_figures_and_where_they_are_from() -> None:
    sheet = datasheet("NVIDIA H200")
    assert sheet is not None
    assert (sheet.bandwidth, sheet.rate("fp32"), sheet.rate("fp16")) == (4.8e12, 67e12, 989e12)
    assert "H200" in sheet.source


def test_a_variant_with_the_same_figures_is_known_too() -> None:
    assert datasheet("Tesla V100-SXM2-16GB") == datasheet("Tesla V100-SXM2-32GB") != None  # noqa: E711


@pytest.mark.parametrize(
    "name", ["NVIDIA GeForce RTX 3090 Ti", "NVIDIA A10G", "NVIDIA L4000", "NVIDIA H200 NVL", "Another GPU", ""]
)
def test_another_model_does_not_borrow_figures(name: str) -> None:
    assert datasheet(name) is None
