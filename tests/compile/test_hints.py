"""Advice for compile errors, on errors that the compiler really reports."""

from __future__ import annotations

import pytest

from grader.compile.compiler import Compiler
from grader.compile.diagnostics import read_log
from grader.compile.facts import Facts
from grader.compile.hints import Context, add_hints, find_hint
from grader.compile.toolkit import find_toolkit
from grader.core.report import Diagnostic
from grader.machine.cuda_packages import cutlass_command, install_command
from tests.compile.samples import kernel_with, refusal

# One wrong statement in a kernel with the parameters `const float* a, float* b, int n`, and its hint.
STATEMENTS = {
    "int i = threadidx.x;": "Did you mean threadIdx?",
    "int i = BlockIdx.x;": "Did you mean blockIdx?",
    "int i = blockDIM.x;": "Did you mean blockDim?",
    "__syncthread();": "Did you mean __syncthreads?",
    "_syncthreads();": "Did you mean __syncthreads?",
    "atomicadd(b, 1.0f);": "Did you mean atomicAdd?",
    "b[0] = N;": "Did you mean n?",
    "int column = 0; b[colum] = 1;": "Did you mean column?",
    "int i = threadIdx.X;": "threadIdx, blockIdx, blockDim and gridDim have the members x, y and z.",
    "int i = threadIdx * 2;": "threadIdx, blockIdx, blockDim and gridDim are triples: add .x, .y or .z.",
    "int i = blockIdx;": "threadIdx, blockIdx, blockDim and gridDim are triples: add .x, .y or .z.",
    "a[0] = 1;": "const data can't be written: inputs are read, results go to the output.",
    "__shared__ float tile[n];": (
        "The size of a __shared__ array has to be known when compiling: "
        "use a #define or constexpr, or extern __shared__ where the launch passes a size."
    ),
    "float tile[n];": (
        "Only #define, constexpr, const with a constant value and template parameters are constants here."
    ),
    "b[0] = a[0][1];": "The arrays are one-dimensional: write A[row * columns + column] for A[row][column].",
    "atomicAdd(a, 1.0f);": "Atomics write, so their first argument must not point to const data.",
    "atomicAdd(b[0], 1.0f);": "Atomics take a pointer (&output[0]) and a value of the type that it points to.",
    "float x = a[0] % 2;": "This operator takes whole numbers; for floats there are fmodf() and casts.",
    "cudaMalloc(0, 0);": (
        "This is host code. kgrade allocates, copies and launches by itself: submit the kernel alone."
    ),
    "b[0] = __shfl_down(a[0], 1);": (
        "__shfl_down() was removed from CUDA: use __shfl_down_sync() with a mask, such as 0xffffffff."
    ),
    "b[0] = FLT_MAX;": "Add #include <float.h>.",
    "half x = 0;": "Add #include <cuda_fp16.h>.",
    "uint32_t x = 0;": "Add #include <stdint.h>.",
    "b[0] = std::max(1.0f, 2.0f);": ("Add #include <algorithm>, or write max() without std:: for CUDA's own."),
    "b[0] = std::numeric_limits<float>::max();": "Add #include <limits>.",
    "std::vector<int> v;": "std::vector is not for device code; a kernel can't use it.",
    "auto g = cg::this_thread_block();": "Add the #include that brings this namespace.",
    "b[0] = “1”;": (
        "The line contains U+201C (left double quotation mark); code has to be plain ASCII, comments need not."
    ),
    "b[0] = 1 b[1] = 2;": "The statement before the marked place lacks its ; at the end.",
    "if (n > 0 { b[0] = 1; }": "Every ( needs its ).",
    "b[0] = nothing_like_it(1);": "",
    "int i = 0; b[j] = i;": "",
    "float4 v = 1 + b;": "",
}

# A whole file, and the hint of its first error.
FILES = {
    "__device__ float x = 1\n__device__ int y;": "Line 1 lacks its ; at the end.",
    "__global__ int k() { return 1; }": ("A __global__ function returns nothing: its results go to the output array."),
    "__global__ void k() {\n": "Every { needs its }: count them from the line that the note names.",
    "__device__ void f() {\n__global__ void k() {\n}\n": (
        "Does a } lack before this line? A function seems to begin inside the one before."
    ),
    "/* no end": "A comment that begins with /* ends with */.",
    "#ifdef X\n": "Every #if, #ifdef and #ifndef needs its #endif.",
    "float f(float x) { return x; }": "Write __device__ before it.",
    "float x[3];": "Write __device__ or __constant__ before it, or make it a constexpr.",
    "struct S { int a; __device__ S() : a(3) {} }; __device__ S s;": (
        "A variable in device memory starts with constants only: fill it in the kernel."
    ),
    '#include "mine.h"\n': "A submission is one file: paste what it needs of mine.h into it.",
    "#include <curand_missing.h>\n": (
        "Only CUDA's own headers (cuda_fp16.h, cooperative_groups.h, cub, …) can be included."
    ),
    "#include <cute/nonsense.hpp>\n": f"CuTe's and CUTLASS's headers are missing or lack this one: {cutlass_command()}",
    "#include <cuda_nonsense.h>\n": (f"CUDA's headers are missing or lack this one: {install_command()}"),
    "#include <zlib.h>\n": (
        "Device code can include CUDA's own headers and the common ones of C and C++. Try without this line."
    ),
    "template <int N> struct F { static const int v = F<N + 1>::v; }; __device__ int x = F<0>::v;": (
        "A template calls itself without an end, or too deeply."
    ),
}


def diagnose(source: str) -> Diagnostic:
    """The first error of a file."""
    log = Compiler(find_toolkit(), "mine.cu").compile(source).log
    diagnostics = add_hints(read_log(log, source, "mine.cu"), source, Facts())
    return next(d for d in diagnostics if d.severity == "error")


@pytest.mark.parametrize("statement", STATEMENTS)
def test_hint_for_a_statement(statement: str) -> None:
    error = diagnose(kernel_with(statement))
    assert (error.line, error.hint) == (2, STATEMENTS[statement])


@pytest.mark.parametrize("source", FILES)
def test_hint_for_a_file(source: str) -> None:
    assert diagnose(source).hint == FILES[source]


def test_out_of_memory_has_a_hint() -> None:
    context = Context("", Facts(), Diagnostic("error", "out of memory", 1))
    assert find_hint(context).startswith("The compiler ran out of memory")


def test_warnings_and_given_hints_stay() -> None:
    warning = Diagnostic("warning", 'identifier "threadidx" is undefined', 1)
    given = Diagnostic("error", 'identifier "threadidx" is undefined', 1, hint="Given.")
    assert add_hints([warning, given], "", Facts()) == (warning, given)


def test_hints_reach_the_failure() -> None:
    failure = refusal(kernel_with("__syncthread();"))
    assert failure.diagnostics[0].hint == "Did you mean __syncthreads?"
