"""Standard headers for device code, which NVRTC lacks and files written for nvcc include.

Each declares what nvcc offers to device code and nothing for the host, so that the kernels of a file with host code
compile unchanged. They replace no header of CUDA itself.
"""

from __future__ import annotations

IMPLICIT = "kgrade_implicit.h"
"""The header that nvcc includes before the first line of every file, reduced to what device code sees."""

_CLIMITS = """
#pragma once
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295U
#define LONG_MAX 9223372036854775807L
#define LONG_MIN (-LONG_MAX - 1L)
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MAX 9223372036854775807LL
#define LLONG_MIN (-LLONG_MAX - 1LL)
#define ULLONG_MAX 18446744073709551615ULL
"""

_CFLOAT = """
#pragma once
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-016
"""

# 64-bit integers are `long long`, as in CCCL's headers, because a second definition has to be identical.
_SIGNED_TYPES = """
#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
"""

_CSTDINT = """
#pragma once
#include <kgrade_signed_types.h>
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int64_t intptr_t;
typedef uint64_t uintptr_t;
typedef int64_t intmax_t;
typedef uint64_t uintmax_t;
typedef int8_t int_least8_t;
typedef int16_t int_least16_t;
typedef int32_t int_least32_t;
typedef int64_t int_least64_t;
typedef uint8_t uint_least8_t;
typedef uint16_t uint_least16_t;
typedef uint32_t uint_least32_t;
typedef uint64_t uint_least64_t;
typedef int8_t int_fast8_t;
typedef int16_t int_fast16_t;
typedef int32_t int_fast32_t;
typedef int64_t int_fast64_t;
typedef uint8_t uint_fast8_t;
typedef uint16_t uint_fast16_t;
typedef uint32_t uint_fast32_t;
typedef uint64_t uint_fast64_t;
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MAX 2147483647
#define INT32_MIN (-INT32_MAX - 1)
#define UINT32_MAX 4294967295U
#define INT64_MAX 9223372036854775807LL
#define INT64_MIN (-INT64_MAX - 1LL)
#define UINT64_MAX 18446744073709551615ULL
#define SIZE_MAX 18446744073709551615UL
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::intptr_t; using ::uintptr_t; using ::intmax_t; using ::uintmax_t;
}
"""

_CSTDDEF = """
#pragma once
#ifndef offsetof
#define offsetof(type, member) ((size_t)((char*)&(((type*)0)->member) - (char*)0))
#endif
typedef decltype(nullptr) nullptr_t;
namespace std { using ::size_t; using ::ptrdiff_t; using ::nullptr_t; }
"""

_MATH_FUNCTIONS = (
    *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh"),
    *("erf", "erfc", "exp", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "frexp"),
    *("hypot", "ilogb", "ldexp", "lgamma", "llrint", "llround", "log", "log10", "log1p", "log2", "logb"),
    *("lrint", "lround", "modf", "nearbyint", "nextafter", "pow", "remainder", "remquo", "rint", "round"),
    *("scalbln", "scalbn", "sin", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc", "abs"),
    *("isnan", "isinf", "isfinite", "signbit"),
)

_CMATH = f"""
#pragma once
#define HUGE_VALF (__int_as_float(0x7f800000))
#define HUGE_VAL (__longlong_as_double(0x7ff0000000000000LL))
#define INFINITY (__int_as_float(0x7f800000))
#define NAN (__int_as_float(0x7fffffff))
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
namespace std {{ {" ".join(f"using ::{name};" for name in _MATH_FUNCTIONS)} }}
"""

_SYSTEM_TYPES = """
#pragma once
#include <kgrade_signed_types.h>
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
"""

_ALGORITHM = """
#pragma once
namespace std {
template <class T> __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> __device__ constexpr void swap(T& a, T& b) { T c = a; a = b; b = c; }
}
"""

_FROM_CCCL = """
#pragma once
#include <cuda/std/{name}>
namespace std {{ using namespace cuda::std; }}
"""

# The device-wide half of CUB launches kernels from the host and does not compile here; its block and warp
# primitives do.
_CUB = "#pragma once\n" + "".join(
    f"#include <cub/{name}.cuh>\n"
    for name in (
        *("block/block_reduce", "block/block_scan", "block/block_load", "block/block_store"),
        *("block/block_exchange", "block/block_radix_sort", "block/block_histogram"),
        *("block/block_discontinuity", "block/block_shuffle"),
        *("warp/warp_reduce", "warp/warp_scan", "warp/warp_exchange"),
    )
)

_NOTHING_FOR_DEVICE_CODE = (
    *(
        "stdio.h",
        "cstdio",
        "stdlib.h",
        "cstdlib",
        "string.h",
        "cstring",
        "assert.h",
        "cassert",
        "time.h",
        "ctime",
    ),
    *(
        "errno.h",
        "cerrno",
        "unistd.h",
        "sys/time.h",
        "sys/types.h",
        "signal.h",
        "stdarg.h",
        "cstdarg",
        "stdbool.h",
    ),
    *("iostream", "fstream", "sstream", "iomanip", "ostream", "istream", "string", "string_view", "chrono"),
    *(
        "vector",
        "array",
        "map",
        "set",
        "unordered_map",
        "unordered_set",
        "list",
        "deque",
        "queue",
        "stack",
        "tuple",
    ),
    *("memory", "random", "functional", "numeric", "iterator", "thread", "mutex", "atomic", "exception"),
    *(
        "stdexcept",
        "cctype",
        "ctype.h",
        "new",
        "initializer_list",
        "optional",
        "complex",
        "bitset",
        "filesystem",
    ),
)


def _all_headers() -> dict[str, str]:
    headers = dict.fromkeys(_NOTHING_FOR_DEVICE_CODE, "#pragma once\n")
    for c_name, cpp_name, text in (
        ("limits.h", "climits", _CLIMITS),
        ("float.h", "cfloat", _CFLOAT),
        ("stdint.h", "cstdint", _CSTDINT),
        ("inttypes.h", "cinttypes", "#include <stdint.h>\n"),
        ("stddef.h", "cstddef", _CSTDDEF),
        ("math.h", "cmath", _CMATH),
    ):
        headers[c_name] = text
        # `#pragma once` works per file, so the second name of a text must not define it again.
        headers[cpp_name] = f"#include <{c_name}>\n"
    headers["algorithm"] = _ALGORITHM
    headers["utility"] = "#include <algorithm>\n"
    headers["limits"] = _FROM_CCCL.format(name="limits")
    headers["type_traits"] = _FROM_CCCL.format(name="type_traits")
    headers["cub/cub.cuh"] = _CUB
    headers["kgrade_signed_types.h"] = _SIGNED_TYPES
    headers["kgrade_system_types.h"] = _SYSTEM_TYPES
    headers[IMPLICIT] = "".join(
        f"#include <{name}>\n" for name in ("kgrade_system_types.h", "limits.h", "stddef.h", "math.h")
    )
    return headers


HEADERS = _all_headers()
"""Name → text, for NVRTC."""
