"""`kgrade ceilings` with GPUs and figures made up, and without a GPU."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest

from grader.commands.engines import Engines
from grader.core.report import Ceilings
from grader.machine.gpus import Gpu
from grader.run.gpu.ceilings import Figures, ceilings
from tests.played_gpus import install_gpus

from .conftest import Kgrade

BANDWIDTHS = {"read": 4.31e12, "write": 3.9e12, "copy": 4.1e12}
FIGURES = {**BANDWIDTHS, "fp32": 51.2e12, "fp16": 740e12, "int8": 1400e12, "floor": 1.19e-6}
H200 = Gpu(0, "GPU-one", "NVIDIA H200", "580.95.05", (9, 0), 140 << 30)
UNKNOWN = Gpu(1, "GPU-two", "NVIDIA Unheard-of", "580.95.05", (9, 0), 8 << 30)


@pytest.fixture
def engines() -> MeasuringEngines:
    return MeasuringEngines()


class MeasuringEngines(Engines):
    """Measures nothing, and remembers for which GPUs it was asked."""

    def __init__(self) -> None:
        self.measured: list[int] = []

    def ceilings(self, gpu: Gpu, cache: Path, fresh: bool) -> tuple[Ceilings, Figures]:
        return ceilings(gpu, cache, fresh=fresh, measure=self._measure)

    def _measure(self, index: int) -> dict[str, Any]:
        self.measured.append(index)
        return FIGURES


@pytest.fixture
def asked(engines: MeasuringEngines, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[int]:
    """Two GPUs; which of them was measured, as often as it was."""
    install_gpus(monkeypatch, [H200, UNKNOWN])
    # For the lock of the GPU.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return engines.measured


def rows(out: str) -> list[list[str]]:
    return [line.split() for line in out.splitlines()]


def test_what_was_reached_stands_beside_the_data_sheet(kgrade: Kgrade, asked: list[int]) -> None:
    answer = kgrade("ceilings")
    assert answer.code == 0 and asked == [0]
    assert answer.out.startswith("NVIDIA H200, driver 580.95.05\nGPU-one\n")
    for row in (
        "memory, reading 4.31 TB/s 4.80 TB/s 89.8 %",
        "memory, writing 3.90 TB/s 4.80 TB/s 81.2 %",
        "memory, copying 4.10 TB/s 4.80 TB/s 85.4 %",
        "arithmetic, fp32 51.2 TFLOP/s 67.0 TFLOP/s 76.4 %",
        "arithmetic, fp16 740 TFLOP/s 989 TFLOP/s 74.8 %",
        "arithmetic, int8 1.40 POP/s 1.98 POP/s 70.7 %",
        "an empty kernel 1.19 µs",
    ):
        assert row.split() in rows(answer.out)


def test_they_are_measured_once_and_again_on_request(kgrade: Kgrade, asked: list[int]) -> None:
    kgrade("ceilings")
    kgrade("ceilings", "--device", "gpu:0")
    assert asked == [0]
    kgrade("ceilings", "--fresh")
    assert asked == [0, 0]


def test_another_gpu_whose_data_sheet_is_unknown(kgrade: Kgrade, asked: list[int]) -> None:
    answer = kgrade("ceilings", "--device", "gpu:1")
    assert answer.code == 0 and asked == [1]
    assert ["arithmetic,", "fp32", "51.2", "TFLOP/s", "unknown"] in rows(answer.out)


def test_for_programs(kgrade: Kgrade, asked: list[int]) -> None:
    found = kgrade("ceilings", "--json").json
    assert (found["gpu"], found["bandwidth"], found["datasheet_bandwidth"]) == ("NVIDIA H200", 4.31e12, 4.8e12)
    assert found["measured"] == FIGURES


def test_without_a_gpu_it_says_what_to_type(kgrade: Kgrade, monkeypatch: pytest.MonkeyPatch) -> None:
    install_gpus(monkeypatch, [])
    answer = kgrade("ceilings")
    assert answer.code == 2 and answer.out == ""
    assert "no NVIDIA GPU was found on this machine" in answer.err and "type: kgrade doctor" in answer.err


@pytest.mark.parametrize(
    ("device", "said"), [("gpu:7", "there is no gpu:7"), ("tpu", "there is no device 'tpu'"), ("emulator", "is no GPU")]
)
def test_a_device_that_is_not_there(kgrade: Kgrade, asked: list[int], device: str, said: str) -> None:
    answer = kgrade("ceilings", "--device", device)
    assert answer.code == 2 and asked == []
    assert said in answer.err and "gpu:1" in answer.err
