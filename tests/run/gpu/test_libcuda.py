"""The layouts of cuda.h as ctypes has them; what the driver is asked for launches and tensor maps, without a driver."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pytest

from grader.run.gpu import libcuda
from grader.run.gpu.libcuda import Attribute, AttributeValue, LaunchConfig, TensorMapBytes


def test_structures_are_laid_out_as_in_cuda_h() -> None:
    # What g++ says of CUDA 13.0's header on x86-64: sizeof and offsetof.
    assert [ctypes.sizeof(each) for each in (Attribute, AttributeValue, LaunchConfig, TensorMapBytes)] == [
        *(72, 64, 56, 128),
    ]
    assert Attribute.value.offset == 8
    fields = ("grid", "block", "shared_bytes", "stream", "attributes", "count")
    assert [getattr(LaunchConfig, name).offset for name in fields] == [0, 12, 24, 32, 40, 48]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[Any, ...]]]:
    """What the driver was called with."""
    seen: list[tuple[Any, ...]] = []

    class Driver:
        def __init__(self, name: str) -> None:
            assert name == "libcuda.so.1"

        def __getattr__(self, name: str) -> Any:
            def called(*arguments: Any) -> int:
                seen.append((name, *arguments))
                if name == "cuTensorMapEncodeTiled":
                    ctypes.memset(arguments[0].value, 0x5A, 128)
                return 0

            return called

    libcuda._function.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", Driver)
    yield seen
    libcuda._function.cache_clear()


@pytest.mark.parametrize(
    ("cooperative", "cluster", "attributes"),
    [(True, (0, 0, 0), [2]), (False, (2, 3, 1), [4]), (True, (2, 1, 1), [2, 4])],
)
def test_attributes_of_a_launch(
    calls: list[tuple[Any, ...]], cooperative: bool, cluster: tuple[int, int, int], attributes: list[int]
) -> None:
    libcuda.launch(64, (4, 5, 6), (32, 2, 1), 1024, 128, 256, cooperative, cluster)
    ((name, config, function, arguments, extra),) = calls
    config = config._obj
    assert (name, function.value, arguments.value, extra) == ("cuLaunchKernelEx", 64, 256, None)
    assert (list(config.grid), list(config.block), config.shared_bytes, config.stream) == (
        [4, 5, 6],
        [32, 2, 1],
        1024,
        128,
    )
    found = config.attributes[: config.count]
    assert [each.id for each in found] == attributes
    values = {each.id: each.value for each in found}
    assert 2 not in values or values[2].cooperative == 1
    assert 4 not in values or tuple(values[4].cluster) == cluster


def test_a_tensor_map_is_made_where_its_alignment_allows(calls: list[tuple[Any, ...]]) -> None:
    asked = {
        "dtype": 7,
        "rank": 2,
        "address": 4096,
        "dims": [20, 50],
        "strides": [80],
        "box": [32, 8],
        "element_strides": [1, 1],
        "interleave": 0,
        "swizzle": 3,
        "l2": 2,
        "oob": 1,
    }
    assert libcuda.encode_tensor_map(asked) == b"\x5a" * 128
    ((_, place, dtype, rank, address, dims, strides, box, steps, *words),) = calls
    assert place.value % 128 == 0
    assert (dtype, rank.value, address.value, words) == (7, 2, 4096, [0, 3, 2, 1])
    assert (list(dims), list(strides)[:1], list(box), list(steps)) == ([20, 50], [80], [32, 8], [1, 1])


@pytest.mark.parametrize(("offered", "sizes"), [(("cuFuncGetParamInfo",), [8, 4]), ((), None)])
def test_the_parameters_of_a_kernel(
    monkeypatch: pytest.MonkeyPatch, offered: tuple[str, ...], sizes: list[int] | None
) -> None:
    class Driver:
        def __init__(self, name: str) -> None:
            assert name == "libcuda.so.1"

        def __getattr__(self, name: str) -> Any:
            if name not in offered:
                raise AttributeError(name)

            def called(function: ctypes.c_void_p, number: ctypes.c_size_t, offset: Any, size: Any) -> int:
                if number.value >= 2:
                    return 1
                size._obj.value = (8, 4)[number.value]
                return 0

            return called

    libcuda._function.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", Driver)
    assert libcuda.parameter_bytes(64) == sizes
    libcuda._function.cache_clear()
