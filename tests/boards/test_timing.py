"""Remarks on a measurement: none where all is well, a sentence for each thing that is not."""

from dataclasses import replace

from grader.boards.timing import remarks
from grader.core.report import Interval, Measurement

from .measurements import H200, matmul_times, timed, vector_times


def said(measurement: Measurement) -> list[str]:
    return list(remarks(measurement))


def test_nothing_is_said_of_sound_times() -> None:
    assert said(matmul_times()) == []
    assert said(replace(matmul_times(), null_ratio=None)) == []


def test_each_thing_that_is_not_sound_is_said() -> None:
    null, light, slowed, scatters = said(vector_times())
    assert null.startswith("The baseline timed against itself gave 1.0102")
    assert light.startswith("With N=300000000 the kernel reached 107 % of the speed of light")
    assert slowed.startswith("The GPU slowed itself down (power cap, thermal slowdown)")
    assert slowed.endswith("N=64000000.")
    assert scatters.startswith("The time with N=1000000 scatters: ± 13 %.")


def test_the_tolerance_of_the_null_test() -> None:
    within, outside = (replace(matmul_times(), null_ratio=Interval(v, v, v)) for v in (0.9971, 0.9969))
    assert said(within) == [] and len(said(outside)) == 1


def test_up_to_five_per_cent_above_the_ceilings_is_the_ceilings_own_error() -> None:
    within, outside = (timed({"N": 1}, 12e9 / H200.bandwidth / share, 10, 12 * 10**9) for share in (1.049, 1.051))
    assert said(Measurement((within,), H200, None)) == []
    assert len(said(Measurement((outside,), H200, None))) == 1
