"""A problem's starter in either form: the solve form as in its folder, the kernel form cut from that."""

from __future__ import annotations

from grader.core.errors import ProblemError
from grader.core.verdict import Form
from grader.problem import Problem


def kernel_starter(problem: Problem) -> str:
    """The starter without its `solve()`."""
    # The parser takes 30 ms to load.
    from grader.compile.parse import parse

    solve = next((f for f in parse(problem.starter).functions if f.name == "solve" and f.defined), None)
    return problem.starter if solve is None else _without(problem.starter, solve.span)


def solve_starter(problem: Problem) -> str:
    """The starter as its folder holds it. Raises ProblemError where it has no `solve()`."""
    from grader.compile.parse import parse

    if parse(problem.starter).form is not Form.SOLVE:
        raise ProblemError(
            f"{problem.folder / 'starter.cu'} has no solve(), which the solve form starts from",
            f'type: kgrade init {problem.name} --form kernel, or write an extern "C" void solve(...) into that file',
        )
    return problem.starter


HEADERS = {
    "half": "cuda_fp16.h",
    "__nv_bfloat16": "cuda_bf16.h",
    "__nv_fp8_e4m3": "cuda_fp8.h",
    "__nv_fp8_e5m2": "cuda_fp8.h",
}


def starter_for(problem: Problem) -> str:
    """A generated starter of the solve form: the signature of `solve()` and an empty body."""
    words = {word for c_type, _ in problem.c_parameters for word in c_type.replace("*", " ").split()}
    headers = ["cuda_runtime.h", *dict.fromkeys(header for word, header in HEADERS.items() if word in words)]
    parameters = ", ".join(f"{c_type} {name}" for c_type, name in problem.c_parameters)
    includes = "\n".join(f"#include <{header}>" for header in headers)
    arrays = [name for name in problem.params if name in {**problem.inputs, **problem.outputs}]
    told = f"// {', '.join(arrays)}: arrays in the GPU's memory"
    return f'{includes}\n\n{told}\nextern "C" void solve({parameters}) {{\n}}\n'


def _without(text: str, span: tuple[int, int]) -> str:
    """The text without these bytes and the comment lines right above them."""
    data = text.encode()
    before, after = data[: span[0]].decode(), data[span[1] :].decode()
    lines = before.rstrip().splitlines()
    while lines and lines[-1].lstrip().startswith("//"):
        lines.pop()
    parts = ("\n".join(lines).rstrip(), after.strip())
    return "\n\n".join(part for part in parts if part) + "\n"
