from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from grader.core.errors import JudgeError
from grader.machine.gpus import Gpu
from grader.run.gpu.ceilings import ceilings, is_outdated

GPU = Gpu(index=0, uuid="GPU-12", name="NVIDIA H200", driver="580.1", capability=(9, 0), memory=1 << 30)
MEASURED = dict(read=4.1e12, write=4.0e12, copy=4.2e12, fp32=5.1e13, fp16=7e14, int8=1.4e15, floor=9e-7)


class Counter:
    """Stands in for the child process."""

    def __init__(self, **figures: object) -> None:
        self.figures = {**MEASURED, **figures}
        self.calls = 0

    def __call__(self, index: int) -> dict[str, object]:
        self.calls += 1
        return self.figures


def test_the_bandwidth_is_the_best_of_three_and_the_datasheet_stands_beside(tmp_path: Path) -> None:
    found, figures = ceilings(GPU, tmp_path, measure=Counter())
    assert found.bandwidth == 4.2e12
    assert (found.flops, found.floor, found.datasheet_bandwidth, found.datasheet_flops) == (5.1e13, 9e-7, 4.8e12, 67e12)
    assert figures.read == 4.1e12


@pytest.mark.parametrize(("precision", "flops", "sheet"), [("fp16", 7e14, 989e12), ("int8", 1.4e15, 1979e12)])
def test_each_precision_has_a_rate_of_its_own(tmp_path: Path, precision: str, flops: float, sheet: float) -> None:
    found, _ = ceilings(GPU, tmp_path, precision=precision, measure=Counter())
    assert (found.precision, found.flops, found.datasheet_flops, found.bandwidth) == (precision, flops, sheet, 4.2e12)


def test_an_unknown_gpu_has_no_datasheet() -> None:
    found, _ = ceilings(replace(GPU, name="Another"), None, measure=Counter())
    assert found.datasheet_bandwidth is None


def test_they_are_measured_once_for_a_gpu_and_driver(tmp_path: Path) -> None:
    measure = Counter()
    assert ceilings(GPU, tmp_path, measure=measure) == ceilings(GPU, tmp_path, measure=measure)
    assert measure.calls == 1
    ceilings(GPU, tmp_path, fresh=True, measure=measure)
    ceilings(replace(GPU, driver="590.2"), tmp_path, measure=measure)
    ceilings(replace(GPU, uuid="GPU-13"), tmp_path, measure=measure)
    assert measure.calls == 4


@pytest.mark.parametrize("damage", ["", "{}", '{"format": 1}', "[1]", "replaced"])
def test_a_damaged_file_is_measured_anew_and_replaced(tmp_path: Path, damage: str) -> None:
    measure = Counter()
    ceilings(GPU, tmp_path, measure=measure)
    (file,) = (tmp_path / "ceilings").iterdir()
    whole = json.loads(file.read_text())
    file.write_text(
        json.dumps({**whole, "figures": {**whole["figures"], "read": -1}}) if damage == "replaced" else damage
    )
    assert ceilings(GPU, tmp_path, measure=measure)[1].read == 4.1e12
    assert measure.calls == 2
    assert json.loads(file.read_text()) == whole


def test_no_cache_is_no_error(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("")
    assert ceilings(GPU, occupied, measure=Counter())[0].bandwidth == 4.2e12


@pytest.mark.parametrize(
    "figures", [dict(read=0.0), dict(fp32=float("nan")), dict(int8=0.0), dict(copy=None), dict(more=1.0)]
)
def test_figures_that_mean_nothing_are_refused(figures: dict[str, object]) -> None:
    with pytest.raises(JudgeError, match="ceilings were measured"):
        ceilings(GPU, None, measure=Counter(**figures))


def test_a_kernel_beyond_the_ceiling_asks_for_a_new_one() -> None:
    assert not is_outdated(light=1.02, seconds=1.0)
    assert is_outdated(light=1.04, seconds=1.0)
