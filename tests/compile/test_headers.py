"""Standard headers: files that are written for nvcc compile as they are."""

from __future__ import annotations

import pytest

from grader.compile.headers import HEADERS
from tests.compile.samples import KERNEL, build, kernel_with, refusal

CUDA_HEADERS = (
    *("cuda_runtime.h", "cuda.h", "cuda_fp16.h", "cuda_bf16.h", "device_launch_parameters.h", "math_constants.h"),
    *("vector_types.h", "cuda/std/cmath", "cuda/std/cstdint"),
    *("cuda/std/limits", "mma.h", "cooperative_groups.h", "cuda_pipeline.h"),
)


def including(*names: str) -> str:
    return "".join(f"#include <{name}>\n" for name in names)


BLOCK_SUM = kernel_with(
    "typedef cub::BlockReduce<float, 256> Reduce; __shared__ typename Reduce::TempStorage storage;"
    "float sum = Reduce(storage).Sum(a[n]); if (threadIdx.x == 0) b[0] = sum;"
)


def test_all_headers_go_together_and_cub_works_from_its_one_header() -> None:
    assert build(including(*HEADERS, *CUDA_HEADERS) + BLOCK_SUM).diagnostics == ()


def test_headers_of_cuda_may_come_first() -> None:
    standard = set(HEADERS) - {"cub/cub.cuh", "type_traits"}
    names = ("cuda/std/limits", "cuda/std/cstdint", "cuda/std/climits", *sorted(standard))
    assert build(including(*names) + KERNEL).kernels[0].parameter_bytes == (8, 8, 4)


@pytest.mark.parametrize(
    "expression",
    [
        "1.0 * INT_MAX + UINT_MAX + LLONG_MAX + CHAR_BIT",
        "INFINITY + NAN + HUGE_VALF + M_PI + M_SQRT2",
        "sizeof(int64_t) + sizeof(uint) + sizeof(ushort) + sizeof(std::size_t)",
        "std::sqrt(a[0]) + std::exp(a[1]) + std::abs(a[2]) + std::pow(a[3], 2.0f) + std::fmax(a[4], a[5])",
        "std::isnan(a[0]) + isinf(a[0]) + std::abs(n)",
        'printf("%d", n) + (assert(n > 0), 1)',
        "sizeof(decltype(nullptr)) + offsetof(int2, y)",
    ],
)
def test_what_nvcc_knows_without_an_include(expression: str) -> None:
    assert build(kernel_with(f"b[0] = {expression};")).diagnostics == ()


def test_what_headers_bring() -> None:
    head = including("float.h", "cstdint", "climits", "algorithm", "limits", "type_traits", "stddef.h", "stdio.h")
    statements = (
        "uint32_t u = UINT32_MAX; std::uint64_t w = UINT64_MAX; int8_t s = INT8_MIN; float x = a[0], y = a[1];"
        "b[0] = FLT_MAX + FLT_EPSILON + DBL_MAX + u + w + s; b[1] = std::max(x, y) + std::min(x, y);"
        "std::swap(x, y); b[2] = std::numeric_limits<float>::infinity() + x + SIZE_MAX;"
        "b[3] = std::is_same<float, double>::value;"
    )
    assert build(head + kernel_with(statements)).diagnostics == ()


def test_limits_are_exact() -> None:
    checks = (
        "static_assert(INT_MIN == -2147483647 - 1 && INT_MAX == 0x7fffffff && UINT_MAX == ~0u);",
        "static_assert(LLONG_MIN == -LLONG_MAX - 1 && ULLONG_MAX == ~0ull && LONG_MAX == LLONG_MAX);",
        "static_assert(SHRT_MIN == (short)0x8000 && USHRT_MAX == 0xffff && SCHAR_MIN == -128);",
        "static_assert(sizeof(int8_t) == 1 && sizeof(int16_t) == 2 && sizeof(int32_t) == 4);",
        "static_assert(sizeof(uint8_t) == 1 && sizeof(uint16_t) == 2 && sizeof(uint64_t) == 8);",
        "static_assert((uint32_t)-1 == UINT32_MAX && (uint64_t)-1 == UINT64_MAX && (int64_t)-1 < 0);",
        "static_assert(sizeof(intptr_t) == 8 && sizeof(size_t) == 8 && SIZE_MAX == UINT64_MAX);",
        "static_assert(FLT_MAX == std::numeric_limits<float>::max());",
        "static_assert(FLT_MIN == std::numeric_limits<float>::min());",
        "static_assert(FLT_EPSILON == std::numeric_limits<float>::epsilon());",
        "static_assert(DBL_MAX == std::numeric_limits<double>::max());",
        "static_assert(DBL_MIN == std::numeric_limits<double>::min());",
        "static_assert(DBL_EPSILON == std::numeric_limits<double>::epsilon());",
    )
    assert build(including("stdint.h", "float.h", "limits") + "\n".join(checks) + "\n" + KERNEL)


def test_a_submission_may_define_what_nvcc_defines() -> None:
    diagnostics = build("#ifndef M_PI\n#define M_PI 3.0\n#endif\n#define uint32 unsigned\n" + KERNEL).diagnostics
    assert diagnostics == ()


def test_host_headers_bring_nothing_to_device_code() -> None:
    failure = refusal(including("vector") + kernel_with("std::vector<int> v;"))
    assert failure.diagnostics[0].hint == "std::vector is not for device code; a kernel can't use it."
