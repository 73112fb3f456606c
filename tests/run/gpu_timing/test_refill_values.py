"""The judge's half of the refill, which needs no GPU."""

from __future__ import annotations

import numpy as np
import pytest

from grader.run.gpu.device_code import compile_cubin
from grader.run.gpu.instruments import SOURCE as INSTRUMENTS
from grader.run.gpu.refill import SOURCE as REFILL
from grader.run.gpu.refill import make_values, replay_key, stream_of

KEY = replay_key(11, "candidate", 1)


@pytest.mark.parametrize("sigma", [1.0, 3.0])
def test_values_are_nearly_normal(sigma: float) -> None:
    values = make_values(KEY, 1, 400_000, sigma).astype(np.float64)
    assert values.dtype == np.float64
    assert abs(values.mean()) < 0.006 * sigma
    assert values.std() == pytest.approx(sigma, rel=0.005)
    assert np.abs(values).max() < 3.001 * sigma
    # A uniform distribution of this deviation has no value beyond 1.73 sigma.
    assert 0.05 < (np.abs(values) > 1.8 * sigma).mean() < 0.09


def test_values_use_all_bits_of_a_float() -> None:
    bits = make_values(KEY, 1, 10_000, 1.0).view(np.uint32)
    assert 0.4 < (bits & 1).mean() < 0.6
    assert len(np.unique(bits)) > 9_900


def test_a_part_is_the_same_whatever_the_length() -> None:
    long = make_values(KEY, 1, 200_000, 1.0)
    assert np.array_equal(make_values(KEY, 1, 70_001, 1.0), long[:70_001])


@pytest.mark.parametrize(
    ("other_key", "other_stream"),
    [(KEY, 2), (replay_key(11, "candidate", 2), 1), (replay_key(12, "candidate", 1), 1), (replay_key(11, "b", 1), 1)],
)
def test_arrays_replays_seeds_and_sides_are_independent(other_key: int, other_stream: int) -> None:
    a, b = make_values(KEY, 1, 100_000, 1.0), make_values(other_key, other_stream, 100_000, 1.0)
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.02
    assert (a == b).mean() < 0.001
    # Not a shifted copy either: a counter started elsewhere would be one.
    assert not np.isin(a[:100], b).sum() > 20


def test_neighbours_are_independent() -> None:
    values = make_values(KEY, 1, 200_000, 1.0)
    for shift in (1, 2, 32, 1024):
        assert abs(np.corrcoef(values[:-shift], values[shift:])[0, 1]) < 0.01


def test_every_input_has_a_stream_of_its_own() -> None:
    streams = [stream_of(s, 3, p) for s in range(4) for p in range(3)]
    assert streams == list(range(1, 13))


@pytest.mark.parametrize("capability", ["75", "90", "120"])
def test_the_device_code_compiles_for_old_and_new_gpus(capability: str) -> None:
    assert compile_cubin(REFILL + INSTRUMENTS, capability).startswith(b"\x7fELF")
