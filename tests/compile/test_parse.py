"""Facts of a submission's text."""

from __future__ import annotations

import pytest

from grader.compile.facts import Facts, Macro
from grader.compile.parse import parse
from grader.core.verdict import Form


def names(facts: Facts, space: str) -> list[str]:
    return [f.qualified_name for f in facts.functions if f.space == space]


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(float* a) {}",
        'extern "C" __global__ void k(float* a) {}',
        "static __global__ void __launch_bounds__(256, 2) k(float* a) {}",
        "__launch_bounds__(256) __global__ void k(float* a) {}",
        "__global__\nvoid\nk(float* a)\n{\n}",
        "__global__ void __cluster_dims__(2, 1, 1) k(float* a) {}",
        "#define KERNEL __global__ void\nKERNEL k(float* a) {}",
        "#define KERNEL GLOBAL\n#define GLOBAL __global__\nKERNEL void k(float* a) {}",
        "template <int N> __global__ void k(float* a) {}",
        "#ifndef HERE\n__global__ void k(float* a) {}\n#endif",
        "#if 0\n#elif 1\n__global__ void k(float* a) {}\n#endif",
        "__global__ void k(float* a);",
    ],
)
def test_finds_a_kernel(text: str) -> None:
    facts = parse(text)
    assert [k.signature for k in facts.kernels] == ["k(float* a)"]


@pytest.mark.parametrize("head", ["__global__ void {}", "__global__ {} void", "template <int N> __global__ void {}\n"])
@pytest.mark.parametrize(
    "attribute",
    [
        "__cluster_dims__(2, 1, 1)",
        "__maxnreg__(65536 / (BLOCK * 2))",
        "__block_size__((128, 1, 1), (2, 1, 1))",
        "__launch_bounds__(128) __cluster_dims__(SIZE)",
        "__align__(16)",
        "__nv_pure__",
        '_Pragma("nv_diag_suppress 20012")',
    ],
)
def test_an_attribute_hides_neither_its_function_nor_the_next(head: str, attribute: str) -> None:
    facts = parse(head.format(attribute) + ' k(float* a) {}\nextern "C" void solve(float* a) { k<<<1, 1>>>(a); }\n')
    assert names(facts, "kernel") == ["k"] and names(facts, "host") == ["solve"]
    assert facts.functions[0].line == 1 + head.count("\n") and facts.form is Form.SOLVE


def test_tells_kernels_device_and_host_functions_apart() -> None:
    facts = parse(
        "__device__ __forceinline__ float d(float x) { return x; }\n"
        "__host__ __device__ float both(float x) { return x; }\n"
        "namespace outer { namespace { __global__ void k() {} } __device__ int* pointer(); }\n"
        "float h(float x) { return x; }\n"
        "int* main_pointer() { return 0; }\n"
        "struct S { void method() {} };\n"
        "void S::method() {}\n"
        "// __global__ void comment() {}\n"
        'const char* text = "__global__ void string() {}";\n'
    )
    assert names(facts, "kernel") == ["outer::(anonymous)::k"]
    assert names(facts, "device") == ["d", "both", "outer::pointer"]
    assert names(facts, "host") == ["h", "main_pointer"]


def test_parameters_are_as_written_without_comments() -> None:
    facts = parse("__global__ void k(const float* __restrict__ A, /* out */ float  B[],\n  int n = 3) {}\n")
    assert facts.kernels[0].parameters == ("const float* __restrict__ A", "float B[]", "int n = 3")
    assert parse("__global__ void k(void) {}").kernels[0].parameters == ()


def test_host_variables_are_those_that_a_kernel_cannot_see() -> None:
    facts = parse(
        "int N = 4;\nfloat* h_A, *h_B;\nconst int M = 5;\nconstexpr int L = 6;\n__device__ int d;\n"
        "__constant__ float c[3];\nusing real = float;\ntypedef int integer;\nenum { E = 3 };\n"
        "extern int X;\n"
    )
    assert [v.name for v in facts.host_variables] == ["N", "h_A", "X"]


def test_statements_of_a_broken_kernel_are_not_of_the_host() -> None:
    facts = parse("__global__ void k(float* a, { int x = ; }\n int i = 3; float y = 2;\n}\n")
    assert facts.host_variables == ()
    assert names(facts, "host") == []


def test_macros_hold_as_at_the_end_of_the_file() -> None:
    facts = parse(
        "#define TILE 8 // first\n#define F(x) x\n#undef TILE\n#define TILE (4 * 4) /* last */\n"
        "#define GONE 1\n#undef GONE\n#ifdef GONE\n#define NEVER 1\n#endif\n"
    )
    assert facts.macros == (Macro("F", "x", 2, True), Macro("TILE", "(4 * 4)", 4))
    assert facts.macro("TILE") == Macro("TILE", "(4 * 4)", 4)
    assert facts.macro("GONE") is None


def test_includes_keep_their_quotes() -> None:
    facts = parse('#include <stdio.h>\n#include "mine.h"\n#include NAME\n')
    assert [(i.path, i.line) for i in facts.includes] == [("<stdio.h>", 1), ('"mine.h"', 2), ("NAME", 3)]


@pytest.mark.parametrize(
    "condition",
    [
        "#if __has_include(<a/b.h>)",
        '#  if defined(X) && __has_include ( "b.h" )',
        "#ifdef X\n#elif \\\n  __has_include_next(<b.h>)",
    ],
)
def test_files_that_are_asked_for_hide_nothing(condition: str) -> None:
    text = f'{condition}\nint y;\n#endif\n__global__ void k() {{}}\nextern "C" void solve() {{ k<<<1, 1>>>(); }}\n'
    facts = parse(text)
    assert [(f.name, text[slice(*f.span)][:10]) for f in facts.functions] == [
        ("k", "__global__"),
        ("solve", 'extern "C"'),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "}}}}((((",
        "namespace a {" * 5000 + "}" * 5000,
        "#if X\n" + "#elif Y\n" * 5000 + "#endif",
        "é ünï ✓ __global__ void k(float* é) {}",
        "#define A A B\n#define B A\nA void k() {}",
    ],
)
def test_never_fails(text: str) -> None:
    assert isinstance(parse(text), Facts)
