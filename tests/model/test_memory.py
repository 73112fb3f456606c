"""Which memory serves a launch's accesses."""

from __future__ import annotations

import numpy as np
import pytest

from grader.model.footprint import Footprint
from grader.model.gpus import gpu_named
from grader.model.memory import SECTOR, traffic_of
from grader.model.sampling import LaunchSample, Row, Way

H200 = gpu_named("H200")
BLOCKS = 528


def row(sectors: float, reuse: tuple[tuple[float, float, float], ...]) -> Row:
    return Row(
        *(1, "ld.global.f32 %f1, [%rd1]", "ld", ("global", "f32"), 0, "A", ("%f1",), ("%rd1",), False, 1000.0),
        *(1.0, sectors, 0.0, 0.0, 0.0, 128.0, 32.0, 1.0, reuse),
    )


def launch(block: int, passes: int, written: float = 0.0) -> LaunchSample:
    """Each block loads `block` sectors of its own so often, in order."""
    starts, ends = np.array([0]), np.array([block])
    footprint = Footprint("A", block * BLOCKS, starts, ends, (0, 0, 0), (float(block), 0.0, 0.0), block, True, written)
    sectors = block * BLOCKS * passes / 1000.0
    loads = row(sectors, ((float(block), (passes - 1) / passes, block / 4),))
    return LaunchSample(
        *("k", "k", (BLOCKS, 1, 1), (512, 1, 1), 0, 3, 1000.0, 1000.0 / BLOCKS, 0.0, (loads,)),
        *((Way(16, ()),), (footprint,)),
    )


def dram_sectors(found: LaunchSample) -> float:
    return traffic_of(found, H200, 0, 4).bytes / SECTOR / BLOCKS


def test_what_fits_into_l2_comes_once() -> None:
    # 528 blocks of 32 KiB are 17 MB.
    assert dram_sectors(launch(1024, 3)) == pytest.approx(1024)


def test_what_all_blocks_touch_between_two_passes_pushes_out_what_the_first_has_brought() -> None:
    # 528 blocks of 256 KiB are 138 MB, nearly three times what L2 holds.
    assert dram_sectors(launch(8192, 3)) == pytest.approx(3 * 8192)
    assert traffic_of(launch(8192, 3), H200, 0, 4).dram["A"] == pytest.approx(1.0)


def test_what_was_written_goes_back_each_time() -> None:
    assert dram_sectors(launch(8192, 3, written=1.0)) == pytest.approx(8192 + 2 * 2 * 8192)
