"""One operation on arrays of each type that is neither f32, f16, i32 nor a byte."""

import numpy as np

from grader.problem import (
    Cost,
    Problem,
    array,
    bf16,
    ceil_div,
    e4m3,
    e5m2,
    exact,
    f64,
    i64,
    integers,
    out,
    size,
    u32,
)

problem = Problem(
    title="Every type",
    difficulty="easy",
    tags=("types",),
    kernel="types_kernel",
    params=dict(
        d=array(f64, "N"),
        w=array(i64, "N", values=integers(-(2**62), 2**62)),
        u=array(u32, "N"),
        b=array(bf16, "N"),
        p=array(e4m3, "N"),
        q=array(e5m2, "N"),
        d_out=out(f64, "N"),
        w_out=out(i64, "N"),
        u_out=out(u32, "N"),
        b_out=out(bf16, "N"),
        p_out=out(e4m3, "N"),
        q_out=out(e5m2, "N"),
        N=size(1, 1_000_000),
    ),
    constants=dict(BLOCK=128),
    gates=exact(),
    benchmarks=[dict(N=100_000)],
)


@problem.reference
def reference(d, w, u, b, p, q):
    assert w.dtype == u.dtype == np.int64
    return dict(d_out=d * 3, w_out=w + 1, u_out=u // 3, b_out=b * 1.5, p_out=p * 1.5, q_out=q * 1.5)


@problem.solve
def solve(launch, **parameters):
    block = launch.constant("BLOCK")
    launch(grid=ceil_div(parameters["N"], block), block=block, arguments=tuple(parameters.values()))


@problem.cost
def cost(N):
    return Cost(flops=6 * N, bytes=48 * N)
