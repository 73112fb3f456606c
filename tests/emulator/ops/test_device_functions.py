"""CUDA's own functions, as the compiler builds them from these instructions, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ..cases import Case
from ..emulated import on_emulator
from ..harness import compile_ptx
from .apply import Array

RNG = np.random.default_rng(9)
HEADERS = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_fp8.h>\n"


def evaluate(expressions: list[str], given: str, result: str, *arrays: Array, out: str) -> list[Array]:
    """The C++ expressions of x, y (of type `given`), as arrays of type `result`."""
    names = ["x", "y"][: len(arrays)]
    parameters = ", ".join(f"const {given}* {n}s" for n in names)
    body = "".join(f"    out[{k} * n + i] = {e};\n" for k, e in enumerate(expressions))
    loads = "".join(f"    {given} {n} = {n}s[i];\n" for n in names)
    source = (
        f'{HEADERS}extern "C" __global__ void apply({parameters}, {result}* out, int n) {{\n'
        f"    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n{loads}{body}}}\n"
    )
    n = len(arrays[0])
    arguments: dict[str, Any] = {f"{name}s": a for name, a in zip(names, arrays, strict=True)}
    arguments |= {"out": np.zeros(n * len(expressions), out), "n": n}
    case = Case("", "apply", (-(-n // 128), 1, 1), (128, 1, 1), arguments)
    return list(on_emulator(compile_ptx(source), case).arrays["out"].reshape(len(expressions), n))


def test_single_precision() -> None:
    x = np.concatenate([RNG.uniform(-9, 9, 300), [0.0, 1.0, -1.0, 1e-6]]).astype("f4")
    y = RNG.uniform(0.1, 3, len(x)).astype("f4")
    wide = x.astype("f8"), y.astype("f8")
    rows = {
        "expf(x)": np.exp(wide[0]),
        "logf(y)": np.log(wide[1]),
        "powf(y, x)": wide[1] ** wide[0],
        "sinf(x)": np.sin(wide[0]),
        "cosf(x)": np.cos(wide[0]),
        "tanhf(x)": np.tanh(wide[0]),
        "sqrtf(y)": np.sqrt(wide[1]),
        "rsqrtf(y)": 1 / np.sqrt(wide[1]),
        "exp2f(x)": np.exp2(wide[0]),
        "log1pf(y)": np.log1p(wide[1]),
        "expm1f(x)": np.expm1(wide[0]),
        "atan2f(x, y)": np.arctan2(*wide),
        "x / y": wide[0] / wide[1],
        "fmodf(x, y)": np.fmod(*wide),
        "erff(x) + erfcf(x)": np.ones(len(x)),
    }
    results = evaluate(list(rows), "float", "float", x, y, out="f4")
    for (name, wanted), got in zip(rows.items(), results, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-7, err_msg=name)


def test_fast_single_precision() -> None:
    x, y = RNG.uniform(-3, 3, 300).astype("f4"), RNG.uniform(0.1, 3, 300).astype("f4")
    wide = x.astype("f8"), y.astype("f8")
    rows = {
        "__expf(x)": np.exp(wide[0]),
        "__logf(y)": np.log(wide[1]),
        "__powf(y, x)": wide[1] ** wide[0],
        "__sinf(x)": np.sin(wide[0]),
        "__cosf(x)": np.cos(wide[0]),
        "__fdividef(x, y)": wide[0] / wide[1],
        "__frsqrt_rn(y)": 1 / np.sqrt(wide[1]),
    }
    results = evaluate(list(rows), "float", "float", x, y, out="f4")
    for (name, wanted), got in zip(rows.items(), results, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=2e-6, atol=1e-6, err_msg=name)


def test_double_precision() -> None:
    x, y = RNG.uniform(-20, 20, 200), RNG.uniform(0.01, 9, 200)
    rows = {
        "exp(x)": np.exp(x),
        "log(y)": np.log(y),
        "sin(x)": np.sin(x),
        "cos(x)": np.cos(x),
        "pow(y, x)": y**x,
        "tanh(x)": np.tanh(x),
        "rsqrt(y)": 1 / np.sqrt(y),
        "cbrt(x)": np.cbrt(x),
        "atan(x)": np.arctan(x),
        "x / y": x / y,
    }
    results = evaluate(list(rows), "double", "double", x, y, out="f8")
    for (name, wanted), got in zip(rows.items(), results, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-14, atol=1e-16, err_msg=name)


def test_half_functions() -> None:
    x, y = RNG.uniform(-4, 4, 300).astype("f2"), RNG.uniform(0.1, 4, 300).astype("f2")
    wide = x.astype("f8"), y.astype("f8")
    rows = {
        "hexp(x)": np.exp(wide[0]),
        "hlog(y)": np.log(wide[1]),
        "hsin(x)": np.sin(wide[0]),
        "hcos(x)": np.cos(wide[0]),
        "hsqrt(y)": np.sqrt(wide[1]),
        "hrsqrt(y)": 1 / np.sqrt(wide[1]),
        "x / y": wide[0] / wide[1],
        "hfloor(x)": np.floor(wide[0]),
        "hrint(x)": np.rint(wide[0]),
        "__hmax_nan(x, y)": np.maximum(*wide),
        "__high2half(__hfma2(make_half2(y, x), make_half2(x, y), make_half2(y, y)))": wide[0] * wide[1] + wide[1],
        "__double2half(__half2float(x) * 3.0)": wide[0] * 3,
    }
    results = evaluate(list(rows), "__half", "__half", x, y, out="f2")
    for (name, wanted), got in zip(rows.items(), results, strict=True):
        np.testing.assert_allclose(got.astype("f8"), wanted, rtol=2.0**-10, atol=2.0**-12, err_msg=name)


def test_brain_float_functions() -> None:
    x, y = (RNG.uniform(low, 4, 300).astype("f4") for low in (-4, 0.1))
    x, y = ((v.view("u4") & np.uint32(0xFFFF0000)).view("f4") for v in (x, y))
    wide = x.astype("f8"), y.astype("f8")
    rows = {
        "x + y": wide[0] + wide[1],
        "x - y": wide[0] - wide[1],
        "x * y": wide[0] * wide[1],
        "x / y": wide[0] / wide[1],
        "hexp(x)": np.exp(wide[0]),
        "hlog2(y)": np.log2(wide[1]),
        "htrunc(x)": np.trunc(wide[0]),
        "__hmin(x, y)": np.minimum(*wide),
        "__low2bfloat16(__hadd2(make_bfloat162(x, y), make_bfloat162(y, y)))": wide[0] + wide[1],
    }
    short = [(v.view("u4") >> np.uint32(16)).astype("u2") for v in (x, y)]
    results = evaluate(list(rows), "__nv_bfloat16", "__nv_bfloat16", *short, out="u2")
    for (name, wanted), got in zip(rows.items(), results, strict=True):
        value = (got.astype("u4") << np.uint32(16)).view("f4")
        np.testing.assert_allclose(value, wanted, rtol=2.0**-8, atol=2.0**-9, err_msg=name)


@pytest.mark.parametrize(("kind", "step"), [("__nv_fp8_e4m3", 2.0**-4), ("__nv_fp8_e5m2", 2.0**-3)])
def test_eight_bit_floats_there_and_back(kind: str, step: float) -> None:
    x = RNG.uniform(-300, 300, 200).astype("f4")
    (got,) = evaluate([f"float({kind}(x))"], "float", "float", x, out="f4")
    np.testing.assert_allclose(got, x, rtol=step, atol=2.0**-9)
