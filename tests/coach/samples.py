"""Explanations for pages and terminals: made of kernels that were counted, with names that must not become markup."""

from __future__ import annotations

from functools import cache

from grader.coach.advice import Subject
from grader.coach.coach import Explanation, KernelExplanation
from grader.coach.lines import by_line, total
from grader.coach.review import review
from grader.coach.target import Resources
from grader.core.verdict import Form, Verdict

from .counted import run

TRANSPOSE = """
    __shared__ float tile[32][32];
    int u = threadIdx.y;
    tile[u][t] = x[blockIdx.x * 1024 + u * 32 + t];
    __syncthreads();
    y[blockIdx.x * 1024 + u * 32 + t] = tile[t][u]; // <script>document.title = "hacked"</script>
"""
STRIDED = "if (t % 2) atomicAdd(&y[t % 8], x[i * 32] + x[i + 1]);"
WIDE = "((float4*)y)[i] = ((const float4*)x)[i];"
HEAD = "extern __global__ void k(…) {\n    int t = …\n"
RESOURCES = Resources("sm_89", 128, 4096, 0, 0, 2, 1 / 3, "registers", "with 80 registers a thread it is 50%")


@cache
def kernel(body: str, block: tuple[int, int, int] = (256, 1, 1), resources: bool = False) -> KernelExplanation:
    counts = run(body, block)
    found, totals, lines = RESOURCES if resources else None, total(counts.rows), by_line(counts)
    told = review(Subject(lines, counts.arrays, totals, found, block[0] * block[1], {}))
    return KernelExplanation(
        "k<b>old</b>", (4, 1, 1), block, 1, 4, totals, lines, counts.arrays, found, told.advice, told.good
    )


def explanation(*kernels: KernelExplanation, source: str, verdict: Verdict = Verdict.ACCEPTED) -> Explanation:
    return Explanation(
        problem="transpose",
        title="Transpose <b>it</b>",
        file="<i>mine</i>.cu",
        source=HEAD + source,
        form=Form.KERNEL,
        sizes={"M": 64, "N": 64},
        target="sm_89",
        verdict=verdict,
        headline="Wrong answer: y[0] <b>differs</b>" if verdict is not Verdict.ACCEPTED else "Accepted",
        kernels=kernels,
    )


EXPLANATIONS = {
    "transpose": lambda: explanation(kernel(TRANSPOSE, (32, 32, 1), resources=True), source=TRANSPOSE),
    "strided": lambda: explanation(kernel(STRIDED), source=STRIDED, verdict=Verdict.WRONG_ANSWER),
    "wide": lambda: explanation(kernel(WIDE), source=WIDE),
    "two": lambda: explanation(kernel(WIDE), kernel(STRIDED), source=WIDE),
    "none": lambda: explanation(source="// nothing"),
}
