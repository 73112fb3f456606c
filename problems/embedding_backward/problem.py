"""The gradient of an embedding: each token's row is added to the row of its word."""

import numpy as np

from grader.problem import Cost, Problem, array, ceil_div, f32, i32, module_of, out, size, total

problem = Problem(
    title="Embedding, backward",
    difficulty="medium",
    tags=("transformer", "backward", "scatter", "atomics", "memory bound"),
    kernel="embedding_backward_kernel",
    params=dict(
        tokens=array(i32, "N"),
        upstream=array(f32, "N", "D"),
        gradient=out(f32, "V", "D"),
        N=size(1, 1_000_000),
        V=size(1, 262144),
        D=size(1, 8192),
    ),
    constants=dict(BLOCK=256),
    # All tokens may be the same word.
    gates=total(terms="N"),
    baseline="accepted/solve_2_tokens_by_word.cu",
    benchmarks=[
        dict(N=65_536, V=32_768, D=768),
        dict(N=131_072, V=4096, D=512),
        dict(N=40_009, V=9973, D=321),
    ],
)


@problem.structure
def structure(draw, family, N, V):
    kind = draw.one(0, 3)
    tokens = draw.integers(0, V - 1, N)
    if kind == 1:
        # Few words, each in many places.
        tokens = draw.integers(0, V - 1, 3)[tokens % 3]
    elif kind == 2:
        # One word is half of the text, as padding is.
        tokens[draw.integers(0, 1, N) == 0] = draw.one(0, V - 1)
    elif kind == 3:
        # Equal neighbours, of which some runs are long.
        tokens = np.sort(tokens % draw.one(1, V))
    # The ends of the table.
    tokens[draw.one(0, N - 1)] = V - 1
    tokens[draw.one(0, N - 1)] = 0
    return dict(tokens=tokens)


@problem.reference
def reference(tokens, upstream, V, D):
    places = tokens[:, None] * D + module_of(tokens).arange(D)
    return np.bincount(places.ravel(), weights=upstream.ravel(), minlength=V * D).reshape(V, D)


@problem.solve
def solve(launch, tokens, upstream, gradient, N, V, D):
    block = launch.constant("BLOCK")
    launch.memset(gradient, 0)
    launch(grid=ceil_div(N * D, block), block=block, arguments=(tokens, upstream, gradient, N, V, D))


@problem.cost
def cost(N, V, D):
    return Cost(flops=N * D, bytes=4 * (N + N * D + V * D))
