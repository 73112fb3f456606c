"""Powers of many small matrices of whole numbers, modulo 2^32."""

import numpy as np

from grader.problem import Cost, Problem, array, exact, i32, integers, module_of, out, size, u32

BITS = 20

problem = Problem(
    title="Matrix powers",
    difficulty="medium",
    tags=("integer", "batched", "shared memory", "register blocking", "repeated squaring"),
    kernel="power_kernel",
    params=dict(
        A=array(u32, "BATCH", "N", "N"),
        exponents=array(i32, "BATCH", values=integers(0, 2**BITS - 1)),
        C=out(u32, "BATCH", "N", "N"),
        BATCH=size(1, 8192),
        N=size(1, 32),
    ),
    constants=dict(BLOCK=256),
    gates=exact(families=("normal", "spread", "special")),
    baseline="accepted/2_both_products_at_once.cu",
    benchmarks=[dict(BATCH=8192, N=32), dict(BATCH=8192, N=16), dict(BATCH=3001, N=31)],
)


@problem.reference
def reference(A, exponents, BATCH, N):
    # Products of 64 bits leave the lower 32 as they are.
    xp, low = module_of(A), np.uint64(2**32 - 1)
    base = A.astype(np.uint64)
    result = xp.broadcast_to(xp.eye(N, dtype=np.uint64), base.shape).copy()
    for bit in range(BITS):
        odd = exponents.astype(np.int64) >> bit & 1 == 1
        result[odd] = result[odd] @ base[odd] & low
        base = base @ base & low
    return result


@problem.solve
def solve(launch, A, exponents, C, BATCH, N):
    launch(grid=BATCH, block=launch.constant("BLOCK"), arguments=(A, exponents, C, BATCH, N))


@problem.cost
def cost(BATCH, N):
    # A square for each bit of the exponent, and a product for every other one.
    return Cost(flops=BATCH * (BITS + BITS // 2) * 2 * N * N * N, bytes=BATCH * (8 * N * N + 4))
