"""GPUs by name, and the values that a calibration brings."""

from __future__ import annotations

import json

import pytest

from grader.core.errors import UsageError
from grader.measure.datasheet import datasheet
from grader.model.calibration import Calibration, calibration_of
from grader.model.gpus import GPUS, gpu_named
from grader.model.limits import LIMITS


@pytest.mark.parametrize(("text", "name"), [("h200", "H200"), ("NVIDIA RTX-4090", "RTX 4090"), ("a100-80gb", "A100")])
def test_names_are_read_as_people_write_them(text, name):
    assert gpu_named(text).name == name


def test_an_unknown_gpu_is_refused_with_those_that_are_known():
    with pytest.raises(UsageError, match="'GTX 285'") as refused:
        gpu_named("GTX 285")
    assert "H200" in refused.value.hint


def test_the_data_sheets_are_those_of_the_measurements():
    names = {"H200": "NVIDIA H200", "L4": "NVIDIA L4", "T4": "Tesla T4", "RTX 4090": "NVIDIA GeForce RTX 4090"}
    for name, long in names.items():
        sheet, gpu = datasheet(long), gpu_named(name)
        assert sheet is not None and sheet.bandwidth == gpu.bandwidth
        assert 2 * gpu.sm.fp32 * gpu.sms * gpu.clock == pytest.approx(sheet.fp32, rel=0.03)
        assert sheet.fp16 is not None


def test_all_gpus_have_what_the_model_needs():
    for gpu in GPUS:
        assert gpu.target in LIMITS and gpu.sm.tensor and gpu.source
        assert calibration_of(gpu).latency_l1 < calibration_of(gpu).latency_l2 < calibration_of(gpu).latency_dram


def test_a_gpu_with_a_table_is_calibrated(tmp_path):
    assert gpu_named("H200", tmp_path).calibrated == ""
    about = {"gpu": "NVIDIA H200", "driver": "580.1", "date": "2026-12-01", "values": {}}
    (tmp_path / "h200.json").write_text(json.dumps(about), encoding="utf-8")
    assert gpu_named("h200", tmp_path).calibrated == "NVIDIA H200, driver 580.1, 2026-12-01"
    assert gpu_named("H100", tmp_path).calibrated == ""


def test_measured_values_replace_defaults(tmp_path):
    table = tmp_path / "h200.json"
    table.write_text(json.dumps({"gpu": "H200", "values": {"latency_l2": 280, "unknown": 1}}), encoding="utf-8")
    found = calibration_of(gpu_named("H200"), table)
    assert found.latency_l2 == 280 and found.latency_dram == Calibration().latency_dram
