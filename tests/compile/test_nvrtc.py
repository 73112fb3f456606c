"""Compiling whole submissions: which are accepted as the problem's kernel, and what is said of the others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.compile.compiler import CompileFailure, Compiler
from grader.compile.nvrtc import compile_kernel
from grader.compile.program import Kernel
from grader.compile.reading import compile_text
from grader.core.report import Diagnostic
from grader.core.verdict import Form
from grader.sandbox import Sandbox
from tests.called import calls_of
from tests.compile.samples import EXPECTED, KERNEL, PARAMETERS, build, kernel_with, refusal


def test_a_program_holds_ptx_with_lines_and_the_kernel() -> None:
    source = KERNEL.replace("expf(a[i])", "a[i] + 1.0f")
    program = build("__global__ void other(double x, int4 v) {}\n" + source)
    assert program.form is Form.KERNEL
    assert program.target == "compute_89"
    assert program.kernels == (
        Kernel("map_kernel", "_Z10map_kernelPKfPfi", (8, 8, 4)),
        Kernel("other", "_Z5otherd4int4", (8, 16)),
    )
    assert program.diagnostics == ()
    assert '.file\t1 "/mine.cu"' in program.image
    assert re.search(r"\.loc\s+1 4 ", program.image)
    assert "add.f32" in program.image
    assert "kgrade" not in program.image


@pytest.mark.parametrize(
    "source",
    [
        'extern "C" ' + KERNEL,
        'extern "C" {\n' + KERNEL + "}\n",
        "static " + KERNEL,
        "namespace {\n" + KERNEL + "}\n",
        KERNEL.replace("__global__ void", "__global__ void __launch_bounds__(256)"),
        KERNEL.replace("const float*", "float*"),
        KERNEL.replace("const float* a", "const float* __restrict__ const a"),
        KERNEL.replace("float* b", "float b[]").replace("int n", "const int n"),
        "using real = float;\ntypedef int index_t;\n" + KERNEL.replace("float*", "real*").replace("int n", "index_t n"),
        "#define float float\n" + KERNEL,
        KERNEL + "// a backslash at the end \\",
        KERNEL.rstrip(),
        "template <int N> __device__ float f(float x) { return x + N; }\n" + KERNEL.replace("expf", "f<3>"),
        "__constant__ float table[4];\n" + KERNEL.replace("expf(a[i])", "table[i & 3]"),
        KERNEL.split("{")[0] + ";\n" + KERNEL,
    ],
    ids=range(15),
)
def test_accepts_the_kernel_however_it_is_written(source: str) -> None:
    assert build(source).kernels[0].parameter_bytes == (8, 8, 4)


@pytest.mark.parametrize(
    ("source", "message", "line", "hint"),
    [
        (
            "__device__ int x;\n__global__ void far_away() {}\n" + KERNEL.replace("map_kernel", "map_kernal"),
            "there is no kernel named map_kernel",
            3,
            f"Rename your kernel to map_kernel.\n{EXPECTED}\n"
            "found:    __global__ void map_kernal(const float* a, float* b, int n) in line 3\n"
            "found:    __global__ void far_away() in line 2",
        ),
        (
            "__device__ int x;\n",
            "there is no kernel named map_kernel",
            None,
            f"The file has no __global__ function.\n{EXPECTED}",
        ),
        (
            "namespace mine {\n" + KERNEL + "}\n",
            "map_kernel is inside namespace mine",
            2,
            "Move it out of there.",
        ),
        (
            KERNEL.replace("__global__", "__device__"),
            "map_kernel is a __device__ function, not a kernel",
            1,
            f"Write __global__ before it.\n{EXPECTED}",
        ),
        (
            KERNEL.replace("__global__ ", ""),
            "map_kernel is a host function, not a kernel",
            1,
            f"Write __global__ before it.\n{EXPECTED}",
        ),
        (
            KERNEL.split("{")[0] + ";\n",
            "map_kernel is declared but has no body",
            1,
            "Write its body: { ... }",
        ),
        (
            "template <class T> " + KERNEL,
            "map_kernel is a template, so there is no one kernel to launch",
            1,
            f"Write a kernel of that name without template; it can call a __device__ template.\n{EXPECTED}",
        ),
        (
            KERNEL + "__global__ void map_kernel(float* x) {}\n",
            "map_kernel is overloaded: 2 kernels have that name",
            5,
            f"Give the others another name.\n{EXPECTED}\n"
            "found:    map_kernel(const float* a, float* b, int n) in line 1\n"
            "found:    map_kernel(float* x) in line 5",
        ),
    ],
)
def test_says_why_the_kernel_is_not_found(source: str, message: str, line: int | None, hint: str) -> None:
    assert refusal(source).diagnostics == (Diagnostic("error", message, line, hint=hint),)


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        ("int n", "unsigned int n", ": parameter 3 is unsigned int n, expected int N"),
        ("int n", "size_t n", ": parameter 3 is size_t n, expected int N"),
        (", int n", "", ": it has 2, expected 3"),
        ("float* b", "float4* b", ": parameter 2 is float4* b, expected float* output"),
        (
            "const float* a",
            "const double* a",
            ": parameter 1 is const double* a, expected const float* input",
        ),
        (
            "const float* a, float* b",
            "float b, const float* a",
            ": parameter 1 is float b, expected const float* input",
        ),
        ("float* b", "real* b", ""),
    ],
)
def test_shows_other_parameters_beside_the_expected_ones(before: str, after: str, difference: str) -> None:
    head = KERNEL.split(" {")[0].replace(before, after)
    (diagnostic,) = refusal("using real = double;\n" + head + " { int n = 0; }\n".replace("int n", "int m")).diagnostics
    assert diagnostic.message == f"map_kernel does not have the problem's parameters{difference}"
    assert diagnostic.line == 2
    assert diagnostic.hint.startswith(f"{EXPECTED}\nfound:    {head}")


def test_names_other_parameters_beside_the_errors_that_follow_from_them() -> None:
    source = kernel_with("b[n] = a[n];").replace("int n", "float n")
    *follow, last = refusal(source).diagnostics
    assert follow and all("integral" in diagnostic.message for diagnostic in follow)
    assert last.message == "map_kernel does not have the problem's parameters: parameter 3 is float n, expected int N"
    assert last.severity == "error"


def test_a_macro_for_a_type_changes_nothing_of_what_is_expected() -> None:
    (diagnostic,) = refusal("#define float double\n" + KERNEL).diagnostics
    assert diagnostic.hint.endswith("An alias or a macro of the file stands for another type.")


def test_an_error_is_told_at_its_place_with_a_hint() -> None:
    source = kernel_with("int größe = 0;  b[threadidx.x] = 1;").replace("größe", "/* größe */ size")
    (diagnostic, *_) = refusal(source).diagnostics
    column = source.split("\n")[1].index("threadidx") + 1
    message = 'identifier "threadidx" is undefined'
    assert diagnostic == Diagnostic("error", message, 2, column, "Did you mean threadIdx?")


@pytest.mark.parametrize("tail", ["", "int main() {}\n"])
@pytest.mark.parametrize(
    ("source", "message"),
    [
        (KERNEL.rstrip()[:-1], 'expected a "}"'),
        (KERNEL + "/* never closed\n", "comment unclosed at end of file"),
        ("#if 1\n" + KERNEL, "the #endif for this directive is missing"),
        (KERNEL + '#error "no more"\n', '#error directive: "no more"'),
    ],
)
def test_open_ends_are_the_submissions_own_errors(source: str, message: str, tail: str) -> None:
    failure = refusal(source + tail)
    assert message in [d.message for d in failure.diagnostics]
    assert all("kgrade" not in d.message and "__nv" not in d.message for d in failure.diagnostics)
    assert all(d.line is None or d.line <= (source + tail).count("\n") + 1 for d in failure.diagnostics)


def test_warnings_of_a_submission_that_compiles_are_kept() -> None:
    (warning,) = build(kernel_with("int unused; b[0] = a[n];")).diagnostics
    assert warning == Diagnostic("warning", 'variable "unused" was declared but never referenced', 2, 7)


HOST_PROGRAM = (
    "#include <cuda_runtime.h>\n#include <stdio.h>\n#include <iostream>\n#include <vector>\n#include <chrono>\n"
    "#define CHECK(x) if ((x) != cudaSuccess) { std::cerr << (x); exit(1); }\n"
    "const int N = 1 << 20;\n"
    "std::vector<float> results;\n"
    "float* h_input;\n"
    "template <class T> T twice(T x) { return x + x; }\n"
    "constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }\n"
    + KERNEL
    + "void reference(std::vector<float>& v) { v.push_back(1); }\n"
    "int main(int argc, char** argv) {\n"
    "    auto begin = std::chrono::steady_clock::now();\n"
    "    CHECK(cudaMalloc(&h_input, N * sizeof(float)));\n"
    "    map_kernel<<<ceil_div(N, 256), 256>>>(h_input, h_input, N);\n"
    '    printf("%f\\n", twice(h_input[0]));\n'
    "    return 0;\n"
    "}\n"
)


def test_host_code_is_left_out_with_a_note() -> None:
    program = build(HOST_PROGRAM)
    assert [k.name for k in program.kernels] == ["map_kernel"]
    (note,) = program.diagnostics
    expected = "host code is left out: reference(), main(), results, h_input; kgrade launches the kernel itself"
    assert note == Diagnostic("note", expected, 16)
    assert re.search(r"\.loc\s+1 14 ", program.image)


def test_errors_beside_host_code_are_those_of_the_kernel_alone() -> None:
    (diagnostic,) = refusal(HOST_PROGRAM.replace("expf(a[i])", "expff(a[i])")).diagnostics
    assert (diagnostic.line, diagnostic.hint) == (14, "Did you mean expf?")


@pytest.mark.parametrize(
    ("head", "hint"),
    [
        ("float helper(float x) { return x; }\n", "helper() is a host function; write __device__ before it"),
        ("float (*helper)(float);\n", "helper is a host variable"),
    ],
)
def test_host_code_that_a_kernel_uses_is_named(head: str, hint: str) -> None:
    (diagnostic,) = refusal(head + KERNEL.replace("expf", "helper")).diagnostics
    assert diagnostic.line == 4
    assert diagnostic.hint.startswith(hint)


@pytest.mark.parametrize("name", ["/etc/passwd", "../secret.h", "./../secret.h"])
def test_files_of_the_machine_are_refused_unread(name: str) -> None:
    (diagnostic,) = refusal(f'\n#include "{name}"\n' + KERNEL).diagnostics
    assert diagnostic.message == f'"{name}" can\'t be included: a submission is one file'
    assert diagnostic.line == 2


def test_files_of_the_machine_are_never_quoted(tmp_path: Path) -> None:
    (tmp_path / "secret.h").write_text("hunter2 is the password\n")
    by_macro = f'#define NAME "{tmp_path}/secret.h"\n#include NAME\n'
    from_the_root = f'#include "{str(tmp_path)[1:]}/secret.h"\n'
    for source, expected in (
        (by_macro, 'an #include has to name its file, as <file> or "file"'),
        (from_the_root, f'"{str(tmp_path)[1:]}/secret.h" can\'t be included: a submission is one file'),
    ):
        diagnostics = refusal(source + KERNEL).diagnostics
        assert diagnostics[0].message == expected
        assert "hunter2" not in str(diagnostics)


def test_a_header_beside_the_submission_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.h").write_text("")
    monkeypatch.chdir(tmp_path)
    asked = {"do": "kernel", "file_name": "mine.cu", "kernel": "map_kernel", "parameters": PARAMETERS, "constants": {}}
    with pytest.raises(CompileFailure) as caught:
        compile_text({**asked, "source": '#include "mine.h"\n' + KERNEL}, 60.0, Sandbox.find())
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.hint == "A submission is one file: paste what it needs of mine.h into it."


def test_an_odd_file_name_does_not_reach_the_compiler() -> None:
    program = compile_kernel(KERNEL, 'a "b"\n(3): error: ä.cu', "map_kernel", PARAMETERS, {})
    assert '.file\t1 "/submission.cu"' in program.image


@pytest.mark.parametrize("header", ["cute/nonsense.hpp", "cutlass/nonsense.h"])
def test_the_headers_of_cutlass_are_not_compiled_in_vain(header: str) -> None:
    # As those headers have it: a function without __device__ that kernels call.
    one = "constexpr float one() { return 1.0f; }\n"
    source = f"#if __has_include(<{header}>)\n#include <{header}>\n#endif\n{one}"
    with calls_of(Compiler.compile) as compiled:
        build(source + KERNEL.replace("expf(a[i])", "one()"))
    assert len(compiled) == 1
