"""The calibration of the model of time: its kernels' machine code, and the values of a GPU whose costs are known."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
HERTZ, CLOCK = 1.5e9, 2e9
SMS, ROWS = 4, 32
LATENCY = {"ffma": 4.0, "dfma": 8.0, "mufu": 18.0, "mma_f16": 33.0, "shuffle": 23.0}
CHASES = {"l1": 40.0, "l2": 260.0, "dram": 600.0}
SOME = ("ffma_1", "dfma_1", "mma_s8_4", "wgmma_64", "chase_l2", "shared_load_16", "shared_counts", "copy_bulk_4")
"""One of each kind: compiling all takes a quarter of a minute."""
BANDWIDTH, L2_BANDWIDTH = 4e12, 8e12


@pytest.fixture(scope="module")
def calibration() -> ModuleType:
    # They import one another by name, as scripts in one folder do.
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import calibrate_model  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(BENCHMARKS))
    module: ModuleType = calibrate_model
    return module


class PlayedGpu:
    """A GPU on which everything takes what the constants above say, besides 1000 cycles of starting."""

    def __init__(self, calibration: ModuleType) -> None:
        self.about = calibration.About("Played", "1.0", SMS, CLOCK, BANDWIDTH)
        self._run = sys.modules["model_device"].Run
        self._followed = ""

    def run(
        self,
        name: str,
        blocks: int,
        threads: int,
        n: int,
        extra: int = 0,
        shared: int | None = None,
        rows: int | None = None,
    ) -> Any:
        warps = max(1, threads // 32)
        each = self._cycles(name, warps, extra)
        times = np.zeros((rows or blocks * warps, 4), np.int64)
        times[:, 0] = 5000
        times[:, 1] = 6000 + round(each * n)
        if name == "clocks":
            times[0, 2:] = 0, round((times[0, 1] - times[0, 0]) / HERTZ * 1e9)
        elif name == "latency_by_line":
            times[:, 1] = 5000 + np.where(np.arange(len(times)) % 2, 200, 300)
        elif name == "places":
            # Blocks go around the SMs; each begins 250 cycles after the one before it on its SM.
            order = np.repeat(np.arange(blocks) // SMS, warps)
            times[:, 0], times[:, 1] = order * 1000, order * 1000 + 750
            times[::warps, 2] = np.arange(blocks) % SMS
        elif name == "nothing":
            return self._run(times, blocks * 1e-9)
        moved = extra * 1024
        rate = L2_BANDWIDTH if moved < 50 << 20 else BANDWIDTH * 0.9
        seconds = n * moved / rate if name in ("read_l2", "write_global") else n * each / HERTZ
        return self._run(times, 1e-5 + seconds)

    def _cycles(self, name: str, warps: int, extra: int) -> float:
        """Of an iteration."""
        operation = name.rpartition("_")[0]
        if operation in LATENCY and name.endswith("_1"):
            return LATENCY[operation] * (16 if operation.startswith("mma") else 64)
        if name.startswith("chase_"):
            return 32 * (
                29.0 if name == "chase_shared" else 500.0 if name == "chase_atomic" else CHASES[self._followed]
            )
        if name == "barriers":
            return 32 * (10.0 + warps)
        if name == "l1_lines":
            return 32.0 * warps * extra / 2
        return 64.0 * warps

    def follow(self, size: int) -> None:
        sizes = sys.modules["model_measurements"].CHASED
        self._followed = next(name for name, one in sizes.items() if one == size)

    def graph(self, name: str, launches: int) -> float:
        return 1e-5 + launches * 2e-6


def test_the_kernels_have_the_machine_code_that_is_measured(calibration: ModuleType, tmp_path: Path) -> None:
    kernels = {name: kernel for name, kernel in calibration.all_kernels().items() if name in SOME}
    code = calibration.disassemble(calibration.compile_all(kernels), calibration.FILE, tmp_path)
    assert calibration.wrong_code(kernels, code) == []
    swapped = {**kernels, "ffma_1": kernels["dfma_1"]}
    assert calibration.wrong_code(swapped, {**code, "dfma_1": code["ffma_1"]})[0].startswith("dfma_1: 0 DFMA")


def test_the_values_are_those_of_the_gpu(calibration: ModuleType) -> None:
    gpu = PlayedGpu(calibration)
    measured = calibration.measure(gpu)
    table = json.loads(json.dumps(calibration.table(gpu, measured)))
    assert (table["gpu"], table["driver"], table["sms"]) == ("Played", "1.0", SMS)
    expected = {
        "clock_share": 0.75,
        "latency_arithmetic": 4.0,
        "latency_double": 8.0,
        "latency_special": 18.0,
        "latency_tensor": 33.0,
        "latency_shuffle": 23.0,
        "latency_shared": 29.0,
        "latency_l1": 40.0,
        "latency_l2": 260.0,
        "latency_dram": 600.0,
        "latency_atomic": 500.0,
        "latency_barrier": 18.0,
        "l1_lines_per_cycle": 2.0,
        "l2_bytes_per_cycle": L2_BANDWIDTH / SMS / HERTZ,
        "dram_share": 0.9,
        "block_start": 250.0,
        "launch_seconds": 2e-6,
    }
    assert {name: table["values"][name] for name in expected} == pytest.approx(expected, rel=1e-3)
    assert (measured["latencies"]["l2_near"], measured["latencies"]["l2_far"]) == (200.0, 300.0)
    assert measured["pipes"]["ffma"]["rate"] == pytest.approx(32.0)
