"""What the preprocessor leaves decides the form: macros, conditions and blocks of linkage in every combination."""

from __future__ import annotations

import pytest

from grader.compile.condition_value import value_of
from grader.compile.parse import parse
from grader.compile.preprocess import preprocess
from grader.core.verdict import Form

SOLVE = "void solve(const float* a, float* b, int N) { run(a, b, N); }\n"


@pytest.mark.parametrize(
    "text",
    [
        f'extern "C" {SOLVE}',
        f'#define API extern "C"\nAPI {SOLVE}',
        f'#define C_ "C"\n#define EXTERN extern C_\n#define API EXTERN\nAPI {SOLVE}',
        f'#define BEGIN extern "C" {{\n#define END }}\nBEGIN\n{SOLVE}END\n',
        '#define C(type) extern "C" type\nC(void) solve(float* a) {}\n',
        '#define G(x) extern "C" x\n#define H G\nH(void) solve(float* a) {}\n',
        '#define NAME solve\nextern "C" void NAME(float* a) {}\n',
        '#define PASTE(x) so ## x\nextern "C" void PASTE(lve)(float* a) {}\n',
        '#define D(...) extern "C" void __VA_ARGS__\nD(solve(float* a, int N)) {}\n',
        '#define ALL extern "C" void solve(float* a) {}\nALL\n',
        f'#ifdef __cplusplus\nextern "C" {{\n#endif\n{SOLVE}#ifdef __cplusplus\n}}\n#endif\n',
        f'#define ON 2\n#if ON > 1 && defined(ON)\nextern "C" {SOLVE}#endif\n',
        f'#ifdef __CUDACC_RTC__\n__global__ void k() {{}}\n#else\nextern "C" {SOLVE}#endif\n',
        f'#if __has_include(<mma.h>)\nextern "C" {SOLVE}#endif\n',
    ],
)
def test_a_solve_of_c_linkage_is_found_behind_macros(text: str) -> None:
    assert parse(text).form is Form.SOLVE


@pytest.mark.parametrize(
    "text",
    [
        f'#if 0\nextern "C" {SOLVE}#endif\n__global__ void k() {{}}\n',
        f'#define ON 0\n#if ON\nextern "C" {SOLVE}#endif\n',
        f'#if 1\n#elif 1\nextern "C" {SOLVE}#else\nextern "C" {SOLVE}#endif\n',
        f'#define solve other\nextern "C" {SOLVE}',
        f'#define API extern "C"\n#undef API\n#define API\nAPI {SOLVE}',
    ],
)
def test_what_the_preprocessor_drops_or_renames_is_no_solve(text: str) -> None:
    assert parse(text).form is Form.KERNEL


def test_macros_that_never_end_stay_as_they_are() -> None:
    doubling = "".join(f"#define a{i + 1} a{i} a{i}\n" for i in range(60))
    assert "a" in preprocess(f"{doubling}a60\n")
    assert preprocess("#define f(x) f(x) f(x)\nf(1)\n").split() == ["f(1)", "f(1)"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3 == 7", 1),
        ("!defined", 1),
        ("(0x10 > 15L) && !(2 < 1)", 1),
        ("0 && __unknown", 0),
        ("1 || __unknown", 1),
        ("__unknown", None),
        ("-1 < 0", 1),
        ("1 2", None),
        ("(" * 100, None),
        ("9" * 5000, None),
        ("__has_include(<a>)", None),
    ],
)
def test_the_value_of_a_condition(expression: str, value: int | None) -> None:
    assert value_of(expression) == value
