"""Explanations for pages and terminals: made of kernels that were counted, with names that must not become markup."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from grader.coach.advice import Subject, Tried
from grader.coach.coach import Explanation, KernelExplanation
from grader.coach.lines import by_line, total
from grader.coach.review import review
from grader.coach.target import Resources
from grader.core.verdict import Form, Verdict
from grader.model.gpus import gpu_named
from grader.model.kernel import KernelTime
from grader.model.model import ModelTime

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


def modelled() -> ModelTime:
    """A model time of two kernels, the second launched three times."""
    parts = {"issue": 4e-6, "dram": 5e-6, "launch": 1e-6}
    first = KernelTime("k<b>old</b>", 1e-5, 8e-6, 1.3e-5, "dram", parts, {3: 4e-6}, 2, 7.5, 1e7, 2e7, 1e6, 8, 1000)
    second = replace(first, kernel="other", bound="issue", flops=0.0)
    return ModelTime(gpu_named("H100"), {"M": 4096, "N": 64}, 4e-5, 3e-5, 5e-5, "dram", ((first, 1), (second, 3)))


def tried() -> Explanation:
    """Advice that was tried in the model, and a kernel for which nothing gains."""
    slow = kernel(TRANSPOSE, (32, 32, 1))
    gains = tuple(replace(one, tried=Tried("H200", 1.31e-3, 0.94e-3)) for one in slow.advice)
    found = explanation(replace(slow, advice=gains), kernel(WIDE), source=TRANSPOSE)
    return replace(found, model=modelled())


EXPLANATIONS = {
    "tried": tried,
    "modelled": lambda: replace(explanation(kernel(WIDE), source=WIDE), model=modelled()),
    "timeless": lambda: replace(
        explanation(kernel(WIDE), source=WIDE),
        model=ModelTime(gpu_named("L4"), {"M": 1}, None, why_not="no <i>such</i> instruction"),
    ),
    "transpose": lambda: explanation(kernel(TRANSPOSE, (32, 32, 1), resources=True), source=TRANSPOSE),
    "strided": lambda: explanation(kernel(STRIDED), source=STRIDED, verdict=Verdict.WRONG_ANSWER),
    "wide": lambda: explanation(kernel(WIDE), source=WIDE),
    "two": lambda: explanation(kernel(WIDE), kernel(STRIDED), source=WIDE),
    "none": lambda: explanation(source="// nothing"),
}
