"""What is remarked of a file that compiles: streams that do not wait for the default one, arrays in another order."""

from __future__ import annotations

import pytest

from grader.compile.parse import parse
from grader.compile.solve_remarks import order_remarks, stream_remarks

FLAG = "cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);\n"


@pytest.mark.parametrize(
    "work",
    [
        "k<<<1, 2>>>(a);",
        "k<<<dim3(1, 2, 3), f(4, 5), 6>>>(a);",
        "k<<<1, 2, 0, 0>>>(a);",
        "k<<<1,\n 2, 3,\n nullptr>>>(a);",
        "cudaMemset(a, 0, 4);",
        "cudaMemcpyToSymbol (t, a, 4);",
    ],
)
def test_work_in_the_default_stream_is_told(work: str) -> None:
    (remark,) = stream_remarks(f"{FLAG}k<<<1, 2, 0, s>>>(a);\n{work}\n{work}\ncudaDeviceSynchronize();\n")
    assert (remark.severity, remark.line) == ("warning", 3)
    assert "cudaStreamNonBlocking" in remark.message and "event" in remark.hint


@pytest.mark.parametrize(
    "source",
    [
        FLAG + "k<<<1, 2, 0, s>>>(a);\ncudaMemsetAsync(a, 0, 4, s);",
        FLAG + "k<<<dim3(1, 2), f(3, 4), 5, t[6, 7]>>>(a);",
        FLAG + '// k<<<1, 2>>>(a);\n/* cudaMemset(a, 0, 4); */ puts("k<<<1, 2>>>(a);");',
        FLAG + "k<<<1, 2, 0, s>>>(a);\ncudaStreamSynchronize(s);\nk<<<1, 2>>>(a);",
        FLAG + "k<<<1, 2>>>(a);\ncudaDeviceSynchronize();\ncudaMemsetAsync(a, 0, 4, s);",
        "// cudaStreamNonBlocking\nk<<<1, 2>>>(a);",
        'puts("cudaStreamNonBlocking"); k<<<1, 2>>>(a);',
    ],
)
def test_nothing_else_is(source: str) -> None:
    assert stream_remarks(source) == ()


PARAMETERS = (("const float*", "a"), ("const float*", "b"), ("float*", "output"), ("int", "M"), ("int", "N"))


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ("const float* a, const float* b, float* output, int M, int N", ""),
        ("float* output, const float* a, const float *b, int M, int N", "output, a, b"),
        ("const float b[], const float a[], float output[4], int M, int N", "b, a, output"),
        # Other names say nothing, and sizes are called in more than one way.
        ("const float* x, const float* a, float* b, int M, int N", ""),
        ("const float* a, const float* b, float* output, int N, int M", ""),
        ("const float*, const float*, float*, int, int", ""),
        ("const float* b, const float* a, float* output", ""),
    ],
)
def test_arrays_in_another_order_are_told(own: str, told: str) -> None:
    remarks = order_remarks(PARAMETERS, parse(f'\nextern "C" void solve({own}) {{}}\n'))
    assert [remark.line for remark in remarks] == [2] * bool(told)
    assert all(f"the arrays {told} in this order; kgrade passes a, b, output" in one.message for one in remarks)


def test_no_array_is_in_no_order() -> None:
    assert order_remarks((("int", "N"),), parse('extern "C" void solve(int N) {}')) == ()
    assert order_remarks(PARAMETERS, parse("namespace n { void solve() {} }")) == ()
