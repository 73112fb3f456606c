"""Reports made by hand, one of each sort that a page has to show, and a store full of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader.core.report import (
    CaseResult,
    Diagnostic,
    ElementError,
    ErrorMap,
    FaultReport,
    Interval,
    KernelInfo,
    Modelled,
    ModelSize,
    OutputCheck,
    Report,
)
from grader.core.verdict import FaultClass, Form, LanguageName, Verdict, WrongKind
from grader.measure.overall import overall_score, total_time
from grader.store.database import Store

from .measurements import matmul_times, vector_times

NAIVE = """\
// Matrix multiplication, one thread per element of C.
#define TILE 16

__device__ float product(float a, float b) { return a * b; }

extern "C" __global__ void matrix_multiplication_kernel(const float* A, const float* B, float* C,
                                                        int M, int N, int K) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < M && col < K) {
        float sum = 0.0f;  /* a comment
                              over two lines */
        for (int i = 0; i < N; ++i) {
            sum += product(A[row * N + i], B[i * K + col]);
        }
        C[row * K + col] = sum;
    }
}
"""
TRITON = '''\
"""Vector addition."""
import triton
import triton.language as tl


@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i, i < n) + tl.load(b + i, i < n), i < n)  # at once
'''
NO_BOUNDS = NAIVE.replace("    if (row < M && col < K) {", "    {")
HOSTILE = (
    """<script>document.title="hacked"</script>'"--></style><img src=//example.com/x onerror=alert(1)>"""
    "javascript:alert(1)\u202e\x1b[31m"
)

SIZES = (
    (1, 1, 1),
    (17, 1, 3),
    (15, 16, 17),
    (64, 64, 64),
    (61, 257, 31),
    (128, 33, 129),
    (16, 500, 2),
    (256, 96, 80),
)
CHECKS = (
    "exact sums (G0), bit for bit",
    "each element against float64 (G1)",
    "error over all elements (G2)",
    "every element of C is written",
    "A and B are unchanged",
    "every access is inside its array",
)


def case(m: int, n: int, k: int, verdict: Verdict = Verdict.ACCEPTED, **changes: Any) -> CaseResult:
    good = OutputCheck("C", (m, k), 0, m * k, 0.06 if n < 100 else 0.31, "G1")
    values: dict[str, Any] = {"outputs": (good,), "seconds": 0.0021 * m, "instructions": 40 * m * n}
    return CaseResult({"M": m, "N": n, "K": k}, "exact" if n % 2 else "normal", 77, verdict, **(values | changes))


def accepted(**changes: Any) -> Report:
    values: dict[str, Any] = {
        "problem": "matmul",
        "title": "Matrix multiplication",
        "form": Form.KERNEL,
        "device": "emulator",
        "user": "ada",
        "file": "naive.cu",
        "source": NAIVE,
        "source_hash": "",
        "submitted": "2026-03-02T14:05:09+00:00",
        "seed": 123,
        "verdict": Verdict.ACCEPTED,
        "headline": "All 8 cases are right.",
        "cases": tuple(case(*sizes) for sizes in SIZES),
        "checks": CHECKS,
        "kernels": (KernelInfo("matrix_multiplication_kernel", 32, 2048, 0),),
        "seconds": 1.42,
        "version": "0.1.0",
        "launch": {"TILE": 16},
    }
    return Report(**(values | changes))


def error_map(rows: int, columns: int, wrong: Any, height: int = 1, width: int = 1) -> ErrorMap:
    """The map of a matrix whose element (r, c) is wrong where `wrong(r, c)`."""

    def share(top: int, left: int) -> float:
        cells = [
            wrong(r, c) for r in range(top, min(top + height, rows)) for c in range(left, min(left + width, columns))
        ]
        return sum(cells) / len(cells)

    cells = tuple(tuple(share(top, left) for left in range(0, columns, width)) for top in range(0, rows, height))
    return ErrorMap((rows, columns), height, width, cells)


def wrong_output(rows: int, columns: int, wrong: Any, height: int = 1, width: int = 1) -> OutputCheck:
    places = [(r, c) for r in range(rows) for c in range(columns) if wrong(r, c)]
    elements = tuple(
        ElementError(place, 12.3456789 + place[0], -0.5 if place[1] % 3 else float("nan"), 3.4e7 / (1 + place[1]))
        for place in places[:6]
    )
    return OutputCheck(
        "C",
        (rows, columns),
        len(places),
        rows * columns,
        3.4e7,
        "G1",
        WrongKind.WRONG_VALUE,
        "The wrong elements are in the last tile of rows and of columns.",
        elements,
        error_map(rows, columns, wrong, height, width),
    )


def wrong_last_tile() -> Report:
    """Right as long as M and K are multiples of 16; else the last, partial tile is wrong."""

    def last_tile(rows: int, columns: int) -> Any:
        return lambda r, c: r >= rows - rows % 16 or c >= columns - columns % 16

    large = wrong_output(120, 200, last_tile(120, 200), 2, 4)
    small = wrong_output(17, 3, last_tile(17, 3))
    failing = tuple(
        case(
            *sizes,
            Verdict.WRONG_ANSWER,
            kind=WrongKind.WRONG_VALUE,
            outputs=(output,),
            message=f"{output.wrong:,} of {output.total:,} elements of C are wrong",
        )
        for sizes, output in (((120, 40, 200), large), ((17, 1, 3), small))
    )
    passing = tuple(case(*sizes) for sizes in SIZES if sizes[0] % 16 == 0 and sizes[2] % 16 == 0)
    return accepted(
        user="bob",
        file="tiled v2.cu",
        verdict=Verdict.WRONG_ANSWER,
        kind=WrongKind.WRONG_VALUE,
        headline="3,904 of 24,000 elements of C are wrong: C[0, 192] is −0.5 where 12.3456789 is expected.",
        explanation=("Only the last tile of rows and columns is wrong: look at the bounds of the tile's loads.",),
        cases=failing + passing,
        smallest=failing[1],
        pattern="fails whenever M or K is not a multiple of TILE (16) (in all 8 sizes tried)",
    )


def out_of_bounds() -> Report:
    fault = FaultReport(
        FaultClass.OUT_OF_BOUNDS,
        "reads A[17], which has 17 elements (0 to 16)",
        line=14,
        text="            sum += product(A[row * N + i], B[i * K + col]);",
        kernel="matrix_multiplication_kernel",
        access="read",
        array="A",
        index=17,
        extent=17,
        block=(0, 1, 0),
        thread=(0, 1, 0),
        threads=225,
        instruction="ld.global.nc.f32 %f12, [%rd9+4];",
        hint="The grid is rounded up to whole blocks: leave early when row >= M or col >= K.",
    )
    failing = case(17, 1, 3, Verdict.RUNTIME_ERROR, fault=fault, outputs=(), message=fault.message)
    return accepted(
        user="bob",
        file="no_bounds.cu",
        source=NO_BOUNDS,
        verdict=Verdict.RUNTIME_ERROR,
        headline="Line 14 reads A[17]; A has 17 elements.",
        fault=fault,
        line=14,
        cases=(case(64, 64, 64), case(16, 500, 32), failing),
        smallest=failing,
        pattern="fails whenever M is not a multiple of TILE (16) (in all 12 sizes tried)",
        printed="block 0: row 17\nblock 1: row 18\n",
    )


def compile_error() -> Report:
    source = NAIVE.replace("float sum = 0.0f;  /*", "float sum = 0.0f   /*").replace("        for", "\t\tfor")
    return accepted(
        user="cy",
        file="typo.cu",
        source=source,
        verdict=Verdict.COMPILE_ERROR,
        headline='Line 13 does not compile: expected a ";".',
        line=13,
        diagnostics=(
            Diagnostic(
                "error",
                'expected a ";"',
                13,
                3,
                "The statement before, in line 11, lacks its semicolon.\nexpected: sum = 0.0f;\nfound:    sum = 0.0f",
            ),
            Diagnostic("warning", 'variable "col" was declared but never referenced', 9, 9),
            Diagnostic("note", "1 error detected in the compilation"),
        ),
        cases=(),
        kernels=(),
        checks=(),
    )


def time_limit() -> Report:
    return accepted(
        user="di",
        verdict=Verdict.TIME_LIMIT_EXCEEDED,
        headline="Line 13 is still looping after 64,000,000 instructions.",
        line=13,
        cases=(case(64, 64, 64, Verdict.TIME_LIMIT_EXCEEDED, outputs=(), seconds=2.5),),
    )


def wrong_vector() -> Report:
    """A vector, wrapped into rows, that lacks its last elements."""
    sizes = {"N": 1000}
    grid = error_map(32, 32, lambda r, c: r * 32 + c >= 992)
    elements = tuple(ElementError((k,), 0.5, float("nan"), float("inf"), unwritten=True) for k in range(992, 998))
    output = OutputCheck("output", (1000,), 8, 1000, float("inf"), "G3", WrongKind.UNWRITTEN_OUTPUT, "", elements, grid)
    failing = CaseResult(sizes, "normal", 5, Verdict.WRONG_ANSWER, WrongKind.UNWRITTEN_OUTPUT, outputs=(output,))
    return accepted(
        problem="map",
        title="Sigmoid",
        user="ada",
        verdict=Verdict.WRONG_ANSWER,
        kind=WrongKind.UNWRITTEN_OUTPUT,
        headline="8 of 1,000 elements of output are never written, from output[992] on.",
        cases=(failing,),
        smallest=failing,
        launch={"BLOCK": 32},
    )


def hostile() -> Report:
    """Markup in every text that a report has."""
    fault = FaultReport(
        FaultClass.TRAP,
        HOSTILE,
        2,
        HOSTILE,
        HOSTILE,
        HOSTILE,
        HOSTILE,
        1,
        1,
        (0, 0, 0),
        (0, 0, 0),
        1,
        HOSTILE,
        HOSTILE,
    )
    output = replace(wrong_output(3, 3, lambda r, c: r == c), array=HOSTILE, gate=HOSTILE, explanation=HOSTILE)
    failing = CaseResult(
        {HOSTILE: 3}, HOSTILE, 1, Verdict.WRONG_ANSWER, message=HOSTILE, fault=fault, outputs=(output,)
    )
    return Report(
        problem=HOSTILE,
        title=HOSTILE,
        form=Form.KERNEL,
        device=HOSTILE,
        user=HOSTILE,
        file=HOSTILE,
        source=f"// {HOSTILE}\n{HOSTILE}\n",
        source_hash=HOSTILE,
        submitted="2026-03-02T14:05:09Z",
        seed=1,
        verdict=Verdict.RUNTIME_ERROR,
        headline=HOSTILE,
        fault=fault,
        line=1,
        explanation=(HOSTILE,),
        diagnostics=(Diagnostic("error", HOSTILE, 1, 5, HOSTILE),),
        cases=(failing,),
        smallest=failing,
        pattern=HOSTILE,
        checks=(HOSTILE,),
        kernels=(KernelInfo(HOSTILE),),
        printed=HOSTILE,
        version=HOSTILE,
        launch={HOSTILE: 16},
    )


def measured(faster: float = 1.0, **changes: Any) -> Report:
    measurement = changes.pop("measurement", matmul_times(faster))
    score = overall_score(measurement)
    kernel = KernelInfo("matrix_multiplication_kernel", 32, 2048, 0, 0, 1.0, "threads")
    values: dict[str, Any] = {
        "device": "NVIDIA H200",
        "headline": "All 8 cases are right.",
        "score": score and score.value,
        "time": total_time(measurement),
        "kernels": (kernel,),
        "measurement": measurement,
    }
    return accepted(**(values | changes))


def measured_vector() -> Report:
    kernel = KernelInfo("vector_addition_kernel", 255, 49_152, 512, 416, 0.125, "registers")
    return measured(
        problem="zip", title="Vector addition", score=None, measurement=vector_times(), kernels=(kernel,), cases=()
    )


def in_triton() -> Report:
    return accepted(language=LanguageName.TRITON, form=Form.SOLVE, file="add.py", source=TRITON, kernels=())


REPORTS = {
    function.__name__: function
    for function in (
        accepted,
        wrong_last_tile,
        out_of_bounds,
        compile_error,
        time_limit,
        wrong_vector,
        measured,
        measured_vector,
        hostile,
        in_triton,
    )
}


@dataclass(frozen=True)
class SampleProblem:
    name: str
    title: str
    difficulty: str
    tags: tuple[str, ...]
    statement: str = ""


PROBLEMS = (
    SampleProblem(
        "matmul",
        "Matrix multiplication",
        "easy",
        ("tiling", "shared memory"),
        "# Matrix multiplication\n\nMultiply two matrices of `float`: **C = A · B**.\n\n"
        "| array | shape |\n|---|---|\n| A | M × N |\n| B | N × K |\n\n## Example\n\n"
        "```\nA = [1 2]\nB = [3 4]\n```\n",
    ),
    SampleProblem("map", "Sigmoid", "easy", ("elementwise",)),
    SampleProblem("reduce", "Sum of a vector", "medium", ("reduction", "warp shuffles", "atomics")),
)


def on_gpu(user: str, day: int, score: float, device: str = "NVIDIA H100 80GB HBM3", **changes: Any) -> Report:
    seconds = 0.002 / score
    return accepted(
        user=user,
        device=device,
        score=score,
        time=Interval(seconds, seconds * 0.995, seconds * 1.006),
        submitted=f"2026-03-{day:02}T{(day * 7) % 24:02}:30:00+00:00",
        **changes,
    )


def modelled(user: str, day: int, microseconds: float | None, why_not: str = "") -> Report:
    """Accepted on the emulator, with model times; without a time, for that reason."""
    sizes = {"M": 1024, "N": 1024, "K": 1024}
    time = None
    if microseconds is not None:
        time = Interval(microseconds * 1e-6, 0.75e-6 * microseconds, 1.25e-6 * microseconds)
    share = None if microseconds is None else 32.1 / microseconds
    size = ModelSize(sizes, time, "shared memory" if time else "", share, why_not)
    model = Modelled("H200", "", "1-a", (size,), share, why_not)
    submitted = f"2026-04-{day:02}T12:00:00+00:00"
    return replace(accepted(user=user), submitted=submitted, model=model)


def filled_store(path: Path, *, ranked: bool = True) -> Store:
    """A store with one report of each sort, and a board with ranks where asked for."""
    store = Store(path)
    for report in (make() for make in REPORTS.values()):
        if ranked or report.measurement is None:
            store.add(report)
    for user in ("grace", "linus", "a user with a rather long name, as some people have"):
        store.add(accepted(user=user))
    if ranked:
        store.add(modelled("maria", 1, 331.0))
        store.add(modelled("noor", 2, 151.0))
        store.add(modelled("maria", 3, 141.5))
        store.add(modelled("zoe", 4, None, "the model does not know <b>mbarrier.init.shared.b64 [%r1], 1</b>"))
        scores = {
            "ada": (0.12, 0.31, 0.44, 0.71),
            "bob": (0.2, 0.52),
            "cy": (0.44,),
            "grace": (0.05, 0.64, 0.7),
        }
        for start, (user, own) in enumerate(scores.items(), start=3):
            for step, score in enumerate(own):
                store.add(on_gpu(user, start + 4 * step, score))
        store.add(on_gpu("bob", 9, 0.33, "NVIDIA A100"))
        # Slower than these two are in CUDA C++.
        for day, user, score in ((20, "ada", 0.61), (21, "grace", 0.66), (22, "ada", 0.63)):
            store.add(on_gpu(user, day, score, language=LanguageName.TRITON, form=Form.SOLVE))
    return store
