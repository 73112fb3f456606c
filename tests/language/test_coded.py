"""bf16 and fp8 as bits: every code, rounding to even, saturation and gaps, beside PyTorch's own conversions."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from grader.problem.coded import CODED

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")
TORCH = {"bf16": "bfloat16", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2"}


def codes_of(name: str) -> np.ndarray:
    bits = np.dtype(CODED[name].numpy).itemsize * 8
    return np.arange(1 << bits, dtype=CODED[name].numpy)


@pytest.mark.parametrize("name", CODED)
def test_every_number_comes_back_as_its_code(name: str) -> None:
    coded, codes = CODED[name], codes_of(name)
    numbers = coded.decode(codes)
    finite = np.isfinite(numbers)
    assert numbers.dtype == np.float32 and finite.sum() == 2 * (coded.largest + 1)
    assert np.array_equal(coded.encode(numbers[finite]), codes[finite])


@pytest.mark.parametrize("name", CODED)
def test_what_lies_between_goes_to_the_nearest_and_ties_to_even(name: str) -> None:
    coded = CODED[name]
    positive = np.arange(coded.largest, dtype=coded.numpy)
    low, high = (coded.decode(codes).astype(np.float64) for codes in (positive, positive + 1))
    middle = (low + high) / 2
    even = np.where(positive % 2 == 0, low, high)
    assert np.array_equal(coded.round(middle), even)
    assert np.array_equal(coded.round(np.nextafter(middle, 0)), low)
    assert np.array_equal(coded.round(-np.nextafter(middle, np.inf)), -high)
    assert np.array_equal(coded.ulp(low), high - low)
    assert np.array_equal(coded.gap_below(-high), high - low)
    assert coded.ulp(np.zeros(1)) == coded.gap_below(np.zeros(1)) == high[0]


def test_beyond_the_largest_number() -> None:
    far = np.array([1e39, -1e39, np.inf, -np.inf])
    assert CODED["e4m3"].round(far).tolist() == [448, -448, 448, -448]
    assert CODED["e5m2"].round(far).tolist() == [57344, -57344, 57344, -57344]
    assert CODED["bf16"].round(far).tolist() == [np.inf, -np.inf, np.inf, -np.inf]
    assert all(np.isnan(coded.round(np.array([np.nan]))).all() for coded in CODED.values())
    assert np.signbit(CODED["e4m3"].round(np.array([-0.0]))).all()


@needs_torch
@pytest.mark.parametrize("name", CODED)
def test_conversions_are_pytorchs(name: str) -> None:
    import torch

    coded, dtype = CODED[name], getattr(torch, TORCH[name])
    bits = torch.int16 if name == "bf16" else torch.uint8
    theirs = torch.from_numpy(codes_of(name).view("i2" if name == "bf16" else "u1")).view(dtype).float().numpy()
    ours = coded.decode(codes_of(name))
    # PyTorch and CUDA have infinity in e5m2, which CUDA's conversions of finite numbers never give.
    assert np.array_equal(np.isnan(ours), np.isnan(theirs)) and np.array_equal(ours[ours == ours], theirs[ours == ours])
    rng = np.random.default_rng(1)
    values = (rng.standard_normal(20_000) * 2.0 ** rng.integers(-20, 8, 20_000)).astype(np.float32)
    values = values[abs(values) <= 448]
    encoded = torch.from_numpy(values).to(dtype).view(bits).numpy().view(coded.numpy)
    assert np.array_equal(coded.encode(values), encoded)
